/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of stacks: flat arrays by number, open hash tables over them (frames, children of nodes that have many,
 * whole stacks). Stacks are only added, so tables need no deletion. Cache misses cost most, so a new branch of the tree
 * touches no table: most nodes have a child or two, which are in a list. */
#include "view/stack/stacktree.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "view/form/texthash.h"

const struct frame_kind_info frame_kinds[FRAME_NKINDS] = {
#define FRAME_KIND(id, name, suffix, h, s, l, text) [FRAME_##id] = { name, suffix, text, h, s, l },
#include "view/form/framekind.def"
#undef FRAME_KIND
};

static const char cut_name[] = "[cut: deeper than 2048 frames]";

struct frame {
	size_t name, module; /* in texts, each ended by NUL */
	uint32_t name_len, module_len;
	uint32_t hash;
	uint32_t kind;
	size_t file; /* in texts as well; SIZE_MAX: unknown */
	uint32_t def_line, line;
};

#define LISTED 6u /* children of a node in its list, where each looked at may be a cache miss; more are in a table */

struct node {
	uint32_t parent, frame;
	uint32_t first, next; /* of the list of children, and in that of the parent; 0: none */
};

struct whole { /* a stack that has been met, by a hash of 128 bits: equal ones are taken for the same */
	uint64_t h[2];
	uint32_t node; /* 0: a free place */
};

/* Numbers in an open table, 0: free; at most half of it is used. */
struct table {
	uint32_t *v;
	size_t mask, used;
};

struct stacktree {
	VEC(char) texts;
	VEC(struct frame) frames;
	VEC(struct node) nodes;
	VEC(uint64_t) self;	       /* nweights per node */
	struct table by_text, by_edge; /* numbers are one more than the index; edges: children beyond LISTED */
	struct whole *wholes;	       /* an open table as well, in place: one look is one cache miss */
	size_t wholes_mask, nwholes;
	struct node_step {
		uint32_t frame, node;
	} last[STACKTREE_MAX_DEPTH]; /* the stack that came last, root first: */
	size_t nlast;		     /* what comes next often begins as it did */
	size_t last_file;	     /* in texts: the file that was told last; SIZE_MAX: none */
	unsigned nweights;
	uint64_t ncut;
	int error;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	return texthash_mix(a ^ 0x9e3779b97f4a7c15u, b ^ 0xd6e8feb86659fd93u);
}

/* Room for one more; rehash(i) gives the hash of number i. False: no memory. */
static bool table_grow(struct table *t, const struct stacktree *s,
		       uint64_t (*rehash)(const struct stacktree *, uint32_t))
{
	size_t n = t->v ? (t->mask + 1) * 2 : 1024;
	uint32_t *v;

	if (t->v && t->used < (t->mask + 1) / 2)
		return true;
	v = calloc(n, sizeof(*v));
	if (!v)
		return false;
	for (size_t i = 0; t->v && i <= t->mask; i++) {
		size_t at;

		if (!t->v[i])
			continue;
		at = rehash(s, t->v[i] - 1) & (n - 1);
		while (v[at])
			at = (at + 1) & (n - 1);
		v[at] = t->v[i];
	}
	free(t->v);
	t->v = v;
	t->mask = n - 1;
	return true;
}

static uint64_t frame_hash(const struct stacktree *t, uint32_t i)
{
	return t->frames.v[i].hash;
}

static uint64_t edge_hash(const struct stacktree *t, uint32_t i)
{
	return mix(t->nodes.v[i].parent, t->nodes.v[i].frame);
}

static uint32_t fail(struct stacktree *t, int error)
{
	if (!t->error)
		t->error = error;
	return 0;
}

