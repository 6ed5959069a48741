/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/ask/rows.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "fleet/wire/native.h"

#define WIDEN 16u /* buckets more than are needed, when there are to be more */

/* -- reading -- */

enum { SERIES, SITE, HOST, KEY, TIME, COUNT, SUM, MAX, FLAGS, BUCKET, FEW, MANY_BUCKET, MANY, N, NCOLUMNS };
static const enum native_type columns[NCOLUMNS] = {
	NATIVE_TEXT, NATIVE_TEXT, NATIVE_TEXT, NATIVE_TEXT, NATIVE_TIME, NATIVE_U64,  NATIVE_U64,
	NATIVE_U64,  NATIVE_U32,  NATIVE_U16S, NATIVE_U16S, NATIVE_U16S, NATIVE_U64S, NATIVE_U64S,
};

/* Which rows came. Rows of a slot follow each other, so what is looked up of one is in the cache for the next: one
 * table of all rows would be read from memory for each. */
struct seen {
	struct keytab who;    /* host and key */
	struct keytab slots;  /* series and time */
	VEC(struct numset) v; /* of each slot: numbers of `who` */
	uint64_t slot;	      /* that the last row was of */
	uint32_t at;	      /* its number, if v is not empty */
};

struct reading {
	const struct ask_rows_sink *sink;
	struct native native;
	enum native_type types[NCOLUMNS];
	struct ask_names *names;
	VEC(uint32_t) after; /* of each host: the number of the one that came after it */
	struct texttab keys;
	struct seen seen;
	bool merged;  /* the server merges: nothing is there twice */
	bool doubled; /* a row came twice: all again, merged */
	struct strb who;
	struct rec_bucket buckets[AGG_HIST_NBUCKETS];
};

static bool is_text(const struct texttab *t, uint32_t number, const char *s, size_t n)
{
	return number < t->v.n && strlen(t->v.v[number]) == n && !memcmp(t->v.v[number], s, n);
}

static int take_name(const struct native *n, size_t column, size_t row, struct texttab *t, uint32_t *number)
{
	size_t len;
	const char *s = native_text(n, column, row, &len);

	/* Mostly it is the one of the row before. */
	return row && is_text(t, *number, s, len) ? 0 : texttab_number(t, s, len, number);
}

/* Hosts come in the same order again and again. */
static int take_host(struct reading *x, size_t row, uint32_t *number)
{
	size_t nsite, n;
	const char *site = native_text(&x->native, SITE, row, &nsite);
	const char *host = native_text(&x->native, HOST, row, &n);
	uint32_t before = *number;
	int e;

	if (nsite != strlen(TABLES_SITE) || memcmp(site, TABLES_SITE, nsite) != 0) {
		strb_reset(&x->who);
		strb_add(&x->who, site, nsite);
		strb_addc(&x->who, '/');
		strb_add(&x->who, host, n);
		host = strb_str(&x->who);
		n = x->who.n;
	}
	if (before < x->after.n && is_text(&x->names->hosts, x->after.v[before], host, n)) {
		*number = x->after.v[before];
		return 0;
	}
	e = x->who.failed ? -ENOMEM : texttab_number(&x->names->hosts, host, n, number);
	while (e == 0 && x->after.n < x->names->hosts.v.n)
		e = vec_try_push(&x->after, UINT32_C(0));
	if (e == 0)
		x->after.v[before] = *number;
	return e;
}

/* How often the buckets of a row of an older dwell were met. */
static int take_counts(struct reading *x, size_t row, size_t want)
{
	size_t n;
	const char *v = native_array(&x->native, N, row, &n);

	for (size_t i = 0; n == want && i < n; i++)
		memcpy(&x->buckets[i].count, v + i * sizeof(uint64_t), sizeof(uint64_t));
	return n == want ? 0 : -EINVAL;
}

/* Adds the counts beyond few_max. */
static int take_many(struct reading *x, size_t row, size_t nbuckets)
{
	size_t n, ncount, at = 0;
	const char *index = native_array(&x->native, MANY_BUCKET, row, &n);
	const char *count = native_array(&x->native, MANY, row, &ncount);

	for (size_t i = 0; n == ncount && i < n; i++) {
		uint64_t more;
		uint16_t bucket;

		memcpy(&bucket, index + i * sizeof(bucket), sizeof(bucket));
		memcpy(&more, count + i * sizeof(more), sizeof(more));
		while (at < nbuckets && x->buckets[at].index != bucket)
			at++;
		if (at == nbuckets)
			return -EINVAL;
		x->buckets[at++].count += more;
	}
	return n == ncount ? 0 : -EINVAL;
}

