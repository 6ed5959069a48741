/* SPDX-License-Identifier: Apache-2.0 */
#include "view/form/table.h"
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/units.h"

static void put_json(struct jsonw *j, const struct cell *c)
{
	switch (c->kind) {
	case CELL_TEXT:
	case CELL_NAME:
	case CELL_CUT:
		if (c->v.s)
			jsonw_str(j, c->name, c->v.s);
		else
			jsonw_null(j, c->name);
		break;
	case CELL_UINT:
	case CELL_NO_NS:
	case CELL_NS: jsonw_u64(j, c->name, c->v.u); break;
	case CELL_INT: jsonw_i64(j, c->name, c->v.i); break;
	case CELL_NUMBER:
	case CELL_SHARE: jsonw_fixed(j, c->name, c->v.d, c->digits); break;
	case CELL_LIST: jsonw_raw(j, c->name, c->v.s, strlen(c->v.s)); break;
	}
}

static void json_line(struct strb *line, const char *type, const struct cell *cells, size_t n)
{
	struct jsonw j = jsonw_to(line);

	jsonw_object(&j, NULL);
	jsonw_str(&j, "type", type);
	for (size_t i = 0; i < n; i++)
		if (cells[i].name)
			put_json(&j, &cells[i]);
	jsonw_end_object(&j);
	jsonw_line(&j);
}

/* Names of processes and the like may hold anything. */
static void put_words(struct strb *b, const char *s)
{
	for (const char *p = s ? s : "-"; *p; p++)
		strb_addc(b, (unsigned char)*p < ' ' || *p == 0x7f ? '?' : *p);
}

static void put_text(struct strb *b, const struct cell *c)
{
	char buf[UNITS_LEN];

	switch (c->kind) {
	case CELL_TEXT:
	case CELL_CUT: put_words(b, c->v.s); break;
	case CELL_NAME: put_words(b, c->v.s && *c->v.s ? c->v.s : NULL); break;
	case CELL_NO_NS: strb_addc(b, '-'); break;
	case CELL_NS: strb_adds(b, units_ns(c->v.u, buf)); break;
	case CELL_NUMBER:
	case CELL_SHARE:
		if (isfinite(c->v.d))
			strb_printf(b, "%.*f%s", c->digits, c->v.d, c->kind == CELL_SHARE ? "%" : "");
		else
			strb_addc(b, '-');
		break;
	case CELL_UINT: strb_printf(b, "%" PRIu64, c->v.u); break;
	case CELL_INT: strb_printf(b, "%" PRId64, c->v.i); break;
	case CELL_LIST: break; /* for programs only */
	}
}

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80; /* UTF-8 */
}

static void pad(struct strb *line, const char *text, int width, bool last)
{
	int left = abs(width), n = 0;

	for (const char *p = text; *p; p++)
		n += begins_character(*p);
	if (width > 0 && n < left)
		strb_fill(line, ' ', (size_t)(left - n));
	strb_adds(line, text);
	if (width < 0 && n < left && !last)
		strb_fill(line, ' ', (size_t)(left - n));
}

/* Keeps the first `width` characters. */
static void cut(struct strb *b, int width)
{
	int n = 0;

	for (size_t i = 0; i < b->n; i++) {
		n += begins_character(b->s[i]);
		if (n > width) {
			b->n = i;
			b->s[i] = '\0';
		}
	}
}

static void fit(struct strb *line, int columns)
{
	size_t n = 0;

	for (size_t i = 0; columns && i < line->n; i++)
		n += begins_character(line->s[i]);
	if (n <= (size_t)columns)
		return;
	cut(line, columns - (int)strlen("..."));
	strb_adds(line, "...");
}

static bool shown(const struct cell *c)
{
	return c->name && c->kind != CELL_LIST;
}

static int gap_of(const struct table *t)
{
	return t->gap ? t->gap : 2;
}

static int width_of(const struct table *t, const struct cell *cells, size_t n, const struct cell *c)
{
	int left = t->columns + gap_of(t);

	if (c->width != TABLE_REST)
		return c->width;
	for (size_t i = 0; i < n; i++)
		if (shown(&cells[i]))
			left -= gap_of(t) + (&cells[i] == c ? 0 : abs(cells[i].width));
	return left > 0 ? -left : 0;
}

enum part { HEADING, RULE, VALUES };

static void put_part(struct strb *b, enum part part, const struct cell *c, int width)
{
	switch (part) {
	case HEADING: strb_adds(b, c->name); break;
	case RULE: strb_fill(b, '-', (size_t)abs(width)); break;
	case VALUES: put_text(b, c); break;
	}
}

static void text_line(struct strb *line, const struct table *t, const struct cell *cells, size_t n, enum part part)
{
	struct strb one = { 0 };
	bool more = false;

	while (n && !shown(&cells[n - 1]))
		n--;
	for (size_t i = 0; i < n; i++) {
		int width = width_of(t, cells, n, &cells[i]);

		if (!shown(&cells[i]))
			continue;
		strb_reset(&one);
		put_part(&one, part, &cells[i], width);
		if (part == VALUES && cells[i].kind == CELL_CUT)
			cut(&one, abs(width));
		strb_fill(line, ' ', more ? (size_t)gap_of(t) : 0);
		pad(line, strb_str(&one), width, i + 1 == n);
		more = true;
	}
	while (line->n && line->s[line->n - 1] == ' ')
		line->n--;
	fit(line, t->fit);
	strb_addc(line, '\n');
	strb_free(&one);
}

static void put_line(struct table *t, struct strb *line)
{
	errno = 0;
	if (!t->error && fputs(strb_str(line), t->out) < 0)
		t->error = errno ? -errno : -EIO;
	strb_free(line);
}

void table_heading(struct table *t, const struct cell *cells, size_t n)
{
	struct strb line = { 0 };

	if (!t->json && !t->begun)
		text_line(&line, t, cells, n, HEADING);
	t->begun = true;
	put_line(t, &line);
}

void table_rule(struct table *t, const struct cell *cells, size_t n)
{
	struct strb line = { 0 };

	if (!t->json)
		text_line(&line, t, cells, n, RULE);
	put_line(t, &line);
}

void table_line(struct table *t, const struct cell *cells, size_t n)
{
	struct strb line = { 0 };

	table_heading(t, cells, n);
	if (t->json)
		json_line(&line, t->type, cells, n);
	else
		text_line(&line, t, cells, n, VALUES);
	put_line(t, &line);
}

static struct cell cell_of(const struct column *c, bool json)
{
	struct cell ret = c->cell;

	if (json) {
		ret.name = c->member;
		ret.digits = c->digits;
	}
	return ret;
}

void table_columns(struct table *t, const struct column *columns, size_t n)
{
	struct cell v[TABLE_COLUMNS];

	assert(n <= ARRAY_SIZE(v));
	for (size_t i = 0; i < n; i++)
		v[i] = cell_of(&columns[i], t->json);
	table_line(t, v, n);
}

void table_members(struct jsonw *j, const struct column *columns, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct cell c = cell_of(&columns[i], true);

		if (c.name)
			put_json(j, &c);
	}
}
