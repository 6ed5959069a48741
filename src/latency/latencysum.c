/* SPDX-License-Identifier: Apache-2.0 */
#include "latency/latencysum.h"
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "store/rechist.h"

#define HIST_NS 1000000000ull	  /* what one row of a tracker's histogram covers */
#define MIN_SHARE_NS 100000000ull /* of a shorter time dwell's share of a CPU says nothing */

struct latencysum {
	const struct rec_schema *schema;
	struct histsum *hists; /* by tracker */
	uint64_t *slow, *threshold, *limited;
	size_t n; /* of all; the schema may have gone at the end */
	uint64_t run_ns, run_cnt;
	uint64_t cpu_ns, wall; /* of this process, and when: at the last summary */
	/* Histograms are read when their second is over, and cost once a second: up to when is known, now and at the
	 * last summary. */
	uint64_t hist_to, hist_from, cost_to, cost_from;
};

/* This process's memory: resident bytes; 0: not known. Source: proc(5), statm. */
static uint64_t own_memory(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/statm", "re");
	unsigned long size, pages;

	return f && fscanf(f, "%lu %lu", &size, &pages) == 2 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

int latencysum_new(const struct rec_schema *schema, struct latencysum **ret)
{
	struct latencysum *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->schema = schema;
	s->n = schema->ntrackers;
	s->hists = calloc(schema->ntrackers + 1, sizeof(*s->hists));
	s->slow = calloc(schema->ntrackers + 1, sizeof(*s->slow));
	s->threshold = calloc(schema->ntrackers + 1, sizeof(*s->threshold));
	s->limited = calloc(schema->ntrackers + 1, sizeof(*s->limited));
	if (!s->hists || !s->slow || !s->threshold || !s->limited) {
		latencysum_free(s);
		return -ENOMEM;
	}
	*ret = s;
	return 0;
}

void latencysum_begin(struct latencysum *s, uint64_t now)
{
	s->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	s->hist_from = s->wall = now;
}

void latencysum_free(struct latencysum *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->hists && i < s->n; i++)
		histsum_free(&s->hists[i]);
	free(s->hists);
	free(s->slow);
	free(s->threshold);
	free(s->limited);
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
		s->cost_to = row->ts;
		s->cost_from = s->cost_from ? s->cost_from : row->ts - cost.interval;
		return 0;
	}
	if (row->kind != ROW_HIST || row->id >= s->schema->ntrackers || !rec_hist_source(s->schema, row->id, &d) ||
	    !rechist_fits(&d, row->data, row->len))
		return 0;
	s->hist_to = row->ts + HIST_NS > s->hist_to ? row->ts + HIST_NS : s->hist_to;
	return histsum_add(&s->hists[row->id], row->data, rechist_buckets(row->data));
}

uint64_t latencysum_interval(struct latencysum *s, uint64_t now, bool final)
{
	uint64_t to = final || !s->hist_to || now - s->hist_to > 2 * HIST_NS ? now : s->hist_to;
	uint64_t ns = to > s->hist_from ? to - s->hist_from : 0;

	s->hist_from = to;
	return ns;
}

void latencysum_slow(struct latencysum *s, uint32_t tracker)
{
	if (tracker < s->schema->ntrackers)
		s->slow[tracker]++;
}

bool latencysum_limited(struct latencysum *s, const struct row *row)
{
	const struct rec_probe *p = row->id == CNT_TRACK_LIMITED ? rec_schema_probe(s->schema, row->probe) : NULL;

	for (uint32_t i = 0; p && i < s->schema->ntrackers; i++)
		if (!strcmp(s->schema->trackers[i].name, p->mod)) {
			s->limited[i] += row->count;
			return true;
		}
	return false;
}

void latencysum_threshold(struct latencysum *s, uint32_t tracker, uint64_t ns)
{
	if (tracker < s->schema->ntrackers)
		s->threshold[tracker] = ns;
}

static uint64_t quantile(struct latencysum *s, uint32_t i, double q)
{
	struct rec_histdesc d;
	double v = rec_hist_source(s->schema, i, &d) ? histsum_quantile(&s->hists[i], &d, q) : 0;

	return isfinite(v) && v > 0 ? (uint64_t)v : 0;
}

