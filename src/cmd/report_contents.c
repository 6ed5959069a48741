/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell report -l --json FILE`: what is in a recording, for programs that choose views of it. */
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonstr.h"
#include "cmd/cmd.h"
#include "cmd/latency_rec.h"
#include "cmd/report.h"
#include "view/recstacks.h"
#include "view/stacksrc.h"

static void put(struct strb *b, const char *name, const char *value)
{
	strb_printf(b, "%s\"%s\":", b->n > 1 && b->s[b->n - 1] != '{' ? "," : "", name);
	jsonstr_add(b, value ? value : "", value ? strlen(value) : 0);
}

static void put_programs(struct strb *b, const struct recread *r)
{
	strb_adds(b, ",\"programs\":[");
	for (const struct recfile_pair *p = recread_programs(r); p->name; p++) {
		strb_adds(b, p == recread_programs(r) ? "{" : ",{");
		put(b, "name", p->name);
		put(b, "text", p->value);
		strb_addc(b, '}');
	}
	strb_addc(b, ']');
}

/* Trackers and distributions that have values: heat maps can be made of them. */
static int put_histograms(struct strb *b, struct recread *r, struct err *err)
{
	const struct rec_schema *s = recread_schema(r);
	const char *comma = "";
	int e = 0;

	strb_adds(b, ",\"histograms\":[");
	for (uint32_t i = 0; i < s->ntrackers + s->naggs && e == 0; i++) {
		struct histsum sum = { 0 };
		struct rec_histdesc d;

		if (!rec_hist_source(s, i, &d))
			continue;
		e = recread_hist(r, i, REC_ALL_TIME, -1, &sum, err);
		if (e == 0 && sum.count) {
			strb_printf(b, "%s{\"kind\":\"%s\"", comma, d.is_tracker ? "tracker" : "aggregation");
			put(b, "name", d.name);
			put(b, "unit", d.is_tracker ? "ns" : stacksrc_unit(d.name));
			strb_printf(b, ",\"count\":%" PRIu64 ",\"keys\":%zu,\"p50\":%.6g,\"p99\":%.6g,\"max\":%.6g,\"slot\":%" PRIu64 "}",
				    sum.count, d.nkeys, histsum_quantile(&sum, &d, 0.5), histsum_quantile(&sum, &d, 0.99),
				    histsum_quantile(&sum, &d, 1), d.slot_ns);
			comma = ",";
		}
		histsum_free(&sum);
	}
	strb_addc(b, ']');
	return e;
}

static void put_stacks(struct strb *b, const struct recread *r)
{
	const struct rec_schema *s = recread_schema(r);
	const char *comma = "";

	strb_adds(b, ",\"stacks\":[");
	for (size_t i = 0; i < s->naggs; i++)
		if (recstacks_of(s->aggs[i])) {
			strb_printf(b, "%s{", comma);
			put(b, "name", s->aggs[i]->name);
			put(b, "unit", stacksrc_unit(s->aggs[i]->name));
			strb_addc(b, '}');
			comma = ",";
		}
	strb_addc(b, ']');
}

static void put_range(struct strb *b, const char *name, bool there, const struct rec_range *r)
{
	if (there)
		strb_printf(b, ",\"%s\":[%" PRIu64 ",%" PRIu64 "]", name, r->from, r->to);
	else
		strb_printf(b, ",\"%s\":null", name);
}

struct tally {
	uint64_t slow, lost;
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

	if (row->id != CNT_FIRINGS && row->id != CNT_COMPAT)
		t->lost += row->count;
	return 0;
}

int report_contents(struct recread *r)
{
	static const char *const metas[] = { "host", "kernel", "machine", "dwell" };
	struct rec_slow_query q = { .range = REC_ALL_TIME, .tracker = -1, .which = SLOW_ONLY };
	const char *begun = recread_meta(r, "begun_monotonic_ns");
	struct rec_range range;
	struct strb b = { 0 };
	struct tally t = { 0 };
	struct err err = { 0 };
	int e;

	strb_adds(&b, "{\"type\":\"recording\"");
	for (size_t i = 0; i < ARRAY_SIZE(metas); i++)
		put(&b, metas[i], recread_meta(r, metas[i]));
	strb_printf(&b, ",\"begun\":%s,\"wall_off\":%" PRIu64, begun && begun[0] >= '0' && begun[0] <= '9' && !begun[strspn(begun, "0123456789")] ?
		    begun : "0", recread_wall_off(r));
	put_range(&b, "extent", recread_extent(r, &range), &range);
	put_range(&b, "seconds", recread_hist_extent(r, &range), &range);
	put_programs(&b, r);
	put_stacks(&b, r);
	e = put_histograms(&b, r, &err);
	if (e == 0)
		e = recread_slow(r, &q, count_slow, &t, &err);
	if (e == 0)
		e = recread_rows(r, 1u << ROW_DROPS, REC_ALL_TIME, count_lost, &t, &err);
	strb_printf(&b, ",\"slow\":%" PRIu64 ",\"lost\":%" PRIu64 "}\n", t.slow, t.lost);
	if (e == 0 && b.failed)
		e = err_set(&err, -ENOMEM, "out of memory");
	if (e == 0)
		e = fwrite(b.s, 1, b.n, stdout) == b.n ? 0 : -EIO;
	strb_free(&b);
	return e < 0 && err.msg[0] ? cmd_fail("%s", err.msg) : cmd_written(e < 0 ? e : fflush(stdout) ? -errno : 0);
}
