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
	struct block *root;		   /* is_cycle() looks for it */
	uint64_t *piece;
};

/* The block that a word points to: its start, or within. glibc's own pointers to what follows a block are none. */
static struct block *pointed(const struct scan *s, uint64_t word)
{
	size_t low = 0, high = s->n;
	struct block *k;
	uint64_t chunk;

	while (low < high) {
		const size_t mid = (low + high) / 2;

		if (s->v[mid]->addr <= word)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	k = s->v[low - 1];
	chunk = (k->size + 8 + 15) & ~15ull;
	if (word == k->addr)
		return k;
	return word - k->addr < k->size && word != k->addr + (chunk < 32 ? 32 : chunk) - 16 ? k : NULL;
}

static int hold(struct scan *s, uint64_t word)
{
	struct block *k = pointed(s, word);

	if (!k || k->kind == BLOCK_HELD)
		return 0;
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
				e = hold(s, s->piece[i]);
		}
		if (!n)
			break;
		start += 8 * n;
	}
	return e;
}

/* The part of an area that counts: of a stack, what is above its pointer. */
static uint64_t used_from(const struct scan *s, uint64_t start, uint64_t end)
{
	for (size_t i = 0; i < s->regs.n; i++)
		if (s->regs.v[i].rsp >= start && s->regs.v[i].rsp < end)
			return s->regs.v[i].rsp & ~7ull;
	return start;
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
			e = scan_area(s, used_from(s, m.start, m.end), m.end);
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
			e = vec_try_push(&s->regs, r);
	return e;
}

static int scan_registers(struct scan *s)
{
	int e = 0;

	for (size_t i = 0; i < s->regs.n && e == 0; i++) {
		uint64_t words[sizeof(*s->regs.v) / 8];

		memcpy(words, &s->regs.v[i], sizeof(words));
		for (size_t k = 0; k < ARRAY_SIZE(words) && e == 0; k++)
			e = hold(s, words[k]);
	}
	return e;
}

/* fn() of each word of the block; it stops at the first error. */
static int each_word(struct scan *s, const struct block *k, int (*fn)(struct scan *s, uint64_t word))
{
	uint64_t buf[512];
	int e = 0;

	for (uint64_t at = 0; at + 8 <= k->size && e == 0;) {
		size_t n = k->size - at < sizeof(buf) ? (size_t)(k->size - at) : sizeof(buf);

		n = watch_read(s->p, k->addr + at, buf, n) / 8;
		for (size_t i = 0; i < n && e == 0; i++)
			e = fn(s, buf[i]);
		if (!n)
			break;
		at += 8 * n;
	}
	return e;
}

static int scan_blocks(struct scan *s)
{
	int e = 0;

	while (s->todo.n && e == 0)
		e = each_word(s, s->todo.v[--s->todo.n], hold);
	return e;
}

/* A leaked one that has not been seen: after all that it leads to. */
static int push_leaked(struct scan *s, uint64_t word)
{
	struct block *k = pointed(s, word);

	if (!k || k->kind != BLOCK_UNSEEN)
		return 0;
	k->kind = BLOCK_LEAKED;
	return vec_try_push(&s->todo, k);
}

/* Depth first; a block is put into the order when all that it leads to has been. todo has each twice: NULL before it
 * means that it is left. */
static int visit(struct scan *s, struct block *from)
{
	int e = push_leaked(s, from->addr);

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

static int is_cycle(struct scan *s, uint64_t word)
{
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

int leaks_scan(struct blocks *b, struct replay *p, struct block **v, size_t n)
{
	struct scan s = { .b = b, .p = p, .v = v, .n = n, .piece = malloc(PIECE) };
	int e = s.piece ? 0 : -ENOMEM;

	if (b->pages.n)
		qsort(b->pages.v, b->pages.n, sizeof(*b->pages.v), by_number);
	if (e == 0)
		e = read_registers(&s);
	if (e == 0)
		e = scan_areas(&s);
	if (e == 0)
		e = scan_registers(&s);
	if (e == 0)
		e = scan_blocks(&s);
	if (e == 0)
		e = find_roots(&s);
	free(s.piece);
	vec_free(&s.todo);
	vec_free(&s.order);
	vec_free(&s.regs);
	return e;
}
