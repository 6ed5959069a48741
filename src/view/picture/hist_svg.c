/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions as SVG: shares by value, what share is not larger, percentiles. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/strb.h"
#include "view/appearance.h"
#include "view/form/amount.h"
#include "view/picture/hist.h"
#include "view/form/xml.h"

#define WIDTH 1000
#define LEFT 70
#define RIGHT 14
#define TOP 66
#define HEIGHT 220
#define GAP 46
#define LINE 20
#define TEXT 80
#define STEPS 5 /* of an axis of shares, at most */

static double y_of(double share, double most, int top)
{
	return top + HEIGHT * (1 - share / most);
}

static double x_of(const struct hist *h, double row)
{
	return LEFT + (WIDTH - LEFT - RIGHT) * row / h->nrows;
}

/* Lines of a panel at round shares, its values on the left, those of the rows below. */
static void frame(const struct hist *h, double most, int top, const char *what, FILE *out)
{
	unsigned step = (h->nrows + 9) / 10;
	double last = -100, every = heat_tick(most / STEPS, "");
	int digits = (int)fmax(0, -floor(log10(100 * every) + 1e-9));
	char text[TEXT];

	for (int i = 0; every * i <= most * (1 + 1e-9); i++) {
		double share = every * i;

		fprintf(out,
			"<path class=\"g\" d=\"M%d %.1fH%d\"/><text class=\"m\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.*f %%</text>\n",
			LEFT, y_of(share, most, top), WIDTH - RIGHT, LEFT - 8, y_of(share, most, top) + 4, digits,
			100 * share);
	}
	for (unsigned r = 0; r <= h->nrows; r++) {
		double x = x_of(h, r), bits = log2(h->edges[r]);

		if ((h->linear ? r % step != 0 : h->nrows > 24 && bits != floor(bits)) || x - last < 62)
			continue;
		last = x;
		hist_value_text(h, h->edges[r], text, sizeof(text));
		fprintf(out,
			"<path class=\"g\" d=\"M%.1f %dV%d\"/><text class=\"m\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n",
			x, top, top + HEIGHT + 4, x, top + HEIGHT + 18, x > WIDTH - RIGHT - 16 ? "end" : "middle",
			text);
	}
	fprintf(out, "<text class=\"m\" x=\"%d\" y=\"%d\">%s</text>\n", LEFT, top - 8, what);
}

static void shares(const struct hist *h, size_t i, double most, FILE *out)
{
	const struct hist_series *s = &h->series.v[i];

	fprintf(out, "<path fill=\"#%06x\" fill-opacity=\".14\" stroke=\"#%06x\" stroke-width=\"1.5\" d=\"M%.1f %d",
		h->series.v[i].colour, h->series.v[i].colour, x_of(h, 0), TOP + HEIGHT);
	for (unsigned r = 0; r < h->nrows; r++)
		fprintf(out, "V%.1fH%.1f", y_of((double)s->share[r], most, TOP), x_of(h, r + 1));
	fprintf(out, "V%dZ\"/>\n", TOP + HEIGHT);
}

static void sums(const struct hist *h, size_t i, int top, FILE *out)
{
	double sum = 0;

	fprintf(out, "<path fill=\"none\" stroke=\"#%06x\" stroke-width=\"1.8\" d=\"M%.1f %d", h->series.v[i].colour,
		x_of(h, 0), top + HEIGHT);
	for (unsigned r = 0; r < h->nrows; r++) {
		sum += (double)h->series.v[i].share[r];
		fprintf(out, "L%.1f %.1f", x_of(h, r + 1), y_of(fmin(sum, 1), 1, top));
	}
	fputs("\"/>\n", out);
}

static void cell(FILE *out, int x, int y, const char *class, const char *text, bool right)
{
	struct strb b = { 0 };

	xml_add(&b, text);
	fprintf(out, "<text class=\"%s\" x=\"%d\" y=\"%d\"%s>%s</text>", class, x, y,
		right ? " text-anchor=\"end\"" : "", strb_str(&b));
	strb_free(&b);
}

