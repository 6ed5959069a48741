/* SPDX-License-Identifier: Apache-2.0 */
/* Prints counts as a table or as JSON. */
#include "stat/statprint.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/units.h"
#include "view/form/table.h"

#define NS_PER_S 1e9

struct spread {
	double mean, deviation;
};

/* Computes the spread of one number over all runs. */
static struct spread spread_of(const struct stat_run *v, size_t n, double (*number)(const struct stat_run *r, size_t k),
			       size_t k)
{
	struct spread s = { 0 };
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		s.mean += number(&v[i], k) / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (number(&v[i], k) - s.mean) * (number(&v[i], k) - s.mean);
	s.deviation = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
	return s;
}

static double count_of(const struct stat_run *r, size_t k)
{
	return (double)r->counts[k].n;
}

/* Members of struct stat_run that are no counts. */
enum { ELAPSED, USER, SYS, NTIMES };
static double time_of(const struct stat_run *r, size_t k)
{
	return (double)(k == ELAPSED ? r->elapsed_ns : k == USER ? r->user_ns : r->sys_ns);
}

/* "1,234,567" */
static void put_grouped(struct strb *b, double v)
{
	char digits[32];
	int n = snprintf(digits, sizeof(digits), "%.0f", v);

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			strb_addc(b, ',');
		strb_addc(b, digits[i]);
	}
}

static double ratio(const struct stat_run *v, size_t n, enum counter a, enum counter b)
{
	double below = spread_of(v, n, count_of, b).mean;

	return below > 0 ? spread_of(v, n, count_of, a).mean / below : NAN;
}

/* Writes a count in relation to the others; nothing if it has none. */
static void put_meaning(struct strb *b, const struct stat_run *v, size_t n, size_t k, double mean)
{
	double seconds = spread_of(v, n, time_of, ELAPSED).mean / NS_PER_S;
	double clock = spread_of(v, n, count_of, CTR_TASK_CLOCK).mean / NS_PER_S;

	switch (k) {
	case CTR_TASK_CLOCK:
		if (seconds > 0)
			strb_printf(b, "%.2f CPUs used", mean / NS_PER_S / seconds);
		break;
	case CTR_CYCLES:
		if (clock > 0)
			strb_printf(b, "%.2f GHz", mean / clock / 1e9);
		break;
	case CTR_INSTRUCTIONS: strb_printf(b, "%.2f for each cycle", ratio(v, n, CTR_INSTRUCTIONS, CTR_CYCLES)); break;
	case CTR_BRANCH_MISSES:
		strb_printf(b, "%.2f %% of all branches", 100 * ratio(v, n, CTR_BRANCH_MISSES, CTR_BRANCHES));
		break;
	case CTR_CACHE_MISSES:
		strb_printf(b, "%.2f %% of all references", 100 * ratio(v, n, CTR_CACHE_MISSES, CTR_CACHE_REFS));
		break;
	default:
		if (clock > 0 && mean > 0)
			strb_printf(b, "%.0f per second of CPU time", mean / clock);
	}
}

static void put_count(struct strb *b, const struct stat_run *v, size_t n, size_t k)
{
	_cleanup_(strb_free) struct strb number = { 0 }, meaning = { 0 };
	struct spread s = spread_of(v, n, count_of, k);
	const struct count *c = &v[0].counts[k];
	char ns[UNITS_LEN];

	if (!c->counted) {
		strb_printf(b, "  %15s  %-18s %s\n", "<not supported>", perfcount_name(k), c->reason);
		return;
	}
	if (k == CTR_TASK_CLOCK)
		strb_adds(&number, units_ns((uint64_t)s.mean, ns));
	else
		put_grouped(&number, s.mean);
	put_meaning(&meaning, v, n, k, s.mean);
	if (n > 1)
		strb_printf(&meaning, "%s± %.1f %%", meaning.n ? "  " : "",
			    s.mean > 0 ? 100 * s.deviation / s.mean : 0);
	if (c->share < 1 && c->share > 0)
		strb_printf(&meaning, "  (had a counter %.0f %% of the time)", 100 * c->share);
	strb_printf(b, "  %15s  %s%s", strb_str(&number), perfcount_name(k), c->user_only ? ":u" : "");
	if (meaning.n)
		strb_printf(b, "%*s%s", (int)(19 - strlen(perfcount_name(k)) - (c->user_only ? 2 : 0)), "",
			    strb_str(&meaning));
	strb_addc(b, '\n');
}