static int take_few(struct reading *x, size_t row, size_t want)
{
	size_t n;
	const char *few = native_array(&x->native, FEW, row, &n);

	if (n == 0)
		return take_counts(x, row, want);
	for (size_t i = 0; n == want && i < n; i++) {
		uint16_t v;

		if (x->types[FEW] == NATIVE_U8S)
			v = (uint8_t)few[i];
		else
			memcpy(&v, few + i * sizeof(v), sizeof(v));
		x->buckets[i].count = v;
	}
	return n == want ? take_many(x, row, want) : -EINVAL;
}

static int take_buckets(struct reading *x, size_t row, size_t *ret)
{
	size_t nindex;
	const char *index = native_array(&x->native, BUCKET, row, &nindex);
	uint32_t next = 0;

	if (nindex > AGG_HIST_NBUCKETS)
		return -EINVAL;
	for (size_t i = 0; i < nindex; i++) {
		uint16_t at;

		memcpy(&at, index + i * sizeof(at), sizeof(at));
		if (at < next || at >= AGG_HIST_NBUCKETS)
			return -EINVAL;
		x->buckets[i].index = at;
		next = at + 1u;
	}
	*ret = nindex;
	return take_few(x, row, nindex);
}

static int find_slot(struct seen *s, uint64_t slot)
{
	bool fresh = false;
	int e = 0;

	if (s->v.n && s->slot == slot)
		return 0;
	s->slot = slot;
	e = keytab_number(&s->slots, slot, &s->at, &fresh);
	return e == 0 && fresh ? vec_try_push(&s->v, ((struct numset){ 0 })) : e;
}

static void forget_seen(struct seen *s)
{
	for (size_t i = 0; i < s->v.n; i++)
		numset_free(&s->v.v[i]);
	s->v.n = 0;
	keytab_reset(&s->slots);
}

/* Whether it came before. */
static int note(struct reading *x, const struct ask_row *r, uint32_t key)
{
	struct seen *s = &x->seen;
	bool fresh = true;
	uint32_t who;
	int e;

	if (x->merged)
		return 0;
	e = keytab_number(&s->who, (uint64_t)r->host << 32 | key, &who, &fresh);
	if (e == 0)
		e = find_slot(s, (uint64_t)r->series << 32 | (uint32_t)r->time);
	if (e == 0)
		e = numset_add(&s->v.v[s->at], who, &fresh);
	if (e < 0)
		return e;
	x->doubled = !fresh;
	return fresh ? 0 : -EAGAIN;
}

static int on_block(void *ctx, const struct native *n)
{
	struct reading *x = ctx;
	struct ask_row r = { .buckets = x->buckets };
	uint32_t key = 0;
	int e = 0;

	for (size_t i = 0; e == 0 && i < n->nrows; i++) {
		e = take_name(n, SERIES, i, &x->names->series, &r.series);
		if (e == 0)
			e = take_host(x, i, &r.host);
		if (e == 0)
			e = take_name(n, KEY, i, &x->keys, &key);
		r.time = native_number(n, TIME, i);
		r.count = native_number(n, COUNT, i);
		r.sum = native_number(n, SUM, i);
		r.max = native_number(n, MAX, i);
		r.flags = (uint32_t)native_number(n, FLAGS, i);
		if (e == 0)
			e = note(x, &r, key);
		if (e == 0)
			e = take_buckets(x, i, &r.nbuckets);
		if (e == 0)
			e = x->sink->row(x->sink->ctx, &r);
	}
	return e;
}

static int on_bytes(void *ctx, const void *data, size_t n)
{
	struct reading *x = ctx;

	return native_feed(&x->native, data, n, on_block, x);
}

static int read_part(struct click *c, struct reading *x, const struct tables_range *part, const char *also,
		     struct err *err)
{
	_cleanup_(strb_free) struct strb sql = { 0 };
	int e;

	tables_rows(&sql, part, also, x->merged);
	if (sql.failed)
		return -ENOMEM;
	x->types[FEW] = part->slot == SLOT_SECOND ? NATIVE_U8S : NATIVE_U16S;
	native_reset(&x->native);
	forget_seen(&x->seen);
	e = click_stream(c, sql.s, on_bytes, x, err);
	if (e == 0 && !native_ended(&x->native))
		e = -EINVAL;
	return e == -EINVAL && err && !err->msg[0] ? ask_refuse(err) : e;
}

static int read_all(struct click *c, struct reading *x, const struct ask_what *w, struct err *err)
{
	struct tables_range parts[ASK_PARTS_MAX];
	_cleanup_(strb_free) struct strb also = { 0 };
	size_t n = ask_parts(w->range, x->sink->need, clock_ns(CLOCK_REALTIME) / NSEC_PER_SEC, parts);
	int e;

	ask_where(&also, w, "series");
	e = also.failed ? -ENOMEM : 0;
	for (size_t i = 0; e == 0 && i < n; i++)
		e = read_part(c, x, &parts[i], strb_str(&also), err);
	return e == -ENOMEM ? err_set(err, e, "out of memory") : e;
}

