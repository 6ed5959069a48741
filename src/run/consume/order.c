/* SPDX-License-Identifier: Apache-2.0 */
/* Merges the rings by time stamp. One drain scans every ring up to its end (into a list of times and positions, nothing
 * is copied). It sorts each list where it is not sorted already, fixes the horizon, and merges with a heap. Memory: 24
 * bytes per record in the rings at that time, so it is bounded by their size. */
#include "run/consume/order.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

struct slot {
	uint64_t ts;
	uint64_t pos;	  /* of the record's header in the ring */
	uint64_t release; /* smallest position of this and all later slots */
};

struct lane {
	struct ring *ring;
	VEC(struct slot) slots; /* of this drain, sorted by ts */
	size_t next;		/* first slot not yet shown */
	uint64_t scan_end;
	VEC(uint64_t) ahead; /* shown already, but after what was released; ascending */
	uint64_t seen;	     /* the early callback has seen everything before this position */
	bool blocked;
	uint64_t blocked_at, blocked_horizon, blocked_pos;
};

struct order {
	struct lane *lanes;
	unsigned n;
	unsigned *heap; /* lane numbers, smallest time first */
	unsigned nheap;
	uint64_t last_ts;
	uint64_t late, damaged;
};

/* Out-of-order moves after which a list is sorted from scratch, per slot. */
#define INSERTION_LIMIT 8

int order_new(struct ring *rings, unsigned n, struct order **ret)
{
	struct order *o = calloc(1, sizeof(*o));

	if (!o)
		return -ENOMEM;
	o->lanes = calloc(n + 1, sizeof(*o->lanes));
	o->heap = calloc(n + 1, sizeof(*o->heap));
	if (!o->lanes || !o->heap) {
		order_free(o);
		return -ENOMEM;
	}
	o->n = n;
	for (unsigned i = 0; i < n; i++) {
		o->lanes[i].ring = &rings[i];
		o->lanes[i].seen = ring_start(&rings[i]);
	}
	*ret = o;
	return 0;
}

void order_free(struct order *o)
{
	if (!o)
		return;
	for (unsigned i = 0; i < o->n; i++) {
		vec_free(&o->lanes[i].slots);
		vec_free(&o->lanes[i].ahead);
	}
	free(o->lanes);
	free(o->heap);
	free(o);
}

static const void *record_at(const struct lane *l, uint64_t pos, uint32_t *len)
{
	const void *data = NULL;

	if (ring_read(l->ring, &pos, &data, len) != RING_RECORD)
		return NULL;
	return data;
}

static int by_time(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->pos < y->pos ? -1 : x->pos > y->pos;
}

/* Nearly sorted lists are the rule: insertion; a list that is not is given to qsort. */
static void sort_slots(struct lane *l)
{
	struct slot *v = l->slots.v;
	size_t n = l->slots.n, moves = 0;
	uint64_t low = l->scan_end;

	for (size_t i = 1; i < n; i++) {
		struct slot x = v[i];
		size_t k = i;

		for (; k > 0 && v[k - 1].ts > x.ts; k--)
			v[k] = v[k - 1];
		v[k] = x;
		moves += i - k;
		if (moves > INSERTION_LIMIT * n) {
			qsort(v, n, sizeof(*v), by_time);
			break;
		}
	}
	for (size_t i = n; i-- > 0;) {
		low = v[i].pos < low ? v[i].pos : low;
		v[i].release = low;
	}
}

/* Notes one record that was not shown before. */
static int add_slot(struct order *o, struct lane *l, uint64_t pos, const void *data, uint32_t len,
		    const struct order_sink *sink)
{
	struct slot s = { .pos = pos };

	if (len < sizeof(struct rec_hdr)) {
		o->damaged++;
		return 0;
	}
	if (pos >= l->seen) {
		if (sink->early)
			sink->early(sink->ctx, data, len);
		l->seen = pos + 1;
	}
	memcpy(&s.ts, data, sizeof(s.ts));
	return vec_try_push(&l->slots, s);
}

static int scan(struct order *o, struct lane *l, const struct order_sink *sink)
{
	uint64_t pos = ring_start(l->ring);
	size_t ahead = 0;
	enum ring_state st;
	uint32_t len;
	const void *data;
	int r = ring_ready(l->ring);

	l->slots.n = l->next = 0;
	l->scan_end = pos;
	if (r < 0)
		return r;
	while ((st = ring_read(l->ring, &pos, &data, &len)) == RING_RECORD) {
		uint64_t at = ring_record_pos(pos, len);

		l->scan_end = pos;
		while (ahead < l->ahead.n && l->ahead.v[ahead] < at)
			ahead++;
		if (ahead < l->ahead.n && l->ahead.v[ahead] == at)
			continue;
		r = add_slot(o, l, at, data, len, sink);
		if (r < 0)
			return r;
	}
	l->scan_end = pos; /* discarded records included */
	if (st == RING_BUSY && l->blocked && l->blocked_pos == pos)
		return 0;
	l->blocked = st == RING_BUSY;
	l->blocked_at = l->blocked_horizon = 0; /* set in limit_horizon() */
	l->blocked_pos = pos;
	return st == RING_BROKEN ? -EBADMSG : 0;
}

