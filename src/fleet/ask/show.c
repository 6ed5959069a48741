/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/ask/show.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "fleet/ask/diff.h"
#include "fleet/ask/change.h"
#include "fleet/ask/outlier.h"

void askshow_init(struct askshow *a)
{
	*a = (struct askshow){ .store.database = TABLES_DATABASE,
			       .what.tenant = "default",
			       .from_ns = ASKSHOW_FROM_NS,
			       .top = ASKSHOW_LINES,
			       .by = 1 << ASK_HOST | 1 << ASK_TRACKER | 1 << ASK_KEY,
			       .out = stdout };
}

static int split(const char **v, size_t *n, char *list)
{
	char *save = NULL;

	for (char *s = strtok_r(list, ",", &save); s; s = strtok_r(NULL, ",", &save)) {
		if (*n == ASK_SELECTORS_MAX)
			return -E2BIG;
		v[(*n)++] = s;
	}
	return 0;
}

int askshow_hosts(struct askshow *a, char *list)
{
	return split(a->what.selectors, &a->what.nselectors, list);
}

int askshow_except(struct askshow *a, char *list)
{
	return split(a->what.except, &a->what.nexcept, list);
}

int askshow_open(struct askshow *a, uint64_t now, struct click **ret, struct err *err)
{
	int e;

	if (a->to_ns >= a->from_ns)
		return -EINVAL;
	a->what.range = (struct ask_range){ (now - a->from_ns) / NSEC_PER_SEC, (now - a->to_ns) / NSEC_PER_SEC + 1 };
	a->table = (struct table){ .out = a->out, .json = a->json };
	e = click_open(&a->store, ret, err);
	return e < 0 ? e : tables_check(*ret, err);
}

/* -- rows -- */

int askshow_host(void *ctx, const struct ask_host *h)
{
	struct askshow *a = ctx;
	char labels[200];
	const struct cell cells[] = { { "host", CELL_TEXT, -24, 0, { .s = h->host } },
				      { "site", CELL_TEXT, -12, 0, { .s = h->site } },
				      { "silent_s", CELL_UINT, 8, 0, { .u = h->silent } },
				      { "clock_ms", CELL_NUMBER, 9, 1, { .d = (double)h->clock / 1e6 } },
				      { "gap_s", CELL_UINT, 8, 0, { .u = h->gaps } },
				      { "dwell", CELL_TEXT, -8, 0, { .s = h->dwell } },
				      { "kernel", CELL_TEXT, -20, 0, { .s = h->kernel } },
				      { "labels", CELL_TEXT, -1, 0, { .s = labels } } };

	snprintf(labels, sizeof(labels), "%s", h->labels);
	for (char *s = labels; *s; s++)
		*s = *s == '\n' ? ',' : *s;
	table_line(&a->table, cells, ARRAY_SIZE(cells));
	return a->table.error;
}

static struct cell quantile(const char *name, const struct histsum *h, double q)
{
	double v = histsum_quantile(h, &ask_histdesc, q);

	return (struct cell){ name, CELL_NS, 10, 0, { .u = isnan(v) || v < 0 ? 0 : (uint64_t)v } };
}

int askshow_sum(void *ctx, const struct ask_sum *s)
{
	struct askshow *a = ctx;
	const struct cell cells[] = { { "tracker", CELL_TEXT, -16, 0, { .s = s->series } },
				      { a->by_host ? "host" : NULL, CELL_TEXT, -24, 0, { .s = s->host } },
				      { a->by_host ? NULL : "hosts", CELL_UINT, 6, 0, { .u = s->hosts } },
				      { "count", CELL_UINT, 12, 0, { .u = s->h.count } },
				      quantile("p50", &s->h, 0.5),
				      quantile("p90", &s->h, 0.9),
				      quantile("p99", &s->h, 0.99),
				      quantile("p99.9", &s->h, 0.999),
				      { "max", CELL_NS, 10, 0, { .u = s->h.max } } };

	table_line(&a->table, cells, ARRAY_SIZE(cells));
	return a->table.error;
}

