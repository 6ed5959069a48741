/* SPDX-License-Identifier: Apache-2.0 */
/* Finds leaked blocks: those that nothing points to. All writable memory of the program and its registers are looked
 * through for addresses of blocks, then the blocks found; what is not found is leaked. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "replay/trace/stub.h"
#include "retro/blocks.h"
#include "sym/proc/maps.h"

#define PAGE 4096ull
#define PIECE (1u << 20)

struct scan {
	struct blocks *b;
	struct replay *p;
	struct block **v;
	size_t n;
	VEC(struct block *) todo;
	VEC(struct block *) order;	   /* leaked ones, as they were left */
	VEC(struct user_regs_struct) regs; /* of all threads */
	VEC(uint32_t) tasks;		   /* those */
	struct block *root;		   /* is_cycle() looks for it */
	held_words *words;		   /* NULL: nobody wants them */
	enum held_where where;		   /* of what is looked through now */
	bool calls;			   /* of registers, only those that a call keeps, its argument, its result */
	bool stacks;			   /* areas with a stack, else those without one */
	uint64_t *piece;
};

/* The block that a word points to: its start, or within. glibc's own pointers to what follows a block are none. */
static struct block *pointed(const struct scan *s, uint64_t word)
{
	struct block *k = blocks_at(s->v, s->n, word);
	uint64_t chunk;

	if (!k || word == k->addr)
		return k;
	chunk = (k->size + 8 + 15) & ~15ull;
	return word != k->addr + (chunk < 32 ? 32 : chunk) - 16 ? k : NULL;
}

static int note_word(struct scan *s, uint64_t at)
{
	const struct block *in = s->where == HELD_BLOCK ? blocks_at(s->v, s->n, at) : NULL;

	return in && in->target
		       ? 0
		       : vec_try_push(s->words,
				      ((struct held_word){ .at = at, .until = at, .where = s->where, .holds = true }));
}

static bool is_stale(const struct scan *s, uint64_t at, const struct block *k)
{
	for (size_t i = 0; i < s->b->stale.n; i++) {
		const struct stale_word *w = &s->b->stale.v[i];

		if (w->at == at && w->number == k->number && s->b->stop > w->since)
			return true;
	}
	return false;
}

/* The word at an address, or in a register: 0. */
static int hold(struct scan *s, uint64_t at, uint64_t word)
{
	struct block *k = pointed(s, word);
	int e = 0;

	if (k && s->where == HELD_STACK && s->b->stale.n && is_stale(s, at, k))
		return 0;
	if (k && k->target && s->words && at)
		e = note_word(s, at);
	if (!k || k->kind == BLOCK_HELD || e < 0)
		return e;
	k->kind = BLOCK_HELD;
	return vec_try_push(&s->todo, k);
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Pages that the allocator gives blocks of hold what was freed, too: only blocks of them count. */
static bool is_heap(const struct scan *s, uint64_t page)
{
	return s->b->pages.n && bsearch(&page, s->b->pages.v, s->b->pages.n, sizeof(page), by_number);
}

static int scan_area(struct scan *s, uint64_t start, uint64_t end)
{
	int e = 0;

	while (start < end && e == 0) {
		size_t n = end - start < PIECE ? (size_t)(end - start) : PIECE;

		n = watch_read(s->p, start, s->piece, n) / 8;
		for (size_t i = 0; i < n && e == 0; i++) {
			if (i % (PAGE / 8) == 0 && is_heap(s, (start + 8 * i) / PAGE))
				i += PAGE / 8 - 1;
			else if (s->piece[i])
				e = hold(s, start + 8 * i, s->piece[i]);
		}
		if (!n)
			break;
		start += 8 * n;
	}
	return e;
}

/* The part of an area that counts: of a stack, what is above its pointer; 0: it is none. */
static uint64_t stack_from(const struct scan *s, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < s->regs.n; i++)
		if (s->regs.v[i].rsp >= start && s->regs.v[i].rsp < end)
			return s->regs.v[i].rsp & ~7ull;
	return 0;
}

static int scan_one(struct scan *s, uint64_t start, uint64_t end)
{
	const uint64_t from = stack_from(s, start, end);

	s->where = from ? HELD_STACK : HELD_STATIC;
	return (from != 0) == s->stacks ? scan_area(s, from ? from : start, end) : 0;
}

