/* SPDX-License-Identifier: Apache-2.0 */
/* Free chunks of glibc's malloc. Source: malloc/malloc.c and malloc/arena.c of glibc 2.36: before each chunk are the
 * size of the one before it, if that one is free, and its own size with three flags; an arena of a thread begins at a
 * multiple of 64 MiB, with two heads. A thread's own free chunks (tcache) are in lists: each pointer is XORed with its
 * own address, and all of these chunks hold the same key. */
#include "core/jsheap/free.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 16u
#define LEAST 32u	/* bytes of a chunk */
#define HEAD 16u	/* of it, before what the program gets */
#define JS_FREE_TAIL 8u /* the program's part goes on so far into the next head */
#define IN_USE 1u	/* flag: the chunk before it is in use */
#define FLAGS 7u
#define ARENA (64u << 20) /* HEAP_MAX_SIZE */
#define MAX_HEADS 0x1000u /* before the first chunk of an arena */
#define MAX_CACHED 1040u  /* bytes of a chunk that a thread keeps */
#define MIXED 12	  /* bits: tcache of glibc 2.32 and later */
#define HANDLES 8176u	  /* bytes of a block of handles, kHandleBlockSize. Source: src/handles/handles.h of V8 */
#define MAX_BLOCKS 65536u
#define FEW 3u /* chunks with one key that may have it by chance */

struct chunk {
	uint64_t at, size; /* of its head */
	uint64_t two[2];   /* what the program had first */
};

struct finding {
	struct core *c;
	js_free_pieces *to, *used;
	struct js_free *all;
	js_free_pieces *heads;		     /* what it went by, or NULL */
	VEC(struct chunk) small;	     /* those that a thread may keep */
	size_t nfree, nsmall, nused, nheads; /* before this arena */
};

static int add(struct finding *f, uint64_t from, uint64_t to)
{
	if (f->to->n >= JSFREE_MAX || from >= to)
		return 0;
	return vec_try_push(f->to, ((struct js_free_piece){ from, to }));
}

/* A chunk in use, together with those before it. */
static int add_used(struct finding *f, uint64_t from, uint64_t to)
{
	if (f->used->n > f->nused && f->used->v[f->used->n - 1].end + HEAD >= from) {
		f->used->v[f->used->n - 1].end = to;
		return 0;
	}
	return f->used->n >= JSFREE_MAX ? 0 : vec_try_push(f->used, ((struct js_free_piece){ from, to }));
}

static int add_head(struct finding *f, uint64_t from, uint64_t to)
{
	return f->heads ? vec_try_push(f->heads, ((struct js_free_piece){ from, to })) : 0;
}

/* One chunk and the head of the next one. -EBADMSG: it is none. */
static int take(struct finding *f, uint64_t end, uint64_t at, uint64_t *ret_next)
{
	struct chunk k = { .at = at };
	uint64_t head[4], next[2] = { 0, IN_USE };

	if (end - at < LEAST || core_read(f->c, at, head, sizeof(head)) < 0)
		return -EBADMSG;
	k.size = head[1] & ~(uint64_t)FLAGS;
	if (k.size % ALIGN || k.size < ALIGN || k.size > end - at)
		return -EBADMSG;
	if (add_head(f, at + (head[1] & IN_USE ? HEAD / 2 : 0), at + HEAD) < 0)
		return -ENOMEM;
	*ret_next = at + k.size;
	if (k.size == end - at) /* the rest, that no program has had or that is back */
		return add(f, at + HEAD, end);
	if (end - *ret_next >= LEAST && core_read(f->c, *ret_next, next, sizeof(next)) < 0)
		return -EBADMSG;
	if (!(next[1] & IN_USE)) /* it says the same of the size */
		return next[0] == k.size ? add(f, at + HEAD, *ret_next) : -EBADMSG;
	if (k.size == HANDLES + HEAD && f->all->blocks.n < MAX_BLOCKS && vec_try_push(&f->all->blocks, at + HEAD) < 0)
		return -ENOMEM;
	if (k.size <= MAX_CACHED && add_used(f, at + HEAD, *ret_next + JS_FREE_TAIL) < 0)
		return -ENOMEM;
	if (k.size <= MAX_CACHED && k.size >= LEAST && f->small.n < JSFREE_MAX) {
		k.two[0] = head[2];
		k.two[1] = head[3];
		return vec_try_push(&f->small, k);
	}
	return 0;
}

/* All chunks from a place on. -EBADMSG: they do not fit. */
static int walk(struct finding *f, const struct core_seg *s, uint64_t at)
{
	const uint64_t end = s->start + s->bytes;
	int r = 0;

	f->nfree = f->to->n;
	f->nsmall = f->small.n;
	f->nused = f->used->n;
	f->nheads = f->heads ? f->heads->n : 0;
	while (r == 0 && at < end) {
		r = take(f, end, at, &at);
		if (r == -EBADMSG && end - at <= 2 * LEAST && at > s->start) {
			/* the posts at the end of an arena that has a second part */
			r = add_head(f, at, end) < 0 ? -ENOMEM : 0;
			break;
		}
	}
	if (r < 0) {
		f->to->n = f->nfree;
		f->small.n = f->nsmall;
		f->used->n = f->nused;
		if (f->heads)
			f->heads->n = f->nheads;
	}
	return r;
}

