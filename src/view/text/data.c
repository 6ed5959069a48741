/* SPDX-License-Identifier: Apache-2.0 */
/* Values in DTrace's default forms: numbers by size, strings, bytes as a dump. */
#include <ctype.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/plain.h"
#include "view/text/int.h"

static void rawbytes_row(struct text_view *v, const uint8_t *p, size_t i, size_t n)
{
	enum { MARGIN = 5 };
	size_t j, end = i + 16 < n ? i + 16 : n;

	text_printf(v, "%*s%5zx:", MARGIN, "", i);
	for (j = i; j < end; j++)
		text_printf(v, " %02x", p[j]);
	for (; j < i + 16; j++)
		text_printf(v, "   ");
	text_printf(v, "  ");
	for (j = i; j < end; j++)
		text_printf(v, "%c", p[j] < ' ' || p[j] > '~' ? '.' : p[j]);
	text_printf(v, "\n");
}

/* tracemem()'s dump: 16 bytes a row, in hex and as characters. */
void text_rawbytes(struct text_view *v, const uint8_t *p, size_t n)
{
	if (n == 0)
		return;
	text_printf(v, "\n%*s      ", 5, "");
	for (int i = 0; i < 16; i++)
		text_printf(v, "  %c", "0123456789abcdef"[i]);
	text_printf(v, "  0123456789abcdef\n");
	for (size_t i = 0; i < n; i += 16)
		rawbytes_row(v, p, i, n);
}

static bool printable(uint8_t c)
{
	return c < 0x80 && (isprint(c) || isspace(c) || c == '\b' || c == '\a');
}

/* Length of the text if the bytes look like a string (printable, then only NULs), else -1. */
static ssize_t looks_like_string(const uint8_t *p, size_t n)
{
	size_t i = 0, j;

	while (i < n && printable(p[i]))
		i++;
	if (i == n)
		return (ssize_t)n;
	if (i == 0 || p[i] != '\0')
		return -1;
	for (j = i; j < n; j++)
		if (p[j] != '\0')
			return -1;
	return (ssize_t)i;
}

/* Strings are the program's, and printed as DTrace prints them; a terminal does not obey those of strangers, which are
 * in them. */
static void print_text(struct text_view *v, const uint8_t *p, size_t n, int width, bool quiet)
{
	_cleanup_(strb_free) struct strb b = { 0 };

	if (v->terminal) {
		plain_part(&b, (const char *)p, n, true, true);
		p = (const uint8_t *)strb_str(&b);
		n = b.n;
	}
	if (quiet)
		text_printf(v, "%.*s", (int)n, (const char *)p);
	else
		text_printf(v, "  %-*.*s", width, (int)n, (const char *)p);
}

/* Arrays of characters are shown as text if they look like it; structs and other arrays are not. */
static void print_bytes(struct text_view *v, const struct recfield *f, const uint8_t *p, int width, bool quiet)
{
	ssize_t len = v->opts.rawbytes || !f->is_char ? -1 : looks_like_string(p, f->size);

	if (len < 0)
		text_rawbytes(v, p, f->size);
	else
		print_text(v, p, (size_t)len, width, quiet);
}

/* Source: dt_print_trace() and dt_print_datum() of libdtrace: trace() tells signed from unsigned and leaves room for
 * the largest value of the type. Keys have their own widths and are signed when of 32 or 64 bits. */
static const struct datum_form {
	int text_width;
	int widths[9]; /* by size, signed */
	int widest_unsigned;
	bool u64;
} form_trace = { 33, { [1] = 3, [2] = 5, [4] = 10, [8] = 19 }, 20, true },
  form_key = { 50, { [1] = 3, [2] = 5, [4] = 8, [8] = 16 }, 16, false };

static void print_number(struct text_view *v, const struct recfield *f, const uint8_t *p, const struct datum_form *form,
			 bool quiet)
{
	unsigned long long val = recfield_u64(f, p);
	bool u64 = f->size == 8 && !f->is_signed && form->u64;
	int width = quiet ? 0 : u64 ? form->widest_unsigned : form->widths[f->size];

	if (form == &form_key && f->size < 4)
		val &= (1ULL << 8 * f->size) - 1;
	text_printf(v, "%s", quiet ? "" : " ");
	if (u64)
		text_printf(v, "%*llu", width, val);
	else
		text_printf(v, "%*lld", width, (long long)val);
}

static void print_datum(struct text_view *v, const struct recfield *f, const uint8_t *p, const struct datum_form *form,
			bool quiet)
{
	int width = form->text_width;
	char buf[1024];

	switch (f->kind) {
	case FLD_INT:
		if (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8)
			print_number(v, f, p, form, quiet);
		break;
	case FLD_STRING:
		if (v->opts.rawbytes)
			text_rawbytes(v, p, f->size);
		else
			print_text(v, p, strnlen((const char *)p, f->size), width, quiet);
		break;
	case FLD_BYTES: print_bytes(v, f, p, width, quiet); break;
	case FLD_STACK:
	case FLD_USTACK: text_stack(v, f, p, (int)v->opts.stackindent, "%s"); break;
	default:
		text_addr_str(v, f, p, buf, sizeof(buf));
		text_printf(v, "  %-50s", buf);
		break;
	}
}

void text_datum_trace(struct text_view *v, const struct recfield *f, const uint8_t *p)
{
	print_datum(v, f, p, &form_trace, v->opts.quiet);
}

void text_datum_key(struct text_view *v, const struct recfield *f, const uint8_t *p)
{
	print_datum(v, f, p, &form_key, false);
}