int stacktree_new(unsigned nweights, struct stacktree **ret)
{
	struct stacktree *t = calloc(1, sizeof(*t));
	struct node root = { 0 };

	if (!t || nweights < 1 || nweights > STACKTREE_MAX_WEIGHTS) {
		free(t);
		return t ? -EINVAL : -ENOMEM;
	}
	t->nweights = nweights;
	t->last_file = SIZE_MAX;
	if (vec_try_push(&t->nodes, root) < 0 ||
	    vec_reserve_raw((void **)&t->self.v, &t->self.cap, nweights, sizeof(uint64_t)) < 0) {
		stacktree_free(t);
		return -ENOMEM;
	}
	memset(t->self.v, 0, nweights * sizeof(uint64_t));
	*ret = t;
	return 0;
}

void stacktree_free(struct stacktree *t)
{
	if (!t)
		return;
	vec_free(&t->texts);
	vec_free(&t->frames);
	vec_free(&t->nodes);
	vec_free(&t->self);
	free(t->wholes);
	free(t->by_text.v);
	free(t->by_edge.v);
	free(t);
}

static size_t add_text(struct stacktree *t, const char *s, size_t n)
{
	size_t at = t->texts.n;

	if (vec_reserve_raw((void **)&t->texts.v, &t->texts.cap, at + n + 1, 1) < 0)
		return SIZE_MAX;
	if (n)
		memcpy(t->texts.v + at, s, n);
	t->texts.v[at + n] = '\0';
	t->texts.n += n + 1;
	return at;
}

static bool frame_is(const struct stacktree *t, const struct frame *f, const struct frame *want, const char *name,
		     const char *module, const char *file)
{
	return f->hash == want->hash && f->kind == want->kind && f->name_len == want->name_len &&
	       f->module_len == want->module_len && f->line == want->line &&
	       !memcmp(t->texts.v + f->name, name, f->name_len) &&
	       !memcmp(t->texts.v + f->module, module, f->module_len) &&
	       (!f->line || f->file == SIZE_MAX || !strcmp(t->texts.v + f->file, file));
}

/* The source of a frame that is new, or has none yet. */
static void set_source(struct stacktree *t, struct frame *f, const struct stack_source *s)
{
	size_t n = strlen(s->file), at;

	if (!n || n > STACKTREE_MAX_NAME || f->file != SIZE_MAX)
		return;
	/* Functions of one file often come one after the other. */
	if (t->last_file != SIZE_MAX && !strcmp(t->texts.v + t->last_file, s->file))
		at = t->last_file;
	else
		at = add_text(t, s->file, n);
	if (at == SIZE_MAX) {
		fail(t, -ENOMEM);
		return;
	}
	f->file = t->last_file = at;
	f->def_line = s->def_line;
}

static uint32_t get_frame(struct stacktree *t, enum frame_kind kind, const char *name, size_t name_len,
			  const char *module, size_t module_len, const struct stack_source *source)
{
	struct frame f = { .kind = kind, .file = SIZE_MAX, .line = source->file[0] ? source->line : 0 };
	uint64_t h[2];
	size_t at;

	if (t->error)
		return 0;
	t->ncut += (name_len > STACKTREE_MAX_NAME) + (module_len > STACKTREE_MAX_NAME);
	f.name_len = (uint32_t)(name_len > STACKTREE_MAX_NAME ? STACKTREE_MAX_NAME : name_len);
	f.module_len = (uint32_t)(module_len > STACKTREE_MAX_NAME ? STACKTREE_MAX_NAME : module_len);
	texthash(module, f.module_len, kind, h);
	texthash(name, f.name_len, h[0] + f.line, h);
	f.hash = (uint32_t)h[0];
	if (!table_grow(&t->by_text, t, frame_hash))
		return fail(t, -ENOMEM);
	for (at = f.hash & t->by_text.mask; t->by_text.v[at]; at = (at + 1) & t->by_text.mask)
		if (frame_is(t, &t->frames.v[t->by_text.v[at] - 1], &f, name, module, source->file)) {
			set_source(t, &t->frames.v[t->by_text.v[at] - 1], source);
			return t->by_text.v[at] - 1;
		}
	if (t->frames.n >= STACKTREE_MAX_FRAMES)
		return fail(t, -E2BIG);
	f.name = add_text(t, name, f.name_len);
	f.module = add_text(t, module, f.module_len);
	set_source(t, &f, source);
	if (f.name == SIZE_MAX || f.module == SIZE_MAX || vec_try_push(&t->frames, f) < 0)
		return fail(t, -ENOMEM);
	t->by_text.v[at] = (uint32_t)t->frames.n;
	t->by_text.used++;
	return (uint32_t)t->frames.n - 1;
}

