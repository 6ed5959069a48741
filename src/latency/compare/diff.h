/* SPDX-License-Identifier: Apache-2.0 */
/* Two recordings, two stretches of one, or a stretch and the rest of its recording, compared series by series. */
#ifndef DWELL_LATENCY_DIFF_H
#define DWELL_LATENCY_DIFF_H
#include "base/vec.h"
#include "latency/compare/compare.h"
#include "latency/recset.h"

struct diff_side {
	char *path; /* asked for */
	struct latency_range asked;
	struct recset set;
	struct rec_range range, hole; /* hole: what is left out of the range */
	struct latency_list list;
	struct histsum *seconds; /* of the series that is compared now */
	size_t n, allocated;	 /* n: whole seconds */
};

struct diff_pair {
	const struct latency_series *a, *b; /* NULL: not there */
	struct cmp_result res;
};

/* Counts of all pairs. */
struct diff_tally {
	size_t changed, judged, quiet; /* quiet: judged, and nothing changed */
	size_t only[2];		       /* there on one side only, and not for sure by more than chance */
	const struct diff_pair *least,
		*most; /* of the quiet ones, where the smallest and the largest changes would be seen */
};

struct diff {
	/* asked for */
	struct diff_side side[2];
	bool rest;     /* A is what B's recording has beside B */
	unsigned keys; /* that are compared of each source */
	struct cmp_opts opts;
	unsigned unit_s;     /* what n of a side counts, s; 0: seconds */
	bool latencies_only; /* rates of the sides cannot be compared */
	/* found */
	VEC(struct diff_pair) pairs; /* those that changed first, the most first */
	struct diff_tally tally;
	uint64_t left_out; /* keys */
};

/* Opens the recordings and compares them. Calls note for each recording that is left out. 0, or < 0 with *err. */
int diff_run(struct diff *d, recset_note_fn *note, struct err *err);
/* The last part of it, for pairs that are compared (cmp_run()): says what changed, sorts and counts them. 0 or
 * -ENOMEM. */
int diff_decide(struct diff *d);
void diff_done(struct diff *d);
/* Have its latencies or its rate changed? */
bool diff_changed(const struct diff_pair *p);
#endif
