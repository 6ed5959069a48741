/* SPDX-License-Identifier: Apache-2.0 */
#include "latency/window/group.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"

#define BY "by" /* the option of a run that says what its groups are */

/* The length of the tracker's name in that of an aggregation; 0: it is another one. */
static size_t tracker_len(const char *agg)
{
	size_t n = strlen(agg), end = strlen(LATENCYGROUP_ENDING);

	return n > end && !strcmp(agg + n - end, LATENCYGROUP_ENDING) ? n - end : 0;
}

int latencygroup_tracker(const struct rec_schema *s, uint32_t agg)
{
	const struct aggdesc *d = agg < s->naggs ? s->aggs[agg] : NULL;
	size_t n = d && d->name && d->nkeys == 1 && d->keys[0].kind == FLD_STRING ? tracker_len(d->name) : 0;

	for (uint32_t i = 0; n && i < s->ntrackers; i++)
		if (strlen(s->trackers[i].name) == n && !strncmp(s->trackers[i].name, d->name, n))
			return (int)i;
	return -1;
}

static struct latencygroup *find(struct latencygroups *g, const char *tracker, const char *name, size_t n)
{
	struct latencygroup new = { .tracker = tracker };

	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->v[i].tracker, tracker) && strlen(g->v[i].name) == n && !memcmp(g->v[i].name, name, n))
			return &g->v[i];
	new.name = strndup(name, n);
	if (!new.name || vec_reserve_raw((void **)&g->v, &g->cap, g->n + 1, sizeof(*g->v)) < 0) {
		free(new.name);
		return NULL;
	}
	g->v[g->n] = new;
	return &g->v[g->n++];
}

/* An aggregation does not say how long its values were together, nor the longest of them. */
static void estimate(struct latencygroup *g)
{
	double sum = 0, most = 0;

	for (size_t i = 0; i < g->hist.n; i++) {
		double middle = rechist_middle(&g->desc, g->hist.v[i].index);

		middle = isfinite(middle) && middle > 0 ? middle : 0;
		sum += middle * (double)g->hist.v[i].count;
		most = middle > most ? middle : most;
	}
	g->hist.sum = (uint64_t)sum;
	g->hist.max = (uint64_t)most;
}

int latencygroups_add(struct latencygroups *g, const struct rec_schema *s, const struct row *row)
{
	int tracker = row->kind == ROW_AGG ? latencygroup_tracker(s, row->id) : -1;
	const struct aggdesc *d = tracker >= 0 ? s->aggs[row->id] : NULL;
	_cleanup_(rechist_buf_free) struct rechist_buf buf = { 0 };
	struct latencygroup *to;
	struct row hist;
	struct step made;
	const char *name;
	int e;

	if (!d || row->len < d->key_size)
		return 0;
	made = rechist_of_agg(&buf, s, row, 0, 0, &hist);
	if (!made.more)
		return made.error;
	name = (const char *)row->data + d->keys[0].off;
	to = find(g, s->trackers[tracker].name, name, strnlen(name, d->keys[0].size));
	if (!to || !rec_hist_source(s, hist.id, &to->desc))
		return -ENOMEM;
	e = histsum_add(&to->hist, hist.data, rechist_buckets(hist.data));
	estimate(to);
	return e;
}

int latencygroups_sum(const struct latencygroups *g, const char *tracker, struct histsum *ret)
{
	int e = 0;

	for (size_t i = 0; i < g->n && e == 0; i++)
		if (!strcmp(g->v[i].tracker, tracker))
			e = histsum_merge(ret, &g->v[i].hist);
	return e;
}

static size_t place(const struct rec_schema *s, const char *tracker)
{
	size_t i = 0;

	while (i < s->ntrackers && strcmp(s->trackers[i].name, tracker) != 0)
		i++;
	return i;
}

static int by_time(const void *a, const void *b, void *schema)
{
	const struct latencygroup *x = a, *y = b;
	size_t i = place(schema, x->tracker), k = place(schema, y->tracker);

	if (i != k)
		return i < k ? -1 : 1;
	if (x->hist.sum != y->hist.sum)
		return x->hist.sum > y->hist.sum ? -1 : 1;
	return strcmp(x->name, y->name);
}

void latencygroups_sort(struct latencygroups *g, const struct rec_schema *s)
{
	if (g->n)
		qsort_r(g->v, g->n, sizeof(*g->v), by_time, (void *)(uintptr_t)s);
}

/* -- of recordings -- */

static const char *kind_of(const struct recread *r)
{
	for (const struct recfile_pair *p = recread_options(r); p->name; p++)
		if (!strcmp(p->name, BY))
			return p->value;
	return "";
}

struct keys {
	struct latencygroups *g;
	struct recread *r;
	const struct rec_schema *schema;
	uint32_t agg;
	struct err *err;
};

static int add_key(void *ctx, int64_t key, const char *text, const void *data)
{
	struct keys *k = ctx;
	int tracker = latencygroup_tracker(k->schema, k->agg);
	uint32_t source = rec_hist_of_agg(k->schema, k->agg);
	struct latencygroup *to = find(k->g, k->schema->trackers[tracker].name, text, strlen(text));
	int e;

	(void)data;
	if (!to || !rec_hist_source(k->schema, source, &to->desc))
		return err_set(k->err, -ENOMEM, "out of memory");
	e = recread_hist(k->r, source, REC_ALL_TIME, key, &to->hist, k->err);
	estimate(to);
	return e;
}

int latencygroups_read(struct latencygroups *g, const struct recset *set, const char *by, struct err *err)
{
	const char *other = "";
	bool any = false;
	int e = 0;

	for (size_t i = 0; i < set->n && e == 0; i++) {
		struct keys k = { .g = g, .r = set->v[i].r, .schema = recread_schema(set->v[i].r), .err = err };
		const char *kind = kind_of(k.r);

		other = *kind ? kind : other;
		if (strcmp(kind, by) != 0)
			continue;
		any = true;
		for (k.agg = 0; k.agg < k.schema->naggs && e == 0; k.agg++)
			if (latencygroup_tracker(k.schema, k.agg) >= 0)
				e = recread_hist_keys(k.r, rec_hist_of_agg(k.schema, k.agg), add_key, &k, err);
	}
	if (e == 0 && !any && *other)
		return err_set(err, -EINVAL, "--by %s: the recording has groups by %s only", by, other);
	if (e == 0 && !any)
		return err_set(
			err, -EINVAL,
			"--by %s: the recording does not tell groups: record with dwell latency --by %s --record "
			"FILE",
			by, by);
	return e;
}

void latencygroups_clear(struct latencygroups *g)
{
	for (size_t i = 0; i < g->n; i++) {
		free(g->v[i].name);
		histsum_free(&g->v[i].hist);
	}
	free(g->v);
	*g = (struct latencygroups){ 0 };
}
