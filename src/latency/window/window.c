/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps rings of histograms by second, minute and hour. */
#include "latency/window/window.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "store/file/keytext.h"
#include "store/file/recfile.h"

enum { SECONDS, MINUTES, HOURS, NLEVELS };
/* More slots than a window has, for the one that has just begun and for what comes late. */
static const struct {
	uint64_t period;
	size_t slots;
} levels[NLEVELS] = {
	[SECONDS] = { RECFILE_SECOND_NS, 66 },
	[MINUTES] = { RECFILE_MINUTE_NS, 63 },
	[HOURS] = { RECFILE_HOUR_NS, 26 },
};

static const struct {
	int level;
	uint64_t length;
} windows_of[NWINDOWS] = {
	[WINDOW_MINUTE] = { SECONDS, RECFILE_MINUTE_NS },
	[WINDOW_5_MINUTES] = { MINUTES, 5 * RECFILE_MINUTE_NS },
	[WINDOW_HOUR] = { MINUTES, RECFILE_HOUR_NS },
	[WINDOW_DAY] = { HOURS, 24 * RECFILE_HOUR_NS },
};

struct slot {
	uint64_t start;
	struct histsum sum;
};

struct series {
	uint32_t source;
	bool other;
	char *text;
	uint8_t *key;
	uint64_t used; /* when it was added to last */
	uint64_t count, total;
	uint64_t powers[WINDOWS_POWERS];
	struct slot *slots[NLEVELS];
};

struct windows {
	const struct rec_schema *schema;
	uint64_t wall_off;
	size_t max_bytes, bytes;
	uint64_t late;
	uint64_t read, read_before; /* as in rechist_of_agg() */
	struct rechist_buf buf;
	VEC(struct series) v;
	VEC(struct window_series) view;
};

int windows_new(const struct rec_schema *schema, uint64_t wall_off, size_t max_bytes, struct windows **ret)
{
	struct windows *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->schema = schema;
	w->wall_off = wall_off;
	w->max_bytes = max_bytes ? max_bytes : WINDOWS_BYTES_MAX;
	*ret = w;
	return 0;
}

static size_t slot_bytes(const struct slot *s)
{
	return s->sum.cap * sizeof(*s->sum.v);
}

static void series_free(struct windows *w, struct series *s)
{
	for (int l = 0; l < NLEVELS; l++) {
		for (size_t i = 0; s->slots[l] && i < levels[l].slots; i++) {
			w->bytes -= slot_bytes(&s->slots[l][i]);
			histsum_free(&s->slots[l][i].sum);
		}
		free(s->slots[l]);
	}
	free(s->text);
	free(s->key);
}

void windows_free(struct windows *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->v.n; i++)
		series_free(w, &w->v.v[i]);
	vec_free(&w->v);
	vec_free(&w->view);
	rechist_buf_free(&w->buf);
	free(w);
}

/* -- series -- */

static int series_new(struct windows *w, uint32_t source, const struct rec_histdesc *d, const void *key, size_t *ret)
{
	struct series s = { .source = source, .other = !key };
	struct strb text = { 0 };
	bool ok = true;

	if (key)
		keytext_put(&text, d->keys, d->nkeys, key);
	else
		strb_adds(&text, "other");
	s.text = strb_take(&text);
	if (!s.text)
		s.text = strdup("");
	s.key = malloc(d->key_size + 1);
	if (key && s.key)
		memcpy(s.key, key, d->key_size);
	for (int l = 0; l < NLEVELS; l++) {
		s.slots[l] = calloc(levels[l].slots, sizeof(*s.slots[l]));
		ok = ok && s.slots[l];
	}
	if (!ok || !s.text || !s.key || vec_try_push(&w->v, s) < 0) {
		series_free(w, &s);
		return -ENOMEM;
	}
	*ret = w->v.n - 1;
	return 0;
}

