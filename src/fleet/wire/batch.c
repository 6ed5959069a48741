/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/wire/batch.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/hash_try.h"
#include "base/vec.h"

#define MAGIC0 'D'
#define MAGIC1 'F'
#define HEADER 4			      /* magic, version, kind */
#define GAP_MORE ((1u << BATCH_GAP_BITS) - 1) /* that number of empty buckets, and those of the next number */

struct batch_text {
	UT_hash_handle hh;
	uint32_t number; /* 1, 2, … in order of their first use; 0: a new one follows */
	char text[];
};

/* -- making -- */

static void put(struct batch *b, uint64_t v)
{
	while (v >= 0x80) {
		strb_addc(&b->b, (char)(v | 0x80));
		v >>= 7;
	}
	strb_addc(&b->b, (char)v);
}

/* Near ones are short, in either direction. */
static void put_near(struct batch *b, uint64_t v)
{
	int64_t d = (int64_t)(v - b->last);

	put(b, ((uint64_t)d << 1) ^ (uint64_t)(d >> 63));
	b->last = v;
}

static struct batch_text *find_text(const struct batch *b, const char *s)
{
	struct batch_text *t;

	HASH_FIND(hh, b->texts, s ? s : "", s ? strnlen(s, BATCH_TEXT_MAX) : 0, t);
	return t;
}

static void put_new_text(struct batch *b, const char *s, size_t n)
{
	uint32_t number = HASH_COUNT(b->texts) + 1;
	struct batch_text *t = malloc(sizeof(*t) + n + 1);

	put(b, 0);
	put(b, n);
	strb_add(&b->b, s, n);
	if (!t) {
		b->b.failed = true;
		return;
	}
	t->number = number;
	memcpy(t->text, s, n);
	t->text[n] = '\0';
	HASH_ADD_KEYPTR(hh, b->texts, t->text, n, t);
	if (!t->hh.tbl) {
		free(t);
		b->b.failed = true;
	}
}

static void put_text(struct batch *b, const char *s)
{
	const struct batch_text *t = find_text(b, s);

	if (t)
		put(b, t->number);
	else
		put_new_text(b, s ? s : "", s ? strnlen(s, BATCH_TEXT_MAX) : 0);
}

void batch_begin(struct batch *b, enum batch_kind kind)
{
	batch_free(b);
	b->kind = kind;
	strb_addc(&b->b, MAGIC0);
	strb_addc(&b->b, MAGIC1);
	strb_addc(&b->b, kind == BATCH_HIST ? BATCH_VERSION_HIST : BATCH_VERSION);
	strb_addc(&b->b, (char)kind);
}

/* In one number, if it can: how many empty buckets are before it, and how often. */
static void put_bucket(struct batch *b, uint32_t gap, uint64_t count)
{
	uint64_t above = count < BATCH_COUNT_MAX ? count - 1 : BATCH_COUNT_MAX - 1;

	put(b, above << BATCH_GAP_BITS | (gap < GAP_MORE ? gap : GAP_MORE));
	if (gap >= GAP_MORE)
		put(b, gap - GAP_MORE);
}

/* The count is that of the buckets, and not told. */
void batch_add_hist(struct batch *b, const struct batch_hist *h)
{
	const struct batch_text *key = find_text(b, h->key);
	bool same = key && key->number == b->key && h->start == b->last && h->period == b->period &&
		    h->flags == b->flags;
	uint32_t next = 0;

	put(b, (uint64_t)h->nbuckets << 1 | !same);
	put_text(b, h->series);
	if (!same) {
		put_text(b, h->key);
		put_near(b, h->start);
		put(b, h->period);
		put(b, h->flags);
		key = find_text(b, h->key);
		b->key = key ? key->number : 0;
		b->period = h->period;
		b->flags = h->flags;
	}
	put(b, h->sum);
	put(b, h->max);
	for (uint32_t i = 0; i < h->nbuckets; i++) {
		put_bucket(b, h->buckets[i].index - next, h->buckets[i].count);
		next = h->buckets[i].index + 1;
	}
	b->rows++;
}

