/* SPDX-License-Identifier: Apache-2.0 */
/* What the subcommands of `dwell latency` share that read recordings. */
#ifndef DWELL_CMD_LATENCY_REC_H
#define DWELL_CMD_LATENCY_REC_H
#include <stdbool.h>
#include "store/recquery.h"

/* A stretch of a recording as options say it: "30s" from its beginning, "-1m" from its end; NULL: all. */
struct latency_range {
	const char *from, *to;
};
/* 0 or an exit status, said. Seconds that the run has only a part of, at its ends, are left out when `whole`. */
int latency_range(struct recread *r, const struct latency_range *asked, bool whole, struct rec_range *ret);

/* A source of histograms and one of its keys. */
struct latency_series {
	uint32_t source;
	int64_t key;
	struct rec_histdesc d;
	char *text; /* of the key; "": it has none */
	uint64_t count; /* in the range */
};
struct latency_list {
	struct latency_series *v;
	size_t n, cap;
	size_t left_out; /* keys beyond the limit */
};
/* Those that have values in the range: of each source the `most` keys with the most. 0 or -errno. */
int latency_list(struct recread *r, struct rec_range range, size_t most, struct latency_list *ret, struct err *err);
void latency_list_free(struct latency_list *l);
#endif
