/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of D: integers, characters, strings and their escapes. */
#include <errno.h>
#include <string.h>
#include "base/num.h"
#include "lang/errtag.h"
#include "lang/syntax/lex.h"

/* The suffix in one spelling, or NULL. C's order and DTrace's (u before l) are both taken. */
static const char *find_suffix(const char *s, size_t n)
{
	static const char *const names[] = { "", "u", "l", "ul", "ll", "ull" };
	unsigned u = 0, l = 0;

	for (size_t i = 0; i < n; i++) {
		char c = s[i] | 0x20;

		if (c == 'u' && !u && (i == 0 || i + 1 == n))
			u = 1;
		else if (c == 'l' && l < 2)
			l++;
		else
			return NULL;
	}
	return names[2 * l + u];
}

int lex_parse_int(const char *s, size_t n, uint64_t *ret, const char **suffix, char *bad)
{
	unsigned base = 10;
	size_t i = 0;
	uint64_t v = 0;
	bool over = false;

	if (n == 0 || !lex_is_digit(s[0]))
		return -EINVAL;
	if (n > 2 && s[0] == '0' && (s[1] | 0x20) == 'x' && num_digit(s[2]) < 16) {
		base = 16;
		i = 2;
	} else if (s[0] == '0') {
		base = 8;
	}
	for (; i < n; i++) {
		unsigned d = (unsigned)num_digit(s[i]);

		if (base == 8 && (d == 8 || d == 9)) {
			*bad = s[i];
			return -EDOM;
		}
		if (d >= base)
			break;
		over |= __builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v);
	}
	*suffix = find_suffix(s + i, n - i);
	if (!*suffix)
		return -EINVAL;
	*ret = v;
	return over ? -ERANGE : 0;
}

/* The longest text that may be a floating-point constant; they are not part of D. */
static const char *float_end(const char *p, const char *end)
{
	const char *q;

	while (p < end && lex_is_digit(*p))
		p++;
	if (p < end && *p == '.')
		for (p++; p < end && lex_is_digit(*p);)
			p++;
	if (p < end && (*p | 0x20) == 'e') {
		q = p + 1;
		if (q < end && (*q == '+' || *q == '-'))
			q++;
		if (q < end && lex_is_digit(*q))
			for (p = q; p < end && lex_is_digit(*p);)
				p++;
	}
	if (p < end && ((*p | 0x20) == 'f' || (*p | 0x20) == 'l'))
		p++;
	return p;
}

static const char *int_end(const char *p, const char *end)
{
	const char *from = p;
	unsigned n = 0;

	if (p + 2 < end && p[0] == '0' && (p[1] | 0x20) == 'x' && num_digit(p[2]) < 16)
		for (p += 2; p < end && num_digit(*p) < 16;)
			p++;
	else
		while (p < end && lex_is_digit(*p))
			p++;
	for (from = p; p < end && n < 3 && ((*p | 0x20) == 'u' || (*p | 0x20) == 'l'); n++)
		p++;
	while (p > from && !find_suffix(from, (size_t)(p - from)))
		p--;
	return p;
}

/* The unit of time after the digits that the text starts with, as in the names of timer probes; or NULL.
 * *p is moved to it. */
static const struct num_unit *find_time_unit(const char **p, const char *end)
{
	const char *from = *p, *to;

	while (from < end && lex_is_digit(*from))
		from++;
	for (to = from; to < end && lex_is_word(*to);)
		to++;
	for (size_t i = 0; i < NUM_UNITS; i++) {
		size_t n = strlen(num_units[i].name);

		if (num_units[i].ns && (size_t)(to - from) == n && !strncmp(from, num_units[i].name, n)) {
			*p = from;
			return &num_units[i];
		}
	}
	return NULL;
}

static void apply_unit(struct lexer *lx, const struct num_unit *u)
{
	struct token *t = &lx->tok;

	t->at.len += (uint32_t)strlen(u->name);
	lx->p += strlen(u->name);
	if (__builtin_mul_overflow(t->ival, u->ns, &t->ival))
		lex_error(lx, t->at, D_INT_OFLOW, "constant %s%s results in integer overflow", t->str, u->name);
}

