/* SPDX-License-Identifier: Apache-2.0 */
/* Searches two neighbouring stops of which the first has a pointer to a leaked block and the second has none. Memory is
 * looked through at some stops, then at some between them, and again. Then lostwatch.c looks at what is between. */
#include "retro/lost.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/walk.h"
#include "replay/trace/group.h"
#include "sym/sym.h"

#define LOOK_NS 300000000u /* time for looks of one replay, about */
#define LOOKS_MIN 32u
#define LOOKS_MAX 4096u
#define ROUNDS_MAX 12u

/* A search for one root: at lo it is held, at hi it is not. */
struct search {
	size_t root;
	bool stacks; /* the first stop where nothing holds it; else the last one where anything but a stack did */
	bool held;   /* it was seen held */
	bool done;   /* `ret` is set */
	bool sure;   /* what it says of a stack has been looked at */
	uint64_t lo, hi, end;
	struct lost ret;
};
struct hunt {
	struct blocks *b;
	struct lost_root *roots;
	size_t n;
	VEC(struct search) searches; /* two of each root */
	VEC(uint64_t) looks;	     /* stops, in order */
	size_t next;
	uint64_t look_ns, last; /* last: no stop after it is wanted */
	struct lost_watch *watch;
	struct search *now;    /* between lo and hi of this one */
	struct search *wanted; /* the next one */
	struct lost_stale stale[LOST_STALE_MAX];
	struct search *stale_of[LOST_STALE_MAX];
	size_t nstale;
	uint64_t others; /* accesses to words beside those of stale */
	uint64_t until;	 /* stop where these are asked */
};

static struct block *find(const struct lost_root *r, size_t i, struct block **v, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (v[k]->number == r->members.v[i])
			return v[k];
	return NULL;
}

static void note(struct search *s, uint64_t stop, bool held)
{
	if (stop <= s->lo || stop > s->end || (s->stacks && stop >= s->hi))
		return;
	if (held) {
		s->lo = stop;
		s->held = true;
		if (!s->stacks)
			s->hi = s->end;
	} else if (stop < s->hi) {
		s->hi = stop;
	}
}

static void on_held(void *ctx, struct block **v, size_t n, bool stacks)
{
	struct hunt *h = ctx;

	for (size_t i = 0; i < h->searches.n; i++) {
		struct search *s = &h->searches.v[i];
		const struct block *k = s->stacks == stacks ? find(&h->roots[s->root], 0, v, n) : NULL;

		if (k)
			note(s, h->b->stop, k->kind == BLOCK_HELD);
	}
}

static int look(struct hunt *h, struct replay *p)
{
	const uint64_t since = clock_ns(CLOCK_MONOTONIC);
	size_t n = 0;
	struct block **v = blocks_list(h->b, &n);
	int e = v ? leaks_held(h->b, p, v, n, on_held, h, NULL) : -ENOMEM;

	free(v);
	h->look_ns = clock_ns(CLOCK_MONOTONIC) - since;
	return e;
}

static int begin(struct hunt *h, struct replay *p, const struct user_regs_struct *regs, uint64_t freed)
{
	const struct lost_root *r = &h->roots[h->wanted->root];
	size_t n = 0;
	struct block **v = blocks_list(h->b, &n);
	int e = v ? 0 : -ENOMEM;

	h->now = h->wanted;
	h->wanted = NULL;
	for (size_t i = 0; i < r->members.n && e == 0; i++) {
		struct block *k = find(r, i, v, n);

		if (k)
			k->target = true;
	}
	if (e == 0)
		e = lost_watch_begin(h->watch, p, v, n, regs, freed);
	for (size_t i = 0; i < n && v; i++)
		v[i]->target = false;
	free(v);
	return e;
}

/* Searches with the same two stops have the same answer. */
static void answer(struct hunt *h, const struct search *from)
{
	for (size_t i = 0; i < h->searches.n; i++) {
		struct search *s = &h->searches.v[i];

		if (s->root == from->root && s->lo == from->lo && s->hi == from->hi && !s->done) {
			s->ret = from->ret;
			s->done = true;
		}
	}
}

/* The first one at or after this stop. */
static struct search *next_search(struct hunt *h, uint64_t stop)
{
	struct search *best = NULL;

	for (size_t i = 0; i < h->searches.n; i++) {
		struct search *s = &h->searches.v[i];

		if (!s->done && s->lo >= stop && (!best || s->lo < best->lo))
			best = s;
	}
	return best;
}

