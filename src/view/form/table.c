/* SPDX-License-Identifier: Apache-2.0 */
#include "view/form/table.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/jsonw.h"
#include "base/units.h"

static void put_json(struct jsonw *j, const struct cell *c)
{
	switch (c->kind) {
	case CELL_TEXT:
		if (c->v.s)
			jsonw_str(j, c->name, c->v.s);
		else
			jsonw_null(j, c->name);
		break;
	case CELL_UINT:
	case CELL_NS: jsonw_u64(j, c->name, c->v.u); break;
	case CELL_INT: jsonw_i64(j, c->name, c->v.i); break;
	case CELL_NUMBER: jsonw_fixed(j, c->name, c->v.d, c->digits); break;
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

static void put_text(struct strb *b, const struct cell *c)
{
	char buf[UNITS_LEN];

	switch (c->kind) {
	case CELL_TEXT:
		/* names of processes and the like may hold anything */
		for (const char *p = c->v.s ? c->v.s : "-"; *p; p++)
			strb_addc(b, (unsigned char)*p < ' ' || *p == 0x7f ? '?' : *p);
		break;
	case CELL_NS: strb_adds(b, units_ns(c->v.u, buf)); break;
	case CELL_NUMBER:
		if (isfinite(c->v.d))
			strb_printf(b, "%.*f", c->digits, c->v.d);
		else
			strb_addc(b, '-');
		break;
	case CELL_UINT: strb_printf(b, "%" PRIu64, c->v.u); break;
	case CELL_INT: strb_printf(b, "%" PRId64, c->v.i); break;
	case CELL_LIST: break; /* for programs only */
	}
}

static void pad(struct strb *line, const char *text, int width, bool last)
{
	int left = width < 0 ? -width : width, n = 0;

	for (const char *p = text; *p; p++)
		n += (*p & 0xc0) != 0x80; /* characters of UTF-8 */
	if (width > 0 && n < left)
		strb_fill(line, ' ', (size_t)(left - n));
	strb_adds(line, text);
	if (width < 0 && n < left && !last)
		strb_fill(line, ' ', (size_t)(left - n));
}

static void text_line(struct strb *line, const struct cell *cells, size_t n, bool heading)
{
	struct strb one = { 0 };
	bool more = false;

	while (n && (!cells[n - 1].name || cells[n - 1].kind == CELL_LIST))
		n--;
	for (size_t i = 0; i < n; i++) {
		if (!cells[i].name || cells[i].kind == CELL_LIST)
			continue;
		strb_reset(&one);
		if (heading)
			strb_adds(&one, cells[i].name);
		else
			put_text(&one, &cells[i]);
		strb_adds(line, more ? "  " : "");
		pad(line, strb_str(&one), cells[i].width, i + 1 == n);
		more = true;
	}
	while (line->n && line->s[line->n - 1] == ' ')
		line->n--;
	strb_addc(line, '\n');
	strb_free(&one);
}

void table_line(struct table *t, const struct cell *cells, size_t n)
{
	struct strb line = { 0 };

	if (t->json) {
		json_line(&line, t->type, cells, n);
	} else {
		if (!t->begun)
			text_line(&line, cells, n, true);
		text_line(&line, cells, n, false);
	}
	t->begun = true;
	errno = 0;
	if (!t->error && fputs(strb_str(&line), t->out) < 0)
		t->error = errno ? -errno : -EIO;
	strb_free(&line);
}
