/* SPDX-License-Identifier: Apache-2.0 */
/* Decides where variables live, and how records and keys are laid out. All sizes are static, so that generated
 * code uses constant offsets. */
#include "base/aggval.h"
#include "cg/builtin/call.h"
#include "cg/gen/layout.h"
#include "cg/gen/load.h"
#include "cg/gen/map.h"
#include "cg/lower/act.h"
#include "cg/lower/lower.h"

/* x[cpu] and nothing else: a place for each CPU costs much less than a hash. Strings stay there, as their elements
 * change as a whole. */
static bool lay_by_cpu(struct cg *c, const struct dvar *v, struct lay_var *l)
{
	uint32_t at = (uint32_t)ROUND_UP(c->cpu_size, lay_align(l->size));

	if (!v->is_assoc || v->non_cpu_index || v->nkeys != 1 || v->scope != VS_GLOBAL ||
	    at + l->size > CG_MAX_CPU_VARS || !dtype_is_scalar(dtype_resolve(c->p->types, v->type)))
		return false;
	l->off = at;
	c->cpu_size = at + l->size;
	return l->by_cpu = true;
}

/* Each CPU's part begins a cache line. */
static uint64_t lay_cpus(struct cg *c, uint64_t state)
{
	uint32_t size = CG_CACHE_LINE;

	if (!c->cpu_size)
		return state;
	while (size < c->cpu_size)
		size *= 2;
	c->cpu_size = size;
	state = ROUND_UP(state, CG_CACHE_LINE);
	c->cpu_off = state > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)state;
	return state + (uint64_t)size * cg_cpu_places(c);
}

static int lay_vars(struct cg *c)
{
	uint64_t state = sizeof(struct img_state), tls = 0, this = 0;
	unsigned nstack = 0;
	int r = lay_tracks(c, &tls,
			   &state); /* first: with the kernel's word in front of a thread's storage in one cache line */

	c->vars = arena_new_arr(c->a, struct lay_var, c->p->nvars + 1);
	for (const struct dvar *v = c->p->vars; v; v = v->next) {
		struct lay_var *l = &c->vars[v->id];
		if (v->scope == VS_LOCAL) { /* has its place in the code that uses it */
			l->size = lay_storage(c, v->type);
			continue;
		}
		uint64_t *top = v->scope == VS_GLOBAL ? &state : v->scope == VS_TLS ? &tls : &this;

		l->map = -1;
		l->size = v->unnamed ? 0 : lay_storage(c, v->type);
		if (lay_by_cpu(c, v, l))
			continue;
		if (v->is_assoc) {
			uint32_t prefix = v->scope == VS_TLS ? 16 : 0;

			if (lay_make_key(c, v->keys, v->nkeys, prefix, v->name, v->at, &l->key) < 0)
				r = -EINVAL;
			continue;
		}
		if (v->scope == VS_THIS && nstack < CG_MAX_STACK_VARS &&
		    dtype_is_scalar(dtype_resolve(c->p->types, v->type))) {
			l->on_stack = true;
			nstack++;
			continue;
		}
		*top = ROUND_UP(*top, lay_align(l->size));
		l->off = *top > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)*top;
		*top += l->size;
	}
	state = lay_cpus(c, state);
	struct span none = { .src = NULL };
	if (state > CG_MAX_STATE)
		r = -EINVAL, diag_error(c->d, none, TAG_LIMIT, "global variables need %llu bytes, limit %u",
					(unsigned long long)state, CG_MAX_STATE);
	if (tls > (c->long_strings ? CG_MAX_LONG_TLS : CG_MAX_TLS))
		r = -EINVAL, diag_error(c->d, none, TAG_LIMIT, "thread-local variables need %llu bytes, limit %d",
					(unsigned long long)tls, c->long_strings ? CG_MAX_LONG_TLS : CG_MAX_TLS);
	if (this > cg_scratch_limit(c))
		r = -EINVAL, diag_error(c->d, none, TAG_LIMIT, "clause-local variables need %llu bytes, limit %u",
					(unsigned long long)this, cg_scratch_limit(c));
	c->state_size = (uint32_t)ROUND_UP(state, 8);
	c->tls_size = (uint32_t)ROUND_UP(tls, 8);
	c->this_size = (uint32_t)ROUND_UP(this, 8);
	return r;
}

