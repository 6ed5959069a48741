/* SPDX-License-Identifier: Apache-2.0 */
/* JSON Lines: one object a line, told apart by "type". This file: lines other than what actions put into
 * them. A line is whole before anything else is written. */
#include <string.h>
#include "base/cleanup.h"
#include "base/aggval.h"
#include "base/clock.h"
#include "store/rechist.h"
#include "view/text/json_int.h"

static void open_line(struct text_view *v, const char *type)
{
	if (!v->json_started) {
		v->json_started = true;
		text_printf(v, "{\"type\":\"start\",\"version\":%d,\"program\":\"dwell\",\"release\":", JSON_VERSION);
		json_str(v, DWELL_VERSION);
		if (!v->opts.replayed)
			text_printf(v, ",\"time\":%llu,\"walltime\":%llu",
				    (unsigned long long)clock_ns(CLOCK_MONOTONIC),
				    (unsigned long long)clock_ns(CLOCK_REALTIME));
		text_printf(v, "}\n");
	}
	v->json_open = true;
	text_printf(v, "{\"type\":\"%s\"", type);
}

static void close_line(struct text_view *v)
{
	struct strb pending = v->json_pending;

	v->json_pending = (struct strb){ 0 };
	text_printf(v, "}\n");
	v->json_open = false;
	for (size_t at = 0; at < pending.n; at += strlen(pending.s + at) + 1)
		json_message(v, pending.s + at);
	strb_free(&pending);
}

/* A message of dwell's; one that comes while a line is being written waits for its end. */
void json_message(struct text_view *v, const char *text)
{
	if (v->json_open) {
		strb_printf(&v->json_pending, "%s", text);
		strb_addc(&v->json_pending, '\0');
		return;
	}
	open_line(v, "message");
	if (!v->opts.replayed)
		text_printf(v, ",\"time\":%llu", (unsigned long long)clock_ns(CLOCK_MONOTONIC));
	text_printf(v, ",\"text\":");
	json_str(v, text);
	text_printf(v, "}\n");
	v->json_open = false;
}

static void put_probe(struct text_view *v, const struct rec_probe *p)
{
	const struct {
		const char *name, *value;
	} parts[] = { { "provider", p->prov }, { "module", p->mod }, { "function", p->func }, { "name", p->name } };

	text_printf(v, ",\"id\":%u", p->id);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		text_printf(v, ",\"%s\":", parts[i].name);
		json_str(v, parts[i].value);
	}
}

void json_event(struct text_view *v, const struct row *row, const struct recfmt *fmt, const struct rec_probe *p)
{
	open_line(v, "event");
	text_printf(v, ",\"time\":%llu,\"cpu\":%u,\"epid\":%u", (unsigned long long)row->ts, row->cpu, row->id);
	put_probe(v, p);
	text_printf(v, ",\"output\":[");
	json_acts(v, fmt, row);
	text_printf(v, "]");
	close_line(v);
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

	open_line(v, "error");
	text_printf(v, ",\"time\":%llu,\"cpu\":%u,\"epid\":%u", (unsigned long long)row->ts, row->cpu, f->epid);
	put_probe(v, p);
	text_printf(v, ",\"action\":%u,\"offset\":%u,\"value\":\"0x%llx\",\"fault\":", f->action, f->pc,
		    (unsigned long long)f->value);
	json_str(v, what);
	text_printf(v, ",\"text\":");
	json_str(v, text);
	close_line(v);
}

void json_drop(struct text_view *v, const char *tag, enum rec_loss kind, uint64_t count, long cpu,
	       const struct rec_probe *p, const char *text)
{
	static const char *const kinds[] = {
		[REC_LOST] = "lost", [REC_LEFT_OUT] = "left out", [REC_NO_LOSS] = "no loss"
	};

	open_line(v, "drop");
	text_printf(v, ",\"tag\":\"%s\",\"kind\":\"%s\",\"count\":%llu", tag, kinds[kind], (unsigned long long)count);
	if (cpu >= 0)
		text_printf(v, ",\"cpu\":%ld", cpu);
	if (p)
		put_probe(v, p);
	text_printf(v, ",\"text\":");
	json_str(v, text);
	close_line(v);
}

void json_hist(struct text_view *v, const struct row *row)
{
	const struct rec_hist *h = row->data;
	const struct rec_bucket *b;
	struct rec_histdesc d;

	if (!rec_hist_source(v->schema, row->id, &d) || !d.is_tracker)
		return;
	b = rechist_buckets(h);
	open_line(v, "histogram");
	text_printf(v, ",\"tracker\":");
	json_str(v, d.name);
	text_printf(v, ",\"time\":%llu,\"period\":%llu,\"count\":%llu,\"sum\":%llu,\"max\":%llu,\"buckets\":[",
		    (unsigned long long)row->ts, (unsigned long long)h->period, (unsigned long long)h->count,
		    (unsigned long long)h->sum, (unsigned long long)h->max);
	for (uint32_t i = 0; i < h->nbuckets; i++)
		text_printf(v, "%s{\"from\":%lld,\"to\":%lld,\"count\":%llu}", i ? "," : "",
			    (long long)aggval_hist_bound(b[i].index), (long long)aggval_hist_bound(b[i].index + 1),
			    (unsigned long long)b[i].count);
	text_printf(v, "]%s", h->flags & HIST_BY_READ ? ",\"late\":true" : "");
	close_line(v);
}

void json_flight(struct text_view *v, const char *object)
{
	open_line(v, "flight");
	text_printf(v, ",\"flight\":%s", object);
	close_line(v);
}

static void put_snapshot(struct text_view *v, size_t i, size_t skip, uint64_t now)
{
	open_line(v, "snapshot");
	text_printf(v, ",\"time\":%llu,\"left_out\":%zu,", (unsigned long long)now, skip);
	json_aggs(v, &v->schema->aggs[i], 1, skip, NULL);
	close_line(v);
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
	open_line(v, "cost");
	text_printf(v, ",\"run_ns\":%llu,\"run_cnt\":%llu,\"interval\":%llu", (unsigned long long)c->run_ns,
		    (unsigned long long)c->run_cnt, (unsigned long long)c->interval);
	put_probe(v, p);
	text_printf(v, ",\"text\":");
	json_str(v, text);
	close_line(v);
}

/* The end: aggregations that no printa() has shown, then how it ended. */
void json_finish(struct text_view *v)
{
	for (size_t i = 0; i < v->schema->naggs && !v->opts.no_final_aggs; i++) {
		const struct agg_entry *e;

		if (v->agg_printed[i] || !aggstate_entries(v->aggs, (uint32_t)i, &e))
			continue;
		open_line(v, "printa");
		text_printf(v, ",");
		json_aggs(v, &v->schema->aggs[i], 1, 0, NULL);
		close_line(v);
	}
	open_line(v, "end");
	if (!v->opts.replayed)
		text_printf(v, ",\"time\":%llu", (unsigned long long)clock_ns(CLOCK_MONOTONIC));
	if (v->json_exited)
		text_printf(v, ",\"status\":%d", v->json_status);
	close_line(v);
}
