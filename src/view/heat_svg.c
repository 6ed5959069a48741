/* SPDX-License-Identifier: Apache-2.0 */
/* A heat map as SVG: the cells are one embedded picture (a pixel each, by rank), around it axes, percentiles, losses. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "view/amount.h"
#include "view/heat.h"
#include "view/page.h"
#include "view/png.h"
#include "view/xml.h"

enum { WIDTH = 1200, LEFT = 84, RIGHT = 16, TOP = 62, HEIGHT = 400, BOTTOM = 92, TICKS_Y = 8, TICKS_X = 8 };

/* Viridis at equal steps, dark to light: equal steps look equal, also to the colour-blind. */
static const uint8_t stops[][3] = { { 68, 1, 84 }, { 71, 45, 123 }, { 59, 82, 139 }, { 44, 114, 142 }, { 33, 145, 140 },
				    { 40, 174, 128 }, { 94, 201, 98 }, { 173, 220, 48 }, { 253, 231, 37 } };

/* Colour 1 … 255; few is what is nearer to the ground: light, or dark. */
static void palette(uint8_t p[768], bool dark)
{
	memset(p, 0, 3);
	for (int i = 1; i < 256; i++) {
		double at = (dark ? i - 1 : 255 - i) / 254.0 * (double)(ARRAY_SIZE(stops) - 1);
		size_t k = at >= (double)(ARRAY_SIZE(stops) - 1) ? ARRAY_SIZE(stops) - 2 : (size_t)at;

		for (int c = 0; c < 3; c++)
			p[3 * i + c] = (uint8_t)lround(stops[k][c] + (at - (double)k) * (stops[k + 1][c] - stops[k][c]));
	}
}

/* All keys together, by rank, the highest row first. */
static int pixels(const struct heat *h, uint8_t **ret)
{
	size_t n = (size_t)h->ncolumns * h->nrows;
	_cleanup_free_ float *v = calloc(n, sizeof(*v));
	uint8_t *p = malloc(n);

	if (!v || !p) {
		free(p);
		return -ENOMEM;
	}
	for (size_t k = 0; k < h->nkeys; k++)
		for (size_t i = 0; i < n; i++)
			v[i] += h->keys[k].cells[i];
	if (heat_ranks(v, n) < 0) {
		free(p);
		return -ENOMEM;
	}
	for (unsigned c = 0; c < h->ncolumns; c++)
		for (unsigned r = 0; r < h->nrows; r++) {
			float x = v[(size_t)c * h->nrows + r];

			p[(size_t)(h->nrows - 1 - r) * h->ncolumns + c] = x > 0 ? (uint8_t)(1 + lroundf(x * 254)) : 0;
		}
	*ret = p;
	return 0;
}

static int image(const struct heat *h, const uint8_t *p, bool dark, FILE *out)
{
	struct strb png = { 0 };
	uint8_t colours[768];
	int e;

	palette(colours, dark);
	e = png_add(&png, p, h->ncolumns, h->nrows, colours);
	if (e == 0) {
		fprintf(out, "<image class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" preserveAspectRatio=\"none\" href=\"data:image/png;base64,",
			dark ? "dk" : "lt", LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT);
		e = page_base64(out, (const unsigned char *)png.s, png.n);
		fputs("\"/>\n", out);
	}
	strb_free(&png);
	return e;
}

static double y_of(const struct heat *h, double v)
{
	unsigned i = 0;
	double part;

	while (i + 1 < h->nrows && h->edges[i + 1] <= v)
		i++;
	part = (v - h->edges[i]) / (h->edges[i + 1] - h->edges[i]);
	part = part < 0 ? 0 : part > 1 ? 1 : part;
	return TOP + HEIGHT - ((double)i + part) * HEIGHT / h->nrows;
}