/* The series of a key; SIZE_MAX: there is none. key NULL: that of the others. */
static size_t find(const struct windows *w, uint32_t source, const struct rec_histdesc *d, const void *key)
{
	for (size_t i = 0; i < w->v.n; i++) {
		const struct series *s = &w->v.v[i];

		if (s->source == source && s->other == !key && (!key || !memcmp(s->key, key, d->key_size)))
			return i;
	}
	return SIZE_MAX;
}

/* Adds to one slot; false in *ret when it is too old. */
static int add_to_slot(struct windows *w, struct series *s, int level, uint64_t start, const struct rec_hist *h,
		       const struct rec_bucket *b, bool *ret)
{
	uint64_t period = levels[level].period, at = start - (start + w->wall_off) % period;
	struct slot *slot = &s->slots[level][(at + w->wall_off) / period % levels[level].slots];
	size_t before = slot_bytes(slot);
	int r;

	/* the first hour may have begun before the clock: numbers wrap, differences are right */
	*ret = !slot->sum.count || (int64_t)(slot->start - at) <= 0;
	if (!*ret)
		return 0;
	if (slot->start != at)
		histsum_reset(&slot->sum);
	slot->start = at;
	r = histsum_add(&slot->sum, h, b);
	w->bytes += slot_bytes(slot) - before;
	return r;
}

/* Moves what is in a slot to the same one of another series. */
static int move_slot(struct windows *w, struct series *to, int level, const struct slot *from)
{
	const struct rec_hist h = { .count = from->sum.count,
				    .sum = from->sum.sum,
				    .max = from->sum.max,
				    .flags = from->sum.flags,
				    .nbuckets = (uint32_t)from->sum.n };
	bool fits;

	return from->sum.count ? add_to_slot(w, to, level, from->start, &h, from->sum.v, &fits) : 0;
}

/* The key that was used longest ago joins the others of its source; false: there is none. */
static int evict(struct windows *w, bool *ret)
{
	size_t oldest = SIZE_MAX, other;
	struct rec_histdesc d = { 0 };
	struct series gone;
	int r = 0;

	*ret = false;
	for (size_t i = 0; i < w->v.n; i++) {
		struct rec_histdesc di;

		if (!w->v.v[i].other && rec_hist_source(w->schema, w->v.v[i].source, &di) && di.key_size &&
		    (oldest == SIZE_MAX || w->v.v[i].used < w->v.v[oldest].used)) {
			oldest = i;
			d = di;
		}
	}
	if (oldest == SIZE_MAX)
		return 0;
	other = find(w, w->v.v[oldest].source, &d, NULL);
	if (other == SIZE_MAX)
		r = series_new(w, w->v.v[oldest].source, &d, NULL, &other);
	if (r < 0)
		return r;
	gone = w->v.v[oldest];
	for (int l = 0; l < NLEVELS && r == 0; l++)
		for (size_t i = 0; i < levels[l].slots && r == 0; i++)
			r = move_slot(w, &w->v.v[other], l, &gone.slots[l][i]);
	for (int p = 0; p < WINDOWS_POWERS; p++)
		w->v.v[other].powers[p] += gone.powers[p];
	w->v.v[other].count += gone.count;
	w->v.v[other].total += gone.total;
	memmove(&w->v.v[oldest], &w->v.v[oldest + 1], (w->v.n - oldest - 1) * sizeof(gone));
	w->v.n--;
	series_free(w, &gone);
	*ret = true;
	return r;
}

static int get_series(struct windows *w, uint32_t source, const struct rec_histdesc *d, const void *key, size_t *ret)
{
	bool room = true;
	int r = 0;

	*ret = find(w, source, d, key);
	if (*ret != SIZE_MAX)
		return 0;
	while (r == 0 && room && w->v.n >= WINDOWS_SERIES_MAX - 1) /* room for an "other", too */
		r = evict(w, &room);
	return r < 0 ? r : series_new(w, source, d, key, ret);
}

