/* SPDX-License-Identifier: Apache-2.0 */
/* Finds leaks of a recorded program: replays it, follows its calls of the allocator (blocks.h), and at the end searches
 * its memory for pointers to blocks (leakscan.c). */
#include "retro/leaks.h"
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/walk.h"
#include "replay/trace/group.h"
#include "retro/lost.h"
#include "sym/sym.h"

struct leaks {
	struct blocks b;
	int fd;
	FILE *out;
	bool json, done;
	bool found; /* the roots are known, and where they were lost */
	VEC(struct lost_root) roots;
	uint64_t end; /* stop */
	struct err *e;
};

static int add_member(void *ctx, const struct block *k)
{
	struct lost_root *r = ctx;

	return vec_try_push(&r->members, k->number);
}

static int add_root(struct leaks *l, struct replay *p, struct block **v, size_t n, struct block *k)
{
	struct lost_root r = { .number = k->number, .stop = k->stop };
	int e = leaks_members(&l->b, p, v, n, k, add_member, &r);

	if (e == 0)
		e = vec_try_push(&l->roots, r);
	if (e < 0)
		vec_free(&r.members);
	return e;
}

/* One root of each stack that asked for some, as long as there is room. */
static int choose_roots(struct leaks *l, struct replay *p, struct block **v, size_t n)
{
	const struct block_stack *seen[LOST_ROOTS];
	int e = 0;

	for (size_t i = 0; i < n && e == 0 && l->roots.n < LOST_ROOTS; i++) {
		bool again = !v[i]->root;

		for (size_t k = 0; k < l->roots.n && !again; k++)
			again = seen[k] == v[i]->stack;
		if (again)
			continue;
		seen[l->roots.n] = v[i]->stack;
		e = add_root(l, p, v, n, v[i]);
	}
	return e;
}

static const struct lost *known(const struct lost *l)
{
	return l->by == LOST_UNKNOWN ? NULL : l;
}

static void put_found(struct leaks *l, struct block **v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < l->roots.n; k++)
			if (v[i]->number == l->roots.v[k].number) {
				v[i]->last = known(&l->roots.v[k].last);
				v[i]->kept = known(&l->roots.v[k].kept);
			}
}

static int at_end(struct leaks *l, struct replay *p)
{
	size_t n = 0;
	struct block **v = blocks_list(&l->b, &n);
	int e = v ? leaks_scan(&l->b, p, v, n) : -ENOMEM;

	l->end = l->b.stop;
	if (e == 0 && !l->found)
		e = choose_roots(l, p, v, n);
	put_found(l, v, n);
	if (e == 0 && (l->found || !l->roots.n))
		e = leaks_show(&l->b, p, v, n, l->json, l->out);
	free(v);
	l->done = e == 0;
	return e < 0 ? e : WALK_END;
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
	int e = blocks_group(&l->b, p, when);

	return e == 0 && ends(p, when) ? at_end(l, p) : e;
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

static int replay_once(void *ctx, const struct replay_watch *w)
{
	struct leaks *l = ctx;
	struct replay_result result;
	int fd = fcntl(l->fd, F_DUPFD_CLOEXEC, 0);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	int x;

	if (!f || fseeko(f, 0, SEEK_SET) < 0) {
		x = err_set(l->e, -errno, "it cannot be read again: %s", strerror(errno));
		if (f)
			fclose(f);
		else if (fd >= 0)
			close(fd);
		return x;
	}
	x = replay_watched(f, w, &result, l->e);
	return x < 0 && !l->e->code ? err_set(l->e, x, "%s", strerror(-x)) : x;
}

static int run(struct leaks *l)
{
	const struct replay_watch w = { .ctx = l, .group = on_group, .code = on_code, .hit = on_hit };
	int x = replay_once(l, &w);

	if (x == 0 && !l->done)
		return err_set(l->e, -ENODATA, "the recording has no end of the command's process");
	if (x < 0 || !l->roots.n)
		return x;
	x = lost_find(&l->b, l->roots.v, l->roots.n, l->end, replay_once, l);
	if (x < 0)
		return l->e->code ? x : err_set(l->e, x, "%s", strerror(-x));
	l->found = true;
	blocks_forget(&l->b);
	l->b.stop = 0;
	return replay_once(l, &w);
}

int leaks_run(FILE *f, const char *allocator, bool json, FILE *out, struct err *e)
{
	struct leaks l = { .fd = fileno(f), .out = out, .json = json, .e = e };
	int x = sym_new(&l.b.sym, e);

	if (x == 0 && allocator && blocks_allocator(&l.b, allocator) < 0)
		x = err_set(e, -EINVAL, "--allocator wants alloc=NAME@N,realloc=NAME,free=NAME@N, not '%s'", allocator);
	if (x == 0) {
		l.b.stacks = stacks_new(l.b.sym);
		x = run(&l);
	}
	for (size_t i = 0; i < l.roots.n; i++)
		vec_free(&l.roots.v[i].members);
	vec_free(&l.roots);
	blocks_free(&l.b);
	fclose(f);
	return x;
}