static int find_in(struct finding *f, const struct core_seg *s)
{
	const bool arena = s->start % ARENA == 0;
	uint64_t at = s->start + (arena ? LEAST : 0);
	int r;

	do {
		r = walk(f, s, at);
		at += ALIGN;
	} while (r == -EBADMSG && arena && at < s->start + MAX_HEADS && at < s->start + s->bytes);
	return r == -EBADMSG ? 0 : r;
}

/* -- chunks that threads keep -- */

/* Whether a chunk's first word is such a list's pointer: to nothing, or to where a program's memory can begin. */
static bool is_link(const struct finding *f, const struct chunk *k)
{
	const uint64_t next = k->two[0] ^ ((k->at + HEAD) >> MIXED);
	const struct core_seg *s = core_seg_at(f->c, next);

	return !next || (next % ALIGN == 0 && s && s->flags & PF_W && !core_map_at(f->c, next));
}

static int by_key(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The key that most of them have. */
static uint64_t find_key(struct finding *f)
{
	uint64_t *keys = malloc((f->small.n + 1) * sizeof(*keys)), best = 0;
	size_t n = 0, most = FEW;

	for (size_t i = 0; keys && i < f->small.n; i++)
		if (is_link(f, &f->small.v[i]) && f->small.v[i].two[1])
			keys[n++] = f->small.v[i].two[1];
	if (n)
		qsort(keys, n, sizeof(*keys), by_key);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i; k < n && keys[k] == keys[i];)
			k++;
		if (k - i > most) {
			most = k - i;
			best = keys[i];
		}
	}
	free(keys);
	return best;
}

static int by_start(const void *a, const void *b)
{
	const struct js_free_piece *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static void sort(js_free_pieces *p)
{
	if (p->n)
		qsort(p->v, p->n, sizeof(*p->v), by_start);
}

void js_free_sort(struct js_free *f)
{
	sort(&f->free);
	sort(&f->small);
	if (f->blocks.n)
		qsort(f->blocks.v, f->blocks.n, sizeof(*f->blocks.v), by_key);
}

/* HandleScopeData: where the next handle goes, and where the block ends. */
int js_free_handles(struct js_free *f, const uint64_t *words, size_t n)
{
	int r = 0;

	for (size_t i = 0; f->blocks.n && i + 1 < n && r == 0; i++) {
		const uint64_t next = words[i], limit = words[i + 1], block = limit - HANDLES;

		if (next > limit || next < block || next % sizeof(next) ||
		    !bsearch(&block, f->blocks.v, f->blocks.n, sizeof(*f->blocks.v), by_key))
			continue;
		if (f->free.n < JSFREE_MAX)
			r = vec_try_push(&f->free, ((struct js_free_piece){ next, limit }));
	}
	return r;
}

void js_free_done(struct js_free *f)
{
	vec_free(&f->blocks);
	vec_free(&f->free);
	vec_free(&f->small);
}

static int find(struct core *c, struct js_free *ret, js_free_pieces *heads)
{
	struct finding f = { .c = c, .to = &ret->free, .used = &ret->small, .all = ret, .heads = heads };
	uint64_t key;
	int r = 0;

	for (size_t i = 0; i < c->segs.n && r == 0; i++) {
		const struct core_seg *s = &c->segs.v[i];

		if (s->flags & PF_W && s->bytes >= LEAST && !core_map_at(c, s->start))
			r = find_in(&f, s);
	}
	key = r == 0 ? find_key(&f) : 0;
	for (size_t i = 0; key && i < f.small.n && r == 0; i++) {
		const struct chunk *k = &f.small.v[i];

		if (k->two[1] != key || !is_link(&f, k))
			continue;
		r = add(&f, k->at + HEAD, k->at + k->size);
		if (r == 0)
			r = add_head(&f, k->at + HEAD, k->at + LEAST);
	}
	js_free_sort(ret);
	vec_free(&f.small);
	return r;
}

int js_free_find(struct core *c, struct js_free *ret)
{
	return find(c, ret, NULL);
}

int js_free_heads(struct core *c, js_free_pieces *ret)
{
	struct js_free all = { 0 };
	int r = find(c, &all, ret);

	js_free_done(&all);
	return r;
}

void js_free_blank(const js_free_pieces *f, uint64_t addr, uint64_t *words, size_t n)
{
	const uint64_t end = addr + n * sizeof(*words);
	size_t lo = 0, hi = f->n;

	while (lo < hi) { /* the first one that ends above addr */
		const size_t mid = lo + (hi - lo) / 2;

		if (f->v[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < f->n && f->v[lo].start < end; lo++) {
		const uint64_t from = f->v[lo].start > addr ? f->v[lo].start : addr;
		const uint64_t to = f->v[lo].end < end ? f->v[lo].end : end;

		memset(words + (from - addr) / sizeof(*words), 0, (size_t)(to - from));
	}
}
