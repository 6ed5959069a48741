/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are grouped by process and by cause; the stacks of a cause stand below it. */
#include "view/summary/whyprint.h"
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/jsonw.h"
#include "base/units.h"
#include "base/vec.h"
#include "view/form/table.h"

#define JSON_VERSION 1
#define MAX_GROUPS 20 /* processes or threads shown */
#define MAX_STACKS 3  /* of a cause */
#define MAX_FRAMES 10 /* of a stack, as text */
#define MAX_ASKERS 10 /* of a cause */

/* A cause of one thread, process, or of all: rows that differ by their user stack only. */
struct line {
	const struct why_row *first;
	struct why_sum sum;
	size_t from, n; /* in the rows */
};

/* All causes of one thread, process, or of all. */
struct group {
	const struct why_row *first;
	struct why_sum sum; /* without idle ones, unless these are shown */
	size_t from, n;	    /* in the lines */
};

struct tables {
	const struct why_print *p;
	struct table *out;	     /* of text */
	const struct why_row **rows; /* by whom, then cause, then time */
	size_t nrows;
	bool final;
	VEC(struct line) lines;
	VEC(struct group) groups;
	struct why_sum all, idle, unknown;
	size_t idle_causes;
};

static const struct why_sum *sum_of(const struct tables *t, const struct why_row *r)
{
	return t->final ? &r->all : &r->now;
}

static void add_sum(struct why_sum *to, const struct why_sum *s)
{
	to->count += s->count;
	to->total += s->total;
	if (s->max > to->max)
		to->max = s->max;
}

static int whom_cmp(const struct why_row *a, const struct why_row *b)
{
	return a->who != b->who ? (a->who < b->who ? -1 : 1) : strcmp(a->comm, b->comm);
}

/* Stable: rows come sorted by time. */
static int row_cmp(const void *a, const void *b)
{
	const struct why_row *x = *(const struct why_row *const *)a, *y = *(const struct why_row *const *)b;
	int c = whom_cmp(x, y);

	return c ? c : strcmp(x->words, y->words);
}

static int sum_cmp(const struct why_sum *a, const struct why_sum *b)
{
	return a->total < b->total ? 1 : a->total > b->total ? -1 : 0;
}

static int line_cmp(const void *a, const void *b)
{
	return sum_cmp(&((const struct line *)a)->sum, &((const struct line *)b)->sum);
}

static int group_cmp(const void *a, const void *b)
{
	return sum_cmp(&((const struct group *)a)->sum, &((const struct group *)b)->sum);
}

static int stack_cmp(const void *a, const void *b, void *final)
{
	const struct why_row *x = *(const struct why_row *const *)a, *y = *(const struct why_row *const *)b;

	return *(bool *) final ? sum_cmp(&x->all, &y->all) : sum_cmp(&x->now, &y->now);
}