/* At the first stop of that search: if its word was left there, it does not count, and the search begins anew. */
static int decide(struct hunt *h, size_t i, struct replay *p)
{
	struct search *s = h->stale_of[i];
	const struct lost_stale *w = &h->stale[i];
	const uint64_t began = h->roots[s->root].stop;
	uint64_t x = 0;
	size_t n = 0;
	struct block **v, *k;
	int e = 0;

	s->sure = true;
	if (w->alive || watch_read(p, w->at, &x, sizeof(x)) != sizeof(x))
		return 0;
	v = blocks_list(h->b, &n);
	k = v ? blocks_at(v, n, x) : NULL;
	if (k && k->addr == w->addr) {
		e = vec_try_push(&h->b->stale, ((struct stale_word){ w->at, k->number, w->since ? w->since : began }));
		*s = (struct search){ .root = s->root, .stacks = true, .lo = began, .hi = s->hi };
	}
	free(v);
	return e;
}

static int on_stop_stale(struct hunt *h, struct replay *p, const struct user_regs_struct *regs)
{
	int e = 0;

	lost_stale_look(h->stale, h->nstale, h->b, p, regs);
	for (size_t i = 0; i < h->nstale && e == 0; i++)
		if (h->stale_of[i]->lo == h->b->stop)
			e = decide(h, i, p);
	return e == 0 && h->b->stop >= h->until ? WALK_END : e;
}

static int on_stop(void *ctx, struct replay *p, const struct user_regs_struct *regs, uint64_t freed)
{
	struct hunt *h = ctx;
	int e = 0;

	if (h->nstale)
		return on_stop_stale(h, p, regs);
	if (h->now && h->b->stop >= h->now->hi) {
		struct search *s = h->now;

		lost_watch_end(h->watch, p, regs, &s->ret);
		answer(h, s);
		h->now = NULL;
		h->wanted = next_search(h, h->b->stop);
	}
	if (h->next < h->looks.n && h->looks.v[h->next] == h->b->stop) {
		h->next++;
		e = look(h, p);
	}
	if (e == 0 && h->wanted && h->wanted->lo == h->b->stop)
		e = begin(h, p, regs, freed);
	if (e < 0)
		return e;
	return h->next == h->looks.n && !h->now && !h->wanted ? WALK_END : 0;
}

static int on_group(void *ctx, struct replay *p, enum watch_when when)
{
	struct hunt *h = ctx;
	int e = h->nstale && h->others < LOST_OTHERS_MAX ? lost_stale_arm(h->stale, h->nstale, p) : 0;

	return e < 0 ? e : blocks_group(h->b, p, when);
}

static int on_code(void *ctx, struct replay *p, const struct watch_code *c)
{
	struct hunt *h = ctx;

	return blocks_code(h->b, p, c);
}

static int on_hit(void *ctx, struct replay *p, const struct user_regs_struct *regs, uint64_t tag)
{
	struct hunt *h = ctx;

	if (h->nstale && watch_ours(p))
		lost_stale_look(h->stale, h->nstale, h->b, p, regs);
	return blocks_hit(h->b, p, regs, tag);
}

static int on_trap(void *ctx, struct replay *p, const struct user_regs_struct *regs, bool stepped, unsigned told)
{
	struct hunt *h = ctx;

	if (h->nstale && !told && ++h->others == LOST_OTHERS_MAX) {
		h->b->unfollowed = true;
		return lost_stale_arm(NULL, 0, p);
	}
	if (h->nstale)
		return watch_ours(p) ? lost_stale_trap(h->stale, h->nstale, h->b, p, regs, told) : 0;
	return h->now && watch_ours(p) ? lost_watch_trap(h->watch, p, regs, stepped, told) : 0;
}

