/* SPDX-License-Identifier: Apache-2.0 */
/* Makes output files of commands (base/outfile.h), with messages. */
#ifndef DWELL_CMD_OUTFILE_H
#define DWELL_CMD_OUTFILE_H
#include "base/outfile.h"

/* Opens path for writing, NULL or "-": standard output. EXIT_* > 0 after a message. */
int outfile_open(struct outfile *o, const char *path);
#define OUTFILE_GIVE_UP 1 /* for e: it failed, and that has been said */
/* Ends it: with e == 0 the file gets its name, else it is removed. e: 0 or what writing met (-errno). EXIT_* after a
 * message. */
int outfile_close(struct outfile *o, int e);
/* Tells somebody at a terminal what has been written; path: NULL or "-": nothing. */
void outfile_report(const char *path);
#endif
