/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the calls of malloc(3) and its family in a replay, by breakpoints where they begin and where they return. */
#include "retro/blocks.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "replay/trace/group.h"
#include "sym/proc/maps.h"
#include "sym/sym.h"

#define PAGE 4096ull
#define LARGE (1ull << 40) /* no block is larger */

enum form { F_SIZE, F_PRODUCT, F_AGAIN, F_AGAIN_PRODUCT, F_ALIGNED, F_POSIX, F_FREE };
static const struct {
	const char *name;
	enum form form;
} functions[] = {
	{ "malloc", F_SIZE },
	{ "calloc", F_PRODUCT },
	{ "realloc", F_AGAIN },
	{ "memalign", F_ALIGNED },
	{ "aligned_alloc", F_ALIGNED },
	{ "reallocarray", F_AGAIN_PRODUCT },
	{ "valloc", F_SIZE },
	{ "pvalloc", F_SIZE },
	{ "posix_memalign", F_POSIX },
	{ "free", F_FREE },
	/* For allocators that have operators of their own. */
	{ "_Znwm", F_SIZE },
	{ "_Znam", F_SIZE },
	{ "_ZnwmRKSt9nothrow_t", F_SIZE },
	{ "_ZdlPv", F_FREE },
	{ "_ZdaPv", F_FREE },
	{ "_ZnamRKSt9nothrow_t", F_SIZE },
	{ "_ZdlPvm", F_FREE },
	{ "_ZdaPvm", F_FREE },
};
#define PLAIN 10u /* of them are C's */

static const char *name_of(const struct blocks *b, unsigned fn)
{
	return fn < ARRAY_SIZE(functions) ? functions[fn].name : b->own[fn - ARRAY_SIZE(functions)].name;
}

static enum form form_of(const struct blocks *b, unsigned fn)
{
	return fn < ARRAY_SIZE(functions) ? functions[fn].form : (enum form)b->own[fn - ARRAY_SIZE(functions)].form;
}

static int add_own(struct blocks *b, const char *s, size_t n)
{
	static const struct {
		const char *word;
		enum form form;
	} kinds[] = { { "alloc=", F_SIZE }, { "realloc=", F_AGAIN }, { "free=", F_FREE } };
	struct own_function *f = &b->own[b->own_n];
	const char *at = memchr(s, '@', n);

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const size_t k = strlen(kinds[i].word), end = at ? (size_t)(at - s) : n;

		if (n <= k || strncmp(s, kinds[i].word, k) != 0)
			continue;
		if (b->own_n == BLOCK_OWN || end <= k || end - k >= sizeof(f->name) ||
		    (at && (at + 2 != s + n || at[1] < '1' || at[1] > '6' || kinds[i].form == F_AGAIN)))
			return -EINVAL;
		memcpy(f->name, s + k, end - k);
		f->form = kinds[i].form;
		f->arg = at ? (unsigned)(at[1] - '1') : 0;
		b->own_n++;
		return 0;
	}
	return -EINVAL;
}

int blocks_allocator(struct blocks *b, const char *names)
{
	int e = 0;

	while (e == 0 && *names) {
		const size_t n = strcspn(names, ",");

		e = add_own(b, names, n);
		names += n + (names[n] == ',');
	}
	return b->own_n ? e : -EINVAL;
}

/* The file that has this code, as a path that can be opened. False: it is gone. */
static bool path_of(struct replay *p, uint64_t start, char *path, size_t size)
{
	char name[32], line[4352];
	bool found = false;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)watch_pid(p));
	f = fopen(name, "re");
	while (f && !found && fgets(line, sizeof(line), f)) {
		struct maps_line m;

		line[strcspn(line, "\n")] = 0;
		if (!maps_parse_line(line, &m) || start < m.start || start >= m.end)
			continue;
		found = m.path[0] == '/' && strlen(m.path) < size;
		if (found)
			strcpy(path, m.path);
	}
	if (f)
		fclose(f);
	return found;
}