static int lay_aggs(struct cg *c)
{
	int r = 0;

	c->aggs = arena_new_arr(c->a, struct lay_agg, c->p->naggs + 1);
	c->img->aggs = arena_new_arr(c->a, const struct aggdesc *, c->p->naggs + 1);
	c->img->naggs = c->p->naggs;
	for (const struct dagg *a = c->p->aggs; a; a = a->next) {
		struct lay_agg *l = &c->aggs[a->id];
		struct aggdesc *d = arena_new_obj(c->a, struct aggdesc);
		const char *what = arena_printf(c->a, "@%s", a->name);

		l->map[0] = l->map[1] = -1;
		if (lay_make_key(c, a->keys, a->nkeys, 0, what, a->at, &l->key) < 0)
			r = -EINVAL;
		*d = (struct aggdesc){ .id = a->id,
				       .name = a->name,
				       .func = a->func,
				       .keys = l->key.fields,
				       .nkeys = l->key.nfields,
				       .key_size = l->key.size,
				       .is_signed = a->is_signed,
				       .slot_ns = a->slot_ns,
				       .slot_wall = a->slot_wall,
				       .at = a->at };
		memcpy(d->param, a->param, sizeof(d->param));
		d->value_size = aggval_size(a->func, a->param);
		if (!d->value_size || d->value_size > CG_MAX_AGG_VALUE) {
			diag_error(c->d, a->at, TAG_LIMIT, "values of %s would need %u bytes, limit %d", what,
				   d->value_size, CG_MAX_AGG_VALUE);
			r = -EINVAL;
		}
		l->by_cpu = !d->key_size && d->value_size > CG_MAX_SCRATCH;
		if (d->key_size && d->value_size > CG_MAX_PERCPU_VALUE)
			l->key.extra = IMG_AGG_CPU_KEY;
		l->desc = d;
		c->img->aggs[a->id] = d;
	}
	return r;
}

static bool is_format_act(enum act_kind k)
{
	return k == ACT_PRINTF || k == ACT_PRINTA || k == ACT_FREOPEN || k == ACT_SYSTEM;
}

/* tracemem(address, size, [shown]): bytes, then perhaps how many of them to show. */
static size_t lay_tracemem(struct cg *c, const struct node *call, struct lay_field *fl)
{
	const struct node *size = call->args ? call->args->next : NULL;
	int64_t n = 0;

	if (!size || !node_const(size, &n) || n < 1)
		n = 1;
	fl[0].n = call->args;
	fl[0].f = (struct recfield){ .kind = FLD_BYTES,
				     .size = n > CG_MAX_RECORD_SIZE ? CG_MAX_RECORD_SIZE * 2 : (uint32_t)n };
	if (!size || !size->next)
		return 1;
	fl[1].n = size->next;
	fl[1].f = lay_field_of(c, size->next->type);
	return 2;
}

static void lay_act(struct cg *c, const struct stmt *s, enum act_kind kind, struct recact *ra, struct lay_act *la,
		    uint64_t *off)
{
	const struct node *call = s->expr;
	struct lay_field *fl = arena_new_arr(c->a, struct lay_field, call->nargs + REC_PCAP_NFIELDS);
	const struct aggdesc **aggs = arena_new_arr(c->a, const struct aggdesc *, call->nargs + 1);
	const struct node *n = call->args;
	size_t nf = 0, na = 0;

	*ra = (struct recact){ .kind = kind, .number = s->number, .at = s->at };
	if (kind == ACT_PRINT) {
		nf = lay_print(c, call, fl);
		n = NULL;
	} else if (kind == ACT_SLOW) {
		nf = lay_slow(c, call, fl);
		n = NULL;
	} else if (kind == ACT_PCAP) {
		nf = lay_pcap(c, call, fl);
		n = NULL;
	} else if (kind == ACT_TRACEMEM) {
		nf = lay_tracemem(c, call, fl);
		n = NULL;
	} else if (call->builtin->kind == BIK_SUB) { /* stack(); as a statement */
		fl[0].n = call;
		fl[0].f = lay_field_of(c, call->type);
		nf = 1;
		n = NULL;
	} else if (is_format_act(kind) && n && n->kind == N_STR) {
		ra->fmt = n->str;
		ra->fmt_len = n->len;
		n = n->next;
	}
	for (; n; n = n->next) {
		if (n->kind == N_AGG) {
			aggs[na++] = c->aggs[n->agg->id].desc;
			continue;
		}
		fl[nf].n = n;
		fl[nf++].f = lay_field_of(c, n->type);
	}
	if (kind >= ACT_SPECULATE && kind <= ACT_DISCARD)
		fl[0].f = (struct recfield){ .kind = FLD_INT, .size = REC_SPEC_SIZE };
	struct recfield *fields = arena_new_arr(c->a, struct recfield, nf + 1);
	for (size_t i = 0; i < nf; i++) {
		lay_place_field(&fl[i].f, off);
		fields[i] = fl[i].f;
	}
	ra->fields = fields;
	ra->nfields = nf;
	ra->aggs = aggs;
	ra->naggs = na;
	*la = (struct lay_act){ .stmt = s, .fields = fl, .nfields = nf };
}

