/* SPDX-License-Identifier: Apache-2.0 */
#include "base/jsonstr.h"
#include <stdint.h>
#include <string.h>
#include "base/utf8.h"

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
	strb_addc(b, '"');
	jsonstr_part(b, s, n, true);
	strb_addc(b, '"');
}

size_t jsonstr_part(struct strb *b, const char *s, size_t n, bool last)
{
	const uint8_t *p = (const uint8_t *)s;

	for (size_t i = 0; i < n;) {
		size_t run = plain_run(p + i, n - i), len;

		strb_add(b, s + i, run);
		i += run;
		if (i == n)
			break;
		len = utf8_len(p + i, n - i);
		if (!len && !last && utf8_may_go_on(p + i, n - i))
			return i;
		if (len == 1)
			put_char(b, p[i]);
		else if (len == 2 && utf8_is_control(p + i))
			strb_printf(b, "\\u%04x", p[i + 1]);
		else if (len)
			strb_add(b, s + i, len);
		else
			strb_adds(b, "\\ufffd");
		i += len ? len : 1;
	}
	return n;
}
