/* SPDX-License-Identifier: Apache-2.0 */
/* Prints rows of a recording as a table: each kind of row has its columns. */
#include "view/summary/rectable.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "store/file/recquery.h"
#include "store/slow.h"
#include "store/file/sparse.h"
#include "view/form/table.h"
#include "view/text/text.h"

struct listing {
	struct table t;
	struct recread *r;
	struct err *err;
	struct strb a, b; /* of the line */
	const struct rectable_opts *o;
};

static int wrote(const struct listing *l)
{
	return l->t.error;
}

#define LINE(l, cells) (table_line(&(l)->t, cells, ARRAY_SIZE(cells)), wrote(l))

/* -- slow events -- */

static void put_frame(struct listing *l, struct jsonw *j, const struct rec_stack *s, uint64_t addr)
{
	struct recfile_symbol sym;
	struct strb name = { 0 };

	if (recread_symbol(l->r, s->space, s->tgid, s->start, addr, &sym) && sym.name)
		strb_printf(&name, "%s`%s+0x%" PRIx64, sym.module ? sym.module : "", sym.name, sym.offset);
	else
		strb_printf(&name, "0x%" PRIx64, addr);
	jsonw_strn(j, NULL, strb_str(&name), name.n);
	strb_free(&name);
}

/* Whether attributes of this name are stacks that stand for what they waited for. */
static bool is_why(const struct listing *l, const char *name)
{
	const struct rec_schema *s = recread_schema(l->r);

	for (size_t i = 0; i < s->nfmts; i++)
		for (size_t k = 0; k < s->fmts[i]->nacts; k++) {
			const struct recact *a = &s->fmts[i]->acts[k];

			for (size_t n = 0; a->kind == ACT_SLOW && n < a->nfields; n++)
				if (a->fields[n].kind == FLD_WHY && a->fields[n].name &&
				    !strcmp(a->fields[n].name, name))
					return true;
		}
	return false;
}

/* As in the lines of a run: the words, and their class. */
static void put_why(struct listing *l, struct jsonw *j, const char *name, const struct rec_stack *s)
{
	_cleanup_free_ const char **names = calloc(s->n + 1, sizeof(*names));
	const char *class = "unknown", *words = NULL;
	struct recfile_symbol sym;

	for (size_t i = 0; names && i < s->n; i++)
		names[i] = recread_symbol(l->r, s->space, s->tgid, s->start, s->frames[i], &sym) ? sym.name : NULL;
	if (names && l->o->why)
		words = l->o->why(l->o->why_arg, names, s->n, 0, &class);
	jsonw_object(j, name);
	jsonw_str(j, "cause", words ? words : "unknown");
	jsonw_str(j, "class", class);
	jsonw_end_object(j);
}

static int put_attr(struct listing *l, struct jsonw *j, const struct rec_attr *a)
{
	struct rec_stack s;
	int e = 0;

	switch (a->kind) {
	case REC_ATTR_INT: jsonw_i64(j, a->name, a->value); break;
	case REC_ATTR_TEXT: jsonw_str(j, a->name, a->text); break;
	case REC_ATTR_STACK:
		e = recread_stack(l->r, a->value, &s, l->err);
		if (e == 0 && is_why(l, a->name)) {
			put_why(l, j, a->name, &s);
		} else if (e == 0) {
			jsonw_array(j, a->name);
			for (size_t i = 0; i < s.n; i++)
				put_frame(l, j, &s, s.frames[i]);
			jsonw_end_array(j);
		}
	}
	return e;
}

static int on_slow(void *ctx, const struct rec_slow_row *s)
{
	struct listing *l = ctx;
	const struct rec_slow *f = &s->fixed;
	struct jsonw j;
	int e = 0;

	strb_reset(&l->a);
	j = jsonw_to(&l->a);
	jsonw_object(&j, NULL);
	for (size_t i = 0; i < s->nattrs && e == 0; i++)
		e = put_attr(l, &j, &s->attrs[i]);
	jsonw_end_object(&j);
	if (e < 0)
		return e;

	const struct cell cells[] = {
		{ "ended", CELL_UINT, 15, 0, { .u = f->start + f->delay } },
		{ "delay", CELL_NS, 7, 0, { .u = f->delay } },
		{ "tracker", CELL_TEXT, -10, 0, { recread_schema(l->r)->trackers[f->tracker].name } },
		{ "comm", CELL_TEXT, -15, 0, { f->comm } },
		{ "pid", CELL_UINT, 6, 0, { .u = f->pid } },
		{ "how", CELL_TEXT, -9, 0, { slow_how_name(f->how) } },
		{ "key", CELL_TEXT, -1, 0, { s->key } },
		{ l->t.json ? "tid" : NULL, CELL_UINT, 6, 0, { .u = f->tid } },
		{ l->t.json ? "cpu" : NULL, CELL_UINT, 3, 0, { .u = f->cpu } },
		{ l->t.json ? "cgroup" : NULL, CELL_UINT, 3, 0, { .u = f->cgroup } },
		{ l->t.json ? "exit_id" : NULL, CELL_UINT, 3, 0, { .u = f->exit_id } },
		{ l->t.json ? "end_pid" : NULL, CELL_UINT, 6, 0, { .u = f->end_pid } },
		{ l->t.json ? "end_tid" : NULL, CELL_UINT, 6, 0, { .u = f->end_tid } },
		{ l->t.json ? "end_comm" : NULL, CELL_TEXT, 6, 0, { f->end_comm } },
		{ "attributes", CELL_LIST, 0, 0, { strb_str(&l->a) } },
	};
	return LINE(l, cells);
}

