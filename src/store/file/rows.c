/* SPDX-License-Identifier: Apache-2.0 */
/* Writes rows that have tables of their own: slow events with their attributes and stacks, spans, processes and
 * mappings, costs. */
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/hash_try.h"
#include "store/flight.h"
#include "store/file/keytext.h"
#include "store/file/packed.h"
#include "store/file/int.h"
#include "store/slow.h"

#define STACKS_KNOWN 65536 /* stacks that are known to be in the file: more are looked up there */
/* Bytes in the file, with indices, without texts. */
#define SLOW_BYTES 250
#define ATTR_BYTES 40
#define STACK_BYTES 80
#define SPAN_BYTES 70
#define SMALL_BYTES 50 /* processes, costs, flight events */
#define SWEEP_PART 8   /* of the slow events must have gone: then it is looked for stacks that nobody has */

struct known_stack {
	UT_hash_handle hh;
	int64_t id;
	size_t n;
	uint8_t ident[];
};

/* A stack in the file, and the slow event that had it last: for sweeping. */
struct stack_use {
	UT_hash_handle hh;
	int64_t id, slow;
};

enum {
	ST_SLOW,
	ST_ATTR,
	ST_STACK,
	ST_FIND_STACK,
	ST_SPAN,
	ST_PROC,
	ST_COST,
	ST_FLIGHT,
	ST_FLIGHT_EVENT,
	ST_NO_STACK,
	ST_N
};

static const char *const statements[] = {
	[ST_SLOW] = "INSERT INTO slow VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
	[ST_ATTR] = "INSERT INTO slow_attr VALUES(?,?,?,?,?,?)",
	[ST_STACK] = "INSERT INTO stack VALUES(NULL,?,?,?,?,?,?)",
	[ST_FIND_STACK] = ("SELECT id FROM stack WHERE hash = ? AND space = ? AND tgid = ? AND start = ? AND flags = ?"
			   " AND frames = ?"),
	[ST_SPAN] = "INSERT INTO span VALUES(?,?,?,?,?,?)",
	[ST_PROC] = "INSERT INTO process VALUES(?,?,?,?,?,?,?,?,?)",
	[ST_COST] = "INSERT INTO cost VALUES(?,?,?,?,?,?,?)",
	[ST_FLIGHT] = "INSERT INTO flight VALUES(?,?,?,?,?,?,?,?)",
	[ST_FLIGHT_EVENT] = "INSERT INTO flight_event VALUES(?,?,?,?,?,?,?,?)",
	[ST_NO_STACK] = "DELETE FROM stack WHERE id = ?",
};

struct rowfile {
	sqlite3 *db;
	sqlite3_stmt *st[ST_N];
	const struct rec_schema *schema;
	bool *special; /* by epid - 1: has spans or slow events */
	struct known_stack *stacks;
	const char *(*cause)(void *ctx, const uint8_t *frames, size_t n); /* of recfile_info */
	void *cause_ctx;
	struct strb text;
	struct packbuf packed;
	struct rec_ids last; /* numbers are never used again, as the file's own would be when all rows have gone */
	uint64_t written;    /* bytes */
	bool note_stacks;
	struct stack_use *uses;
	int64_t swept;		/* slow events up to this one had gone when it was looked for stacks */
	int64_t slow, slow_seq; /* the first slow event of the row stored last: a flight record is about that */
};

int rowfile_new(sqlite3 *db, const struct rec_schema *schema, const struct recfile_info *info, struct rowfile **ret)
{
	struct rowfile *f = calloc(1, sizeof(*f));
	int rc = SQLITE_OK;

	if (!f)
		return SQLITE_NOMEM;
	*ret = f;
	f->db = db;
	f->schema = schema;
	f->cause = info->cause;
	f->cause_ctx = info->cause_ctx;
	f->special = calloc(schema->nfmts + 1, sizeof(*f->special));
	if (!f->special)
		return SQLITE_NOMEM;
	for (size_t i = 0; i < schema->nfmts; i++)
		for (size_t k = 0; k < schema->fmts[i]->nacts; k++)
			f->special[i] |= schema->fmts[i]->acts[k].kind == ACT_SPAN ||
					 schema->fmts[i]->acts[k].kind == ACT_SLOW;
	for (int i = 0; i < ST_N && rc == SQLITE_OK; i++)
		rc = sqlite3_prepare_v3(db, statements[i], -1, SQLITE_PREPARE_PERSISTENT, &f->st[i], NULL);
	return rc;
}

