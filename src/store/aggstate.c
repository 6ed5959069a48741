/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the state of the aggregations: one hash table per aggregation, from key to merged value. */
#include "store/aggstate.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/vec.h"

/* Out of memory while a table grows: the new element is then not in the table, see add(). */
/* Short chains: with 100,000 keys every step along one is a cache miss. */
#define HASH_BKT_CAPACITY_THRESH 2U
#include "base/hash_try.h"
#include <utlist.h>

struct cell {
	UT_hash_handle hh;
	bool changed;
	struct cell *prev, *next; /* list of cells that changed */
	struct agg_mark mark;
	struct table *of;
	uint8_t *key;
	uint64_t *value;
	uint64_t *percpu;
};

struct table {
	const struct aggdesc *desc;
	struct cell *cells;
	int64_t normal;
	VEC(struct agg_entry) view; /* what aggstate_entries() gave out */
	struct aggstate *state;
};

struct aggstate {
	const struct rec_schema *schema;
	struct table *tables; /* by aggregation id */
	agg_gone_fn *gone;    /* NULL: nobody asks what changes */
	void *gone_ctx;
	struct cell *changed;
};

int aggstate_new(const struct rec_schema *schema, struct aggstate **ret)
{
	struct aggstate *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->tables = calloc(schema->naggs + 1, sizeof(*s->tables));
	if (!s->tables) {
		free(s);
		return -ENOMEM;
	}
	s->schema = schema;
	for (size_t i = 0; i < schema->naggs; i++) {
		s->tables[i].desc = schema->aggs[i];
		s->tables[i].normal = schema->aggs[i]->normal ? schema->aggs[i]->normal : 1;
		s->tables[i].state = s;
	}
	*ret = s;
	return 0;
}

/* Frees a cell that is in no table any more. */
static void cell_free(struct table *t, struct cell *c)
{
	if (c->changed)
		DL_DELETE(t->state->changed, c);
	if (t->state->gone)
		t->state->gone(t->state->gone_ctx, &c->mark);
	free(c);
}

static void cell_remove(struct table *t, struct cell *c)
{
	HASH_DEL(t->cells, c);
	cell_free(t, c);
}

/* Tells a watcher that a cell has changed. */
static void cell_changed(struct table *t, struct cell *c)
{
	if (!t->state->gone || c->changed)
		return;
	c->changed = true;
	DL_APPEND(t->state->changed, c);
}

static void table_clear(struct table *t)
{
	struct cell *c = t->cells, *next;

	HASH_CLEAR(hh, t->cells); /* the table, not the cells */
	for (; c; c = next) {
		next = c->hh.next;
		cell_free(t, c);
	}
}

void aggstate_free(struct aggstate *s)
{
	if (!s)
		return;
	s->gone = NULL;
	for (size_t i = 0; i < s->schema->naggs; i++) {
		table_clear(&s->tables[i]);
		vec_free(&s->tables[i].view);
	}
	free(s->tables);
	free(s);
}

/* A new cell with zero values; key, value and per-CPU values lie after it. */
static struct cell *add(struct table *t, const void *key, unsigned hash, unsigned ncpus)
{
	const struct aggdesc *d = t->desc;
	size_t nkey = ROUND_UP((size_t)d->key_size, 8);
	struct cell *c = calloc(1, sizeof(*c) + nkey + d->value_size * (1 + (size_t)ncpus));

	if (!c)
		return NULL;
	c->key = (uint8_t *)(c + 1);
	c->value = (uint64_t *)(void *)(c->key + nkey);
	if (ncpus)
		c->percpu = c->value + d->value_size / sizeof(uint64_t);
	if (d->key_size)
		memcpy(c->key, key, d->key_size);
	HASH_ADD_KEYPTR_BYHASHVALUE(hh, t->cells, c->key, d->key_size, hash, c);
	if (!c->hh.tbl) {
		free(c);
		return NULL;
	}
	c->of = t;
	return c;
}

static struct table *table_of(struct aggstate *s, uint32_t agg)
{
	return agg < s->schema->naggs ? &s->tables[agg] : NULL;
}