int ask_rows(struct click *c, const struct ask_what *w, struct ask_names *names, const struct ask_rows_sink *sink,
	     struct err *err)
{
	_cleanup_free_ struct reading *x = calloc(1, sizeof(*x));
	int e;

	if (!x)
		return err_set(err, -ENOMEM, "out of memory");
	x->sink = sink;
	x->names = names;
	memcpy(x->types, columns, sizeof(columns));
	x->native.types = x->types;
	x->native.ncolumns = NCOLUMNS;
	e = read_all(c, x, w, err);
	if (x->doubled) {
		x->merged = true;
		x->doubled = false;
		sink->again(sink->ctx);
		e = read_all(c, x, w, err);
	}
	native_free(&x->native);
	texttab_free(&x->keys);
	forget_seen(&x->seen);
	vec_free(&x->seen.v);
	keytab_free(&x->seen.who);
	keytab_free(&x->seen.slots);
	vec_free(&x->after);
	strb_free(&x->who);
	return e;
}

void ask_names_free(struct ask_names *n)
{
	texttab_free(&n->series);
	texttab_free(&n->hosts);
}

/* -- sums -- */

/* Room for the buckets from first up to last. */
static int widen(struct ask_group *g, uint32_t first, uint32_t last)
{
	uint32_t from = g->n && g->first < first ? g->first : first > WIDEN ? first - WIDEN : 0;
	uint32_t to = g->n && g->first + g->n > last ? g->first + g->n : last + 1 + WIDEN;
	uint64_t *v = calloc(to - from, sizeof(*v));

	if (!v)
		return -ENOMEM;
	if (g->n)
		memcpy(v + (g->first - from), g->v, g->n * sizeof(*v));
	free(g->v);
	g->v = v;
	g->first = from;
	g->n = to - from;
	return 0;
}

/* That of a key; a new one is empty. */
static int find_group(struct ask_groups *s, uint64_t key, struct ask_group **ret)
{
	uint32_t at;
	bool fresh;
	int e = keytab_number(&s->keys, key, &at, &fresh);

	if (e == 0 && fresh)
		e = vec_try_push(&s->v, ((struct ask_group){ .key = key }));
	*ret = e == 0 ? &s->v.v[at] : NULL;
	return e;
}

static void add_totals(struct ask_group *g, uint64_t count, uint64_t sum, uint64_t max, uint32_t flags)
{
	g->count += count;
	g->sum += sum;
	g->max = max > g->max ? max : g->max;
	g->flags |= flags;
}

static int make_room(struct ask_group *g, uint32_t first, uint32_t last)
{
	return !g->n || first < g->first || last >= g->first + g->n ? widen(g, first, last) : 0;
}

int ask_groups_add(struct ask_groups *s, uint64_t key, const struct ask_row *r)
{
	struct ask_group *g;
	int e = find_group(s, key, &g);

	if (e == 0 && r->nbuckets)
		e = make_room(g, r->buckets[0].index, r->buckets[r->nbuckets - 1].index);
	if (e < 0)
		return e;
	for (size_t i = 0; i < r->nbuckets; i++)
		g->v[r->buckets[i].index - g->first] += r->buckets[i].count;
	add_totals(g, r->count, r->sum, r->max, r->flags);
	return 0;
}

int ask_groups_merge(struct ask_groups *s, uint64_t key, const struct ask_group *from)
{
	struct ask_group *g;
	int e = find_group(s, key, &g);

	if (e == 0 && from->n)
		e = make_room(g, from->first, from->first + from->n - 1);
	if (e < 0)
		return e;
	for (uint32_t i = 0; i < from->n; i++)
		g->v[from->first + i - g->first] += from->v[i];
	add_totals(g, from->count, from->sum, from->max, from->flags);
	return 0;
}

static void forget(struct ask_groups *s)
{
	for (size_t i = 0; i < s->v.n; i++)
		free(s->v.v[i].v);
	s->v.n = 0;
}

void ask_groups_reset(struct ask_groups *s)
{
	forget(s);
	keytab_reset(&s->keys);
}

void ask_groups_free(struct ask_groups *s)
{
	forget(s);
	vec_free(&s->v);
	keytab_free(&s->keys);
}

static int by_key(const void *a, const void *b)
{
	const struct ask_group *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

void ask_groups_sort(struct ask_groups *s)
{
	if (s->v.n)
		qsort(s->v.v, s->v.n, sizeof(*s->v.v), by_key);
}

int ask_group_hist(const struct ask_group *g, struct histsum *ret)
{
	ret->n = 0;
	if (vec_reserve_raw((void **)&ret->v, &ret->cap, g->n + 1u, sizeof(*ret->v)) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < g->n; i++)
		if (g->v[i])
			ret->v[ret->n++] = (struct rec_bucket){ .index = g->first + i, .count = g->v[i] };
	ret->count = g->count;
	ret->sum = g->sum;
	ret->max = g->max;
	ret->flags = g->flags;
	return 0;
}
