/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Python's objects as repr() does: numbers, texts, lists, tuples and dicts. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/python/python.h"

/* Source: Include/object.h, longintrepr.h, listobject.h, tupleobject.h, dictobject.h, pycore_dict.h of 3.11 to 3.13. */
enum {
	DIGITS = 24,
	FLOAT_VALUE = 16,
	LIST_ITEMS = 24,
	DICT_USED = 16,
	CELL_VALUE = 16,
	TYPE_NAME = 24,
};
enum { DIGIT_BITS = 30, DIGITS_MAX = 4 }; /* digits that fit into 128 bits */
#define TYPE_CHARS 64			  /* of a type's name */

static bool read_word(const struct pyview *p, uint64_t addr, uint64_t *ret)
{
	return core_read(p->core, addr, ret, sizeof(*ret)) == 0;
}

static void put_other(const struct pyview *p, uint64_t object, uint64_t type, struct strb *b)
{
	char name[TYPE_CHARS] = "";
	struct rt_text t;
	char text[4 * TYPE_CHARS];
	uint64_t at;
	size_t n = 0;

	t = rt_text_begin(text, sizeof(text));
	if (read_word(p, type + TYPE_NAME, &at))
		while (n < sizeof(name) - 1 && core_read(p->core, at + n, name + n, 1) == 0 && name[n])
			rt_text_char(&t, (uint8_t)name[n++]);
	strb_printf(b, "<%s at 0x%" PRIx64 ">", n ? text : "object of an unknown type", object);
}

/* Decimal digits of a number of 120 bits. */
static void put_wide(unsigned __int128 v, struct strb *b)
{
	char digits[40];
	size_t n = sizeof(digits);

	do
		digits[--n] = (char)('0' + (int)(v % 10));
	while (v /= 10);
	strb_add(b, digits + n, sizeof(digits) - n);
}

static bool put_int(const struct pyview *p, uint64_t object, struct strb *b)
{
	uint32_t digit[DIGITS_MAX];
	unsigned __int128 v = 0;
	uint64_t tag, n;
	bool negative;

	if (!read_word(p, object + PY_OB_SIZE, &tag))
		return false;
	if (p->layout->version >= 0x030c) { /* lv_tag: 0 positive, 1 zero, 2 negative; digits */
		negative = (tag & 3) == 2;
		n = tag >> 3;
	} else { /* ob_size: negative for a negative number */
		negative = (int64_t)tag < 0;
		n = negative ? -tag : tag;
	}
	if (n > DIGITS_MAX) {
		strb_printf(b, "<int of about %.0f decimal digits>", (double)n * DIGIT_BITS * log10(2));
		return true;
	}
	if (n && core_read(p->core, object + DIGITS, digit, n * sizeof(*digit)) < 0)
		return false;
	for (uint64_t i = n; i-- > 0;)
		v = v << DIGIT_BITS | (digit[i] & ((1u << DIGIT_BITS) - 1));
	strb_adds(b, negative ? "-" : "");
	put_wide(v, b);
	return true;
}

