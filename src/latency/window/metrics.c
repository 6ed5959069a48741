/* SPDX-License-Identifier: Apache-2.0 */
/* Writes OpenMetrics text: names, labels, buckets, exemplars. */
#include "latency/window/metrics.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include "base/cleanup.h"
#include "latency/window/metricscause.h"
#include "store/slow.h"

struct metrics {
	const struct rec_schema *schema;
	struct windows *w;
	uint64_t *slow; /* by tracker */
	uint64_t losses[REC_NLOSSES];
	uint64_t run_ns, run_cnt; /* of our programs, where it is measured */
	bool cost;
	uint64_t unrecorded;
	struct metrics_caused *caused; /* NULL: nobody knows the causes */
	uint64_t detached, reattached; /* programs, by maxcpu */
	unsigned one_in;	       /* one of this number of threads is looked at; 0: all */
};

static const double quantiles[] = { 0.5, 0.9, 0.99, 0.999 };

/* The label of each kind of loss; those without are none. */
static const char *const loss_names[REC_NLOSSES] = {
	[CNT_DROP_PRINCIPAL] = "ring_full",
	[CNT_DROP_AGG] = "aggregation_full",
	[CNT_DROP_DYN] = "variables_full",
	[CNT_DROP_SPEC] = "speculation_full",
	[CNT_DROP_SPEC_BUSY] = "speculation_busy",
	[CNT_DROP_SPEC_UNAVAIL] = "speculation_unavailable",
	[CNT_COMPAT] = "32bit_system_call",
	[CNT_DROP_SCRATCH] = "scratch_full",
	[CNT_RECURSION] = "recursion",
	[CNT_CALL_MISSED] = "return_missed",
	[CNT_TIMER_MISSES] = "timer_missed",
	[CNT_TRACK_FULL] = "tracker_full",
	[CNT_TRACK_DEEP] = "tracker_too_deep",
	[CNT_TRACK_LIMITED] = "slow_events_limited",
	[CNT_TRACK_LOST] = "end_lost",
	[CNT_FLIGHT_MISSED] = "flight_cpu_later",
};

int metrics_new(const struct rec_schema *schema, uint64_t wall_off, struct metrics **ret)
{
	struct metrics *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->schema = schema;
	m->slow = calloc(schema->ntrackers + 1, sizeof(*m->slow));
	if (!m->slow || windows_new(schema, wall_off, 0, &m->w) < 0) {
		metrics_free(m);
		return -ENOMEM;
	}
	*ret = m;
	return 0;
}

void metrics_free(struct metrics *m)
{
	if (!m)
		return;
	windows_free(m->w);
	metrics_caused_free(m->caused);
	free(m->slow);
	free(m);
}

int metrics_name(struct metrics *m, const struct metrics_names *names)
{
	metrics_caused_free(m->caused);
	m->caused = NULL;
	return names->causes ? metrics_caused_new(names, &m->caused) : 0;
}