static void put_time(struct strb *b, const struct stat_run *v, size_t n, size_t k, const char *what)
{
	struct spread s = spread_of(v, n, time_of, k);

	strb_printf(b, "  %13.6f s  %s", s.mean / NS_PER_S, what);
	if (n > 1)
		strb_printf(b, "%*s± %.6f s", (int)(19 - strlen(what)), "", s.deviation / NS_PER_S);
	strb_addc(b, '\n');
}

static void put_wait(struct strb *b, const char *cause, uint64_t count, uint64_t ns, uint64_t all, const char *max)
{
	char text[UNITS_LEN];

	strb_printf(b, "  %15s  %3.0f %% %8llu times%s%s  %s\n", units_ns(ns, text),
		    all ? 100.0 * (double)ns / (double)all : 0, (unsigned long long)count, *max ? ", at most " : "",
		    max, cause);
}

/* Where the time went that was not on a CPU. */
static void put_waits(struct strb *b, const struct stat_waits *w)
{
	uint64_t all = w->short_ns;
	char text[UNITS_LEN];

	for (size_t i = 0; i < w->n; i++)
		all += w->v[i].total_ns;
	strb_printf(b, "  %15s  off the CPUs, all threads together%s\n", units_ns(all, text),
		    w->n || w->short_count ? ", of it" : " (a wait counts when it ends)");
	for (size_t i = 0; i < w->n; i++)
		put_wait(b, w->v[i].cause, w->v[i].count, w->v[i].total_ns, all, units_ns(w->v[i].max_ns, text));
	if (w->short_count)
		put_wait(b, "shorter than 10 us", w->short_count, w->short_ns, all, "");
	strb_addc(b, '\n');
}

static void put_text(struct strb *b, const char *title, const struct stat_run *v, size_t n)
{
	strb_printf(b, "\n%s", title);
	if (n > 1)
		strb_printf(b, ", %zu times: mean ± standard deviation", n);
	strb_adds(b, ":\n\n");
	for (size_t k = 0; k < CTR_COUNT; k++)
		put_count(b, v, n, k);
	strb_addc(b, '\n');
	put_time(b, v, n, ELAPSED, "elapsed");
	if (v[0].has_usage) {
		put_time(b, v, n, USER, "user");
		put_time(b, v, n, SYS, "system");
	}
	strb_addc(b, '\n');
	if (v[0].waits)
		put_waits(b, v[0].waits);
}

static void put_json_counts(struct jsonw *w, const struct stat_run *v, size_t n)
{
	jsonw_object(w, "counts");
	for (size_t k = 0; k < CTR_COUNT; k++) {
		const struct count *c = &v[0].counts[k];
		struct spread s = spread_of(v, n, count_of, k);

		jsonw_object(w, perfcount_name(k));
		if (!c->counted) {
			jsonw_str(w, "not_supported", c->reason);
		} else {
			jsonw_double(w, k == CTR_TASK_CLOCK ? "mean_ns" : "mean", s.mean, 15);
			if (n > 1)
				jsonw_double(w, k == CTR_TASK_CLOCK ? "deviation_ns" : "deviation", s.deviation, 6);
			if (c->user_only)
				jsonw_bool(w, "user_only", true);
			if (c->share < 1)
				jsonw_double(w, "share", c->share, 4);
		}
		jsonw_end_object(w);
	}
	jsonw_end_object(w);
}