uint32_t stacktree_frame(struct stacktree *t, enum frame_kind kind, const char *name, size_t name_len,
			 const char *module, size_t module_len)
{
	return get_frame(t, kind, name, name_len, module, module_len, &(struct stack_source){ .file = "" });
}

uint32_t stacktree_frame_of(struct stacktree *t, const struct stack_frame *f)
{
	return get_frame(t, f->kind, f->name, strlen(f->name), f->module, strlen(f->module), &f->source);
}

static uint32_t add_node(struct stacktree *t, uint32_t parent, uint32_t frame)
{
	struct node n = { .parent = parent, .frame = frame };

	if (t->nodes.n >= STACKTREE_MAX_NODES)
		return fail(t, -E2BIG);
	if (vec_reserve_raw((void **)&t->self.v, &t->self.cap, (t->nodes.n + 1) * t->nweights, sizeof(uint64_t)) < 0 ||
	    vec_try_push(&t->nodes, n) < 0)
		return fail(t, -ENOMEM);
	memset(t->self.v + (t->nodes.n - 1) * t->nweights, 0, t->nweights * sizeof(uint64_t));
	return (uint32_t)t->nodes.n - 1;
}

/* A child of a node whose list is full. */
static uint32_t table_child(struct stacktree *t, uint32_t parent, uint32_t frame)
{
	uint32_t node;
	size_t at;

	if (!table_grow(&t->by_edge, t, edge_hash))
		return fail(t, -ENOMEM);
	for (at = mix(parent, frame) & t->by_edge.mask; t->by_edge.v[at]; at = (at + 1) & t->by_edge.mask) {
		const struct node *have = &t->nodes.v[t->by_edge.v[at] - 1];

		if (have->parent == parent && have->frame == frame)
			return t->by_edge.v[at] - 1;
	}
	node = add_node(t, parent, frame);
	if (node) {
		t->by_edge.v[at] = node + 1;
		t->by_edge.used++;
	}
	return node;
}

static uint32_t child(struct stacktree *t, uint32_t parent, uint32_t frame)
{
	unsigned n = 0;
	uint32_t node;

	if (t->error || parent >= t->nodes.n || frame >= t->frames.n)
		return 0;
	for (node = t->nodes.v[parent].first; node; node = t->nodes.v[node].next, n++)
		if (t->nodes.v[node].frame == frame)
			return node;
	if (n == LISTED)
		return table_child(t, parent, frame);
	node = add_node(t, parent, frame);
	if (node) {
		t->nodes.v[node].next = t->nodes.v[parent].first;
		t->nodes.v[parent].first = node;
	}
	return node;
}

static uint32_t walk(struct stacktree *t, const uint32_t *frames, size_t n)
{
	size_t keep = n > STACKTREE_MAX_DEPTH ? STACKTREE_MAX_DEPTH - 1 : n, i = 0;
	uint32_t node = STACKTREE_ROOT;

	for (; i < keep && i < t->nlast && t->last[i].frame == frames[i]; i++)
		node = t->last[i].node;
	for (; i < keep; i++) {
		node = child(t, node, frames[i]);
		t->last[i] = (struct node_step){ frames[i], node };
	}
	t->nlast = t->error ? 0 : keep;
	if (keep < n) {
		uint32_t cut = stacktree_frame(t, FRAME_CUT, cut_name, sizeof(cut_name) - 1, "", 0);

		t->ncut++;
		node = child(t, node, cut);
	}
	return node;
}

