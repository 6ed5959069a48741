/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the file of a program by its name, along $PATH. */
#ifndef DWELL_BASE_FINDPROG_H
#define DWELL_BASE_FINDPROG_H

/* Where a command's program is: as execvp(3) looks for it, malloc'ed. NULL: nowhere. */
char *findprog(const char *name);
#endif
