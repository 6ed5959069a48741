/* SPDX-License-Identifier: Apache-2.0 */
#include "base/jsonstr.h"
#include <stdint.h>
#include <string.h>
#include "base/cleanup.h"

/* Length of the UTF-8 character at s (no overlong forms, no surrogates), or 0. */
static size_t utf8_len(const uint8_t *s, size_t n)
{
	static const struct {
		uint8_t lead, end, low, high; /* lead byte … end; range of the second byte */
		uint8_t len;
	} forms[] = {
		{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
		{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	if (s[0] < 0x80)
		return 1;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (s[0] < forms[i].lead || s[0] > forms[i].end)
			continue;
		if (n < forms[i].len || s[1] < forms[i].low || s[1] > forms[i].high)
			return 0;
		for (size_t k = 2; k < forms[i].len; k++)
			if ((s[k] & 0xc0) != 0x80)
				return 0;
		return forms[i].len;
	}
	return 0;
}

static void put_char(struct strb *b, uint8_t c)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *p = c ? strchr(from, c) : NULL;

	if (p)
		strb_printf(b, "\\%c", to[p - from]);
	else if (c < 0x20 || c == 0x7f)
		strb_printf(b, "\\u%04x", c);
	else
		strb_addc(b, (char)c);
}

/* Characters that need no escape. */
static size_t plain_run(const uint8_t *p, size_t n)
{
	size_t i = 0;

	while (i < n && p[i] >= 0x20 && p[i] < 0x7f && p[i] != '"' && p[i] != '\\')
		i++;
	return i;
}

void jsonstr_add(struct strb *b, const char *s, size_t n)
{
	const uint8_t *p = (const uint8_t *)s;

	strb_addc(b, '"');
	for (size_t i = 0; i < n;) {
		size_t run = plain_run(p + i, n - i), len;

		strb_add(b, s + i, run);
		i += run;
		if (i == n)
			break;
		len = utf8_len(p + i, n - i);
		if (len == 1)
			put_char(b, p[i]);
		else if (len)
			strb_add(b, s + i, len);
		else
			strb_adds(b, "\\ufffd");
		i += len ? len : 1;
	}
	strb_addc(b, '"');
}