void batch_add_slow(struct batch *b, const struct batch_slow *s)
{
	put_text(b, s->tracker);
	put_text(b, s->recording);
	put(b, s->id);
	put_near(b, s->ended);
	put(b, s->delay);
	put(b, s->pid);
	put(b, s->tid);
	put(b, s->cpu);
	put_text(b, s->how);
	put_text(b, s->comm);
	put_text(b, s->key);
	put_text(b, s->cause);
	put_text(b, s->class);
	put_text(b, s->stack);
	put_text(b, s->attrs);
	b->rows++;
}

void batch_add_host(struct batch *b, const struct batch_host *h)
{
	put_near(b, h->sent);
	put_text(b, h->dwell);
	put_text(b, h->kernel);
	put_text(b, h->labels);
	b->rows++;
}

void batch_add_gap(struct batch *b, const struct batch_gap *g)
{
	put_near(b, g->from);
	put(b, g->to);
	put_text(b, g->what);
	b->rows++;
}

void batch_add_audit(struct batch *b, const struct batch_audit *a)
{
	put_near(b, a->time);
	put_text(b, a->event);
	put_text(b, a->user);
	put_text(b, a->key);
	put_text(b, a->id);
	put_text(b, a->reason);
	put_text(b, a->program);
	put(b, a->seconds);
	put(b, a->write);
	put(b, a->status);
	put(b, a->rows);
	put(b, a->bytes);
	put(b, a->cpu);
	b->rows++;
}

bool batch_full(const struct batch *b)
{
	return b->b.n >= BATCH_FULL || HASH_COUNT(b->texts) + 16 > BATCH_TEXTS_MAX;
}

void batch_free(struct batch *b)
{
	struct batch_text *t, *next;

	HASH_ITER (hh, b->texts, t, next) {
		HASH_DEL(b->texts, t);
		free(t);
	}
	strb_free(&b->b);
	*b = (struct batch){ 0 };
}

/* -- reading -- */

struct reader {
	const uint8_t *p, *end;
	uint64_t last;
	const char *key;	/* of the histogram before: with period and flags */
	uint64_t period, flags; /* period: 0: there is none */
	VEC(char *) texts;
	VEC(struct rec_bucket) buckets;
	const char *bad; /* what is wrong; all that is read after it is 0 */
	bool no_memory;
};

static uint64_t get(struct reader *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (r->p == r->end)
			break;
		v |= (uint64_t)(*r->p & 0x7f) << shift;
		if (!(*r->p++ & 0x80))
			return v;
	}
	r->bad = r->bad ? r->bad : r->p == r->end ? "it ends within a row" : "a number is too long";
	r->p = r->end;
	return 0;
}

static uint64_t get_near(struct reader *r)
{
	uint64_t z = get(r);

	r->last += (z >> 1) ^ (0 - (z & 1));
	return r->last;
}

static const char *get_text(struct reader *r)
{
	uint64_t number = get(r), n;
	char *s;

	if (number > r->texts.n)
		r->bad = r->bad ? r->bad : "a text has a number that none has";
	else if (number)
		return r->texts.v[number - 1];
	n = get(r);
	if (r->bad || n > BATCH_TEXT_MAX || n > (size_t)(r->end - r->p) || r->texts.n >= BATCH_TEXTS_MAX ||
	    memchr(r->p, '\0', n)) {
		r->bad = r->bad ? r->bad : "a text is too long, one too many, or has a NUL";
		return "";
	}
	s = strndup((const char *)r->p, n);
	r->p += n;
	if (!s || vec_try_push(&r->texts, s) < 0) {
		free(s);
		r->no_memory = true;
		r->bad = "out of memory";
		return "";
	}
	return s;
}

static void refuse(struct reader *r, const char *why)
{
	r->bad = r->bad ? r->bad : why;
}

