/* SPDX-License-Identifier: Apache-2.0 */
/* Reads formats, aggregations and probes out of a recording file. Does not trust the file: checks everything that
 * views take for granted. */
#include <errno.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "base/recnames.h"
#include "store/file/int.h"

struct loader {
	sqlite3 *db;
	struct arena *a;
	struct err *err;
	struct rec_schema *s;
	struct rectype_table types;
	int version; /* of the file */
};

static int damaged(struct loader *l, const char *what)
{
	return err_set(l->err, -EINVAL, "the recording is damaged: %s", what);
}

/* Calls row() for each row of a query; int64 parameters p0, p1 as far as the query has them. */
static int query(struct loader *l, const char *sql, int64_t p0, int64_t p1,
		 int (*row)(struct loader *l, sqlite3_stmt *st, void *arg), void *arg)
{
	sqlite3_stmt *st = NULL;
	int rc, r = 0;

	if (sqlite3_prepare_v2(l->db, sql, -1, &st, NULL) != SQLITE_OK)
		return recfile_error(l->db, "the recording cannot be read", l->err);
	if (sqlite3_bind_parameter_count(st) > 0)
		sqlite3_bind_int64(st, 1, p0);
	if (sqlite3_bind_parameter_count(st) > 1)
		sqlite3_bind_int64(st, 2, p1);
	while (r == 0 && (rc = sqlite3_step(st)) != SQLITE_DONE)
		r = rc == SQLITE_ROW ? row(l, st, arg) : recfile_error(l->db, "the recording cannot be read", l->err);
	sqlite3_finalize(st);
	return r;
}

/* The fields must lie one after another in ascending positions, each within `size` bytes. */
struct fields {
	VEC(struct recfield) v;
	int64_t size;
};

static bool size_fits(const struct recfield *f)
{
	switch (f->kind) {
	case FLD_INT: return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
	case FLD_STACK:
	case FLD_WHY: return f->nframes <= f->size / 8;
	case FLD_USTACK:
		return f->size >= sizeof(struct rec_ustack_hdr) &&
		       f->nframes <= (f->size - sizeof(struct rec_ustack_hdr)) / 8;
	case FLD_SYM:
	case FLD_FUNC:
	case FLD_MOD: return f->size >= 8;
	case FLD_USYM:
	case FLD_UFUNC:
	case FLD_UMOD:
	case FLD_UADDR: return f->size >= sizeof(struct rec_uaddr);
	default: return true;
	}
}

static int add_field(struct loader *l, sqlite3_stmt *st, void *arg)
{
	struct fields *fs = arg;
	int kind = rec_field_kind((const char *)sqlite3_column_text(st, 0));
	int64_t off = sqlite3_column_int64(st, 1), size = sqlite3_column_int64(st, 2);
	int64_t nframes = sqlite3_column_int64(st, 5), strframes = sqlite3_column_int64(st, 6);
	struct recfield f;

	if (kind < 0 || off < 0 || size < 0 || off > fs->size || size > fs->size - off || nframes < 0 ||
	    nframes > RECFILE_MAX_RECORD || strframes < 0 || strframes > RECFILE_MAX_RECORD ||
	    fs->v.n >= RECFILE_MAX_FIELDS)
		return damaged(l, "a field lies outside its record");
	f = (struct recfield){ .kind = (enum field_kind)kind,
			       .off = (uint32_t)off,
			       .size = (uint32_t)size,
			       .is_signed = sqlite3_column_int(st, 3) != 0,
			       .is_char = sqlite3_column_int(st, 4) != 0,
			       .nframes = (uint32_t)nframes,
			       .strframes = (uint32_t)strframes,
			       .ctype = recfile_text(l->a, st, 7),
			       .name = recfile_text(l->a, st, 9) };
	if (sqlite3_column_int64(st, 8)) {
		int64_t type = sqlite3_column_int64(st, 8);

		if (type < 1 || (uint64_t)type > l->types.n)
			return damaged(l, "a field of a type that does not exist");
		f.type = l->types.v[type - 1];
	}
	if (!size_fits(&f))
		return damaged(l, "a field has a size that its kind cannot have");
	return vec_try_push(&fs->v, f) < 0 ? err_set(l->err, -ENOMEM, "out of memory") : 0;
}

