/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of SQL as a table, CSV or JSON Lines. The first rows of a table are kept until the columns have their widths. */
#include "view/summary/sqlout.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/plain.h"
#include "base/utf8.h"
#include "base/vec.h"

#define GAP 2u /* blanks between columns */

struct column {
	char *name;
	size_t width;
	bool number; /* to the right */
};

struct sqlout {
	FILE *out;
	enum sqlout_form form;
	unsigned columns;
	struct column *cols;
	size_t ncols;
	VEC(char *) kept;     /* cells, row by row; NULL: none */
	bool laid_out, other; /* other: a statement before this one had rows */
	struct strb line;
	int error;
};

/* -- values -- */

static void put_hex(struct strb *b, const struct recsql_value *v)
{
	for (size_t i = 0; i < v->n; i++)
		strb_printf(b, "%02x", (unsigned char)v->p[i]);
}

/* A value for people or for CSV: exact unless `people`. */
static void put_value(struct strb *b, const struct recsql_value *v, bool people)
{
	switch (v->kind) {
	case RECSQL_NULL: break;
	case RECSQL_INT: strb_printf(b, "%lld", (long long)v->i); break;
	case RECSQL_REAL: strb_printf(b, people ? "%.3f" : "%.15g", v->d); break;
	case RECSQL_TEXT: strb_add(b, v->p, v->n); break;
	case RECSQL_BLOB: put_hex(b, v); break;
	}
}

static int flush(struct sqlout *o)
{
	return strb_flush(&o->line, o->out, &o->error);
}

/* -- tables -- */

/* Characters of a text, and where `most` of them end. */
static size_t characters(const char *s, size_t most, size_t *ret_bytes)
{
	size_t n = strlen(s), at = 0, count = 0;

	while (at < n && count < most) {
		size_t len = utf8_len((const uint8_t *)s + at, n - at);

		at += len ? len : 1;
		count++;
	}
	*ret_bytes = at;
	return count;
}

static void put_cell(struct sqlout *o, size_t i, const char *text)
{
	const struct column *c = &o->cols[i];
	size_t bytes, n = characters(text, c->width, &bytes);
	bool cut = o->columns && text[bytes], last = i + 1 == o->ncols;

	if (cut)
		n = characters(text, c->width - 1, &bytes) + 1;
	else
		bytes = strlen(text);
	if (i)
		strb_fill(&o->line, ' ', GAP);
	if (c->number && n < c->width)
		strb_fill(&o->line, ' ', c->width - n);
	strb_add(&o->line, text, bytes);
	if (cut)
		strb_adds(&o->line, "…");
	if (!c->number && !last && n < c->width)
		strb_fill(&o->line, ' ', c->width - n);
}

/* Takes from the widest until all fit, or are as narrow as they may be. */
static void fit(struct sqlout *o)
{
	size_t sum = 0, widest;

	for (size_t i = 0; i < o->ncols; i++)
		sum += o->cols[i].width + (i ? GAP : 0);
	while (o->columns && sum > o->columns) {
		widest = 0;
		for (size_t i = 1; i < o->ncols; i++)
			if (o->cols[i].width > o->cols[widest].width)
				widest = i;
		if (o->cols[widest].width <= SQLOUT_MIN_WIDTH)
			return;
		o->cols[widest].width--;
		sum--;
	}
}

static int put_kept(struct sqlout *o)
{
	for (size_t i = 0; i < o->kept.n; i++) {
		put_cell(o, i % o->ncols, o->kept.v[i] ? o->kept.v[i] : "");
		if (i % o->ncols + 1 == o->ncols) {
			strb_addc(&o->line, '\n');
			flush(o);
		}
		free(o->kept.v[i]);
	}
	o->kept.n = 0;
	return o->error;
}

static int lay_out(struct sqlout *o)
{
	size_t bytes;

	for (size_t i = 0; i < o->kept.n; i++) {
		struct column *c = &o->cols[i % o->ncols];
		size_t n = o->kept.v[i] ? characters(o->kept.v[i], SIZE_MAX, &bytes) : 0;

		c->width = n > c->width ? n : c->width;
	}
	fit(o);
	o->laid_out = true;
	if (o->other)
		strb_addc(&o->line, '\n');
	for (size_t i = 0; i < o->ncols; i++)
		put_cell(o, i, o->cols[i].name);
	strb_addc(&o->line, '\n');
	flush(o);
	return put_kept(o);
}

/* For a terminal: what it would obey takes the room of its escape. */
static char *take_plain(const struct sqlout *o, struct strb *b)
{
	struct strb plain = { 0 };

	if (!o->columns)
		return strb_take(b);
	plain_part(&plain, strb_str(b), b->n, false, true);
	strb_free(b);
	return strb_take(&plain);
}

static int table_row(struct sqlout *o, const struct recsql_value *v, size_t n)
{
	int e = 0;

	for (size_t i = 0; i < n; i++) {
		struct strb b = { 0 };
		char *text;

		put_value(&b, &v[i], true);
		for (size_t k = 0; k < b.n; k++)
			b.s[k] = b.s[k] == '\n' || b.s[k] == '\t' || !b.s[k] ? ' ' : b.s[k];
		text = take_plain(o, &b);
		if (!o->laid_out)
			o->cols[i].number &= v[i].kind == RECSQL_INT || v[i].kind == RECSQL_REAL ||
					     v[i].kind == RECSQL_NULL;
		if (vec_try_push(&o->kept, text) < 0) {
			free(text);
			return -ENOMEM;
		}
	}
	if (o->laid_out)
		e = put_kept(o);
	else if (o->kept.n >= (size_t)SQLOUT_WIDTH_ROWS * n)
		e = lay_out(o);
	return e;
}

