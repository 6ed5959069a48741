/* SPDX-License-Identifier: Apache-2.0 */
/* A timeline as SVG: what each pixel shows most, joined. At most TL_SVG_MAX_RECTS rectangles and TL_SVG_MAX_ROWS rows;
 * a line tells how many are left out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "view/appearance.h"
#include "view/form/amount.h"
#include "view/picture/keycolour.h"
#include "view/picture/timeline.h"
#include "view/form/xml.h"

#define WIDTH 1200
#define LEFT 190
#define RIGHT 12
#define PLOT (WIDTH - LEFT - RIGHT)
#define ROW 16
#define BAR 12
#define TICKS 8
#define LABEL 28u
#define MAX_DEPTH 14u
#define LEGEND_COLUMN 238
#define LEGEND_COLUMNS 5

struct svg {
	const struct timeline *t;
	struct strb body, text; /* text: the axis, below the rows */
	unsigned rects, rows;
	bool used[TL_NKINDS];
	uint64_t skipped; /* rows */
};

static void put_text(struct svg *s, double x, double y, const char *class, const char *anchor, const char *words)
{
	strb_printf(&s->body, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\"%s%s%s>", class, x, y,
		    anchor ? " text-anchor=\"" : "", anchor ? anchor : "", anchor ? "\"" : "");
	xml_add(&s->body, words);
	strb_adds(&s->body, "</text>\n");
}

/* The interval of a shade (tl_pixels()) that fills most of a stretch, for its title. */
static const struct tl_item *fullest(const struct tl_row *r, uint64_t from, uint64_t to, int shade)
{
	const struct tl_item *best = NULL;
	size_t lo = 0, hi = r->items.n;
	uint64_t most = 0;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (r->items.v[mid].to <= from)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < r->items.n && r->items.v[lo].from < to; lo++) {
		const struct tl_item *x = &r->items.v[lo];
		uint64_t a = x->from > from ? x->from : from, b = x->to < to ? x->to : to;

		if (x->kind + TL_NKINDS * x->hue == shade && b - a > most) {
			most = b - a;
			best = x;
		}
	}
	return best;
}

static void put_rect(struct svg *s, const struct tl_row *r, unsigned x0, unsigned x1, int shade, double y)
{
	const struct timeline *t = s->t;
	uint64_t span = t->to - t->from, from = t->from + (uint64_t)((double)span * x0 / PLOT),
		 to = t->from + (uint64_t)((double)span * x1 / PLOT);
	const struct tl_item *x = fullest(r, from, to, shade);
	int kind = shade % TL_NKINDS, hue = shade / TL_NKINDS;
	char length[AMOUNT_MAX];

	s->used[kind] = true;
	s->rects++;
	strb_printf(&s->body, "<rect class=\"k%d%s\" x=\"%u\" y=\"%.1f\" width=\"%u\" height=\"%d\"", kind,
		    tl_kind_is_named((enum tl_kind)kind) ? " o" : "", LEFT + x0, y, x1 - x0, BAR);
	if (tl_kind_is_named((enum tl_kind)kind))
		strb_printf(&s->body, " style=\"fill:#%06x\"", keycolour((unsigned)hue));
	strb_adds(&s->body, "><title>");
	strb_adds(&s->body, tl_kind_info((enum tl_kind)kind)->legend);
	if (x) {
		amount_str(length, x->to - x->from, "ns");
		strb_printf(&s->body, ", %s%s", length, x->text ? ": " : "");
		xml_add(&s->body, t->texts.v[x->text].words);
	}
	strb_adds(&s->body, "</title></rect>\n");
}

