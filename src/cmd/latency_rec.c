/* SPDX-License-Identifier: Apache-2.0 */
/* Stretches of a recording, and what has histograms in it. */
#include "cmd/latency_rec.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/vec.h"
#include "cmd/cmd.h"

/* -- stretches -- */

static bool moment(const char *text, const struct rec_range *all, uint64_t *ret)
{
	bool from_end = text[0] == '-';
	uint64_t ns;

	if (num_parse_period(text + from_end, RECFILE_SECOND_NS, 0, &ns) < 0)
		return false;
	if (from_end)
		*ret = ns > all->to - all->from ? all->from : all->to - ns;
	else
		*ret = ns > all->to - all->from ? all->to : all->from + ns;
	return true;
}

int latency_range(struct recread *r, const struct latency_range *asked, bool whole, struct rec_range *ret)
{
	struct rec_range all;

	if (!recread_hist_extent(r, &all))
		return cmd_fail("the recording has no histograms: its programs have no trackers and no distributions");
	if (whole && all.to - all.from > 4 * RECFILE_SECOND_NS) {
		all.from += RECFILE_SECOND_NS;
		all.to -= RECFILE_SECOND_NS;
	}
	*ret = all;
	if (asked->from && !moment(asked->from, &all, &ret->from))
		return cmd_fail("\"%s\" is no time such as 30s or -1m", asked->from);
	if (asked->to && !moment(asked->to, &all, &ret->to))
		return cmd_fail("\"%s\" is no time such as 30s or -1m", asked->to);
	if (ret->from >= ret->to)
		return cmd_fail("the recording has nothing between these times: it has %llu s",
				(unsigned long long)((all.to - all.from) / RECFILE_SECOND_NS));
	return 0;
}

/* -- series -- */

struct listing {
	struct latency_list *list;
	uint32_t source;
	struct rec_histdesc d;
};

static int on_key(void *ctx, int64_t key, const char *text, const void *data)
{
	struct listing *l = ctx;
	struct latency_series s = { .source = l->source, .key = key, .d = l->d, .text = strdup(text) };

	(void)data;
	if (!s.text || vec_try_push(l->list, s) < 0) {
		free(s.text);
		return -ENOMEM;
	}
	return 0;
}

static int most_first(const void *a, const void *b)
{
	const struct latency_series *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

/* The keys of one source, from element `first` on. */
static int count_keys(struct recread *r, struct rec_range range, size_t most, size_t first, struct latency_list *l,
		      struct err *err)
{
	struct histsum sum = { 0 };
	int e = 0;

	for (size_t i = first; i < l->n && e == 0; i++) {
		e = recread_hist(r, l->v[i].source, range, l->v[i].key, &sum, err);
		l->v[i].count = sum.count;
	}
	histsum_free(&sum);
	if (l->n > first)
		qsort(l->v + first, l->n - first, sizeof(*l->v), most_first);
	while (e == 0 && l->n > first && (l->n - first > most || !l->v[l->n - 1].count)) {
		l->left_out += l->v[l->n - 1].count != 0;
		free(l->v[--l->n].text);
	}
	return e;
}

int latency_list(struct recread *r, struct rec_range range, size_t most, struct latency_list *ret, struct err *err)
{
	const struct rec_schema *s = recread_schema(r);
	int e = 0;

	for (uint32_t i = 0; i < s->ntrackers + s->naggs && e == 0; i++) {
		struct listing l = { .list = ret, .source = i };
		size_t first = ret->n;

		if (!rec_hist_source(s, i, &l.d))
			continue;
		e = recread_hist_keys(r, i, on_key, &l, err);
		if (e == 0)
			e = count_keys(r, range, most, first, ret, err);
	}
	return e;
}

void latency_list_free(struct latency_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].text);
	vec_free(l);
}
