/* SPDX-License-Identifier: Apache-2.0 */
/* The table of causes, of recordings: slow events of the tracker offcpu, or what `dwell latency why --record` has
 * kept. */
#include "view/text/whyrec.h"
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"
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

int whyrec_print(const struct whyrec *w, const struct recset *s, struct causes *causes, struct err *err)
{
	struct rec_range all = extent_of(s), range;
	struct reading x = { .w = w, .causes = causes };
	int e = latency_range_in(all.to ? &all : NULL, recset_begun(s), &w->asked, false, &range, err);

	if (e < 0)
		return e;
	range.to++;
	e = whytab_new(causes, NULL, &x.table);
	if (e == 0)
		e = read_all(&x, s, range, err);
	if (e < 0) {
		whytab_free(x.table);
		return err->msg[0] ? e : err_set(err, e, "%s", strerror(-e));
	}
	if (x.waits && !w->print->json)
		fprintf(w->print->out, "slow events of " TRACKER " only: shorter waits are in dwell latency profile\n");
	e = whyprint_table(w->print, x.table, range.to - range.from, true);
	whytab_free(x.table);
	return e;
}