static int scan_areas(struct scan *s)
{
	char name[32], line[4352];
	int e = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)watch_pid(s->p));
	f = fopen(name, "re");
	if (!f)
		return -errno;
	while (e == 0 && fgets(line, sizeof(line), f)) {
		struct maps_line m;

		line[strcspn(line, "\n")] = 0;
		if (maps_parse_line(line, &m) && (m.prot & 2) && m.start >= STUB_END)
			e = scan_one(s, m.start, m.end);
	}
	fclose(f);
	return e;
}

static int read_registers(struct scan *s)
{
	static uint8_t vectors[16384];
	struct user_regs_struct r;
	struct watch_thread t;
	int e = 0;
	size_t n;

	for (size_t i = 0; watch_thread(s->p, i, &t) && e == 0; i++)
		if (watch_task_registers(s->p, t.task, &r, vectors, &n) == 0)
			e = vec_try_push(&s->regs, r) < 0 ? -ENOMEM : vec_try_push(&s->tasks, t.task);
	return e;
}

static int scan_registers(struct scan *s)
{
	int e = 0;

	for (size_t i = 0; i < s->regs.n && e == 0; i++) {
		const struct user_regs_struct *r = &s->regs.v[i];
		uint64_t words[sizeof(*r) / 8] = { r->rbx, r->rbp, r->r12, r->r13, r->r14, r->r15 };

		if (!s->calls)
			memcpy(words, r, sizeof(words));
		else if (s->tasks.v[i] == watch_task(s->p))
			words[6] = s->b->returns ? r->rax : s->b->begins;
		for (size_t k = 0; k < ARRAY_SIZE(words) && e == 0; k++)
			e = hold(s, 0, words[k]);
	}
	return e;
}

/* fn() of each word of the block; it stops at the first error. */
static int each_word(struct scan *s, const struct block *k, int (*fn)(struct scan *s, uint64_t at, uint64_t word))
{
	uint64_t buf[512];
	int e = 0;

	for (uint64_t at = 0; at + 8 <= k->size && e == 0;) {
		size_t n = k->size - at < sizeof(buf) ? (size_t)(k->size - at) : sizeof(buf);

		n = watch_read(s->p, k->addr + at, buf, n) / 8;
		for (size_t i = 0; i < n && e == 0; i++)
			e = fn(s, k->addr + at + 8 * i, buf[i]);
		if (!n)
			break;
		at += 8 * n;
	}
	return e;
}

static int scan_blocks(struct scan *s)
{
	int e = 0;

	s->where = HELD_BLOCK;
	while (s->todo.n && e == 0)
		e = each_word(s, s->todo.v[--s->todo.n], hold);
	return e;
}

/* A leaked one that has not been seen: after all that it leads to. */
static int push_leaked(struct scan *s, uint64_t at, uint64_t word)
{
	struct block *k = pointed(s, word);

	(void)at;
	if (!k || k->kind != BLOCK_UNSEEN)
		return 0;
	k->kind = BLOCK_LEAKED;
	return vec_try_push(&s->todo, k);
}

/* Depth first; a block is put into the order when all that it leads to has been. todo has each twice: NULL before it
 * means that it is left. */
static int visit(struct scan *s, struct block *from)
{
	int e = push_leaked(s, 0, from->addr);

	while (s->todo.n && e == 0) {
		struct block *k = s->todo.v[s->todo.n - 1];

		if (!k) {
			s->todo.n -= 2;
			e = vec_try_push(&s->order, s->todo.v[s->todo.n]);
			continue;
		}
		e = vec_try_push(&s->todo, NULL);
		e = e < 0 ? e : each_word(s, k, push_leaked);
	}
	return e;
}

static int is_cycle(struct scan *s, uint64_t at, uint64_t word)
{
	(void)at;
	if (pointed(s, word) == s->root)
		s->root->cycle = true;
	return 0;
}