static bool is_data(const struct stmt *s)
{
	enum act_kind kind;

	return s->kind == ST_EXPR && act_is_data(s->expr, &kind);
}

/* Actions on processes record no data, but that they were done. */
static bool is_noted(const struct stmt *s)
{
	const struct builtin *b = s->kind == ST_EXPR && s->expr->kind == N_CALL ? s->expr->builtin : NULL;

	return b && b->flags & BIF_KERNEL;
}

/* Room for the speculation that a segment belongs to. */
static void lay_held(struct cg *c, struct recact *ra, struct lay_act *la, uint64_t *off)
{
	struct lay_field *fl = arena_new_obj(c->a, struct lay_field);

	fl->f = (struct recfield){ .kind = FLD_INT, .size = REC_SPEC_SIZE };
	lay_place_field(&fl->f, off);
	*ra = (struct recact){ .kind = ACT_SPECULATE, .fields = &fl->f, .nfields = 1 };
	*la = (struct lay_act){ .fields = fl, .nfields = 1 };
}

/* The statements from first to last (NULL: all) as one record; held: it may be speculative. */
static int lay_record(struct cg *c, const struct clause_instance *ds, const struct stmt *first, const struct stmt *last,
		      uint32_t id, bool held, struct lay_clause *l)
{
	struct recfmt *f = arena_new_obj(c->a, struct recfmt);
	uint64_t off = sizeof(struct rec_hdr);
	size_t n = 0, i = 0;
	enum act_kind kind;
	bool noted = false;

	for (const struct stmt *s = first; s; s = s == last ? NULL : s->next) {
		n += is_data(s);
		noted |= is_noted(s);
	}
	n += held;
	struct recact *acts = arena_new_arr(c->a, struct recact, n + 1);

	l->acts = arena_new_arr(c->a, struct lay_act, n + 1);
	l->nacts = n;
	l->fmt = f;
	if (held)
		lay_held(c, &acts[i++], &l->acts[0], &off);
	for (const struct stmt *s = first; s; s = s == last ? NULL : s->next) {
		if (s->kind != ST_EXPR || !act_is_data(s->expr, &kind))
			continue;
		lay_act(c, s, kind, &acts[i], &l->acts[i], &off);
		f->has_exit |= kind == ACT_EXIT;
		i++;
	}
	*f = (struct recfmt){ .epid = id,
			      .acts = acts,
			      .nacts = n,
			      .is_default = ds->is_default,
			      .has_exit = f->has_exit,
			      .at = first ? first->at : ds->at };
	if (!last)
		f->at = ds->at;
	if (n || ds->is_default || noted) {
		off = ROUND_UP(off, 8);
		if (off > CG_MAX_RECORD_SIZE) {
			diag_error(c->d, ds->at, TAG_LIMIT, "clause %u (%s) writes records of %llu bytes, limit %d",
				   ds->epid, ds->desc_text ? ds->desc_text : "?", (unsigned long long)off,
				   CG_MAX_RECORD_SIZE);
			return -EINVAL;
		}
		f->size = (uint32_t)off;
	}
	return 0;
}