int blocks_code(struct blocks *b, struct replay *p, const struct watch_code *c)
{
	char path[4096];
	int e = 0;

	stacks_changed(b->stacks, (uint32_t)watch_pid(p));
	if (!watch_ours(p) || !path_of(p, c->start, path, sizeof(path)))
		return 0;
	for (unsigned i = 0; i < ARRAY_SIZE(functions) + b->own_n && e == 0; i++) {
		uint64_t off;

		if (i == PLAIN && sym_elf_find(b->sym, path, "malloc", &off) < 0)
			i = ARRAY_SIZE(functions);
		if (i == ARRAY_SIZE(functions) + b->own_n)
			break;
		if (sym_elf_find(b->sym, path, name_of(b, i), &off) == 0 && off >= c->off &&
		    off - c->off < c->end - c->start)
			e = watch_break(p, c->start + (off - c->off), i + 1);
	}
	return e;
}

static void drop(struct blocks *b, uint64_t addr)
{
	struct block *k;

	HASH_FIND(hh, b->all, &addr, sizeof(addr), k);
	if (!k)
		return;
	b->freed++;
	HASH_DEL(b->all, k);
	free(k);
}

static int note_pages(struct blocks *b, uint64_t addr, uint64_t size)
{
	int e = 0;

	for (uint64_t at = addr / PAGE; at <= (addr + size) / PAGE && e == 0; at++)
		if (!b->pages.n || b->pages.v[b->pages.n - 1] != at)
			e = vec_try_push(&b->pages, at);
	return e;
}

/* NULL: no memory. */
static struct block_stack *stack_of(struct blocks *b, const struct asking *a)
{
	const size_t size = a->nframes * sizeof(*a->frames);
	struct block_stack *s;

	HASH_FIND(hh, b->asked, a->frames, size, s);
	if (s)
		return s;
	s = calloc(1, sizeof(*s) + size);
	if (!s)
		return NULL;
	s->nframes = a->nframes;
	memcpy(s->frames, a->frames, size);
	HASH_ADD_KEYPTR(hh, b->asked, s->frames, size, s);
	if (s->hh.tbl)
		return s;
	free(s);
	return NULL;
}

static int give(struct blocks *b, const struct asking *a, uint64_t addr)
{
	struct block *k;

	drop(b, addr);
	k = calloc(1, sizeof(*k));
	if (!k || !(k->stack = stack_of(b, a))) {
		free(k);
		return -ENOMEM;
	}
	k->addr = addr;
	k->size = a->size;
	k->number = ++b->given;
	k->stop = b->stop + 1;
	HASH_ADD(hh, b->all, addr, sizeof(k->addr), k);
	if (k->hh.tbl)
		return note_pages(b, addr, a->size);
	free(k);
	return -ENOMEM;
}

int blocks_stop(struct blocks *b, struct replay *p, const struct user_regs_struct *regs, uint64_t freed)
{
	b->stop++;
	return b->stopped ? b->stopped(b->ctx, p, regs, freed) : 0;
}

static int take_result(struct blocks *b, struct replay *p, const struct asking *a, uint64_t rax)
{
	const enum form form = form_of(b, a->fn);
	uint64_t addr = rax;

	if (form == F_POSIX && (rax || watch_read(p, a->old, &addr, sizeof(addr)) != sizeof(addr)))
		return 0;
	if ((form == F_AGAIN || form == F_AGAIN_PRODUCT) && (addr || !a->size))
		drop(b, a->old);
	return addr && a->size < LARGE ? give(b, a, addr) : 0;
}

static uint64_t product(uint64_t a, uint64_t b)
{
	uint64_t x;

	return __builtin_mul_overflow(a, b, &x) ? UINT64_MAX : x;
}

/* The argument that is the size or the block. */
static uint64_t argument(const struct blocks *b, unsigned fn, const struct user_regs_struct *r)
{
	const uint64_t v[6] = { r->rdi, r->rsi, r->rdx, r->rcx, r->r8, r->r9 };

	return fn < ARRAY_SIZE(functions) ? r->rdi : v[b->own[fn - ARRAY_SIZE(functions)].arg];
}

static void take_arguments(const struct blocks *b, struct asking *a, const struct user_regs_struct *r)
{
	switch (form_of(b, a->fn)) {
	case F_SIZE: a->size = argument(b, a->fn, r); break;
	case F_PRODUCT: a->size = product(r->rdi, r->rsi); break;
	case F_ALIGNED: a->size = r->rsi; break;
	case F_POSIX: a->size = r->rdx; break;
	case F_AGAIN: a->size = r->rsi; break;
	case F_AGAIN_PRODUCT: a->size = product(r->rsi, r->rdx); break;
	case F_FREE: break;
	}
	a->old = r->rdi;
}