static int load_fields(struct loader *l, int64_t owner, int64_t action, int64_t size, const struct recfield **ret,
		       size_t *ret_n)
{
	struct fields fs = { .size = size };
	int r = query(l,
		      l->version >= 2
			      ? "SELECT kind, off, size, is_signed, is_char, nframes, strframes, ctype, type, name"
				" FROM field WHERE owner = ? AND action = ? ORDER BY pos"
			      : "SELECT kind, off, size, is_signed, is_char, nframes, strframes, ctype, type, NULL"
				" FROM field WHERE owner = ? AND action = ? ORDER BY pos",
		      owner, action, add_field, &fs);

	if (r == 0 && fs.v.n) {
		*ret = arena_memdup(l->a, fs.v.v, fs.v.n * sizeof(*fs.v.v));
		*ret_n = fs.v.n;
	}
	vec_free(&fs.v);
	return r;
}

static int add_agg_ref(struct loader *l, sqlite3_stmt *st, void *arg)
{
	struct recact *act = arg;
	int64_t id = sqlite3_column_int64(st, 0);
	const struct aggdesc **v;

	if (id < 0 || (uint64_t)id >= l->s->naggs || act->naggs >= RECFILE_MAX_FIELDS)
		return damaged(l, "an action names an aggregation that does not exist");
	v = arena_new_arr(l->a, const struct aggdesc *, act->naggs + 1);
	if (act->naggs)
		memcpy(v, act->aggs, act->naggs * sizeof(*v));
	v[act->naggs++] = l->s->aggs[id];
	act->aggs = v;
	return 0;
}

/* Does the action have all fields that views use without asking? */
static bool act_complete(const struct recact *act)
{
	static const struct {
		uint32_t nfields, naggs;
		bool fmt;
	} least[] = {
#define RECACT(kind, name, nfields, naggs, fmt, text, json) [ACT_##kind] = { nfields, naggs, fmt },
#include "base/recact.def"
#undef RECACT
	};

	if (act->nfields < least[act->kind].nfields || act->naggs < least[act->kind].naggs ||
	    (least[act->kind].fmt && !act->fmt))
		return false;
	switch (act->kind) {
	case ACT_STACK: return act->fields[0].kind == FLD_STACK;
	case ACT_USTACK:
	case ACT_JSTACK: return act->fields[0].kind == FLD_USTACK;
	case ACT_SLOW:
		return act->nfields <= 2 + REC_SLOW_ATTRS && act->fields[0].kind == FLD_BYTES &&
		       act->fields[0].size == sizeof(struct rec_slow) && act->fields[1].kind == FLD_BYTES;
	case ACT_PCAP: return act->nfields == REC_PCAP_NFIELDS && act->fields[REC_PCAP_DATA].kind == FLD_BYTES;
	case ACT_PRINT: return act->fields[act->nfields > 1].type;
	default: return true;
	}
}

struct fmt_load {
	struct recfmt *f;
	VEC(struct recact) acts;
};

static int add_action(struct loader *l, sqlite3_stmt *st, void *arg)
{
	struct fmt_load *fl = arg;
	int kind = rec_act_kind((const char *)sqlite3_column_text(st, 1));
	int64_t pos = sqlite3_column_int64(st, 0);
	struct recact act = { .number = (unsigned)sqlite3_column_int(st, 2), .fmt = recfile_text(l->a, st, 3) };
	int r;

	if (kind < 0 || fl->acts.n >= RECFILE_MAX_FIELDS)
		return damaged(l, "an action of unknown kind");
	act.kind = (enum act_kind)kind;
	act.fmt_len = act.fmt ? strlen(act.fmt) : 0;
	r = load_fields(l, fl->f->epid, pos, fl->f->size, &act.fields, &act.nfields);
	if (r == 0)
		r = query(l, "SELECT aggregation FROM action_aggregation WHERE epid = ? AND action = ? ORDER BY pos",
			  fl->f->epid, pos, add_agg_ref, &act);
	if (r == 0 && !act_complete(&act))
		return damaged(l, "an action lacks its data");
	if (r == 0 && vec_try_push(&fl->acts, act) < 0)
		r = err_set(l->err, -ENOMEM, "out of memory");
	return r;
}

