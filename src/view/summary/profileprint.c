/* SPDX-License-Identifier: Apache-2.0 */
#include "view/summary/profileprint.h"
#include <math.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "store/file/sparse.h"
#include "view/form/table.h"

#define BAR_WIDTH 40
#define GAP_SAID_NS (2 * RECFILE_SECOND_NS) /* seconds without any event are none */

static const struct {
	const char *name;
	uint64_t ns;
} windows[] = {
	{ "1 min", RECFILE_MINUTE_NS },
	{ "5 min", 5 * RECFILE_MINUTE_NS },
	{ "1 h", RECFILE_HOUR_NS },
	{ "24 h", 24 * RECFILE_HOUR_NS },
};

/* One line: what was between two times. */
static void show_window(struct profile *p, struct table *t, const struct latency_series *s, const char *name,
			struct rec_range range, const struct histsum *sum)
{
	double sec = (double)(range.to - range.from) / 1e9,
	       max = sum->flags & HIST_NO_SUM ? (double)NAN : (double)sum->max;
	double mean = sum->flags & HIST_NO_SUM || !sum->count ? (double)NAN : (double)sum->sum / (double)sum->count;
	const double q[] = { 0.5, 0.9, 0.99, 0.999 };
	char texts[6][UNITS_LEN];
	const char *shown[6];
	double v[6] = { mean, 0, 0, 0, 0, max };
	struct strb buckets = { 0 };

	for (int i = 0; i < 4; i++)
		v[1 + i] = histsum_quantile(sum, &s->d, q[i]);
	for (int i = 0; i < 6; i++) {
		shown[i] = isnan(v[i]) ? NULL : texts[i];
		/* what another aggregation has only its program knows */
		if (s->d.is_delay)
			units_ns(isnan(v[i]) ? 0 : (uint64_t)v[i], texts[i]);
		else
			units_number(v[i], texts[i]);
	}
	sparse_put_buckets(&buckets, sum->v, sum->n);

	const enum cell_kind kind = p->json ? CELL_NUMBER : CELL_TEXT;
	struct column columns[] = {
		{ { NULL, CELL_TEXT, 0, 0, { s->d.name } }, "source", 0 },
		{ { NULL, CELL_TEXT, 0, 0, { s->text } }, "key", 0 },
		{ { NULL, CELL_UINT, 0, 0, { .u = range.from } }, "from", 0 },
		{ { NULL, CELL_UINT, 0, 0, { .u = range.to } }, "to", 0 },
		{ { "last", CELL_TEXT, -6, 0, { name } }, "last", 0 },
		{ { "count", CELL_UINT, 9, 0, { .u = sum->count } }, "count", 0 },
		{ { "per_s", CELL_NUMBER, 7, 0, { .d = (double)sum->count / sec } }, "per_s", 3 },
		{ { "mean", kind, 7, 0, { shown[0] } }, "mean", 1 },
		{ { "p50", kind, 7, 0, { shown[1] } }, "p50", 1 },
		{ { "p90", kind, 7, 0, { shown[2] } }, "p90", 1 },
		{ { "p99", kind, 7, 0, { shown[3] } }, "p99", 1 },
		{ { "p99.9", kind, 7, 0, { shown[4] } }, "p99.9", 1 },
		{ { "max", kind, 7, 0, { shown[5] } }, "max", 1 },
		{ { NULL, CELL_LIST, 0, 0, { strb_str(&buckets) } }, "buckets", 0 },
	};

	for (int i = 0; p->json && i < 6; i++)
		columns[7 + i].cell.v.d = v[i];
	table_columns(t, columns, ARRAY_SIZE(columns));
	strb_free(&buckets);
}

/* A bar for each power of two. */
static void show_bars(const struct latency_series *s, const struct histsum *sum, FILE *out)
{
	uint64_t by[65] = { 0 }, most = 0;
	int first = 64, last = 0;

	for (size_t i = 0; i < sum->n; i++) {
		double mid = rechist_middle(&s->d, sum->v[i].index);
		int b = mid < 1 ? 0 : 1 + (int)floor(log2(mid));

		by[b] += sum->v[i].count;
		most = by[b] > most ? by[b] : most;
		first = b < first ? b : first;
		last = b > last ? b : last;
	}
	for (int b = first; b <= last && most; b++) {
		uint64_t low = b ? UINT64_C(1) << (b - 1) : 0;
		int width = (int)((double)by[b] / (double)most * BAR_WIDTH + 0.5);
		char text[UNITS_LEN];

		fprintf(out, "  %10s |%-*.*s %llu\n",
			s->d.is_delay ? units_ns(low, text) : units_number((double)low, text), BAR_WIDTH, width,
			"@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@", (unsigned long long)by[b]);
	}
}

static int show_series(struct profile *p, const struct latency_series *s, struct err *err)
{
	struct table t = { .out = p->out, .type = "profile", .json = p->json };
	uint64_t length = p->all.to - p->all.from;
	struct histsum sum = { 0 };
	int e = 0;

	if (!p->json)
		fprintf(p->out, "%s%s%s\n", s->d.name[0] ? s->d.name : "@", s->text[0] ? ": " : "", s->text);
	for (size_t i = 0; i < ARRAY_SIZE(windows) && e == 0; i++) {
		struct rec_range range = p->all;
		const char *name = p->chosen ? "chosen" : windows[i].name;

		if (!p->chosen && windows[i].ns < length)
			range.from = range.to - windows[i].ns;
		e = recset_hist(p->set, s, range, &sum, err);
		if (e == 0)
			show_window(p, &t, s, name, range, &sum);
		/* a longer window of a shorter recording has no more */
		if (p->chosen || windows[i].ns >= length)
			break;
	}
	if (e == 0 && !p->json && p->bars)
		show_bars(s, &sum, p->out);
	if (!p->json)
		fprintf(p->out, "\n");
	p->error = p->error ? p->error : t.error;
	histsum_free(&sum);
	return e;
}

/* Longest window first: of this time nothing is known. */
static void say_gaps(const struct profile *p)
{
	struct rec_range range = p->all;
	char gap[UNITS_LEN], length[UNITS_LEN];
	uint64_t gaps, longest = windows[ARRAY_SIZE(windows) - 1].ns;

	if (!p->chosen && range.to - range.from > longest)
		range.from = range.to - longest;
	gaps = recset_gaps(p->set, range);
	if (gaps > GAP_SAID_NS && !p->json)
		fprintf(p->out, "nothing was recorded in %s of these %s\n", units_ns(gaps, gap),
			units_ns(range.to - range.from, length));
}

int profileprint(struct profile *p, struct err *err)
{
	struct latency_list list = { 0 };
	int e = recset_range(p->set, &p->asked, false, &p->all, err);

	if (e < 0)
		return e;
	p->chosen = p->asked.from || p->asked.to;
	e = latency_list(p->set, p->all, p->keys, &list, err);
	for (size_t i = 0; i < list.n && e == 0 && !p->error; i++)
		e = show_series(p, &list.v[i], err);
	if (e == 0 && list.left_out && !p->json)
		fprintf(p->out, "%zu keys with fewer values are not shown (--keys)\n", list.left_out);
	if (e == 0)
		say_gaps(p);
	latency_list_free(&list);
	if (e < 0)
		return err->msg[0] ? e : err_set(err, e, "%s", strerror(-e));
	return p->error;
}