/* Marks the root, and the blocks that it leads to, as HELD for now, so that these are not taken for roots. */
static int mark_from(struct scan *s, struct block *root)
{
	int e = 0;

	root->root = true;
	root->kind = BLOCK_HELD;
	s->root = root;
	e = vec_try_push(&s->todo, root);
	while (s->todo.n && e == 0) {
		struct block *k = s->todo.v[--s->todo.n];

		e = each_word(s, k, is_cycle);
		e = e < 0 ? e : each_word(s, k, hold);
	}
	return e;
}

/* By Kosaraju: what was left last leads to the rest, and nothing else leads to it but what it leads to itself. */
static int find_roots(struct scan *s)
{
	int e = 0;

	for (size_t i = 0; i < s->n && e == 0; i++)
		if (s->v[i]->kind == BLOCK_UNSEEN)
			e = visit(s, s->v[i]);
	for (size_t i = s->order.n; i-- && e == 0;)
		if (s->order.v[i]->kind == BLOCK_LEAKED)
			e = mark_from(s, s->order.v[i]);
	for (size_t i = 0; i < s->order.n; i++)
		s->order.v[i]->kind = BLOCK_LEAKED;
	return e;
}

/* Each page once. */
static void sort_pages(struct blocks *b)
{
	size_t n = 0;

	if (b->pages.n)
		qsort(b->pages.v, b->pages.n, sizeof(*b->pages.v), by_number);
	for (size_t i = 0; i < b->pages.n; i++)
		if (!n || b->pages.v[n - 1] != b->pages.v[i])
			b->pages.v[n++] = b->pages.v[i];
	b->pages.n = n;
}

static void scan_done(struct scan *s)
{
	free(s->piece);
	vec_free(&s->todo);
	vec_free(&s->order);
	vec_free(&s->regs);
	vec_free(&s->tasks);
}

int leaks_held(struct blocks *b, struct replay *p, struct block **v, size_t n,
	       void (*fn)(void *ctx, struct block **v, size_t n, bool stacks), void *ctx, held_words *words)
{
	struct scan s = {
		.b = b, .p = p, .v = v, .n = n, .words = words, .calls = fn || words, .piece = malloc(PIECE)
	};
	int e = s.piece ? 0 : -ENOMEM;

	for (size_t i = 0; i < n; i++)
		v[i]->kind = BLOCK_UNSEEN;
	sort_pages(b);
	if (e == 0)
		e = read_registers(&s);
	for (int stacks = 0; stacks < 2 && e == 0; stacks++) {
		s.stacks = stacks;
		e = scan_areas(&s);
		if (e == 0 && stacks)
			e = scan_registers(&s);
		if (e == 0)
			e = scan_blocks(&s);
		if (e == 0 && fn)
			fn(ctx, v, n, stacks);
	}
	scan_done(&s);
	return e;
}

int leaks_scan(struct blocks *b, struct replay *p, struct block **v, size_t n)
{
	struct scan s = { .b = b, .p = p, .v = v, .n = n };
	int e = leaks_held(b, p, v, n, NULL, NULL, NULL);

	if (e == 0)
		e = find_roots(&s);
	scan_done(&s);
	return e;
}

static int is_target(struct scan *s, uint64_t at, uint64_t word)
{
	const struct block *k = pointed(s, word);

	(void)at;
	if (k && k->target)
		s->root->target = true;
	return 0;
}

/* Adds whatever leads to the root, again and again until there is no more. */
int leaks_members(struct blocks *b, struct replay *p, struct block **v, size_t n, struct block *root,
		  int (*fn)(void *ctx, const struct block *k), void *ctx)
{
	struct scan s = { .b = b, .p = p, .v = v, .n = n };
	bool more = root->cycle;
	int e = fn(ctx, root);

	root->target = true;
	/* From both ends in turn: rings mostly lie in order. */
	for (bool down = true; more && e == 0; down = !down) {
		more = false;
		for (size_t i = 0; i < n && e == 0; i++) {
			struct block *k = v[down ? n - 1 - i : i];

			if (k->kind != BLOCK_LEAKED || k->target)
				continue;
			s.root = k;
			e = each_word(&s, k, is_target);
			if (e == 0 && k->target) {
				more = true;
				e = fn(ctx, k);
			}
		}
	}
	for (size_t i = 0; i < n; i++)
		v[i]->target = false;
	return e;
}
