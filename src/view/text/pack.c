/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregations as histograms over their keys. -x agghist shows a bar for the value of each key of count() and sum().
 * -x aggpack shows a whole quantize() or lquantize() distribution in one line, a character per bucket. Layout of
 * illumos. Source: illumos, libdtrace: dt_print_datum(), dt_print_quantize_packed(). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "view/text/int.h"

bool text_is_packed(const struct text_view *v, const struct aggdesc *d)
{
	if (v->opts.agghist && (d->func == AGG_COUNT || d->func == AGG_SUM))
		return true;
	return v->opts.aggpack && (d->func == AGG_QUANTIZE || d->func == AGG_LQUANTIZE);
}

/* The values that all rows share. */
struct pack {
	struct text_view *v;
	const struct aggdesc *d;
	const struct packed_row *rows;
	size_t n;
	int64_t normal;
	unsigned first, last; /* buckets to show */
};

static int key_width(const struct recfield *f)
{
	switch (f->kind == FLD_INT ? f->size : 0) {
	case 1: return 3;
	case 2: return 5;
	case 4: return 8;
	default: return 16;
	}
}

static int keys_width(const struct aggdesc *d)
{
	int w = 0;

	for (size_t i = 0; i < d->nkeys; i++)
		w += key_width(&d->keys[i]) + 1;
	return w;
}

/* Columns for a number, as DTrace counts them; at least 4. */
static int ndigits(int64_t val)
{
	uint64_t u = val < 0 ? 0 - (uint64_t)val : (uint64_t)val, cmp = 10;
	int n = val < 0 ? 2 : 1;

	for (; u > cmp && n < 20; cmp *= 10)
		n++;
	return n < 4 ? 4 : n;
}

static void print_keys(const struct pack *k, const uint8_t *key)
{
	for (size_t i = 0; i < k->d->nkeys; i++) {
		const struct recfield *f = &k->d->keys[i];
		const uint8_t *p = key + f->off;

		if (f->kind == FLD_INT)
			text_printf(k->v, " %*lld", key_width(f), (long long)recfield_u64(f, p));
		else if (f->kind == FLD_STRING)
			text_printf(k->v, " %16.*s", (int)f->size, (const char *)p);
		else
			text_datum_key(k->v, f, p);
	}
}

/* -- agghist -- */

static void print_hist(const struct pack *k)
{
	bool positives = false, negatives = false;
	int width = keys_width(k->d);
	long double total = 0;

	for (size_t i = 0; i < k->n; i++) {
		int64_t val = text_aggnumber(k->d, k->rows[i].value, 1);

		positives |= val > 0;
		negatives |= val < 0;
		total += fabsl((long double)val);
	}
	text_printf(k->v, "\n%*s %41s %-9s\n", width ? width : 16, width ? "key" : "value",
		    "------------- Distribution -------------", "count");
	for (size_t i = 0; i < k->n; i++) {
		print_keys(k, k->rows[i].key);
		text_printf(k->v, " ");
		text_bar(k->v, text_aggnumber(k->d, k->rows[i].value, 1), k->normal, total, positives, negatives);
	}
}

/* -- aggpack -- */

static const int64_t *buckets(const struct packed_row *r)
{
	return (const int64_t *)r->value + 1;
}

/* One more on each side than any row has. */
static void find_range(struct pack *k)
{
	unsigned n = k->d->func == AGG_QUANTIZE ? AGG_QUANT_NBUCKETS : aggval_lquantize_levels(k->d->param) + 2;
	unsigned first = n, last = 0;

	if (k->d->func == AGG_LQUANTIZE) {
		k->first = 0;
		k->last = n - 1;
		return;
	}
	for (size_t i = 0; i < k->n; i++) {
		for (unsigned b = 0; b < n; b++) {
			if (!buckets(&k->rows[i])[b])
				continue;
			first = b < first ? b : first;
			last = b > last ? b : last;
		}
	}
	if (first == n)
		first = last = AGG_QUANT_ZERO;
	k->first = first && first != AGG_QUANT_ZERO ? first - 1 : first;
	k->last = last < n - 1 ? last + 1 : last;
}

