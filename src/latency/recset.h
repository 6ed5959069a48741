/* SPDX-License-Identifier: Apache-2.0 */
/* Reads several recordings as one: files, the folder of a daemon, or the recording of a running dwell. Converts
 * all times to one clock: that of the recording from the earliest boot. */
#ifndef DWELL_LATENCY_RECSET_H
#define DWELL_LATENCY_RECSET_H
#include "latency/recrange.h"

#define RECSET_MAX 4096 /* recordings */

struct recset {
	struct {
		struct recread *r;
		uint64_t shift;	       /* of its times to the set's, ns; wraps */
		struct rec_range hist; /* of its histograms, in the set's times; empty: it has none */
	} * v;
	size_t n, cap;
	uint64_t wall_off; /* CLOCK_REALTIME - the set's time */
};

typedef void recset_note_fn(const char *reason);

/* Opens what the words name: a recording, a folder, or the number of a process that records, which means its folder
 * when it is a daemon. Files of a folder that cannot be read are left out, and
 * left_out() gets the reason. 0, or -errno with the words in err. */
int recset_open(struct recset *s, char *const *words, size_t n, recset_note_fn *left_out, struct err *err);
void recset_close(struct recset *s); /* also a half-opened one */
/* When the first of them was begun; 0: not known. */
uint64_t recset_begun(const struct recset *s);
/* The stretch that was asked for: 0, or -errno with the words in err. */
int recset_range(const struct recset *s, const struct latency_range *asked, bool whole, struct rec_range *ret,
		 struct err *err);
/* How much of a stretch no recording covers, ns. */
uint64_t recset_gaps(const struct recset *s, struct rec_range range);
/* A stretch in the times of recording i. */
struct rec_range recset_local(const struct recset *s, size_t i, struct rec_range range);

/* The sources and keys with values in the range: of each source the `most` keys with the most. 0 or -errno. */
int latency_list(const struct recset *s, struct rec_range range, size_t most, struct latency_list *ret,
		 struct err *err);
void latency_list_free(struct latency_list *l);
/* All of a range added up; slots of a length one after another, times of the set. As recread_hist(), recread_columns().
 */
int recset_hist(const struct recset *s, const struct latency_series *series, struct rec_range range,
		struct histsum *ret, struct err *err);
int recset_columns(const struct recset *s, const struct latency_series *series, uint64_t period, struct rec_range range,
		   rec_column_fn *fn, void *ctx, struct err *err);
#endif
