/* SPDX-License-Identifier: Apache-2.0 */
/* Text of strangers' memory. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/rtfmt.h"
#include "runtime/runtime.h"

struct rt_text rt_text_begin(char *buf, size_t size)
{
	if (size)
		buf[0] = '\0';
	return (struct rt_text){ buf, 0, size < RT_MAX_TEXT ? size : RT_MAX_TEXT };
}

void rt_text_add(struct rt_text *t, const char *fmt, ...)
{
	char one[32];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(one, sizeof(one), fmt, ap);
	va_end(ap);
	if (n <= 0 || (size_t)n >= sizeof(one) || t->n + (size_t)n >= t->size)
		return; /* whole characters, or nothing */
	memcpy(t->buf + t->n, one, (size_t)n + 1);
	t->n += (size_t)n;
}

static bool is_plain(uint32_t c)
{
	return c >= 0x20 && !(c >= 0x7f && c < 0xa0) && !(c >= 0x200b && c <= 0x200f) &&
	       !(c >= 0x2028 && c <= 0x202e) && !(c >= 0x2060 && c <= 0x206f) && !(c >= 0xd800 && c < 0xe000) &&
	       c != 0xfeff && c != 0x2190 && c < 0x110000;
}

void rt_text_char(struct rt_text *t, uint32_t c)
{
	if (!is_plain(c))
		rt_text_add(t, c < 0x100 ? "\\x%02" PRIx32 : c < 0x10000 ? "\\u%04" PRIx32 : "\\U%08" PRIx32, c);
	else if (c < 0x80)
		rt_text_add(t, "%c", (char)c);
	else if (c < 0x800)
		rt_text_add(t, "%c%c", (char)(0xc0 | c >> 6), (char)(0x80 | (c & 63)));
	else if (c < 0x10000)
		rt_text_add(t, "%c%c%c", (char)(0xe0 | c >> 12), (char)(0x80 | (c >> 6 & 63)), (char)(0x80 | (c & 63)));
	else
		rt_text_add(t, "%c%c%c%c", (char)(0xf0 | c >> 18), (char)(0x80 | (c >> 12 & 63)),
			    (char)(0x80 | (c >> 6 & 63)), (char)(0x80 | (c & 63)));
}

#define AT " at "

/* Takes ":number" from the end of a text of n bytes. 0: it has none. */
static uint32_t take_number(const char *text, size_t *n)
{
	size_t i = *n;
	uint32_t v = 0, scale = 1;

	while (i && text[i - 1] >= '0' && text[i - 1] <= '9' && *n - i < 9) {
		v += scale * (uint32_t)(text[--i] - '0');
		scale *= 10;
	}
	if (i == *n || i < 2 || text[i - 1] != ':')
		return 0;
	*n = i - 1;
	return v;
}

static struct rt_function function_of(const char *text, size_t n)
{
	const size_t at_len = sizeof(AT) - 1;
	struct rt_function f = { .name = text, .name_len = n };
	uint32_t last, before;

	for (size_t i = 0; i + at_len < n; i++) {
		if (memcmp(text + i, AT, at_len) != 0)
			continue;
		f.name_len = i;
		f.file = text + i + at_len;
		f.file_len = n - i - at_len;
		break; /* a file may have it in its name */
	}
	if (!f.file_len)
		return f;
	last = take_number(f.file, &f.file_len);
	before = last ? take_number(f.file, &f.file_len) : 0;
	f.line = before ? before : last;
	f.column = before ? last : 0;
	return f;
}

size_t rt_text_functions(const char *text, struct rt_function *ret, size_t max)
{
	size_t n = 0;

	while (n < max) {
		const char *end = strstr(text, RT_INLINED_INTO);

		ret[n++] = function_of(text, end ? (size_t)(end - text) : strlen(text));
		if (!end)
			break;
		text = end + sizeof(RT_INLINED_INTO) - 1;
	}
	return n;
}
