/* SPDX-License-Identifier: Apache-2.0 */
/* Folds old rows of aggregations. The rows that added to a key, and its clear(), trunc() and normalize(), become one
 * row if the key is still alive. A reader that begins with these rows (numbers below 1) has the state that the removed
 * rows led to. Keys that trunc() removed vanish, and so do those of a time slot that is over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "store/aggstate.h"
#include "store/file/packed.h"
#include "store/file/int.h"
#include "store/file/sparse.h"

#define ROW_BYTES 40		/* of a row in the file, without its texts */
#define FOLD_MEMORY (64u << 20) /* bytes of all entries: those of hist() are larger here than in the file */

struct fold {
	sqlite3 *db;
	const struct rec_schema *schema;
	uint64_t wall_off;
	const bool *keep; /* by epid - 1: shows or changes aggregations */
	struct aggstate *state;
	sqlite3_stmt *rows, *put, *remove;
	int64_t next;		   /* number of the next row of the state: 0, -1, … */
	uint64_t changes;	   /* counts them: which entries changed last */
	uint64_t bytes, max_bytes; /* of the entries' rows */
	uint64_t memory;
	uint64_t forgotten; /* entries */
	VEC(int64_t) gone;  /* rows that go with this step */
	uint64_t *words;    /* of a distribution that is read */
	uint8_t *data;	    /* a record or key that is read: of the largest there are */
	struct packbuf packed;
	struct strb text;
	int rc;
};

/* The memory of an entry, in bytes. */
static uint64_t memory_of(const struct fold *f, const struct aggdesc *d, const struct agg_entry *e)
{
	return d->key_size + (uint64_t)d->value_size * (e->percpu ? 1 + f->schema->ncpus : 1);
}

static void entry_gone(void *ctx, const struct agg_mark *m)
{
	struct fold *f = ctx;

	if (!m->tag)
		return;
	f->bytes -= m->bytes;
	f->memory -= m->memory;
	/* a number of 0 is told from a new entry: tags are numbers less 1 */
	if (vec_try_push(&f->gone, m->tag + 1) < 0)
		f->rc = SQLITE_NOMEM;
}

int fold_new(sqlite3 *db, const struct rec_schema *schema, const bool *keep, uint64_t wall_off, uint64_t max_bytes,
	     struct fold **ret)
{
	static const char rows[] =
		"SELECT seq, kind, id, data, value, percpu FROM row WHERE seq > ? AND seq <= ? AND kind IN (0, 2) ORDER BY seq";
	static const char put[] = "INSERT OR REPLACE INTO row VALUES(?,2,?,0,0,?,0,?,?,?)";
	struct fold *f = calloc(1, sizeof(*f));
	size_t words = 1, data = 1;
	int rc;

