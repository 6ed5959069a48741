/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks from any file that has some: a recording, folded stacks, the output of perf script. */
#ifndef DWELL_VIEW_STACK_STACKSRC_H
#define DWELL_VIEW_STACK_STACKSRC_H
#include "base/err.h"
#include "view/stack/fold.h"

struct causes;

struct stacksrc_opts {
	const char *by;	 /* recording: as recstacks_opts.by; perf script: which event. NULL: the only one, the first */
	bool per_thread; /* stacks of different threads (recording: keys) apart */
	bool addresses;	 /* addresses without a name apart */
	bool no_inlined; /* recording: functions that were inlined are part of the one they are in */
	bool lines;	 /* recording: each line that ran in a function apart */
	bool counts;	 /* of sums, also how many events there were, into the weight after */
	uint64_t from_ns, to_ns;	     /* only what was so long after the beginning; to 0: to the end */
	struct causes *(*causes)(void *arg); /* recording: leave out idle waits by these rules (recstacks.h); or NULL */
	void *causes_arg;
};

/* The options of a view of stacks. src: a struct stacksrc_opts. */
#define STACKSRC_OPTIONS(type, src) \
	{ .name = "by", \
	  .kind = OPT_TEXT, \
	  .at = offsetof(type, src.by), \
	  .asked = true, \
	  .arg = "NAME", \
	  .help = "recording: which aggregation (@name), tracker, or 'events'; perf script: which event" }, \
		{ .name = "per-thread", \
		  .kind = OPT_FLAG, \
		  .at = offsetof(type, src.per_thread), \
		  .help = "threads (all keys of the aggregation) apart" }, \
		{ .name = "addresses", \
		  .kind = OPT_FLAG, \
		  .at = offsetof(type, src.addresses), \
		  .help = "addresses without a name apart" }, \
	{ \
		.name = "no-inlined", .kind = OPT_FLAG, .at = offsetof(type, src.no_inlined), \
		.help = "recording: inlined functions as part of those they are in" \
	}

struct stacksrc {
	struct stack_input in;
	char title[256];	    /* what the stacks are of: "@: count", "cycles:u"; "" */
	bool counts;		    /* the weight after it counts events: sums of a recording */
	uint64_t begun_realtime_ns; /* of a recording; 0: unknown */
	uint64_t since_ns; /* of a recording with limits: how long after its beginning its stacks, or those asked for,
			      begin; 0: they are whole */
	char unit[32];	   /* of the weights: "samples", "ns" …; "": unknown */
};

/* Reads the file path ("-": standard input, text only) into weight `weight` of t. ret is valid on success. -EINVAL:
 * it is nothing of the kind, or the options do not fit it. -ENODATA: there are no stacks. Messages begin with the
 * path. */
int stacksrc_read(const char *path, const struct stacksrc_opts *opts, struct stacktree *t, unsigned weight,
		  struct stacksrc *ret, struct err *err);
/* The unit that the name of an aggregation ends with: _ns, _us, _ms, _bytes, _samples; "": none. */
const char *stacksrc_unit(const char *name);
#endif