static void put_row(struct svg *s, const struct tl_row *r, double y)
{
	int16_t px[PLOT];
	unsigned depth = r->depth > MAX_DEPTH ? MAX_DEPTH : r->depth;
	char label[40];

	snprintf(label, sizeof(label), "%.*s", (int)(LABEL - depth), r->label);
	if (strlen(r->label) > LABEL - depth) {
		for (size_t n = strlen(label); n && ((unsigned char)label[n - 1] & 0x80); n--)
			label[n - 1] = '\0'; /* no part of a character at the end */
		strcat(label, "…");
	}
	put_text(s, 10 + 7.0 * depth, y + 10, "l", NULL, label);
	tl_pixels(&r->items, s->t->from, s->t->to, PLOT, px);
	for (unsigned i = 0, k; i < PLOT; i = k) {
		for (k = i + 1; k < PLOT && px[k] == px[i]; k++)
			;
		if (px[i] >= 0)
			put_rect(s, r, i, k, px[i], y);
	}
}

/* Ticks at round times. */
static void axis(struct svg *s, struct strb *b, double top, double bottom)
{
	uint64_t span = s->t->to - s->t->from, step = 1;
	char text[AMOUNT_MAX];

	while (span / step > TICKS)
		step *= span / step > 5 * TICKS ? 10 : span / step > 2 * TICKS ? 5 : 2;
	for (uint64_t at = 0; at <= span; at += step) {
		double x = LEFT + (double)PLOT * (double)at / (double)span;

		amount_str(text, at, "ns");
		if (at == 0)
			strcpy(text, "0");
		strb_printf(
			b,
			"<path class=\"g\" d=\"M%.1f %.0fV%.0f\"/><text class=\"m\" x=\"%.1f\" y=\"%.0f\" text-anchor=\"%s\">%s</text>\n",
			x, top - 4, bottom, x, top - 8,
			at == 0		 ? "start"
			: x > WIDTH - 40 ? "end"
					 : "middle",
			text);
	}
}

static double legend(struct svg *s, double y)
{
	unsigned n = 0;

	for (unsigned k = 0; k < TL_NKINDS; k++) {
		double x = 10 + n % LEGEND_COLUMNS * LEGEND_COLUMN, top = y + n / LEGEND_COLUMNS * 18;

		if (!s->used[k])
			continue;
		if (tl_kind_is_named((enum tl_kind)k)) /* several colours: by names */
			for (unsigned i = 0; i < 3; i++)
				strb_printf(&s->body,
					    "<rect fill=\"#%06x\" x=\"%.0f\" y=\"%.0f\" width=\"4\" height=\"10\"/>",
					    keycolour(i), x + 4 * i, top - 9);
		else
			strb_printf(&s->body, "<rect class=\"k%u\" x=\"%.0f\" y=\"%.0f\" width=\"12\" height=\"10\"/>",
				    k, x, top - 9);
		put_text(s, x + 18, top, "m", NULL, tl_kind_info((enum tl_kind)k)->legend);
		n++;
	}
	return y + (n + LEGEND_COLUMNS - 1) / LEGEND_COLUMNS * 18;
}

static void style(FILE *out)
{
	fputs("<style>" APPEARANCE_SVG_LIGHT
	      "text{fill:var(--t)}.l{font-size:11px}.m{fill:var(--m)}.h{fill:var(--m);font-weight:600}"
	      ".t{font-size:16px;font-weight:600}.g{stroke:var(--l);fill:none}",
	      out);
	for (unsigned k = 0; k < TL_NKINDS; k++) {
		const struct tl_kind_info *i = tl_kind_info((enum tl_kind)k);

		fprintf(out, ".k%u{fill:hsl(%d %d%% %d%%)}", k, i->hue, i->saturation, i->lightness);
	}
	fputs(".o{stroke:var(--g);stroke-width:.5}@media(prefers-color-scheme:dark){" APPEARANCE_SVG_DARK, out);
	for (unsigned k = 0; k < TL_NKINDS; k++) {
		const struct tl_kind_info *i = tl_kind_info((enum tl_kind)k);

		fprintf(out, ".k%u{fill:hsl(%d %d%% %d%%)}", k, i->hue,
			i->saturation * APPEARANCE_WAIT_DARK_SATURATION / 100,
			i->saturation < APPEARANCE_WAIT_DARK_PALE_SATURATION &&
					i->lightness > APPEARANCE_WAIT_DARK_PALE_LIGHTNESS
				? APPEARANCE_WAIT_DARK_PALE
			: i->lightness > APPEARANCE_WAIT_DARK_BRIGHT ? i->lightness - APPEARANCE_WAIT_DARK_DARKER
								     : i->lightness);
	}
	fputs("}</style>\n", out);
}

