/* SPDX-License-Identifier: Apache-2.0 */
/* Shows what threads waited for: adds up slow events of the tracker offcpu, or what `dwell latency why` records, by
 * cause, and prints the table. For a run it prints one table for each interval, too. */
#include "view/summary/whyview.h"
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "latency/cause/slowwait.h"
#include "view/form/recsym.h"
#include "view/view.h"

#define TOP 20 /* rows of a table */
#define MAX_TOP 10000
#define MAX_OVER_US 3600000000ull
#define TRACKER "offcpu" /* waits of threads; what other trackers measure lies within them */

static int take_by(void *by, const struct optrow *o, const char *arg, struct err *err)
{
	enum why_by *ret = by;

	*ret = !strcmp(arg, "process") ? WHY_BY_PROCESS : !strcmp(arg, "thread") ? WHY_BY_THREAD : WHY_BY_NOTHING;
	return *ret ? 0 : err_set(err, -EINVAL, "--%s: '%s' is neither process nor thread", o->name, arg);
}

static int take_over(void *ns, const struct optrow *o, const char *arg, struct err *err)
{
	uint64_t *ret = ns;
	int e = optrow_time(o->name, arg, 1, ret, err);

	if (e == 0 && (*ret < 1000 || *ret / 1000 > MAX_OVER_US))
		e = err_set(err, -EINVAL, "--over: from 1us to 1h");
	return e;
}

static const struct optrow options[] = {
	{ .name = "comm",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct why_view, comm),
	  .asked = true,
	  .arg = "NAME",
	  .help = "only programs of this name" },
	{ .name = "by",
	  .kind = OPT_CALL,
	  .take = take_by,
	  .at = offsetof(struct why_view, print.by),
	  .asked = true,
	  .arg = "process",
	  .help = "a table for each process; or: thread" },
	{ .name = "over",
	  .kind = OPT_CALL,
	  .take = take_over,
	  .at = offsetof(struct why_view, print.over_ns),
	  .asked = true,
	  .arg = "TIME",
	  .help = "shorter waits are counted, but get no cause (10us)" },
	{ .name = "idle",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct why_view, print.idle),
	  .help = "sleeps and waits for something to do, too" },
	{ .name = "top",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct why_view, print.top),
	  .value = MAX_TOP,
	  .asked = true,
	  .arg = "N",
	  .help = "rows of a table (20)" },
	{ .name = "from",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct why_view, asked.from),
	  .asked = true,
	  .arg = "TIME",
	  .help = "of recordings: 30s after the beginning, -1m before the end" },
	{ .name = "to",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct why_view, asked.to),
	  .asked = true,
	  .arg = "TIME",
	  .help = "… and up to there" },
};

static void init(void *state)
{
	((struct why_view *)state)->print = (struct why_print){ .top = TOP, .over_ns = WHY_VIEW_OVER_NS };
}

static int check(void *state, const struct view_job *job, struct err *err)
{
	(void)job;
	return ((struct why_view *)state)->print.by == WHY_BY_GROUP
		       ? err_set(err, -EINVAL, "latency why: a recording does not tell groups: --by process or thread")
		       : 0;
}

/* -- recordings -- */

struct reading {
	struct why_view *v;
	const struct rec_schema *schema;
	struct causes *causes;
	struct sym *sym;
};

static void note_known(struct why_view *v, const struct rec_slow *s)
{
	const struct rec_range x = { s->start, s->start + s->delay };

	v->met.from = !v->known || x.from < v->met.from ? x.from : v->met.from;
	v->met.to = x.to > v->met.to ? x.to : v->met.to;
	v->known = true;
}

static int add_slow(struct reading *x, const struct slow_event *e)
{
	const struct why_print *p = &x->v->print;
	struct why_row row = { 0 };
	struct slowwait s;
	int r;

	if (!e->tracker || (strcmp(e->tracker->name, TRACKER) != 0 && !slowwait_is_known(e)) ||
	    e->fixed.how != SLOW_NORMAL || e->fixed.delay < p->over_ns ||
	    (x->v->comm && strcmp(e->fixed.comm, x->v->comm) != 0))
		return 0;
	r = slowwait_make(x->causes, x->sym, e, &s);
	if (r < 0)
		return r;
	row.who = p->by == WHY_BY_PROCESS ? e->fixed.pid : p->by == WHY_BY_THREAD ? e->fixed.tid : 0;
	row.comm = p->by ? e->fixed.comm : "";
	row.words = s.cause;
	row.class = s.class;
	row.inferred = s.wait.inferred;
	x->v->waits++;
	if (slowwait_is_known(e))
		note_known(x->v, &e->fixed);
	return whytab_wait(x->v->table, &row, e->fixed.delay);
}