static int add_format(struct loader *l, sqlite3_stmt *st, void *arg)
{
	struct recfmt *f = arena_new_obj(l->a, struct recfmt);
	struct fmt_load fl = { .f = f };
	const struct recfmt **v = arg;
	int64_t size = sqlite3_column_int64(st, 1);
	int r;

	if (sqlite3_column_int64(st, 0) != (int64_t)l->s->nfmts + 1 || size < 0 || size > RECFILE_MAX_RECORD ||
	    (size && size < (int64_t)sizeof(struct rec_hdr)))
		return damaged(l, "a record format is out of its bounds");
	f->epid = (uint32_t)(l->s->nfmts + 1);
	f->size = (uint32_t)size;
	f->is_default = sqlite3_column_int(st, 2) != 0;
	f->has_exit = sqlite3_column_int(st, 3) != 0;
	r = query(l, "SELECT pos, kind, number, fmt FROM action WHERE epid = ? ORDER BY pos", f->epid, 0, add_action,
		  &fl);
	if (r == 0) {
		f->acts = arena_memdup(l->a, fl.acts.v, fl.acts.n * sizeof(*fl.acts.v));
		f->nacts = fl.acts.n;
		v[l->s->nfmts++] = f;
	}
	vec_free(&fl.acts);
	return r;
}

static int take_normal(struct loader *l, sqlite3_stmt *st, void *arg)
{
	(void)l;
	((struct aggdesc *)arg)->normal = sqlite3_column_int64(st, 0);
	return 0;
}

static int add_aggregation(struct loader *l, sqlite3_stmt *st, void *arg)
{
	struct aggdesc *d = arena_new_obj(l->a, struct aggdesc);
	const struct aggdesc **v = arg;
	int func = rec_agg_func((const char *)sqlite3_column_text(st, 2));
	int64_t key = sqlite3_column_int64(st, 8), value = sqlite3_column_int64(st, 9);
	int r;

	if (sqlite3_column_int64(st, 0) != (int64_t)l->s->naggs || func < 0 || key < 0 || key % 8 ||
	    key > RECFILE_MAX_RECORD)
		return damaged(l, "an aggregation is out of its bounds");
	d->id = (uint32_t)l->s->naggs;
	d->name = recfile_text(l->a, st, 1);
	d->func = (enum agg_func)func;
	for (int i = 0; i < 4; i++)
		d->param[i] = sqlite3_column_int(st, 3 + i);
	d->is_signed = sqlite3_column_int(st, 7) != 0;
	d->key_size = (uint32_t)key;
	d->value_size = aggval_size(d->func, d->param);
	if (!d->name || !d->value_size || value != d->value_size || value > RECFILE_MAX_RECORD)
		return damaged(l, "an aggregation's values have a size that its function does not have");
	d->slot_ns = (uint64_t)sqlite3_column_int64(st, 10);
	d->slot_wall = sqlite3_column_int(st, 11) != 0;
	if (query(l, "SELECT CAST(value AS INTEGER) FROM meta WHERE key = '" RECFILE_NORMAL "' || ?", d->id, 0,
		  take_normal, d) < 0)
		return -EINVAL;
	v[l->s->naggs++] = d;
	r = load_fields(l, d->id, RECFILE_AGG_KEY, key, &d->keys, &d->nkeys);
	if (r == 0 && d->slot_ns &&
	    (d->slot_ns > INT64_MAX || !d->nkeys || d->keys[0].kind != FLD_INT || d->keys[0].size != 8 ||
	     d->keys[0].off))
		return damaged(l, "an aggregation has no key for its slots");
	return r;
}

static int add_tracker(struct loader *l, sqlite3_stmt *st, void *arg)
{
	struct rec_tracker *v = arg, *t = &v[l->s->ntrackers];
	int64_t key = sqlite3_column_int64(st, 4);

	if (sqlite3_column_int64(st, 0) != (int64_t)l->s->ntrackers || key < 0 || key > RECFILE_MAX_RECORD)
		return damaged(l, "a tracker is out of its bounds");
	*t = (struct rec_tracker){ .id = (uint32_t)l->s->ntrackers,
				   .name = recfile_text(l->a, st, 1),
				   .threshold = (uint64_t)sqlite3_column_int64(st, 2),
				   .timeout = (uint64_t)sqlite3_column_int64(st, 3),
				   .key_size = (uint32_t)key };
	if (!t->name)
		return damaged(l, "a tracker has no name");
	l->s->ntrackers++;
	return load_fields(l, t->id, RECFILE_TRACKER_KEY, key, &t->keys, &t->nkeys);
}

