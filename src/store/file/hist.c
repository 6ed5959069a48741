/* SPDX-License-Identifier: Apache-2.0 */
/* Collects histograms of time slots before they go to the file. It adds the rows of one slot up in memory, and those of
 * minutes and hours, until the slot is over. Open slots are written at every commit. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/hash_try.h"
#include "base/vec.h"
#include "store/file/keytext.h"
#include "store/rechist.h"
#include "store/file/int.h"
#include "store/file/sparse.h"

/* A slot is kept in memory until the newest row is this much younger than its end. So it is not written again and
 * again. Later rows add to what is in the file. */
#define SLOT_GRACE_NS 5000000000u
#define HIST_BYTES 110	      /* of a slot in the file, without its buckets */
#define HIST_BYTES_TEXT "110" /* the same in SQL */
#define KEY_BYTES 40	      /* of a key, without what it is and its text */
/* Open minutes and hours are written this often; their seconds are in the file. */
#define ROLLUP_NS 10000000000u

struct hkey { /* a source and a key of it */
	UT_hash_handle hh;
	int64_t id;
	uint64_t newest; /* slot, by its begin */
	uint64_t bytes;
	uint32_t source, key_size;
	uint8_t ident[]; /* source, key */
};

struct slot {
	UT_hash_handle hh;
	bool dirty;
	bool open;  /* so it is in the file */
	bool there; /* in the file, open or not */
	struct slot_ident {
		uint64_t period, start;
		int64_t key;
		uint64_t source;
	} id;
	struct histsum sum;
};

/* Lengths of slots that a source has in the file. */
struct period {
	uint64_t ns;
	uint32_t source;
};

struct histfile {
	sqlite3 *db;
	VEC(struct period) periods;
	uint64_t bytes[HIST_TIERS], written;
	uint64_t key_bytes, max_key_bytes; /* 0: no limit */
	sqlite3_stmt *put, *get, *bucket;
	const struct rec_schema *schema;
	uint64_t wall_off;
	struct hkey *keys;
	struct slot *slots;
	uint32_t *nkeys;	    /* by source */
	uint64_t read, read_before; /* when aggregations were read last, and the time before */
	uint8_t **named;	    /* by source: a bit for each bucket that is in the table */
	size_t nsources;
	int64_t next_key;
	uint64_t newest, rolled;
	struct rechist_buf buf;
	struct strb text;
};

int histfile_new(sqlite3 *db, const struct rec_schema *schema, uint64_t wall_off, struct histfile **ret)
{
	static const char put[] = "INSERT OR REPLACE INTO hist VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)";
	static const char get[] = "SELECT count, sum, max, flags, buckets FROM hist"
				  " WHERE source = ? AND period = ? AND start = ? AND key = ?";
	static const char bucket[] = "INSERT OR IGNORE INTO bucket VALUES(?,?,?,?)";
	struct histfile *h = calloc(1, sizeof(*h));

	if (!h)
		return SQLITE_NOMEM;
	*ret = h;
	h->db = db;
	h->schema = schema;
	h->wall_off = wall_off;
	h->nsources = schema->ntrackers + schema->naggs;
	h->next_key = 1;
	h->nkeys = calloc(h->nsources + 1, sizeof(*h->nkeys));
	h->named = calloc(h->nsources + 1, sizeof(*h->named));
	if (!h->nkeys || !h->named)
		return SQLITE_NOMEM;
	if (sqlite3_prepare_v3(db, put, -1, SQLITE_PREPARE_PERSISTENT, &h->put, NULL) != SQLITE_OK ||
	    sqlite3_prepare_v3(db, get, -1, SQLITE_PREPARE_PERSISTENT, &h->get, NULL) != SQLITE_OK ||
	    sqlite3_prepare_v3(db, bucket, -1, SQLITE_PREPARE_PERSISTENT, &h->bucket, NULL) != SQLITE_OK)
		return sqlite3_errcode(db);
	return SQLITE_OK;
}

static void slot_drop(struct histfile *h, struct slot *s)
{
	HASH_DEL(h->slots, s);
	histsum_free(&s->sum);
	free(s);
}

