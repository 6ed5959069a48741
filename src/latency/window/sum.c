/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the histograms of each tracker and prints their summary. */
#include "latency/window/sum.h"
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "store/rechist.h"

#define HIST_NS 1000000000ull /* what one row of a tracker's histogram covers */

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
	struct latencygroups groups;
	bool wanted_only;
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
	latencygroups_clear(&s->groups);
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
	if (row->kind == ROW_AGG)
		return latencygroups_add(&s->groups, s->schema, row);
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

uint32_t latencysum_ntrackers(const struct latencysum *s)
{
	return s->schema->ntrackers;
}

void latencysum_wanted_only(struct latencysum *s)
{
	s->wanted_only = true;
}

const struct latencygroups *latencysum_groups(struct latencysum *s)
{
	latencygroups_sort(&s->groups, s->schema);
	return &s->groups;
}

static bool has_groups(const struct latencysum *s, uint32_t tracker)
{
	for (uint32_t i = 0; i < s->schema->naggs; i++)
		if (latencygroup_tracker(s->schema, i) == (int)tracker)
			return true;
	return false;
}

/* The distribution of the tracker's groups alone, in *ret, and what its buckets are. Without memory: what there was
 * for. */
static void hist_of_groups(const struct latencysum *s, const char *tracker, struct histsum *ret,
			   struct rec_histdesc *desc)
{
	latencygroups_sum(&s->groups, tracker, ret);
	for (size_t i = 0; i < s->groups.n; i++)
		if (!strcmp(s->groups.v[i].tracker, tracker))
			*desc = s->groups.v[i].desc;
}

struct latencysum_tracker latencysum_tracker(const struct latencysum *s, uint32_t i)
{
	_cleanup_(histsum_free) struct histsum of_groups = { 0 };
	const struct histsum *h = &s->hists[i];
	const char *name = s->schema->trackers[i].name;
	struct rec_histdesc d = { 0 };

	rec_hist_source(s->schema, i, &d);
	if (s->wanted_only && has_groups(s, i)) {
		hist_of_groups(s, name, &of_groups, &d);
		h = &of_groups;
	}
	return (struct latencysum_tracker){
		.name = name,
		.count = h->count,
		.total_ns = h->sum,
		.p50_ns = histsum_quantile_ns(h, &d, 0.5),
		.p90_ns = histsum_quantile_ns(h, &d, 0.9),
		.p99_ns = histsum_quantile_ns(h, &d, 0.99),
		.max_ns = h->max,
		.threshold_ns = s->threshold[i],
		.shown = s->slow[i],
		.limited = s->limited[i],
	};
}

struct latencysum_cost latencysum_cost(const struct latencysum *s, uint64_t now)
{
	return (struct latencysum_cost){
		.run_ns = s->run_ns,
		.run_count = s->run_cnt,
		.run_interval_ns = s->cost_to - s->cost_from,
		.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - s->cpu_ns,
		.cpu_interval_ns = now - s->wall,
		.resident_bytes = own_memory(),
	};
}

void latencysum_reset(struct latencysum *s, uint64_t now)
{
	for (uint32_t i = 0; i < s->schema->ntrackers; i++) {
		histsum_reset(&s->hists[i]);
		s->slow[i] = s->limited[i] = 0;
	}
	latencygroups_clear(&s->groups);
	s->run_ns = s->run_cnt = 0;
	s->cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	s->wall = now;
	s->cost_from = s->cost_to;
}