static int load_trackers(struct loader *l, size_t n)
{
	struct rec_tracker *v = arena_new_arr(l->a, struct rec_tracker, n + 1);

	l->s->trackers = v;
	return query(l, "SELECT id, name, threshold, timeout, key_size FROM tracker ORDER BY id LIMIT ?", (int64_t)n, 0,
		     add_tracker, v);
}

static const char *text_or_empty(struct loader *l, sqlite3_stmt *st, int col)
{
	const char *s = recfile_text(l->a, st, col);

	return s ? s : "";
}

static int add_probe(struct loader *l, sqlite3_stmt *st, void *arg)
{
	struct rec_probe *v = arg;
	int64_t id = sqlite3_column_int64(st, 0);

	if (id < 0 || id > UINT32_MAX)
		return damaged(l, "a probe's id is out of its bounds");
	v[l->s->nprobes++] = (struct rec_probe){ (uint32_t)id, text_or_empty(l, st, 1), text_or_empty(l, st, 2),
						 text_or_empty(l, st, 3), text_or_empty(l, st, 4) };
	return 0;
}

static int store_count(struct loader *l, sqlite3_stmt *st, void *arg)
{
	int64_t n = sqlite3_column_int64(st, 0);

	if (n < 0 || n > RECFILE_MAX_FORMATS)
		return damaged(l, "too many formats, aggregations or probes");
	*(size_t *)arg = (size_t)n;
	return 0;
}

static int count(struct loader *l, const char *sql, size_t *ret)
{
	*ret = 0;
	return query(l, sql, 0, 0, store_count, ret);
}

int recfile_get_schema(sqlite3 *db, int version, struct arena *a, struct rec_schema *s, struct err *err)
{
	struct loader l = { .db = db, .a = a, .err = err, .s = s, .version = version };
	size_t nprobes, naggs, nfmts, cpus, ntrackers = 0;
	struct rec_probe *probes;
	const struct aggdesc **aggs;
	const struct recfmt **fmts;
	int r;

	*s = (struct rec_schema){ 0 };
	if ((r = count(&l, "SELECT count(*) FROM probe", &nprobes)) < 0 ||
	    (r = count(&l, "SELECT count(*) FROM aggregation", &naggs)) < 0 ||
	    (r = count(&l, "SELECT count(*) FROM format", &nfmts)) < 0 ||
	    (version >= 2 && (r = count(&l, "SELECT count(*) FROM tracker", &ntrackers)) < 0) ||
	    (r = count(&l, "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'cpus'", &cpus)) < 0)
		return r;
	if (cpus < 1 || cpus > RECFILE_MAX_CPUS)
		return damaged(&l, "it does not say how many CPUs there were");
	r = recfile_get_types(db, a, &l.types, err);
	if (r < 0)
		return r;
	probes = arena_new_arr(a, struct rec_probe, nprobes + 1);
	aggs = arena_new_arr(a, const struct aggdesc *, naggs + 1);
	fmts = arena_new_arr(a, const struct recfmt *, nfmts + 1);
	s->probes = probes;
	s->aggs = aggs;
	s->fmts = fmts;
	s->ncpus = (unsigned)cpus;
	/* LIMIT: the tables may grow while they are read */
	r = query(&l, "SELECT id, provider, module, function, name FROM probe ORDER BY id LIMIT ?", (int64_t)nprobes, 0,
		  add_probe, probes);
	if (r == 0)
		r = query(&l,
			  version >= 2
				  ? "SELECT id, name, function, p0, p1, p2, p3, is_signed, key_size, value_size, slot,"
				    " slot_wall FROM aggregation ORDER BY id LIMIT ?"
				  : "SELECT id, name, function, p0, p1, p2, p3, is_signed, key_size, value_size, 0, 0"
				    " FROM aggregation ORDER BY id LIMIT ?",
			  (int64_t)naggs, 0, add_aggregation, aggs);
	if (r == 0)
		r = query(&l, "SELECT epid, size, is_default, has_exit FROM format ORDER BY epid LIMIT ?",
			  (int64_t)nfmts, 0, add_format, fmts);
	if (r == 0 && ntrackers)
		r = load_trackers(&l, ntrackers);
	return r;
}
