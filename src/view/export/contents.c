/* SPDX-License-Identifier: Apache-2.0 */
/* Lists what is in a recording, for programs that choose views of it. */
#include <errno.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "latency/recrange.h"
#include "view/export/contents.h"
#include "view/stack/recstacks.h"
#include "view/stack/stacksrc.h"
#include "view/summary/reportview.h"

static void put_programs(struct jsonw *w, const struct recread *r)
{
	jsonw_array(w, "programs");
	for (const struct recfile_pair *p = recread_programs(r); p->name; p++) {
		jsonw_object(w, NULL);
		jsonw_str(w, "name", p->name);
		jsonw_str(w, "text", p->value);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static void put_histogram(struct jsonw *w, const struct histsum *sum, const struct rec_histdesc *d)
{
	jsonw_object(w, NULL);
	jsonw_str(w, "kind", d->is_tracker ? "tracker" : "aggregation");
	jsonw_str(w, "name", d->name);
	jsonw_str(w, "unit", d->is_delay ? "ns" : stacksrc_unit(d->name));
	jsonw_u64(w, "count", sum->count);
	jsonw_u64(w, "keys", d->nkeys);
	jsonw_double(w, "p50", histsum_quantile(sum, d, 0.5), 6);
	jsonw_double(w, "p99", histsum_quantile(sum, d, 0.99), 6);
	jsonw_double(w, "max", histsum_quantile(sum, d, 1), 6);
	jsonw_u64(w, "slot", d->slot_ns);
	jsonw_end_object(w);
}

/* Trackers and distributions that have values: heat maps can be made of them. */
static int put_histograms(struct jsonw *w, struct recread *r, struct err *err)
{
	const struct rec_schema *s = recread_schema(r);
	int e = 0;

	jsonw_array(w, "histograms");
	for (uint32_t i = 0; i < s->ntrackers + s->naggs && e == 0; i++) {
		struct histsum sum = { 0 };
		struct rec_histdesc d;

		if (!rec_hist_source(s, i, &d))
			continue;
		e = recread_hist(r, i, REC_ALL_TIME, -1, &sum, err);
		if (e == 0 && sum.count)
			put_histogram(w, &sum, &d);
		histsum_free(&sum);
	}
	jsonw_end_array(w);
	return e;
}

static void put_stacks(struct jsonw *w, const struct recread *r)
{
	const struct rec_schema *s = recread_schema(r);

	jsonw_array(w, "stacks");
	for (size_t i = 0; i < s->naggs; i++) {
		if (!recstacks_of(s->aggs[i]))
			continue;
		jsonw_object(w, NULL);
		jsonw_str(w, "name", s->aggs[i]->name);
		jsonw_str(w, "unit", stacksrc_unit(s->aggs[i]->name));
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

/* Writes the time at which each kind of row begins, after limits of size and age. */
static void put_since(struct jsonw *w, const struct recread *r)
{
	static const char *const what[] = { "events", "aggregations", "processes", "seconds" };

	jsonw_object(w, "since");
	for (size_t i = 0; i < ARRAY_SIZE(what); i++) {
		char key[32];
		const char *text;
		uint64_t since;

		snprintf(key, sizeof(key), RECFILE_SINCE "%s", what[i]);
		text = recread_meta(r, key);
		if (text && num_parse_u64(text, &since) == 0)
			jsonw_u64(w, what[i], since);
	}
	jsonw_end_object(w);
}

static void put_range(struct jsonw *w, const char *name, bool there, const struct rec_range *r)
{
	if (!there) {
		jsonw_null(w, name);
		return;
	}
	jsonw_array(w, name);
	jsonw_u64(w, NULL, r->from);
	jsonw_u64(w, NULL, r->to);
	jsonw_end_array(w);
}

struct tally {
	uint64_t slow, lost, left_out, idle, due; /* idle: of the timer samples that were due */
};

static int count_slow(void *ctx, const struct rec_slow_row *s)
{
	struct tally *t = ctx;

	(void)s;
	t->slow++;
	return 0;
}

static int count_lost(void *ctx, const struct row *row)
{
	struct tally *t = ctx;

	if (rec_loss(row->id) == REC_LOST)
		t->lost += row->count;
	else if (rec_loss(row->id) == REC_LEFT_OUT)
		t->left_out += row->count;
	else if (row->id == CNT_TIMER_IDLE)
		t->idle += row->count;
	else if (row->id == CNT_TIMER_DUE)
		t->due += row->count;
	return 0;
}

/* All but the numbers of slow events and of losses. */
static int put_recording(struct jsonw *w, struct recread *r, struct err *err)
{
	static const char *const metas[] = { "host", "kernel", "machine", "dwell" };
	struct rec_range range;

	jsonw_str(w, "type", "recording");
	for (size_t i = 0; i < ARRAY_SIZE(metas); i++)
		jsonw_str(w, metas[i], recread_meta(r, metas[i]));
	jsonw_u64(w, "begun", recread_begun(r));
	jsonw_u64(w, "wall_off", recread_wall_off(r));
	put_range(w, "extent", recread_extent(r, &range), &range);
	put_range(w, "seconds", recread_hist_extent(r, &range), &range);
	put_since(w, r);
	put_programs(w, r);
	put_stacks(w, r);
	return put_histograms(w, r, err);
}

int contents_put(struct recread *r, FILE *out, struct err *err)
{
	struct rec_slow_query q = { .range = REC_ALL_TIME, .tracker = -1, .which = SLOW_ONLY };
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);
	struct tally t = { 0 };
	int e;

	jsonw_object(&w, NULL);
	e = put_recording(&w, r, err);
	if (e == 0)
		e = recread_slow(r, &q, count_slow, &t, err);
	if (e == 0)
		e = recread_rows(r, 1u << ROW_DROPS, REC_ALL_TIME, count_lost, &t, err);
	jsonw_u64(&w, "slow", t.slow);
	jsonw_u64(&w, "lost", t.lost);
	jsonw_u64(&w, "left_out", t.left_out);
	jsonw_u64(&w, "timer_idle", t.idle);
	jsonw_u64(&w, "timer_due", t.due);
	jsonw_end_object(&w);
	jsonw_line(&w);
	if (e == 0 && b.failed)
		e = err_set(err, -ENOMEM, "out of memory");
	if (e == 0 && (fwrite(b.s, 1, b.n, out) != b.n || fflush(out) != 0))
		e = errno ? -errno : -EIO;
	strb_free(&b);
	return e;
}

/* -- as text -- */

/* Prints the same for people, for the kinds of rows of which some have been removed. */
static void put_limits(const struct recread *f, FILE *out)
{
	static const char *const what[] = { "events", "aggregations", "processes", "seconds" };
	uint64_t from = recread_begun(f), since;
	const char *n;

	for (size_t i = 0; i < ARRAY_SIZE(what); i++) {
		char key[32];

		snprintf(key, sizeof(key), RECFILE_SINCE "%s", what[i]);
		n = recread_meta(f, key);
		if (n && num_parse_u64(n, &since) == 0)
			fprintf(out, "%-8s %s since %.1f s after the beginning\n", "kept", what[i],
				since > from ? (double)(since - from) / 1e9 : 0);
	}
	n = recread_meta(f, RECFILE_FORGOTTEN);
	if (n)
		fprintf(out, "%-8s %s keys of aggregations, for which --record-size had no room\n", "gave up", n);
	n = recread_meta(f, RECFILE_UNRECORDED);
	if (n)
		fprintf(out, "%-8s %s rows, for which --record-size had no room\n", "left out", n);
}

int contents_text(const struct recread *f, FILE *out)
{
	static const char *const keys[] = { "host", "kernel", "machine", "dwell" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		fprintf(out, "%-8s %s\n", keys[i], recread_meta(f, keys[i]) ? recread_meta(f, keys[i]) : "unknown");
	put_limits(f, out);
	for (const struct recfile_pair *p = recread_programs(f); p->name; p++)
		fprintf(out, "\n/* %s */\n%s\n", p->name, p->value);
	return ferror(out) ? -EIO : 0;
}

/* -- the view -- */

static int draw_text(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	(void)state;
	(void)err;
	return contents_text(job->source[0].file, out);
}

static int draw_json(const void *state, const struct view_job *job, FILE *out, struct err *err)
{
	(void)state;
	return contents_put(job->source[0].file, out, err);
}

static const struct view_form forms[] = { { .name = "text", .draw = draw_text },
					  { .name = "json",
					    .help = "as one JSON object",
					    .served = "contents.json",
					    .type = "application/json",
					    .draw = draw_json },
					  {} };

const struct view view_contents = { .name = "contents",
				    .words = { "report", "-l" },
				    .forms = forms,
				    .plain = "text",
				    .max_sources = 1,
				    .opens = true,
				    .size = sizeof(struct report_view) };
