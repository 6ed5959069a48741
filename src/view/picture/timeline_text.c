/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline as a table: for each thread what its time went to, and its most frequent cause by time; processes as a
 * tree. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/form/amount.h"
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

/* Shortens to n bytes, not within a character. */
static void cut(char *s, size_t n)
{
	if (strlen(s) <= n)
		return;
	while (n && ((unsigned char)s[n] & 0xc0) == 0x80)
		n--;
	s[n] = '\0';
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

static void thread_line(const struct timeline *t, const struct tl_row *r, uint64_t *sums, unsigned columns, FILE *out)
{
	uint64_t all = total(r), idle = r->sum[TL_IDLE] + r->sum[TL_TIME],
		 rest = all - r->sum[TL_RUN] - r->sum[TL_CPU] - idle - r->sum[TL_UNSEEN], most;
	const char *why = top_cause(t, r, sums, &most);
	char line[512], longest[AMOUNT_MAX] = "";

	if (r->longest)
		amount_str(longest, r->longest, "ns");
	snprintf(line, sizeof(line), "%s", r->label);
	cut(line, r->depth ? LABEL - 2 : LABEL);
	fprintf(out, "%s%-*s %5.1f %5.1f %5.1f %5.1f %8s  %.*s\n", r->depth ? "  " : "", r->depth ? LABEL - 2 : LABEL,
		line, 100.0 * (double)r->sum[TL_RUN] / (double)all, 100.0 * (double)r->sum[TL_CPU] / (double)all,
		100.0 * (double)rest / (double)all, 100.0 * (double)idle / (double)all, longest,
		columns > LABEL + 35 ? (int)(columns - LABEL - 35) : 0, why);
}

static void lane_line(const struct timeline *t, const struct tl_row *r, FILE *out)
{
	char n[AMOUNT_MAX], sum[AMOUNT_MAX];
	uint64_t all = 0;

	for (unsigned k = 0; k < TL_NKINDS; k++)
		all += r->sum[k];
	amount_number(n, r->items.n);
	amount_str(sum, all, "ns");
	fprintf(out, "%-*s %8s intervals, %s, %.2f %% of the time\n", LANE, r->label, n, sum,
		100.0 * (double)all / (double)(t->to - t->from));
}

static void process_line(const struct timeline *t, const struct tl_row *r, unsigned columns, FILE *out)
{
	const struct tl_item *first = &r->items.v[0], *last = &r->items.v[r->items.n - 1];
	char at[AMOUNT_MAX], length[AMOUNT_MAX], line[1024];
	int width = columns > 26 ? (int)columns - 26 : 0;

	amount_str(at, first->from - t->from, "ns");
	amount_str(length, last->to - first->from, "ns");
	snprintf(line, sizeof(line), "%*s%s", (int)(r->depth > 40 ? 40 : r->depth) * 2, "", r->label);
	cut(line, (size_t)width);
	fprintf(out, "%10s %10s%s  %s\n", at, length, last->flags & TL_OPEN ? "+" : " ", line);
}

int timeline_text(const struct timeline *t, unsigned columns, FILE *out)
{
	_cleanup_free_ uint64_t *sums = calloc(t->texts.n + 1, sizeof(*sums));
	enum tl_group group = TL_NGROUPS;

	if (!sums)
		return -ENOMEM;
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct tl_row *r = &t->rows.v[i];

		if (r->group != group && r->group == TL_GROUP_THREADS)
			fprintf(out, "%s%-*s %5s %5s %5s %5s %8s  %s\n", group == TL_NGROUPS ? "" : "\n", LABEL,
				"THREAD", "RUN %", "CPU %", "WAIT %", "IDLE %", "LONGEST", "MOST FOR");
		else if (r->group == TL_GROUP_PROCESSES && group != r->group)
			fprintf(out, "%10s %10s   %s\n", "AFTER", "LIVED", "PROCESS");
		group = r->group;
		if (group == TL_GROUP_THREADS)
			thread_line(t, r, sums, columns, out);
		else if (group == TL_GROUP_PROCESSES)
			process_line(t, r, columns, out);
		else
			lane_line(t, r, out);
	}
	return ferror(out) ? (errno ? -errno : -EIO) : 0;
}