static int list_slow(struct listing *l, bool control)
{
	const struct rec_schema *s = recread_schema(l->r);
	const struct rectable_filter *w = &l->o->which;
	struct rec_slow_query q = { .range = w->range,
				    .tracker = -1,
				    .min_delay = w->over,
				    .max_delay = w->under ? w->under - 1 : 0,
				    .longest_first = w->longest > 0,
				    .limit = w->longest,
				    .which = control ? CONTROL_ONLY : SLOW_ONLY };

	for (size_t i = 0; w->tracker && i < s->ntrackers; i++)
		if (!strcmp(s->trackers[i].name, w->tracker))
			q.tracker = (int64_t)i;
	if (w->tracker && q.tracker < 0)
		return err_set(l->err, -EINVAL, "there is no tracker \"%s\" in the recording", w->tracker);
	return recread_slow(l->r, &q, on_slow, l, l->err);
}

static int all_slow(struct listing *l)
{
	return list_slow(l, false);
}

static int all_control(struct listing *l)
{
	return list_slow(l, true);
}

/* -- histograms -- */

static int on_key(void *ctx, int64_t key, const char *text, const void *data)
{
	struct listing *l = ctx;

	(void)data;
	strb_printf(&l->b, "%" PRId64 "=%s", key, text);
	strb_addc(&l->b, '\0');
	return 0;
}

static const char *key_text(const struct listing *l, int64_t key)
{
	char want[24];
	int n = snprintf(want, sizeof(want), "%" PRId64 "=", key);

	for (size_t at = 0; at < l->b.n; at += strlen(l->b.s + at) + 1)
		if (!strncmp(l->b.s + at, want, (size_t)n))
			return l->b.s + at + n;
	return "";
}

static int on_column(void *ctx, const struct rec_column *c)
{
	struct listing *l = ctx;
	bool known = !(c->head.flags & HIST_NO_SUM);
	struct histsum s = { (struct rec_bucket *)c->buckets,
			     c->head.nbuckets,
			     0,
			     c->head.count,
			     c->head.sum,
			     c->head.max,
			     c->head.flags };
	struct rec_histdesc d;

	if (!rec_hist_source(recread_schema(l->r), c->source, &d))
		return 0;
	strb_reset(&l->a);
	sparse_put_buckets(&l->a, c->buckets, c->head.nbuckets);

	const struct cell cells[] = {
		{ "start", CELL_UINT, 15, 0, { .u = c->start } },
		{ "source", CELL_TEXT, -10, 0, { d.name } },
		{ "count", CELL_UINT, 9, 0, { .u = c->head.count } },
		{ "p50", CELL_NUMBER, 9, 0, { .d = histsum_quantile(&s, &d, 0.5) } },
		{ "p99", CELL_NUMBER, 9, 0, { .d = histsum_quantile(&s, &d, 0.99) } },
		{ "max", CELL_NUMBER, 9, 0, { .d = known ? (double)c->head.max : (double)NAN } },
		{ "key", CELL_TEXT, -1, 0, { key_text(l, c->key) } },
		{ "buckets", CELL_LIST, 0, 0, { strb_str(&l->a) } },
	};
	return LINE(l, cells);
}

static int all_hist(struct listing *l)
{
	const struct rec_schema *s = recread_schema(l->r);
	int e = 0;

	for (uint32_t i = 0; i < s->ntrackers + s->naggs && e == 0; i++) {
		strb_reset(&l->b);
		e = recread_hist_keys(l->r, i, on_key, l, l->err);
		if (e == 0)
			e = recread_columns(l->r, i, RECFILE_SECOND_NS, l->o->which.range, -1, on_column, l, l->err);
	}
	return e;
}

/* -- others -- */