static void pack_heading(const struct pack *k)
{
	bool q = k->d->func == AGG_QUANTIZE;
	int width = keys_width(k->d);
	int minwidth = q ? ndigits(aggval_quantize_bound(k->first)) : 7;
	int maxwidth = q ? ndigits(aggval_quantize_bound(k->last)) : 8;

	text_printf(k->v, "\n%*s %*s .", width, width ? "key" : "", minwidth, "min");
	for (unsigned i = k->first; i <= k->last; i++)
		text_printf(k->v, "-");
	text_printf(k->v, ". %*s | count\n", -maxwidth, "max");
}

/* Terminals that show no block elements. */
static bool use_utf8(const struct text_view *v)
{
	static const char *const plain[] = { "sun", "sun-color", "dumb" };
	const char *term = getenv("TERM");

	if (v->opts.encoding != TEXT_AUTO)
		return v->opts.encoding == TEXT_UTF8;
	for (size_t i = 0; term && i < ARRAY_SIZE(plain); i++)
		if (!strcmp(term, plain[i]))
			return false;
	return true;
}

static void print_bucket(const struct pack *k, int64_t val, long double total, bool utf8)
{
	static const char up[] = "__xxxxXX", down[] = "vvvvVV";
	long double part = total > 0 ? fabsl((long double)val) / total : 0;

	if (val == 0)
		text_printf(k->v, " ");
	else if (val < 0)
		text_printf(k->v, "%c", down[(unsigned)(part * (sizeof(down) - 2) + 0.5L)]);
	else if (utf8) /* U+2581 … U+2588 */
		text_printf(k->v, "\xe2\x96%c", 0x81 + (int)(part * 7 + 0.5L));
	else
		text_printf(k->v, "%c", up[(unsigned)(part * (sizeof(up) - 2) + 0.5L)]);
}

static void pack_line(const struct pack *k, const struct packed_row *r, bool utf8)
{
	const int64_t *data = buckets(r);
	int64_t min = aggval_quantize_bound(k->first), max = aggval_quantize_bound(k->last);
	long double total = 0;
	long long count = 0;
	char text[32];

	for (unsigned i = k->first; i <= k->last; i++) {
		total += fabsl((long double)data[i]);
		count += data[i];
	}
	print_keys(k, r->key);
	if (k->d->func == AGG_QUANTIZE) {
		text_printf(k->v, " %*lld :", ndigits(min), (long long)min);
	} else {
		snprintf(text, sizeof(text), "< %d", k->d->param[0]);
		text_printf(k->v, "%8s :", text);
	}
	for (unsigned i = k->first; i <= k->last; i++)
		print_bucket(k, data[i], total, utf8);
	if (k->d->func == AGG_QUANTIZE) {
		text_printf(k->v, ": %*lld | %lld\n", -ndigits(max), (long long)max, count);
		return;
	}
	snprintf(text, sizeof(text), ">= %lld",
		 (long long)k->d->param[0] + (long long)aggval_lquantize_levels(k->d->param) * k->d->param[2]);
	text_printf(k->v, ": %-8s | %lld\n", text, count);
}

void text_packed(struct text_view *v, const struct aggdesc *d, const struct packed_row *rows, size_t n, int64_t normal)
{
	struct pack k = { .v = v, .d = d, .rows = rows, .n = n, .normal = normal };

	if (n == 0)
		return;
	if (!text_agg_is_dist(d->func)) {
		print_hist(&k);
		return;
	}
	find_range(&k);
	pack_heading(&k);
	for (size_t i = 0; i < n; i++)
		pack_line(&k, &rows[i], use_utf8(v));
}
