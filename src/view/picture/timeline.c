/* SPDX-License-Identifier: Apache-2.0 */
/* Computes timelines: sorts intervals, removes overlaps, and finds the interval of each pixel. */
#include "view/picture/timeline.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/picture/keycolour.h"

static const struct tl_kind_info kinds[] = {
#define KIND(id, name, hue, saturation, lightness, legend) { name, legend, hue, saturation, lightness },
#include "view/picture/waitkind.def"
#undef KIND
};

const struct tl_kind_info *tl_kind_info(enum tl_kind k)
{
	return &kinds[k];
}

enum tl_kind tl_kind_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return (enum tl_kind)i;
	return TL_UNKNOWN;
}

unsigned tl_kind_weight(enum tl_kind k)
{
	return k == TL_IDLE || k == TL_TIME || k == TL_UNSEEN		      ? 0
	       : k == TL_RUN || k == TL_SHORT || k == TL_LIFE || k == TL_TASK ? 1
									      : 2;
}

/* The name that the colour of a text is of. */
static const char *name_in(const char *words, char name[64])
{
	snprintf(name, 64, "%.*s", (int)strcspn(words, ","), words);
	return name;
}

int tl_add_hues(struct timeline *t)
{
	enum { NONE = 255 };
	struct keycolours names = { 0 };
	char name[64];
	_cleanup_free_ uint8_t *hues = malloc(t->texts.n + 1); /* by text */

	if (!hues)
		return -ENOMEM;
	memset(hues, NONE, t->texts.n);
	for (int claimed = 0; claimed < 2; claimed++)
		for (size_t k = 0; k < t->rows.n; k++)
			for (size_t i = 0; i < t->rows.v[k].items.n; i++) {
				struct tl_item *x = &t->rows.v[k].items.v[i];

				if (!tl_kind_is_named((enum tl_kind)x->kind))
					continue;
				if (!claimed && hues[x->text] == NONE) {
					keycolour_claim(&names, name_in(t->texts.v[x->text].words, name));
					hues[x->text] = NONE - 1;
				}
				if (claimed && hues[x->text] >= NONE - 1)
					hues[x->text] = (uint8_t)keycolour_of(&names,
									      name_in(t->texts.v[x->text].words, name));
				if (claimed)
					x->hue = hues[x->text];
			}
	return 0;
}

bool tl_kind_is_named(enum tl_kind k)
{
	return k == TL_LIFE || k == TL_SPAN || k == TL_SLOW || k == TL_TASK;
}

static int by_time(const void *a, const void *b)
{
	const struct tl_item *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static bool same(const struct tl_item *a, const struct tl_item *b)
{
	return a->to == b->from && a->kind == b->kind && a->text == b->text && a->by == b->by && a->cpu == b->cpu &&
	       a->flags == b->flags;
}

void tl_tidy(tl_items *v)
{
	size_t n = 0;

	if (v->n)
		qsort(v->v, v->n, sizeof(*v->v), by_time);
	for (size_t i = 0; i < v->n; i++) {
		struct tl_item x = v->v[i];

		if (n && x.from < v->v[n - 1].to) {
			x.from = v->v[n - 1].to;
			x.flags |= TL_CUT;
		}
		if (x.to <= x.from)
			continue;
		if (n && same(&v->v[n - 1], &x))
			v->v[n - 1].to = x.to;
		else
			v->v[n++] = x;
	}
	v->n = n;
}

struct run {
	uint64_t from;
	uint32_t row, item;
	uint16_t cpu;
};

static int by_cpu(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return x->cpu != y->cpu ? (x->cpu < y->cpu ? -1 : 1) : x->from < y->from ? -1 : x->from > y->from;
}

int tl_one_per_cpu(struct timeline *t)
{
	VEC(struct run) all = { 0 };
	int e = 0;

	for (size_t k = 0; k < t->rows.n && e == 0; k++)
		for (size_t i = 0; i < t->rows.v[k].items.n && e == 0; i++) {
			const struct tl_item *x = &t->rows.v[k].items.v[i];

			if (x->kind == TL_RUN && x->cpu)
				e = vec_try_push(&all, ((struct run){ x->from, (uint32_t)k, (uint32_t)i, x->cpu }));
		}
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), by_cpu);
	for (size_t i = 0; i + 1 < all.n && e == 0; i++) {
		const struct run *next = &all.v[i + 1];
		tl_items *items = &t->rows.v[all.v[i].row].items;
		struct tl_item *x = &items->v[all.v[i].item], rest;

		if (next->cpu != all.v[i].cpu || x->to <= next->from)
			continue;
		rest = (struct tl_item){ .from = next->from, .to = x->to, .kind = TL_UNSEEN };
		x->to = next->from;
		e = vec_try_push(items, rest);
	}
	vec_free(&all);
	return e;
}

unsigned tl_tracks(const tl_items *v, uint8_t *track)
{
	uint64_t end[TL_MAX_TRACKS] = { 0 };
	unsigned n = 0;

	for (size_t i = 0; i < v->n; i++) {
		unsigned k = 0;

		while (k < n && end[k] > v->v[i].from)
			k++;
		if (k == TL_MAX_TRACKS)
			k--; /* tl_tidy() cuts it there */
		if (k == n)
			n++;
		track[i] = (uint8_t)k;
		if (v->v[i].to > end[k])
			end[k] = v->v[i].to;
	}
	return n;
}

void tl_sum_up(struct tl_row *r, uint64_t from, uint64_t to)
{
	memset(r->sum, 0, sizeof(r->sum));
	r->longest = 0;
	for (size_t i = 0; i < r->items.n; i++) {
		const struct tl_item *x = &r->items.v[i];
		uint64_t a = x->from < from ? from : x->from, b = x->to > to ? to : x->to;

		if (b <= a)
			continue;
		r->sum[x->kind] += b - a;
		if (tl_kind_weight(x->kind) == 2 && b - a > r->longest)
			r->longest = b - a;
	}
}

void tl_pixels(const tl_items *v, uint64_t from, uint64_t to, unsigned n, int16_t *ret)
{
	double scale = (double)n / (double)(to - from);
	double best[TL_NKINDS * KEY_SLOTS] = { 0 };
	size_t i = 0;

	for (unsigned x = 0; x < n; x++) {
		double lo = x, hi = x + 1, most = 0;
		size_t k;

		ret[x] = -1;
		while (i < v->n && ((double)v->v[i].to - (double)from) * scale <= lo)
			i++;
		for (k = i; k < v->n; k++) {
			double a = ((double)v->v[k].from - (double)from) * scale,
			       b = ((double)v->v[k].to - (double)from) * scale;
			unsigned kind = v->v[k].kind, shade = kind + TL_NKINDS * v->v[k].hue;

			if (a >= hi)
				break;
			best[shade] += ((b < hi ? b : hi) - (a > lo ? a : lo)) * (1 << (2 * tl_kind_weight(kind)));
			if (best[shade] > most) {
				most = best[shade];
				ret[x] = (int16_t)shade;
			}
		}
		while (k-- > i)
			best[v->v[k].kind + TL_NKINDS * v->v[k].hue] = 0;
	}
}

void timeline_free(struct timeline *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->rows.n; i++) {
		free(t->rows.v[i].label);
		vec_free(&t->rows.v[i].items);
	}
	for (size_t i = 0; i < t->texts.n; i++) {
		free(t->texts.v[i].words);
		free(t->texts.v[i].stack);
	}
	vec_free(&t->rows);
	vec_free(&t->texts);
	free(t);
}
