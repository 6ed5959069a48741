/* SPDX-License-Identifier: Apache-2.0 */
/* A recording's histograms and slow events as rows of batches (batch.h): times on the calendar, keys, stacks and
 * causes as texts. One thread. */
#ifndef DWELL_FLEET_WIRE_ROWS_H
#define DWELL_FLEET_WIRE_ROWS_H
#include "base/vec.h"
#include "fleet/wire/batch.h"
#include "latency/cause/causes.h"
#include "store/file/recquery.h"

#define ROWS_FRAMES_MAX 64u   /* names of a stack */
#define ROWS_STACKS_MAX 2048u /* that are kept as text: most slow events have one that is known */

struct rows_stack;

struct rows {
	struct recread *rec; /* not owned */
	const char *recording;
	struct causes *causes;	   /* rules that give slow events their causes */
	uint64_t wall_off;	   /* of the recording: CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	VEC(char *) keys;	   /* of the source that is being read, by number of the key */
	struct rows_stack *stacks; /* of the recording, by uthash */
	struct err *err;
};

/* Pointers of a row are valid until these functions return. Other than 0 ends the reading, which returns that. */
typedef int rows_hist_fn(void *ctx, const struct rec_column *c, const struct batch_hist *h);
typedef int rows_slow_fn(void *ctx, const struct batch_slow *s);
/* The seconds of the range (ns of the recording) of each series that can be added up: trackers, and aggregations with
 * hist(). Seconds that are not over are left out. 0 or -errno. */
int rows_hists(struct rows *r, struct rec_range range, rows_hist_fn *fn, void *ctx, struct err *err);
/* Up to `limit` slow events whose numbers are above `after` (-1: from the first). 0 or -errno. */
int rows_slow(struct rows *r, int64_t after, unsigned limit, rows_slow_fn *fn, void *ctx, struct err *err);
/* Before it gets another recording. */
void rows_forget(struct rows *r);
void rows_free(struct rows *r);
#endif
