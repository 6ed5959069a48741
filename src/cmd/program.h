/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a command the way the program ended that it ran: with its status, or by its signal. */
#ifndef DWELL_CMD_PROGRAM_H
#define DWELL_CMD_PROGRAM_H

/* The command's exit status; or does not return, ended by the same signal. status: as of waitpid(2). */
int program_end_as(int status);
#endif