static void forget_stacks(struct rowfile *f)
{
	struct known_stack *s, *next;

	HASH_ITER (hh, f->stacks, s, next) {
		HASH_DEL(f->stacks, s);
		free(s);
	}
}

void rowfile_free(struct rowfile *f)
{
	struct stack_use *u, *next;

	if (!f)
		return;
	forget_stacks(f);
	HASH_ITER (hh, f->uses, u, next) {
		HASH_DEL(f->uses, u);
		free(u);
	}
	for (int i = 0; i < ST_N; i++)
		sqlite3_finalize(f->st[i]);
	strb_free(&f->text);
	packbuf_free(&f->packed);
	free(f->special);
	free(f);
}

void rowfile_ids(const struct rowfile *f, struct rec_ids *ret)
{
	*ret = f->last;
}
uint64_t rowfile_written(const struct rowfile *f)
{
	return f->written;
}
void rowfile_note_stacks(struct rowfile *f)
{
	f->note_stacks = true;
}

/* Executes a statement with what is bound to it. */
static int run(sqlite3_stmt *st)
{
	int rc = sqlite3_step(st);

	sqlite3_reset(st);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static void bind_str(sqlite3_stmt *st, int i, const void *p, size_t max)
{
	sqlite3_bind_text(st, i, p, (int)strnlen(p, max), SQLITE_TRANSIENT);
}

/* -- stacks -- */

struct stack_ident {
	uint64_t space, tgid, start, flags;
};

static uint64_t hash_of(const void *p, size_t n)
{
	const uint8_t *b = p;
	uint64_t h = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (size_t i = 0; i < n; i++)
		h = (h ^ b[i]) * UINT64_C(0x100000001b3);
	return h;
}

static int bind_stack(sqlite3_stmt *st, uint64_t hash, const struct stack_ident *id, const void *frames, size_t n)
{
	sqlite3_bind_int64(st, 1, (int64_t)hash);
	sqlite3_bind_int64(st, 2, (int64_t)id->space);
	sqlite3_bind_int64(st, 3, (int64_t)id->tgid);
	sqlite3_bind_int64(st, 4, (int64_t)id->start);
	sqlite3_bind_int64(st, 5, (int64_t)id->flags);
	return sqlite3_bind_blob(st, 6, n ? frames : "", (int)n, SQLITE_STATIC);
}

static int store_stack(struct rowfile *f, const struct stack_ident *id, const uint8_t *frames, size_t n, int64_t *ret)
{
	struct known_stack *k = calloc(1, sizeof(*k) + sizeof(*id) + n), *found;
	uint64_t hash;
	int rc = SQLITE_OK;

	if (!k)
		return SQLITE_NOMEM;
	k->n = sizeof(*id) + n;
	memcpy(k->ident, id, sizeof(*id));
	memcpy(k->ident + sizeof(*id), frames, n);
	HASH_FIND(hh, f->stacks, k->ident, k->n, found);
	if (found) {
		free(k);
		*ret = found->id;
		return SQLITE_OK;
	}
	hash = hash_of(k->ident, k->n);
	bind_stack(f->st[ST_FIND_STACK], hash, id, frames, n);
	k->id = sqlite3_step(f->st[ST_FIND_STACK]) == SQLITE_ROW ? sqlite3_column_int64(f->st[ST_FIND_STACK], 0) : 0;
	sqlite3_reset(f->st[ST_FIND_STACK]);
	if (!k->id) {
		bind_stack(f->st[ST_STACK], hash, id, frames, n);
		rc = run(f->st[ST_STACK]);
		k->id = sqlite3_last_insert_rowid(f->db);
		f->written += STACK_BYTES + n;
	}
	*ret = k->id;
	if (rc == SQLITE_OK && HASH_COUNT(f->stacks) < STACKS_KNOWN) {
		HASH_ADD_KEYPTR(hh, f->stacks, k->ident, k->n, k);
		if (k->hh.tbl)
			return SQLITE_OK;
	}
	free(k);
	return rc;
}

static uint32_t count_frames(const struct recfield *fld, const uint8_t *p)
{
	uint32_t n = 0;
	uint64_t pc;

	for (; n < fld->nframes; n++) {
		memcpy(&pc, p + 8 * (size_t)n, sizeof(pc));
		if (!pc)
			break;
	}
	return n;
}

/* The slow event that is being stored has this stack. */
static int use_stack(struct rowfile *f, int64_t id)
{
	struct stack_use *u;

	if (!f->note_stacks)
		return SQLITE_OK;
	HASH_FIND(hh, f->uses, &id, sizeof(id), u);
	if (!u) {
		u = calloc(1, sizeof(*u));
		if (!u)
			return SQLITE_NOMEM;
		u->id = id;
		HASH_ADD(hh, f->uses, id, sizeof(u->id), u);
		if (!u->hh.tbl) {
			free(u);
			return SQLITE_NOMEM;
		}
	}
	u->slow = f->last.slow;
	return SQLITE_OK;
}

int rowfile_sweep(struct rowfile *f, int64_t slow)
{
	struct stack_use *u, *next;
	int rc = SQLITE_OK;

	if (slow - f->swept <= (f->last.slow - slow) / SWEEP_PART)
		return SQLITE_OK;
	f->swept = slow;
	HASH_ITER (hh, f->uses, u, next) {
		if (u->slow > slow)
			continue;
		sqlite3_bind_int64(f->st[ST_NO_STACK], 1, u->id);
		rc = run(f->st[ST_NO_STACK]);
		if (rc != SQLITE_OK)
			break;
		HASH_DEL(f->uses, u);
		free(u);
	}
	forget_stacks(f);
	return rc;
}

/* The number of the stack in a field. */
static int field_stack(struct rowfile *f, const struct recfield *fld, const uint8_t *p, int64_t *ret)
{
	struct stack_ident id = { .space = fld->kind == FLD_USTACK ? RECFILE_USER : RECFILE_KERNEL };

	if (fld->kind == FLD_USTACK) {
		struct rec_ustack_hdr h;

		memcpy(&h, p, sizeof(h));
		id.tgid = h.tgid;
		id.start = h.start;
		id.flags = h.flags;
		p += sizeof(h);
	}
	return store_stack(f, &id, p, 8 * (size_t)count_frames(fld, p), ret);
}

/* -- slow events -- */

static int put_attr(struct rowfile *f, int64_t slow, size_t pos, const struct recfield *fld, const uint8_t *p)
{
	sqlite3_stmt *st = f->st[ST_ATTR];
	int64_t stack, value = 0;
	int rc;

	sqlite3_clear_bindings(st);
	sqlite3_bind_int64(st, 1, slow);
	sqlite3_bind_int64(st, 2, (int64_t)pos);
	sqlite3_bind_text(st, 3, fld->name ? fld->name : "", -1, SQLITE_STATIC);
	f->written += ATTR_BYTES + (fld->name ? strlen(fld->name) : 0) + (fld->kind == FLD_INT ? 0 : fld->size / 4);
	if (fld->kind == FLD_STACK || fld->kind == FLD_USTACK || fld->kind == FLD_WHY) {
		rc = field_stack(f, fld, p, &stack);
		if (rc == SQLITE_OK)
			rc = use_stack(f, stack);
		if (rc != SQLITE_OK)
			return rc;
		sqlite3_bind_int64(st, 6, stack);
		if (fld->kind == FLD_WHY && f->cause)
			sqlite3_bind_text(st, 5, f->cause(f->cause_ctx, p, count_frames(fld, p)), -1, SQLITE_TRANSIENT);
	} else if (fld->kind == FLD_INT) {
		unsigned shift = 64 - 8 * fld->size;

		memcpy(&value, p, fld->size);
		value = (int64_t)((uint64_t)value << shift);
		sqlite3_bind_int64(st, 4, fld->is_signed ? value >> shift : (int64_t)((uint64_t)value >> shift));
	} else {
		strb_reset(&f->text);
		keytext_value(&f->text, fld, p);
		sqlite3_bind_text(st, 5, strb_str(&f->text), (int)f->text.n, SQLITE_STATIC);
	}
	return run(st);
}

static int put_slow(struct rowfile *f, const struct recact *act, const uint8_t *rec, int64_t seq)
{
	struct slow_event e = slow_event(f->schema, act, rec);
	const struct rec_slow *s = &e.fixed;
	const uint64_t numbers[] = { (uint64_t)seq, s->tracker, s->start, s->delay, s->start + s->delay };
	const uint64_t more[] = { s->exit_id, s->cgroup, s->pid, s->tid, s->cpu, s->end_pid, s->end_tid, s->end_cpu };
	sqlite3_stmt *st = f->st[ST_SLOW];
	const void *key;
	size_t key_size;
	int64_t id;
	int n = 0, rc;

	if (!e.tracker)
		return SQLITE_OK;
	id = ++f->last.slow;
	sqlite3_bind_int64(st, ++n, id);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		sqlite3_bind_int64(st, ++n, (int64_t)numbers[i]);
	bind_str(st, ++n, slow_how_name(s->how), 32);
	for (size_t i = 0; i < ARRAY_SIZE(more); i++)
		sqlite3_bind_int64(st, ++n, (int64_t)more[i]);
	bind_str(st, ++n, s->comm, REC_COMM);
	bind_str(st, ++n, s->end_comm, REC_COMM);
	strb_reset(&f->text);
	if (e.key)
		keytext_put(&f->text, e.tracker->keys, e.tracker->nkeys, e.key);
	sqlite3_bind_text(st, ++n, strb_str(&f->text), (int)f->text.n, SQLITE_TRANSIENT);
	key = pack_bytes(&f->packed, e.key, e.key ? e.tracker->key_size : 0, &key_size);
	sqlite3_bind_blob(st, ++n, key, (int)key_size, SQLITE_STATIC);
	rc = run(st);
	f->written += SLOW_BYTES + f->text.n + key_size;
	if (f->slow_seq != seq)
		f->slow = id;
	f->slow_seq = seq;
	for (size_t i = 0; i < e.nattrs && rc == SQLITE_OK; i++)
		rc = put_attr(f, id, i, &e.attrs[i], rec + e.attrs[i].off);
	return rc;
}

/* -- spans, processes, costs -- */

static uint64_t number_at(const struct recfield *f, const uint8_t *rec)
{
	uint64_t v = 0;

	memcpy(&v, rec + f->off, f->size > 8 ? 8 : f->size);
	return v;
}

static int put_span(struct rowfile *f, const struct recact *act, const uint8_t *rec, int64_t seq)
{
	sqlite3_stmt *st = f->st[ST_SPAN];

	if (act->nfields < 4)
		return SQLITE_OK;
	f->written += SPAN_BYTES;
	sqlite3_bind_int64(st, 1, ++f->last.span);
	sqlite3_bind_int64(st, 2, seq);
	bind_str(st, 3, rec + act->fields[0].off, act->fields[0].size);
	bind_str(st, 4, rec + act->fields[1].off, act->fields[1].size);
	sqlite3_bind_int64(st, 5, (int64_t)number_at(&act->fields[2], rec));
	sqlite3_bind_int64(st, 6, (int64_t)number_at(&act->fields[3], rec));
	return run(st);
}

int rowfile_event(struct rowfile *f, const struct row *row, int64_t seq)
{
	const struct recfmt *fmt;
	int rc = SQLITE_OK;

	if (row->id < 1 || row->id > f->schema->nfmts || !f->special[row->id - 1])
		return SQLITE_OK;
	fmt = f->schema->fmts[row->id - 1];
	for (size_t i = 0; i < fmt->nacts && row->len >= fmt->size && rc == SQLITE_OK; i++) {
		if (fmt->acts[i].kind == ACT_SPAN)
			rc = put_span(f, &fmt->acts[i], row->data, seq);
		else if (fmt->acts[i].kind == ACT_SLOW)
			rc = put_slow(f, &fmt->acts[i], row->data, seq);
	}
	return rc;
}

int rowfile_proc(struct rowfile *f, const struct row *row)
{
	sqlite3_stmt *st = f->st[ST_PROC];
	struct rec_proc p;

	if (row->len < sizeof(p))
		return SQLITE_OK;
	memcpy(&p, row->data, sizeof(p));
	if (!rec_proc_name(p.kind))
		return SQLITE_OK;
	f->written += SMALL_BYTES + row->len - sizeof(p);
	sqlite3_clear_bindings(st);
	sqlite3_bind_int64(st, 1, ++f->last.process);
	sqlite3_bind_int64(st, 2, (int64_t)row->ts);
	sqlite3_bind_text(st, 3, rec_proc_name(p.kind), -1, SQLITE_STATIC);
	sqlite3_bind_int64(st, 4, p.tgid);
	if (p.kind == PROC_FORK || p.kind == PROC_ALIVE)
		sqlite3_bind_int64(st, 5, p.parent);
	if (p.kind == PROC_MMAP) {
		sqlite3_bind_int64(st, 6, (int64_t)p.addr);
		sqlite3_bind_int64(st, 7, (int64_t)p.len);
		sqlite3_bind_int64(st, 8, (int64_t)p.off);
	}
	if (row->len > sizeof(p) && p.kind != PROC_FORK && p.kind != PROC_EXIT)
		bind_str(st, 9, (const uint8_t *)row->data + sizeof(p), row->len - sizeof(p));
	return run(st);
}

int rowfile_cost(struct rowfile *f, const struct row *row)
{
	sqlite3_stmt *st = f->st[ST_COST];
	struct rec_cost c;

	if (row->len < sizeof(c))
		return SQLITE_OK;
	memcpy(&c, row->data, sizeof(c));
	f->written += SMALL_BYTES;
	sqlite3_bind_int64(st, 1, ++f->last.cost);
	sqlite3_bind_int64(st, 2, (int64_t)row->ts);
	sqlite3_bind_int64(st, 3, row->id);
	sqlite3_bind_int64(st, 4, row->probe);
	sqlite3_bind_int64(st, 5, (int64_t)c.run_ns);
	sqlite3_bind_int64(st, 6, (int64_t)c.run_cnt);
	sqlite3_bind_int64(st, 7, (int64_t)c.interval);
	return run(st);
}

/* -- what the flight recorder saw -- */

static int put_flight_event(struct rowfile *f, int64_t flight, const struct flight_rec *rec, uint32_t i)
{
	const struct flight_event e = flight_event(rec, i);
	sqlite3_stmt *st = f->st[ST_FLIGHT_EVENT];

	sqlite3_bind_int64(st, 1, flight);
	sqlite3_bind_int64(st, 2, i);
	sqlite3_bind_int64(st, 3, (int64_t)e.ts);
	sqlite3_bind_int64(st, 4, e.cpu);
	bind_str(st, 5, e.kind, sizeof(e.kind));
	sqlite3_bind_int64(st, 6, e.id);
	sqlite3_bind_int64(st, 7, e.info);
	bind_str(st, 8, e.text, sizeof(e.text));
	return run(st);
}

int rowfile_flight(struct rowfile *f, const struct row *row)
{
	sqlite3_stmt *st = f->st[ST_FLIGHT];
	struct flight_rec rec;
	int64_t id;
	int rc;

	if (!f->slow || flight_open(row->data, row->len, &rec) < 0)
		return SQLITE_OK;
	id = ++f->last.flight;
	f->written += SMALL_BYTES * (1 + (uint64_t)rec.h.n);
	sqlite3_bind_int64(st, 1, id);
	sqlite3_bind_int64(st, 2, f->slow_seq);
	sqlite3_bind_int64(st, 3, f->slow);
	sqlite3_bind_int64(st, 4, (int64_t)rec.h.from);
	sqlite3_bind_int64(st, 5, (int64_t)rec.h.to);
	sqlite3_bind_int64(st, 6, (int64_t)rec.h.covered);
	sqlite3_bind_int64(st, 7, rec.h.torn);
	sqlite3_bind_int64(st, 8, rec.h.skipped);
	rc = run(st);
	for (uint32_t i = 0; i < rec.h.n && rc == SQLITE_OK; i++)
		rc = put_flight_event(f, id, &rec, i);
	return rc;
}