static void axis_y(const struct heat *h, FILE *out)
{
	char text[AMOUNT_MAX];
	double last = 1e9;

	for (unsigned i = 0; i <= h->nrows; i++) {
		double y = TOP + HEIGHT - (double)i * HEIGHT / h->nrows, bits = log2(h->edges[i]);
		bool round = h->nrows > 20 && h->edges[1] * 2 < h->edges[h->nrows] && fabs(h->edges[i] / h->edges[h->nrows] * h->nrows - i) > 1e-6 ?
				     bits == floor(bits) : i % ((h->nrows + TICKS_Y - 1) / TICKS_Y) == 0 || i == h->nrows;

		if (!round || last - y < HEIGHT / (2.0 * TICKS_Y))
			continue;
		last = y;
		amount_str(text, (uint64_t)h->edges[i], h->unit);
		fprintf(out, "<path class=\"g\" d=\"M%d %.1fH%d\"/><text class=\"m\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", LEFT - 4, y,
			LEFT, LEFT - 8, y + 4, text);
	}
}

static void axis_x(const struct heat *h, FILE *out)
{
	double whole = (double)h->ncolumns * (double)h->column_ns;
	unsigned n = h->ncolumns < TICKS_X ? h->ncolumns : TICKS_X;

	fprintf(out, "<text class=\"m\" x=\"%d\" y=\"%d\" text-anchor=\"end\">UTC</text>\n", LEFT - 8, TOP + HEIGHT + 18);
	for (unsigned i = 0; i <= n; i++) {
		uint64_t column = (uint64_t)h->ncolumns * i / n;
		time_t t = (time_t)((h->begin_wall_ns + column * h->column_ns) / 1000000000u);
		double x = LEFT + (double)(WIDTH - LEFT - RIGHT) * (double)column / h->ncolumns;
		char text[32];
		struct tm tm;

		gmtime_r(&t, &tm);
		strftime(text, sizeof(text), whole > 2 * 86400e9 ? "%m-%d %H:%M" : "%H:%M:%S", &tm);
		fprintf(out, "<path class=\"g\" d=\"M%.1f %dv4\"/><text class=\"m\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", x,
			TOP + HEIGHT, x, TOP + HEIGHT + 18, i == 0 ? "start" : i == n ? "end" : "middle", text);
	}
}

static void line(const struct heat *h, size_t member, const char *class, FILE *out)
{
	bool down = false;

	fprintf(out, "<path class=\"%s\" d=\"", class);
	for (unsigned c = 0; c < h->ncolumns; c++) {
		double v = *(const double *)(const void *)((const char *)&h->columns[c] + member);

		if (isnan(v)) {
			down = false;
			continue;
		}
		fprintf(out, "%c%.1f %.1f", down ? 'L' : 'M', LEFT + (c + 0.5) * (WIDTH - LEFT - RIGHT) / h->ncolumns, y_of(h, v));
		if (!down)
			fputs("h.1", out); /* a column alone is seen, too */
		down = true;
	}
	fputs("\"/>\n", out);
}

/* Columns in which events were lost: red below the axis. */
static void losses(const struct heat *h, FILE *out)
{
	for (unsigned c = 0; c < h->ncolumns; c++)
		if (h->columns[c].lost)
			fprintf(out, "<rect class=\"x\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"4\"><title>%llu lost</title></rect>\n",
				LEFT + (double)c * (WIDTH - LEFT - RIGHT) / h->ncolumns, TOP + HEIGHT,
				fmax(1, (double)(WIDTH - LEFT - RIGHT) / h->ncolumns), (unsigned long long)h->columns[c].lost);
}

