/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregation values in DTrace's default form: numbers and ASCII distributions. */
#include <math.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "view/text/int.h"

#define HIST_MAX_ROWS 40 /* of a hist(), unless it has more powers of two */
#define ZOOMED 0.95L	 /* of a bar's room that the highest row takes with -x aggzoom, as on illumos */
#define BAR_LEN 40	 /* characters of a bar; half of it for each side when there are negative counts */

static const char bar_ats[] = "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@";

/* The values that all rows of one distribution share. */
struct dist {
	const int64_t *data;  /* counts by bucket */
	unsigned first, last; /* rows to show */
	int64_t normal;
	long double total;
	bool positives, negatives;
};

static void dist_scan(const struct text_view *v, struct dist *q)
{
	long double max = 0;

	for (unsigned i = q->first; i <= q->last; i++) {
		q->positives |= q->data[i] > 0;
		q->negatives |= q->data[i] < 0;
		q->total += fabsl((long double)q->data[i]);
		max = fmaxl(max, fabsl((long double)q->data[i]));
	}
	if (v->opts.aggzoom)
		q->total = max / ZOOMED;
}

static void dist_bar(struct text_view *v, const struct dist *q, int64_t val);

static void dist_heading(struct text_view *v)
{
	text_printf(v, "\n%16s %41s %-9s\n", "value", "------------- Distribution -------------", "count");
}

/* Bars of block elements (U+2588, and U+2589 … U+258F for parts), an eighth of a column exact. */
static void utf8_bar(struct text_view *v, int64_t val, long double total, long long shown)
{
	long double f = total > 0 ? (long double)val * BAR_LEN / total : 0;
	unsigned whole = (unsigned)f, part = (unsigned)((f - whole) * 8), i;

	text_printf(v, "|");
	for (i = 0; i < whole; i++)
		text_printf(v, "\xe2\x96\x88");
	if (part) {
		text_printf(v, "\xe2\x96%c", 0x8f - (int)(part - 1));
		i++;
	}
	text_printf(v, "%*s %-9lld\n", (int)(BAR_LEN - i), "", shown);
}

void text_bar(struct text_view *v, int64_t val, int64_t normal, long double total, bool positives, bool negatives)
{
	struct dist q = { .normal = normal, .total = total, .positives = positives, .negatives = negatives };

	dist_bar(v, &q, val);
}

static void dist_bar(struct text_view *v, const struct dist *q, int64_t val)
{
	int len = q->positives && q->negatives ? BAR_LEN / 2 : BAR_LEN;
	int depth = 0;
	long long shown = (long long)(val / q->normal);

	if (q->total > 0)
		depth = (int)(fabsl((long double)val) * len / q->total + 0.5L);
	if (q->positives && !q->negatives && v->opts.encoding == TEXT_UTF8)
		utf8_bar(v, val, q->total, shown);
	else if (!q->negatives)
		text_printf(v, "|%.*s%*s %-9lld\n", depth, bar_ats, len - depth, "", shown);
	else if (!q->positives)
		text_printf(v, "%*s%.*s| %-9lld\n", len - depth, "", depth, bar_ats, shown);
	else if (val <= 0)
		text_printf(v, "%*s%.*s|%*s %-9lld\n", len - depth, "", depth, bar_ats, len, "", shown);
	else
		text_printf(v, "%20s|%.*s%*s %-9lld\n", "", depth, bar_ats, len - depth, "", shown);
}

/* The rows from one before the first to one after the last non-empty bucket; false: all are empty. */
static bool dist_range(struct dist *q, unsigned nbuckets)
{
	unsigned first = 0, last = nbuckets - 1;

	while (first < nbuckets && q->data[first] == 0)
		first++;
	if (first == nbuckets)
		return false;
	while (last > 0 && q->data[last] == 0)
		last--;
	q->first = first > 0 ? first - 1 : 0;
	q->last = last < nbuckets - 1 ? last + 1 : last;
	return true;
}

static void print_quantize(struct text_view *v, const int64_t *data, int64_t normal)
{
	struct dist q = { .data = data, .normal = normal };

	if (!dist_range(&q, AGG_QUANT_NBUCKETS)) {
		q.first = AGG_QUANT_ZERO - 1;
		q.last = AGG_QUANT_ZERO + 1;
	}
	dist_scan(v, &q);
	dist_heading(v);
	for (unsigned i = q.first; i <= q.last; i++) {
		text_printf(v, "%16lld ", (long long)aggval_quantize_bound(i));
		dist_bar(v, &q, data[i]);
	}
}

