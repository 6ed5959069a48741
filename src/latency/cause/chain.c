/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps recent waits in a ring, nearly in the order in which they ended. A search goes from the newest back to
 * those that had ended before the wait in question began. */
#include "latency/cause/chain.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"

#define INFERRED " (inferred)"
#define DISORDER_NS 1000000000ull /* by so much at most a wait may be told later than one that ended after it */

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

/* A wait to be explained: the part of it that the waits before it in the chain have left. */
struct open {
	const struct chain_wait *wait;
	struct chain_wait part; /* its times only */
};

/* The wait with the largest overlap of those that fit, if that is enough. */
static const struct chain_wait *best(const struct chains *c, const struct open *open,
				     bool (*fits)(const struct chain_wait *w, const struct chain_wait *x),
				     uint64_t *overlap)
{
	const struct chain_wait *found = NULL, *w = open->wait;
	uint64_t least = (open->part.to - open->part.from) / 100 * CHAIN_MIN_SHARE;

	*overlap = 0;
	for (size_t i = 0; i < c->n; i++) {
		const struct chain_wait *x = &c->waits[(c->next + CHAIN_MAX_WAITS - 1 - i) % CHAIN_MAX_WAITS];
		uint64_t o = overlap_of(&open->part, x);

		if (x->to + DISORDER_NS < open->part.from)
			break;
		if (!o || o < *overlap || o < least || is_same(w, x) || !fits(w, x))
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

/* Was x in the queue of the same object before w? */
static bool is_ahead(const struct chain_wait *w, const struct chain_wait *x)
{
	return x->tid != w->tid && x->object[0] && !strcmp(x->object, w->object) && x->level == CHAIN_QUEUED &&
	       x->from < w->from;
}

enum chain_how chain_how_of(enum chain_via via)
{
	static const enum chain_how how[] = { [CHAIN_HOLDER] = LINK_HOLDER,
					      [CHAIN_WAKER] = LINK_WAKER,
					      [CHAIN_RELEASER] = LINK_WAKER,
					      [CHAIN_STOPPER] = LINK_STOPPER,
					      [CHAIN_DOER] = LINK_DOER };

	return how[via];
}

static const struct chain_wait *explain(const struct chains *c, const struct open *open, struct chain_link *l)
{
	const struct chain_wait *w = open->wait;
	const struct chain_wait *x = best(c, open, is_within, &l->overlap);

	l->inferred = false;
	l->how = LINK_SAME;
	if (!x && w->via != CHAIN_NOBODY && w->via != CHAIN_RUNNING && w->by_tid) {
		x = best(c, open, is_of_other, &l->overlap);
		l->how = chain_how_of(w->via);
		l->inferred = w->via != CHAIN_HOLDER && w->via != CHAIN_DOER;
	}
	if (!x && w->object[0] && w->level == CHAIN_QUEUED) {
		x = best(c, open, is_ahead, &l->overlap);
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

/* A thread that is in the chain already, but not the thread of this wait. */
static bool closes(const struct chain *c, const struct chain_wait *w)
{
	for (unsigned i = 0; w->via == CHAIN_HOLDER && w->by_tid && i + 1 < c->n; i++)
		if (c->links[i].wait.tid == w->by_tid && w->tid != w->by_tid)
			return true;
	return false;
}

static void narrow(struct chain_wait *part, const struct chain_wait *x)
{
	part->from = x->from > part->from ? x->from : part->from;
	part->to = x->to < part->to ? x->to : part->to;
}

/* A wait within another one of the same thread. The thread to blame for the outer one is to blame for this one, too, if
 * it has none of its own. */
static void inherit_by(struct chain_wait *w, const struct chain_wait *outer)
{
	if (w->level == CHAIN_QUEUED || (w->via != CHAIN_NOBODY && w->by_tid && w->by_tid != w->tid))
		return;
	w->via = outer->via;
	w->by_tid = outer->by_tid;
	memcpy(w->by_comm, outer->by_comm, sizeof(w->by_comm));
	memcpy(w->by_means, outer->by_means, sizeof(w->by_means));
}

void chains_build(const struct chains *c, const struct chain_wait *w, struct chain *ret)
{
	struct open open = { .part = *w };

	*ret = (struct chain){ .n = 1 };
	ret->links[0] = (struct chain_link){ .wait = *w, .how = LINK_FIRST };
	for (;;) {
		struct chain_link l = { 0 };
		const struct chain_wait *last = &ret->links[ret->n - 1].wait, *x;

		open.wait = last;
		ret->cycle = closes(ret, last);
		x = ret->cycle ? NULL : explain(c, &open, &l);
		if (!x || contains(ret, x)) {
			ret->passing = last->via == CHAIN_RUNNING && best(c, &open, is_of_other, &l.overlap) &&
				       l.overlap > (open.part.to - open.part.from) / 2;
			return;
		}
		if (ret->n == CHAIN_MAX_LINKS) {
			ret->more = true;
			return;
		}
		l.wait = *x;
		narrow(&open.part, x);
		if (l.how == LINK_SAME)
			inherit_by(&l.wait, last);
		ret->links[ret->n++] = l;
	}
}

/* -- words -- */

const char *chain_how_name(enum chain_how how)
{
	static const char *const names[] = { "first", "same thread", "holder", "waker", "stopper", "queue", "doer" };

	return names[how];
}

const char *chain_evidence(const struct chain_link *l)
{
	switch (l->how) {
	case LINK_HOLDER: return "lock owner";
	case LINK_WAKER: return "waker";
	case LINK_SAME: return "same thread";
	case LINK_QUEUE: return "overlap";
	case LINK_DOER: return "work item";
	default: return "tracepoint";
	}
}

/* One step of the sentence: a wait, together with a wait of the same thread in it that took nearly all of its time. The
 * call has the file, the sleep has the reason, the request has the device. */
struct told {
	const struct chain_wait *wait, *more; /* the reason; and one further in, or NULL */
	const char *op, *object;
};

static bool is_told_with(const struct chain *c, unsigned i)
{
	const struct chain_link *l = &c->links[i], *outer = l - 1;
	uint64_t whole = i > 1 ? outer->overlap : outer->wait.to - outer->wait.from;

	return l->how == LINK_SAME && l->overlap >= whole / 100 * CHAIN_SAME_SHARE &&
	       (outer->wait.level == CHAIN_CALL || l->wait.level == CHAIN_QUEUED || l->wait.general);
}

/* The last link that is told with link i. */
static unsigned tell(const struct chain *c, unsigned i, struct told *ret)
{
	const struct chain_wait *x = &c->links[i].wait;

	*ret = (struct told){ .wait = x, .op = x->op, .object = x->object };
	while (i + 1 < c->n && is_told_with(c, i + 1)) {
		x = &c->links[++i].wait;
		if (!ret->op[0])
			ret->op = x->op;
		if (x->object[0])
			ret->object = x->object;
		if (ret->wait->level == CHAIN_CALL || !strncmp(x->words, ret->wait->words, strlen(ret->wait->words)))
			ret->wait = x;
		else if (!x->general)
			ret->more = x;
	}
	return i;
}

/* Had the thread that ended wait i, a condition's, nothing to do itself meanwhile? It may have waited for another one's
 * sign. */
static bool is_with_idle(const struct chain *c, unsigned i)
{
	uint64_t least = (i > 0 ? c->links[i].overlap : c->links[0].wait.to - c->links[0].wait.from) / 100 *
			 CHAIN_SAME_SHARE;

	for (i++; i < c->n && c->links[i].overlap >= least; i++) {
		enum chain_how how = c->links[i].how;

		if (how != LINK_SAME && (how != LINK_WAKER || !c->links[i - 1].wait.condition))
			return false;
		if (c->links[i].wait.idle)
			return true;
	}
	return false;
}

/* Does the chain tell of what kept the giver of wait i's sign: a lock, a disk? */
static bool giver_waited(const struct chain *c, unsigned i)
{
	while (++i < c->n)
		if (!c->links[i].wait.idle && !c->links[i].wait.condition)
			return true;
	return false;
}

bool chain_is_idle(const struct chain *c)
{
	bool call = c->links[0].wait.level == CHAIN_CALL && c->n > 1 && is_told_with(c, 1);

	if (c->links[0].wait.asked)
		return false;
	if (call && c->links[1].wait.idle)
		return c->n == 2 || c->links[2].how != LINK_SAME;
	return (c->links[call].wait.condition && is_with_idle(c, call)) ||
	       (c->links[call].wait.loop && !giver_waited(c, call));
}

/* Is it the same operation, which need not be said again? For "fsync(file)" only the name is compared. */
static bool same_op(const char *a, const char *b)
{
	size_t n = strcspn(a, "(");

	return n == strcspn(b, "(") && !memcmp(a, b, n);
}

/* inferred: the link to it is. One mark is enough where the words are inferred as well. */
static void add_for(const struct told *t, const char *outer_op, bool inferred, struct strb *b)
{
	const char *object = t->object[0] && !strstr(t->op, t->object) ? t->object : "";
	bool last = t->more ? t->more->inferred : t->wait->inferred;

	if (t->op[0] && !(outer_op && same_op(t->op, outer_op)))
		strb_printf(b, " in %s", t->op);
	strb_printf(b, " for %s%s", t->wait->words, t->wait->inferred ? INFERRED : "");
	if (t->more)
		strb_printf(b, ": %s%s", t->more->words, t->more->inferred ? INFERRED : "");
	if (object[0])
		strb_printf(b, " on %s", object);
	if (inferred && (object[0] || !last))
		strb_adds(b, INFERRED);
}

static const char *const verb[] = {
	[CHAIN_HOLDER] = "held by",	  [CHAIN_WAKER] = "ended by",	  [CHAIN_RUNNING] = "taken by",
	[CHAIN_RELEASER] = "released by", [CHAIN_STOPPER] = "stopped by", [CHAIN_DOER] = "done by"
};

/* Names the thread to blame, if no wait of it is known, or before that wait is told. */
static void add_by(const struct chain_wait *w, bool passing, struct strb *b)
{
	if (w->via != CHAIN_NOBODY && w->by_tid && w->by_tid != w->tid)
		strb_printf(b, ", %s%s %s %u%s%s", passing ? "last " : "", verb[w->via],
			    w->by_comm[0] ? w->by_comm : "thread", w->by_tid, w->by_means[0] ? " with " : "",
			    w->by_means);
}

static void add_link(const struct chain_link *before, const char *outer_op, const struct chain_link *l,
		     const struct told *t, struct strb *b)
{
	char ns[UNITS_LEN];

	switch (l->how) {
	case LINK_SAME:
		strb_printf(b, ", of which %s", units_ns(l->overlap, ns));
		add_for(t, outer_op, l->inferred, b);
		break;
	case LINK_QUEUE:
		strb_printf(b, ", queued behind %s of %s by %s %u%s", units_ns(l->overlap, ns), l->wait.words,
			    l->wait.comm, l->wait.tid, l->inferred ? INFERRED : "");
		break;
	default:
		add_by(&before->wait, false, b);
		strb_printf(b, ", which waited %s", units_ns(l->overlap, ns));
		add_for(t, NULL, l->inferred, b);
		break;
	}
}

void chain_sentence(const struct chain *c, struct strb *b)
{
	const struct chain_wait *w = &c->links[0].wait, *last = &c->links[c->n - 1].wait;
	const char *outer_op;
	char ns[UNITS_LEN];
	struct told t;

	strb_printf(b, "%s %u waited %s", w->comm, w->tid, units_ns(w->to - w->from, ns));
	for (unsigned i = 0, next; i < c->n; i = next) {
		outer_op = i ? t.op : NULL;
		next = tell(c, i, &t) + 1;
		if (i)
			add_link(&c->links[i - 1], outer_op, &c->links[i], &t, b);
		else
			add_for(&t, NULL, false, b);
	}
	if (c->had[0])
		strb_printf(b, ", %s", c->had);
	else
		add_by(last, c->passing, b);
	if (c->did[0])
		strb_printf(b, ", %s (inferred)", c->did);
	if (c->cycle)
		strb_adds(b, ", which is in this chain itself: a deadlock, if it lasts");
	if (c->more)
		strb_adds(b, ", and so on");
}

void chain_reason(const struct chain *c, struct strb *b)
{
	struct told t;
	const struct chain_wait *w = &c->links[tell(c, 0, &t)].wait;

	add_for(&t, NULL, false, b);
	if (w->via != CHAIN_NOBODY && w->by_tid && w->by_tid != w->tid && w->by_comm[0])
		strb_printf(b, ", %s %s", verb[w->via], w->by_comm);
}
