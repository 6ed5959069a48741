/* SPDX-License-Identifier: Apache-2.0 */
/* A heat map as one HTML file. Beside the head (JSON) the cells: for each key their number, then for each the distance
 * from the one before (column by column, rows from below) and the count, LEB128; read by web/src/heatmodel.ts. */
#include <errno.h>
#include <math.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "view/form/assets.h"
#include "view/picture/heat.h"
#include "view/form/leb128.h"
#include "view/form/page.h"

static void put_line(struct jsonw *w, const struct heat *h, const char *name, size_t member)
{
	jsonw_array(w, name);
	for (unsigned c = 0; c < h->ncolumns; c++)
		jsonw_double(w, NULL, *(const double *)(const void *)((const char *)&h->columns[c] + member), 6);
	jsonw_end_array(w);
}

static void put_keys(struct jsonw *w, const struct heat *h)
{
	jsonw_array(w, "keys");
	for (size_t i = 0; i < h->nkeys; i++)
		jsonw_str(w, NULL, h->keys[i].text);
	jsonw_end_array(w);
	jsonw_array(w, "chosen");
	for (size_t i = 0; i < h->nkeys; i++)
		if (h->keys[i].chosen)
			jsonw_u64(w, NULL, i);
	jsonw_end_array(w);
}

/* For each column what was lost in it, and notes: column, text, number. */
static void put_losses(struct jsonw *w, const struct heat *h)
{
	jsonw_array(w, "lost");
	for (unsigned c = 0; c < h->ncolumns; c++)
		jsonw_u64(w, NULL, h->columns[c].lost);
	jsonw_end_array(w);
	jsonw_array(w, "notes");
	for (unsigned c = 0; c < h->ncolumns; c++) {
		if (!h->columns[c].note)
			continue;
		jsonw_array(w, NULL);
		jsonw_u64(w, NULL, c);
		jsonw_str(w, NULL, h->columns[c].note);
		jsonw_u64(w, NULL, h->columns[c].noted);
		jsonw_end_array(w);
	}
	jsonw_end_array(w);
}

static void put_head(struct strb *b, const struct heat *h, const char *title)
{
	struct jsonw w = jsonw_to(b);

	jsonw_object(&w, NULL);
	jsonw_u64(&w, "columns", h->ncolumns);
	jsonw_u64(&w, "rows", h->nrows);
	jsonw_double(&w, "begin", (double)h->begin_wall_ns / 1e6, 16);
	jsonw_double(&w, "step", (double)h->column_ns / 1e6, 16);
	jsonw_double(&w, "total", h->total, 17);
	jsonw_str(&w, "title", title);
	jsonw_str(&w, "unit", h->unit);
	jsonw_str(&w, "counted", h->counted);
	jsonw_array(&w, "edges");
	for (unsigned i = 0; i <= h->nrows; i++)
		jsonw_double(&w, NULL, h->edges[i], 17);
	jsonw_end_array(&w);
	put_line(&w, h, "avg", offsetof(struct heat_column, avg));
	put_line(&w, h, "p50", offsetof(struct heat_column, p50));
	put_line(&w, h, "p90", offsetof(struct heat_column, p90));
	put_line(&w, h, "p99", offsetof(struct heat_column, p99));
	jsonw_bool(&w, "late", h->by_read);
	put_keys(&w, h);
	put_losses(&w, h);
	jsonw_end_object(&w);
}

/* A cell with any weight is at least one. */
static void put_cells(struct strb *b, const struct heat *h, const struct heat_key *k)
{
	size_t n = (size_t)h->ncolumns * h->nrows, used = 0, before = 0;

	for (size_t i = 0; i < n; i++)
		used += k->cells[i] > 0;
	leb128_add(b, used);
	for (size_t i = 0; i < n; i++) {
		if (!(k->cells[i] > 0))
			continue;
		leb128_add(b, i - before);
		leb128_add(b, k->cells[i] < 1 ? 1 : (uint64_t)llroundf(k->cells[i]));
		before = i;
	}
}

static int put_all(const struct heat *h, const char *title, FILE *out, bool page)
{
	struct strb cells = { 0 }, head = { 0 };
	struct page_part part = { "cells", &cells };
	int e;

	for (size_t i = 0; i < h->nkeys; i++)
		put_cells(&cells, h, &h->keys[i]);
	put_head(&head, h, title);
	e = page ? page_write(out, title, asset_heatpage_css, asset_heatpage_css_size, asset_heatpage_js,
			      asset_heatpage_js_size, &head, &part, 1)
		 : page_json(out, &head, &part, 1);
	strb_free(&cells);
	strb_free(&head);
	return e;
}

int heat_html(const struct heat *h, const char *title, FILE *out)
{
	return put_all(h, title, out, true);
}

int heat_json(const struct heat *h, const char *title, FILE *out)
{
	return put_all(h, title, out, false);
}