int askshow_cause(void *ctx, const struct ask_cause *s)
{
	struct askshow *a = ctx;
	const struct cell cells[] = { { "total", CELL_NS, 10, 0, { .u = s->total } },
				      { "max", CELL_NS, 10, 0, { .u = s->max } },
				      { "events", CELL_UINT, 10, 0, { .u = s->events } },
				      { "hosts", CELL_UINT, 6, 0, { .u = s->hosts } },
				      { "tracker", CELL_TEXT, -12, 0, { .s = s->tracker } },
				      { "cause", CELL_TEXT, -1, 0, { .s = *s->cause ? s->cause : "-" } } };

	table_line(&a->table, cells, ARRAY_SIZE(cells));
	return a->table.error;
}

static struct cell by_cell(const struct ask_share *s, enum ask_by by, const char *name, int width)
{
	const char *text = s->by[by];

	return (struct cell){ text ? name : NULL, CELL_TEXT, width, 0, { .s = text && !*text ? "-" : text } };
}

int askshow_share(void *ctx, const struct ask_share *s)
{
	struct askshow *a = ctx;
	const struct cell cells[] = { { "total", CELL_NS, 10, 0, { .u = s->total } },
				      { "max", CELL_NS, 10, 0, { .u = s->max } },
				      { "events", CELL_UINT, 10, 0, { .u = s->events } },
				      by_cell(s, ASK_HOST, "host", -20),
				      by_cell(s, ASK_TRACKER, "tracker", -12),
				      by_cell(s, ASK_KEY, "key", -16),
				      by_cell(s, ASK_COMM, "comm", -16),
				      { "cause", CELL_TEXT, -1, 0, { .s = *s->cause ? s->cause : "-" } } };

	table_line(&a->table, cells, ARRAY_SIZE(cells));
	return a->table.error;
}

int askshow_outlier(void *ctx, const struct outlier *o)
{
	struct askshow *a = ctx;
	const struct cell cells[] = { { "host", CELL_TEXT, -24, 0, { .s = o->host } },
				      { "tracker", CELL_TEXT, -12, 0, { .s = o->series } },
				      { "quantile", CELL_NUMBER, 8, 2, { .d = o->quantile } },
				      { "value", CELL_NS, 10, 0, { .u = (uint64_t)o->value } },
				      { "peers", CELL_NS, 10, 0, { .u = (uint64_t)o->peers } },
				      { "ratio", CELL_NUMBER, 8, 1, { .d = o->ratio } },
				      { a->json ? "since" : NULL, CELL_UINT, 10, 0, { .u = o->since } },
				      { a->json ? "key" : NULL, CELL_TEXT, 0, 0, { .s = o->blame.key } },
				      { a->json ? "cause" : NULL, CELL_TEXT, 0, 0, { .s = o->blame.cause } },
				      { a->json ? "changed" : NULL, CELL_TEXT, 0, 0, { .s = o->changed } },
				      { "sentence", CELL_TEXT, -1, 0, { .s = o->sentence } } };

	if (!a->json) {
		a->table.begun = true;
		fprintf(a->out, "%s\n", o->sentence);
		return ferror(a->out) ? -EIO : 0;
	}
	table_line(&a->table, cells, ARRAY_SIZE(cells));
	return a->table.error;
}

int askshow_change(void *ctx, const struct change *ch)
{
	struct askshow *a = ctx;
	const struct cell cells[] = { { "host", CELL_TEXT, 0, 0, { .s = ch->host } },
				      { "tracker", CELL_TEXT, 0, 0, { .s = ch->series } },
				      { "at", CELL_UINT, 0, 0, { .u = ch->at } },
				      { "quantile", CELL_NUMBER, 0, 2, { .d = ch->quantile } },
				      { "before", CELL_NS, 0, 0, { .u = (uint64_t)ch->before } },
				      { "after", CELL_NS, 0, 0, { .u = (uint64_t)ch->after } },
				      { "key", CELL_TEXT, 0, 0, { .s = ch->blame.key } },
				      { "cause", CELL_TEXT, 0, 0, { .s = ch->blame.cause } },
				      { "together", CELL_UINT, 0, 0, { .u = ch->together } },
				      { "others", CELL_TEXT, 0, 0, { .s = ch->others } },
				      { "changed", CELL_TEXT, 0, 0, { .s = ch->changed } },
				      { "sentence", CELL_TEXT, 0, 0, { .s = ch->sentence } } };

	if (a->json) {
		table_line(&a->table, cells, ARRAY_SIZE(cells));
		return a->table.error;
	}
	a->table.begun = true;
	fprintf(a->out, "%s\n", ch->sentence);
	return ferror(a->out) ? -EIO : 0;
}