static int make_lines(struct tables *t)
{
	for (size_t i = 0, n; i < t->nrows; i += n) {
		struct line l = { .first = t->rows[i], .from = i };

		for (n = 0; i + n < t->nrows && row_cmp(&t->rows[i], &t->rows[i + n]) == 0; n++)
			add_sum(&l.sum, sum_of(t, t->rows[i + n]));
		l.n = n;
		if (vec_try_push(&t->lines, l) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int make_groups(struct tables *t)
{
	for (size_t i = 0, n; i < t->lines.n; i += n) {
		struct group g = { .first = t->lines.v[i].first, .from = i };

		for (n = 0; i + n < t->lines.n && whom_cmp(g.first, t->lines.v[i + n].first) == 0; n++) {
			const struct line *l = &t->lines.v[i + n];
			bool idle = cause_is_idle(l->first->class);

			add_sum(idle ? &t->idle : &t->all, &l->sum);
			t->idle_causes += idle;
			if (l->first->class == CAUSE_UNKNOWN)
				add_sum(&t->unknown, &l->sum);
			if (!idle || t->p->idle)
				add_sum(&g.sum, &l->sum);
		}
		g.n = n;
		if (vec_try_push(&t->groups, g) < 0)
			return -ENOMEM;
		qsort(&t->lines.v[i], n, sizeof(struct line), line_cmp);
	}
	if (t->groups.n) /* qsort() takes no NULL */
		qsort(t->groups.v, t->groups.n, sizeof(struct group), group_cmp);
	return 0;
}

static void tables_done(struct tables *t)
{
	free(t->rows);
	vec_free(&t->lines);
	vec_free(&t->groups);
}

static int tables_make(struct tables *t, struct whytab *from)
{
	const struct why_row *const *rows = NULL;
	int e;

	t->nrows = whytab_rows(from, !t->final, &rows);
	t->rows = calloc(t->nrows + 1, sizeof(*t->rows));
	if (!t->rows)
		return -ENOMEM;
	if (t->nrows)
		memcpy(t->rows, rows, t->nrows * sizeof(*rows));
	qsort(t->rows, t->nrows, sizeof(*t->rows), row_cmp);
	e = make_lines(t);
	for (size_t i = 0; i < t->lines.n; i++) {
		const struct line *l = &t->lines.v[i];

		qsort_r(&t->rows[l->from], l->n, sizeof(*t->rows), stack_cmp, &t->final);
	}
	return e < 0 ? e : make_groups(t);
}

/* -- text -- */

static const struct cell columns[] = {
	{ "CAUSE", CELL_CUT, TABLE_REST, 0, { NULL } },
	{ "TOTAL", CELL_NS, 7, 0, { NULL } },
	{ "", CELL_SHARE, 4, 0, { NULL } },
	{ "COUNT", CELL_UINT, 7, 0, { NULL } },
	{ "AVERAGE", CELL_NS, 7, 0, { NULL } },
	{ "MAX", CELL_NS, 7, 0, { NULL } },
};

static void put_sum(const struct tables *t, int indent, const char *mark, const char *words, const struct why_sum *s)
{
	uint64_t whole = t->all.total + (t->p->idle ? t->idle.total : 0);
	struct cell v[ARRAY_SIZE(columns)];
	struct strb cause = { 0 };

	strb_fill(&cause, ' ', (size_t)indent);
	strb_printf(&cause, "%s%s", mark, words);
	memcpy(v, columns, sizeof(columns));
	v[0].v.s = strb_str(&cause);
	v[1].v.u = s->total;
	v[2].v.d = whole ? 100.0 * (double)s->total / (double)whole : 0.0;
	v[3].v.u = s->count;
	v[4].v.u = s->count ? s->total / s->count : 0;
	v[5].v.u = s->max;
	table_line(t->out, v, ARRAY_SIZE(v));
	strb_free(&cause);
}

/* The frames of a user stack, innermost first. */
static void put_stack(const struct tables *t, const struct line *l, const struct why_row *r)
{
	const struct why_sum *s = sum_of(t, r);
	const char *p = r->ustack;
	unsigned n = 0;

	fprintf(t->p->out, "    %3.0f%%%s", l->sum.total ? 100.0 * (double)s->total / (double)l->sum.total : 0.0,
		*p ? "" : " [no user stack]\n");
	while (*p && n++ < MAX_FRAMES) {
		size_t len = strcspn(p, ";");

		fprintf(t->p->out, "%*s%.*s\n", n == 1 ? 1 : 9, "",
			(int)len < t->p->columns - 9 ? (int)len : t->p->columns - 9, p);
		p += len + (p[len] == ';');
	}
	if (*p)
		fprintf(t->p->out, "         ...\n");
}

/* Prints the functions that asked for the waits of a cause: more rows, with columns of their own. */
static void put_askers(const struct tables *t, const struct line *l)
{
	struct table out = { .out = t->p->out, .columns = t->p->columns, .gap = 1, .begun = true };

	for (size_t k = 0; k < l->n && k < MAX_ASKERS; k++) {
		const struct why_row *r = t->rows[l->from + k];
		const struct why_sum *s = sum_of(t, r);
		const char *asker = r->ustack && *r->ustack ? r->ustack : "[no function of a runtime]";
		const struct cell v[] = { { "", CELL_NS, 12, 0, { .u = s->total } },
					  { "", CELL_UINT, 8, 0, { .u = s->count } },
					  { "", CELL_CUT, TABLE_REST, 0, { asker } } };

		if (s->count)
			table_line(&out, v, ARRAY_SIZE(v));
	}
}

static void put_group(const struct tables *t, const struct group *g)
{
	struct why_sum rest = { 0 };
	unsigned shown = 0, left = 0;
	char what[48];

	for (size_t i = g->from; i < g->from + g->n; i++) {
		const struct line *l = &t->lines.v[i];

		if (cause_is_idle(l->first->class) && !t->p->idle)
			continue;
		if (shown == t->p->top) {
			add_sum(&rest, &l->sum);
			left++;
			continue;
		}
		shown++;
		put_sum(t, t->p->by ? 2 : 0, l->first->inferred ? "~" : "", l->first->words, &l->sum);
		if (t->p->askers)
			put_askers(t, l);
		for (size_t k = 0; t->p->stacks && !t->p->askers && k < l->n && k < MAX_STACKS; k++)
			if (t->rows[l->from + k]->ustack)
				put_stack(t, l, t->rows[l->from + k]);
	}
	if (!left)
		return;
	snprintf(what, sizeof(what), "%u more cause%s", left, left == 1 ? "" : "s");
	put_sum(t, t->p->by ? 2 : 0, "", what, &rest);
}

static void put_head(const struct tables *t, uint64_t ns)
{
	char took[UNITS_LEN], waited[UNITS_LEN], idle[UNITS_LEN], clock[16];
	time_t now = time(NULL);
	struct tm tm;

	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &tm));
	fprintf(t->p->out, "\n%s  %s %s: %llu waits, %s; unknown %.1f%%\n", clock, t->final ? "all" : "last",
		units_ns(ns, took), (unsigned long long)t->all.count, units_ns(t->all.total, waited),
		t->all.total ? 100.0 * (double)t->unknown.total / (double)t->all.total : 0.0);
	if (t->idle.count && !t->p->idle)
		fprintf(t->p->out, "not shown: %llu sleeps and waits for work, %s in %zu causes (--idle)\n",
			(unsigned long long)t->idle.count, units_ns(t->idle.total, idle), t->idle_causes);
	if (t->p->one_in > 1)
		fprintf(t->p->out, "measured: one thread in %u (--cost); the others have no waits here\n",
			t->p->one_in);
	table_heading(t->out, columns, ARRAY_SIZE(columns));
}

static void put_text(const struct tables *t, const struct why_sum *brief, uint64_t ns)
{
	char limit[UNITS_LEN], what[64], who[64];
	size_t groups = 0;

	put_head(t, ns);
	for (size_t i = 0; i < t->groups.n && groups < MAX_GROUPS; i++) {
		const struct group *g = &t->groups.v[i];

		if (!g->sum.count)
			continue;
		groups++;
		if (t->p->by) {
			snprintf(who, sizeof(who), "%s %llu", g->first->comm, (unsigned long long)g->first->who);
			put_sum(t, 0, "", g->first->others ? "others" : who, &g->sum);
		}
		put_group(t, g);
	}
	if (groups < t->groups.n && groups == MAX_GROUPS)
		fprintf(t->p->out, "... and %zu more %s\n", t->groups.n - groups,
			t->p->by == WHY_BY_THREAD  ? "threads"
			: t->p->by == WHY_BY_GROUP ? "groups"
						   : "processes");
	if (brief->count) {
		snprintf(what, sizeof(what), "shorter than %s", units_ns(t->p->over_ns, limit));
		put_sum(t, 0, "", what, brief);
	}
}

/* -- JSON -- */

static void json_sum(struct jsonw *w, const struct why_sum *s)
{
	jsonw_u64(w, "count", s->count);
	jsonw_u64(w, "total_ns", s->total);
	jsonw_u64(w, "max_ns", s->max);
}

static void json_stacks(struct jsonw *w, const struct tables *t, const struct line *l)
{
	jsonw_array(w, "stacks");
	for (size_t k = 0; k < l->n && k < (t->p->askers ? MAX_ASKERS : MAX_STACKS); k++) {
		const char *p = t->rows[l->from + k]->ustack;

		jsonw_object(w, NULL);
		json_sum(w, sum_of(t, t->rows[l->from + k]));
		jsonw_array(w, "frames");
		while (p && *p) {
			size_t len = strcspn(p, ";");

			jsonw_strn(w, NULL, p, len);
			p += len + (p[len] == ';');
		}
		jsonw_end_array(w);
		jsonw_end_object(w);
	}
	jsonw_end_array(w);
}

static void json_line(struct jsonw *w, const struct tables *t, const struct line *l)
{
	const struct why_row *r = l->first;

	jsonw_object(w, NULL);
	jsonw_str(w, "cause", r->words);
	jsonw_str(w, "class", cause_class_name(r->class));
	jsonw_bool(w, "inferred", r->inferred);
	if (t->p->by == WHY_BY_GROUP && !r->others) {
		jsonw_u64(w, "group_id", r->who);
		jsonw_str(w, "group", r->comm);
	} else if (t->p->by && !r->others) {
		jsonw_u64(w, t->p->by == WHY_BY_THREAD ? "tid" : "pid", r->who);
		jsonw_str(w, "comm", r->comm);
	}
	json_sum(w, &l->sum);
	if (t->p->stacks)
		json_stacks(w, t, l);
	jsonw_end_object(w);
}

static int put_json(struct tables *t, const struct why_sum *brief, uint64_t ns)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);
	int e;

	jsonw_object(&w, NULL);
	jsonw_str(&w, "type", "latency-why");
	jsonw_u64(&w, "version", JSON_VERSION);
	jsonw_u64(&w, "time", clock_ns(CLOCK_MONOTONIC));
	jsonw_u64(&w, "interval_ns", ns);
	jsonw_bool(&w, "final", t->final);
	if (t->p->one_in)
		jsonw_u64(&w, "one_in", t->p->one_in);
	if (t->p->run_ns)
		jsonw_u64(&w, "run_ns", t->p->run_ns);
	if (t->lines.n)
		qsort(t->lines.v, t->lines.n, sizeof(*t->lines.v), line_cmp);
	jsonw_array(&w, "causes");
	for (size_t i = 0; i < t->lines.n; i++)
		json_line(&w, t, &t->lines.v[i]);
	jsonw_end_array(&w);
	jsonw_object(&w, "shorter");
	jsonw_u64(&w, "than_ns", t->p->over_ns);
	json_sum(&w, brief);
	jsonw_end_object(&w);
	jsonw_object(&w, "unknown");
	json_sum(&w, &t->unknown);
	jsonw_end_object(&w);
	jsonw_end_object(&w);
	jsonw_line(&w);
	e = b.failed ? -ENOMEM : fwrite(b.s, 1, b.n, t->p->out) == b.n ? 0 : -errno;
	strb_free(&b);
	return e;
}

int whyprint_table(const struct why_print *p, struct whytab *from, uint64_t ns, bool final)
{
	/* the last column of a terminal stays free */
	struct table out = { .out = p->out, .columns = p->columns - 1, .gap = 1 };
	struct tables t = { .p = p, .out = &out, .final = final };
	struct why_sum brief = whytab_short(from, !final);
	int e = tables_make(&t, from);

	if (e == 0 && p->json)
		e = put_json(&t, &brief, ns);
	else if (e == 0)
		put_text(&t, &brief, ns);
	tables_done(&t);
	if (e == 0 && (fflush(p->out) != 0 || ferror(p->out)))
		e = errno ? -errno : -EIO;
	return e;
}
