/* SPDX-License-Identifier: Apache-2.0 */
/* Folded stacks, the format that flame graph tools share: "main;read;vfs_read_[k] 12", root first. */
#ifndef DWELL_VIEW_STACK_FOLD_H
#define DWELL_VIEW_STACK_FOLD_H
#include <stdio.h>
#include "base/err.h"
#include "base/strb.h"
#include "view/form/lines.h"
#include "view/stack/stacktree.h"

/* Counts of the input, besides the tree. */
struct stack_input {
	uint64_t stacks;	    /* samples, lines or keys that were taken */
	uint64_t bad;		    /* lines that are not what they should be; they are left out */
	uint64_t first_bad;	    /* number of the first, from 1 */
	uint64_t rounded;	    /* weights with a fraction: rounded */
	uint64_t other;		    /* samples of other events, or outside of the time that was asked for */
	uint64_t lost;		    /* drops while it was recorded */
	uint64_t idle_left;	    /* weight of idle waits, which are left out */
	uint64_t due, idle;	    /* timer periods of all CPUs while it was recorded, and of these idle ones */
	bool two;		    /* each line has two weights: before and after */
	uint64_t first_ns, last_ns; /* times of the first and the last sample, when known */
	char event[64];		    /* what was sampled, when known */
};

/* Reads all lines into weight `weight` of t (lines with two weights: also into the next one, if the tree has
 * one). Comments (#) and empty lines are skipped. 0, -errno, or -EINVAL when no line is a folded stack. */
int fold_read(struct lines *in, struct stacktree *t, unsigned weight, struct stack_input *ret, struct err *err);
/* The result of a reader at its end. read: the result of reading the lines; nothing: text for an input of bad lines
 * only ("is no folded stack"). -ENODATA: the input is empty. */
int stack_input_check(const struct stack_input *in, const struct stacktree *t, int read, const char *nothing,
		      struct err *err);
/* A frame's text in folded form, with the suffix of its kind, as a number of t. */
uint32_t fold_frame(struct stacktree *t, const char *s, size_t n);
/* The other way round. Characters that would end a frame or line (; and control characters) become : and
 * spaces. */
void fold_put_frame(struct strb *b, struct stack_frame f);
/* Writes the stacks in order, with fold_put_frame(). 0 or -errno. */
int fold_write(const struct stacktree *t, const struct stackorder *o, unsigned weight, FILE *out);
#endif
