/* SPDX-License-Identifier: Apache-2.0 */
/* D's format language: printf(), printa(), system(), freopen(). */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "base/vec.h"
#include "view/text/int.h"

/* One printf(3) conversion being built: flags, then "*.*" with width and precision. */
struct conv {
	char fmt[32];
	int width, prec;
};

static void conv_make(struct conv *c, const struct pfconv *pf, int width, int prec, const char *len, char letter)
{
	char *s = c->fmt;

	*s++ = '%';
	if (pf->flags & PF_ALT)
		*s++ = '#';
	if (pf->flags & PF_ZPAD)
		*s++ = '0';
	if (pf->flags & PF_LEFT)
		*s++ = '-';
	if (pf->flags & PF_SPOS)
		*s++ = '+';
	if (pf->flags & PF_SPACE)
		*s++ = ' ';
	if (pf->flags & PF_GROUP)
		*s++ = '\'';
	*s++ = '*';
	*s++ = '.';
	*s++ = '*';
	while (*len)
		*s++ = *len++;
	*s++ = letter;
	*s = '\0';
	c->width = width;
	c->prec = prec;
}

/* The formats below are made by conv_make() from checked conversions with exactly these arguments. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void put_str(struct text_view *v, const struct pfconv *pf, int width, int prec, const char *s)
{
	struct conv c;

	conv_make(&c, pf, width, prec, "", 's');
	text_printf(v, c.fmt, c.width, c.prec, s);
}

static void put_int(struct text_view *v, const struct pfconv *pf, int width, int prec, char letter, uint64_t val)
{
	struct conv c;

	conv_make(&c, pf, width, prec, "ll", letter);
	text_printf(v, c.fmt, c.width, c.prec, (unsigned long long)val);
}

static void put_char(struct text_view *v, const struct pfconv *pf, int width, uint64_t val)
{
	struct conv c;

	conv_make(&c, pf, width, -1, "", 'c');
	text_printf(v, c.fmt, c.width, c.prec, (int)(unsigned char)val);
}

static void put_float(struct text_view *v, const struct pfconv *pf, int width, int prec, const struct datum *d)
{
	struct conv c;
	long double val = 0;
	double f64;
	float f32;

	if (d->f->size == sizeof(f32)) {
		memcpy(&f32, d->p, sizeof(f32));
		val = f32;
	} else if (d->f->size == sizeof(f64)) {
		memcpy(&f64, d->p, sizeof(f64));
		val = f64;
	} else if (d->f->size == sizeof(val)) {
		memcpy(&val, d->p, sizeof(val));
	}
	conv_make(&c, pf, width, prec, "L", pf->conv);
	text_printf(v, c.fmt, c.width, c.prec, val);
}
#pragma GCC diagnostic pop

/* C's escapes, as %S and %C show them. */
static size_t escape_char(char *out, unsigned char c)
{
	static const char from[] = "\a\b\f\n\r\t\v\"\\", to[] = "abfnrtv\"\\";
	const char *p = c ? strchr(from, c) : NULL;

	if (p) {
		out[0] = '\\';
		out[1] = to[p - from];
		return 2;
	}
	if (c == '\0') {
		memcpy(out, "\\0", 2);
		return 2;
	}
	if (isprint(c)) {
		out[0] = (char)c;
		return 1;
	}
	out[0] = '\\';
	out[1] = (char)('0' + (c >> 6));
	out[2] = (char)('0' + ((c >> 3) & 7));
	out[3] = (char)('0' + (c & 7));
	return 4;
}

void text_escaped(struct text_view *v, const char *s, size_t n)
{
	char esc[8];

	for (size_t i = 0; i < n; i++)
		text_printf(v, "%.*s", (int)escape_char(esc, (unsigned char)s[i]), esc);
}

static void put_text(struct text_view *v, const struct pfconv *pf, int width, int prec, const uint8_t *p, size_t n,
		     bool escape)
{
	_cleanup_free_ char *s = malloc(4 * n + 1);
	size_t len = strnlen((const char *)p, n), k = 0;

	if (!s)
		return;
	for (size_t i = 0; i < len; i++) {
		if (escape)
			k += escape_char(s + k, p[i]);
		else
			s[k++] = (char)p[i];
	}
	s[k] = '\0';
	put_str(v, pf, width, prec, s);
}

