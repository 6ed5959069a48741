/* SPDX-License-Identifier: Apache-2.0 */
/* Several recordings as one: files, the folder of a daemon, or what a running dwell records. Their times are put on one
 * clock, that of the first (earliest booted) of them: with one file its own. */
#ifndef DWELL_CMD_LATENCY_SET_H
#define DWELL_CMD_LATENCY_SET_H
#include "cmd/latency_rec.h"

#define LATENCY_SET_MAX 4096 /* recordings */

struct latency_set {
	struct {
		struct recread *r;
		uint64_t shift;	       /* of its times to the set's, ns; wraps */
		struct rec_range hist; /* of its histograms, in the set's times; empty: it has none */
	} * v;
	size_t n, cap;
	uint64_t wall_off; /* CLOCK_REALTIME - the set's time */
};

/* Opens what the words name: a recording, a folder, or the number of a process that records, which means its folder
 * when it is a daemon. Files of a folder that cannot be read are left out, with a message. 0 or an exit status, said.
 */
int latency_set_open(struct latency_set *s, char *const *words, size_t n);
void latency_set_close(struct latency_set *s); /* also a half-opened one */
/* When the first of them was begun; 0: not known. */
uint64_t latency_set_begun(const struct latency_set *s);
/* The stretch that was asked for: 0 or an exit status, said. */
int latency_set_range(const struct latency_set *s, const struct latency_range *asked, bool whole,
		      struct rec_range *ret);
/* How much of a stretch no recording covers, ns. */
uint64_t latency_set_gaps(const struct latency_set *s, struct rec_range range);
/* A stretch in the times of recording i. */
struct rec_range latency_set_local(const struct latency_set *s, size_t i, struct rec_range range);

/* Those that have values in the range: of each source the `most` keys with the most. 0 or -errno. */
int latency_list(const struct latency_set *s, struct rec_range range, size_t most, struct latency_list *ret,
		 struct err *err);
void latency_list_free(struct latency_list *l);
/* All of a range added up; slots of a length one after another, times of the set. As recread_hist(), recread_columns().
 */
int latency_set_hist(const struct latency_set *s, const struct latency_series *series, struct rec_range range,
		     struct histsum *ret, struct err *err);
int latency_set_columns(const struct latency_set *s, const struct latency_series *series, uint64_t period,
			struct rec_range range, rec_column_fn *fn, void *ctx, struct err *err);
#endif