int askshow_stack(void *ctx, const char *stack, uint64_t ns)
{
	struct askshow *a = ctx;

	a->table.begun = true;
	fprintf(a->out, "%s %" PRIu64 "\n", stack, ns / 1000);
	return ferror(a->out) ? -EIO : 0;
}

/* People see one line: the reason, or the program. */
int askshow_program(void *ctx, const struct ask_program *p)
{
	struct askshow *a = ctx;
	bool end = !strcmp(p->event, "end");
	const char *text = *p->reason ? p->reason : p->program;
	char line[160];

	snprintf(line, sizeof(line), "%s", text);
	for (char *s = line; *s; s++)
		*s = (unsigned char)*s < ' ' ? ' ' : *s;

	const struct cell cells[] = {
		{ "time", CELL_TEXT, -19, 0, { .s = p->time } },
		{ "host", CELL_TEXT, -20, 0, { .s = p->host } },
		{ "user", CELL_TEXT, -10, 0, { .s = *p->user || a->json ? p->user : "-" } },
		{ "event", CELL_TEXT, -7, 0, { .s = p->event } },
		{ "seconds", CELL_UINT, 7, 0, { .u = p->seconds } },
		{ "status", CELL_NUMBER, 6, 0, { .d = p->status ? (double)p->status - 1 : (double)NAN } },
		{ "rows", CELL_UINT, 8, 0, { .u = p->rows } },
		{ "cpu", CELL_NS, 9, 0, { .u = p->cpu } },
		{ a->json ? "write" : NULL, CELL_LIST, 0, 0, { .s = p->write ? "true" : "false" } },
		{ a->json ? "id" : NULL, CELL_TEXT, 0, 0, { .s = p->id } },
		{ a->json ? "reason" : NULL, CELL_TEXT, 0, 0, { .s = p->reason } },
		{ a->json ? "program" : "why", CELL_TEXT, -1, 0, { .s = a->json ? end ? NULL : p->program : line } }
	};

	table_line(&a->table, cells, ARRAY_SIZE(cells));
	return a->table.error;
}

/* -- questions -- */

static int hosts(struct click *c, struct askshow *a, struct err *err)
{
	return ask_hosts(c, &a->what, askshow_host, a, err);
}

static int latency(struct click *c, struct askshow *a, struct err *err)
{
	return ask_sums(c, &a->what, a->by_host, askshow_sum, a, err);
}

static int why(struct click *c, struct askshow *a, struct err *err)
{
	return ask_causes(c, &a->what, a->top, askshow_cause, a, err);
}

static int flame(struct click *c, struct askshow *a, struct err *err)
{
	return ask_stacks(c, &a->what, askshow_stack, a, err);
}

static int outliers(struct click *c, struct askshow *a, struct err *err)
{
	return outlier_find(c, &a->what, askshow_outlier, a, err);
}

static int top(struct click *c, struct askshow *a, struct err *err)
{
	return ask_shares(c, &a->what, a->by, a->top, askshow_share, a, err);
}

static int programs(struct click *c, struct askshow *a, struct err *err)
{
	return ask_programs(c, &a->what, askshow_program, a, err);
}

static int changes(struct click *c, struct askshow *a, struct err *err)
{
	return change_find(c, &a->what, askshow_change, a, err);
}

const struct askshow_question askshow_questions[] = {
	[ASKSHOW_HOSTS] = { "hosts", "host", hosts, NULL },
	[ASKSHOW_LATENCY] = { "latency", "latency", latency, NULL },
	[ASKSHOW_WHY] = { "why", "cause", why, NULL },
	[ASKSHOW_FLAME] = { "flame", NULL, flame, NULL },
	[ASKSHOW_OUTLIERS] = { "outliers", "outlier", outliers, "no host is slower than its peers for sure" },
	[ASKSHOW_TOP] = { "top", "top", top, NULL },
	[ASKSHOW_DIFF] = { "diff", "diff", askdiff_show, NULL },
	[ASKSHOW_PROGRAMS] = { "programs", "program", programs, NULL },
	[ASKSHOW_CHANGES] = { "changes", "change", changes, "no host became slower for sure" }
};

int askshow_answer(const struct askshow_question *q, struct click *c, struct askshow *a, struct err *err)
{
	int e;

	a->table.type = q->type;
	e = q->ask(c, a, err);
	return e < 0 ? e : a->table.error;
}