/* No record that is still to come may be older than the horizon. */
static uint64_t limit_horizon(struct order *o, uint64_t now, uint64_t horizon)
{
	uint64_t limit = horizon;

	if (horizon == UINT64_MAX)
		return horizon;
	for (unsigned i = 0; i < o->n; i++) {
		struct lane *l = &o->lanes[i];

		if (!l->blocked)
			continue;
		if (!l->blocked_at) {
			l->blocked_at = now;
			l->blocked_horizon = horizon;
		}
		if (now - l->blocked_at < ORDER_BLOCKED_NS && l->blocked_horizon < limit)
			limit = l->blocked_horizon;
	}
	return limit;
}

static uint64_t lane_ts(const struct order *o, unsigned i)
{
	const struct lane *l = &o->lanes[i];

	return l->next < l->slots.n ? l->slots.v[l->next].ts : UINT64_MAX;
}

static bool lane_before(const struct order *o, unsigned a, unsigned b)
{
	uint64_t x = lane_ts(o, a), y = lane_ts(o, b);

	return x < y || (x == y && a < b);
}

static void sift_down(struct order *o, unsigned i)
{
	for (;;) {
		unsigned k = 2 * i + 1, t;

		if (k >= o->nheap)
			return;
		if (k + 1 < o->nheap && lane_before(o, o->heap[k + 1], o->heap[k]))
			k++;
		if (!lane_before(o, o->heap[k], o->heap[i]))
			return;
		t = o->heap[i];
		o->heap[i] = o->heap[k];
		o->heap[k] = t;
		i = k;
	}
}

static void heap_make(struct order *o)
{
	o->nheap = 0;
	for (unsigned i = 0; i < o->n; i++) {
		if (o->lanes[i].slots.n > 0)
			o->heap[o->nheap++] = i;
	}
	for (unsigned i = o->nheap / 2; i-- > 0;)
		sift_down(o, i);
}

/* Gives ring memory back: up to the first record that is still to be shown. */
static void release(struct order *o)
{
	for (unsigned i = 0; i < o->n; i++) {
		struct lane *l = &o->lanes[i];
		uint64_t pos = l->next < l->slots.n ? l->slots.v[l->next].release : l->scan_end;

		if (pos != ring_start(l->ring))
			ring_release(l->ring, pos);
	}
}

static int by_pos(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Remembers what was shown but stays in the ring, since an older position is still to be shown. */
static int keep_ahead(struct lane *l)
{
	uint64_t start = ring_start(l->ring);
	size_t kept = 0;

	for (size_t i = 0; i < l->ahead.n; i++) {
		if (l->ahead.v[i] >= start)
			l->ahead.v[kept++] = l->ahead.v[i];
	}
	l->ahead.n = kept;
	for (size_t i = 0; i < l->next; i++) {
		if (l->slots.v[i].pos >= start && vec_try_push(&l->ahead, l->slots.v[i].pos) < 0)
			return -ENOMEM;
	}
	if (l->ahead.n > 1)
		qsort(l->ahead.v, l->ahead.n, sizeof(l->ahead.v[0]), by_pos);
	return 0;
}

/* Shows the oldest record of all. */
static int show(struct order *o, const struct order_sink *sink)
{
	unsigned cpu = o->heap[0];
	struct lane *l = &o->lanes[cpu];
	const struct slot *s = &l->slots.v[l->next];
	uint32_t len = 0;
	const void *data = record_at(l, s->pos, &len);
	int r;

	if (!data)
		return -EBADMSG;
	if (s->ts < o->last_ts)
		o->late++;
	else
		o->last_ts = s->ts;
	r = sink->record(sink->ctx, cpu, data, len);
	l->next++;
	sift_down(o, 0);
	return r;
}

static int merge(struct order *o, uint64_t horizon, const struct order_sink *sink)
{
	unsigned n = 0;
	int r = 0;

	heap_make(o);
	while (r >= 0 && o->nheap > 0 && lane_ts(o, o->heap[0]) < horizon) {
		r = show(o, sink);
		if (++n < ORDER_BATCH)
			continue;
		n = 0;
		release(o);
		if (r >= 0 && sink->batch)
			r = sink->batch(sink->ctx);
	}
	release(o);
	if (r >= 0 && n > 0 && sink->batch)
		r = sink->batch(sink->ctx);
	return r < 0 ? r : 0;
}

int order_drain(struct order *o, uint64_t now, uint64_t horizon, const struct order_sink *sink)
{
	int r = 0, q;

	for (unsigned i = 0; i < o->n && r == 0; i++) {
		r = scan(o, &o->lanes[i], sink);
		sort_slots(&o->lanes[i]);
	}
	if (r < 0)
		return r;
	r = merge(o, limit_horizon(o, now, horizon), sink);
	for (unsigned i = 0; i < o->n; i++) {
		q = keep_ahead(&o->lanes[i]);
		r = r < 0 ? r : q;
	}
	return r;
}

uint64_t order_nmisordered(const struct order *o)
{
	return o->late;
}

uint64_t order_damaged(const struct order *o)
{
	return o->damaged;
}

bool order_pending(const struct order *o)
{
	for (unsigned i = 0; i < o->n; i++) {
		if (o->lanes[i].next < o->lanes[i].slots.n)
			return true;
	}
	return false;
}
