/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the lines of strace(1) from the records of dlib/strace. */
#ifndef DWELL_STRACE_TRAIL_H
#define DWELL_STRACE_TRAIL_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "store/recording.h"
#include "strace/say.h"
#include "sym/sym.h"

enum trail_clock { TRAIL_NO_CLOCK, TRAIL_SECONDS, TRAIL_MICROS, TRAIL_EPOCH };
enum trail_status { TRAIL_GOOD = 1, TRAIL_FAILED = 2, TRAIL_UNFINISHED = 4, TRAIL_ALL = 7 };

struct trail_opts {
	struct say_opts say;
	enum trail_clock clock; /* -t, -tt, -ttt */
	bool relative;		/* -r */
	bool took;		/* -T */
	bool pids;		/* always: -f with -o */
	bool many;		/* -f: as soon as there are several */
	bool count;		/* -c: no lines */
	unsigned status;	/* enum trail_status: the calls that are shown */
	uint64_t signals;	/* the signals that are shown: 1 << (signal - 1) */
	bool ends;		/* how processes end */
};

struct trail;

/* out and opts stay the caller's. NULL: out of memory. */
struct trail *trail_new(const struct trail_opts *o, FILE *out);
void trail_free(struct trail *f);
void trail_begin(struct trail *f, const struct rec_schema *schema, struct sym *sym);
/* The command, whose end is remembered. */
void trail_command(struct trail *f, uint32_t pid);
/* Each row, in order. < 0: out cannot be written. */
int trail_row(struct trail *f, const struct row *row);
/* Calls that have not returned, and what was lost. */
int trail_finish(struct trail *f);
/* How the command ended, as of wait(2). False: that was not seen. */
bool trail_status(const struct trail *f, int *ret);
#endif
