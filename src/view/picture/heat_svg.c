/* SPDX-License-Identifier: Apache-2.0 */
/* A heat map as SVG: the cells are one embedded picture (a pixel each, by rank), around it axes, percentiles, losses.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "view/form/amount.h"
#include "view/picture/heat.h"
#include "view/picture/keycolour.h"
#include "view/appearance.h"
#include "view/form/page.h"
#include "view/form/png.h"
#include "view/form/xml.h"

enum {
	WIDTH = 1200,
	LEFT = 84,
	RIGHT = 16,
	TOP = 62,
	HEIGHT = 400,
	BOTTOM = 92,
	TICKS_Y = 8,
	LABEL_X = 90,
	DATE_X = 125,
	KEY_WIDTH = 276,
	KEY_COLUMNS = 4,
	KEY_HEIGHT = 18,
	KEY_CHARS = 38
};
static const uint8_t grey[] = { APPEARANCE_UNCHOSEN }; /* of keys that are not chosen */
#define LEAST APPEARANCE_LEAST_OPACITY
#define DAY 86400e9

/* Viridis at equal steps, dark to light: equal steps look equal, also to the colour-blind. */
static const uint8_t stops[][3] = { APPEARANCE_GRADIENT };

/* Colour 1 … 255; few is what is nearer to the ground: light, or dark. */
static void palette(uint8_t p[768], bool dark)
{
	memset(p, 0, 3);
	for (int i = 1; i < 256; i++) {
		double at = (dark ? i - 1 : 255 - i) / 254.0 * (double)(ARRAY_SIZE(stops) - 1);
		size_t k = at >= (double)(ARRAY_SIZE(stops) - 1) ? ARRAY_SIZE(stops) - 2 : (size_t)at;

		for (int c = 0; c < 3; c++)
			p[3 * i + c] = (uint8_t)lround(stops[k][c] +
						       (at - (double)k) * (stops[k + 1][c] - stops[k][c]));
	}
}

/* Sums the cells of all keys, and ranks the sums, 0 … 1. 0 or -ENOMEM. *ret is freed by the caller. */
static int ranks(const struct heat *h, float **ret)
{
	size_t n = (size_t)h->ncolumns * h->nrows;
	float *v = calloc(n, sizeof(*v));

	if (!v)
		return -ENOMEM;
	for (size_t k = 0; k < h->nkeys; k++)
		for (size_t i = 0; i < n; i++)
			v[i] += h->keys[k].cells[i];
	if (heat_ranks(v, n) == 0) {
		*ret = v;
		return 0;
	}
	free(v);
	return -ENOMEM;
}

/* Where a cell is in a picture: the highest row comes first. */
static size_t pixel_of(const struct heat *h, size_t cell)
{
	return (h->nrows - 1 - cell % h->nrows) * h->ncolumns + cell / h->nrows;
}

static int put_image(const struct strb *png, const char *class, FILE *out)
{
	int e;

	fprintf(out,
		"<image class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" preserveAspectRatio=\"none\" href=\"data:image/png;base64,",
		class, LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT);
	e = page_base64(out, (const unsigned char *)png->s, png->n);
	fputs("\"/>\n", out);
	return e;
}

/* All keys together: one picture for light, one for dark. */
static int plain_images(const struct heat *h, const float *v, FILE *out)
{
	size_t n = (size_t)h->ncolumns * h->nrows;
	_cleanup_free_ uint8_t *p = malloc(n);
	int e = p ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && p; i++)
		p[pixel_of(h, i)] = v[i] > 0 ? (uint8_t)(1 + lroundf(v[i] * 254)) : 0;
	for (int dark = 0; dark < 2 && e == 0; dark++) {
		struct strb png = { 0 };
		uint8_t colours[768];

		palette(colours, dark);
		e = png_add(&png, p, h->ncolumns, h->nrows, colours);
		if (e == 0)
			e = put_image(&png, dark ? "dk" : "lt", out);
		strb_free(&png);
	}
	return e;
}

/* Chosen keys in their colours, by the share that each has of a cell; what is not chosen is grey. The more a cell has,
 * the less is seen through it. As HeatView.paintMixed() in web/src/heat.ts. */
