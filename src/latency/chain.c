/* SPDX-License-Identifier: Apache-2.0 */
/* The memory is a ring that is searched whole: a search per link of a slow event, and those are few. */
#include "latency/chain.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"

struct chains {
	struct chain_wait waits[CHAIN_MAX_WAITS];
	size_t n, next;
};

int chains_new(struct chains **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

void chains_free(struct chains *c)
{
	free(c);
}

void chains_add(struct chains *c, const struct chain_wait *w)
{
	c->waits[c->next] = *w;
	c->next = (c->next + 1) % CHAIN_MAX_WAITS;
	if (c->n < CHAIN_MAX_WAITS)
		c->n++;
}

static uint64_t overlap_of(const struct chain_wait *a, const struct chain_wait *b)
{
	uint64_t from = a->from > b->from ? a->from : b->from, to = a->to < b->to ? a->to : b->to;

	return to > from ? to - from : 0;
}

static bool is_same(const struct chain_wait *a, const struct chain_wait *b)
{
	return a->tid == b->tid && a->from == b->from && a->to == b->to && a->level == b->level;
}

/* Of the waits that fit, the one with the largest overlap, if that is enough. */
static const struct chain_wait *best(const struct chains *c, const struct chain_wait *w,
				     bool (*fits)(const struct chain_wait *w, const struct chain_wait *x), uint64_t *overlap)
{
	const struct chain_wait *found = NULL;
	uint64_t least = (w->to - w->from) / 100 * CHAIN_MIN_SHARE;

	*overlap = 0;
	for (size_t i = 0; i < c->n; i++) {
		const struct chain_wait *x = &c->waits[i];
		uint64_t o = overlap_of(w, x);

		if (o <= *overlap || o < least || is_same(w, x) || !fits(w, x))
			continue;
		found = x;
		*overlap = o;
	}
	return found;
}

static bool is_within(const struct chain_wait *w, const struct chain_wait *x)
{
	return x->tid == w->tid && x->level > w->level;
}

static bool is_of_other(const struct chain_wait *w, const struct chain_wait *x)
{
	return x->tid == w->by_tid && x->tid != w->tid;
}

/* Who was there first. */
static bool is_ahead(const struct chain_wait *w, const struct chain_wait *x)
{
	return x->tid != w->tid && x->object[0] && !strcmp(x->object, w->object) && x->level == CHAIN_QUEUED &&
	       x->from < w->from;
}

static const struct chain_wait *explain(const struct chains *c, const struct chain_wait *w, struct chain_link *l)
{
	static const enum chain_how how[] = { [CHAIN_HOLDER] = LINK_HOLDER, [CHAIN_WAKER] = LINK_WAKER,
					      [CHAIN_RUNNING] = LINK_RUNNING, [CHAIN_RELEASER] = LINK_WAKER };
	const struct chain_wait *x = best(c, w, is_within, &l->overlap);

	l->inferred = false;
	l->how = LINK_SAME;
	if (!x && w->via != CHAIN_NOBODY && w->by_tid) {
		x = best(c, w, is_of_other, &l->overlap);
		l->how = how[w->via];
		l->inferred = w->via != CHAIN_HOLDER;
	}
	if (!x && w->object[0] && w->level == CHAIN_QUEUED) {
		x = best(c, w, is_ahead, &l->overlap);
		l->how = LINK_QUEUE;
		l->inferred = true;
	}
	return x;
}

static bool contains(const struct chain *c, const struct chain_wait *x)
{
	for (unsigned i = 0; i < c->n; i++)
		if (is_same(&c->links[i].wait, x))
			return true;
	return false;
}

/* Somebody who is in the chain already, but not the thread whose wait this is. */
static bool closes(const struct chain *c, const struct chain_wait *w)
{
	for (unsigned i = 0; w->via == CHAIN_HOLDER && w->by_tid && i + 1 < c->n; i++)
		if (c->links[i].wait.tid == w->by_tid && w->tid != w->by_tid)
			return true;
	return false;
}

void chains_build(const struct chains *c, const struct chain_wait *w, struct chain *ret)
{
	*ret = (struct chain){ .n = 1 };
	ret->links[0] = (struct chain_link){ .wait = *w, .how = LINK_FIRST };
	for (;;) {
		struct chain_link l = { 0 };
		const struct chain_wait *last = &ret->links[ret->n - 1].wait, *x;

		ret->cycle = closes(ret, last);
		x = ret->cycle ? NULL : explain(c, last, &l);
		if (!x || contains(ret, x))
			return;
		if (ret->n == CHAIN_MAX_LINKS) {
			ret->more = true;
			return;
		}
		l.wait = *x;
		ret->links[ret->n++] = l;
	}
}

/* -- words -- */

const char *chain_how_name(enum chain_how how)
{
	static const char *const names[] = { "first", "same thread", "holder", "waker", "running", "queue" };

	return names[how];
}

const char *chain_evidence(const struct chain_link *l)
{
	switch (l->how) {
	case LINK_HOLDER:
		return "lock owner";
	case LINK_WAKER:
		return "waker";
	case LINK_SAME:
		return "same thread";
	case LINK_QUEUE:
		return "overlap";
	default:
		return "tracepoint";
	}
}

/* Is it the same operation, which need not be said again? Of "fsync(file)" the name counts. */
static bool same_op(const struct chain_wait *a, const struct chain_wait *b)
{
	size_t n = strcspn(a->op, "(");

	return n == strcspn(b->op, "(") && !memcmp(a->op, b->op, n);
}

static void add_for(const struct chain_wait *w, const struct chain_wait *outer, struct strb *b)
{
	if (w->op[0] && !(outer && same_op(w, outer)))
		strb_printf(b, " in %s", w->op);
	strb_printf(b, " for %s%s%s%s", w->words, w->object[0] ? " on " : "", w->object,
		    w->inferred ? " (inferred)" : "");
}

/* Who it was, when no wait of theirs is known or before it is told. */
static void add_by(const struct chain_wait *w, struct strb *b)
{
	static const char *const verb[] = { [CHAIN_HOLDER] = "held by", [CHAIN_WAKER] = "ended by", [CHAIN_RUNNING] = "taken by",
					    [CHAIN_RELEASER] = "released by" };

	if (w->via != CHAIN_NOBODY && w->by_tid && w->by_tid != w->tid)
		strb_printf(b, ", %s %s %u", verb[w->via], w->by_comm[0] ? w->by_comm : "thread", w->by_tid);
}

static void add_link(const struct chain_link *before, const struct chain_link *l, struct strb *b)
{
	char ns[UNITS_LEN];

	switch (l->how) {
	case LINK_SAME:
		strb_printf(b, ", of which %s", units_ns(l->overlap, ns));
		add_for(&l->wait, &before->wait, b);
		break;
	case LINK_QUEUE:
		strb_printf(b, ", queued behind %s of %s by %s %u", units_ns(l->overlap, ns), l->wait.words, l->wait.comm,
			    l->wait.tid);
		break;
	default:
		add_by(&before->wait, b);
		strb_printf(b, ", which waited %s", units_ns(l->overlap, ns));
		add_for(&l->wait, NULL, b);
		break;
	}
	if (l->inferred)
		strb_adds(b, " (inferred)");
}

void chain_sentence(const struct chain *c, struct strb *b)
{
	const struct chain_wait *w = &c->links[0].wait, *last = &c->links[c->n - 1].wait;
	char ns[UNITS_LEN];

	strb_printf(b, "%s %u waited %s", w->comm, w->tid, units_ns(w->to - w->from, ns));
	add_for(w, NULL, b);
	for (unsigned i = 1; i < c->n; i++)
		add_link(&c->links[i - 1], &c->links[i], b);
	if (c->had[0])
		strb_printf(b, ", %s", c->had);
	else
		add_by(last, b);
	if (c->did[0])
		strb_printf(b, ", %s (inferred)", c->did);
	if (c->cycle)
		strb_adds(b, ", which is in this chain itself: a deadlock, if it lasts");
	if (c->more)
		strb_adds(b, ", and so on");
}
