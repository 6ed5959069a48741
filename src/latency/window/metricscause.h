/* SPDX-License-Identifier: Apache-2.0 */
/* Counts slow events by their cause and by where they happened (control group, container, pod), for metrics. */
#ifndef DWELL_LATENCY_METRICSCAUSE_H
#define DWELL_LATENCY_METRICSCAUSE_H
#include "latency/cause/causes.h"
#include "store/slow.h"
#include "sym/sym.h"

#define METRICS_CAUSED_MAX 512 /* series; what comes beyond is added up by tracker, with the cause "other" */

/* The names of a cgroup; "" where there is no such. */
struct metrics_place {
	const char *cgroup, *container, *pod, *space;
};
/* False: nobody knows. The texts live until the next call. */
typedef bool metrics_place_fn(void *ctx, uint64_t cgroup, struct metrics_place *ret);

/* Sources of names; causes NULL: there are none, and nothing is counted. */
struct metrics_names {
	struct causes *causes;
	struct sym *sym; /* or NULL */
	metrics_place_fn *place;
	void *ctx;
};

struct metrics_caused;
/* names are copied. -ENOMEM. */
int metrics_caused_new(const struct metrics_names *names, struct metrics_caused **ret);
void metrics_caused_free(struct metrics_caused *c); /* accepts NULL */
/* Waits of threads that have nothing to do are left out. 0 or -ENOMEM. */
int metrics_caused_add(struct metrics_caused *c, const struct slow_event *e);
/* Appends the samples of both families. */
void metrics_caused_write(struct strb *b, const struct metrics_caused *c);
/* name="value": backslash, quote and newline are escaped; what is no UTF-8 or a control character becomes "?". */
void metrics_label(struct strb *b, const char *name, const char *value);
#endif