static int on_row(void *ctx, const struct row *row)
{
	struct reading *x = ctx;
	const struct recfmt *f = row->id >= 1 && row->id <= x->schema->nfmts ? x->schema->fmts[row->id - 1] : NULL;
	int e = 0;

	if (row->kind == ROW_AGG)
		return whytab_add(x->v->table, x->schema, row);
	for (size_t i = 0; f && i < f->nacts && e == 0; i++)
		if (f->acts[i].kind == ACT_SLOW) {
			struct slow_event s = slow_event(x->schema, &f->acts[i], row->data);

			e = add_slow(x, &s);
		}
	return e;
}

/* When a recording has anything, in the set's times. */
static struct rec_range extent_of(const struct recset *s)
{
	struct rec_range all = { UINT64_MAX, 0 }, r;

	for (size_t i = 0; i < s->n; i++)
		if (recread_extent(s->v[i].r, &r)) {
			all.from = r.from + s->v[i].shift < all.from ? r.from + s->v[i].shift : all.from;
			all.to = r.to + s->v[i].shift > all.to ? r.to + s->v[i].shift : all.to;
		}
	return all;
}

static int read_all(struct reading *x, const struct recset *s, struct rec_range range, struct err *err)
{
	int e = 0;

	for (size_t i = 0; i < s->n && e == 0; i++) {
		struct recread *r = s->v[i].r;

		x->schema = recread_schema(r);
		e = recsym_new(r, &x->sym, err);
		whytab_set_sym(x->v->table, x->sym);
		if (e == 0)
			e = recread_rows(r, 1u << ROW_EVENT | 1u << ROW_AGG, recset_local(s, i, range), on_row, x, err);
		whytab_set_sym(x->v->table, NULL);
		sym_free(x->sym);
		x->sym = NULL;
	}
	return e;
}

static int read_recordings(void *state, const struct view_job *job, struct err *err)
{
	struct why_view *v = state;
	const struct recset *s = &job->set;
	struct rec_range all = extent_of(s), range;
	struct reading x = { .v = v };
	int e = view_causes(job, &x.causes, err);

	if (e == 0)
		e = latency_range_in(all.to ? &all : NULL, recset_begun(s), &v->asked, false, &range, err);
	if (e < 0)
		return e;
	range.to++;
	v->ns = range.to - range.from;
	e = whytab_new(x.causes, NULL, &v->table);
	if (e == 0)
		e = read_all(&x, s, range, err);
	if (v->known && !v->asked.from && !v->asked.to)
		v->ns = v->met.to - v->met.from;
	return e < 0 && !err->msg[0] ? err_set(err, e, "%s", strerror(-e)) : e;
}

/* -- a run -- */

static int begin(void *state, const struct view_job *job, const struct view_run *run, struct err *err)
{
	struct why_view *v = state;

	v->schema = run->schema;
	v->print.out = run->out;
	v->print.columns = (int)job->env->columns;
	v->print.json = view_is_json(job);
	if (whytab_new(run->causes, run->sym, &v->table) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	if (v->print.askers)
		whytab_askers(v->table);
	return 0;
}

static int row(void *state, const struct row *row, bool *ret_text)
{
	struct why_view *v = state;
	struct rec_cost c;
	int e;

	switch (row->kind) {
	case ROW_AGG: return whytab_add(v->table, v->schema, row);
	case ROW_EVENT:
		if (!whytab_is_end(v->schema, row))
			return 0;
		e = whyprint_table(&v->print, v->table, row->ts - v->interval, false);
		v->interval = row->ts;
		whytab_next(v->table);
		return e;
	case ROW_COST:
		if (row->len >= sizeof(c)) {
			memcpy(&c, row->data, sizeof(c));
			v->print.run_ns += c.run_ns;
		}
		return 0;
	case ROW_DROPS:
	case ROW_NOTE:
	case ROW_FAULT: *ret_text = true; return 0;
	default: return 0;
	}
}

static void done(void *state)
{
	whytab_free(((struct why_view *)state)->table);
}

/* -- what is shown -- */

static int draw(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	const struct why_view *v = state;
	struct why_print p = v->print;

	(void)err;
	p.out = out;
	p.json = view_is_json(job);
	p.columns = (int)job->env->columns;
	if (v->waits && !p.json)
		fputs(v->known ? "waits in system calls of a recorded program, of then\n"
			       : "slow events of " TRACKER " only: shorter waits are in dwell latency profile\n",
		      out);
	return whyprint_table(&p, v->table, v->ns, true);
}

static const struct view_form forms[] = {
	{ .name = "text", .draw = draw },
	{ .name = "json", .help = "JSON Lines", .served = "why.json", .type = "application/x-ndjson", .draw = draw },
	{}
};

const struct view view_why = { .name = "why",
			       .words = { "latency", "why" },
			       .options = options,
			       .noptions = ARRAY_SIZE(options),
			       .forms = forms,
			       .plain = "text",
			       .several = true,
			       .size = sizeof(struct why_view),
			       .init = init,
			       .check = check,
			       .read = read_recordings,
			       .begin = begin,
			       .row = row,
			       .done = done };
