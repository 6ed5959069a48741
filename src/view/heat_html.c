/* SPDX-License-Identifier: Apache-2.0 */
/* A heat map as one HTML file. Beside the head (JSON) the cells: for each key their number, then for each the distance from
 * the one before (column by column, rows from below) and the count, LEB128; read by web/src/heatmodel.ts. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonstr.h"
#include "view/assets.h"
#include "view/heat.h"
#include "view/leb128.h"
#include "view/page.h"

static void put_string(struct strb *b, const char *name, const char *s)
{
	strb_printf(b, ",\"%s\":", name);
	jsonstr_add(b, s, strlen(s));
}

static void put_line(struct strb *b, const struct heat *h, const char *name, size_t member)
{
	strb_printf(b, ",\"%s\":[", name);
	for (unsigned c = 0; c < h->ncolumns; c++) {
		double v = *(const double *)(const void *)((const char *)&h->columns[c] + member);

		if (isnan(v))
			strb_printf(b, "%snull", c ? "," : "");
		else
			strb_printf(b, "%s%.6g", c ? "," : "", v);
	}
	strb_addc(b, ']');
}

static void put_head(struct strb *b, const struct heat *h, const char *title)
{
	strb_printf(b, "{\"columns\":%u,\"rows\":%u,\"begin\":%.3f,\"step\":%.6f,\"total\":%.0f", h->ncolumns, h->nrows,
		    (double)h->begin_wall_ns / 1e6, (double)h->column_ns / 1e6, h->total);
	put_string(b, "title", title);
	put_string(b, "unit", h->unit);
	put_string(b, "counted", h->counted);
	strb_adds(b, ",\"edges\":[");
	for (unsigned i = 0; i <= h->nrows; i++)
		strb_printf(b, "%s%.17g", i ? "," : "", h->edges[i]);
	strb_adds(b, "],\"keys\":[");
	for (size_t i = 0; i < h->nkeys; i++) {
		if (i)
			strb_addc(b, ',');
		jsonstr_add(b, h->keys[i].text, strlen(h->keys[i].text));
	}
	strb_addc(b, ']');
	put_line(b, h, "avg", offsetof(struct heat_column, avg));
	put_line(b, h, "p50", offsetof(struct heat_column, p50));
	put_line(b, h, "p90", offsetof(struct heat_column, p90));
	put_line(b, h, "p99", offsetof(struct heat_column, p99));
	strb_printf(b, ",\"late\":%s", h->by_read ? "true" : "false");
	strb_adds(b, ",\"lost\":[");
	for (unsigned c = 0; c < h->ncolumns; c++)
		strb_printf(b, "%s%llu", c ? "," : "", (unsigned long long)h->columns[c].lost);
	strb_adds(b, "],\"notes\":[");
	for (unsigned c = 0, n = 0; c < h->ncolumns; c++)
		if (h->columns[c].note) {
			strb_printf(b, "%s[%u,", n++ ? "," : "", c);
			jsonstr_add(b, h->columns[c].note, strlen(h->columns[c].note));
			strb_printf(b, ",%u]", h->columns[c].noted);
		}
	strb_adds(b, "],\"chosen\":[");
	for (size_t i = 0, n = 0; i < h->nkeys; i++)
		if (h->keys[i].chosen)
			strb_printf(b, "%s%zu", n++ ? "," : "", i);
	strb_adds(b, "]}");
}

/* What is more than nothing is at least one. Source: views.md 2.3. */
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
			      asset_heatpage_js_size, &head, &part, 1) :
		   page_json(out, &head, &part, 1);
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
