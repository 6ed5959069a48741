/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the delays of a tracker by group of threads (container, user …): live from rows of its aggregation
 * @TRACKER_group, which dlib/latency/by_group fills, or from recordings. */
#ifndef DWELL_LATENCY_GROUP_H
#define DWELL_LATENCY_GROUP_H
#include "latency/recset.h"
#include "store/rechist.h"

struct latencygroup {
	const char *tracker; /* the schema's */
	char *name;	     /* of the group */
	struct rec_histdesc desc;
	struct histsum hist; /* its sum and max are made of the middles of buckets: within 1.6 % */
};
struct latencygroups {
	struct latencygroup *v;
	size_t n, cap;
};
#define LATENCYGROUP_ENDING "_group" /* of an aggregation's name, after the tracker's */

/* The tracker whose groups this aggregation has: its id; -1: it is another one. */
int latencygroup_tracker(const struct rec_schema *s, uint32_t agg);
/* A ROW_AGG of such an aggregation is added; others are left alone. 0 or -ENOMEM. */
int latencygroups_add(struct latencygroups *g, const struct rec_schema *s, const struct row *row);
/* Adds all delays of a tracker to *ret, of all groups. 0 or -ENOMEM. */
int latencygroups_sum(const struct latencygroups *g, const char *tracker, struct histsum *ret);
/* By tracker in the order of the schema, and there the group that waited longest first. */
void latencygroups_sort(struct latencygroups *g, const struct rec_schema *s);
/* All of recordings. 0 or -errno with words in err; -EINVAL: none of them has groups of this kind ("container"). */
int latencygroups_read(struct latencygroups *g, const struct recset *set, const char *by, struct err *err);
/* All is forgotten, and the memory given back. */
void latencygroups_clear(struct latencygroups *g);
#endif