static int on_span(void *ctx, const struct rec_span *s)
{
	struct listing *l = ctx;
	const struct cell cells[] = {
		{ "start", CELL_UINT, 15, 0, { .u = s->start } },
		{ "duration", CELL_NS, 8, 0, { .u = s->duration } },
		{ "lane", CELL_TEXT, -20, 0, { s->lane } },
		{ "label", CELL_TEXT, -1, 0, { s->label } },
	};
	return LINE(l, cells);
}

static int all_spans(struct listing *l)
{
	return recread_spans(l->r, l->o->which.range, on_span, l, l->err);
}

static int on_proc(void *ctx, const struct rec_proc_row *p)
{
	struct listing *l = ctx;
	const struct cell cells[] = {
		{ "time", CELL_UINT, 15, 0, { .u = p->ts } },
		{ "kind", CELL_TEXT, -5, 0, { rec_proc_name(p->p.kind) } },
		{ "pid", CELL_UINT, 7, 0, { .u = p->p.tgid } },
		{ "parent", CELL_UINT, 7, 0, { .u = p->p.parent } },
		{ "name", CELL_TEXT, -1, 0, { p->name } },
		{ l->t.json ? "addr" : NULL, CELL_UINT, 1, 0, { .u = p->p.addr } },
		{ l->t.json ? "len" : NULL, CELL_UINT, 1, 0, { .u = p->p.len } },
		{ l->t.json ? "off" : NULL, CELL_UINT, 1, 0, { .u = p->p.off } },
	};
	return LINE(l, cells);
}

static int all_procs(struct listing *l)
{
	return recread_procs(l->r, l->o->which.range, on_proc, l, l->err);
}

static const char *probe_text(struct listing *l, uint32_t id)
{
	const struct rec_probe *p = rec_schema_probe(recread_schema(l->r), id);

	strb_reset(&l->a);
	if (p)
		strb_printf(&l->a, "%s:%s:%s:%s", p->prov, p->mod, p->func, p->name);
	return strb_str(&l->a);
}

static int on_cost(void *ctx, const struct rec_cost_row *c)
{
	struct listing *l = ctx;
	double each = c->c.run_cnt ? (double)c->c.run_ns / (double)c->c.run_cnt : (double)NAN;
	const struct cell cells[] = {
		{ "time", CELL_UINT, 15, 0, { .u = c->ts } },
		{ "run_cnt", CELL_UINT, 10, 0, { .u = c->c.run_cnt } },
		{ "run_ns", CELL_UINT, 12, 0, { .u = c->c.run_ns } },
		{ "ns_each", CELL_NUMBER, 8, 1, { .d = each } },
		{ "probe", CELL_TEXT, -1, 0, { probe_text(l, c->probe) } },
	};
	return LINE(l, cells);
}

static int all_costs(struct listing *l)
{
	return recread_costs(l->r, l->o->which.range, on_cost, l, l->err);
}

static int on_loss(void *ctx, const struct row *row)
{
	struct listing *l = ctx;
	const struct cell cells[] = {
		{ "time", CELL_UINT, 15, 0, { .u = row->ts } },
		{ "count", CELL_UINT, 10, 0, { .u = row->count } },
		{ "tag", CELL_TEXT, -23, 0, { text_drop_tag(row->id) } },
		{ "cpu", CELL_UINT, 4, 0, { .u = row->cpu } },
		{ "probe", CELL_TEXT, -1, 0, { probe_text(l, row->probe) } },
	};
	return LINE(l, cells);
}

static int all_losses(struct listing *l)
{
	return recread_rows(l->r, 1u << ROW_DROPS, l->o->which.range, on_loss, l, l->err);
}

static const struct {
	const char *name;
	int (*list)(struct listing *l);
} tables[] = {
	{ "slow", all_slow },	  { "control", all_control }, { "hist", all_hist },   { "span", all_spans },
	{ "process", all_procs }, { "cost", all_costs },      { "loss", all_losses },
};

int rectable_put(struct recread *r, const char *name, const struct rectable_opts *o, FILE *out, struct err *err)
{
	struct listing l = { .t = { .out = out, .type = name, .json = o->json }, .r = r, .o = o, .err = err };
	struct strb known = { 0 };
	int e = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		strb_printf(&known, "%s%s", i ? ", " : "", tables[i].name);
		if (strcmp(tables[i].name, name) != 0)
			continue;
		e = tables[i].list(&l);
		break;
	}
	strb_free(&l.a);
	strb_free(&l.b);
	if (e == -ENOENT && !err->msg[0])
		e = err_set(err, -ENOENT, "there is no table \"%s\"; there are %s", name, strb_str(&known));
	strb_free(&known);
	return l.t.error ? l.t.error : e;
}
