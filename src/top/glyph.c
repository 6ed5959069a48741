/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses characters by value and cuts texts to columns. */
#include "top/glyph.h"
#include <string.h>
#include <wchar.h>
#include "base/utf8.h"

unsigned glyph_level(uint64_t ns)
{
	unsigned level = 1;

	if (!ns)
		return 0;
	for (uint64_t up_to = 1000; level < GLYPH_LEVELS && ns > up_to; up_to *= 10)
		level++;
	return level;
}

const char *glyph_bar(unsigned level, bool utf8)
{
	static const char *const bars[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const digits[] = { " ", "1", "2", "3", "4", "5", "6", "7", "8" };

	if (level > GLYPH_LEVELS)
		level = GLYPH_LEVELS;
	return utf8 ? bars[level] : digits[level];
}

unsigned glyph_heat(uint64_t n, uint64_t max)
{
	unsigned bits_n = 0, bits_max = 0;

	if (!n)
		return 0;
	for (uint64_t v = n; v; v >>= 1)
		bits_n++;
	for (uint64_t v = max < n ? n : max; v; v >>= 1)
		bits_max++;
	return bits_max <= 1 ? GLYPH_LEVELS : 1 + (bits_n - 1) * (GLYPH_LEVELS - 1) / (bits_max - 1);
}

const char *glyph_shade(unsigned level, bool utf8)
{
	static const char *const shades[] = { " ", "░", "▒", "▓", "█" };
	static const char *const ascii[] = { " ", ".", ":", "*", "#" };
	unsigned i = level ? 1 + (level - 1) * (GLYPH_SHADES - 1) / GLYPH_LEVELS : 0;

	if (i >= GLYPH_SHADES)
		i = GLYPH_SHADES - 1;
	return utf8 ? shades[i] : ascii[i];
}

/* Columns of the character of n bytes at s; -1: it is not to be printed. */
static int width_of(const char *s, size_t n)
{
	mbstate_t state = { 0 };
	wchar_t c;

	if (n == 1)
		return (unsigned char)*s >= ' ' && *s != 0x7f ? 1 : -1;
	return mbrtowc(&c, s, n, &state) == n ? wcwidth(c) : -1;
}

/* Appends n bytes of width w at *at, when they and an ellipsis have room. */
static bool put(char *dst, size_t size, size_t *at, const char *s, size_t n)
{
	if (*at + n + 4 > size)
		return false;
	memcpy(dst + *at, s, n);
	*at += n;
	return true;
}

size_t glyph_fit(char *dst, size_t size, const char *s, size_t cols, bool utf8)
{
	size_t at = 0, used = 0, cut = 0, cut_used = 0; /* cut: where an ellipsis would go */
	bool whole = true;

	for (size_t left = strlen(s); left;) {
		size_t n = utf8_len((const uint8_t *)s, left);
		int w = n && (utf8 || n == 1) ? width_of(s, n) : -1;
		const char *from = w < 0 ? "?" : s;
		size_t len = w < 0 ? 1 : n;

		if (used + (w < 0 ? 1 : (size_t)w) > cols || !put(dst, size, &at, from, len)) {
			whole = false;
			break;
		}
		used += w < 0 ? 1 : (size_t)w;
		if (used < cols) {
			cut = at;
			cut_used = used;
		}
		n = n ? n : 1;
		s += n;
		left -= n;
	}
	if (!whole && cols) {
		const char *dots = utf8 ? "…" : "~";

		memcpy(dst + cut, dots, strlen(dots));
		at = cut + strlen(dots);
		used = cut_used + 1;
	}
	dst[at] = '\0';
	return used;
}
