/* SPDX-License-Identifier: Apache-2.0 */
/* Measures and checks characters of UTF-8. */
#include "base/utf8.h"
#include "base/cleanup.h"

size_t utf8_len(const uint8_t *s, size_t n)
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