static void print_lquantize(struct text_view *v, const int32_t param[4], const int64_t *data, int64_t normal)
{
	unsigned levels = aggval_lquantize_levels(param);
	struct dist q = { .data = data, .normal = normal };

	if (!dist_range(&q, levels + 2)) {
		q.first = 0;
		q.last = levels + 1 < 2 ? levels + 1 : 2;
	}
	dist_scan(v, &q);
	dist_heading(v);
	for (unsigned i = q.first; i <= q.last; i++) {
		char label[32];

		if (i == 0)
			snprintf(label, sizeof(label), "< %d", param[0]);
		else if (i == levels + 1)
			snprintf(label, sizeof(label), ">= %lld", (long long)param[0] + (long long)levels * param[2]);
		else
			snprintf(label, sizeof(label), "%lld", (long long)param[0] + (long long)(i - 1) * param[2]);
		text_printf(v, "%16s ", label);
		dist_bar(v, &q, data[i]);
	}
}

static uint64_t ipow(uint64_t base, int n)
{
	uint64_t r = 1;

	while (n-- > 0)
		r *= base;
	return r;
}

/* llquantize: the lower bounds of the buckets by their distance from the zero bucket; 0: a bucket
 * that cannot hold a value (several steps share one number when the lowest magnitude is 0). */
static unsigned ll_bounds(const int32_t param[4], uint64_t *bound, unsigned cap)
{
	int factor = param[0], low = param[1], high = param[2], steps = param[3];
	int per = steps / factor, mag = low;
	unsigned i = 1;
	uint64_t scale;

	bound[i] = ipow((uint64_t)factor, low);
	if (low == 0 && steps > factor) {
		for (int s = 2; s <= factor; s++) {
			i += (unsigned)per;
			if (i < cap)
				bound[i] = (uint64_t)s;
		}
		mag++;
	}
	scale = ipow((uint64_t)factor, mag + 1) / (uint64_t)steps;
	for (; mag <= high; mag++) {
		for (int s = per + 1; s <= steps; s++)
			if (++i < cap)
				bound[i] = (uint64_t)s * scale;
		scale *= (uint64_t)factor;
	}
	return i;
}

static void ll_label(const struct dist *q, const uint64_t *bound, unsigned zero, unsigned half, const int32_t param[4],
		     unsigned i, char *s, size_t n)
{
	unsigned dist = i > zero ? i - zero : zero - i;
	unsigned long long b = dist ? bound[dist] : bound[1];
	unsigned long long over = ipow((uint64_t)param[0], param[2] + 1);

	/* the outermost row may be a bucket that cannot exist: it carries its neighbour's label */
	if (dist && !b && (i == q->first || i == q->last)) {
		unsigned d = dist;
		bool up = (i == q->first) == (i < zero);

		while (d > 0 && d <= half && !bound[d])
			d = up ? d + 1 : d - 1;
		b = d <= half + 1 ? bound[d] : 0;
	}
	s[0] = '\0';
	if (dist == 0 && b == 1)
		snprintf(s, n, "0");
	else if (dist == 0)
		snprintf(s, n, q->first >= zero ? "< %llu" : "abs() < %llu", b);
	else if (dist > half)
		snprintf(s, n, i > zero ? ">= %llu" : "<= -%llu", over);
	else if (b)
		snprintf(s, n, i > zero ? "%llu" : "-%llu", b);
}

static void print_llquantize(struct text_view *v, const int32_t param[4], const int64_t *data, int64_t normal)
{
	unsigned nb = aggval_llquantize_nbuckets(param), zero = nb / 2, half = zero - 1;
	struct dist q = { .data = data, .normal = normal, .first = zero, .last = zero + 2 };
	_cleanup_free_ uint64_t *bound = calloc((size_t)half + 3, sizeof(*bound));

	if (!bound)
		return;
	dist_range(&q, nb);
	if (q.last >= nb)
		q.last = nb - 1;
	ll_bounds(param, bound, half + 2);
	dist_scan(v, &q);
	dist_heading(v);
	for (unsigned i = q.first; i <= q.last; i++) {
		char label[48];

		ll_label(&q, bound, zero, half, param, i, label, sizeof(label));
		if (!label[0])
			continue;
		text_printf(v, "%16s ", label);
		dist_bar(v, &q, data[i]);
	}
}

/* hist: the lower bound of the bucket that `permille` of 1000 values do not exceed. */
static void hist_rank(struct text_view *v, const int64_t *data, const char *name, unsigned per_mille)
{
	unsigned __int128 total = 0, sum = 0, want;
	unsigned i, last = 0;

	for (i = 0; i < AGG_HIST_NBUCKETS; i++) {
		if (data[i] <= 0)
			continue;
		total += (uint64_t)data[i];
		last = i;
	}
	want = (total * per_mille + 999) / 1000;
	for (i = 0; i < last; i++) {
		if (data[i] > 0)
			sum += (uint64_t)data[i];
		if (sum >= want)
			break;
	}
	text_printf(v, "%s %lld", name, (long long)aggval_hist_bound(i));
}

