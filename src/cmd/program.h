/* SPDX-License-Identifier: Apache-2.0 */
/* A command that dwell runs for somebody: ending as it did. */
#ifndef DWELL_CMD_PROGRAM_H
#define DWELL_CMD_PROGRAM_H

/* The command's exit status; or does not return, ended by the same signal. status: as of waitpid(2). */
int program_end_as(int status);
#endif
