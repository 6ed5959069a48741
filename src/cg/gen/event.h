/* SPDX-License-Identifier: Apache-2.0 */
/* Emits code for clauses of latency probes: members of args[0] and the details of the event. */
#ifndef DWELL_CG_GEN_EVENT_H
#define DWELL_CG_GEN_EVENT_H
#include "cg/gen/gen.h"

/* The event of a clause of a latency probe. */
struct gen_event {
	const struct dtracker *t;
	const struct lay_track *l;
	vreg start, delay;
	vreg id; /* exit id, or VREG_NONE */
	enum rec_slow_how how;
	vreg sampled; /* 0, or SLOW_CONTROL where it is an ordinary event; VREG_NONE: there is no control sample */
	vreg task;    /* the thread as a typed pointer; VREG_NONE: current, or not known (keyed) */
	struct tref task_type;
	struct mem details; /* as kept; valid where anything but the start is kept */
	struct mem key;	    /* TRACK_KEYED */
};
vreg gen_event_int(struct gen *g, const struct node *n, struct tref *btf);
void gen_event_str(struct gen *g, const struct node *n, struct str *ret);
void gen_event_stack(struct gen *g, struct mem dst, const struct recfield *f);
vreg gen_event_cgroup(struct gen *g);
vreg gen_event_arg(struct gen *g, unsigned i); /* arg<i> */
void gen_event_place(struct gen *g, const struct node *n, struct place *ret);

#endif