void histfile_free(struct histfile *h)
{
	struct slot *s, *snext;
	struct hkey *k, *knext;

	if (!h)
		return;
	HASH_ITER (hh, h->slots, s, snext)
		slot_drop(h, s);
	HASH_ITER (hh, h->keys, k, knext) {
		HASH_DEL(h->keys, k);
		free(k);
	}
	for (size_t i = 0; h->named && i < h->nsources; i++)
		free(h->named[i]);
	vec_free(&h->periods);
	free(h->nkeys);
	free(h->named);
	sqlite3_finalize(h->put);
	sqlite3_finalize(h->get);
	sqlite3_finalize(h->bucket);
	rechist_buf_free(&h->buf);
	strb_free(&h->text);
	free(h);
}

/* -- keys -- */

static int put_key(struct histfile *h, const struct hkey *k, const struct rec_histdesc *d)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(h->db, "INSERT INTO hist_key VALUES(?,?,?,?)", -1, &st, NULL);

	strb_reset(&h->text);
	if (d)
		keytext_put(&h->text, d->keys, d->nkeys, k->ident + sizeof(k->source));
	else
		strb_adds(&h->text, "other");
	if (rc == SQLITE_OK) {
		sqlite3_bind_int64(st, 1, k->id);
		sqlite3_bind_int64(st, 2, k->source);
		if (d) /* no key: that of values under all others */
			sqlite3_bind_blob(st, 3, k->ident + sizeof(k->source), (int)k->key_size, SQLITE_STATIC);
		sqlite3_bind_text(st, 4, strb_str(&h->text), (int)h->text.n, SQLITE_STATIC);
		rc = sqlite3_step(st);
	}
	sqlite3_finalize(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static bool keys_are_full(const struct histfile *h, uint32_t source)
{
	return h->nkeys[source] >= RECFILE_HIST_KEYS || (h->max_key_bytes && h->key_bytes > h->max_key_bytes);
}

/* The number of a key of a source with a slot that begins at a time; d NULL: of the one for all keys beyond the
 * limit. */
static int key_id(struct histfile *h, uint32_t source, const struct rec_histdesc *d, const void *key, uint64_t start,
		  int64_t *ret)
{
	uint32_t key_size = d ? d->key_size : 1; /* that one is told from an empty key by its length */
	struct hkey *k = calloc(1, sizeof(*k) + sizeof(source) + key_size), *found;
	int rc;

	if (!k)
		return SQLITE_NOMEM;
	k->source = source;
	k->key_size = key_size;
	memcpy(k->ident, &source, sizeof(source));
	if (d && key_size)
		memcpy(k->ident + sizeof(source), key, key_size);
	if (!d)
		k->ident[sizeof(source)] = UINT8_MAX;
	HASH_FIND(hh, h->keys, k->ident, sizeof(source) + key_size, found);
	if (!found && d && keys_are_full(h, source)) {
		free(k);
		return key_id(h, source, NULL, NULL, start, ret);
	}
	if (found) {
		free(k);
		found->newest = start > found->newest ? start : found->newest;
		*ret = found->id;
		return SQLITE_OK;
	}
	k->id = *ret = h->next_key;
	k->newest = start;
	rc = put_key(h, k, d);
	k->bytes = KEY_BYTES + key_size + h->text.n;
	if (rc == SQLITE_OK)
		HASH_ADD_KEYPTR(hh, h->keys, k->ident, sizeof(source) + key_size, k);
	if (rc != SQLITE_OK || !k->hh.tbl) {
		free(k);
		return rc != SQLITE_OK ? rc : SQLITE_NOMEM;
	}
	h->next_key++;
	h->nkeys[source]++;
	h->key_bytes += k->bytes;
	return SQLITE_OK;
}

/* -- slots -- */

struct refill {
	struct rec_bucket *v;
	uint32_t n;
};

static bool add_bucket(void *ctx, uint32_t index, uint64_t value)
{
	struct refill *f = ctx;

	f->v[f->n++] = (struct rec_bucket){ .index = index, .count = value };
	return true;
}

/* Reads the part of a slot that is in the file already. */
static int refill(struct histfile *h, struct slot *s, const struct rec_histdesc *d)
{
	_cleanup_free_ struct rec_bucket *v = calloc(d->nbuckets, sizeof(*v));
	struct refill f = { v, 0 };
	struct rec_hist head;
	int rc;

	if (!v)
		return SQLITE_NOMEM;
	sqlite3_bind_int64(h->get, 1, (int64_t)s->id.source);
	sqlite3_bind_int64(h->get, 2, (int64_t)s->id.period);
	sqlite3_bind_int64(h->get, 3, (int64_t)s->id.start);
	sqlite3_bind_int64(h->get, 4, s->id.key);
	rc = sqlite3_step(h->get);
	if (rc == SQLITE_ROW) {
		s->there = true;
		head = (struct rec_hist){ .count = (uint64_t)sqlite3_column_int64(h->get, 0),
					  .sum = (uint64_t)sqlite3_column_int64(h->get, 1),
					  .max = (uint64_t)sqlite3_column_int64(h->get, 2),
					  .flags = (uint32_t)sqlite3_column_int(h->get, 3) & ~(uint32_t)HIST_OPEN };
		sparse_parse((const char *)sqlite3_column_text(h->get, 4), (size_t)sqlite3_column_bytes(h->get, 4),
			     d->nbuckets, add_bucket, &f);
		head.nbuckets = f.n;
		rc = histsum_add(&s->sum, &head, v) < 0 ? SQLITE_NOMEM : SQLITE_DONE;
	}
	sqlite3_reset(h->get);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int add_to_slot(struct histfile *h, const struct slot_ident *id, const struct rec_histdesc *d,
		       const struct rec_hist *head, const struct rec_bucket *buckets)
{
	struct slot *s;
	int rc;

	HASH_FIND(hh, h->slots, id, sizeof(*id), s);
	if (!s) {
		s = calloc(1, sizeof(*s));
		if (!s)
			return SQLITE_NOMEM;
		s->id = *id;
		/* only then it can have been written and dropped */
		rc = id->start + id->period + SLOT_GRACE_NS < h->newest ? refill(h, s, d) : SQLITE_OK;
		if (rc == SQLITE_OK)
			HASH_ADD(hh, h->slots, id, sizeof(s->id), s);
		if (rc != SQLITE_OK || !s->hh.tbl) {
			histsum_free(&s->sum);
			free(s);
			return rc != SQLITE_OK ? rc : SQLITE_NOMEM;
		}
	}
	s->dirty = true;
	return histsum_add(&s->sum, head, buckets) < 0 ? SQLITE_NOMEM : SQLITE_OK;
}

/* Adds a histogram to its slot, and to the second, minute and hour that it lies in. */
static int add_hist(struct histfile *h, uint64_t start, uint32_t source, const struct rec_histdesc *d,
		    const struct rec_hist *head)
{
	static const uint64_t rollups[] = { RECFILE_SECOND_NS, RECFILE_MINUTE_NS, RECFILE_HOUR_NS };
	struct slot_ident id;
	int rc;

	memset(&id, 0, sizeof(id));
	id = (struct slot_ident){ .period = head->period, .start = start, .source = source };
	if (start + head->period > h->newest)
		h->newest = start + head->period;
	rc = key_id(h, source, head->flags & HIST_OTHER ? NULL : d, rechist_key(head), start, &id.key);
	if (rc == SQLITE_OK)
		rc = add_to_slot(h, &id, d, head, rechist_buckets(head));
	for (size_t i = 0; i < ARRAY_SIZE(rollups) && rc == SQLITE_OK; i++) {
		if (head->period >= rollups[i])
			continue;
		id.period = rollups[i];
		id.start = rechist_slot(start, rollups[i], h->wall_off);
		rc = add_to_slot(h, &id, d, head, rechist_buckets(head));
	}
	return rc;
}

int histfile_add(struct histfile *h, const struct row *row)
{
	struct rec_histdesc d;

	if (!rec_hist_source(h->schema, row->id, &d) || !rechist_fits(&d, row->data, row->len))
		return SQLITE_OK; /* no such is made */
	return add_hist(h, row->ts, row->id, &d, row->data);
}

int histfile_agg(struct histfile *h, const struct row *row)
{
	struct row hist;
	struct step s;

	if (row->ts > h->read) {
		h->read_before = h->read;
		h->read = row->ts;
	}
	s = rechist_of_agg(&h->buf, h->schema, row, h->read_before, h->wall_off, &hist);
	return s.error ? SQLITE_NOMEM : s.more ? histfile_add(h, &hist) : SQLITE_OK;
}

/* -- writing -- */

/* The values of the buckets that a slot has, once for each source. */
static int name_buckets(struct histfile *h, const struct slot *s, const struct rec_histdesc *d)
{
	uint8_t **named = &h->named[s->id.source];

	if (!*named)
		*named = calloc(d->nbuckets / 8 + 1, 1);
	if (!*named)
		return SQLITE_NOMEM;
	for (size_t i = 0; i < s->sum.n; i++) {
		uint32_t index = s->sum.v[i].index;
		struct aggval_range r;
		int rc;

		if ((*named)[index / 8] & 1u << index % 8)
			continue;
		r = aggval_bucket_range(d->func, d->param, index);
		sqlite3_clear_bindings(h->bucket);
		sqlite3_bind_int64(h->bucket, 1, (int64_t)s->id.source);
		sqlite3_bind_int64(h->bucket, 2, index);
		if (r.has_from)
			sqlite3_bind_int64(h->bucket, 3, r.from);
		if (r.has_to)
			sqlite3_bind_int64(h->bucket, 4, r.to);
		rc = sqlite3_step(h->bucket);
		sqlite3_reset(h->bucket);
		if (rc != SQLITE_DONE)
			return rc;
		(*named)[index / 8] |= (uint8_t)(1u << index % 8);
	}
	return SQLITE_OK;
}

static enum hist_tier tier_of(uint64_t period)
{
	return period < RECFILE_MINUTE_NS ? HIST_SECONDS : period < RECFILE_HOUR_NS ? HIST_MINUTES : HIST_HOURS;
}

/* Counts what a slot takes that has just been written. */
static int note_slot(struct histfile *h, struct slot *s)
{
	enum hist_tier tier = tier_of(s->id.period);
	struct period p = { s->id.period, (uint32_t)s->id.source };
	uint64_t bytes = HIST_BYTES + h->text.n;

	if (s->there)
		return SQLITE_OK;
	s->there = true;
	h->bytes[tier] += bytes;
	if (tier == HIST_SECONDS)
		h->written += bytes;
	for (size_t i = 0; i < h->periods.n; i++)
		if (h->periods.v[i].ns == p.ns && h->periods.v[i].source == p.source)
			return SQLITE_OK;
	return vec_try_push(&h->periods, p) < 0 ? SQLITE_NOMEM : SQLITE_OK;
}

static int write_slot(struct histfile *h, struct slot *s, bool open)
{
	static const double quantiles[] = { 0.5, 0.9, 0.99, 0.999 };
	struct rec_histdesc d;
	int rc;

	if (!rec_hist_source(h->schema, (uint32_t)s->id.source, &d))
		return SQLITE_OK;
	rc = name_buckets(h, s, &d);
	if (rc != SQLITE_OK)
		return rc;
	strb_reset(&h->text);
	sparse_put_buckets(&h->text, s->sum.v, s->sum.n);
	if (h->text.failed)
		return SQLITE_NOMEM;
	sqlite3_bind_int64(h->put, 1, (int64_t)s->id.source);
	sqlite3_bind_int64(h->put, 2, (int64_t)s->id.period);
	sqlite3_bind_int64(h->put, 3, (int64_t)s->id.start);
	sqlite3_bind_int64(h->put, 4, s->id.key);
	sqlite3_bind_int64(h->put, 5, (int64_t)s->sum.count);
	sqlite3_bind_int64(h->put, 6, (int64_t)s->sum.sum);
	sqlite3_bind_int64(h->put, 7, (int64_t)s->sum.max);
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++)
		sqlite3_bind_int64(h->put, 8 + (int)i, (int64_t)histsum_quantile(&s->sum, &d, quantiles[i]));
	sqlite3_bind_int64(h->put, 12, s->sum.flags | (open ? HIST_OPEN : 0));
	sqlite3_bind_text(h->put, 13, strb_str(&h->text), (int)h->text.n, SQLITE_STATIC);
	rc = sqlite3_step(h->put);
	sqlite3_reset(h->put);
	s->dirty = false;
	s->open = open;
	return rc == SQLITE_DONE ? note_slot(h, s) : rc;
}

int histfile_flush(struct histfile *h, bool end, uint64_t max_bytes, bool *ret_more)
{
	bool roll = end || h->newest >= h->rolled + ROLLUP_NS;
	struct slot *s, *next;
	uint64_t bytes = 0;
	int rc = SQLITE_OK;

	HASH_ITER (hh, h->slots, s, next) {
		bool over = s->id.start + s->id.period + SLOT_GRACE_NS < h->newest;
		bool rollup = s->id.period >= RECFILE_MINUTE_NS;

		if (s->dirty ? roll || over || !rollup : s->open && (over || end)) {
			if (bytes > max_bytes) {
				*ret_more = true;
				return SQLITE_OK;
			}
			rc = write_slot(h, s, rollup && !over && !end);
			bytes += HIST_BYTES + h->text.n;
		}
		if (rc != SQLITE_OK)
			break;
		if (over)
			slot_drop(h, s);
	}
	if (roll)
		h->rolled = h->newest;
	return rc;
}

/* -- limits -- */

void histfile_limit_keys(struct histfile *h, uint64_t bytes)
{
	h->max_key_bytes = bytes;
}
uint64_t histfile_bytes(const struct histfile *h, enum hist_tier tier)
{
	return h->bytes[tier];
}
uint64_t histfile_written(const struct histfile *h)
{
	return h->written;
}

/* The first column of the first row, of slots of a length that begin before a time; -1: none. */
static int64_t ask(struct histfile *h, const char *sql, const struct period *p, uint64_t before)
{
	sqlite3_stmt *st = NULL;
	int64_t n = -1;

	if (sqlite3_prepare_v2(h->db, sql, -1, &st, NULL) == SQLITE_OK) {
		sqlite3_bind_int64(st, 1, p->source);
		sqlite3_bind_int64(st, 2, (int64_t)p->ns);
		sqlite3_bind_int64(st, 3, before > INT64_MAX ? INT64_MAX : (int64_t)before);
		if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_type(st, 0) != SQLITE_NULL)
			n = sqlite3_column_int64(st, 0);
	}
	sqlite3_finalize(st);
	return n;
}

