/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/latencysum.h"
#include <math.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "store/rechist.h"

struct latencysum {
	const struct rec_schema *schema;
	struct histsum *hists; /* by tracker */
	uint64_t *slow;
	size_t n; /* of both; the schema may have gone at the end */
	uint64_t run_ns, run_cnt;
};

int latencysum_new(const struct rec_schema *schema, struct latencysum **ret)
{
	struct latencysum *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->schema = schema;
	s->n = schema->ntrackers;
	s->hists = calloc(schema->ntrackers + 1, sizeof(*s->hists));
	s->slow = calloc(schema->ntrackers + 1, sizeof(*s->slow));
	if (!s->hists || !s->slow) {
		latencysum_free(s);
		return -ENOMEM;
	}
	*ret = s;
	return 0;
}

void latencysum_free(struct latencysum *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->hists && i < s->n; i++)
		histsum_free(&s->hists[i]);
	free(s->hists);
	free(s->slow);
	free(s);
}

int latencysum_add(struct latencysum *s, const struct row *row)
{
	struct rec_histdesc d;
	struct rec_cost cost;

	if (row->kind == ROW_COST && row->len >= sizeof(cost)) {
		memcpy(&cost, row->data, sizeof(cost));
		s->run_ns += cost.run_ns;
		s->run_cnt += cost.run_cnt;
		return 0;
	}
	if (row->kind != ROW_HIST || row->id >= s->schema->ntrackers || !rec_hist_source(s->schema, row->id, &d) ||
	    !rechist_fits(&d, row->data, row->len))
		return 0;
	return histsum_add(&s->hists[row->id], row->data, rechist_buckets(row->data));
}

void latencysum_slow(struct latencysum *s, uint32_t tracker)
{
	if (tracker < s->schema->ntrackers)
		s->slow[tracker]++;
}

static uint64_t quantile(struct latencysum *s, uint32_t i, double q)
{
	struct rec_histdesc d;
	double v = rec_hist_source(s->schema, i, &d) ? histsum_quantile(&s->hists[i], &d, q) : 0;

	return isfinite(v) && v > 0 ? (uint64_t)v : 0;
}

static void reset(struct latencysum *s)
{
	for (uint32_t i = 0; i < s->schema->ntrackers; i++) {
		histsum_reset(&s->hists[i]);
		s->slow[i] = 0;
	}
	s->run_ns = s->run_cnt = 0;
}

void latencysum_text(struct latencysum *s, FILE *out, uint64_t ns, bool cost)
{
	char took[UNITS_LEN], p50[UNITS_LEN], p99[UNITS_LEN], max[UNITS_LEN];

	fprintf(out, "\n%-14s %10s %9s %9s %9s %7s   last %s\n", "TRACKER", "EVENTS", "HALF", "99%", "MAX", "SHOWN",
		units_ns(ns, took));
	for (uint32_t i = 0; i < s->schema->ntrackers; i++)
		fprintf(out, "%-14s %10llu %9s %9s %9s %7llu\n", s->schema->trackers[i].name,
			(unsigned long long)s->hists[i].count, units_ns(quantile(s, i, 0.5), p50),
			units_ns(quantile(s, i, 0.99), p99), units_ns(s->hists[i].max, max),
			(unsigned long long)s->slow[i]);
	if (cost)
		fprintf(out, "own cost: %.2f%% of one CPU in probes, %.0f ns each\n",
			ns ? 100.0 * (double)s->run_ns / (double)ns : 0.0,
			s->run_cnt ? (double)s->run_ns / (double)s->run_cnt : 0.0);
	fputc('\n', out);
	reset(s);
}

void latencysum_json(struct latencysum *s, struct strb *b)
{
	strb_adds(b, "\"trackers\":[");
	for (uint32_t i = 0; i < s->schema->ntrackers; i++)
		strb_printf(b, "%s{\"name\":\"%s\",\"count\":%llu,\"total_ns\":%llu,\"p50_ns\":%llu,\"p90_ns\":%llu,\"p99_ns\":%llu,"
			       "\"max_ns\":%llu,\"shown\":%llu}", i ? "," : "", s->schema->trackers[i].name,
			    (unsigned long long)s->hists[i].count, (unsigned long long)s->hists[i].sum,
			    (unsigned long long)quantile(s, i, 0.5), (unsigned long long)quantile(s, i, 0.9),
			    (unsigned long long)quantile(s, i, 0.99), (unsigned long long)s->hists[i].max,
			    (unsigned long long)s->slow[i]);
	strb_printf(b, "],\"cost\":{\"run_ns\":%llu,\"run_count\":%llu}", (unsigned long long)s->run_ns,
		    (unsigned long long)s->run_cnt);
	reset(s);
}
