/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes control characters and invalid UTF-8 as \ooo, so that untrusted text cannot control the terminal. */
#include "base/plain.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "base/utf8.h"

/* Bytes of the character at p that a terminal only shows; 0: none. */
static size_t shown(const uint8_t *p, size_t n, bool lines)
{
	size_t len = utf8_len(p, n);

	if (len == 1 && (p[0] < ' ' || p[0] == 0x7f))
		return lines && (p[0] == '\n' || p[0] == '\t');
	return len == 2 && utf8_is_control(p) ? 0 : len;
}

size_t plain_part(struct strb *b, const char *s, size_t n, bool lines, bool last)
{
	const uint8_t *p = (const uint8_t *)s;
	size_t from = 0, i = 0;

	while (i < n) {
		size_t len = shown(p + i, n - i, lines);

		if (!len && !last && utf8_may_go_on(p + i, n - i))
			break;
		if (!len) {
			strb_add(b, s + from, i - from);
			strb_printf(b, "\\%03o", p[i]);
			from = i + 1;
		}
		i += len ? len : 1;
	}
	strb_add(b, s + from, i - from);
	return i;
}

const char *plain_name(const char *s, char *buf, size_t size)
{
	size_t n = strlen(s), i = 0, len;
	struct strb b = { 0 };

	while (i < n && s[i] >= ' ' && s[i] < 0x7f)
		i++;
	while (i < n && (len = shown((const uint8_t *)s + i, n - i, false)))
		i += len;
	if (i == n)
		return s;
	plain_part(&b, s, n, false, true);
	snprintf(buf, size, "%s", strb_str(&b));
	strb_free(&b);
	return buf;
}