/* A character as UTF-8; numbers that are none become U+FFFD. Returns its bytes. */
static size_t utf8_char(char *out, uint32_t c)
{
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd;
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* %ws, %ls: an array of characters of 4 bytes. */
static void put_wide(struct text_view *v, const struct pfconv *pf, int width, int prec, const uint8_t *p, size_t n)
{
	_cleanup_free_ char *s = malloc(n + 1);
	size_t k = 0;
	uint32_t c;

	if (!s)
		return;
	for (size_t i = 0; i + sizeof(c) <= n; i += sizeof(c)) {
		memcpy(&c, p + i, sizeof(c));
		if (!c)
			break;
		k += utf8_char(s + k, c);
	}
	s[k] = '\0';
	put_str(v, pf, width, prec, s);
}

static void put_time(struct text_view *v, const struct pfconv *pf, int width, int prec, uint64_t ns)
{
	time_t sec = (time_t)(ns / NSEC_PER_SEC);
	struct tm tm;
	char buf[128];

	if (!localtime_r(&sec, &tm))
		return;
	/* "1973 Dec  3 17:20:00", and RFC 822's form */
	strftime(buf, sizeof(buf), pf->class == PFC_TIME ? "%Y %b %e %H:%M:%S" : "%a, %d %b %G %T %Z", &tm);
	put_str(v, pf, width, prec, buf);
}

static void put_addr(struct text_view *v, const struct pfconv *pf, int width, int prec, const struct datum *d)
{
	char buf[1024];

	if (d->f->kind != FLD_INT)
		text_addr_str(v, d->f, d->p, buf, sizeof(buf));
	else if (pf->class == PFC_UADDR)
		text_uaddr_str(v, v->opts.target, 0, recfield_u64(d->f, d->p), true, buf, sizeof(buf));
	else
		text_kaddr_str(v, recfield_u64(d->f, d->p), true, buf, sizeof(buf));
	put_str(v, pf, width, prec, buf);
}

static void put_stack(struct text_view *v, const struct pfconv *pf, int width, const struct datum *d)
{
	/* the width is the indentation when left-aligned, as in DTrace */
	int indent = width < 0 ? -width : (pf->flags & PF_LEFT) ? width : 0;

	text_stack(v, d->f, d->p, indent, "%s");
}

/* The value cut to what the conversion's size prefix says, sign-extended for signed ones. */
static uint64_t cut_to_size(const struct pfconv *pf, const struct recfield *f, uint64_t val)
{
	unsigned size = f->size <= 8 && f->size ? f->size : 8;
	bool is_signed = pf->class == PFC_DINT && f->is_signed;

	if (pf->name[0] == 'h')
		size = pf->name[1] == 'h' ? 1 : size < 2 ? size : 2;
	if (size == 8)
		return val;
	val <<= 64 - 8 * size;
	return is_signed ? (uint64_t)((int64_t)val >> (64 - 8 * size)) : val >> (64 - 8 * size);
}

static void put_datum(struct text_view *v, const struct pfconv *pf, int width, int prec, const struct datum *d)
{
	bool number = d->f->kind == FLD_INT;
	uint64_t val = number ? recfield_u64(d->f, d->p) : 0;
	char letter = pf->conv;

	if (d->f->kind == FLD_STACK || d->f->kind == FLD_USTACK) {
		put_stack(v, pf, width, d);
		return;
	}
	if (d->f->kind == FLD_STRING && (pf->class == PFC_ADDR || pf->class == PFC_UADDR || pf->class == PFC_STACK)) {
		put_text(v, pf, width, prec, d->p, d->f->size, false); /* a symbol or stack of another machine */
		return;
	}
	switch (pf->class) {
	case PFC_DINT:
		if (!d->f->is_signed)
			letter = 'u';
		/* fall through */
	case PFC_UINT:
		if (!number && d->f->kind >= FLD_SYM)
			put_addr(v, pf, width, prec, d);
		else
			put_int(v, pf, width, prec, letter, cut_to_size(pf, d->f, val));
		break;
	case PFC_CHAR: put_char(v, pf, width, val); break;
	case PFC_ECHR: {
		char esc[8];

		esc[escape_char(esc, (unsigned char)val)] = '\0';
		put_str(v, pf, width, prec, esc);
		break;
	}
	case PFC_STR:
	case PFC_ESTR:
		if (d->f->kind >= FLD_SYM)
			put_addr(v, pf, width, prec, d);
		else if (pf->name[1])
			put_wide(v, pf, width, prec, d->p, d->f->size);
		else
			put_text(v, pf, width, prec, d->p, d->f->size, pf->class == PFC_ESTR);
		break;
	case PFC_FLOAT: put_float(v, pf, width, prec, d); break;
	case PFC_ADDR:
	case PFC_UADDR: put_addr(v, pf, width, prec, d); break;
	case PFC_TIME:
	case PFC_TIME822: put_time(v, pf, width, prec, val); break;
	default: break;
	}
}

static void put_aggvalue(struct text_view *v, const struct pfconv *pf, int width, int prec, const struct aggval *a)
{
	static const uint64_t zero[8];
	struct recfield f = { .kind = FLD_INT, .size = 8, .is_signed = true };
	int64_t num;
	struct datum d = { &f, (const uint8_t *)&num };

	if (text_agg_is_dist(a->d->func)) {
		text_aggvalue(v, a->d, a->value, a->normal);
		return;
	}
	num = text_aggnumber(a->d, a->value ? a->value : zero, a->normal);
	put_datum(v, pf, width, prec, &d);
}

int text_find_format(struct text_view *v, const char *fmt, size_t len, const struct fmtcache **ret)
{
	struct fmtcache e = { .fmt = fmt };
	const char *reason;
	int r;

	for (size_t i = 0; i < v->ncache; i++) {
		if (v->cache[i].fmt == fmt) {
			*ret = &v->cache[i];
			return 0;
		}
	}
	r = vec_reserve_raw((void **)&v->cache, &v->cap_cache, v->ncache + 1, sizeof(e));
	if (r == 0)
		r = printfmt_parse(v->arena, fmt, len, true, &e.convs, &e.n, &reason);
	if (r < 0)
		return r;
	for (size_t i = 0; i < e.n; i++)
		e.stars |= (e.convs[i].flags & (PF_DYNWIDTH | PF_DYNPREC)) != 0;
	v->cache[v->ncache] = e;
	*ret = &v->cache[v->ncache++];
	return 0;
}

/* Takes the next datum as the value of a "*". */
static int64_t take_star(const struct datum *data, size_t ndata, size_t *used)
{
	if (*used >= ndata || data[*used].f->kind != FLD_INT)
		return 0;
	int64_t n = (int64_t)recfield_u64(data[*used].f, data[*used].p);

	(*used)++;
	return n;
}

/* Whether what the record says of widths is small enough, alone and with what the record has printed before. */
static int check_sizes(struct text_view *v, const struct fmtcache *c, const struct datum *data, size_t ndata,
		       size_t naggs)
{
	uint64_t total = v->padding, wide = v->wide_padding;
	size_t used = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct pfconv *pf = &c->convs[i];
		int64_t width = pf->width, prec = pf->prec;

		if (pf->class == PFC_NONE || pf->class == PFC_PCT)
			continue;
		if (!v->opts.json) { /* constants have a bound of their own */
			wide += (uint64_t)width + (uint64_t)(prec < 0 ? 0 : prec);
			width = 0;
			prec = -1;
		}
		if (pf->flags & PF_DYNWIDTH)
			width = take_star(data, ndata, &used);
		if (pf->flags & PF_DYNPREC)
			prec = take_star(data, ndata, &used);
		if (printfmt_check_size(width, prec, &total) < 0 || wide > PRINTFMT_WIDE_TEXT) {
			v->wide_value = width < -PRINTFMT_MAX_WIDTH || width > prec ? width : prec;
			if (wide > PRINTFMT_WIDE_TEXT)
				v->wide_value = TEXT_WIDE_CONSTANTS;
			return -ERANGE;
		}
		used += !(naggs && ((pf->flags & PF_AGG) || used >= ndata));
	}
	if (!naggs) {
		v->padding = total;
		v->wide_padding = wide;
	}
	return 0;
}

