/* SPDX-License-Identifier: Apache-2.0 */
/* Runs D programs: compiles, loads and attaches what a request asks for, and shows the rows. */
#ifndef DWELL_ENGINE_RUN_RUN_H
#define DWELL_ENGINE_RUN_RUN_H
#include <stdio.h>
#include "engine/request.h"
#include "engine/why.h"
#include "store/recording.h"
#include "store/slow.h"
#include "sym/sym.h"

struct recorder;
struct session;
/* Shows the rows in a way of its own. */
struct run_observer {
	void *ctx;
	/* Before the first row; all of it lives until the run has ended. 0, or -errno with words in err. */
	int (*open)(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out,
		    struct err *err);
	/* *ret_text, false before: the text view is to show it (losses, faults, notes); else it was shown, or is of no
	 * interest. 0, or -errno: out cannot be written, no memory. */
	int (*row)(void *ctx, const struct row *row, bool *ret_text);
	/* When there are no more rows for now, and once a second at least; may be NULL. < 0 as above. */
	int (*taken)(void *ctx);
	/* After the last row. < 0 as above. */
	int (*finish)(void *ctx);
	/* Loaded, nothing attached yet; may be NULL. target: process of -c or -p, or 0. 0, or -errno with words
	 * in err. */
	int (*ready)(void *ctx, struct session *s, long target, struct err *err);
	/* Often while it runs, once a second at least; may be NULL. recorder: of --record, or NULL. hangup: there was a
	 * SIGHUP, which then does not end the run. */
	void (*tick)(void *ctx, struct recorder *recorder, bool hangup);
	bool counters; /* the kernel's, as notes at the start and the end (counters.h) */
	bool apart;    /* rows go elsewhere than to out, and it tells itself how a command ended */
	bool lasting;  /* for months: --record keeps no rows of processes, mappings and costs */
	/* The ROW_FLIGHT about the slow event that row() is given next, which gets it as well; may be NULL. */
	void (*flight)(void *ctx, const struct row *row);
	/* With -x flight: what went on around this slow event is wanted, as the row after it. NULL: always. */
	bool (*wants_flight)(void *ctx, const struct slow_event *e);
};

/* Lists, compiles or runs what the request says; show NULL: DTrace's text. 0 or -errno, told; *ret_status (NULL: not
 * wanted): what the program gave exit(), 0 without one. Standard output is not flushed. */
int request_run(struct request *c, const struct run_observer *show, int *ret_status);
#endif