static int once(struct hunt *h, lost_replay_fn *replay, void *ctx)
{
	const struct replay_watch w = { .ctx = h, .group = on_group, .code = on_code, .hit = on_hit, .trap = on_trap };

	blocks_forget(h->b);
	h->b->stop = 0;
	h->b->stopped = on_stop;
	h->b->ctx = h;
	h->next = 0;
	h->now = NULL;
	return replay(ctx, &w);
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Stops between lo and hi of each search. */
static int plan(struct hunt *h)
{
	const uint64_t by_time = h->look_ns ? LOOK_NS / h->look_ns : LOOKS_MIN;
	uint64_t each;
	size_t open = 0, n = 0;
	int e = 0;

	for (size_t i = 0; i < h->searches.n; i++)
		open += !h->searches.v[i].done && h->searches.v[i].hi - h->searches.v[i].lo > 1;
	each = by_time < LOOKS_MIN ? LOOKS_MIN : by_time > LOOKS_MAX ? LOOKS_MAX : by_time;
	each = open ? 2 + each / open : 0;
	h->looks.n = 0;
	for (size_t i = 0; i < h->searches.n && e == 0; i++) {
		struct search *s = &h->searches.v[i];
		const uint64_t gap = s->hi - s->lo, k = s->done ? 0 : gap - 1 < each ? gap - 1 : each;

		s->end = s->hi;
		for (uint64_t j = 1; j <= k && e == 0; j++)
			e = vec_try_push(&h->looks, s->lo + (uint64_t)((unsigned __int128)gap * j / (k + 1)));
	}
	if (h->looks.n)
		qsort(h->looks.v, h->looks.n, sizeof(*h->looks.v), by_number);
	for (size_t i = 0; i < h->looks.n; i++)
		if (!n || h->looks.v[n - 1] != h->looks.v[i])
			h->looks.v[n++] = h->looks.v[i];
	h->looks.n = n;
	return e;
}

static int narrow(struct hunt *h, lost_replay_fn *replay, void *ctx)
{
	int e = plan(h);

	for (unsigned i = 0; i < ROUNDS_MAX && e == 0 && h->looks.n; i++) {
		e = once(h, replay, ctx);
		if (e == 0)
			e = plan(h);
	}
	/* One that no look saw held but by a stack has nothing to tell. */
	for (size_t i = 0; i < h->searches.n; i++)
		h->searches.v[i].done |= h->searches.v[i].hi - h->searches.v[i].lo != 1 ||
					 (!h->searches.v[i].stacks && !h->searches.v[i].held);
	h->looks.n = 0;
	return e;
}

static int watch_all(struct hunt *h, lost_replay_fn *replay, void *ctx)
{
	int e = 0;

	while (e == 0 && (h->wanted = next_search(h, 0))) {
		struct search *first = h->wanted;

		e = once(h, replay, ctx);
		first->done = true; /* it has an answer, or there is none */
	}
	return e;
}

/* Looks at the answers about a word of a stack: was it left there? True in *ret if there were any. */
static int check_stacks(struct hunt *h, lost_replay_fn *replay, void *ctx, bool *ret)
{
	int e = 0;

	h->nstale = h->until = h->others = 0;
	for (size_t i = 0; i < h->searches.n && h->nstale < LOST_STALE_MAX; i++) {
		struct search *s = &h->searches.v[i];

		if (!s->stacks || s->sure || !s->ret.word.at || s->ret.word.where != HELD_STACK)
			continue;
		h->stale_of[h->nstale] = s;
		h->stale[h->nstale++] =
			(struct lost_stale){ .at = s->ret.word.at, .addr = s->ret.word.addr, .size = s->ret.word.size };
		h->until = s->lo > h->until ? s->lo : h->until;
	}
	*ret = h->nstale > 0;
	if (*ret)
		e = once(h, replay, ctx);
	for (size_t i = 0; i < h->nstale; i++)
		if (h->stale_of[i]->done)
			h->stale_of[i]->sure = true;
	h->nstale = 0;
	return e;
}

static int search_all(struct hunt *h, lost_replay_fn *replay, void *ctx)
{
	bool more = true;
	int e = 0;

	for (unsigned i = 0; i < ROUNDS_MAX && more && e == 0; i++) {
		e = narrow(h, replay, ctx);
		if (e == 0)
			e = watch_all(h, replay, ctx);
		if (e == 0)
			e = check_stacks(h, replay, ctx, &more);
	}
	return e;
}

static void tell(const struct hunt *h)
{
	for (size_t i = 0; i < h->n; i++) {
		const struct search *all = &h->searches.v[2 * i], *some = &h->searches.v[2 * i + 1];
		const bool none = all->ret.by == LOST_UNKNOWN,
			   other = some->ret.by != LOST_UNKNOWN && some->lo < all->lo;

		h->roots[i].last = none ? some->ret : all->ret;
		if (!none && other && all->ret.by != LOST_STORE && all->ret.by != LOST_FREE)
			h->roots[i].kept = some->ret;
	}
}

int lost_find(struct blocks *b, struct lost_root *v, size_t n, uint64_t end, lost_replay_fn *replay, void *ctx)
{
	struct hunt h = { .b = b, .roots = v, .n = n, .watch = lost_watch_new(b) };
	int e = h.watch ? 0 : -ENOMEM;

	for (size_t i = 0; i < 2 * n && e == 0; i++)
		e = vec_try_push(&h.searches, ((struct search){
						      .root = i / 2,
						      .stacks = i % 2 == 0,
						      .lo = v[i / 2].stop,
						      .hi = end,
					      }));
	if (e == 0)
		e = search_all(&h, replay, ctx);
	if (e == 0)
		tell(&h);
	b->stopped = NULL;
	lost_watch_free(h.watch);
	vec_free(&h.searches);
	vec_free(&h.looks);
	return e;
}
