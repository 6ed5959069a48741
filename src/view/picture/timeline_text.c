/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline as a table: for each thread what its time went to, and its most frequent cause by time; processes as a
 * tree. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/form/amount.h"
#include "view/form/table.h"
#include "view/picture/timeline.h"

#define LABEL 20
#define LANE 26

static uint64_t total(const struct tl_row *r)
{
	uint64_t n = 0;

	for (unsigned k = 0; k < TL_NKINDS; k++)
		n += r->sum[k];
	return n ? n : 1;
}

static double percent(uint64_t part, uint64_t all)
{
	return 100.0 * (double)part / (double)all;
}

/* The text with the most time among intervals of a row that matter. */
static const char *top_cause(const struct timeline *t, const struct tl_row *r, uint64_t *sums, uint64_t *ret)
{
	uint32_t best = 0;

	for (size_t i = 0; i < r->items.n; i++) {
		const struct tl_item *x = &r->items.v[i];

		if (tl_kind_weight((enum tl_kind)x->kind) < 2 || x->kind == TL_CPU)
			continue;
		sums[x->text] += x->to - x->from;
		if (x->text && sums[x->text] > sums[best])
			best = x->text;
	}
	*ret = sums[best];
	for (size_t i = 0; i < r->items.n; i++)
		sums[r->items.v[i].text] = 0;
	return t->texts.v[best].words;
}

static void thread_line(const struct timeline *t, const struct tl_row *r, uint64_t *sums, struct table *out)
{
	uint64_t all = total(r), idle = r->sum[TL_IDLE] + r->sum[TL_TIME],
		 rest = all - r->sum[TL_RUN] - r->sum[TL_CPU] - idle - r->sum[TL_UNSEEN], most;
	const char *why = top_cause(t, r, sums, &most);
	char line[512], longest[AMOUNT_MAX] = "";

	if (r->longest)
		amount_str(longest, r->longest, "ns");
	snprintf(line, sizeof(line), "%s%s", r->depth ? "  " : "", r->label);

	const struct cell v[] = {
		{ "THREAD", CELL_CUT, -LABEL, 0, { line } },
		{ "RUN %", CELL_NUMBER, 5, 1, { .d = percent(r->sum[TL_RUN], all) } },
		{ "CPU %", CELL_NUMBER, 5, 1, { .d = percent(r->sum[TL_CPU], all) } },
		{ "WAIT %", CELL_NUMBER, 5, 1, { .d = percent(rest, all) } },
		{ "IDLE %", CELL_NUMBER, 5, 1, { .d = percent(idle, all) } },
		{ "LONGEST", CELL_TEXT, 8, 0, { longest } },
		{ "", CELL_TEXT, 0, 0, { "" } },
		{ "MOST FOR", CELL_CUT, TABLE_REST, 0, { why } },
	};

	table_line(out, v, ARRAY_SIZE(v));
}

/* The line of the lane whose first row is row i. Intervals that overlap are on further rows of the same name. Returns
 * how many rows the lane has. */
static size_t lane_line(const struct timeline *t, size_t i, FILE *out)
{
	const struct tl_row *first = &t->rows.v[i], *r = first;
	char n[AMOUNT_MAX], sum[AMOUNT_MAX];
	uint64_t all = 0, items = 0;

	do {
		for (unsigned k = 0; k < TL_NKINDS; k++)
			all += r->sum[k];
		items += r->items.n;
		r++;
	} while (r < t->rows.v + t->rows.n && r->depth && r->group == first->group && !strcmp(r->label, first->label));
	amount_number(n, items);
	amount_str(sum, all, "ns");
	fprintf(out, "%-*s %8s intervals, %s, ", LANE, first->label, n, sum);
	if (r - first > 1)
		fprintf(out, "on %zu rows\n", (size_t)(r - first));
	else
		fprintf(out, "%.2f %% of the time\n", 100.0 * (double)all / (double)(t->to - t->from));
	return (size_t)(r - first);
}

static void process_line(const struct timeline *t, const struct tl_row *r, struct table *out)
{
	const struct tl_item *first = &r->items.v[0], *last = &r->items.v[r->items.n - 1];
	char at[AMOUNT_MAX], length[AMOUNT_MAX], lived[AMOUNT_MAX + 1], line[1024];

	amount_str(at, first->from - t->from, "ns");
	amount_str(length, last->to - first->from, "ns");
	snprintf(lived, sizeof(lived), "%s%s", length, last->flags & TL_OPEN ? "+" : " ");
	snprintf(line, sizeof(line), "%*s%s", (int)(r->depth > 40 ? 40 : r->depth) * 2, "", r->label);

	const struct cell v[] = {
		{ "AFTER", CELL_TEXT, 10, 0, { at } },
		{ "LIVED ", CELL_TEXT, 11, 0, { lived } },
		{ "", CELL_TEXT, 0, 0, { "" } },
		{ "PROCESS", CELL_CUT, TABLE_REST, 0, { line } },
	};

	table_line(out, v, ARRAY_SIZE(v));
}

int timeline_text(const struct timeline *t, unsigned columns, FILE *out)
{
	struct table threads = { .out = out, .columns = (int)columns, .gap = 1 }, processes = threads;
	_cleanup_free_ uint64_t *sums = calloc(t->texts.n + 1, sizeof(*sums));
	enum tl_group group = TL_NGROUPS;

	if (!sums)
		return -ENOMEM;
	for (size_t i = 0, n; i < t->rows.n; i += n) {
		const struct tl_row *r = &t->rows.v[i];

		n = 1;
		if (r->group == TL_GROUP_THREADS && group != r->group && group != TL_NGROUPS)
			fputc('\n', out);
		group = r->group;
		if (group == TL_GROUP_THREADS)
			thread_line(t, r, sums, &threads);
		else if (group == TL_GROUP_PROCESSES)
			process_line(t, r, &processes);
		else
			n = lane_line(t, i, out);
	}
	if (threads.error || processes.error)
		return threads.error ? threads.error : processes.error;
	return ferror(out) ? (errno ? -errno : -EIO) : 0;
}
