/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions as text: a table of percentiles, bars side by side, what differs. In UTF-8 bars are as exact as an
 * eighth of a character, else they are whole ones. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/strb.h"
#include "view/form/amount.h"
#include "view/form/table.h"
#include "view/picture/hist.h"

#define RANGE 11 /* columns of a row's value */
#define NAME 22
#define MIN_BAR 14
#define TEXT_MAX 80

/* Characters of a text, whose bytes may be more. */
static unsigned width_of(const char *s)
{
	unsigned n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

/* Puts a text into `width` columns; without UTF-8 what is not ASCII becomes as near as it can. */
static void put(FILE *out, const char *s, int width, bool utf8)
{
	unsigned limit = (unsigned)(width < 0 ? -width : width), n = width_of(s), shown = 0;
	bool right = width > 0;

	if (right && n < limit)
		fprintf(out, "%*s", (int)(limit - n), "");
	for (const char *p = s; *p && shown <= limit; p++) {
		bool begins = ((unsigned char)*p & 0xc0) != 0x80;

		if (begins && shown == limit)
			break;
		shown += begins;
		if (utf8 || !((unsigned char)*p & 0x80))
			fputc(*p, out);
		else if (begins)
			fputc((unsigned char)*p == 0xc2 && (unsigned char)p[1] == 0xb5 ? 'u' : '-', out);
	}
	if (!right && n < limit)
		fprintf(out, "%*s", (int)(limit - n), "");
}

static void bar(FILE *out, double share, unsigned width, bool utf8)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	unsigned n = (unsigned)lround(share * width * (utf8 ? 8 : 1)), whole = utf8 ? n / 8 : n, used;

	if (!n && share > 0) {
		fputs(utf8 ? eighths[1] : ".", out); /* something is there */
		used = 1;
	} else {
		for (unsigned i = 0; i < whole; i++)
			fputs(utf8 ? "█" : "#", out);
		if (utf8)
			fputs(eighths[n % 8], out);
		used = whole + (utf8 && n % 8);
	}
	for (; used < width; used++)
		fputc(' ', out);
}

/* Without UTF-8 other characters are hyphens. */
static void to_ascii(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++)
		if (!((unsigned char)*p & 0x80))
			*to++ = *p;
		else if (((unsigned char)*p & 0xc0) != 0x80)
			*to++ = '-';
	*to = '\0';
}

static void quantile_text(const struct hist *h, const struct hist_value *q, bool utf8, char text[TEXT_MAX])
{
	char value[TEXT_MAX];

	hist_value_text(h, q->value, value, sizeof(value));
	snprintf(text, TEXT_MAX, "%s%s", isinf(q->high) ? ">" : "", value);
	if (!utf8)
		to_ascii(text);
}

/* How far a percentile may be off: the widest bucket of them. */
static void error_line(const struct hist_series *s, bool utf8, FILE *out)
{
	double worst = 0;

	for (unsigned i = 0; i < HIST_NQUANTILES; i++)
		if (!isinf(hist_error(&s->q[i])))
			worst = fmax(worst, hist_error(&s->q[i]));
	if (worst > 0)
		fprintf(out, "%*s %s%.1f %% at most\n", NAME + 6, "each", utf8 ? "±" : "+/- ", 100 * worst);
}

static void quantile_lines(const struct hist *h, bool utf8, FILE *out)
{
	struct table t = { .out = out, .gap = 1 };

	for (size_t k = 0; k < h->series.n; k++) {
		const struct hist_series *s = &h->series.v[k];
		char name[TEXT_MAX], count[TEXT_MAX], text[HIST_NQUANTILES][TEXT_MAX];
		struct cell c[2 + HIST_NQUANTILES] = {
			{ h->title, CELL_CUT, -NAME, 0, { .s = name } },
			{ "values", CELL_TEXT, 10, 0, { .s = count } },
		};

		snprintf(name, sizeof(name), "%s", s->name[0] ? s->name : h->title);
		if (!utf8)
			to_ascii(name);
		amount_number(count, s->sum.count);
		for (unsigned i = 0; i < HIST_NQUANTILES; i++) {
			quantile_text(h, &s->q[i], utf8, text[i]);
			c[2 + i] = (struct cell){ hist_quantile_name(i), CELL_TEXT, 8, 0, { .s = text[i] } };
		}
		table_line(&t, c, ARRAY_SIZE(c));
		error_line(s, utf8, out);
	}
}

static void difference(const struct hist *h, const struct hist_series *a, const struct hist_series *b, bool utf8,
		       FILE *out)
{
	struct hist_diff d = hist_compare(a, b);
	char at[TEXT_MAX];

	put(out, b->name, -(int)width_of(b->name), utf8);
	fputs(" against ", out);
	put(out, a->name, -(int)width_of(a->name), utf8);
	fputs(":\n ", out);
	for (unsigned i = 0; i < HIST_NQUANTILES; i++)
		if (!isnan(d.ratio[i]))
			fprintf(out, " %s x %.2f%s", hist_quantile_name(i), d.ratio[i],
				i + 1 < HIST_NQUANTILES ? "," : "");
	hist_value_text(h, d.at, at, sizeof(at));
	fprintf(out, "\n  %.1f %% %s of its values are below ", 100 * fabs(d.most), d.most < 0 ? "fewer" : "more");
	put(out, at, -(int)width_of(at), utf8);
	fprintf(out, "%s\n", d.chance ? ", no more than chance gives" : "");
}

int hist_text(const struct hist *h, unsigned columns, bool utf8, FILE *out)
{
	unsigned room = columns > RANGE + 2 ? columns - RANGE - 2 : 1, each = room / (unsigned)h->series.n;
	float most = 0;

	quantile_lines(h, utf8, out);
	each = each < MIN_BAR ? MIN_BAR : each;
	fprintf(out, "\n%*s  ", RANGE, "from");
	for (size_t i = 0; i < h->series.n; i++)
		put(out, h->series.v[i].name[0] ? h->series.v[i].name : "share of values",
		    i + 1 < h->series.n
			    ? -(int)each
			    : -(int)width_of(h->series.v[i].name[0] ? h->series.v[i].name : "share of values"),
		    utf8);
	fputc('\n', out);
	for (size_t i = 0; i < h->series.n; i++)
		for (unsigned r = 0; r < h->nrows; r++)
			most = fmaxf(most, h->series.v[i].share[r]);
	for (unsigned r = 0; r < h->nrows; r++) {
		char value[TEXT_MAX];

		hist_value_text(h, h->edges[r], value, sizeof(value));
		put(out, value, RANGE, utf8);
		fputs("  ", out);
		for (size_t i = 0; i < h->series.n; i++) {
			float share = h->series.v[i].share[r];

			if (share <= 0 && i + 1 == h->series.n)
				break; /* no blanks at the end */
			bar(out, (double)(share / most), each - 8, utf8);
			if (share > 0)
				fprintf(out, "%6.2f%%%s", 100 * (double)share, i + 1 < h->series.n ? " " : "");
			else if (i + 1 < h->series.n)
				fprintf(out, "%8s", "");
		}
		fputc('\n', out);
	}
	if (h->series.n > 1)
		fputc('\n', out);
	for (size_t i = 1; i < h->series.n; i++)
		difference(h, &h->series.v[0], &h->series.v[i], utf8, out);
	if (h->notes.n) {
		put(out, h->notes.s, -(int)width_of(h->notes.s), utf8);
		fputc('\n', out);
	}
	return ferror(out) ? (errno ? -errno : -EIO) : 0;
}