static void legend(const struct heat *h, FILE *out)
{
	int y = TOP + HEIGHT + 44;
	bool values = false;
	uint64_t lost = 0;

	for (unsigned c = 0; c < h->ncolumns; c++) {
		values |= !isnan(h->columns[c].p50);
		lost += h->columns[c].lost;
	}
	fprintf(out, "<text class=\"m\" x=\"%d\" y=\"%d\">few</text>", LEFT, y);
	for (int i = 0; i < 24; i++)
		for (int dark = 0; dark < 2; dark++) {
			uint8_t p[768];
			int k = 1 + i * 254 / 23;

			palette(p, dark);
			fprintf(out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"6\" height=\"10\" fill=\"#%02x%02x%02x\"/>", dark ? "dk" : "lt",
				LEFT + 28 + 6 * i, y - 9, p[3 * k], p[3 * k + 1], p[3 * k + 2]);
		}
	fprintf(out, "<text class=\"m\" x=\"%d\" y=\"%d\">many, by rank</text>\n", LEFT + 180, y);
	if (values)
		fprintf(out, "<path class=\"a\" d=\"M%d %dh22\"/><text class=\"m\" x=\"%d\" y=\"%d\">median</text><path class=\"b\" d=\"M%d %dh22\"/>"
			     "<text class=\"m\" x=\"%d\" y=\"%d\">99 %%</text>\n", LEFT + 300, y - 4, LEFT + 328, y, LEFT + 400, y - 4, LEFT + 428, y);
	if (lost)
		fprintf(out, "<rect class=\"x\" x=\"%d\" y=\"%d\" width=\"22\" height=\"4\"/><text class=\"m\" x=\"%d\" y=\"%d\">%llu lost</text>\n", LEFT + 490,
			y - 6, LEFT + 518, y, (unsigned long long)lost);
}

int heat_svg(const struct heat *h, const char *title, FILE *out)
{
	struct strb text = { 0 };
	char n[AMOUNT_MAX], step[AMOUNT_MAX];
	uint8_t *p = NULL;
	int e = pixels(h, &p);

	xml_add(&text, title);
	if (e < 0 || text.failed) {
		strb_free(&text);
		free(p);
		return -ENOMEM;
	}
	amount_number(n, (uint64_t)h->total);
	amount_str(step, h->column_ns, "ns");
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
		     "role=\"img\" aria-label=\"%s\">\n<style>svg{background:#fff;--t:#16181d;--m:#5c6470;--l:#dfe2e8;font:12px system-ui,-apple-system,"
		     "'Segoe UI',sans-serif;font-variant-numeric:tabular-nums}text{fill:var(--t)}.m{fill:var(--m)}.t{font-size:16px;font-weight:600}"
		     ".g{stroke:var(--m)}.p{fill:none;stroke:var(--l)}image{image-rendering:pixelated}.a,.b{fill:none;stroke:var(--t);stroke-width:1.3}"
		     ".b{stroke-dasharray:4 2}.x{fill:#d1242f}.dk{display:none}@media(prefers-color-scheme:dark){svg{background:#14161a;--t:#e7e9ee;"
		     "--m:#9aa3b2;--l:#2f343d}.lt{display:none}.dk{display:inline}}</style>\n<text x=\"10\" y=\"26\" class=\"t\">%s</text>\n"
		     "<text x=\"10\" y=\"46\" class=\"m\">%s events · %u columns of %s, %u rows%s</text>\n", WIDTH, TOP + HEIGHT + BOTTOM, WIDTH,
		TOP + HEIGHT + BOTTOM, strb_str(&text), strb_str(&text), n, h->ncolumns, step, h->nrows, h->by_read ? " · by the time of reading: an event may be one column late" : "");
	e = image(h, p, false, out);
	if (e == 0)
		e = image(h, p, true, out);
	fprintf(out, "<rect class=\"p\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT);
	line(h, offsetof(struct heat_column, p50), "a", out);
	line(h, offsetof(struct heat_column, p99), "b", out);
	axis_y(h, out);
	axis_x(h, out);
	losses(h, out);
	legend(h, out);
	fputs("</svg>\n", out);
	strb_free(&text);
	free(p);
	return e < 0 ? e : ferror(out) ? (errno ? -errno : -EIO) : 0;
}
