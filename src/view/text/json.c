/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Lines: the lines other than messages, but for what actions put into them. */
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "store/rechist.h"
#include "view/text/json_int.h"

static void put_place(struct jsonw *w, const struct row *row, uint32_t epid, const struct rec_probe *p)
{
	jsonw_u64(w, "time", row->ts);
	jsonw_u64(w, "cpu", row->cpu);
	jsonw_u64(w, "epid", epid);
	json_probe(w, p);
}

void json_event(struct text_view *v, const struct row *row, const struct recfmt *fmt, const struct rec_probe *p)
{
	struct jsonw *w = json_open(v, "event");

	put_place(w, row, row->id, p);
	jsonw_array(w, "output");
	json_acts(v, fmt, row);
	jsonw_end_array(w);
	json_close(v);
	for (size_t i = 0; i < fmt->nacts; i++) {
		enum act_kind k = fmt->acts[i].kind;

		if (k == ACT_FREOPEN || k == ACT_SYSTEM || k == ACT_FTRUNCATE)
			text_act(v, fmt, i, row);
	}
}

void json_error(struct text_view *v, const struct row *row, const struct rec_probe *p, const char *what,
		const char *text)
{
	const struct rec_fault *f = row->data;
	struct jsonw *w = json_open(v, "error");

	put_place(w, row, f->epid, p);
	jsonw_u64(w, "action", f->action);
	jsonw_u64(w, "offset", f->pc);
	jsonw_hex(w, "value", f->value);
	jsonw_str(w, "fault", what);
	jsonw_str(w, "text", text);
	json_close(v);
}

void json_drop(struct text_view *v, const char *tag, enum rec_loss kind, uint64_t count, long cpu,
	       const struct rec_probe *p, const char *text)
{
	static const char *const kinds[] = {
		[REC_LOST] = "lost", [REC_LEFT_OUT] = "left out", [REC_NO_LOSS] = "no loss"
	};
	struct jsonw *w = json_open(v, "drop");

	jsonw_str(w, "tag", tag);
	jsonw_str(w, "kind", kinds[kind]);
	jsonw_u64(w, "count", count);
	if (cpu >= 0)
		jsonw_i64(w, "cpu", cpu);
	if (p)
		json_probe(w, p);
	jsonw_str(w, "text", text);
	json_close(v);
}

void json_hist(struct text_view *v, const struct row *row)
{
	const struct rec_hist *h = row->data;
	const struct rec_bucket *b;
	struct rec_histdesc d;
	struct jsonw *w;

	if (!rec_hist_source(v->schema, row->id, &d) || !d.is_tracker)
		return;
	b = rechist_buckets(h);
	w = json_open(v, "histogram");
	jsonw_str(w, "tracker", d.name);
	jsonw_u64(w, "time", row->ts);
	jsonw_u64(w, "period", h->period);
	jsonw_u64(w, "count", h->count);
	jsonw_u64(w, "sum", h->sum);
	jsonw_u64(w, "max", h->max);
	jsonw_array(w, "buckets");
	for (uint32_t i = 0; i < h->nbuckets; i++) {
		jsonw_object(w, NULL);
		jsonw_i64(w, "from", aggval_hist_bound(b[i].index));
		jsonw_i64(w, "to", aggval_hist_bound(b[i].index + 1));
		jsonw_u64(w, "count", b[i].count);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	if (h->flags & HIST_BY_READ)
		jsonw_bool(w, "late", true);
	json_close(v);
}

static void put_snapshot(struct text_view *v, size_t i, size_t skip, uint64_t now)
{
	struct jsonw *w = json_open(v, "snapshot");

	jsonw_u64(w, "time", now);
	jsonw_u64(w, "left_out", skip);
	json_aggs(v, &v->schema->aggs[i], 1, skip, NULL);
	json_close(v);
}

int text_view_show_agg(struct text_view *v, const char *name)
{
	for (size_t i = 0; i < v->schema->naggs; i++)
		if (v->schema->aggs[i] && !strcmp(v->schema->aggs[i]->name, name)) {
			put_snapshot(v, i, 0, clock_ns(CLOCK_MONOTONIC));
			return v->error;
		}
	return -ENOENT;
}

void json_snapshot(struct text_view *v)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now - v->snapshot_ns < v->opts.snapshotrate)
		return;
	v->snapshot_ns = now;
	for (size_t i = 0; i < v->schema->naggs; i++) {
		const struct agg_entry *e;
		size_t n, skip;

		if (!v->agg_changed[i])
			continue;
		v->agg_changed[i] = false;
		n = aggstate_entries(v->aggs, (uint32_t)i, &e);
		skip = n > TEXT_SNAPSHOT_ROWS ? n - TEXT_SNAPSHOT_ROWS : 0;
		put_snapshot(v, i, skip, now);
	}
}

void json_cost(struct text_view *v, const struct rec_probe *p, const struct rec_cost *c, const char *text)
{
	struct jsonw *w = json_open(v, "cost");

	jsonw_u64(w, "run_ns", c->run_ns);
	jsonw_u64(w, "run_cnt", c->run_cnt);
	jsonw_u64(w, "interval", c->interval);
	json_probe(w, p);
	jsonw_str(w, "text", text);
	json_close(v);
}

/* The end: aggregations that no printa() has shown, then how it ended. */
void json_finish(struct text_view *v)
{
	struct jsonw *w;

	for (size_t i = 0; i < v->schema->naggs && !v->opts.no_final_aggs; i++) {
		const struct agg_entry *e;

		if (v->agg_printed[i] || !aggstate_entries(v->aggs, (uint32_t)i, &e))
			continue;
		json_open(v, "printa");
		json_aggs(v, &v->schema->aggs[i], 1, 0, NULL);
		json_close(v);
	}
	w = json_open(v, "end");
	if (!v->opts.replayed)
		jsonw_u64(w, "time", clock_ns(CLOCK_MONOTONIC));
	if (v->json_exited)
		jsonw_i64(w, "status", v->json_status);
	json_close(v);
}