static bool put_float(const struct pyview *p, uint64_t object, struct strb *b)
{
	char text[32];
	double v;

	if (core_read(p->core, object + FLOAT_VALUE, &v, sizeof(v)) < 0)
		return false;
	for (int digits = 1; digits <= 17; digits++) { /* the shortest that reads as the same number */
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	strb_adds(b, text);
	if (isfinite(v) && !strpbrk(text, ".e"))
		strb_adds(b, ".0");
	return true;
}

static bool put_str(const struct pyview *p, uint64_t object, struct strb *b)
{
	char text[RT_MAX_TEXT];

	if (py_str_text(p->layout, &p->mem, object, PYVIEW_CHARS, text, sizeof(text)) < 0)
		return false;
	strb_printf(b, strchr(text, '\'') && !strchr(text, '"') ? "\"%s\"" : "'%s'", text);
	return true;
}

static bool put_bytes(const struct pyview *p, uint64_t object, struct strb *b)
{
	uint8_t v[PYVIEW_CHARS];
	uint64_t n;

	if (!read_word(p, object + PY_OB_SIZE, &n) ||
	    core_read(p->core, object + PY_BYTES_AT, v, n < sizeof(v) ? n : sizeof(v)) < 0)
		return false;
	strb_adds(b, "b'");
	for (uint64_t i = 0; i < n && i < sizeof(v); i++)
		strb_printf(b, v[i] >= ' ' && v[i] < 127 && v[i] != '\'' && v[i] != '\\' ? "%c" : "\\x%02x", v[i]);
	strb_adds(b, n > sizeof(v) ? "'..." : "'");
	return true;
}

static bool put_items(const struct pyview *p, uint64_t object, bool list, unsigned depth, struct strb *b)
{
	uint64_t n, at = object + PY_TUPLE_AT, item;

	if (!read_word(p, object + PY_OB_SIZE, &n) || (list && n && !read_word(p, object + LIST_ITEMS, &at)))
		return false;
	strb_adds(b, list ? "[" : "(");
	for (uint64_t i = 0; i < n && i < PYVIEW_ITEMS && depth; i++) {
		strb_adds(b, i ? ", " : "");
		if (read_word(p, at + 8 * i, &item))
			pyview_value(p, item, depth - 1, b);
		else
			strb_adds(b, "?");
	}
	if (n > PYVIEW_ITEMS || (n && !depth))
		strb_printf(b, "%s... %" PRIu64 " in all", depth ? ", " : "", n);
	strb_adds(b, !list && n == 1 && depth ? "," : "");
	strb_adds(b, list ? "]" : ")");
	return true;
}

static bool put_dict(const struct pyview *p, uint64_t object, struct strb *b)
{
	uint64_t n;

	if (!read_word(p, object + DICT_USED, &n))
		return false;
	if (n)
		strb_printf(b, "{... %" PRIu64 " in all}", n);
	else
		strb_adds(b, "{}");
	return true;
}

static bool put_known(const struct pyview *p, enum pyview_type type, uint64_t object, unsigned depth, struct strb *b)
{
	uint64_t v;

	switch (type) {
	case PY_INT: return put_int(p, object, b);
	case PY_STR: return put_str(p, object, b);
	case PY_BYTES: return put_bytes(p, object, b);
	case PY_FLOAT: return put_float(p, object, b);
	case PY_BOOL:
		if (core_read(p->core, object + DIGITS, &v, 4) < 0)
			return false;
		strb_adds(b, v & 1 ? "True" : "False");
		return true;
	case PY_LIST: return put_items(p, object, true, depth, b);
	case PY_TUPLE: return put_items(p, object, false, depth, b);
	case PY_DICT: return put_dict(p, object, b);
	case PY_CELL: /* of a variable that inner functions use */
		if (!depth || !read_word(p, object + CELL_VALUE, &v))
			return false;
		if (v)
			pyview_value(p, v, depth - 1, b);
		else
			strb_adds(b, "<no value yet>");
		return true;
	case PY_NTYPES: break;
	}
	return false;
}

void pyview_value(const struct pyview *p, uint64_t object, unsigned depth, struct strb *b)
{
	size_t before = b->n;
	uint64_t type;

	if (object && object == p->none) {
		strb_adds(b, "None");
		return;
	}
	if (!read_word(p, object + PY_OB_TYPE, &type)) {
		strb_printf(b, "<memory at 0x%" PRIx64 " is not there>", object);
		return;
	}
	for (unsigned i = 0; i < PY_NTYPES; i++) {
		if (!p->types[i] || p->types[i] != type)
			continue;
		if (put_known(p, i, object, depth, b))
			return;
		if (b->n > before) /* what could not be read whole */
			b->s[b->n = before] = '\0';
	}
	put_other(p, object, type, b);
}