static int hued_image(const struct heat *h, const float *v, const unsigned *colours, FILE *out)
{
	size_t n = (size_t)h->ncolumns * h->nrows;
	_cleanup_free_ uint8_t *p = calloc(n, 4);
	struct strb png = { 0 };
	int e;

	if (!p)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		double rgb[] = { grey[0], grey[1], grey[2] }, all = 0;
		uint8_t *to = p + 4 * pixel_of(h, i);

		for (size_t k = 0; k < h->nkeys; k++)
			all += h->keys[k].cells[i];
		if (!(all > 0))
			continue;
		for (size_t k = 0; k < h->nkeys; k++)
			for (int c = 0; c < 3 && h->keys[k].chosen; c++)
				rgb[c] += h->keys[k].cells[i] / all *
					  ((int)(colours[k] >> (16 - 8 * c) & 255) - grey[c]);
		for (int c = 0; c < 3; c++)
			to[c] = (uint8_t)lround(rgb[c]);
		to[3] = (uint8_t)lround(255 * (LEAST + (1 - LEAST) * (double)v[i]));
	}
	e = png_add_rgba(&png, p, h->ncolumns, h->nrows);
	if (e == 0)
		e = put_image(&png, "hu", out);
	strb_free(&png);
	return e;
}

static bool is_hued(const struct heat *h)
{
	for (size_t k = 0; k < h->nkeys; k++)
		if (h->keys[k].chosen)
			return true;
	return false;
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

static void tick_y(double y, double v, const struct heat *h, FILE *out)
{
	char text[AMOUNT_MAX] = "0";

	if (v > 0)
		amount_str(text, (uint64_t)v, h->unit);
	fprintf(out,
		"<path class=\"g\" d=\"M%d %.1fH%d\"/><text class=\"m\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
		LEFT - 4, y, LEFT, LEFT - 8, y + 4, text);
}

/* Equal steps: round values. Else powers of two, if there are some; of few rows all bounds. */
static void axis_y(const struct heat *h, FILE *out)
{
	double whole = h->edges[h->nrows], last = 1e9, step = heat_tick((whole - h->edges[0]) / TICKS_Y, h->unit);
	bool linear = fabs(h->edges[1] - h->edges[0] - whole / h->nrows) < 1e-6 * whole;

	for (double v = 0; linear && v <= whole * (1 + 1e-9); v += step)
		tick_y(TOP + HEIGHT - v / whole * HEIGHT, v, h, out);
	for (unsigned i = 0; !linear && i <= h->nrows; i++) {
		double y = TOP + HEIGHT - (double)i * HEIGHT / h->nrows, bits = log2(h->edges[i]);
		bool round = h->nrows > 20 ? bits == floor(bits)
					   : i % ((h->nrows + TICKS_Y - 1) / TICKS_Y) == 0 || i == h->nrows;

		if (!round || last - y < HEIGHT / (2.0 * TICKS_Y))
			continue;
		last = y;
		tick_y(y, h->edges[i], h, out);
	}
}

/* The distance of times on the axis: round ones, also where it is of some days. */
static uint64_t tick_step(const struct heat *h)
{
	double pixel = (double)h->ncolumns * (double)h->column_ns / (WIDTH - LEFT - RIGHT),
	       least = fmax((double)h->column_ns, pixel * LABEL_X);

	if (least > DAY / 4 || least < NSEC_PER_SEC) /* dates and parts of seconds are longer */
		least = fmax((double)h->column_ns, pixel * DATE_X);
	return (uint64_t)llround(least > DAY ? heat_tick(least / DAY, "") * DAY : heat_tick(least, "ns"));
}

/* As exact as the distance of the times asks for. */
static void time_text(uint64_t ns, uint64_t step, char *text, size_t size)
{
	time_t t = (time_t)(ns / NSEC_PER_SEC);
	struct tm tm;
	size_t n;

	gmtime_r(&t, &tm);
	n = strftime(text, size, step >= UINT64_C(43200) * NSEC_PER_SEC ? "%m-%d %H:%M" : "%H:%M:%S", &tm);
	if (step < NSEC_PER_SEC)
		snprintf(text + n, size - n, ".%03u", (unsigned)(ns % NSEC_PER_SEC / 1000000u));
}

/* Round times; where the picture is too short for one, that of its beginning. */
static void axis_x(const struct heat *h, FILE *out)
{
	uint64_t whole = (uint64_t)h->ncolumns * h->column_ns, step = tick_step(h), begin = h->begin_wall_ns,
		 at = (begin + step - 1) / step * step;
	char text[32];

	fprintf(out, "<text class=\"m\" x=\"%d\" y=\"%d\" text-anchor=\"end\">UTC</text>\n", LEFT - 8,
		TOP + HEIGHT + 18);
	if (at > begin + whole)
		at = begin;
	do {
		double x = LEFT + (double)(WIDTH - LEFT - RIGHT) * (double)(at - begin) / (double)whole;

		time_text(at, step, text, sizeof(text));
		fprintf(out,
			"<path class=\"g\" d=\"M%.1f %dv4\"/><text class=\"m\" x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n",
			x, TOP + HEIGHT, x, TOP + HEIGHT + 18,
			x < LEFT + LABEL_X / 3.0	    ? "start"
			: x > WIDTH - RIGHT - LABEL_X / 3.0 ? "end"
							    : "middle",
			text);
		at += step;
	} while (at <= begin + whole);
}

/* From the middle of a column to that of the next one. The first and the last column of a stretch are crossed wholly,
 * so that one alone is seen, too. */
static void line(const struct heat *h, size_t member, const char *class, FILE *out)
{
	double column = (double)(WIDTH - LEFT - RIGHT) / h->ncolumns;
	bool down = false;

	fprintf(out, "<path class=\"%s\" d=\"", class);
	for (unsigned c = 0; c < h->ncolumns; c++) {
		double v = *(const double *)(const void *)((const char *)&h->columns[c] + member);

		if (isnan(v)) {
			if (down)
				fprintf(out, "h%.1f", column / 2);
			down = false;
			continue;
		}
		if (down)
			fprintf(out, "L%.1f %.1f", LEFT + (c + 0.5) * column, y_of(h, v));
		else
			fprintf(out, "M%.1f %.1fh%.1f", LEFT + c * column, y_of(h, v), column / 2);
		down = true;
	}
	if (down)
		fprintf(out, "h%.1f", column / 2);
	fputs("\"/>\n", out);
}

/* Columns in which events were lost: red below the axis. When dwell did not run, or without some of its probes: a bar
 * above. */
static void losses(const struct heat *h, FILE *out)
{
	double column = (double)(WIDTH - LEFT - RIGHT) / h->ncolumns;

	for (unsigned c = 0; c < h->ncolumns; c++) {
		struct strb note = { 0 };

		if (!h->columns[c].note)
			continue;
		xml_add(&note, h->columns[c].note);
		fprintf(out,
			"<rect class=\"n\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"5\"><title>%s</title></rect>\n",
			LEFT + c * column, TOP - 6, fmax(4, h->columns[c].noted * column), strb_str(&note));
		strb_free(&note);
	}
	for (unsigned c = 0; c < h->ncolumns; c++)
		if (h->columns[c].lost)
			fprintf(out,
				"<rect class=\"x\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"4\"><title>%llu lost</title></rect>\n",
				LEFT + c * column, TOP + HEIGHT, fmax(1, column),
				(unsigned long long)h->columns[c].lost);
}

/* few … many */
static void ramp(int y, FILE *out)
{
	fprintf(out, "<text class=\"m\" x=\"%d\" y=\"%d\">few</text>", LEFT, y);
	for (int i = 0; i < 24; i++)
		for (int dark = 0; dark < 2; dark++) {
			uint8_t p[768];
			int k = 1 + i * 254 / 23;

			palette(p, dark);
			fprintf(out,
				"<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"6\" height=\"10\" fill=\"#%02x%02x%02x\"/>",
				dark ? "dk" : "lt", LEFT + 28 + 6 * i, y - 9, p[3 * k], p[3 * k + 1], p[3 * k + 2]);
		}
	fprintf(out, "<text class=\"m\" x=\"%d\" y=\"%d\">many, by rank</text>\n", LEFT + 180, y);
}

static void hued_ramp(int y, FILE *out)
{
	fprintf(out, "<text class=\"m\" x=\"%d\" y=\"%d\">few</text>", LEFT, y);
	for (int i = 0; i < 24; i++)
		fprintf(out,
			"<rect x=\"%d\" y=\"%d\" width=\"6\" height=\"10\" fill=\"rgb(%d %d %d)\" fill-opacity=\"%.2f\"/>",
			LEFT + 28 + 6 * i, y - 9, grey[0], grey[1], grey[2], LEAST + (1 - LEAST) * i / 23);
	fprintf(out, "<text class=\"m\" x=\"%d\" y=\"%d\">many, by rank; colours by key</text>\n", LEFT + 180, y);
}

static void legend(const struct heat *h, FILE *out)
{
	bool values = false, averages = false, notes = false, hued = is_hued(h);
	int y = TOP + HEIGHT + 44, x = hued ? LEFT + 380 : LEFT + 300;
	uint64_t lost = 0;

	for (unsigned c = 0; c < h->ncolumns; c++) {
		values |= !isnan(h->columns[c].p50);
		averages |= !isnan(h->columns[c].avg);
		lost += h->columns[c].lost;
		notes |= h->columns[c].note != NULL;
	}
	(hued ? hued_ramp : ramp)(y, out);
	if (values) {
		fprintf(out,
			"<path class=\"a\" d=\"M%d %dh22\"/><text class=\"m\" x=\"%d\" y=\"%d\">median</text><path class=\"b\" d=\"M%d %dh22\"/>"
			"<text class=\"m\" x=\"%d\" y=\"%d\">99 %%</text>\n",
			x, y - 4, x + 28, y, x + 100, y - 4, x + 128, y);
		x += 190;
	}
	if (averages) {
		fprintf(out, "<path class=\"v\" d=\"M%d %dh22\"/><text class=\"m\" x=\"%d\" y=\"%d\">average</text>\n",
			x, y - 4, x + 28, y);
		x += 100;
	}
	if (lost) {
		fprintf(out,
			"<rect class=\"x\" x=\"%d\" y=\"%d\" width=\"22\" height=\"4\"/><text class=\"m\" x=\"%d\" y=\"%d\">%llu lost</text>\n",
			x, y - 6, x + 28, y, (unsigned long long)lost);
		x += 140;
	}
	if (notes)
		fprintf(out,
			"<rect class=\"n\" x=\"%d\" y=\"%d\" width=\"22\" height=\"5\"/><text class=\"m\" x=\"%d\" y=\"%d\">dwell did not run, or had detached probes</text>\n",
			x, y - 7, x + 28, y);
}

/* Draws the colours and names of keys; returns the height. */
static int key_legend(const struct heat *h, const unsigned *colours, bool draw, FILE *out)
{
	int n = 0;

	for (size_t k = 0; k < h->nkeys; k++) {
		int x = LEFT + n % KEY_COLUMNS * KEY_WIDTH, y = TOP + HEIGHT + 44 + KEY_HEIGHT * (1 + n / KEY_COLUMNS);
		struct strb key = { 0 };
		size_t len = strlen(h->keys[k].text), cut = len > KEY_CHARS ? KEY_CHARS : len;

		if (!h->keys[k].chosen)
			continue;
		n++;
		while (cut < len && cut && ((unsigned char)h->keys[k].text[cut] & 0xc0) == 0x80)
			cut--; /* no part of a character at the end */
		if (draw) {
			char text[KEY_CHARS + 1];

			snprintf(text, sizeof(text), "%.*s", (int)cut, h->keys[k].text);
			xml_add(&key, text);
			fprintf(out,
				"<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"10\" fill=\"#%06x\"/><text class=\"m\" x=\"%d\" y=\"%d\">%s%s, %.3g %%</text>\n",
				x, y - 9, colours[k], x + 18, y, strb_str(&key), cut < len ? "…" : "",
				h->total > 0 ? 100 * h->keys[k].total / h->total : 0);
		}
		strb_free(&key);
	}
	return (n + KEY_COLUMNS - 1) / KEY_COLUMNS * KEY_HEIGHT;
}

/* How much there is, of what, and what to know of it. */
static void summary(const struct heat *h, FILE *out)
{
	char n[AMOUNT_MAX], step[AMOUNT_MAX];

	if (h->counted[0])
		amount_str(n, (uint64_t)h->total, h->counted);
	else
		amount_number(n, (uint64_t)h->total);
	amount_str(step, h->column_ns, "ns");
	fprintf(out, "<text x=\"10\" y=\"46\" class=\"m\">%s%s · %u column%s of %s", n, h->counted[0] ? "" : " events",
		h->ncolumns, h->ncolumns == 1 ? "" : "s", step);
	if (h->period_ns && h->column_ns > h->period_ns)
		fprintf(out, ", %llu periods each", (unsigned long long)(h->column_ns / h->period_ns));
	fprintf(out, ", %u rows%s</text>\n", h->nrows,
		h->by_read ? " · by the time of reading: an event may be one column late" : "");
}

static void lines(const struct heat *h, FILE *out)
{
	line(h, offsetof(struct heat_column, p50), "o", out); /* the ground shines round it: cells are of all shades */
	line(h, offsetof(struct heat_column, p50), "a", out);
	line(h, offsetof(struct heat_column, p99), "o", out);
	line(h, offsetof(struct heat_column, p99), "b", out);
	line(h, offsetof(struct heat_column, avg), "o", out);
	line(h, offsetof(struct heat_column, avg), "v", out);
}

int heat_svg(const struct heat *h, const char *title, FILE *out)
{
	unsigned colours[HEAT_MAX_KEYS + 1] = { 0 };
	struct keycolours names = { 0 };
	_cleanup_free_ float *v = NULL;
	struct strb text = { 0 };
	int e = ranks(h, &v), height;

	xml_add(&text, title);
	if (e < 0 || text.failed) {
		strb_free(&text);
		return -ENOMEM;
	}
	for (size_t k = 0; k < h->nkeys; k++)
		if (h->keys[k].chosen)
			keycolour_claim(&names, h->keys[k].text);
	for (size_t k = 0; k < h->nkeys; k++)
		if (h->keys[k].chosen)
			colours[k] = keycolour(keycolour_of(&names, h->keys[k].text));
	height = TOP + HEIGHT + BOTTOM + key_legend(h, colours, false, out);
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
		"role=\"img\" aria-label=\"%s\">\n<style>" APPEARANCE_SVG_LIGHT
		"text{fill:var(--t)}.m{fill:var(--m)}.t{font-size:16px;font-weight:600}"
		".g{stroke:var(--m)}.p{fill:none;stroke:var(--l)}image{image-rendering:pixelated}.a,.b,.v,.o{fill:none;stroke:var(--t);stroke-width:1.3}"
		".o{stroke:var(--g);stroke-width:3;stroke-opacity:.6}.n{fill:var(--n)}"
		".b{stroke-dasharray:4 2}.v{stroke-dasharray:1 3}.x{fill:var(--x)}.dk{display:none}@media(prefers-color-scheme:dark){" APPEARANCE_SVG_DARK
		".lt{display:none}.dk{display:inline}}</style>\n<text x=\"10\" y=\"26\" class=\"t\">%s</text>\n",
		WIDTH, height, WIDTH, height, strb_str(&text), strb_str(&text));
	summary(h, out);
	e = is_hued(h) ? hued_image(h, v, colours, out) : plain_images(h, v, out);
	fprintf(out, "<rect class=\"p\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEFT, TOP,
		WIDTH - LEFT - RIGHT, HEIGHT);
	lines(h, out);
	axis_y(h, out);
	axis_x(h, out);
	losses(h, out);
	legend(h, out);
	key_legend(h, colours, true, out);
	fputs("</svg>\n", out);
	strb_free(&text);
	return e < 0 ? e : ferror(out) ? (errno ? -errno : -EIO) : 0;
}