void lex_number(struct lexer *lx)
{
	const char *from = lx->p, *to = int_end(from, lx->end), *f;
	const struct num_unit *unit = NULL;
	struct token *t = &lx->tok;
	const char *digits = from;
	char bad = 0;
	int r;

	if (lx->times)
		unit = find_time_unit(&digits, lx->end);
	if (unit)
		to = digits;
	/* "1." and "1e5" are floating-point constants; "0x1e5" is not, its hex part is longer. */
	f = lx->mode == LEX_PROBE ? from : float_end(from, lx->end);
	t->kind = T_INT;
	t->suffix = "";
	if (f > to) {
		t->at = lex_span(lx, from, f);
		lx->p = f;
		lex_error(lx, t->at, D_SYNTAX, "floating-point constants are not permitted");
		t->str = "0";
		return;
	}
	t->at = lex_span(lx, from, to);
	t->str = arena_strndup(lx->arena, from, (size_t)(to - from));
	lx->p = to;
	r = lex_parse_int(from, (size_t)(to - from), &t->ival, &t->suffix, &bad);
	if (r == -ERANGE)
		lex_error(lx, t->at, D_INT_OFLOW, "constant %s results in integer overflow", t->str);
	else if (r == -EDOM)
		lex_error(lx, t->at, D_INT_DIGIT, "constant %s contains invalid digit %c", t->str, bad);
	if (unit)
		apply_unit(lx, unit);
}

/* One escape, after the backslash; *p moves after it. */
static char escape(const char **p, const char *end, bool *known)
{
	static const char names[] = "abfnrtv\"\\"; /* not ' and ?, unlike C */
	static const char values[] = "\a\b\f\n\r\t\v\"\\";
	char c = *(*p)++;
	const char *at = strchr(names, c);
	unsigned v = 0;

	*known = true;
	if (c && at)
		return values[at - names];
	if (c >= '0' && c <= '7') {
		v = (unsigned)(c - '0');
		for (int i = 0; i < 2 && *p < end && **p >= '0' && **p <= '7'; i++)
			v = v * 8 + (unsigned)(*(*p)++ - '0');
		return (char)v;
	}
	if (c == 'x' && *p < end && num_digit(**p) < 16) {
		while (*p < end && num_digit(**p) < 16)
			v = v * 16 + (unsigned)num_digit(*(*p)++);
		return (char)v;
	}
	*known = false;
	return c;
}

static size_t decode(char *out, const char *s, size_t n)
{
	const char *end = s + n;
	size_t len = 0;

	while (s < end) {
		bool known;
		char c = *s++;

		if (c == '\\' && s < end) {
			c = escape(&s, end, &known);
			if (!known) /* DTrace keeps unknown escapes as they are */
				out[len++] = '\\';
		}
		out[len++] = c;
	}
	return len;
}

char *lex_unescape(struct arena *a, const char *s, size_t n, size_t *ret_len)
{
	char *out = arena_alloc(a, n + 1);

	decode(out, s, n);
	*ret_len = strlen(out);
	return out;
}

/* The closing quote of the constant at p, or the newline or end that comes before it. */
static const char *quote_end(const char *p, const char *end, char quote)
{
	for (p++; p < end && *p != quote && *p != '\n'; p++)
		if (*p == '\\' && p + 1 < end && p[1] != '\n')
			p++;
	return p < end ? p : end;
}

void lex_string(struct lexer *lx)
{
	const char *from = lx->p, *to = quote_end(from, lx->end, '"');
	struct token *t = &lx->tok;

	t->kind = T_STR;
	t->str = lex_unescape(lx->arena, from + 1, (size_t)(to - from - 1), &t->len);
	t->at = lex_span(lx, from, to);
	lx->p = to;
	if (to == lx->end) {
		lex_error(lx, t->at, D_SYNTAX, "end-of-file encountered before matching \"");
		lx->cut = true;
	} else if (*to == '\n') {
		lex_read_to(lx, lex_error(lx, t->at, D_STR_NL, "newline encountered in string literal"), to + 1);
	} else {
		lx->p++;
		t->at.len++;
	}
}

void lex_char(struct lexer *lx)
{
	const char *from = lx->p, *to = quote_end(from, lx->end, '\'');
	size_t n = (size_t)(to - from - 1), len;
	struct token *t = &lx->tok;
	char *bytes = arena_alloc(lx->arena, n + 1);

	t->kind = T_INT;
	t->is_char = true;
	t->suffix = "";
	t->str = arena_strndup(lx->arena, from, (size_t)(to - from));
	t->at = lex_span(lx, from, to);
	lx->p = to;
	if (to == lx->end) {
		lex_error(lx, t->at, D_SYNTAX, "end-of-file encountered before matching '");
		lx->cut = true;
		return;
	}
	if (*to == '\n') {
		lex_read_to(lx, lex_error(lx, t->at, D_CHR_NL, "newline encountered in character constant"), to + 1);
		return;
	}
	lx->p++;
	t->at.len++;
	len = decode(bytes, from + 1, n);
	if (len == 0)
		lex_error(lx, t->at, D_CHR_NULL, "empty character constant");
	else if (len > sizeof(t->ival))
		lex_error(lx, t->at, D_CHR_OFLOW, "character constant is too long");
	else /* the first character is the most significant, as C compilers do it */
		for (size_t i = 0; i < len; i++)
			t->ival = t->ival << 8 | (unsigned char)bytes[i];
}
