/* SPDX-License-Identifier: Apache-2.0 */
/* Draws quantities with characters, and cuts texts to columns of a terminal. */
#ifndef DWELL_TOP_GLYPH_H
#define DWELL_TOP_GLYPH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GLYPH_LEVELS 8
#define GLYPH_SHADES 5 /* with none */

/* 0: no delay; 1: up to 1 us, 2: up to 10 us … 8: more than 1 s. Fixed, so that nothing jumps. */
unsigned glyph_level(uint64_t ns);
/* A bar of that height in one character: in UTF-8, or a digit. */
const char *glyph_bar(unsigned level, bool utf8);
/* 0 (nothing) … GLYPH_LEVELS: how much n is of max, by logarithm. */
unsigned glyph_heat(uint64_t n, uint64_t max);
const char *glyph_shade(unsigned level, bool utf8);
/* Copies s to dst (size bytes, at least 8), in at most cols columns. A longer text ends with "…" or "~"; a character
 * that is not printable becomes "?". Texts may come from any process. How many columns it takes. */
size_t glyph_fit(char *dst, size_t size, const char *s, size_t cols, bool utf8);
#endif
