/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses and groups the slow events that `dwell top` shows, and fits delays into the cells of its heat map. */
#include <string.h>
#include "base/units.h"
#include "top/shown.h"

#define TOGETHER_NS (10 * NSEC_PER_SEC)

size_t top_slow_shown(const struct top_data *d, bool idle, const struct top_slow **ret)
{
	uint64_t kept = d->nslow < TOP_SLOW ? d->nslow : TOP_SLOW;
	size_t n = 0;

	for (uint64_t k = 0; k < kept; k++) {
		const struct top_slow *s = &d->slow[(d->nslow - 1 - k) % TOP_SLOW];

		if (!s->idle || idle)
			ret[n++] = s;
	}
	return n;
}

static bool alike(const struct top_slow *a, const struct top_slow *b)
{
	uint64_t apart = a->wall > b->wall ? a->wall - b->wall : b->wall - a->wall;

	return apart < TOGETHER_NS && !strcmp(a->tracker, b->tracker) && !strcmp(a->comm, b->comm);
}

/* Compared with the newest of a group alone: a chain of events, each close to the next, is several groups. */
size_t top_slow_groups(const struct top_slow *const *v, size_t n, struct top_alike *ret)
{
	bool grouped[TOP_SLOW] = { false };
	size_t groups = 0;

	for (size_t i = 0; i < n; i++) {
		struct top_alike *g = &ret[groups];

		if (grouped[i])
			continue;
		groups++;
		*g = (struct top_alike){ .longest = v[i], .n = 1 };
		for (size_t j = i + 1; j < n; j++) {
			if (grouped[j] || !alike(v[i], v[j]))
				continue;
			grouped[j] = true;
			g->n++;
			if (v[j]->delay > g->longest->delay)
				g->longest = v[j];
		}
	}
	return groups;
}

uint64_t top_heat_cell(const struct top_tracker *t, uint64_t second, unsigned band, unsigned step)
{
	const struct top_column *col = top_column(t, second);
	uint64_t n = 0;

	for (unsigned b = band; col && b < band + step && b < TOP_BANDS; b++)
		n += col->band[b];
	return n;
}

bool top_heat_fit(const struct top_tracker *t, uint64_t last, int cols, int rows, struct top_heat *ret)
{
	*ret = (struct top_heat){ .from = TOP_BANDS, .step = 1 };
	for (int c = 0; c < cols; c++) {
		for (unsigned b = 0; b < TOP_BANDS; b++) {
			if (!top_heat_cell(t, last - (uint64_t)c, b, 1))
				continue;
			ret->from = b < ret->from ? b : ret->from;
			ret->to = b > ret->to ? b : ret->to;
		}
	}
	if (ret->from == TOP_BANDS)
		return false;
	ret->step = (ret->to - ret->from + (unsigned)rows) / (unsigned)rows;
	for (int c = 0; c < cols; c++) {
		for (unsigned b = ret->from; b <= ret->to; b += ret->step) {
			uint64_t n = top_heat_cell(t, last - (uint64_t)c, b, ret->step);

			ret->most = n > ret->most ? n : ret->most;
		}
	}
	return true;
}
