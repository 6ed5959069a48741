/* SPDX-License-Identifier: Apache-2.0 */
#include "base/jsonw.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/jsonstr.h"

struct jsonw jsonw_to(struct strb *b)
{
	return (struct jsonw){ .b = b };
}

/* Writes what precedes a value: a comma, unless it is the first of its container, and its name. */
static void begin_value(struct jsonw *w, const char *name)
{
	uint64_t bit = 1ull << w->depth;

	if (w->depth && (w->filled & bit))
		strb_addc(w->b, ',');
	w->filled |= bit;
	if (!name)
		return;
	jsonstr_add(w->b, name, strlen(name));
	strb_addc(w->b, ':');
}

static void open_container(struct jsonw *w, const char *name, char c)
{
	begin_value(w, name);
	if (w->depth == JSONW_MAX_DEPTH) {
		w->b->failed = true;
		return;
	}
	strb_addc(w->b, c);
	w->depth++;
	w->filled &= ~(1ull << w->depth);
}

static void close_container(struct jsonw *w, char c)
{
	if (w->b->failed || w->depth == 0)
		return;
	strb_addc(w->b, c);
	w->depth--;
}

void jsonw_object(struct jsonw *w, const char *name)
{
	open_container(w, name, '{');
}

void jsonw_end_object(struct jsonw *w)
{
	close_container(w, '}');
}

void jsonw_array(struct jsonw *w, const char *name)
{
	open_container(w, name, '[');
}

void jsonw_end_array(struct jsonw *w)
{
	close_container(w, ']');
}

void jsonw_line(struct jsonw *w)
{
	strb_addc(w->b, '\n');
}

void jsonw_strn(struct jsonw *w, const char *name, const char *s, size_t n)
{
	begin_value(w, name);
	jsonstr_add(w->b, s, n);
}

void jsonw_str(struct jsonw *w, const char *name, const char *s)
{
	jsonw_strn(w, name, s ? s : "", s ? strlen(s) : 0);
}

void jsonw_strf(struct jsonw *w, const char *name, const char *fmt, ...)
{
	struct strb text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	strb_vprintf(&text, fmt, ap);
	va_end(ap);
	jsonw_strn(w, name, strb_str(&text), text.n);
	w->b->failed |= text.failed;
	strb_free(&text);
}

void jsonw_begin_str(struct jsonw *w, const char *name)
{
	begin_value(w, name);
	strb_addc(w->b, '"');
}

void jsonw_end_str(struct jsonw *w)
{
	strb_addc(w->b, '"');
}

void jsonw_hex(struct jsonw *w, const char *name, uint64_t v)
{
	begin_value(w, name);
	strb_printf(w->b, "\"0x%" PRIx64 "\"", v);
}

void jsonw_bytes(struct jsonw *w, const char *name, const void *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *from = p;

	jsonw_begin_str(w, name);
	for (size_t i = 0; i < n; i++) {
		strb_addc(w->b, digits[from[i] >> 4]);
		strb_addc(w->b, digits[from[i] & 15]);
	}
	jsonw_end_str(w);
}

void jsonw_u64(struct jsonw *w, const char *name, uint64_t v)
{
	begin_value(w, name);
	strb_printf(w->b, "%" PRIu64, v);
}

void jsonw_i64(struct jsonw *w, const char *name, int64_t v)
{
	begin_value(w, name);
	strb_printf(w->b, "%" PRId64, v);
}

void jsonw_bool(struct jsonw *w, const char *name, bool v)
{
	begin_value(w, name);
	strb_adds(w->b, v ? "true" : "false");
}

void jsonw_null(struct jsonw *w, const char *name)
{
	begin_value(w, name);
	strb_adds(w->b, "null");
}

void jsonw_double(struct jsonw *w, const char *name, double v, int digits)
{
	if (!isfinite(v)) {
		jsonw_null(w, name);
		return;
	}
	begin_value(w, name);
	strb_printf(w->b, "%.*g", digits, v);
}

void jsonw_fixed(struct jsonw *w, const char *name, double v, int digits)
{
	if (!isfinite(v)) {
		jsonw_null(w, name);
		return;
	}
	begin_value(w, name);
	strb_printf(w->b, "%.*f", digits, v);
}

void jsonw_raw(struct jsonw *w, const char *name, const char *text, size_t n)
{
	begin_value(w, name);
	strb_add(w->b, text, n);
}

void jsonw_members(struct jsonw *w, const char *text, size_t n)
{
	if (n <= 2) /* there are none */
		return;
	begin_value(w, NULL);
	strb_add(w->b, text + 1, n - 2);
}

bool jsonw_is_type(const char *line, const char *type)
{
	static const char head[] = "{\"type\":\"";
	size_t n = strlen(type);

	return !strncmp(line, head, sizeof(head) - 1) && !strncmp(line + sizeof(head) - 1, type, n) &&
	       line[sizeof(head) - 1 + n] == '"';
}
