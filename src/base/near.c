/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean …": the name with the smallest edit distance. */
#include "base/near.h"
#include <string.h>

#define NEAR_MAX_NAME 64 /* longer names are not compared */

void near_init(struct near *m, const char *want)
{
	size_t n = strlen(want);

	/* One slip for short names, a third of a long one. */
	*m = (struct near){ .want = want, .dist = n < 4 ? 2 : n < 6 ? 3 : (unsigned)n / 3 + 1 };
}

static unsigned min3(unsigned a, unsigned b, unsigned d)
{
	unsigned m = a < b ? a : b;

	return m < d ? m : d;
}

/* Edits between a and b, swaps of neighbours counted as one; lengths are at most NEAR_MAX_NAME. */
static unsigned distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned rows[3][NEAR_MAX_NAME + 1];
	unsigned *cur = rows[0], *prev = rows[1], *prev2 = rows[2];
	size_t i, j;

	for (j = 0; j <= nb; j++)
		prev[j] = (unsigned)j;
	for (i = 1; i <= na; i++) {
		unsigned *t;

		cur[0] = (unsigned)i;
		for (j = 1; j <= nb; j++) {
			unsigned cost = a[i - 1] != b[j - 1];

			cur[j] = min3(prev[j] + 1, cur[j - 1] + 1, prev[j - 1] + cost);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && prev2[j - 2] + 1 < cur[j])
				cur[j] = prev2[j - 2] + 1;
		}
		t = prev2;
		prev2 = prev;
		prev = cur;
		cur = t;
	}
	return prev[nb];
}

void near_try(struct near *m, const char *name)
{
	size_t nw = strlen(m->want), n = strlen(name);
	size_t diff = nw > n ? nw - n : n - nw;
	unsigned d;

	if (!n || n > NEAR_MAX_NAME || nw > NEAR_MAX_NAME || diff >= m->dist)
		return;
	d = distance(m->want, nw, name, n);
	if (d < m->dist && d < nw && (n >= 4 || d < 2)) {
		m->dist = d;
		m->best = name;
	}
}
