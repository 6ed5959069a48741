/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline as one HTML file, or as what the page of it draws. Beside the head (JSON) two parts, numbers in LEB128
 * (read by web/src/timelinemodel.ts):
 *   - texts: number, then 0, words and stack of each (length and bytes)
 *   - intervals: for each row its number of intervals, then for each of these: ns since the end of the one before (the
 *     first: since the begin), length, kind * 8 + flags, cpu, text, by */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "view/form/assets.h"
#include "view/form/leb128.h"
#include "view/form/page.h"
#include "view/picture/timeline.h"

static void put_text(struct strb *b, const char *s)
{
	leb128_add(b, strlen(s));
	strb_adds(b, s);
}

static void put_kind(struct jsonw *w, enum tl_kind k)
{
	const struct tl_kind_info *i = tl_kind_info(k);

	jsonw_object(w, NULL);
	jsonw_str(w, "name", i->name);
	jsonw_str(w, "text", i->legend);
	jsonw_i64(w, "hue", i->hue);
	jsonw_i64(w, "saturation", i->saturation);
	jsonw_i64(w, "lightness", i->lightness);
	jsonw_u64(w, "weight", tl_kind_weight(k));
	jsonw_end_object(w);
}

static void put_head(struct strb *b, const struct timeline *t, const char *title)
{
	static const char *const groups[] = { "losses", "spans", "requests", "irqs", "cpus", "threads", "processes" };

	struct jsonw w = jsonw_to(b);

	jsonw_object(&w, NULL);
	jsonw_double(&w, "begin", (double)(t->from + t->wall) / 1e6, 17);
	jsonw_u64(&w, "origin", t->from);
	jsonw_u64(&w, "length", t->to - t->from);
	jsonw_u64(&w, "items", t->nitems);
	jsonw_u64(&w, "leftOut", t->left_out);
	jsonw_u64(&w, "leftOutRows", t->left_out_rows);
	jsonw_u64(&w, "lost", t->lost);
	jsonw_u64(&w, "lead", t->lead);
	jsonw_bool(&w, "states", t->states);
	jsonw_bool(&w, "processes", t->processes);
	jsonw_str(&w, "title", title);
	jsonw_array(&w, "kinds");
	for (unsigned k = 0; k < TL_NKINDS; k++)
		put_kind(&w, (enum tl_kind)k);
	jsonw_end_array(&w);
	jsonw_array(&w, "rows");
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct tl_row *r = &t->rows.v[i];

		jsonw_object(&w, NULL);
		jsonw_str(&w, "group", groups[r->group]);
		jsonw_u64(&w, "pid", r->pid);
		jsonw_u64(&w, "tid", r->tid);
		jsonw_u64(&w, "depth", r->depth);
		jsonw_str(&w, "label", r->label);
		jsonw_end_object(&w);
	}
	jsonw_end_array(&w);
	jsonw_end_object(&w);
}

static void put_row(struct strb *b, const struct timeline *t, const struct tl_row *r)
{
	uint64_t at = t->from;

	leb128_add(b, r->items.n);
	for (size_t i = 0; i < r->items.n; i++) {
		const struct tl_item *x = &r->items.v[i];
		uint64_t from = x->from < at ? at : x->from;

		leb128_add(b, from - at);
		leb128_add(b, x->to > from ? x->to - from : 0);
		leb128_add(b, (unsigned)x->kind * 8 + (x->flags & 7));
		leb128_add(b, x->cpu);
		leb128_add(b, x->text);
		leb128_add(b, x->by);
		at = x->to > from ? x->to : from;
	}
}

static int put_all(const struct timeline *t, const char *title, FILE *out, bool page)
{
	struct strb head = { 0 }, texts = { 0 }, rows = { 0 };
	struct page_part parts[] = { { "texts", &texts }, { "intervals", &rows } };
	int e;

	leb128_add(&texts, t->texts.n);
	for (size_t i = 0; i < t->texts.n; i++) {
		leb128_add(&texts, 0);
		put_text(&texts, t->texts.v[i].words);
		put_text(&texts, t->texts.v[i].stack);
	}
	for (size_t i = 0; i < t->rows.n; i++)
		put_row(&rows, t, &t->rows.v[i]);
	put_head(&head, t, title);
	e = page ? page_write(out, title, asset_timelinepage_css, asset_timelinepage_css_size, asset_timelinepage_js,
			      asset_timelinepage_js_size, &head, parts, ARRAY_SIZE(parts))
		 : page_json(out, &head, parts, ARRAY_SIZE(parts));
	strb_free(&head);
	strb_free(&texts);
	strb_free(&rows);
	return e;
}

int timeline_html(const struct timeline *t, const char *title, FILE *out)
{
	return put_all(t, title, out, true);
}

int timeline_json(const struct timeline *t, const char *title, FILE *out)
{
	return put_all(t, title, out, false);
}
