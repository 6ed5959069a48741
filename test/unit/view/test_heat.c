/* SPDX-License-Identifier: Apache-2.0 */
/* Heat maps: axes, rows and ranks against hand-computed figures; PNG read back. */
#include <math.h>
#include <string.h>
#include <zlib.h>
#include "base/cleanup.h"
#include "unit.h"
#include "view/heat.h"
#include "view/png.h"

static void round_ends(void **state)
{
	static const double cases[][2] = { { 1, 1.2 }, { 7, 8 }, { 9.9, 10 }, { 10, 12 }, { 100, 120 }, { 45, 50 }, { 999, 1000 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double end = heat_round_up(cases[i][0]);

		assert_true(end > cases[i][0] && end <= 1.25 * cases[i][0] + 1e-9);
		if (fabs(end - cases[i][1]) > 1e-9)
			fail_msg("%g: %g, not %g", cases[i][0], end, cases[i][1]);
	}
	assert_true(heat_round_up(0) > 0);
}

static void log_axis(void **state)
{
	double e[HEAT_MAX_ROWS + 1];
	unsigned n = heat_edges(4, 15, false, 0, e);

	(void)state;
	assert_int_equal(n, 64); /* 4 … 16: two powers of two, 32 parts each */
	assert_true(e[0] == 4 && e[32] == 8 && e[64] == 16 && e[1] == 4.125 && e[33] == 8.25);
	n = heat_edges(0, 1e9, false, 0, e); /* 30 powers of two: 4 parts fit */
	assert_int_equal(n, 1 + 30 * 4);
	assert_true(e[0] == 0 && e[1] == 1 && e[5] == 2 && e[n] == 1073741824.0);
	assert_int_equal(heat_edges(4, 15, false, 1, e), 2); /* one for each power of two */
	n = heat_edges(1, 9.2e18, false, 0, e); /* the widest */
	assert_true(n <= HEAT_MAX_ROWS && e[n] >= 9.2e18);
	for (unsigned i = 0; i < n; i++)
		assert_true(e[i] < e[i + 1]);
}

static void linear_axis(void **state)
{
	double e[HEAT_MAX_ROWS + 1];

	(void)state;
	assert_int_equal(heat_edges(3, 45, true, 10, e), 10);
	assert_true(e[0] == 0 && e[1] == 5 && e[10] == 50);
	assert_int_equal(heat_edges(3, 45, true, HEAT_MAX_ROWS + 1, e), HEAT_MAX_ROWS);
}

static void assert_cells(const float *got, const float *want, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fabsf(got[i] - want[i]) > 1e-5f)
			fail_msg("row %zu: %g, not %g", i, (double)got[i], (double)want[i]);
}

static void spread(void **state)
{
	static const double e[] = { 10, 20, 30, 40 };
	static const struct { double lo, hi; float want[3]; } cases[] = {
		{ 12, 14, { 8, 0, 0 } }, { 10, 20, { 8, 0, 0 } }, { 15, 25, { 4, 4, 0 } }, { 10, 40, { 8 / 3.f, 8 / 3.f, 8 / 3.f } },
		{ 20, 20, { 0, 8, 0 } }, { 0, 5, { 8, 0, 0 } }, { 50, 60, { 0, 0, 8 } }, { 35, 75, { 0, 0, 8 } }, { 40, 40, { 0, 0, 8 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		float got[3] = { 0 };

		heat_spread(got, e, 3, cases[i].lo, cases[i].hi, 8);
		assert_cells(got, cases[i].want, 3);
	}
}

/* Views.md 2.2: the share of all cells above 0 that are not larger; equal ones share the highest. */
static void ranks(void **state)
{
	float v[] = { 0, 5, 1, 5, 100, 0, 2 };
	static const float want[] = { 0, 0.8f, 0.2f, 0.8f, 1, 0, 0.4f };
	float none[] = { 0, 0 };

	(void)state;
	assert_int_equal(heat_ranks(v, ARRAY_SIZE(v)), 0);
	assert_cells(v, want, ARRAY_SIZE(v));
	assert_int_equal(heat_ranks(none, 2), 0);
	assert_true(none[0] == 0 && none[1] == 0);
}

static uint32_t u32(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

static void png(void **state)
{
	static const uint8_t pixels[] = { 0, 1, 2, 3, 4, 255 };
	uint8_t palette[768], back[8];
	struct strb b = { 0 };
	uLongf n = sizeof(back);
	size_t at = 8, nidat = 0;

	(void)state;
	memset(palette, 7, sizeof(palette));
	assert_int_equal(png_add(&b, pixels, 3, 2, palette), 0);
	assert_memory_equal(b.s, "\x89PNG\r\n\x1a\n", 8);
	while (at + 12 <= b.n) {
		uint32_t len = u32(b.s + at);

		assert_int_equal(crc32(0, (const Bytef *)b.s + at + 4, len + 4), u32(b.s + at + 8 + len));
		if (!memcmp(b.s + at + 4, "IHDR", 4))
			assert_true(u32(b.s + at + 8) == 3 && u32(b.s + at + 12) == 2);
		if (!memcmp(b.s + at + 4, "IDAT", 4)) {
			assert_int_equal(uncompress(back, &n, (const Bytef *)b.s + at + 8, len), Z_OK);
			nidat++;
		}
		at += 12 + len;
	}
	assert_int_equal(at, b.n);
	assert_int_equal(nidat, 1);
	assert_int_equal(n, 8);
	assert_memory_equal(back, ((const uint8_t[]){ 0, 0, 1, 2, 0, 3, 4, 255 }), 8);
	strb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_ends), cmocka_unit_test(log_axis), cmocka_unit_test(linear_axis), cmocka_unit_test(spread),
		cmocka_unit_test(ranks), cmocka_unit_test(png),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
