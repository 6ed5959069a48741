/* SPDX-License-Identifier: Apache-2.0 */
/* Levels, bands and texts of `dwell top`, against values computed by hand. */
#include <locale.h>
#include "unit.h"
#include "top/data.h"
#include "top/glyph.h"

static void levels_are_tens(void **state)
{
	static const struct {
		uint64_t ns;
		unsigned level;
	} t[] = { { 0, 0 },	    { 1, 1 },	       { 1000, 1 },	  { 1001, 2 },	    { 10000, 2 },
		  { 10001, 3 },	    { 999999, 4 },     { 1000001, 5 },	  { 10000001, 6 },  { 100000000, 6 },
		  { 100000001, 7 }, { 1000000000, 7 }, { 1000000001, 8 }, { UINT64_MAX, 8 } };

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		assert_int_equal(glyph_level(t[i].ns), t[i].level);
	assert_string_equal(glyph_bar(0, true), " ");
	assert_string_equal(glyph_bar(8, true), "█");
	assert_string_equal(glyph_bar(99, false), "8");
}

static void heat_is_logarithmic(void **state)
{
	(void)state;
	assert_int_equal(glyph_heat(0, 100), 0);
	assert_int_equal(glyph_heat(1, 1), GLYPH_LEVELS);
	assert_int_equal(glyph_heat(1, 1000), 1);
	assert_int_equal(glyph_heat(1000, 1000), GLYPH_LEVELS);
	assert_int_equal(glyph_heat(2000, 1000), GLYPH_LEVELS); /* more than the most: never out of range */
	for (uint64_t n = 1, last = 0; n <= 1u << 20; n *= 2) {
		unsigned l = glyph_heat(n, 1u << 20);

		assert_true(l >= last && l >= 1 && l <= GLYPH_LEVELS);
		last = l;
	}
	assert_string_equal(glyph_shade(0, false), " ");
	assert_string_equal(glyph_shade(1, false), ".");
	assert_string_equal(glyph_shade(GLYPH_LEVELS, false), "#");
	assert_string_equal(glyph_shade(GLYPH_LEVELS, true), "█");
}

static void bands_halve_octaves(void **state)
{
	(void)state;
	assert_int_equal(top_band_from(0), 512);
	assert_int_equal(top_band_from(1), 768);
	assert_int_equal(top_band_from(2), 1024);
	assert_int_equal(top_band(0), 0);
	assert_int_equal(top_band(767), 0);
	assert_int_equal(top_band(768), 1);
	assert_int_equal(top_band(UINT64_MAX), TOP_BANDS - 1);
	for (unsigned b = 0; b < TOP_BANDS; b++) {
		assert_int_equal(top_band(top_band_from(b)), b);
		if (b)
			assert_int_equal(top_band(top_band_from(b) - 1), b - 1);
	}
}

static void quantiles_of_columns(void **state)
{
	struct top_column c = { .second = 7, .count = 100, .max = 1800 };
	static struct top_tracker t;

	(void)state;
	c.band[0] = 98; /* 512 … 767 */
	c.band[3] = 2;	/* 1536 … 2047 */
	assert_int_equal(top_column_quantile(&c, 0.5), 768);
	assert_int_equal(top_column_quantile(&c, 0.98), 768);
	assert_int_equal(top_column_quantile(&c, 0.99), 1800); /* never above the longest */
	t.col[7] = c;
	assert_ptr_equal(top_column(&t, 7), &t.col[7]);
	assert_null(top_column(&t, 7 + TOP_SECONDS)); /* the same place, another second */
	assert_null(top_column(&t, 8));
	c.count = 0;
	assert_int_equal(top_column_quantile(&c, 0.5), 0);
}

static void fit(const char *s, size_t cols, bool utf8, const char *want, size_t used)
{
	char buf[64];

	assert_int_equal(glyph_fit(buf, sizeof(buf), s, cols, utf8), used);
	assert_string_equal(buf, want);
}

static void texts_fit(void **state)
{
	char small[8];

	(void)state;
	fit("abc", 3, false, "abc", 3);
	fit("abcd", 3, false, "ab~", 3);
	fit("abcd", 3, true, "ab…", 3);
	fit("abc", 0, true, "", 0);
	fit("", 3, true, "", 0);
	fit("\033[31mred", 8, true, "?[31mred", 8); /* nothing reaches the terminal as a command */
	fit("a\x80\xff"
	    "b",
	    8, true, "a??b", 4);
	fit("a\tb\x7f", 8, false, "a?b?", 4);
	fit("bär", 3, true, "bär", 3);
	fit("bär", 8, false, "b?r", 3);
	fit("漢字漢", 5, true, "漢字…", 5);
	fit("漢字漢", 4, true, "漢…", 3);
	assert_int_equal(glyph_fit(small, sizeof(small), "abcdefghij", 20, false),
			 5); /* as much as there is room for */
	assert_string_equal(small, "abcd~");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_are_tens),     cmocka_unit_test(heat_is_logarithmic),
		cmocka_unit_test(bands_halve_octaves), cmocka_unit_test(quantiles_of_columns),
		cmocka_unit_test(texts_fit),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return skip_all("no locale C.UTF-8");
	return cmocka_run_group_tests_name("glyph", tests, NULL, NULL);
}
