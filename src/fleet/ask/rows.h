/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of a range out of the store, each once, and their sums. The server only reads and sends them, as columns
 * (native.h). It would add maps up a hundred times slower than this file does, and has to merge its parts (FINAL) only
 * if a row is really there twice. */
#ifndef DWELL_FLEET_ASK_ROWS_H
#define DWELL_FLEET_ASK_ROWS_H
#include "fleet/ask/ask.h"
#include "fleet/wire/keytab.h"

struct ask_row {
	uint32_t series, host; /* numbers of their names */
	uint64_t time;	       /* s since 1970 */
	uint64_t count, sum, max;
	uint32_t flags;
	size_t nbuckets;
	const struct rec_bucket *buckets;
};
struct ask_rows_sink {
	void *ctx;
	enum ask_need need;
	int (*row)(void *ctx, const struct ask_row *r); /* other than 0 ends it */
	void (*again)(void *ctx);			/* forget all rows: they come again */
};
struct ask_names { /* all zero at first */
	struct texttab series, hosts;
};
void ask_names_free(struct ask_names *n);
/* Rows of the range, in no order: those of ask_parts(). 0 or -errno with *err. */
int ask_rows(struct click *c, const struct ask_what *w, struct ask_names *names, const struct ask_rows_sink *sink,
	     struct err *err);

/* Sums by a key of 64 bits that the caller makes. All zero at first. */
struct ask_group {
	uint64_t key;
	uint64_t count, sum, max;
	uint32_t flags;
	uint32_t first, n; /* v is of the buckets first … first + n - 1 */
	uint64_t *v;
};
struct ask_groups {
	struct keytab keys;
	VEC(struct ask_group) v;
};
/* 0 or -ENOMEM. */
int ask_groups_add(struct ask_groups *g, uint64_t key, const struct ask_row *r);
/* Adds a sum to another one. */
int ask_groups_merge(struct ask_groups *g, uint64_t key, const struct ask_group *from);
void ask_groups_reset(struct ask_groups *g);
void ask_groups_free(struct ask_groups *g);
/* Ascending by key; nothing is added after that. */
void ask_groups_sort(struct ask_groups *g);
/* The sum as a histogram. 0 or -ENOMEM. */
int ask_group_hist(const struct ask_group *g, struct histsum *ret);
#endif
