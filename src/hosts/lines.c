/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts what machines print into lines, and names the machine before each. */
#include "hosts/lines.h"
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "hosts/wire.h"

/* A line of JSON, whose first member is the machine. */
static void put_object(FILE *out, const char *host, const char *p, size_t n)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	jsonw_object(&w, NULL);
	jsonw_str(&w, "host", host);
	jsonw_members(&w, p, n);
	jsonw_end_object(&w);
	jsonw_line(&w);
	fwrite(strb_str(&b), 1, b.n, out);
}

/* One line of a machine, without its end. */
static void put_line(const struct lines *l, size_t h, FILE *out, const char *p, size_t n)
{
	if (l->json && n && p[0] == '{')
		put_object(out, l->labels[h], p, n);
	else if (l->n > 1 && n) /* empty lines tell nothing after a name */
		fprintf(out, "%s: %.*s\n", l->labels[h], (int)n, p);
	else if (l->n == 1)
		fprintf(out, "%.*s\n", (int)n, p);
}

static void put_message(const struct lines *l, size_t h, FILE *out, const char *p, size_t n)
{
	static const char own[] = "dwell: ";

	(void)out;
	if (n >= sizeof(own) - 1 && !memcmp(p, own, sizeof(own) - 1)) { /* what says it here begins so, too */
		p += sizeof(own) - 1;
		n -= sizeof(own) - 1;
	}
	listener_msg(l->to, "%s: %.*s", l->labels[h], (int)n, p);
}

typedef void line_fn(const struct lines *l, size_t h, FILE *out, const char *p, size_t n);

/* Whole lines go on; a NUL within one would end it. */
static void put_text(const struct lines *l, size_t h, struct strb *tail, FILE *out, const char *p, size_t n,
		     line_fn *fn)
{
	size_t at = 0;

	strb_add(tail, p, n);
	for (size_t i = 0; i < tail->n; i++)
		if (tail->s[i] == '\0')
			tail->s[i] = ' ';
	while (at < tail->n) {
		const char *end = memchr(tail->s + at, '\n', tail->n - at);
		size_t len = end ? (size_t)(end - tail->s) - at : tail->n - at;

		if (!end && len < LINES_MAX)
			break;
		fn(l, h, out, tail->s + at, len);
		at += len + (end != NULL);
	}
	wire_drop(tail, at);
}

void lines_out(const struct lines *l, size_t h, struct strb *tail, FILE *out, const char *p, size_t n)
{
	if ((l->n == 1 || l->separate) && !l->json)
		fwrite(p, 1, n, out);
	else
		put_text(l, h, tail, out, p, n, put_line);
}

void lines_err(const struct lines *l, size_t h, struct strb *tail, const char *p, size_t n)
{
	put_text(l, h, tail, NULL, p, n, put_message);
}

void lines_end(const struct lines *l, size_t h, struct strb *out_tail, FILE *out, struct strb *err_tail)
{
	if (out_tail->n)
		put_text(l, h, out_tail, out, "\n", 1, put_line);
	if (err_tail->n)
		put_text(l, h, err_tail, NULL, "\n", 1, put_message);
}