static int add_event(struct metrics *m, const struct row *row)
{
	const struct recfmt *f = row->id >= 1 && row->id <= m->schema->nfmts ? m->schema->fmts[row->id - 1] : NULL;

	for (size_t i = 0; f && i < f->nacts; i++) {
		struct slow_event e;
		int r;

		if (f->acts[i].kind != ACT_SLOW)
			continue;
		e = slow_event(m->schema, &f->acts[i], row->data);
		if (!e.tracker || e.fixed.how == SLOW_CONTROL)
			continue;
		m->slow[e.tracker->id]++;
		r = m->caused ? metrics_caused_add(m->caused, &e) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

int metrics_add(struct metrics *m, const struct row *row)
{
	struct rec_cost c;

	switch (row->kind) {
	case ROW_HIST:
	case ROW_AGG: return windows_add(m->w, row);
	case ROW_EVENT: return add_event(m, row);
	case ROW_DROPS:
		if (row->id < REC_NLOSSES)
			m->losses[row->id] += row->count;
		break;
	case ROW_NOTE:
		m->detached += row->id == NOTE_DETACHED;
		m->reattached += row->id == NOTE_REATTACHED;
		break;
	case ROW_COST:
		if (row->len >= sizeof(c)) {
			memcpy(&c, row->data, sizeof(c));
			m->run_ns += c.run_ns;
			m->run_cnt += c.run_cnt;
			m->cost = true;
		}
		break;
	default: break;
	}
	return 0;
}

void metrics_one_in(struct metrics *m, unsigned n)
{
	m->one_in = n;
}

void metrics_unrecorded(struct metrics *m, uint64_t rows)
{
	m->unrecorded = rows;
}

static void put_labels(struct strb *b, const struct rec_histdesc *d, const struct window_series *s)
{
	metrics_label(b, d->is_tracker ? "tracker" : "aggregation", d->name);
	if (s->other || d->key_size) {
		strb_addc(b, ',');
		metrics_label(b, "key", s->key);
	}
}

/* A family of metrics: of trackers (in seconds), or of aggregations. */
struct family {
	struct strb *b;
	struct windows *w;
	const struct rec_schema *schema;
	const struct window_series *v;
	size_t n;
	uint64_t now;
	bool trackers;
	const char *name;
	double unit; /* of a value, in that of the metric */
};

/* Calls fn for each series of the family. */
static int each(struct family *f, int (*fn)(struct family *f, size_t i, const struct rec_histdesc *d))
{
	struct rec_histdesc d;
	int r = 0;

	for (size_t i = 0; i < f->n && r == 0; i++)
		if (rec_hist_source(f->schema, f->v[i].source, &d) && d.is_tracker == f->trackers)
			r = fn(f, i, &d);
	return r;
}

static void put_number(struct strb *b, double v)
{
	strb_printf(b, isnan(v) ? " NaN\n" : " %.9g\n", v);
}

static int put_count(struct family *f, size_t i, const struct rec_histdesc *d)
{
	uint64_t count, sum;

	windows_total(f->w, i, &count, &sum);
	strb_printf(f->b, "%s_count{", f->name);
	put_labels(f->b, d, &f->v[i]);
	strb_printf(f->b, "} %" PRIu64 "\n", count);
	if (f->trackers) { /* aggregations do not know theirs */
		strb_printf(f->b, "%s_sum{", f->name);
		put_labels(f->b, d, &f->v[i]);
		strb_adds(f->b, "}");
		put_number(f->b, (double)sum * f->unit);
	}
	return 0;
}

static int put_quantiles(struct family *f, size_t i, const struct rec_histdesc *d)
{
	struct histsum s = { 0 };
	int r = windows_get(f->w, i, WINDOW_MINUTE, f->now, &s, NULL);

	for (size_t q = 0; q < ARRAY_SIZE(quantiles) && r == 0; q++) {
		strb_printf(f->b, "%s{", f->name);
		put_labels(f->b, d, &f->v[i]);
		strb_printf(f->b, ",quantile=\"%g\"}", quantiles[q]);
		put_number(f->b, histsum_quantile(&s, d, quantiles[q]) * f->unit);
	}
	histsum_free(&s);
	return r;
}

static int put_summary(struct family *f, size_t i, const struct rec_histdesc *d)
{
	int r = put_quantiles(f, i, d);

	return r < 0 ? r : put_count(f, i, d);
}

/* le is the longest delay of the bucket: delays are whole nanoseconds. */
static int put_histogram(struct family *f, size_t i, const struct rec_histdesc *d)
{
	const uint64_t *powers = windows_powers(f->w, i);
	uint64_t below = 0;
	int p = 0;

	for (int bound = METRICS_POWER_FIRST; bound <= METRICS_POWER_LAST; bound++) {
		for (; p <= bound; p++)
			below += powers[p];
		strb_printf(f->b, "%s_bucket{", f->name);
		put_labels(f->b, d, &f->v[i]);
		strb_printf(f->b, ",le=\"%.11g\"} %" PRIu64 "\n", (double)((UINT64_C(1) << bound) - 1) * f->unit,
			    below);
	}
	for (; p < WINDOWS_POWERS; p++)
		below += powers[p];
	strb_printf(f->b, "%s_bucket{", f->name);
	put_labels(f->b, d, &f->v[i]);
	strb_printf(f->b, ",le=\"+Inf\"} %" PRIu64 "\n", below);
	return put_count(f, i, d);
}

static int put_max(struct family *f, size_t i, const struct rec_histdesc *d)
{
	struct histsum s = { 0 };
	int r = windows_get(f->w, i, WINDOW_MINUTE, f->now, &s, NULL);

	strb_printf(f->b, "%s_max{", f->name);
	put_labels(f->b, d, &f->v[i]);
	strb_adds(f->b, "}");
	put_number(f->b, s.count ? (double)s.max * f->unit : 0);
	histsum_free(&s);
	return r;
}

/* -- the text -- */

static void head(struct strb *b, const char *name, const char *type, const char *help)
{
	strb_printf(b, "# TYPE %s %s\n# HELP %s %s\n", name, type, name, help);
}

static int put_trackers(struct family *f)
{
	int r;

	f->trackers = true;
	f->unit = 1e-9;
	f->name = "dwell_latency_seconds";
	strb_adds(f->b, "# TYPE dwell_latency_seconds histogram\n# UNIT dwell_latency_seconds seconds\n"
			"# HELP dwell_latency_seconds Delays of trackers since the start.\n");
	r = each(f, put_histogram);
	f->name = "dwell_latency_minute_seconds";
	head(f->b, f->name, "gauge", "Quantiles of the delays of the last minute.");
	if (r == 0)
		r = each(f, put_quantiles);
	f->name = "dwell_latency_seconds";
	head(f->b, "dwell_latency_seconds_max", "gauge", "The longest delay of the last minute.");
	return r == 0 ? each(f, put_max) : r;
}

static int put_values(struct family *f)
{
	f->trackers = false;
	f->name = "dwell_value";
	f->unit = 1;
	head(f->b, f->name, "summary", "Values of aggregations: quantiles of the last minute, number since the start.");
	return each(f, put_summary);
}

static void put_slow(struct strb *b, const struct metrics *m)
{
	head(b, "dwell_slow_events", "counter", "Slow events of trackers.");
	for (size_t i = 0; i < m->schema->ntrackers; i++) {
		strb_adds(b, "dwell_slow_events_total{");
		metrics_label(b, "tracker", m->schema->trackers[i].name);
		strb_printf(b, "} %" PRIu64 "\n", m->slow[i]);
	}
	if (m->caused)
		metrics_caused_write(b, m->caused);
	if (m->one_in > 1) {
		head(b, "dwell_threads_one_in", "gauge",
		     "Waits are measured of one thread in this number (--cost): the others have none here.");
		strb_printf(b, "dwell_threads_one_in %u\n", m->one_in);
	}
	head(b, "dwell_losses", "counter", "Events that are missing, by where they were lost.");
	for (int i = 0; i < REC_NLOSSES; i++)
		if (loss_names[i])
			strb_printf(b, "dwell_losses_total{where=\"%s\"} %" PRIu64 "\n", loss_names[i], m->losses[i]);
	head(b, "dwell_unrecorded_rows", "counter", "Rows that could not be written to a recording.");
	strb_printf(b, "dwell_unrecorded_rows_total %" PRIu64 "\n", m->unrecorded);
	head(b, "dwell_detached_programs", "gauge",
	     "Programs that are off now because they cost too much (maxcpu): what they see is not measured.");
	strb_printf(b, "dwell_detached_programs %" PRIu64 "\n", m->detached - m->reattached);
	head(b, "dwell_detachments", "counter", "How often programs were detached because they cost too much.");
	strb_printf(b, "dwell_detachments_total %" PRIu64 "\n", m->detached);
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

static void put_own(struct strb *b, const struct metrics *m)
{
	unsigned long pages = 0;
	struct rusage u = { 0 };
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%*u %lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	getrusage(RUSAGE_SELF, &u);
	head(b, "dwell_cpu_seconds", "counter", "CPU time of dwell itself, without its probes.");
	strb_printf(b, "dwell_cpu_seconds_total %.6f\n", seconds(&u.ru_utime) + seconds(&u.ru_stime));
	if (m->cost) {
		head(b, "dwell_probe_seconds", "counter", "Time spent in probes.");
		strb_printf(b, "dwell_probe_seconds_total %.9f\n", (double)m->run_ns * 1e-9);
		head(b, "dwell_probe_runs", "counter", "Runs of probes.");
		strb_printf(b, "dwell_probe_runs_total %" PRIu64 "\n", m->run_cnt);
	}
	head(b, "dwell_resident_bytes", "gauge", "Resident memory of dwell.");
	strb_printf(b, "dwell_resident_bytes %llu\n",
		    (unsigned long long)pages * (unsigned long long)sysconf(_SC_PAGESIZE));
	head(b, "dwell_window_bytes", "gauge", "Memory of the histograms.");
	strb_printf(b, "dwell_window_bytes %zu\n", windows_bytes(m->w));
	head(b, "dwell_late_values", "counter", "Values that came too late for any slot.");
	strb_printf(b, "dwell_late_values_total %" PRIu64 "\n# EOF\n", windows_late(m->w));
}

int metrics_write(struct strb *b, struct metrics *m, uint64_t now)
{
	struct family f = { .b = b, .w = m->w, .schema = m->schema, .now = now };
	int r;

	f.n = windows_series(m->w, &f.v);
	r = put_trackers(&f);
	if (r == 0)
		r = put_values(&f);
	put_slow(b, m);
	put_own(b, m);
	return r == 0 && b->failed ? -ENOMEM : r;
}
