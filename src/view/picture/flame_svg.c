/* SPDX-License-Identifier: Apache-2.0 */
/* A flame graph as one SVG file: it stands alone, works without its script, and follows the reader's dark or light
 * colours. The script (flame_svg.js) takes names and places from the elements. */
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/form/amount.h"
#include "view/form/assets.h"
#include "view/picture/flame.h"
#include "view/form/xml.h"
#include "view/appearance.h"

enum {
	ROW = 17,	  /* px from frame to frame */
	TOP = 62,	  /* above the frames: title, notes */
	BOTTOM = 58,	  /* below: legend, what the pointer is at */
	LEGEND_LINE = 18, /* more for each further line of the legend */
	MARGIN = 10,
	CHAR_PX10 = 64,				/* a character of the labels, in tenths of a px */
	SHADES = APPEARANCE_FRAME_SHADES_COUNT, /* of a kind */
	STEPS = APPEARANCE_CHANGE_STEPS,	/* of growing and of shrinking */
};

struct drawing {
	const struct flame_opts *opts;
	const struct stacktree *t;
	const struct stackorder *o;
	struct flame_layout l;
	unsigned rows, below; /* of all frames; of those below the root frame (callers) */
	bool kinds[FRAME_NKINDS];
	struct strb b;
	FILE *out;
	int error;
};

/* Writes out what is in the buffer. */
static void flush(struct drawing *d)
{
	strb_flush(&d->b, d->out, &d->error);
}

/* -- style -- */

static void kind_style(struct strb *b, enum frame_kind k, int dark)
{
	const struct frame_kind_info *i = &frame_kinds[k];

	for (int v = 0; v < SHADES; v++) {
		int hue = i->hue + v % APPEARANCE_FRAME_SHADES_HUES * APPEARANCE_FRAME_SHADES_HUE_STEP +
			  APPEARANCE_FRAME_SHADES_HUE_FIRST;
		int light = i->lightness + v / APPEARANCE_FRAME_SHADES_HUES * APPEARANCE_FRAME_SHADES_LIGHTNESS_STEP +
			    APPEARANCE_FRAME_SHADES_LIGHTNESS_FIRST;

		strb_printf(b, ".k%d.v%d{fill:hsl(%d %d%% %d%%)}", k, v, (hue + 360) % 360,
			    dark ? i->saturation * APPEARANCE_FRAME_SHADES_DARK_SATURATION / 100 : i->saturation,
			    dark ? light + APPEARANCE_FRAME_SHADES_DARK_LIGHTNESS : light);
	}
}

/* Growing is red, shrinking blue: told apart by all. */
static void change_style(struct strb *b, int dark)
{
	for (int s = -STEPS; s <= STEPS; s++) {
		int size = s < 0 ? -s : s;

		strb_printf(b, ".c%d{fill:hsl(%d %d%% %d%%)}", s + STEPS,
			    s < 0 ? APPEARANCE_CHANGE_HUE_LESS : APPEARANCE_CHANGE_HUE_MORE,
			    size ? APPEARANCE_CHANGE_SATURATION_FIRST + APPEARANCE_CHANGE_SATURATION_STEP * size : 0,
			    dark ? APPEARANCE_CHANGE_LIGHTNESS_DARK - APPEARANCE_CHANGE_STEP_DARK * size
				 : APPEARANCE_CHANGE_LIGHTNESS_LIGHT - APPEARANCE_CHANGE_STEP_LIGHT * size);
	}
}