	if (!f)
		return SQLITE_NOMEM;
	*ret = f;
	f->db = db;
	f->schema = schema;
	f->keep = keep;
	f->wall_off = wall_off;
	f->max_bytes = max_bytes;
	for (size_t i = 0; i < schema->naggs; i++) {
		words = schema->aggs[i]->value_size / 8 > words ? schema->aggs[i]->value_size / 8 : words;
		data = schema->aggs[i]->key_size > data ? schema->aggs[i]->key_size : data;
	}
	for (size_t i = 0; i < schema->nfmts; i++)
		data = keep[i] && schema->fmts[i]->size > data ? schema->fmts[i]->size : data;
	f->data = malloc(data);
	f->words = calloc(words * (1 + (size_t)schema->ncpus), sizeof(*f->words));
	if (!f->words || !f->data || aggstate_new(schema, &f->state) < 0)
		return SQLITE_NOMEM;
	aggstate_watch(f->state, entry_gone, f);
	rc = sqlite3_prepare_v3(db, rows, -1, SQLITE_PREPARE_PERSISTENT, &f->rows, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v3(db, put, -1, SQLITE_PREPARE_PERSISTENT, &f->put, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v3(db, "DELETE FROM row WHERE seq = ?", -1, SQLITE_PREPARE_PERSISTENT, &f->remove,
					NULL);
	return rc;
}

void fold_free(struct fold *f)
{
	if (!f)
		return;
	aggstate_free(f->state);
	sqlite3_finalize(f->rows);
	sqlite3_finalize(f->put);
	sqlite3_finalize(f->remove);
	vec_free(&f->gone);
	strb_free(&f->text);
	packbuf_free(&f->packed);
	free(f->data);
	free(f->words);
	free(f);
}

uint64_t fold_bytes(const struct fold *f)
{
	return f->bytes;
}
uint64_t fold_forgotten(const struct fold *f)
{
	return f->forgotten;
}

/* -- what goes -- */

/* Words of a value as they were; *at moves after them. NULL: there are none. */
static const uint64_t *words_of(const struct aggdesc *d, sqlite3_stmt *st, int col, size_t n, uint64_t **at)
{
	uint64_t *to = *at;
	size_t size = n * d->value_size;

	if (sqlite3_column_type(st, col) == SQLITE_TEXT) {
		if (!sparse_get_words((const char *)sqlite3_column_text(st, col), (size_t)sqlite3_column_bytes(st, col),
				      to, (uint32_t)(size / sizeof(*to))))
			return NULL;
	} else if (sqlite3_column_bytes(st, col) == (int)size) {
		memcpy(to, sqlite3_column_blob(st, col), size);
	} else {
		return NULL;
	}
	*at += size / sizeof(*to);
	return to;
}

/* A record or key of n bytes, valid until the next call. NULL: there is none. */
static const uint8_t *data_of(struct fold *f, sqlite3_stmt *st, int col, size_t size)
{
	const void *p = sqlite3_column_blob(st, col);

	return unpack_bytes(p, p ? (size_t)sqlite3_column_bytes(st, col) : 0, f->data, size) ? f->data : NULL;
}

static int apply_delta(struct fold *f, sqlite3_stmt *st)
{
	struct row row = { .kind = ROW_AGG, .id = (uint32_t)sqlite3_column_int64(st, 2) };
	const struct aggdesc *d = f->schema->aggs[row.id];
	uint64_t *at = f->words;

	row.value = words_of(d, st, 4, 1, &at);
	row.percpu = words_of(d, st, 5, f->schema->ncpus, &at);
	row.data = data_of(f, st, 3, d->key_size);
	row.len = d->key_size;
	return !row.value || !row.data || aggstate_apply(f->state, &row) == 0 ? SQLITE_OK : SQLITE_NOMEM;
}

/* The first number among what an action was given. */
static int64_t first_int(const struct recact *act, const uint8_t *rec)
{
	const struct recfield *fld = act->fields;
	uint64_t v = 0;
	unsigned shift;

	if (!act->nfields || fld->kind != FLD_INT || fld->size > 8)
		return 0;
	memcpy(&v, rec + fld->off, fld->size);
	shift = 64 - 8 * fld->size;
	v <<= shift;
	return fld->is_signed ? (int64_t)v >> shift : (int64_t)(v >> shift);
}

static void apply_event(struct fold *f, sqlite3_stmt *st)
{
	const struct recfmt *fmt = f->schema->fmts[sqlite3_column_int64(st, 2) - 1];
	const uint8_t *rec = data_of(f, st, 3, fmt->size);

	if (!rec)
		return;
	for (size_t i = 0; i < fmt->nacts; i++) {
		const struct recact *act = &fmt->acts[i];
		uint32_t agg = act->naggs ? act->aggs[0]->id : 0;

		switch (act->naggs ? act->kind : ACT_TRACE) {
		case ACT_CLEAR: aggstate_clear(f->state, agg); break;
		case ACT_TRUNC: aggstate_trunc(f->state, agg, act->nfields > 0, first_int(act, rec)); break;
		case ACT_NORMALIZE: aggstate_normalize(f->state, agg, first_int(act, rec)); break;
		case ACT_DENORMALIZE: aggstate_normalize(f->state, agg, 1); break;
		default: /* shows it */ break;
		}
	}
}

static int take_rows(struct fold *f, int64_t after, int64_t last)
{
	int rc, r = SQLITE_OK;

	sqlite3_bind_int64(f->rows, 1, after);
	sqlite3_bind_int64(f->rows, 2, last);
	while (r == SQLITE_OK && (rc = sqlite3_step(f->rows)) == SQLITE_ROW) {
		int64_t seq = sqlite3_column_int64(f->rows, 0), id = sqlite3_column_int64(f->rows, 2);

		if (sqlite3_column_int64(f->rows, 1) == ROW_AGG)
			r = apply_delta(f, f->rows);
		else if (id >= 1 && (uint64_t)id <= f->schema->nfmts && f->keep[id - 1])
			apply_event(f, f->rows);
		else
			continue;
		if (r == SQLITE_OK && vec_try_push(&f->gone, seq) < 0)
			r = SQLITE_NOMEM;
	}
	sqlite3_reset(f->rows);
	return r != SQLITE_OK ? r : rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* -- what stays -- */

/* Asks all entries. */
static void sift(struct fold *f, agg_cell_fn *fn, void *ctx)
{
	for (uint32_t i = 0; i < f->schema->naggs; i++)
		aggstate_sift(f->state, i, fn, ctx);
}

struct ended {
	const struct fold *f;
	uint64_t ts;
};

static int slot_is_over(void *ctx, const struct aggdesc *d, const struct agg_entry *e, struct agg_mark *m)
{
	const struct ended *w = ctx;
	uint64_t slot, now = w->ts + (d->slot_wall ? w->f->wall_off : 0);

	(void)m;
	memcpy(&slot, e->key, sizeof(slot));
	return slot < now / d->slot_ns;
}

/* Keys of slots that are over at a time. */
static void forget_slots(struct fold *f, uint64_t ts)
{
	struct ended ended = { f, ts };

	for (uint32_t i = 0; i < f->schema->naggs; i++)
		if (f->schema->aggs[i]->slot_ns && f->schema->aggs[i]->key_size >= sizeof(uint64_t))
			aggstate_sift(f->state, i, slot_is_over, &ended);
}

struct rank {
	uint64_t *stamps; /* of entries, ascending */
	size_t n;
	uint64_t least; /* entries that changed before it go */
	uint64_t forgotten;
};

static int note_stamp(void *ctx, const struct aggdesc *d, const struct agg_entry *e, struct agg_mark *m)
{
	struct rank *r = ctx;

	(void)d;
	(void)e;
	if (r->stamps)
		r->stamps[r->n] = m->stamp;
	r->n++;
	return 0;
}

static int forget_older(void *ctx, const struct aggdesc *d, const struct agg_entry *e, struct agg_mark *m)
{
	struct rank *r = ctx;

	(void)d;
	(void)e;
	r->forgotten += m->stamp < r->least;
	return m->stamp < r->least;
}

static int by_stamp(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* A quarter of the keys, those that changed longest ago. */
static int forget(struct fold *f)
{
	struct rank r = { 0 };

	sift(f, note_stamp, &r);
	if (!r.n)
		return SQLITE_OK;
	r.stamps = calloc(r.n, sizeof(*r.stamps));
	if (!r.stamps)
		return SQLITE_NOMEM;
	r.n = 0;
	sift(f, note_stamp, &r);
	qsort(r.stamps, r.n, sizeof(*r.stamps), by_stamp);
	r.least = r.stamps[r.n / 4] + 1;
	free(r.stamps);
	sift(f, forget_older, &r);
	f->forgotten += r.forgotten;
	return f->rc;
}

static int bind_words(struct fold *f, int i, const struct aggdesc *d, const uint64_t *words, size_t n)
{
	if (!words)
		return sqlite3_bind_null(f->put, i);
	if (d->func < AGG_QUANTIZE)
		return sqlite3_bind_blob64(f->put, i, words, n * d->value_size, SQLITE_STATIC);
	strb_reset(&f->text);
	sparse_put_words(&f->text, words, n * d->value_size / sizeof(*words));
	if (f->text.failed)
		return SQLITE_NOMEM;
	return sqlite3_bind_text(f->put, i, strb_str(&f->text), (int)f->text.n, SQLITE_TRANSIENT);
}

struct writing {
	struct fold *f;
	uint64_t ts;
};

static int put_entry(void *ctx, const struct aggdesc *d, const struct agg_entry *e, struct agg_mark *m)
{
	const struct writing *w = ctx;
	struct fold *f = w->f;
	size_t value = d->value_size, percpu = e->percpu ? (size_t)d->value_size * f->schema->ncpus : 0;
	const void *key;
	size_t key_size;
	int rc;

	if (!m->tag)
		m->tag = --f->next;
	sqlite3_bind_int64(f->put, 1, m->tag + 1);
	sqlite3_bind_int64(f->put, 2, (int64_t)w->ts);
	sqlite3_bind_int64(f->put, 3, d->id);
	key = pack_bytes(&f->packed, d->key_size ? e->key : NULL, d->key_size, &key_size);
	sqlite3_bind_blob(f->put, 4, key, (int)key_size, SQLITE_STATIC);
	rc = bind_words(f, 5, d, e->value, 1);
	if (d->func >= AGG_QUANTIZE)
		value = f->text.n;
	if (rc == SQLITE_OK)
		rc = bind_words(f, 6, d, e->percpu, f->schema->ncpus);
	if (e->percpu && d->func >= AGG_QUANTIZE)
		percpu = f->text.n;
	if (rc == SQLITE_OK)
		rc = sqlite3_step(f->put);
	sqlite3_reset(f->put);
	f->bytes -= m->bytes;
	m->bytes = (uint32_t)(ROW_BYTES + d->key_size + value + percpu);
	f->bytes += m->bytes;
	f->memory -= m->memory;
	m->memory = memory_of(f, d, e);
	f->memory += m->memory;
	m->stamp = ++f->changes;
	return rc == SQLITE_DONE || rc == SQLITE_OK ? 0 : rc;
}

/* SQLite removes by number what it has found: all that was taken in, and rows of entries that went. */
static int remove_gone(struct fold *f)
{
	int rc = f->rc;

	for (size_t i = 0; i < f->gone.n && rc == SQLITE_OK; i++) {
		sqlite3_bind_int64(f->remove, 1, f->gone.v[i]);
		rc = sqlite3_step(f->remove);
		sqlite3_reset(f->remove);
		rc = rc == SQLITE_DONE ? SQLITE_OK : rc;
	}
	f->gone.n = 0;
	return rc;
}

static int put_normals(struct fold *f)
{
	int rc = SQLITE_OK;

	for (uint32_t i = 0; i < f->schema->naggs && rc == SQLITE_OK; i++) {
		char name[32], value[24];

		if (aggstate_normal(f->state, i) == 1)
			continue;
		snprintf(name, sizeof(name), RECFILE_NORMAL "%u", i);
		snprintf(value, sizeof(value), "%lld", (long long)aggstate_normal(f->state, i));
		rc = recfile_exec(f->db, "INSERT OR REPLACE INTO meta VALUES(?, ?)", "ss", name, value);
	}
	return rc;
}

int fold_rows(struct fold *f, int64_t after, int64_t last, uint64_t ts)
{
	struct writing w = { f, ts };
	int rc = take_rows(f, after, last);

	if (rc == SQLITE_OK)
		rc = remove_gone(f); /* first: their pages take what is written */
	if (rc == SQLITE_OK) {
		forget_slots(f, ts);
		rc = aggstate_take_changed(f->state, put_entry, &w);
	}
	while (rc == SQLITE_OK && (f->bytes > f->max_bytes || f->memory > FOLD_MEMORY))
		rc = forget(f);
	if (rc == SQLITE_OK)
		rc = remove_gone(f);
	return rc == SQLITE_OK ? put_normals(f) : rc;
}

int fold_forget(struct fold *f)
{
	int rc = forget(f);

	return rc == SQLITE_OK ? remove_gone(f) : rc;
}

/* -- addresses -- */

struct naming {
	recfile_address_fn *fn;
	void *ctx;
};

static int name_entry(void *ctx, const struct aggdesc *d, const struct agg_entry *e, struct agg_mark *m)
{
	const struct naming *n = ctx;

	(void)m;
	for (size_t i = 0; i < d->nkeys; i++)
		recfile_addresses(&d->keys[i], e->key, n->fn, n->ctx);
	return 0;
}

void fold_addresses(struct fold *f, recfile_address_fn *fn, void *ctx)
{
	struct naming n = { fn, ctx };

	sift(f, name_entry, &n);
}