/* Buckets of trackers never reach over a power of two. */
static void add_powers(struct series *s, const struct rec_histdesc *d, const struct rec_hist *h)
{
	const struct rec_bucket *b = rechist_buckets(h);

	for (uint32_t i = 0; d->is_tracker && i < h->nbuckets; i++) {
		double middle = rechist_middle(d, b[i].index);

		s->powers[middle < 1 ? 0 : ilogb(middle) >= 63 ? WINDOWS_POWERS - 1 : ilogb(middle) + 1] += b[i].count;
	}
}

/* Adds the delta of an aggregation. */
static int add_agg(struct windows *w, const struct row *row)
{
	struct row hist;
	struct step s;

	if (row->id >= w->schema->naggs)
		return 0;
	if (row->ts > w->read) {
		w->read_before = w->read;
		w->read = row->ts;
	}
	s = rechist_of_agg(&w->buf, w->schema, row, w->read_before, w->wall_off, &hist);
	return s.more ? windows_add(w, &hist) : s.error;
}

int windows_add(struct windows *w, const struct row *row)
{
	const struct rec_hist *h = row->data;
	struct rec_histdesc d;
	bool fits = false, any = false, room = true;
	size_t i;
	int r;

	if (row->kind == ROW_AGG)
		return add_agg(w, row);
	if (row->kind != ROW_HIST || !rec_hist_source(w->schema, row->id, &d) || !rechist_fits(&d, h, row->len))
		return 0;
	r = get_series(w, row->id, &d, h->flags & HIST_OTHER ? NULL : rechist_key(h), &i);
	for (int l = 0; l < NLEVELS && r == 0; l++) {
		r = add_to_slot(w, &w->v.v[i], l, row->ts, h, rechist_buckets(h), &fits);
		any |= fits;
	}
	if (r < 0)
		return r;
	w->late += any ? 0 : h->count;
	w->v.v[i].used = row->ts > w->v.v[i].used ? row->ts : w->v.v[i].used;
	add_powers(&w->v.v[i], &d, h);
	w->v.v[i].count += h->count;
	w->v.v[i].total += h->sum;
	while (r == 0 && room && w->bytes > w->max_bytes)
		r = evict(w, &room);
	return r;
}

/* -- reading -- */

size_t windows_series(struct windows *w, const struct window_series **ret)
{
	w->view.n = 0;
	for (size_t i = 0; i < w->v.n; i++) {
		struct window_series s = { w->v.v[i].source, w->v.v[i].other, w->v.v[i].text };

		if (vec_try_push(&w->view, s) < 0)
			break;
	}
	*ret = w->view.v;
	return w->view.n;
}

int windows_get(struct windows *w, size_t series, enum window window, uint64_t now, struct histsum *ret,
		uint64_t *ret_from)
{
	int level = windows_of[window].level;
	uint64_t period = levels[level].period, length = windows_of[window].length;
	/* differences of unsigned numbers: the first hour may have begun before the clock did */
	uint64_t from = now - length - (now - length + w->wall_off) % period;
	int r = 0;

	histsum_reset(ret);
	for (size_t i = 0; i < levels[level].slots && r == 0; i++) {
		const struct slot *s = &w->v.v[series].slots[level][i];

		if (s->sum.count && s->start - from <= now - from)
			r = histsum_merge(ret, &s->sum);
	}
	if (ret_from)
		*ret_from = from;
	return r;
}

void windows_total(const struct windows *w, size_t series, uint64_t *ret_count, uint64_t *ret_sum)
{
	*ret_count = w->v.v[series].count;
	*ret_sum = w->v.v[series].total;
}

const uint64_t *windows_powers(const struct windows *w, size_t series)
{
	return w->v.v[series].powers;
}

size_t windows_bytes(const struct windows *w)
{
	return w->bytes;
}

uint64_t windows_late(const struct windows *w)
{
	return w->late;
}