/* Buckets per row: neighbours share one so that there are no more than HIST_MAX_ROWS between the lowest
 * and the highest, but not those of different powers of two. */
static unsigned hist_group(const int64_t *data)
{
	unsigned first = 1, last = AGG_HIST_NBUCKETS - 1, per = 1;

	while (first < last && !data[first])
		first++;
	while (last > first && !data[last])
		last--;
	while (per < 1 << AGG_HIST_SUB && (last - 1) / per - (first - 1) / per >= HIST_MAX_ROWS)
		per *= 2;
	return per;
}

static void print_hist(struct text_view *v, const int64_t *data, int64_t normal)
{
	unsigned per = hist_group(data), n = 1 + (AGG_HIST_NBUCKETS - 1) / per;
	_cleanup_free_ int64_t *rows = calloc(n, sizeof(*rows));
	struct dist q = { .data = rows, .normal = normal, .first = 1, .last = 2 };
	bool any;

	if (!rows)
		return;
	rows[0] = data[0];
	for (unsigned i = 1; i < AGG_HIST_NBUCKETS; i++)
		rows[1 + (i - 1) / per] += data[i];
	any = dist_range(&q, n);
	if (q.first == 0 && !rows[0])
		q.first = 1;
	dist_scan(v, &q);
	dist_heading(v);
	for (unsigned i = q.first; i <= q.last; i++) {
		if (i)
			text_printf(v, "%16lld ", (long long)aggval_hist_bound(1 + (i - 1) * per));
		else
			text_printf(v, "%16s ", "< 0");
		dist_bar(v, &q, rows[i]);
	}
	if (!any || q.negatives)
		return;
	hist_rank(v, data, "                 p50", 500);
	hist_rank(v, data, ", p90", 900);
	hist_rank(v, data, ", p99", 990);
	hist_rank(v, data, ", p99.9", 999);
	hist_rank(v, data, ", max", 1000);
	text_printf(v, "\n");
}

/* sqrt(average of the squares - square of the average), as DTrace computes it on 128-bit integers. */
static int64_t stddev(const uint64_t *w, int64_t normal)
{
	unsigned __int128 sq = ((unsigned __int128)w[3] << 64) | w[2], diff, root;
	int64_t avg;

	if (w[0] == 0)
		return 0;
	sq = sq / (uint64_t)normal / (uint64_t)normal / w[0];
	avg = (int64_t)w[1] / normal / (int64_t)w[0];
	diff = sq - (unsigned __int128)((__int128)avg * avg);
	if ((__int128)diff < 0) /* normalized, or of a file that somebody changed */
		diff = 0;
	root = (unsigned __int128)sqrtl((long double)diff);
	while (root * root > diff)
		root--;
	while ((root + 1) * (root + 1) <= diff)
		root++;
	return (int64_t)root;
}

bool text_agg_is_dist(enum agg_func f)
{
	return f == AGG_QUANTIZE || f == AGG_LQUANTIZE || f == AGG_LLQUANTIZE || f == AGG_HIST;
}

int64_t text_aggnumber(const struct aggdesc *d, const uint64_t *value, int64_t normal)
{
	switch (d->func) {
	case AGG_COUNT: return (int64_t)value[0] / normal;
	case AGG_AVG: return value[0] ? (int64_t)value[1] / normal / (int64_t)value[0] : 0;
	case AGG_STDDEV: return stddev(value, normal);
	case AGG_MIN:
	case AGG_MAX:
	case AGG_SUM: return (int64_t)value[1] / normal;
	default: return (int64_t)value[0];
	}
}

void text_aggvalue(struct text_view *v, const struct aggdesc *d, const uint64_t *value, int64_t normal)
{
	_cleanup_free_ uint64_t *zero = value ? NULL : calloc(1, d->value_size + sizeof(*zero));
	const int64_t *data;

	if (!value)
		value = zero;
	if (!value)
		return;
	data = (const int64_t *)value + 1;
	switch (d->func) {
	case AGG_QUANTIZE: print_quantize(v, data, normal); break;
	case AGG_LQUANTIZE: print_lquantize(v, d->param, data, normal); break;
	case AGG_LLQUANTIZE: print_llquantize(v, d->param, data, normal); break;
	case AGG_HIST: print_hist(v, data, normal); break;
	default: text_printf(v, " %16lld", (long long)text_aggnumber(d, value, normal)); break;
	}
}
