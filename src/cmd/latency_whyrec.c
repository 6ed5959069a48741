/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency why FILE…`: the table of causes, of recordings: slow events of the tracker offcpu, or what
 * `dwell latency why --record` has kept. */
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "latency/recset.h"
#include "cmd/latency_why.h"
#include "latency/slowwait.h"
#include "view/form/recsym.h"

#define TRACKER "offcpu" /* waits of threads; what other trackers measure lies within them */

struct reading {
	const struct whyrec *w;
	const struct rec_schema *schema;
	struct causes *causes;
	struct sym *sym;
	struct whytab *table;
	uint64_t waits;
};

static int add_slow(struct reading *x, const struct slow_event *e)
{
	const struct why_print *p = x->w->print;
	struct why_row row = { 0 };
	struct slowwait s;
	int r;

	if (!e->tracker || strcmp(e->tracker->name, TRACKER) != 0 || e->fixed.how != SLOW_NORMAL ||
	    e->fixed.delay < p->over_ns || (x->w->comm && strcmp(e->fixed.comm, x->w->comm) != 0))
		return 0;
	r = slowwait_make(x->causes, x->sym, e, &s);
	if (r < 0)
		return r;
	row.who = p->by == WHY_BY_PROCESS ? e->fixed.pid : p->by == WHY_BY_THREAD ? e->fixed.tid : 0;
	row.comm = p->by ? e->fixed.comm : "";
	row.words = s.cause;
	row.class = s.class;
	row.inferred = s.wait.inferred;
	x->waits++;
	return whytab_wait(x->table, &row, e->fixed.delay);
}

static int on_row(void *ctx, const struct row *row)
{
	struct reading *x = ctx;
	const struct recfmt *f = row->id >= 1 && row->id <= x->schema->nfmts ? x->schema->fmts[row->id - 1] : NULL;
	int e = 0;

	if (row->kind == ROW_AGG)
		return whytab_add(x->table, x->schema, row);
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
		whytab_set_sym(x->table, x->sym);
		if (e == 0)
			e = recread_rows(r, 1u << ROW_EVENT | 1u << ROW_AGG, recset_local(s, i, range), on_row, x, err);
		whytab_set_sym(x->table, NULL);
		sym_free(x->sym);
		x->sym = NULL;
	}
	return e;
}

static int show(const struct whyrec *w, const struct recset *s, struct causes *causes)
{
	struct rec_range all = extent_of(s), range;
	struct reading x = { .w = w, .causes = causes };
	struct err err = { 0 };
	int e = latency_range_in(all.to ? &all : NULL, recset_begun(s), &w->asked, false, &range, &err);

	if (e < 0)
		return cmd_fail("%s", err.msg);
	range.to++;
	e = whytab_new(causes, NULL, &x.table);
	if (e == 0)
		e = read_all(&x, s, range, &err);
	if (e < 0) {
		whytab_free(x.table);
		return cmd_fail("%s", err.msg[0] ? err.msg : strerror(-e));
	}
	if (x.waits && !w->print->json)
		printf("slow events of " TRACKER " only: shorter waits are in dwell latency profile\n");
	e = whyprint_table(w->print, x.table, range.to - range.from, true);
	whytab_free(x.table);
	return cmd_written(e);
}

int latency_why_recordings(const struct whyrec *w, char *const *words, size_t n)
{
	struct recset set;
	struct err err = { 0 };
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct dopts opts;
	struct why why;
	struct causes *causes;
	int e;

	dopts_init(&opts, a);
	if (w->causes)
		dopts_set(&opts, "causes", w->causes, NULL);
	e = why_open(&why, &opts);
	causes = e ? NULL : why_causes(&why);
	if (e == 0 && !causes)
		e = EXIT_ERROR;
	if (e == 0) {
		e = recset_open(&set, words, n, cmd_left_out, &err);
		e = e < 0 ? cmd_fail("%s", err.msg) : show(w, &set, causes);
		recset_close(&set);
	}
	why_done(&why);
	arena_free(a);
	return e;
}