static double put_rows(struct svg *s, double y)
{
	static const char *const heads[] = { "", "Spans", "Slow events", "Interrupts", "CPUs", "Threads", "Processes" };
	enum tl_group group = TL_NGROUPS;

	for (size_t i = 0; i < s->t->rows.n; i++) {
		const struct tl_row *r = &s->t->rows.v[i];

		if (r->group == TL_GROUP_CPUS && s->rects >= TL_SVG_MAX_RECTS / 2) { /* threads want room, too */
			s->skipped++;
			continue;
		}
		if (s->rows >= TL_SVG_MAX_ROWS || s->rects >= TL_SVG_MAX_RECTS) {
			s->skipped += s->t->rows.n - i;
			break;
		}
		if (r->group != group && heads[r->group][0]) {
			put_text(s, 10, y + 12, "h", NULL, heads[r->group]);
			y += ROW + 2;
		}
		group = r->group;
		put_row(s, r, y);
		y += ROW;
		s->rows++;
	}
	return y;
}

int timeline_svg(const struct timeline *t, const char *title, FILE *out)
{
	struct svg s = { .t = t };
	struct strb head = { 0 };
	char n[AMOUNT_MAX], length[AMOUNT_MAX], date[40];
	time_t begin = (time_t)((t->from + t->wall) / NSEC_PER_SEC);
	double y = 84, bottom;
	struct tm tm;
	int e;

	bottom = put_rows(&s, y);
	y = legend(&s, bottom + 24);
	axis(&s, &s.text, 84, bottom);
	xml_add(&head, title);
	amount_number(n, t->nitems);
	amount_str(length, t->to - t->from, "ns");
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&begin, &tm));
	e = head.failed || s.body.failed || s.text.failed ? -ENOMEM : 0;
	if (e == 0) {
		fprintf(out,
			"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" "
			"role=\"img\" aria-label=\"%s\">\n",
			WIDTH, y + 8, WIDTH, y + 8, strb_str(&head));
		style(out);
		fprintf(out,
			"<text x=\"10\" y=\"26\" class=\"t\">%s</text>\n<text x=\"10\" y=\"46\" class=\"m\">%s intervals in %s from %s",
			strb_str(&head), n, length, date);
		if (t->lead) {
			amount_str(length, t->lead, "ns");
			fprintf(out, " (%s after the recording began)", length);
		}
		if (t->lost)
			fprintf(out, " · %llu events lost", (unsigned long long)t->lost);
		if (s.skipped || t->left_out_rows)
			fprintf(out,
				" · %llu rows left out (limits of SVG: %u rows, %u rectangles): see the page (-o FILE.html)",
				(unsigned long long)(s.skipped + t->left_out_rows), TL_SVG_MAX_ROWS, TL_SVG_MAX_RECTS);
		if (t->left_out)
			fprintf(out, " · %llu intervals left out (limit %u)", (unsigned long long)t->left_out,
				TL_MAX_ITEMS);
		fputs("</text>\n", out);
		fwrite(strb_str(&s.text), 1, s.text.n, out);
		fwrite(strb_str(&s.body), 1, s.body.n, out);
		fputs("</svg>\n", out);
	}
	strb_free(&s.body);
	strb_free(&s.text);
	strb_free(&head);
	return e < 0 ? e : ferror(out) ? (errno ? -errno : -EIO) : 0;
}