/* The longest slots of a key are the last that have it. */
static int remove_keys(struct histfile *h, uint64_t before)
{
	struct hkey *k, *next;
	int rc = SQLITE_OK;

	HASH_ITER (hh, h->keys, k, next) {
		if (k->newest + RECFILE_HOUR_NS >= before)
			continue;
		rc = recfile_exec(
			h->db,
			"DELETE FROM hist_key WHERE id = ? AND NOT EXISTS (SELECT 1 FROM hist WHERE source = hist_key.source"
			" AND key = hist_key.id)",
			"i", k->id);
		if (rc != SQLITE_OK)
			break;
		if (!sqlite3_changes(h->db))
			continue;
		h->nkeys[k->source]--;
		h->key_bytes -= k->bytes;
		HASH_DEL(h->keys, k);
		free(k);
	}
	return rc;
}

int histfile_remove(struct histfile *h, enum hist_tier tier, uint64_t before)
{
	static const char sum[] = "SELECT sum(length(buckets) + " HIST_BYTES_TEXT
				  ") FROM hist WHERE source = ? AND period = ? AND start < ?";
	int rc = SQLITE_OK;

	for (size_t i = 0; i < h->periods.n && rc == SQLITE_OK; i++) {
		const struct period *p = &h->periods.v[i];
		int64_t bytes;

		if (tier_of(p->ns) != tier || (bytes = ask(h, sum, p, before)) <= 0)
			continue;
		h->bytes[tier] -= (uint64_t)bytes < h->bytes[tier] ? (uint64_t)bytes : h->bytes[tier];
		rc = recfile_exec(h->db, "DELETE FROM hist WHERE source = ? AND period = ? AND start < ?", "iii",
				  (int64_t)p->source, (int64_t)p->ns, (int64_t)before);
	}
	return rc == SQLITE_OK && tier == HIST_HOURS ? remove_keys(h, before) : rc;
}

int histfile_thin(struct histfile *h, enum hist_tier tier, unsigned part, bool *ret_did)
{
	int64_t oldest = INT64_MAX, newest = -1;

	for (size_t i = 0; i < h->periods.n; i++) {
		static const char first[] = "SELECT min(start) FROM hist WHERE source = ? AND period = ? AND start < ?";
		static const char last[] = "SELECT max(start) FROM hist WHERE source = ? AND period = ? AND start < ?";
		const struct period *p = &h->periods.v[i];
		int64_t from, to;

		if (tier_of(p->ns) != tier || (from = ask(h, first, p, UINT64_MAX)) < 0)
			continue;
		to = ask(h, last, p, UINT64_MAX);
		oldest = from < oldest ? from : oldest;
		newest = to > newest ? to : newest;
	}
	if (newest <= oldest)
		return SQLITE_OK;
	*ret_did = true;
	return histfile_remove(h, tier, (uint64_t)(oldest + (newest - oldest + part - 1) / part));
}