static struct whole *find_whole(struct whole *v, size_t mask, const uint64_t h[2])
{
	size_t at = h[0] & mask;

	while (v[at].node && (v[at].h[0] != h[0] || v[at].h[1] != h[1]))
		at = (at + 1) & mask;
	return &v[at];
}

static bool wholes_grow(struct stacktree *t)
{
	size_t n = t->wholes ? (t->wholes_mask + 1) * 2 : 1024;
	struct whole *v;

	if (t->wholes && t->nwholes < (t->wholes_mask + 1) / 2)
		return true;
	v = calloc(n, sizeof(*v));
	if (!v)
		return false;
	for (size_t i = 0; t->wholes && i <= t->wholes_mask; i++)
		if (t->wholes[i].node)
			*find_whole(v, n - 1, t->wholes[i].h) = t->wholes[i];
	free(t->wholes);
	t->wholes = v;
	t->wholes_mask = n - 1;
	return true;
}

/* Most stacks have been met before: one look into a small table instead of one per frame. */
uint32_t stacktree_stack(struct stacktree *t, const uint32_t *frames, size_t n)
{
	struct whole w = { { 0x243f6a8885a308d3u, 0x13198a2e03707344u }, 0 }, *have;

	for (size_t i = 0; i < n; i++) {
		w.h[0] = mix(w.h[0], frames[i]);
		w.h[1] = mix(w.h[1] + 0x452821e638d01377u, ((uint64_t)i << 32) | frames[i]);
	}
	if (t->error || n == 0)
		return 0;
	if (!wholes_grow(t))
		return fail(t, -ENOMEM);
	have = find_whole(t->wholes, t->wholes_mask, w.h);
	if (have->node)
		return have->node;
	w.node = walk(t, frames, n);
	if (t->error)
		return 0;
	*have = w;
	t->nwholes++;
	return w.node;
}

void stacktree_add(struct stacktree *t, uint32_t node, unsigned weight, uint64_t value)
{
	uint64_t *p;

	if (t->error || node >= t->nodes.n || weight >= t->nweights)
		return;
	p = &t->self.v[(size_t)node * t->nweights + weight];
	if (__builtin_add_overflow(*p, value, p))
		*p = UINT64_MAX;
}

int stacktree_error(const struct stacktree *t)
{
	return t->error;
}
unsigned stacktree_nweights(const struct stacktree *t)
{
	return t->nweights;
}
size_t stacktree_nframes(const struct stacktree *t)
{
	return t->frames.n;
}
size_t stacktree_nnodes(const struct stacktree *t)
{
	return t->nodes.n;
}
uint32_t stacktree_parent(const struct stacktree *t, uint32_t node)
{
	return t->nodes.v[node].parent;
}
uint32_t stacktree_node_frame(const struct stacktree *t, uint32_t node)
{
	return t->nodes.v[node].frame;
}
uint64_t stacktree_ncut(const struct stacktree *t)
{
	return t->ncut;
}

struct stack_frame stacktree_get_frame(const struct stacktree *t, uint32_t frame)
{
	const struct frame *f = &t->frames.v[frame];

	return (struct stack_frame){ (enum frame_kind)f->kind,
				     t->texts.v + f->name,
				     t->texts.v + f->module,
				     { f->file == SIZE_MAX ? "" : t->texts.v + f->file, f->def_line, f->line } };
}

uint64_t stacktree_self(const struct stacktree *t, uint32_t node, unsigned weight)
{
	return t->self.v[(size_t)node * t->nweights + weight];
}

size_t stacktree_path(const struct stacktree *t, uint32_t node, uint32_t *ret)
{
	size_t n = 0;

	for (uint32_t i = node; i != STACKTREE_ROOT && n < STACKTREE_MAX_DEPTH; i = t->nodes.v[i].parent)
		ret[n++] = t->nodes.v[i].frame;
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t x = ret[i];

		ret[i] = ret[n - 1 - i];
		ret[n - 1 - i] = x;
	}
	return n;
}

