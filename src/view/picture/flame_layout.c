/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the place and width of each frame of a flame graph. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "view/appearance.h"
#include "view/picture/flame.h"

static double share(uint64_t v, uint64_t of)
{
	return of ? (double)v / (double)of : 0;
}

struct flame_share flame_share(const struct stacktree *t, const struct stackorder *o, const struct flame_opts *opts,
			       uint32_t node)
{
	unsigned nw = stacktree_nweights(t);
	const uint64_t *all = o->total, *v = &o->total[(size_t)node * nw];
	struct flame_share s = { share(v[0], all[0]), 0 };

	s.after = opts->diff ? share(v[1], all[1]) : s.before;
	return s;
}

static double width(const struct stacktree *t, const struct stackorder *o, const struct flame_opts *opts, uint32_t node)
{
	struct flame_share s = flame_share(t, o, opts, node);
	unsigned nw = stacktree_nweights(t);

	if (opts->diff && (!o->total[0] || !o->total[nw > 1])) /* one side is empty: the other one alone */
		return s.before + s.after;
	return (s.before + s.after) / 2;
}

/* Widths in classes of equal exponent and 12 bits of the mantissa: the class below which all must be left out for at
 * most max to remain. */
static int find_min(const struct stacktree *t, const struct stackorder *o, const struct flame_opts *opts, size_t max,
		    double *min_w)
{
	enum { SHIFT = 11, CLASSES = 1 << (31 - SHIFT) };
	_cleanup_free_ uint32_t *count = calloc(CLASSES, sizeof(*count));
	size_t n = stacktree_nnodes(t), sum = 0;
	uint32_t bits, class = CLASSES;
	float f;

	if (!count)
		return -ENOMEM;
	for (size_t i = 1; i < n; i++) {
		double w = width(t, o, opts, (uint32_t)i);

		if (w < *min_w || w <= 0)
			continue;
		f = (float)w;
		memcpy(&bits, &f, sizeof(bits));
		count[bits >> SHIFT]++;
	}
	while (class > 0 && sum + count[class - 1] <= max)
		sum += count[--class];
	if (class == 0)
		return 0;
	bits = class << SHIFT;
	memcpy(&f, &bits, sizeof(f));
	if ((double)f > *min_w)
		*min_w = (double)f;
	return 0;
}

struct walk {
	const struct stacktree *t;
	const struct stackorder *o;
	const struct flame_opts *opts;
	double min_w;
	size_t shown; /* counted down for what is left out */
	VEC(struct flame_box) v;
};

/* Puts the children of a box after all boxes. */
static int add_children(struct walk *w, uint32_t node, double x, int32_t depth)
{
	for (uint32_t c = w->o->first[node]; c; c = w->o->next[c]) {
		double cw = width(w->t, w->o, w->opts, c);
		struct flame_box b = { x, cw, c, depth };

		x += cw;
		if (cw < w->min_w || cw <= 0)
			continue;
		if (vec_try_push(&w->v, b) < 0)
			return -ENOMEM;
	}
	return 0;
}

int flame_layout(const struct stacktree *t, const struct stackorder *o, const struct flame_opts *opts, double min_w,
		 size_t max, struct flame_layout *ret)
{
	struct walk w = { .t = t, .o = o, .opts = opts, .min_w = min_w };
	unsigned depth = 0;
	int e = find_min(t, o, opts, max, &w.min_w);

	if (e == 0)
		e = add_children(&w, STACKTREE_ROOT, 0, 0);
	for (size_t i = 0; e == 0 && i < w.v.n; i++) {
		struct flame_box b = w.v.v[i];

		depth = (unsigned)b.depth + 1;
		e = add_children(&w, b.node, b.x, b.depth + 1);
	}
	if (e < 0) {
		vec_free(&w.v);
		return e;
	}
	*ret = (struct flame_layout){ w.v.v, w.v.n, stacktree_nnodes(t) - 1 - w.v.n, w.min_w, depth };
	return 0;
}

void flame_layout_done(struct flame_layout *l)
{
	free(l->v);
	*l = (struct flame_layout){ 0 };
}

/* How many standard deviations of counting (the root of a count) apart shares must be. */
#define SIGNIFICANT APPEARANCE_SIGNIFICANT_DEVIATIONS

int flame_change(const struct stacktree *t, const struct stackorder *o, const struct flame_opts *opts, uint32_t node)
{
	struct flame_share s = flame_share(t, o, opts, node);
	unsigned nw = stacktree_nweights(t);
	const uint64_t *all = o->total, *v = &o->total[(size_t)node * nw];
	double sum = s.before + s.after, sigma;

	if (!opts->diff || sum <= 0 || nw < 2 || !all[0] || !all[1])
		return 0;
	if (opts->significance) {
		sigma = sqrt((double)(v[0] ? v[0] : 1)) / (double)all[0];
		sigma = hypot(sigma, sqrt((double)(v[1] ? v[1] : 1)) / (double)all[1]);
		if (fabs(s.after - s.before) < SIGNIFICANT * sigma)
			return 0;
	}
	return (int)lround(100 * (s.after - s.before) / sum);
}

unsigned flame_hue(const char *name)
{
	unsigned h = 2166136261u; /* FNV-1a */

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h ^ (h >> 15);
}
