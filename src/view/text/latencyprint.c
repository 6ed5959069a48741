/* SPDX-License-Identifier: Apache-2.0 */
#include "view/text/latencyprint.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "view/form/table.h"

#define MIN_SHARE_NS 100000000ull /* of a shorter time dwell's share of a CPU says nothing */

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* 80 columns. */
static void cost_text(const struct latencysum_cost *c, FILE *out)
{
	fputs("own cost: ", out);
	if (c->run_interval_ns)
		fprintf(out, "probes %.2f%% of a CPU (%.0f/s, %.0f ns each), ", percent(c->run_ns, c->run_interval_ns),
			(double)c->run_count * 1e9 / (double)c->run_interval_ns,
			c->run_count ? (double)c->run_ns / (double)c->run_count : 0.0);
	if (c->cpu_interval_ns >= MIN_SHARE_NS)
		fprintf(out, "dwell %.2f%%, ", percent(c->cpu_ns, c->cpu_interval_ns));
	fprintf(out, "%.1f MB\n", (double)c->resident_bytes / (1 << 20));
}

/* last: of the heading alone. */
static void tracker_line(struct table *t, const struct latencysum_tracker *r, const char *last)
{
	char p50[UNITS_LEN] = "-", p99[UNITS_LEN] = "-", max[UNITS_LEN] = "-";
	const struct cell v[] = {
		{ "TRACKER", CELL_TEXT, -10, 0, { r->name } },
		{ "EVENTS", CELL_UINT, 9, 0, { .u = r->count } },
		{ "P50", CELL_TEXT, 8, 0, { p50 } },
		{ "P99", CELL_TEXT, 8, 0, { p99 } },
		{ "MAX", CELL_TEXT, 8, 0, { max } },
		{ "SLOW FROM", CELL_NS, 9, 0, { .u = r->threshold_ns } },
		{ "SHOWN", CELL_UINT, 6, 0, { .u = r->shown } },
		{ "", CELL_TEXT, 0, 0, { "" } },
		{ last, CELL_TEXT, 0, 0, { "" } },
	};

	if (r->count) {
		units_ns(r->p50_ns, p50);
		units_ns(r->p99_ns, p99);
		units_ns(r->max_ns, max);
	}
	table_line(t, v, ARRAY_SIZE(v));
}

void latencyprint_text(const struct latencysum *s, FILE *out, uint64_t ns, uint64_t now, bool cost)
{
	struct table t = { .out = out, .gap = 1 };
	char took[UNITS_LEN], last[sizeof("last ") + UNITS_LEN];
	uint32_t n = latencysum_ntrackers(s);

	snprintf(last, sizeof(last), "last %s", units_ns(ns, took));
	fputc('\n', out);
	for (uint32_t i = 0; i < n; i++) {
		struct latencysum_tracker r = latencysum_tracker(s, i);

		tracker_line(&t, &r, last);
	}
	for (uint32_t i = 0; i < n; i++) {
		struct latencysum_tracker r = latencysum_tracker(s, i);

		if (r.limited)
			fprintf(out, "not shown: %llu slow events of %s, over its limit a second (see --worst)\n",
				(unsigned long long)r.limited, r.name);
	}
	if (cost) {
		struct latencysum_cost c = latencysum_cost(s, now);

		cost_text(&c, out);
	}
}

static void json_tracker(struct jsonw *w, const struct latencysum_tracker *r)
{
	jsonw_object(w, NULL);
	jsonw_str(w, "name", r->name);
	jsonw_u64(w, "count", r->count);
	jsonw_u64(w, "total_ns", r->total_ns);
	jsonw_u64(w, "p50_ns", r->p50_ns);
	jsonw_u64(w, "p90_ns", r->p90_ns);
	jsonw_u64(w, "p99_ns", r->p99_ns);
	jsonw_u64(w, "max_ns", r->max_ns);
	jsonw_u64(w, "threshold_ns", r->threshold_ns);
	jsonw_u64(w, "shown", r->shown);
	jsonw_end_object(w);
}

void latencyprint_json(const struct latencysum *s, uint64_t now, struct jsonw *w)
{
	struct latencysum_cost c = latencysum_cost(s, now);

	jsonw_array(w, "trackers");
	for (uint32_t i = 0; i < latencysum_ntrackers(s); i++) {
		struct latencysum_tracker r = latencysum_tracker(s, i);

		json_tracker(w, &r);
	}
	jsonw_end_array(w);
	jsonw_object(w, "cost");
	jsonw_u64(w, "run_ns", c.run_ns);
	jsonw_u64(w, "run_count", c.run_count);
	jsonw_u64(w, "cpu_ns", c.cpu_ns);
	jsonw_u64(w, "resident_bytes", c.resident_bytes);
	jsonw_end_object(w);
}
