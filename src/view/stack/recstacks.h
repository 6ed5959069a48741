/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks out of a recording: of an aggregation with a stack in its key, of slow events of a tracker, or of events that
 * took one. */
#ifndef DWELL_VIEW_STACK_RECSTACKS_H
#define DWELL_VIEW_STACK_RECSTACKS_H
#include "store/recording.h"
#include "sym/sym.h"
#include "view/stack/fold.h"

struct causes;

#define RECSTACKS_OR " or "

struct recstacks_opts {
	const char *by;	   /* "@name", "name" or "@" of an aggregation, a tracker, "events"; several with RECSTACKS_OR
			      between them: the first that there is; NULL: the only aggregation, else events */
	bool per_thread;   /* all other parts of the key are below the stack, not only texts */
	bool addresses;	   /* addresses without a name stay apart */
	bool no_inlined;   /* functions that were inlined are part of the one they are in */
	bool lines;	   /* each line that ran in a function is a frame of its own */
	bool counts;	   /* of sums, also how many events there were, into the weight after */
	uint64_t begin_ns; /* when the recording began (CLOCK_MONOTONIC) */
	uint64_t wall_off; /* CLOCK_REALTIME - CLOCK_MONOTONIC, ns */
	uint64_t from_ns, to_ns; /* only what was so long after that; to 0: to the end */
	/* Waits are left out that are idle by these rules: of an aggregation with why(stack()) in its key, or slow
	 * events of a tracker. NULL: none. Asked once, if there may be such waits; may return NULL. The rules outlive
	 * the reader. */
	struct causes *(*causes)(void *arg);
	void *causes_arg;
};

struct recstacks;
/* Finds what the stacks are to be made of. -ENOENT: there are no stacks; -EINVAL: several to choose from, or no
 * such; err says which there are. The schema and sym must outlive it. */
int recstacks_new(const struct rec_schema *schema, struct sym *sym, const struct recstacks_opts *opts,
		  struct recstacks **ret, struct err *err);
void recstacks_free(struct recstacks *r);
/* "@offcpu: sum", "events" or a tracker: what is shown. Lives with r. */
const char *recstacks_title(const struct recstacks *r);
/* Whether weights are sums: then the weight after (if t has one and opts->counts) counts the events. */
bool recstacks_is_sum(const struct recstacks *r);
bool recstacks_is_time(const struct recstacks *r);		/* Weights are ns that slow events took. */
const struct aggdesc *recstacks_agg(const struct recstacks *r); /* that they are from; NULL: from an event */
/* Adds a row to weight `weight` of t: what aggregations gained, however the program cleared or cut them, and one per
 * event. Errors of t are sticky there; -ENOMEM. */
int recstacks_row(struct recstacks *r, const struct row *row, struct stacktree *t, unsigned weight);
/* The node of the stack that a row of the chosen aggregation has; the texts of its key are at the root. Errors of t are
 * sticky there. */
uint32_t recstacks_node(struct recstacks *r, const struct row *row, struct stacktree *t);
/* Whether stacks can be made of an aggregation. */
bool recstacks_of(const struct aggdesc *d);
/* The counts of the input up to now. */
const struct stack_input *recstacks_input(const struct recstacks *r);
#endif