/* -- in order -- */

static int by_frame(const void *a, const void *b, void *arg)
{
	const struct stacktree *t = arg;
	struct stack_frame x = stacktree_get_frame(t, *(const uint32_t *)a);
	struct stack_frame y = stacktree_get_frame(t, *(const uint32_t *)b);
	int r = strcmp(x.name, y.name);

	if (!r)
		r = strcmp(x.module, y.module);
	if (!r)
		r = (int)x.kind - (int)y.kind;
	if (!r)
		r = strcmp(x.source.file, y.source.file);
	return r ? r : (x.source.line > y.source.line) - (x.source.line < y.source.line);
}

/* Puts the frames in order; ret: the place of each. */
static void rank_frames(const struct stacktree *t, uint32_t *order, uint32_t *ret)
{
	size_t n = t->frames.n;

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, n, sizeof(*order), by_frame, (void *)(uintptr_t)t);
	for (size_t i = 0; i < n; i++)
		ret[order[i]] = (uint32_t)i;
}

struct ranked { /* a child; no two of a parent have the same frame */
	uint32_t rank, node;
};

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

typedef VEC(struct ranked) ranked_vec;

/* Sorts the list of children that begins at *first. */
static int sort_children(const struct stacktree *t, const uint32_t *rank, uint32_t *first, uint32_t *next,
			 ranked_vec *v)
{
	uint32_t *link = first;

	v->n = 0;
	for (uint32_t c = *first; c; c = next[c]) {
		struct ranked r = { rank[t->nodes.v[c].frame], c };

		if (vec_try_push(v, r) < 0)
			return -ENOMEM;
	}
	qsort(v->v, v->n, sizeof(*v->v), by_rank);
	for (size_t i = 0; i < v->n; i++) {
		*link = v->v[i].node;
		link = &next[v->v[i].node];
	}
	*link = 0;
	return 0;
}

/* Children have greater numbers than their parents, and mostly the next ones: from the end on, all is near. */
static int link_children(const struct stacktree *t, const uint32_t *rank, struct stackorder *o)
{
	size_t n = t->nodes.n, nw = t->nweights;
	ranked_vec v = { 0 };
	int e = 0;

	memcpy(o->total, t->self.v, n * nw * sizeof(*o->total));
	for (size_t i = n; i-- > 0 && e == 0;) {
		uint32_t parent = t->nodes.v[i].parent;

		if (o->first[i] && o->next[o->first[i]])
			e = sort_children(t, rank, &o->first[i], o->next, &v);
		if (i == STACKTREE_ROOT)
			break;
		o->next[i] = o->first[parent];
		o->first[parent] = (uint32_t)i;
		for (size_t w = 0; w < nw; w++) {
			uint64_t *p = &o->total[parent * nw + w];

			if (__builtin_add_overflow(*p, o->total[i * nw + w], p))
				*p = UINT64_MAX;
		}
	}
	vec_free(&v);
	return e;
}

int stackorder_make(const struct stacktree *t, struct stackorder *ret)
{
	size_t n = t->nodes.n;
	_cleanup_free_ uint32_t *rank = malloc((t->frames.n + 1) * sizeof(*rank));
	struct stackorder o = { calloc(n, sizeof(*o.first)), calloc(n, sizeof(*o.next)),
				malloc((t->frames.n + 1) * sizeof(*o.by_name)),
				malloc(n * t->nweights * sizeof(*o.total)) };

	if (!rank || !o.first || !o.next || !o.by_name || !o.total) {
		stackorder_done(&o);
		return -ENOMEM;
	}
	rank_frames(t, o.by_name, rank);
	if (link_children(t, rank, &o) < 0) {
		stackorder_done(&o);
		return -ENOMEM;
	}
	*ret = o;
	return 0;
}

void stackorder_done(struct stackorder *o)
{
	free(o->first);
	free(o->next);
	free(o->by_name);
	free(o->total);
	*o = (struct stackorder){ 0 };
}
