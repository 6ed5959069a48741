/* SPDX-License-Identifier: Apache-2.0 */
/* Finds leaks of a recorded program: replays it, follows its calls of the allocator (blocks.h), and at the end searches
 * its memory for pointers to blocks (leakscan.c). */
#include "retro/leaks.h"
#include <asm/unistd.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "replay/trace/group.h"
#include "retro/blocks.h"
#include "sym/sym.h"

struct leaks {
	struct blocks b;
	FILE *out;
	bool json, done;
};

static int by_address(const void *a, const void *b)
{
	const struct block *x = *(struct block *const *)a, *y = *(struct block *const *)b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int at_end(struct leaks *l, struct replay *p)
{
	const size_t n = HASH_COUNT(l->b.all);
	struct block **v = calloc(n + 1, sizeof(*v)), *k, *next;
	size_t i = 0;
	int e;

	if (!v)
		return -ENOMEM;
	HASH_ITER (hh, l->b.all, k, next)
		v[i++] = k;
	qsort(v, n, sizeof(*v), by_address);
	e = leaks_scan(&l->b, p, v, n);
	if (e == 0)
		e = leaks_show(&l->b, p, v, n, l->json, l->out);
	free(v);
	l->done = e == 0;
	return e < 0 ? e : 1;
}

static bool ends(struct replay *p, enum watch_when when)
{
	const struct group *g = watch_group(p);

	if (watch_task(p) != 0 || !watch_pid(p))
		return false;
	if (g->kind == EV_END)
		return when == (g->end.flags & END_FAULT ? WATCH_FAULT : WATCH_GROUP);
	return when == WATCH_CALL && g->call.regs[R_NR] == __NR_exit_group;
}

static int on_group(void *ctx, struct replay *p, enum watch_when when)
{
	struct leaks *l = ctx;

	if (when == WATCH_DONE && watch_group(p)->kind == EV_EXEC && watch_task(p) == 0)
		blocks_forget(&l->b);
	return ends(p, when) ? at_end(l, p) : 0;
}

static int on_code(void *ctx, struct replay *p, const struct watch_code *c)
{
	struct leaks *l = ctx;

	return blocks_code(&l->b, p, c);
}

static int on_hit(void *ctx, struct replay *p, const struct user_regs_struct *regs, uint64_t tag)
{
	struct leaks *l = ctx;

	return blocks_hit(&l->b, p, regs, tag);
}

int leaks_run(FILE *f, bool json, FILE *out, struct err *e)
{
	struct leaks l = { .out = out, .json = json };
	const struct replay_watch w = { .ctx = &l, .group = on_group, .code = on_code, .hit = on_hit };
	struct replay_result result;
	int x = sym_new(&l.b.sym, e);

	if (x < 0) {
		fclose(f);
		return x;
	}
	l.b.stacks = stacks_new(l.b.sym);
	x = replay_watched(f, &w, &result, e);
	if (x < 0 && !e->code)
		err_set(e, x, "%s", strerror(-x));
	if (x == 0 && !l.done)
		x = err_set(e, -ENODATA, "the recording has no end of the command's process");
	blocks_free(&l.b);
	return x;
}