static void table(const struct hist *h, int y, FILE *out)
{
	char text[2 * TEXT], value[TEXT];

	cell(out, 400, y, "m", "values", true);
	for (unsigned q = 0; q < HIST_NQUANTILES; q++)
		cell(out, 510 + 110 * (int)q, y, "m", hist_quantile_name(q), true);
	fputc('\n', out);
	for (size_t i = 0; i < h->series.n; i++) {
		const struct hist_series *s = &h->series.v[i];

		y += LINE;
		fprintf(out, "<rect x=\"10\" y=\"%d\" width=\"12\" height=\"10\" fill=\"#%06x\"/>", y - 9,
			h->series.v[i].colour);
		snprintf(text, sizeof(text), "%.46s", s->name[0] ? s->name : h->title);
		cell(out, 28, y, "v", text, false);
		amount_number(text, s->sum.count);
		cell(out, 400, y, "v", text, true);
		for (unsigned q = 0; q < HIST_NQUANTILES; q++) {
			double e = hist_error(&s->q[q]);

			hist_value_text(h, s->q[q].value, value, sizeof(value));
			if (isinf(e))
				snprintf(text, sizeof(text), "> %s", value);
			else if (e > 0)
				snprintf(text, sizeof(text), "%s ± %.1f %%", value, 100 * e);
			else
				snprintf(text, sizeof(text), "%s", value);
			cell(out, 510 + 110 * (int)q, y, "v", text, true);
		}
		fputc('\n', out);
	}
}

static void differences(const struct hist *h, int y, FILE *out)
{
	for (size_t i = 1; i < h->series.n; i++) {
		struct hist_diff d = hist_compare(&h->series.v[0], &h->series.v[i]);
		char at[TEXT], text[512];

		hist_value_text(h, d.at, at, sizeof(at));
		snprintf(text, sizeof(text),
			 "%.60s against %.60s: 50 %% × %.2f, 99 %% × %.2f; %.1f %% %s values below %s%s",
			 h->series.v[i].name, h->series.v[0].name, d.ratio[0], d.ratio[2], 100 * fabs(d.most),
			 d.most < 0 ? "fewer" : "more", at, d.chance ? ", no more than chance gives" : "");
		cell(out, 10, y, "m", text, false);
		fputc('\n', out);
		y += LINE;
	}
}

int hist_svg(const struct hist *h, const char *title, FILE *out)
{
	int second = TOP + HEIGHT + GAP, below = second + HEIGHT + GAP, rows = (int)h->series.n,
	    height = below + LINE * (2 * rows + 1) + 10;
	struct strb text = { 0 };
	double most = 0, step;
	char what[TEXT];

	for (size_t i = 0; i < h->series.n; i++)
		for (unsigned r = 0; r < h->nrows; r++)
			most = fmax(most, (double)h->series.v[i].share[r]);
	step = heat_tick(most / STEPS, "");
	most = most > 0 ? step * ceil(most / step - 1e-9) : 1;
	xml_add(&text, title);
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
		"role=\"img\" aria-label=\"%s\">\n<style>" APPEARANCE_SVG_LIGHT
		"text{fill:var(--t)}.m{fill:var(--m)}.t{font-size:16px;font-weight:600}"
		".g{stroke:var(--l);fill:none}@media(prefers-color-scheme:dark){" APPEARANCE_SVG_DARK "}</style>\n"
		"<text x=\"10\" y=\"26\" class=\"t\">%s</text>\n",
		WIDTH, height, WIDTH, height, strb_str(&text), strb_str(&text));
	snprintf(what, sizeof(what), "share of the values per %s", h->per);
	frame(h, most, TOP, what, out);
	for (size_t i = 0; i < h->series.n; i++)
		shares(h, i, most, out);
	frame(h, 1, second, "share of the values that is not larger", out);
	for (size_t i = 0; i < h->series.n; i++)
		sums(h, i, second, out);
	table(h, below, out);
	differences(h, below + LINE * (rows + 1) + 4, out);
	if (h->notes.n) {
		strb_reset(&text);
		xml_add(&text, h->notes.s);
		fprintf(out, "<text class=\"m\" x=\"%d\" y=\"26\" text-anchor=\"end\">%s</text>\n", WIDTH - RIGHT,
			strb_str(&text));
	}
	fputs("</svg>\n", out);
	strb_free(&text);
	return ferror(out) ? (errno ? -errno : -EIO) : 0;
}