static int asked(struct blocks *b, struct replay *p, const struct user_regs_struct *regs, unsigned fn)
{
	struct asking a = { .task = watch_task(p), .fn = fn, .sp = regs->rsp + sizeof(uint64_t) };
	const enum form form = form_of(b, fn);
	int e;

	if (form == F_FREE || form == F_AGAIN || form == F_AGAIN_PRODUCT)
		b->begins = argument(b, fn, regs);
	e = blocks_stop(b, p, regs, b->begins);
	b->begins = 0;
	if (e)
		return e;
	if (form == F_FREE) {
		drop(b, argument(b, fn, regs));
		return 0;
	}
	take_arguments(b, &a, regs);
	if (watch_read(p, regs->rsp, &a.ret, sizeof(a.ret)) != sizeof(a.ret))
		return 0;
	a.nframes = stacks_walk(b->stacks, p, watch_pid(p), regs, a.frames, NULL, BLOCK_FRAMES);
	e = watch_break(p, a.ret, 0);
	return e == -EFAULT ? 0 : e < 0 ? e : vec_try_push(&b->asking, a);
}

/* Calls of this task whose frames are gone are dropped. True: one has not returned yet, so that this is within it. */
static bool within(struct blocks *b, uint32_t task, uint64_t sp)
{
	bool inner = false;

	for (size_t i = b->asking.n; i--;) {
		if (b->asking.v[i].task != task)
			continue;
		if (b->asking.v[i].sp <= sp)
			b->asking.v[i] = b->asking.v[--b->asking.n];
		else
			inner = true;
	}
	return inner;
}

int blocks_hit(struct blocks *b, struct replay *p, const struct user_regs_struct *regs, uint64_t tag)
{
	int e = 0;

	if (!watch_ours(p))
		return 0;
	for (size_t i = b->asking.n; i-- && e == 0;) {
		const struct asking a = b->asking.v[i];

		if (a.task != watch_task(p) || a.ret != regs->rip || a.sp != regs->rsp)
			continue;
		b->asking.v[i] = b->asking.v[--b->asking.n];
		e = take_result(b, p, &a, regs->rax);
		b->returns = true;
		e = e < 0 ? e : blocks_stop(b, p, regs, 0);
		b->returns = false;
		break;
	}
	if (e || !tag || tag > ARRAY_SIZE(functions) + b->own_n || within(b, watch_task(p), regs->rsp))
		return e;
	return asked(b, p, regs, (unsigned)tag - 1);
}

int blocks_group(struct blocks *b, struct replay *p, enum watch_when when)
{
	struct user_regs_struct regs;

	if (when == WATCH_DONE && watch_group(p)->kind == EV_EXEC && watch_task(p) == 0)
		blocks_forget(b);
	return watch_ours(p) && watch_pid(p) && watch_registers(p, &regs) == 0 ? blocks_stop(b, p, &regs, 0) : 0;
}

static int by_address(const void *a, const void *b)
{
	const struct block *x = *(struct block *const *)a, *y = *(struct block *const *)b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

struct block **blocks_list(struct blocks *b, size_t *ret_n)
{
	const size_t n = HASH_COUNT(b->all);
	struct block **v = calloc(n + 1, sizeof(*v)), *k, *next;
	size_t i = 0;

	if (!v)
		return NULL;
	HASH_ITER (hh, b->all, k, next)
		v[i++] = k;
	qsort(v, n, sizeof(*v), by_address);
	*ret_n = n;
	return v;
}

struct block *blocks_at(struct block **v, size_t n, uint64_t addr)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t mid = (low + high) / 2;

		if (v[mid]->addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low && (addr - v[low - 1]->addr < v[low - 1]->size || addr == v[low - 1]->addr) ? v[low - 1] : NULL;
}

void blocks_forget(struct blocks *b)
{
	struct block *k, *next;
	struct block_stack *s, *other;

	HASH_ITER (hh, b->all, k, next) {
		HASH_DEL(b->all, k);
		free(k);
	}
	HASH_ITER (hh, b->asked, s, other) {
		HASH_DEL(b->asked, s);
		free(s);
	}
	b->asking.n = b->pages.n = 0;
	b->given = b->freed = 0;
}

void blocks_free(struct blocks *b)
{
	blocks_forget(b);
	vec_free(&b->asking);
	vec_free(&b->pages);
	vec_free(&b->stale);
	stacks_free(b->stacks);
	if (b->sym)
		sym_free(b->sym);
}
