/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/ask/page.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "fleet/ask/host.h"
#include "fleet/wire/bus.h"

/* -- reading -- */

static int wrong(struct err *err, const char *key, const char *value)
{
	return err_set(err, -EINVAL, "%s: '%s' is not what it takes", key, value);
}

static int take(struct askpage *p, const char *key, char *value, struct err *err)
{
	struct ask_what *w = &p->show.what;
	uint64_t n = 0;
	bool number = num_parse_u64(value, &n) == 0;

	if (!strcmp(key, "tracker")) {
		w->series = value;
	} else if (!strcmp(key, "hosts") || !strcmp(key, "except")) {
		if ((*key == 'h' ? askshow_hosts(&p->show, value) : askshow_except(&p->show, value)) < 0)
			return err_set(err, -EINVAL, "%s: %u names and labels at most", key, ASK_SELECTORS_MAX);
	} else if (!strcmp(key, "from") && number) {
		w->range.from = n;
	} else if (!strcmp(key, "to") && number) {
		w->range.to = n;
	} else if (!strcmp(key, "step") && number && n) {
		p->step = n;
	} else if (!strcmp(key, "quantile") && number && n > 0 && n < 10000) {
		p->quantile = (double)n / 10000;
	} else {
		return wrong(err, key, value);
	}
	return 0;
}

int askpage_read(struct askpage *p, char *text, struct err *err)
{
	const struct ask_what *w = &p->show.what;
	char *save = NULL;
	int e = 0;

	p->question = strtok_r(text, "\n", &save);
	p->quantile = 0.99;
	for (char *line = strtok_r(NULL, "\n", &save); e == 0 && line; line = strtok_r(NULL, "\n", &save)) {
		char *eq = strchr(line, '=');

		if (!eq || !eq[1])
			return wrong(err, "the question", line);
		*eq = '\0';
		e = take(p, line, eq + 1, err);
	}
	if (e == 0 && (w->range.to <= w->range.from || w->range.to - w->range.from > ASKPAGE_RANGE_MAX ||
		       w->range.to > UINT32_MAX))
		e = err_set(err, -EINVAL, "from, to: seconds since 1970, from before to");
	if (e == 0 && p->step) {
		uint64_t slot = tables_hist[ask_slot(w->range)].period;

		p->step = ROUND_UP(p->step, slot);
		if ((w->range.to - w->range.from) / p->step > ASK_COLUMNS_MAX)
			e = err_set(err, -EINVAL, "step: more than %u columns", ASK_COLUMNS_MAX);
	}
	return e;
}

/* -- writing -- */

struct writing {
	struct askpage *p;
	struct strb b;
	struct jsonw w;
	char host[ASK_WHO_MAX + 1];
	uint64_t column, next; /* of the row: filled up to next */
	bool open, heat;       /* a line is begun; the lines are of columns */
	struct strb counts;
	int error;
};

static uint64_t columns(const struct askpage *p)
{
	const struct ask_range *r = &p->show.what.range;

	return (r->to - r->from + p->step - 1) / p->step;
}

static int put_line(struct writing *x)
{
	jsonw_end_object(&x->w);
	jsonw_line(&x->w);
	return strb_flush(&x->b, x->p->show.out, &x->error);
}

static void begin_line(struct writing *x, const char *type)
{
	x->w = jsonw_to(&x->b);
	jsonw_object(&x->w, NULL);
	jsonw_str(&x->w, "type", type);
}

/* Writes the line of one host: the bucket of each column's percentile, -1 where there is nothing. */
static void fill_row(struct writing *x, uint64_t to)
{
	for (; x->next < to; x->next++)
		jsonw_i64(&x->w, NULL, -1);
}

static int end_row(struct writing *x)
{
	if (!x->open)
		return 0;
	x->open = false;
	fill_row(x, columns(x->p));
	jsonw_end_array(&x->w);
	return put_line(x);
}

static int on_grid(void *ctx, const struct ask_cell *c)
{
	struct writing *x = ctx;
	int e = 0;

	if (c->column >= columns(x->p))
		return 0;
	if (!x->open || strcmp(x->host, c->host) != 0) {
		e = end_row(x);
		snprintf(x->host, sizeof(x->host), "%s", c->host);
		x->next = 0;
		x->open = true;
		begin_line(x, "row");
		jsonw_str(&x->w, "host", c->host);
		jsonw_array(&x->w, "p");
	}
	fill_row(x, c->column);
	jsonw_u64(&x->w, NULL, c->bucket);
	x->next = c->column + 1;
	return e;
}

