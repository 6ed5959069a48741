/* SPDX-License-Identifier: Apache-2.0 */
/* Computes heat maps: edges of the rows, counts spread over rows, ranks of cells (for colours), distances of ticks. */
#include "view/picture/heat.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/appearance.h"

#define DEFAULT_ROWS 100u
#define MAX_PER_OCTAVE 32u /* buckets that hist() and trackers have for each power of two */

double heat_round_up(double v)
{
	double r = 1;
	bool five = true;

	if (!(v > 0))
		return 1;
	while (r <= v)
		r *= 10;
	for (;;) {
		double end = (floor(v / r) + 1) * r;

		if (end < 1.25 * v || end - v < 1e-9 * v)
			return end;
		r /= five ? 5 : 2;
		five = !five;
	}
}

unsigned heat_edges(double lo, double hi, bool linear, unsigned rows, double edges[HEAT_MAX_ROWS + 1])
{
	unsigned n = 0, parts = MAX_PER_OCTAVE, octaves = 0;
	double from = 1;

	rows = rows ? rows : linear ? DEFAULT_ROWS : HEAT_MAX_ROWS;
	rows = rows > HEAT_MAX_ROWS ? HEAT_MAX_ROWS : rows;
	if (linear) {
		hi = heat_round_up(hi);
		for (unsigned i = 0; i <= rows; i++)
			edges[i] = hi * i / rows;
		return rows;
	}
	while (from * 2 <= lo)
		from *= 2;
	for (double x = from; x < hi; x *= 2)
		octaves++;
	octaves = octaves ? octaves : 1;
	while (parts > 1 && octaves * parts + 1 > rows)
		parts /= 2;
	if (lo < 1)
		edges[n++] = 0; /* what is smaller than 1 has a row of its own */
	for (unsigned o = 0; o < octaves && n + parts <= HEAT_MAX_ROWS; o++, from *= 2)
		for (unsigned i = 0; i < parts; i++)
			edges[n++] = from + from * i / parts;
	edges[n] = from;
	return n;
}

void heat_spread(float *cells, const double *edges, unsigned rows, double lo, double hi, double count)
{
	unsigned i = 0;

	if (!(hi > lo))
		hi = lo;
	while (i + 1 < rows && edges[i + 1] <= lo)
		i++;
	if (hi <= edges[i + 1] || i + 1 == rows || hi == lo) {
		cells[i] += (float)count;
		return;
	}
	for (double at = lo; i < rows && at < hi; i++) {
		double end = i + 1 == rows || edges[i + 1] > hi ? hi : edges[i + 1];

		cells[i] += (float)(count * (end - at) / (hi - lo));
		at = end;
	}
}

static int ascending(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return x < y ? -1 : x > y;
}

/* How many of the sorted values are not larger. */
static size_t not_larger(const float *sorted, size_t n, float v)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (sorted[mid] <= v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

int heat_ranks(float *v, size_t n)
{
	_cleanup_free_ float *sorted = malloc((n + 1) * sizeof(*sorted));
	size_t k = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (v[i] > 0)
			sorted[k++] = v[i];
	qsort(sorted, k, sizeof(*sorted), ascending);
	for (size_t i = 0; i < n; i++)
		if (v[i] > 0)
			v[i] = (float)not_larger(sorted, k, v[i]) / (float)k;
	return 0;
}

double heat_tick(double least, const char *unit)
{
	static const double seconds[] = { APPEARANCE_TICK_SECONDS }, parts[] = { APPEARANCE_TICK_PARTS };
	double ten = pow(10, floor(log10(least > 0 ? least : 1)));

	if (!strcmp(unit, "ns") && least > 5e8)
		for (size_t i = 0; i < ARRAY_SIZE(seconds); i++)
			if (seconds[i] * 1e9 >= least)
				return seconds[i] * 1e9;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (ten * parts[i] >= least * (1 - 1e-9))
			return ten * parts[i];
	return ten * 10;
}

void heat_free(struct heat *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->nkeys; i++) {
		free(h->keys[i].text);
		free(h->keys[i].cells);
	}
	free(h->keys);
	for (unsigned i = 0; h->columns && i < h->ncolumns; i++)
		free(h->columns[i].note);
	free(h->columns);
	free(h);
}