static bool is_speculate(const struct stmt *s)
{
	enum act_kind kind;

	return s->kind == ST_EXPR && act_is_data(s->expr, &kind) && kind == ACT_SPECULATE;
}

static bool find_speculate(void *ctx, const struct stmt *s)
{
	(void)ctx;
	return is_speculate(s);
}

static bool is_straight(const struct stmt *s)
{
	if (s->kind != ST_EXPR && s->kind != ST_AGG && s->kind != ST_LOCAL && s->kind != ST_EMPTY)
		return false;
	return !node_records(s->expr) && !node_records(s->call);
}

static int add_segment(struct cg *c, const struct clause_instance *ds, struct lay_clause *l, const struct stmt *first,
		       const struct stmt *last, size_t *cap)
{
	struct lay_seg *seg;
	int r;

	l->segs = cg_grow(c, l->segs, l->nsegs, cap, sizeof(*l->segs));
	seg = &l->segs[l->nsegs++];
	*seg = (struct lay_seg){ .first = first, .last = last, .held = l->speculates };
	for (const struct stmt *s = first; seg->held && s; s = s == last ? NULL : s->next)
		seg->held = !is_speculate(s);
	r = lay_record(c, ds, first, last, c->img->nfmts + 1, seg->held, &seg->lay);
	c->img->fmts = cg_grow(c, c->img->fmts, c->img->nfmts, &c->fmts_cap, sizeof(*c->img->fmts));
	c->img->fmts[c->img->nfmts++] = seg->lay.fmt;
	return r;
}

struct seg_walk {
	struct cg *c;
	const struct clause_instance *ds;
	struct lay_clause *l;
	size_t cap;
	int r;
};

/* The runs of data actions in a list of statements, and in what is nested in it. */
static void lay_segments(struct seg_walk *w, const struct stmt *s)
{
	const struct stmt *first = NULL, *last = NULL;

	for (; s; s = s->next) {
		if (is_data(s)) {
			first = first ? first : s;
			last = s;
		}
		if (first && (!s->next || !is_straight(s->next))) {
			w->r |= add_segment(w->c, w->ds, w->l, first, last, &w->cap);
			first = NULL;
		}
		lay_segments(w, s->init);
		lay_segments(w, s->body);
		lay_segments(w, s->els);
	}
}

/* The same for functions that are called. */
static bool lay_called(void *ctx, const struct node *n)
{
	if (n->call && n->call->records)
		lay_segments(ctx, n->call->body);
	return false;
}

static int lay_clause(struct cg *c, const struct clause_instance *ds, struct lay_clause *l)
{
	static const struct stmt none = { .kind = ST_EMPTY };
	static const struct walk spec = { .stmt = find_speculate };
	struct seg_walk segs = { .c = c, .ds = ds, .l = l };
	const struct walk calls = { .node = lay_called, .ctx = &segs };
	const struct stmt *s = ds->body;

	while (s && is_straight(s))
		s = s->next;
	if (!s)
		return lay_record(c, ds, ds->body, NULL, ds->epid, false, l);
	lay_record(c, ds, &none, &none, ds->epid, false, l);
	l->speculates = walk_stmts(&spec, ds->body);
	lay_segments(&segs, ds->body);
	walk_stmts(&calls, ds->body);
	return segs.r ? -EINVAL : 0;
}

int lay_program(struct cg *c)
{
	int r = lay_vars(c);

	if (lay_aggs(c) < 0)
		r = -EINVAL;
	c->clauses = arena_new_arr(c->a, struct lay_clause, c->p->ninstances + 1);
	c->img->fmts = arena_new_arr(c->a, const struct recfmt *, c->p->ninstances + 1);
	c->img->nfmts = c->p->ninstances;
	c->fmts_cap = c->p->ninstances + 1;
	for (const struct clause_instance *ds = c->p->instances; ds; ds = ds->next) {
		struct lay_clause *l = &c->clauses[ds->epid - 1];

		if (lay_clause(c, ds, l) < 0)
			r = -EINVAL;
		c->img->fmts[ds->epid - 1] = l->fmt;
	}
	return r;
}