int text_format(struct text_view *v, const char *fmt, size_t fmt_len, const struct datum *data, size_t ndata,
		const struct aggval *aggs, size_t naggs)
{
	const struct fmtcache *c;
	size_t used = 0, agg = 0;
	int r = text_find_format(v, fmt, fmt_len, &c);

	if (r == 0 && (c->stars || !naggs)) /* a row of a printa() is bounded by its format */
		r = check_sizes(v, c, data, ndata, naggs);
	if (r < 0)
		return r;
	for (size_t i = 0; i < c->n; i++) {
		const struct pfconv *pf = &c->convs[i];
		int width = pf->width, prec = pf->prec;

		if (pf->preflen)
			text_printf(v, "%.*s", (int)pf->preflen, pf->prefix);
		if (pf->class == PFC_NONE)
			continue;
		if (pf->class == PFC_PCT) {
			text_printf(v, "%%");
			continue;
		}
		if (pf->flags & PF_DYNWIDTH)
			width = (int)take_star(data, ndata, &used);
		if (pf->flags & PF_DYNPREC)
			prec = (int)take_star(data, ndata, &used);
		if (prec == 0)
			prec = -1; /* in D a precision of 0 is none: "%.0s" shows the whole string */
		if (naggs && ((pf->flags & PF_AGG) || used >= ndata)) {
			put_aggvalue(v, pf, width, prec, &aggs[agg]);
			if (agg + 1 < naggs)
				agg++;
		} else if (used < ndata) {
			put_datum(v, pf, width, prec, &data[used++]);
		}
	}
	return (int)used;
}
