/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of D's format strings. */
#include "base/printfmt.h"
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"

struct pfrow {
	const char *name;
	char conv;
	enum pf_class class;
};

/* The conversions of DTrace's printf(), with all their size prefixes.
 * Source: "Output Formatting", Oracle Linux DTrace Reference Guide. */
static const struct pfrow rows[] = {
	{ "a", 's', PFC_ADDR },	  { "A", 's', PFC_UADDR },  { "c", 'c', PFC_CHAR },   { "C", 's', PFC_ECHR },
	{ "d", 'd', PFC_DINT },	  { "e", 'e', PFC_FLOAT },  { "E", 'E', PFC_FLOAT },  { "f", 'f', PFC_FLOAT },
	{ "g", 'g', PFC_FLOAT },  { "G", 'G', PFC_FLOAT },  { "hd", 'd', PFC_DINT },  { "hi", 'i', PFC_DINT },
	{ "ho", 'o', PFC_UINT },  { "hu", 'u', PFC_UINT },  { "hx", 'x', PFC_UINT },  { "hX", 'X', PFC_UINT },
	{ "hhd", 'd', PFC_DINT }, { "hhi", 'i', PFC_DINT }, { "hho", 'o', PFC_UINT }, { "hhu", 'u', PFC_UINT },
	{ "hhx", 'x', PFC_UINT }, { "hhX", 'X', PFC_UINT }, { "i", 'i', PFC_DINT },   { "k", 's', PFC_STACK },
	{ "lc", 'c', PFC_CHAR },  { "ld", 'd', PFC_DINT },  { "li", 'i', PFC_DINT },  { "lo", 'o', PFC_UINT },
	{ "lu", 'u', PFC_UINT },  { "ls", 's', PFC_STR },   { "lx", 'x', PFC_UINT },  { "lX", 'X', PFC_UINT },
	{ "lld", 'd', PFC_DINT }, { "lli", 'i', PFC_DINT }, { "llo", 'o', PFC_UINT }, { "llu", 'u', PFC_UINT },
	{ "llx", 'x', PFC_UINT }, { "llX", 'X', PFC_UINT }, { "Le", 'e', PFC_FLOAT }, { "LE", 'E', PFC_FLOAT },
	{ "Lf", 'f', PFC_FLOAT }, { "Lg", 'g', PFC_FLOAT }, { "LG", 'G', PFC_FLOAT }, { "o", 'o', PFC_UINT },
	{ "p", 'x', PFC_UINT },	  { "s", 's', PFC_STR },    { "S", 's', PFC_ESTR },   { "T", 's', PFC_TIME822 },
	{ "u", 'u', PFC_UINT },	  { "wc", 'c', PFC_CHAR },  { "ws", 's', PFC_STR },   { "x", 'x', PFC_UINT },
	{ "X", 'X', PFC_UINT },	  { "Y", 's', PFC_TIME },   { "%", '%', PFC_PCT },
};

struct pfparse {
	struct arena *a;
	const char *p, *end;
	unsigned num; /* of the conversion, from 1 */
	bool wide;
	const char **reason;
};

static int bad(struct pfparse *ps, const char *text)
{
	*ps->reason = arena_printf(ps->a, "format conversion #%u %s", ps->num, text);
	return -EINVAL;
}

static int too_large(struct pfparse *ps, const char *text, unsigned limit)
{
	*ps->reason = arena_printf(ps->a, "format conversion #%u %s %u", ps->num, text, limit);
	return -ERANGE;
}

static int parse_number(struct pfparse *ps, int *ret)
{
	int n = 0, most = ps->wide ? PRINTFMT_WIDE_WIDTH : PRINTFMT_MAX_WIDTH;

	while (ps->p < ps->end && *ps->p >= '0' && *ps->p <= '9') {
		n = n * 10 + (*ps->p++ - '0');
		if (n > most)
			return too_large(ps, "has a width or precision above", (unsigned)most);
	}
	*ret = n;
	return 0;
}

int printfmt_check_size(int64_t width, int64_t prec, uint64_t *total)
{
	if (width < -PRINTFMT_MAX_WIDTH || width > PRINTFMT_MAX_WIDTH || prec > PRINTFMT_MAX_WIDTH)
		return -ERANGE;
	*total += (uint64_t)(width < 0 ? -width : width) + (uint64_t)(prec < 0 ? 0 : prec);
	return *total > PRINTFMT_MAX_TEXT ? -ERANGE : 0;
}

