/* SPDX-License-Identifier: Apache-2.0 */
/* Proves that following the types of a foreign BTF blob ends. Two graphs must have no loop and a bounded depth.
 * "Declarators": pointers, modifiers, typedefs, arrays and prototypes down to a struct, enum or integer (in C such a
 * chain is finite). "Containment": structs by value, through modifiers and arrays. The kernel checks the same for its
 * own BTF (kernel/bpf/btf.c, MAX_RESOLVE_DEPTH). */
#include "types/btf_int.h"
#include <errno.h>
#include <stdlib.h>
#include "base/cleanup.h"

enum { ST_NEW, ST_OPEN, ST_DONE };

struct node {
	uint8_t state;
	uint8_t depth; /* of what is below, when done */
};

struct frame {
	uint32_t id, next; /* next: the edge to follow */
};

struct walk {
	const struct btf_blob *b;
	struct node *nodes; /* by id - first_id; ids of the base were checked with it */
	bool containment;
	struct frame stack[BTF_BLOB_MAX_NEST + 1];
	unsigned sp;
};

static bool is_leaf(enum tkind k, bool containment)
{
	if (k == TK_STRUCT || k == TK_UNION)
		return !containment;
	return containment && (k == TK_PTR || k == TK_FUNC_PROTO || k == TK_FUNC || k == TK_VAR);
}

/* Edge number i of a type: 0 its target, then its members. 0 when there is none, or -EBADMSG. */
static int edge(const struct walk *w, uint32_t id, uint32_t i, uint32_t *ret, bool *end)
{
	struct tmember m;
	struct tinfo t;
	int r = btf_blob_info(w->b, id, &t);

	*ret = 0;
	*end = false;
	if (r < 0)
		return r;
	if (is_leaf(t.kind, w->containment) || i > t.nmembers) {
		*end = true;
	} else if (i == 0) {
		*ret = t.target.id;
	} else {
		r = btf_blob_member(w->b, id, i - 1, &m);
		if (r < 0)
			return r;
		*ret = m.type.id;
	}
	return 0;
}

/* Closes the top frame and hands its depth to the one below. */
static void pop(struct walk *w)
{
	struct node *n = &w->nodes[w->stack[--w->sp].id - w->b->first_id];

	n->state = ST_DONE;
	if (w->sp) {
		struct node *up = &w->nodes[w->stack[w->sp - 1].id - w->b->first_id];

		if (up->depth < n->depth + 1)
			up->depth = n->depth + 1;
	}
}

static int visit(struct walk *w, uint32_t id)
{
	struct node *n;

	if (id < w->b->first_id) /* void, or a type of the base */
		return 0;
	n = &w->nodes[id - w->b->first_id];
	if (n->state == ST_OPEN || w->sp + n->depth >= BTF_BLOB_MAX_NEST)
		return -EBADMSG;
	if (n->state == ST_DONE) {
		struct node *up = w->sp ? &w->nodes[w->stack[w->sp - 1].id - w->b->first_id] : n;

		if (w->sp && up->depth < n->depth + 1)
			up->depth = n->depth + 1;
		return 0;
	}
	n->state = ST_OPEN;
	w->stack[w->sp++] = (struct frame){ .id = id };
	return 0;
}

static int walk_from(struct walk *w, uint32_t root)
{
	int r = visit(w, root);

	while (r >= 0 && w->sp) {
		struct frame *f = &w->stack[w->sp - 1];
		uint32_t to;
		bool end;

		r = edge(w, f->id, f->next++, &to, &end);
		if (r < 0)
			break;
		if (end)
			pop(w);
		else
			r = visit(w, to);
	}
	return r;
}

int btf_blob_check(const struct btf_blob *b)
{
	for (int pass = 0; pass < 2; pass++) {
		_cleanup_free_ struct node *nodes = calloc(b->end_id - b->first_id + 1, sizeof(*nodes));
		struct walk w = { .b = b, .nodes = nodes, .containment = pass == 1 };

		if (!nodes)
			return -ENOMEM;
		for (uint32_t id = b->first_id; id < b->end_id; id++) {
			int r = walk_from(&w, id);

			if (r < 0)
				return r;
		}
	}
	return 0;
}