/* Writes the line of one column, of all hosts. */
static int end_column(struct writing *x)
{
	if (!x->open)
		return 0;
	x->open = false;
	jsonw_end_array(&x->w);
	strb_addc(&x->counts, ']');
	jsonw_raw(&x->w, "counts", strb_str(&x->counts), x->counts.n);
	return put_line(x);
}

static int on_heat(void *ctx, const struct ask_cell *c)
{
	struct writing *x = ctx;
	int e = x->heat ? 0 : end_row(x);

	x->heat = true;
	if (!x->open || x->column != c->column) {
		e = e ? e : end_column(x);
		x->column = c->column;
		x->open = true;
		strb_reset(&x->counts);
		begin_line(x, "cells");
		jsonw_u64(&x->w, "column", c->column);
		jsonw_array(&x->w, "buckets");
	}
	jsonw_u64(&x->w, NULL, c->bucket);
	strb_printf(&x->counts, "%c%" PRIu64, x->counts.n ? ',' : '[', c->count);
	return e;
}

static int grid(struct askpage *p, struct click *c, struct err *err)
{
	struct writing x = { .p = p };
	int e;

	if (!p->step || !p->show.what.series)
		return err_set(err, -EINVAL, "grid: tracker and step are missing");
	begin_line(&x, "grid");
	jsonw_u64(&x.w, "from", p->show.what.range.from);
	jsonw_u64(&x.w, "step", p->step);
	jsonw_u64(&x.w, "columns", columns(p));
	e = put_line(&x);
	if (e == 0)
		e = ask_grid(c, &p->show.what, p->step, p->quantile, on_grid, on_heat, &x, err);
	e = e ? e : x.heat ? end_column(&x) : end_row(&x);
	strb_free(&x.b);
	strb_free(&x.counts);
	return e;
}

static int on_event(void *ctx, const struct ask_event *v)
{
	struct writing *x = ctx;

	begin_line(x, "slow");
	jsonw_str(&x->w, "host", v->host);
	jsonw_str(&x->w, "tracker", v->tracker);
	jsonw_u64(&x->w, "ended", v->ended);
	jsonw_u64(&x->w, "delay", v->delay);
	jsonw_str(&x->w, "comm", v->comm);
	jsonw_u64(&x->w, "pid", v->pid);
	jsonw_u64(&x->w, "tid", v->tid);
	jsonw_str(&x->w, "key", v->key);
	jsonw_str(&x->w, "cause", v->cause);
	jsonw_str(&x->w, "stack", v->stack);
	return put_line(x);
}

static int slow(struct askpage *p, struct click *c, struct err *err)
{
	struct writing x = { .p = p };
	int e = ask_events(c, &p->show.what, ASKPAGE_EVENTS, on_event, &x, err);

	strb_free(&x.b);
	return e;
}

static int on_stack(void *ctx, const char *stack, uint64_t ns)
{
	struct writing *x = ctx;

	begin_line(x, "stack");
	jsonw_str(&x->w, "stack", stack);
	jsonw_u64(&x->w, "ns", ns);
	return put_line(x);
}

static int stacks(struct askpage *p, struct click *c, struct err *err)
{
	struct writing x = { .p = p };
	int e = ask_stacks(c, &p->show.what, on_stack, &x, err);

	strb_free(&x.b);
	return e;
}

static int outliers(struct askpage *p, struct click *c, struct err *err)
{
	return askshow_answer(&askshow_questions[ASKSHOW_OUTLIERS], c, &p->show, err);
}

static int hosts(struct askpage *p, struct click *c, struct err *err)
{
	return askshow_answer(&askshow_questions[ASKSHOW_HOSTS], c, &p->show, err);
}

static int trackers(struct askpage *p, struct click *c, struct err *err)
{
	return askshow_answer(&askshow_questions[ASKSHOW_LATENCY], c, &p->show, err);
}

static int causes(struct askpage *p, struct click *c, struct err *err)
{
	return askshow_answer(&askshow_questions[ASKSHOW_WHY], c, &p->show, err);
}

static const struct {
	const char *name;
	int (*answer)(struct askpage *p, struct click *c, struct err *err);
} questions[] = {
	{ "hosts", hosts }, { "trackers", trackers }, { "grid", grid },	    { "outliers", outliers },
	{ "slow", slow },   { "stacks", stacks },     { "causes", causes },
};

int askpage_answer(struct askpage *p, struct click *c, struct err *err)
{
	p->show.json = true;
	p->show.table = (struct table){ .out = p->show.out, .json = true };
	for (size_t i = 0; p->question && i < ARRAY_SIZE(questions); i++)
		if (!strcmp(questions[i].name, p->question))
			return questions[i].answer(p, c, err);
	return err_set(err, -EINVAL, "there is no such question");
}