/* total: of the buckets before it. */
static void take_bucket(struct reader *r, uint64_t gap, uint64_t count, uint64_t *next, uint64_t *total)
{
	struct rec_bucket b = { .index = (uint32_t)(*next + gap), .count = count };

	if (gap >= BATCH_BUCKETS_MAX || *next + gap >= BATCH_BUCKETS_MAX || !count || count > UINT64_MAX - *total) {
		refuse(r, "buckets are not those of the histogram");
		return;
	}
	*total += count;
	*next += gap + 1;
	if (!r->bad && vec_try_push(&r->buckets, b) < 0) {
		r->no_memory = true;
		r->bad = "out of memory";
	}
}

/* How many values they have. */
static uint64_t get_buckets(struct reader *r, struct batch_hist *h)
{
	uint64_t next = 0, total = 0;

	r->buckets.n = 0;
	for (uint32_t i = 0; i < h->nbuckets && !r->bad; i++) {
		uint64_t v = get(r), gap = v & GAP_MORE, more = gap == GAP_MORE ? get(r) : 0;

		gap = more < BATCH_BUCKETS_MAX ? gap + more : BATCH_BUCKETS_MAX;
		take_bucket(r, gap, (v >> BATCH_GAP_BITS) + 1, &next, &total);
	}
	h->buckets = r->buckets.v;
	return total;
}

static uint64_t get_buckets_1(struct reader *r, struct batch_hist *h)
{
	uint64_t next = 0, total = 0;

	r->buckets.n = 0;
	for (uint32_t i = 0; i < h->nbuckets && !r->bad; i++) {
		uint64_t gap = get(r), count = get(r);

		take_bucket(r, gap, count, &next, &total);
	}
	h->buckets = r->buckets.v;
	return total;
}

static void check_hist(struct reader *r, const struct batch_hist *h, uint64_t flags, uint64_t nbuckets)
{
	if (nbuckets > BATCH_BUCKETS_MAX || flags > UINT32_MAX || !h->period || h->start > UINT32_MAX ||
	    h->period > UINT32_MAX || !*h->series)
		refuse(r, "a histogram is out of its bounds");
}

static int read_hist_1(struct reader *r, const struct batch_sink *sink)
{
	struct batch_hist h = { 0 };
	uint64_t flags, nbuckets;

	h.series = get_text(r);
	h.key = get_text(r);
	h.start = get_near(r);
	h.period = get(r);
	h.count = get(r);
	h.sum = get(r);
	h.max = get(r);
	flags = get(r);
	nbuckets = get(r);
	check_hist(r, &h, flags, nbuckets);
	h.flags = (uint32_t)flags;
	h.nbuckets = r->bad ? 0 : (uint32_t)nbuckets;
	if (!r->bad && get_buckets_1(r, &h) != h.count)
		refuse(r, "buckets are not those of the histogram");
	return r->bad ? 0 : sink->hist(sink->ctx, &h);
}

static int read_hist(struct reader *r, const struct batch_sink *sink)
{
	uint64_t head = get(r);
	struct batch_hist h = { .series = get_text(r) };

	if (head & 1) {
		r->key = get_text(r);
		get_near(r);
		r->period = get(r);
		r->flags = get(r);
	}
	h.key = r->key ? r->key : "";
	h.start = r->last;
	h.period = r->period;
	h.sum = get(r);
	h.max = get(r);
	check_hist(r, &h, r->flags, head >> 1);
	h.flags = (uint32_t)r->flags;
	h.nbuckets = r->bad ? 0 : (uint32_t)(head >> 1);
	h.count = get_buckets(r, &h);
	return r->bad ? 0 : sink->hist(sink->ctx, &h);
}

