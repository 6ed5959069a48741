/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline as one HTML file, or as what the page of it draws. Beside the head (JSON) two parts, numbers in LEB128 (read by web/src/timelinemodel.ts):
 *   texts: number, then 0, words and stack of each (length and bytes);
 *   intervals: for each row its number of intervals, then for each of these: ns since the end of the one before (the first: since the
 *   begin), length, kind * 8 + flags, cpu, text, by. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonstr.h"
#include "view/assets.h"
#include "view/leb128.h"
#include "view/page.h"
#include "view/timeline.h"

static void put_text(struct strb *b, const char *s)
{
	leb128_add(b, strlen(s));
	strb_adds(b, s);
}

static void put_head(struct strb *b, const struct timeline *t, const char *title)
{
	static const char *const groups[] = { "losses", "spans", "requests", "irqs", "cpus", "threads", "processes" };

	strb_printf(b, "{\"begin\":%.6f,\"origin\":%llu,\"length\":%llu,\"items\":%llu,\"leftOut\":%llu,\"leftOutRows\":%llu,\"lost\":%llu,\"lead\":%llu,\"states\":%s,\"processes\":%s,\"title\":",
		    (double)(t->from + t->wall) / 1e6, (unsigned long long)t->from, (unsigned long long)(t->to - t->from), (unsigned long long)t->nitems, (unsigned long long)t->left_out,
		    (unsigned long long)t->left_out_rows, (unsigned long long)t->lost, (unsigned long long)t->lead, t->states ? "true" : "false", t->processes ? "true" : "false");
	jsonstr_add(b, title, strlen(title));
	strb_adds(b, ",\"kinds\":[");
	for (unsigned k = 0; k < TL_NKINDS; k++) {
		const struct tl_kind_info *i = tl_kind_info((enum tl_kind)k);

		strb_printf(b, "%s{\"name\":\"%s\",\"text\":\"%s\",\"hue\":%d,\"saturation\":%d,\"lightness\":%d,\"weight\":%u}", k ? "," : "", i->name, i->legend, i->hue,
			    i->saturation, i->lightness, tl_kind_weight((enum tl_kind)k));
	}
	strb_adds(b, "],\"rows\":[");
	for (size_t i = 0; i < t->rows.n; i++) {
		const struct tl_row *r = &t->rows.v[i];

		strb_printf(b, "%s{\"group\":\"%s\",\"pid\":%u,\"tid\":%u,\"depth\":%u,\"label\":", i ? "," : "", groups[r->group], r->pid, r->tid, r->depth);
		jsonstr_add(b, r->label, strlen(r->label));
		strb_addc(b, '}');
	}
	strb_adds(b, "]}");
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
	e = page ? page_write(out, title, asset_timelinepage_css, asset_timelinepage_css_size, asset_timelinepage_js, asset_timelinepage_js_size, &head,
			      parts, ARRAY_SIZE(parts)) :
		   page_json(out, &head, parts, ARRAY_SIZE(parts));
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