static void style(struct drawing *d)
{
	struct strb *b = &d->b;

	strb_adds(
		b,
		"<style>" APPEARANCE_SVG_LIGHT
		"text{fill:var(--t)}.m{fill:var(--m)}.t{font-size:16px;font-weight:600}.b{fill:var(--a);cursor:pointer}"
		"#f text{fill:" APPEARANCE_INK
		";pointer-events:none}#f g{cursor:pointer}#f g:hover rect,#f g.s rect{stroke:var(--t);"
		"stroke-width:1.2}#f g.o rect{opacity:.45}#f g.f rect{fill:var(--h)}#f g.f text{fill:#fff}");
	for (int dark = 0; dark < 2; dark++) {
		if (dark)
			strb_adds(b, "@media(prefers-color-scheme:dark){" APPEARANCE_SVG_DARK);
		if (d->opts->diff)
			change_style(b, dark);
		else
			for (unsigned k = 0; k < FRAME_NKINDS; k++)
				if (d->kinds[k])
					kind_style(b, (enum frame_kind)k, dark);
	}
	strb_adds(b, "}</style>\n");
}

/* -- frames -- */

/* The first characters of a name that fit into the width. */
static void label(struct strb *b, const char *name, size_t fit)
{
	size_t n = strlen(name), keep = n <= fit ? n : fit - 1;
	char buf[512];

	if (keep >= sizeof(buf))
		keep = sizeof(buf) - 1;
	while (keep < n && keep > 0 && ((unsigned char)name[keep] & 0xc0) == 0x80)
		keep--; /* not within a character */
	memcpy(buf, name, keep);
	buf[keep] = '\0';
	xml_add(b, buf);
	if (keep < n)
		strb_adds(b, "…");
}

static void amounts(struct drawing *d, const struct stacktree *t, const struct stackorder *o, uint32_t node)
{
	struct flame_share s = flame_share(t, o, d->opts, node);
	unsigned nw = stacktree_nweights(t);
	const uint64_t *v = &o->total[(size_t)node * nw];
	char amount[AMOUNT_MAX];

	amount_str(amount, v[0], d->opts->unit);
	if (d->opts->diff) {
		strb_printf(&d->b, "\n%s: %s, %.2f %%", d->opts->before, amount, 100 * s.before);
		amount_str(amount, v[nw > 1], d->opts->unit);
		strb_printf(&d->b, "\n%s: %s, %.2f %% (%+.2f)", d->opts->after, amount, 100 * s.after,
			    100 * (s.after - s.before));
		return;
	}
	strb_printf(&d->b, "\n%s, %.2f %%", amount, 100 * s.before);
	if (stacktree_self(t, node, 0) && stacktree_self(t, node, 0) != v[0]) {
		amount_str(amount, stacktree_self(t, node, 0), d->opts->unit);
		strb_printf(&d->b, " (itself %s)", amount);
	}
}

static int row_of(const struct drawing *d, int32_t depth)
{
	return d->opts->inverted ? depth + (int)d->below : (int)(d->rows - d->below) - 1 - depth;
}

static void frame(struct drawing *d, const struct stacktree *t, const struct stackorder *o, const struct flame_box *box)
{
	struct stack_frame f = stacktree_get_frame(t, stacktree_node_frame(t, box->node));
	double px = box->w * (FLAME_SVG_WIDTH - 2 * MARGIN);
	int y = row_of(d, box->depth) * ROW;
	size_t fit = px > 6 ? (size_t)((px - 6) * 10 / CHAR_PX10) : 0;
	struct strb *b = &d->b;
	char text[128] = "";

	strb_adds(b, f.kind == FRAME_UNKNOWN && f.module[0] ? "<g data-l=\"" : "<g><title>");
	if (f.kind == FRAME_UNKNOWN && f.module[0]) { /* its module, since there is no name */
		snprintf(text, sizeof(text), "%s %s", f.module, f.name);
		xml_add(b, text);
		strb_adds(b, "\"><title>");
	}
	xml_add(b, f.name);
	strb_printf(b, "\n%s", frame_kinds[f.kind].text);
	if (f.module[0]) {
		strb_adds(b, ", ");
		xml_add(b, f.module);
	}
	if (f.source.file[0]) {
		strb_addc(b, '\n');
		xml_add(b, f.source.file);
		if (f.source.def_line)
			strb_printf(b, ":%u", f.source.def_line);
	}
	amounts(d, t, o, box->node);
	strb_printf(b, "</title><rect x=\"%.4f%%\" y=\"%d\" width=\"%.4f%%\" height=\"%d\" class=\"", 100 * box->x, y,
		    100 * box->w, ROW - 1);
	if (d->opts->diff)
		strb_printf(b, "c%d", flame_change(t, o, d->opts, box->node) * STEPS / 100 + STEPS);
	else
		strb_printf(b, "k%d v%u", f.kind, flame_hue(f.name) % SHADES);
	strb_adds(b, "\"/>");
	if (fit >= 3) {
		strb_printf(b, "<text x=\"%.4f%%\" dx=\"3\" y=\"%d\">", 100 * box->x, y + 12);
		label(b, text[0] ? text : f.name, fit);
		strb_adds(b, "</text>");
	}
	strb_adds(b, "</g>\n");
	if (b->n > (1u << 16))
		flush(d);
}

