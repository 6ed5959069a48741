/* SPDX-License-Identifier: Apache-2.0 */
#include "latency/metrics.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/cleanup.h"

static const double quantiles[] = { 0.5, 0.9, 0.99, 0.999 };

/* The value of a label: backslash, quote and newline are escaped. */
static void put_label(struct strb *b, const char *name, const char *value)
{
	strb_printf(b, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\n')
			strb_adds(b, "\\n");
		else if (*value == '\\' || *value == '"')
			strb_printf(b, "\\%c", *value);
		else
			strb_addc(b, *value);
	}
	strb_addc(b, '"');
}

static void put_labels(struct strb *b, const struct rec_histdesc *d, const struct window_series *s)
{
	put_label(b, d->is_tracker ? "tracker" : "aggregation", d->name);
	if (s->other || d->key_size) {
		strb_addc(b, ',');
		put_label(b, "key", s->key);
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

static int put_summary(struct family *f, size_t i, const struct rec_histdesc *d)
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
	return r < 0 ? r : put_count(f, i, d);
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

int metrics_put(struct strb *b, struct windows *w, const struct rec_schema *schema, uint64_t now)
{
	struct family f = { .b = b, .w = w, .schema = schema, .now = now, .trackers = true,
			    .name = "dwell_latency_seconds", .unit = 1e-9 };
	int r;

	f.n = windows_series(w, &f.v);
	strb_adds(b, "# TYPE dwell_latency_seconds summary\n# UNIT dwell_latency_seconds seconds\n"
		     "# HELP dwell_latency_seconds Delays of trackers: quantiles of the last minute, all since the start.\n");
	r = each(&f, put_summary);
	strb_adds(b, "# TYPE dwell_latency_seconds_max gauge\n"
		     "# HELP dwell_latency_seconds_max The longest delay of the last minute.\n");
	if (r == 0)
		r = each(&f, put_max);
	f.trackers = false;
	f.name = "dwell_value";
	f.unit = 1;
	strb_adds(b, "# TYPE dwell_value summary\n"
		     "# HELP dwell_value Values of aggregations: quantiles of the last minute, all since the start.\n");
	if (r == 0)
		r = each(&f, put_summary);
	strb_printf(b, "# TYPE dwell_window_bytes gauge\n# HELP dwell_window_bytes Memory of the histograms.\n"
		       "dwell_window_bytes %zu\n", windows_bytes(w));
	strb_printf(b, "# TYPE dwell_late_values counter\n# HELP dwell_late_values Values that came too late for any slot.\n"
		       "dwell_late_values_total %" PRIu64 "\n# EOF\n", windows_late(w));
	return r == 0 && b->failed ? -ENOMEM : r;
}
