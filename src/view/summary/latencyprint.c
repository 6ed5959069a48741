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

enum { TRACKER_COLUMNS = 11, GROUP_COLUMNS = 11 };

/* last: of the heading alone. */
static void tracker_columns(const struct latencysum_tracker *r, const char *last, struct column ret[TRACKER_COLUMNS])
{
	const enum cell_kind ns = r->count ? CELL_NS : CELL_NO_NS;
	const struct column v[TRACKER_COLUMNS] = {
		{ { "TRACKER", CELL_TEXT, -10, 0, { r->name } }, "name", 0 },
		{ { "EVENTS", CELL_UINT, 9, 0, { .u = r->count } }, "count", 0 },
		{ { NULL, CELL_NS, 0, 0, { .u = r->total_ns } }, "total_ns", 0 },
		{ { "P50", ns, 8, 0, { .u = r->p50_ns } }, "p50_ns", 0 },
		{ { NULL, ns, 0, 0, { .u = r->p90_ns } }, "p90_ns", 0 },
		{ { "P99", ns, 8, 0, { .u = r->p99_ns } }, "p99_ns", 0 },
		{ { "MAX", ns, 8, 0, { .u = r->max_ns } }, "max_ns", 0 },
		{ { "SLOW FROM", CELL_NS, 9, 0, { .u = r->threshold_ns } }, "threshold_ns", 0 },
		{ { "SHOWN", CELL_UINT, 6, 0, { .u = r->shown } }, "shown", 0 },
		{ { "", CELL_TEXT, 0, 0, { "" } }, NULL, 0 },
		{ { last, CELL_TEXT, 0, 0, { "" } }, NULL, 0 },
	};

	memcpy(ret, v, sizeof(v));
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
		struct column v[TRACKER_COLUMNS];

		tracker_columns(&r, last, v);
		table_columns(&t, v, TRACKER_COLUMNS);
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

static uint64_t quantile(const struct latencygroup *g, double q)
{
	return histsum_quantile_ns(&g->hist, &g->desc, q);
}

/* head: of the column with the groups. */
static void group_columns(const struct latencygroup *g, const char *head, struct column ret[GROUP_COLUMNS])
{
	const struct column v[GROUP_COLUMNS] = {
		{ { "TRACKER", CELL_TEXT, -10, 0, { g->tracker } }, "tracker", 0 },
		{ { NULL, CELL_TEXT, 0, 0, { g->name } }, "group", 0 },
		{ { "EVENTS", CELL_UINT, 9, 0, { .u = g->hist.count } }, "count", 0 },
		{ { NULL, CELL_NS, 0, 0, { .u = g->hist.sum } }, "total_ns", 0 },
		{ { "P50", CELL_NS, 8, 0, { .u = quantile(g, 0.5) } }, "p50_ns", 0 },
		{ { NULL, CELL_NS, 0, 0, { .u = quantile(g, 0.9) } }, "p90_ns", 0 },
		{ { "P99", CELL_NS, 8, 0, { .u = quantile(g, 0.99) } }, "p99_ns", 0 },
		{ { NULL, CELL_NS, 0, 0, { .u = g->hist.max } }, "max_ns", 0 },
		{ { "TOTAL", CELL_NS, 8, 0, { .u = g->hist.sum } }, NULL, 0 },
		{ { "", CELL_TEXT, 0, 0, { "" } }, NULL, 0 },
		{ { head, CELL_TEXT, 0, 0, { g->name } }, NULL, 0 },
	};

	memcpy(ret, v, sizeof(v));
}

void latencyprint_groups(const struct latencygroups *g, const char *by, FILE *out)
{
	struct table t = { .out = out, .gap = 1 };
	char head[GROUP_HEAD_LEN];
	size_t of_tracker = 0, more = 0;
	struct column v[GROUP_COLUMNS];

	for (size_t i = 0; i <= strlen(by) && i < sizeof(head); i++)
		head[i] = (char)toupper((unsigned char)by[i]);
	head[sizeof(head) - 1] = '\0';
	fputc('\n', out);
	for (size_t i = 0; i < g->n; i++) {
		of_tracker = i && !strcmp(g->v[i].tracker, g->v[i - 1].tracker) ? of_tracker + 1 : 0;
		if (of_tracker >= LATENCYPRINT_GROUPS) {
			more++;
			continue;
		}
		group_columns(&g->v[i], head, v);
		table_columns(&t, v, GROUP_COLUMNS);
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
		struct column v[GROUP_COLUMNS];

		group_columns(&g->v[i], NULL, v);
		jsonw_object(w, NULL);
		table_members(w, v, GROUP_COLUMNS);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

void latencyprint_json(const struct latencysum *s, uint64_t now, struct jsonw *w)
{
	struct latencysum_cost c = latencysum_cost(s, now);

	jsonw_array(w, "trackers");
	for (uint32_t i = 0; i < latencysum_ntrackers(s); i++) {
		struct latencysum_tracker r = latencysum_tracker(s, i);
		struct column v[TRACKER_COLUMNS];

		tracker_columns(&r, NULL, v);
		jsonw_object(w, NULL);
		table_members(w, v, TRACKER_COLUMNS);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	jsonw_object(w, "cost");
	jsonw_u64(w, "run_ns", c.run_ns);
	jsonw_u64(w, "run_count", c.run_count);
	jsonw_u64(w, "cpu_ns", c.cpu_ns);
	jsonw_u64(w, "resident_bytes", c.resident_bytes);
	jsonw_end_object(w);
}
