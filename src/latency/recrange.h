/* SPDX-License-Identifier: Apache-2.0 */
/* Parses a range of time as a user writes it, and finds the sources of histograms in a recording. */
#ifndef DWELL_LATENCY_RECRANGE_H
#define DWELL_LATENCY_RECRANGE_H
#include <stdbool.h>
#include "base/err.h"
#include "base/vec.h"
#include "store/file/recquery.h"

/* A stretch of a recording as options say it: "30s" after it was begun, as of other commands, "-1m" from its end; NULL:
 * all. */
struct latency_range {
	const char *from, *to;
};
/* 0, or -errno with the words in err. Seconds that the run has only a part of, at its ends, are left out when `whole`.
 */
int latency_range(struct recread *r, const struct latency_range *asked, bool whole, struct rec_range *ret,
		  struct err *err);

/* The same of an extent that was found by other means; NULL: there is none. begun: what times count from, 0: its start.
 */
int latency_range_in(const struct rec_range *all, uint64_t begun, const struct latency_range *asked, bool whole,
		     struct rec_range *ret, struct err *err);

/* A key of a source of histograms, in one of several recordings (recset.h). */
struct latency_part {
	size_t file;
	uint32_t source;
	int64_t key;
};
/* A source of histograms and one of its keys: the same in all recordings. */
struct latency_series {
	VEC(struct latency_part) parts;
	struct rec_histdesc d; /* as the first of them has it */
	char *text;	       /* of the key; "": it has none */
	uint64_t count;	       /* in the range */
	size_t rank;
};
struct latency_list {
	struct latency_series *v;
	size_t n, cap;
	size_t left_out; /* keys beyond the limit */
};
/* The series of a list that is the same as s; NULL: there is none. */
struct latency_series *latency_find(const struct latency_list *l, const struct latency_series *s);
#endif
