/* SPDX-License-Identifier: Apache-2.0 */
/* Groups slow events with the same text, for the text view. Shows the first one at once. Later ones within a
 * refresh share one line with their number and their times. */
#ifndef DWELL_LATENCY_SLOWGROUP_H
#define DWELL_LATENCY_SLOWGROUP_H
#include <stdbool.h>
#include <stdint.h>
#include "base/strb.h"

#define SLOWGROUP_NS 1000000000ull /* a refresh */
#define SLOWGROUP_WHOLE 2	   /* this many similar events are shown in full */
#define SLOWGROUP_GROUPS 256	   /* kinds in a refresh; events of others are shown at once */

struct slowgroups;

/* An event: what it has in common with others, and its own text. */
struct slowgroup_event {
	const char *tracker, *comm, *reason; /* reason: " for a CPU, taken by cc1" */
	uint64_t wall, delay;		     /* when it ended, CLOCK_REALTIME; ns */
};

/* How a line begins: "11:02:03.456 wakeup: ". */
void slowgroup_head(struct strb *b, uint64_t wall, const char *tracker);
int slowgroups_new(struct slowgroups **ret); /* -ENOMEM */
void slowgroups_free(struct slowgroups *g);  /* accepts NULL */
/* *ret_kept: it will be told by slowgroups_print(), and text was taken; else it is to be shown now. 0 or -ENOMEM. */
int slowgroups_add(struct slowgroups *g, const struct slowgroup_event *e, struct strb *text, bool *ret_kept);
/* Is the refresh over that began with the first event, now or at the end of a later event? */
bool slowgroups_due(const struct slowgroups *g, uint64_t wall);
/* Tells what was kept, wrap()ped, and begins anew. */
void slowgroups_print(struct slowgroups *g, struct strb *b, void (*wrap)(void *ctx, struct strb *to, char *text),
		      void *ctx);
#endif
