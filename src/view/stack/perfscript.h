/* SPDX-License-Identifier: Apache-2.0 */
/* The text that `perf script` prints: a line per sample, then its frames, the leaf first. */
#ifndef DWELL_VIEW_STACK_PERFSCRIPT_H
#define DWELL_VIEW_STACK_PERFSCRIPT_H
#include "view/stack/fold.h"

struct perfscript_opts {
	const char *event;	 /* only samples of this event; NULL: of the one that comes first */
	bool per_thread;	 /* "comm 12/13" in front of each stack instead of "comm" */
	bool addresses;		 /* addresses without a name stay apart */
	uint64_t from_ns, to_ns; /* only samples so long after the first one; to 0: to the end */
};

/* Whether a line begins a sample; so that the kind of a text can be told by its first lines. */
bool perfscript_is_sample(const char *line, size_t n);
/* Adds one to weight `weight` of each sample's stack. As fold_read(). */
int perfscript_read(struct lines *in, const struct perfscript_opts *opts, struct stacktree *t, unsigned weight,
		    struct stack_input *ret, struct err *err);
#endif