/* The callers of a sandwich: their first frame is the one that the other side has, too. */
static int callers_boxes(struct drawing *d, const struct stacktree *callers, struct stackorder *o,
			 struct flame_layout *l)
{
	int e = stackorder_make(callers, o);

	if (e == 0)
		e = flame_layout(callers, o, d->opts, d->opts->min_width / FLAME_SVG_WIDTH, FLAME_SVG_MAX_FRAMES, l);
	for (size_t i = 0; e == 0 && i < l->n; i++) {
		l->v[i].depth = -l->v[i].depth;
		d->kinds[stacktree_get_frame(callers, stacktree_node_frame(callers, l->v[i].node)).kind] = true;
	}
	if (e == 0 && l->depth)
		d->below = l->depth - 1;
	return e;
}

/* -- what is around them -- */

static void notes(struct drawing *d)
{
	char amount[AMOUNT_MAX], drawn[AMOUNT_MAX], all[AMOUNT_MAX];
	const uint64_t *total = d->o->total;

	strb_printf(&d->b, "<text x=\"%d\" y=\"46\" class=\"m\">", MARGIN);
	amount_str(amount, total[0], d->opts->unit);
	xml_add(&d->b, amount);
	if (d->opts->diff) {
		amount_str(amount, total[stacktree_nweights(d->t) > 1], d->opts->unit);
		strb_adds(&d->b, " (");
		xml_add(&d->b, d->opts->before);
		strb_adds(&d->b, ") and ");
		xml_add(&d->b, amount);
		strb_adds(&d->b, " (");
		xml_add(&d->b, d->opts->after);
		strb_adds(&d->b, "), widths are shares");
	}
	if (d->opts->notes && d->opts->notes[0]) {
		strb_adds(&d->b, " · ");
		xml_add(&d->b, d->opts->notes);
	}
	if (d->l.left_out) {
		amount_number(drawn, d->l.n);
		amount_number(all, d->l.n + d->l.left_out);
		strb_printf(&d->b,
			    " · %s of %s frames drawn: those of less than %.2g %% are part of the frame they stand on",
			    drawn, all, 100 * d->l.min_w);
	}
	strb_adds(&d->b, "</text>\n");
}

/* One entry of the legend at (x, y), or at the beginning of the next line when there is no room for it. */
static void legend_entry(struct drawing *d, bool draw, int *x, int *y, const char *class, const char *text)
{
	const int w = 32 + (int)strlen(text) * 7;

	if (*x > MARGIN && *x + w > (int)FLAME_SVG_WIDTH) {
		*x = MARGIN;
		*y += LEGEND_LINE;
	}
	if (draw)
		strb_printf(&d->b,
			    "<rect x=\"%d\" y=\"%d\" width=\"11\" height=\"11\" class=\"%s\"/><text x=\"%d\" y=\"%d\" "
			    "class=\"m\">%s</text>",
			    *x, *y, class, *x + 16, *y + 10, text);
	*x += w;
}

