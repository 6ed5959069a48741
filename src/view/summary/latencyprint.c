/* SPDX-License-Identifier: Apache-2.0 */
#include "view/summary/latencyprint.h"
#include <ctype.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "view/form/table.h"

#define GROUP_HEAD_LEN 16	  /* "CONTAINER" */
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

static void group_line(struct table *t, const struct latencygroup *g, const char *head)
{
	char total[UNITS_LEN];
	const struct cell v[] = {
		{ "TRACKER", CELL_TEXT, -10, 0, { g->tracker } },
		{ "EVENTS", CELL_UINT, 9, 0, { .u = g->hist.count } },
		{ "P50", CELL_NS, 8, 0, { .u = histsum_quantile_ns(&g->hist, &g->desc, 0.5) } },
		{ "P99", CELL_NS, 8, 0, { .u = histsum_quantile_ns(&g->hist, &g->desc, 0.99) } },
		{ "TOTAL", CELL_TEXT, 8, 0, { units_ns(g->hist.sum, total) } },
		{ "", CELL_TEXT, 0, 0, { "" } },
		{ head, CELL_TEXT, 0, 0, { g->name } },
	};

	table_line(t, v, ARRAY_SIZE(v));
}

void latencyprint_groups(const struct latencygroups *g, const char *by, FILE *out)
{
	struct table t = { .out = out, .gap = 1 };
	char head[GROUP_HEAD_LEN];
	size_t of_tracker = 0, more = 0;

	for (size_t i = 0; i <= strlen(by) && i < sizeof(head); i++)
		head[i] = (char)toupper((unsigned char)by[i]);
	head[sizeof(head) - 1] = '\0';
	fputc('\n', out);
	for (size_t i = 0; i < g->n; i++) {
		of_tracker = i && !strcmp(g->v[i].tracker, g->v[i - 1].tracker) ? of_tracker + 1 : 0;
		if (of_tracker < LATENCYPRINT_GROUPS)
			group_line(&t, &g->v[i], head);
		else
			more++;
	}
	if (g->n == 0)
		fprintf(out, "no events of any %s\n", by);
	if (more)
		fprintf(out, "not shown: %zu groups that waited less (--json has them)\n", more);
}

void latencyprint_groups_json(const struct latencygroups *g, const char *by, struct jsonw *w)
{
	jsonw_str(w, "by", by);
	jsonw_array(w, "groups");
	for (size_t i = 0; i < g->n; i++) {
		const struct latencygroup *r = &g->v[i];

		jsonw_object(w, NULL);
		jsonw_str(w, "tracker", r->tracker);
		jsonw_str(w, "group", r->name);
		jsonw_u64(w, "count", r->hist.count);
		jsonw_u64(w, "total_ns", r->hist.sum);
		jsonw_u64(w, "p50_ns", histsum_quantile_ns(&r->hist, &r->desc, 0.5));
		jsonw_u64(w, "p90_ns", histsum_quantile_ns(&r->hist, &r->desc, 0.9));
		jsonw_u64(w, "p99_ns", histsum_quantile_ns(&r->hist, &r->desc, 0.99));
		jsonw_u64(w, "max_ns", r->hist.max);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
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