static void put_json_waits(struct jsonw *w, const struct stat_waits *s)
{
	jsonw_array(w, "waits");
	for (size_t i = 0; i < s->n; i++) {
		jsonw_object(w, NULL);
		jsonw_str(w, "cause", s->v[i].cause);
		jsonw_str(w, "class", s->v[i].class);
		jsonw_u64(w, "count", s->v[i].count);
		jsonw_u64(w, "total_ns", s->v[i].total_ns);
		jsonw_u64(w, "max_ns", s->v[i].max_ns);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
	jsonw_object(w, "waits_short");
	jsonw_u64(w, "count", s->short_count);
	jsonw_u64(w, "total_ns", s->short_ns);
	jsonw_end_object(w);
}

static void put_json(struct strb *b, const char *title, const struct stat_run *v, size_t n)
{
	static const char *const names[NTIMES] = { "elapsed_s", "user_s", "system_s" };
	struct jsonw w = jsonw_to(b);

	jsonw_object(&w, NULL);
	jsonw_str(&w, "title", title);
	jsonw_u64(&w, "runs", n);
	for (size_t k = 0; k < (v[0].has_usage ? (size_t)NTIMES : 1); k++)
		jsonw_fixed(&w, names[k], spread_of(v, n, time_of, k).mean / NS_PER_S, 9);
	if (n > 1)
		jsonw_fixed(&w, "elapsed_deviation_s", spread_of(v, n, time_of, ELAPSED).deviation / NS_PER_S, 9);
	if (v[n - 1].has_usage && WIFEXITED(v[n - 1].status))
		jsonw_i64(&w, "exit_status", WEXITSTATUS(v[n - 1].status));
	if (v[n - 1].has_usage && WIFSIGNALED(v[n - 1].status))
		jsonw_i64(&w, "signal", WTERMSIG(v[n - 1].status));
	if (v[0].has_usage)
		jsonw_u64(&w, "max_rss_kb", v[n - 1].max_rss_kb);
	put_json_counts(&w, v, n);
	if (v[0].waits)
		put_json_waits(&w, v[0].waits);
	jsonw_end_object(&w);
	jsonw_line(&w);
}

static int put(struct strb *b, FILE *out)
{
	int e = 0;

	strb_flush(b, out, &e);
	if (e == 0 && fflush(out) != 0)
		e = -errno;
	strb_free(b);
	return e;
}

int statprint_runs(const char *title, const struct stat_run *v, size_t n, bool json, FILE *out)
{
	struct strb b = { 0 };

	(json ? put_json : put_text)(&b, title, v, n);
	return put(&b, out);
}

/* The counts of an interval: a row of a table whose columns are the counters that this machine has. */
static int put_interval(const struct stat_run *r, uint64_t at_ns, bool first, FILE *out)
{
	struct table t = { .out = out, .begun = !first };
	struct cell v[1 + CTR_COUNT] = { { "time s", CELL_NUMBER, 10, 3, { .d = (double)at_ns / NS_PER_S } } };
	size_t n = 1;

	for (size_t k = 0; k < CTR_COUNT; k++)
		if (r->counts[k].counted)
			v[n++] = (struct cell){ perfcount_name(k),
						k == CTR_TASK_CLOCK ? CELL_NS : CELL_UINT,
						(int)strlen(perfcount_name(k)),
						0,
						{ .u = r->counts[k].n } };
	table_line(&t, v, n);
	if (!t.error && fflush(out) != 0)
		t.error = -errno;
	return t.error;
}

int statprint_interval(const struct stat_run *r, uint64_t at_ns, bool json, bool first, FILE *out)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	if (!json)
		return put_interval(r, at_ns, first, out);
	jsonw_object(&w, NULL);
	jsonw_fixed(&w, "time_s", (double)at_ns / NS_PER_S, 6);
	jsonw_fixed(&w, "interval_s", (double)r->elapsed_ns / NS_PER_S, 6);
	put_json_counts(&w, r, 1);
	jsonw_end_object(&w);
	jsonw_line(&w);
	return put(&b, out);
}
