/* SPDX-License-Identifier: Apache-2.0 */
/* A file that a command makes: complete, or not there. */
#ifndef DWELL_CMD_OUTFILE_H
#define DWELL_CMD_OUTFILE_H
#include <stdbool.h>
#include <stdio.h>

struct outfile {
	FILE *f;
	const char *path; /* NULL: standard output */
	char *temp;	  /* beside path; NULL: f is path itself (a device, a pipe) */
};

/* Opens path for writing, NULL or "-": standard output. What is there is replaced when all has been written. EXIT_* > 0
 * after a message. */
int outfile_open(struct outfile *o, const char *path);
#define OUTFILE_GIVE_UP 1			       /* for e: it failed, and that has been said */
bool outfile_is(const char *path, const char *suffix); /* path may be NULL */
/* Ends it: with e == 0 the file gets its name, else it is removed. e: 0 or what writing met (-errno). EXIT_* after a
 * message. */
int outfile_close(struct outfile *o, int e);
#endif