static int parse_star(struct pfparse *ps, struct pfconv *c, bool dot)
{
	unsigned bit = dot ? PF_DYNPREC : PF_DYNWIDTH;

	if (c->flags & bit)
		return bad(ps, dot ? "has more than one '*' specified for the output precision"
				   : "has more than one '*' specified for the output width");
	c->flags |= bit;
	ps->p++;
	return 0;
}

static unsigned flag_of(char ch)
{
	switch (ch) {
	case '#': return PF_ALT;
	case '+': return PF_SPOS;
	case '-': return PF_LEFT;
	case ' ': return PF_SPACE;
	case '\'': return PF_GROUP;
	case '@': return PF_AGG;
	default: return 0;
	}
}

/* flags, width, precision, up to the size prefix */
static int parse_flags(struct pfparse *ps, struct pfconv *c)
{
	bool dot = false, digits = false;
	int r;

	for (; ps->p < ps->end;) {
		char ch = *ps->p;

		if (ch == '0' && !dot && !digits) {
			c->flags = (c->flags | PF_ZPAD) & ~(unsigned)PF_LEFT;
			ps->p++;
		} else if (ch >= '0' && ch <= '9') {
			r = parse_number(ps, dot ? &c->prec : &c->width);
			if (r < 0)
				return r;
			digits = true;
		} else if (ch == '*') {
			r = parse_star(ps, c, dot);
			if (r < 0)
				return r;
		} else if (ch == '.') {
			if (dot)
				return bad(ps, "has more than one '.' specified");
			dot = true;
			digits = false;
			c->prec = 0;
			ps->p++;
		} else if (ch == '?') {
			c->width = 16; /* the width of a pointer */
			ps->p++;
		} else if (ch == '$') {
			return bad(ps, "uses unsupported positional format (%n$)");
		} else if (flag_of(ch)) {
			c->flags |= flag_of(ch);
			if (ch == '-')
				c->flags &= ~(unsigned)PF_ZPAD;
			ps->p++;
		} else {
			return 0;
		}
	}
	return 0;
}

static int parse_name(struct pfparse *ps, struct pfconv *c)
{
	size_t n = 0;
	char name[8] = "";

	while (ps->p < ps->end && strchr("hlLw", *ps->p) && n < sizeof(name) - 2)
		name[n++] = *ps->p++;
	if (ps->p >= ps->end)
		return bad(ps, "name expected before end of format string");
	name[n++] = *ps->p++;
	if (!strcmp(name, "%") && ps->p[-2] != '%')
		return bad(ps, "cannot be combined with other format flags: %%");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].name, name))
			continue;
		memcpy(c->name, rows[i].name, strlen(rows[i].name) + 1);
		c->conv = rows[i].conv;
		c->class = rows[i].class;
		return 0;
	}
	*ps->reason = arena_printf(ps->a, "format conversion #%u is undefined: %%%s", ps->num, name);
	return -EINVAL;
}

int printfmt_parse(struct arena *a, const char *fmt, size_t len, bool wide, struct pfconv **ret, size_t *ret_n,
		   const char **reason)
{
	VEC(struct pfconv) v = { 0 };
	struct pfparse ps = { .a = a, .p = fmt, .end = fmt + len, .reason = reason, .wide = wide };
	uint64_t total = 0, most = wide ? PRINTFMT_WIDE_TEXT : PRINTFMT_MAX_TEXT; /* of widths and precisions */
	int r = 0;

	while (ps.p < ps.end && r == 0) {
		const char *pct = memchr(ps.p, '%', (size_t)(ps.end - ps.p));
		struct pfconv c = { .prefix = ps.p, .prec = -1 };

		c.preflen = (size_t)((pct ? pct : ps.end) - ps.p);
		ps.p += c.preflen;
		c.off = (size_t)(ps.p - fmt);
		if (pct) {
			ps.num++;
			ps.p++;
			r = ps.num > PRINTFMT_MAX_CONVS ? bad(&ps, "is one too many") : parse_flags(&ps, &c);
			if (r == 0)
				r = parse_name(&ps, &c);
			total += (uint64_t)c.width + (uint64_t)(c.prec < 0 ? 0 : c.prec);
			if (r == 0 && total > most)
				r = too_large(&ps, "makes the widths and precisions of the format more than",
					      (unsigned)most);
		}
		if (r == 0)
			vec_push(&v, c);
	}
	if (r == 0) {
		*ret = arena_memdup(a, v.v ? (void *)v.v : (void *)"", v.n * sizeof(*v.v));
		*ret_n = v.n;
	}
	vec_free(&v);
	return r;
}
