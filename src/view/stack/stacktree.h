/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks folded into a tree: frames are kept once, stacks with a common beginning share it, and each
 * place where a stack ended carries its weights. Flame graphs and exports are made from it. */
#ifndef DWELL_VIEW_STACK_STACKTREE_H
#define DWELL_VIEW_STACK_STACKTREE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STACKTREE_MAX_DEPTH 2048u      /* frames of a stack; the ones nearer to the leaf give way */
#define STACKTREE_MAX_NODES (1u << 25) /* different beginnings of stacks: with two weights and their order 1.9 GB */
#define STACKTREE_MAX_FRAMES (1u << 23)
#define STACKTREE_MAX_NAME 4096u /* bytes of a name; the rest is left out */
#define STACKTREE_MAX_WEIGHTS 4u

enum frame_kind {
#define FRAME_KIND(id, name, suffix, h, s, l, text) FRAME_##id,
#include "view/form/framekind.def"
#undef FRAME_KIND
	FRAME_NKINDS
};

struct frame_kind_info {
	const char *name, *suffix, *text;
	int hue, saturation, lightness;
};
extern const struct frame_kind_info frame_kinds[FRAME_NKINDS];

/* Where a function is in its source. */
struct stack_source {
	const char *file;  /* "": unknown */
	uint32_t def_line; /* where it begins; 0: unknown */
	uint32_t line;	   /* what ran in it, where lines are kept apart, else 0 */
};

/* Two frames are the same when kind, module and name are, and, if they have a line, file and line. Frames without a
 * line have the source of the first one that told it. */
struct stack_frame {
	enum frame_kind kind;
	const char *name;   /* "vfs_read" */
	const char *module; /* "vmlinux", "libc.so.6"; "": unknown */
	struct stack_source source;
};

struct stacktree;
enum { STACKTREE_ROOT = 0 }; /* the node above all stacks; it has no frame */

/* A tree whose stacks carry nweights numbers each. */
int stacktree_new(unsigned nweights, struct stacktree **ret);
void stacktree_free(struct stacktree *t);
/* Sticky: what the first failed call below met. -ENOMEM, or -E2BIG: a limit above. 0: all is well. */
int stacktree_error(const struct stacktree *t);

/* The number of a frame, from 0. The texts need not end in NUL. After a failure: 0. */
uint32_t stacktree_frame(struct stacktree *t, enum frame_kind kind, const char *name, size_t name_len,
			 const char *module, size_t module_len);
/* The same with all that f has; its texts are of no other use. */
uint32_t stacktree_frame_of(struct stacktree *t, const struct stack_frame *f);
/* The node of a stack: n frames from the root on. The frames need not outlive the call. */
uint32_t stacktree_stack(struct stacktree *t, const uint32_t *frames, size_t n);
void stacktree_add(struct stacktree *t, uint32_t node, unsigned weight, uint64_t value); /* saturates */

unsigned stacktree_nweights(const struct stacktree *t);
size_t stacktree_nframes(const struct stacktree *t);
size_t stacktree_nnodes(const struct stacktree *t); /* with the root; parents have smaller numbers */
struct stack_frame stacktree_get_frame(const struct stacktree *t, uint32_t frame); /* until the next new one */
uint32_t stacktree_parent(const struct stacktree *t, uint32_t node);
uint32_t stacktree_node_frame(const struct stacktree *t, uint32_t node);
/* The sum of the stacks that end exactly here. */
uint64_t stacktree_self(const struct stacktree *t, uint32_t node, unsigned weight);
/* The frames of a node's stack from the root on; at most STACKTREE_MAX_DEPTH. Returns how many. */
size_t stacktree_path(const struct stacktree *t, uint32_t node, uint32_t *ret);
/* How often frames were left out at STACKTREE_MAX_DEPTH, and names cut at STACKTREE_MAX_NAME. */
uint64_t stacktree_ncut(const struct stacktree *t);

/* The tree in order: children by name, then module, then kind, so that the same stacks always give the
 * same picture. Arrays of nnodes, but for by_name; freed by stackorder_done(). */
struct stackorder {
	uint32_t *first, *next; /* child and sibling; 0: none */
	uint32_t *by_name;	/* the frames in the order of their names */
	uint64_t *total;	/* nweights numbers per node: its own and those of all below it */
};
int stackorder_make(const struct stacktree *t, struct stackorder *ret);
void stackorder_done(struct stackorder *o);
#endif
