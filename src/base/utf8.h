/* SPDX-License-Identifier: Apache-2.0 */
/* Measures and checks characters of UTF-8 in bytes that may be anything. */
#ifndef DWELL_BASE_UTF8_H
#define DWELL_BASE_UTF8_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes of the byte order mark (BOM) at the start of a text: 3, or 0 when there is none. */
static inline size_t utf8_bom(const char *s, size_t n)
{
	return n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3) ? 3 : 0;
}

#define UTF8_MAX 4 /* bytes of a character */

/* Length of the character at s (n > 0 bytes are there; no overlong forms, no surrogates), or 0: it is none.
 * Source: Unicode 15, table 3-7. */
size_t utf8_len(const uint8_t *s, size_t n);
/* Whether a character of 2 bytes is a control character, U+0080 to U+009F, which terminals obey as they do ESC and a
 * letter. */
static inline bool utf8_is_control(const uint8_t *s)
{
	return s[0] == 0xc2 && s[1] < 0xa0;
}
/* The n > 0 bytes at s are no whole character. May they be the beginning of one, by their first byte? */
static inline bool utf8_may_go_on(const uint8_t *s, size_t n)
{
	return n < UTF8_MAX && s[0] >= 0xc2 && s[0] <= 0xf4;
}
#endif