static int read_slow(struct reader *r, const struct batch_sink *sink)
{
	struct batch_slow s = { 0 };

	s.tracker = get_text(r);
	s.recording = get_text(r);
	s.id = get(r);
	s.ended = get_near(r);
	s.delay = get(r);
	s.pid = get(r);
	s.tid = get(r);
	s.cpu = get(r);
	s.how = get_text(r);
	s.comm = get_text(r);
	s.key = get_text(r);
	s.cause = get_text(r);
	s.class = get_text(r);
	s.stack = get_text(r);
	s.attrs = get_text(r);
	if (!r->bad && (s.pid > UINT32_MAX || s.tid > UINT32_MAX || s.cpu > UINT32_MAX || !*s.tracker))
		r->bad = "a slow event is out of its bounds";
	return r->bad ? 0 : sink->slow(sink->ctx, &s);
}

static int read_host(struct reader *r, const struct batch_sink *sink)
{
	struct batch_host h = { .sent = get_near(r) };

	h.dwell = get_text(r);
	h.kernel = get_text(r);
	h.labels = get_text(r);
	return r->bad ? 0 : sink->host(sink->ctx, &h);
}

static int read_gap(struct reader *r, const struct batch_sink *sink)
{
	struct batch_gap g = { .from = get_near(r) };

	g.to = get(r);
	g.what = get_text(r);
	if (!r->bad && (g.from > UINT32_MAX || g.to > UINT32_MAX))
		r->bad = "a gap is out of its bounds";
	return r->bad ? 0 : sink->gap(sink->ctx, &g);
}

static int read_audit(struct reader *r, const struct batch_sink *sink)
{
	struct batch_audit a = { .time = get_near(r) };

	a.event = get_text(r);
	a.user = get_text(r);
	a.key = get_text(r);
	a.id = get_text(r);
	a.reason = get_text(r);
	a.program = get_text(r);
	a.seconds = get(r);
	a.write = get(r);
	a.status = get(r);
	a.rows = get(r);
	a.bytes = get(r);
	a.cpu = get(r);
	if (!r->bad && (!*a.event || a.status > 256 || a.write > 1))
		r->bad = "a program's end is out of its bounds";
	return r->bad ? 0 : sink->audit(sink->ctx, &a);
}

typedef int read_fn(struct reader *r, const struct batch_sink *sink);

/* Returns the reader of the rows of a batch, or NULL with *err. */
static read_fn *reader_of(const uint8_t *p, size_t n, struct err *err)
{
	static read_fn *const v[] = { [BATCH_HIST] = read_hist_1,
				      [BATCH_SLOW] = read_slow,
				      [BATCH_HOST] = read_host,
				      [BATCH_GAP] = read_gap,
				      [BATCH_AUDIT] = read_audit };

	if (n < HEADER || n > BATCH_BYTES_MAX || p[0] != MAGIC0 || p[1] != MAGIC1) {
		err_set(err, -EINVAL, "this is no batch of dwell");
	} else if (p[2] == BATCH_VERSION_HIST && p[3] == BATCH_HIST) {
		return read_hist;
	} else if (p[2] != BATCH_VERSION) {
		err_set(err, -EINVAL, "a batch of version %u: this dwell reads version %u, and %u of histograms", p[2],
			BATCH_VERSION, BATCH_VERSION_HIST);
	} else if (!p[3] || p[3] >= BATCH_NKINDS) {
		err_set(err, -EINVAL, "a batch of rows of an unknown kind %u", p[3]);
	} else {
		return v[p[3]];
	}
	return NULL;
}

int batch_read(const void *data, size_t n, const struct batch_sink *sink, struct err *err)
{
	const uint8_t *p = data;
	read_fn *read_row = reader_of(p, n, err);
	struct reader r = { 0 };
	int e = 0;

	if (!read_row)
		return -EINVAL;
	r.p = p + HEADER;
	r.end = p + n;
	while (e == 0 && !r.bad && r.p < r.end)
		e = read_row(&r, sink);
	if (e == 0 && r.bad)
		e = err_set(err, r.no_memory ? -ENOMEM : -EINVAL, "a batch is damaged: %s", r.bad);
	for (size_t i = 0; i < r.texts.n; i++)
		free(r.texts.v[i]);
	vec_free(&r.texts);
	vec_free(&r.buckets);
	return e;
}