/* The y of its last line. */
static int legend(struct drawing *d, int y, bool draw)
{
	static const struct {
		int step;
		const char *text;
	} changes[] = {
		{ 0, "vanished" },    { STEPS / 2, "less" }, { STEPS, "the same" }, { STEPS + STEPS / 2, "more" },
		{ 2 * STEPS, "new" },
	};
	int x = MARGIN;
	char class[16];

	for (unsigned i = 0; d->opts->diff && i < ARRAY_SIZE(changes); i++) {
		snprintf(class, sizeof(class), "c%d", changes[i].step);
		legend_entry(d, draw, &x, &y, class, changes[i].text);
	}
	for (unsigned k = 0; !d->opts->diff && k < FRAME_NKINDS; k++) {
		snprintf(class, sizeof(class), "k%u v1", k);
		if (d->kinds[k])
			legend_entry(d, draw, &x, &y, class, frame_kinds[k].text);
	}
	return y;
}

static void head(struct drawing *d)
{
	unsigned height = TOP + d->rows * ROW + BOTTOM + (unsigned)legend(d, 0, false);
	struct strb *b = &d->b;

	strb_printf(
		b,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" "
		"height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"",
		FLAME_SVG_WIDTH, height, FLAME_SVG_WIDTH, height);
	xml_add(b, d->opts->title);
	strb_adds(b, "\">\n");
	style(d);
	strb_printf(b, "<text x=\"%d\" y=\"26\" class=\"t\">", MARGIN);
	xml_add(b, d->opts->title);
	strb_adds(b, "</text>\n");
	notes(d);
	strb_printf(b, "<svg id=\"f\" x=\"%d\" y=\"%d\" width=\"%u\" height=\"%u\">\n", MARGIN, TOP,
		    FLAME_SVG_WIDTH - 2 * MARGIN, d->rows * ROW);
}

static void tail(struct drawing *d)
{
	int y = TOP + (int)(d->rows * ROW) + 14;

	strb_adds(&d->b, "</svg>\n");
	strb_adds(&d->b, "<g id=\"l\">");
	y = legend(d, y, true);
	strb_adds(&d->b, "</g>\n");
	strb_printf(&d->b, "<text id=\"d\" x=\"%d\" y=\"%d\"></text>\n<script><![CDATA[\n", MARGIN, y + 32);
	strb_add(&d->b, asset_flame_svg_js, asset_flame_svg_js_size);
	strb_adds(&d->b, "]]></script>\n</svg>\n");
	flush(d);
}

static void draw(struct drawing *d, const struct stacktree *callers, const struct stackorder *co,
		 const struct flame_layout *cl)
{
	for (size_t i = 0; i < d->l.n; i++) {
		d->rows = d->l.depth;
		d->kinds[stacktree_get_frame(d->t, stacktree_node_frame(d->t, d->l.v[i].node)).kind] = true;
	}
	d->rows = (d->l.depth ? d->l.depth : 1) + d->below;
	head(d);
	for (size_t i = 0; i < d->l.n; i++)
		frame(d, d->t, d->o, &d->l.v[i]);
	for (size_t i = 0; i < cl->n; i++)
		if (cl->v[i].depth)
			frame(d, callers, co, &cl->v[i]);
	tail(d);
}

int flame_svg(const struct stacktree *t, const struct stacktree *callers, const struct flame_opts *opts, FILE *out)
{
	struct drawing d = { .opts = opts, .t = t, .out = out };
	struct stackorder o = { 0 }, co = { 0 };
	struct flame_layout cl = { 0 };
	int e = stackorder_make(t, &o);

	d.o = &o;
	if (e == 0)
		e = flame_layout(t, &o, opts, opts->min_width / FLAME_SVG_WIDTH,
				 opts->max_frames ? opts->max_frames : FLAME_SVG_MAX_FRAMES, &d.l);
	if (e == 0 && callers)
		e = callers_boxes(&d, callers, &co, &cl);
	if (e == 0) {
		draw(&d, callers, &co, &cl);
		e = d.error;
	}
	strb_free(&d.b);
	flame_layout_done(&d.l);
	flame_layout_done(&cl);
	stackorder_done(&o);
	stackorder_done(&co);
	return e;
}