static void reset(struct latencysum *s, uint64_t now)
{
	for (uint32_t i = 0; i < s->schema->ntrackers; i++) {
		histsum_reset(&s->hists[i]);
		s->slow[i] = s->limited[i] = 0;
	}
	s->run_ns = s->run_cnt = 0;
	s->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	s->wall = now;
	s->cost_from = s->cost_to;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

/* 80 columns. */
static void cost_text(const struct latencysum *s, FILE *out, uint64_t now)
{
	uint64_t ns = s->cost_to - s->cost_from;

	fputs("own cost: ", out);
	if (ns)
		fprintf(out, "probes %.2f%% of a CPU (%.0f/s, %.0f ns each), ", percent(s->run_ns, ns),
			(double)s->run_cnt * 1e9 / (double)ns,
			s->run_cnt ? (double)s->run_ns / (double)s->run_cnt : 0.0);
	if (now - s->wall >= MIN_SHARE_NS)
		fprintf(out, "dwell %.2f%%, ", percent(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - s->cpu_ns, now - s->wall));
	fprintf(out, "%.1f MB\n", (double)own_memory() / (1 << 20));
}

void latencysum_text(struct latencysum *s, FILE *out, uint64_t ns, uint64_t now, bool cost)
{
	char took[UNITS_LEN], p50[UNITS_LEN], p99[UNITS_LEN], max[UNITS_LEN], from[UNITS_LEN];

	fprintf(out, "\n%-10s %9s %8s %8s %8s %9s %6s  last %s\n", "TRACKER", "EVENTS", "P50", "P99", "MAX",
		"SLOW FROM", "SHOWN", units_ns(ns, took));
	for (uint32_t i = 0; i < s->schema->ntrackers; i++) {
		bool any = s->hists[i].count != 0;

		fprintf(out, "%-10s %9llu %8s %8s %8s %9s %6llu\n", s->schema->trackers[i].name,
			(unsigned long long)s->hists[i].count, any ? units_ns(quantile(s, i, 0.5), p50) : "-",
			any ? units_ns(quantile(s, i, 0.99), p99) : "-", any ? units_ns(s->hists[i].max, max) : "-",
			units_ns(s->threshold[i], from), (unsigned long long)s->slow[i]);
	}
	for (uint32_t i = 0; i < s->schema->ntrackers; i++)
		if (s->limited[i])
			fprintf(out, "not shown: %llu slow events of %s, over its limit a second (see --worst)\n",
				(unsigned long long)s->limited[i], s->schema->trackers[i].name);
	if (cost)
		cost_text(s, out, now);
	reset(s, now);
}

static void json_tracker(struct jsonw *w, struct latencysum *s, uint32_t i)
{
	jsonw_object(w, NULL);
	jsonw_str(w, "name", s->schema->trackers[i].name);
	jsonw_u64(w, "count", s->hists[i].count);
	jsonw_u64(w, "total_ns", s->hists[i].sum);
	jsonw_u64(w, "p50_ns", (uint64_t)quantile(s, i, 0.5));
	jsonw_u64(w, "p90_ns", (uint64_t)quantile(s, i, 0.9));
	jsonw_u64(w, "p99_ns", (uint64_t)quantile(s, i, 0.99));
	jsonw_u64(w, "max_ns", s->hists[i].max);
	jsonw_u64(w, "threshold_ns", s->threshold[i]);
	jsonw_u64(w, "shown", s->slow[i]);
	jsonw_end_object(w);
}

void latencysum_json(struct latencysum *s, uint64_t now, struct jsonw *w)
{
	jsonw_array(w, "trackers");
	for (uint32_t i = 0; i < s->schema->ntrackers; i++)
		json_tracker(w, s, i);
	jsonw_end_array(w);
	jsonw_object(w, "cost");
	jsonw_u64(w, "run_ns", s->run_ns);
	jsonw_u64(w, "run_count", s->run_cnt);
	jsonw_u64(w, "cpu_ns", clock_ns(CLOCK_PROCESS_CPUTIME_ID) - s->cpu_ns);
	jsonw_u64(w, "resident_bytes", own_memory());
	jsonw_end_object(w);
	reset(s, now);
}