/* -- CSV, JSON -- */

static void put_csv(struct sqlout *o, size_t i, const char *s, size_t n)
{
	if (i)
		strb_addc(&o->line, ',');
	if (!n || (!memchr(s, ',', n) && !memchr(s, '"', n) && !memchr(s, '\n', n) && !memchr(s, '\r', n))) {
		strb_add(&o->line, s, n);
		return;
	}
	strb_addc(&o->line, '"');
	for (size_t k = 0; k < n; k++) {
		if (s[k] == '"')
			strb_addc(&o->line, '"');
		strb_addc(&o->line, s[k]);
	}
	strb_addc(&o->line, '"');
}

static int csv_row(struct sqlout *o, const struct recsql_value *v, size_t n)
{
	_cleanup_(strb_free) struct strb b = { 0 };

	for (size_t i = 0; i < n; i++) {
		strb_reset(&b);
		put_value(&b, &v[i], false);
		put_csv(o, i, strb_str(&b), b.n);
	}
	strb_adds(&o->line, "\r\n");
	return flush(o);
}

static int json_row(struct sqlout *o, const struct recsql_value *v, size_t n)
{
	struct jsonw w = jsonw_to(&o->line);

	jsonw_object(&w, NULL);
	for (size_t i = 0; i < n; i++) {
		const char *name = o->cols[i].name;
		_cleanup_(strb_free) struct strb hex = { 0 };

		switch (v[i].kind) {
		case RECSQL_NULL: jsonw_null(&w, name); break;
		case RECSQL_INT: jsonw_i64(&w, name, v[i].i); break;
		case RECSQL_REAL: jsonw_double(&w, name, v[i].d, 15); break;
		case RECSQL_TEXT: jsonw_strn(&w, name, v[i].p, v[i].n); break;
		case RECSQL_BLOB:
			put_hex(&hex, &v[i]);
			jsonw_str(&w, name, strb_str(&hex));
			break;
		}
	}
	jsonw_end_object(&w);
	jsonw_line(&w);
	return flush(o);
}

/* -- the sink -- */

static void forget(struct sqlout *o)
{
	for (size_t i = 0; i < o->ncols; i++)
		free(o->cols[i].name);
	free(o->cols);
	for (size_t i = 0; i < o->kept.n; i++)
		free(o->kept.v[i]);
	o->kept.n = 0;
	o->cols = NULL;
	o->ncols = 0;
}

/* A name that no column before has: "pid", "pid_2". */
static char *name_of(const struct sqlout *o, const char *name)
{
	struct strb b = { 0 };
	unsigned same = 1;

	strb_adds(&b, name);
	for (size_t i = 0; i < o->ncols; i++)
		if (!strcmp(o->cols[i].name, strb_str(&b))) {
			strb_reset(&b);
			strb_printf(&b, "%s_%u", name, ++same);
			i = SIZE_MAX; /* again from the first */
		}
	return strb_take(&b);
}

static int on_head(void *ctx, const char *const *names, size_t n)
{
	struct sqlout *o = ctx;
	size_t bytes;

	forget(o);
	o->laid_out = false;
	o->cols = calloc(n + 1, sizeof(*o->cols));
	if (!o->cols)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		char *name = name_of(o, names[i]);

		if (!name)
			return -ENOMEM;
		o->cols[o->ncols++] = (struct column){ name, characters(name, SIZE_MAX, &bytes), true };
		if (o->form == SQLOUT_CSV)
			put_csv(o, i, name, strlen(name));
	}
	if (o->form == SQLOUT_CSV)
		strb_adds(&o->line, "\r\n");
	return flush(o);
}

static int on_row(void *ctx, const struct recsql_value *v, size_t n)
{
	struct sqlout *o = ctx;

	return o->form == SQLOUT_TABLE ? table_row(o, v, n)
	       : o->form == SQLOUT_CSV ? csv_row(o, v, n)
				       : json_row(o, v, n);
}

static int on_end(void *ctx)
{
	struct sqlout *o = ctx;
	int e = o->form == SQLOUT_TABLE && !o->laid_out && o->ncols ? lay_out(o) : 0;

	o->other = true;
	if (e == 0 && fflush(o->out) != 0) /* the next statement may take long */
		e = -errno;
	return e;
}

struct sqlout *sqlout_new(FILE *out, enum sqlout_form form, unsigned columns)
{
	struct sqlout *o = calloc(1, sizeof(*o));

	if (o) {
		o->out = out;
		o->form = form;
		o->columns = columns;
	}
	return o;
}

void sqlout_free(struct sqlout *o)
{
	if (!o)
		return;
	forget(o);
	vec_free(&o->kept);
	strb_free(&o->line);
	free(o);
}

struct recsql_sink sqlout_sink(struct sqlout *o)
{
	return (struct recsql_sink){ o, on_head, on_row, on_end };
}