int aggstate_apply(struct aggstate *s, const struct row *row)
{
	struct table *t = row->kind == ROW_AGG ? table_of(s, row->id) : NULL;
	const struct aggdesc *d;
	struct cell *c = NULL;
	const void *key;
	unsigned hash;

	if (!t || (t->desc->key_size && (!row->data || row->len < t->desc->key_size)))
		return -EINVAL;
	d = t->desc;
	key = d->key_size ? row->data : "";
	HASH_VALUE(key, d->key_size, hash);
	HASH_FIND_BYHASHVALUE(hh, t->cells, key, d->key_size, hash, c);
	if (!c)
		c = add(t, key, hash, row->percpu ? s->schema->ncpus : 0);
	if (!c)
		return -ENOMEM;
	cell_changed(t, c);
	aggval_merge(d->func, d->is_signed, d->param, c->value, row->value);
	for (unsigned i = 0; c->percpu && row->percpu && i < s->schema->ncpus; i++) {
		size_t off = i * (d->value_size / sizeof(uint64_t));

		aggval_merge(d->func, d->is_signed, d->param, c->percpu + off, row->percpu + off);
	}
	return 0;
}

void aggstate_clear(struct aggstate *s, uint32_t agg)
{
	struct table *t = table_of(s, agg);

	if (!t)
		return;
	for (struct cell *c = t->cells; c; c = c->hh.next) {
		memset(c->value, 0, t->desc->value_size);
		if (c->percpu)
			memset(c->percpu, 0, (size_t)t->desc->value_size * s->schema->ncpus);
		cell_changed(t, c);
	}
}

struct ranked {
	struct cell *cell;
	const struct aggdesc *desc;
	struct agg_rank rank;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int r = aggstate_rank_cmp(&x->rank, &y->rank);

	/* Equal values: the lower key is the lower one, so that the result is always the same. */
	return r ? r : aggstate_key_cmp(x->desc, x->cell->key, y->cell->key);
}

void aggstate_trunc(struct aggstate *s, uint32_t agg, bool has_n, int64_t n)
{
	struct table *t = table_of(s, agg);
	_cleanup_free_ struct ranked *v = NULL;
	size_t have, keep, i = 0;

	if (!t)
		return;
	have = HASH_COUNT(t->cells);
	keep = !has_n || n == 0 ? 0 : n > 0 ? (uint64_t)n : -(uint64_t)n;
	if (keep >= have)
		return;
	if (keep == 0) {
		table_clear(t);
		return;
	}
	v = calloc(have, sizeof(*v));
	if (!v)
		return;
	for (struct cell *c = t->cells; c; c = c->hh.next)
		v[i++] = (struct ranked){ c, t->desc, aggstate_rank(t->desc, c->value) };
	qsort(v, have, sizeof(*v), by_value);
	/* Ascending: the highest are at the end. */
	for (i = 0; i < have - keep; i++)
		cell_remove(t, v[n > 0 ? i : have - 1 - i].cell);
}

void aggstate_normalize(struct aggstate *s, uint32_t agg, int64_t factor)
{
	struct table *t = table_of(s, agg);

	if (t && factor != 0)
		t->normal = factor;
}

int64_t aggstate_normal(const struct aggstate *s, uint32_t agg)
{
	return agg < s->schema->naggs ? s->tables[agg].normal : 1;
}

size_t aggstate_entries(struct aggstate *s, uint32_t agg, const struct agg_entry **ret)
{
	struct table *t = table_of(s, agg);

	*ret = NULL;
	if (!t)
		return 0;
	t->view.n = 0;
	for (struct cell *c = t->cells; c; c = c->hh.next) {
		struct agg_entry e = { c->key, c->value, c->percpu };

		if (vec_try_push(&t->view, e) < 0)
			break;
	}
	*ret = t->view.v;
	return t->view.n;
}

/* -- for callers that also keep the state elsewhere -- */

void aggstate_watch(struct aggstate *s, agg_gone_fn *gone, void *ctx)
{
	s->gone = gone;
	s->gone_ctx = ctx;
}

static struct agg_entry entry_of(const struct cell *c)
{
	return (struct agg_entry){ c->key, c->value, c->percpu };
}

int aggstate_take_changed(struct aggstate *s, agg_cell_fn *fn, void *ctx)
{
	struct cell *c;
	int r = 0;

	while (r == 0 && (c = s->changed)) {
		struct agg_entry e = entry_of(c);

		DL_DELETE(s->changed, c);
		c->changed = false;
		r = fn(ctx, c->of->desc, &e, &c->mark);
	}
	return r;
}

void aggstate_sift(struct aggstate *s, uint32_t agg, agg_cell_fn *fn, void *ctx)
{
	struct table *t = table_of(s, agg);
	struct cell *c, *next;

	if (!t)
		return;
	HASH_ITER (hh, t->cells, c, next) {
		struct agg_entry e = entry_of(c);

		if (fn(ctx, t->desc, &e, &c->mark))
			cell_remove(t, c);
	}
}
