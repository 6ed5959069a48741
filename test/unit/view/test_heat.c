/* SPDX-License-Identifier: Apache-2.0 */
/* Heat maps: axes, rows and ranks against hand-computed figures; PNG read back. */
#include <math.h>
#include <string.h>
#include <zlib.h>
#include "../store/recsample.h"
#include "base/cleanup.h"
#include "unit.h"
#include "view/picture/heat.h"
#include "view/form/png.h"

static void round_ends(void **state)
{
	static const double cases[][2] = { { 1, 1.2 },	 { 7, 8 },   { 9.9, 10 },  { 10, 12 },
					   { 100, 120 }, { 45, 50 }, { 999, 1000 } };

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
	n = heat_edges(1, 9.2e18, false, 0, e);		     /* the widest */
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

static void ticks(void **state)
{
	static const struct {
		double least;
		const char *unit;
		double want;
	} cases[] = {
		{ 1, "", 1 },
		{ 1.01, "", 2 },
		{ 2.1, "bytes", 5 },
		{ 6, "", 10 },
		{ 12500000, "ns", 2e7 },
		{ 4e8, "ns", 5e8 },
		{ 6e8, "ns", 1e9 },
		{ 6e8, "", 1e9 },
		{ 7.5e9, "ns", 1e10 },
		{ 7.5e9, "", 1e10 },
		{ 4.5e11, "ns", 6e11 },
		{ 1.08e13, "ns", 1.08e13 },
		{ 86400e9, "ns", 86400e9 },
		{ 0, "ns", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (fabs(heat_tick(cases[i].least, cases[i].unit) - cases[i].want) > 1e-6 * cases[i].want)
			fail_msg("%g %s: %g, not %g", cases[i].least, cases[i].unit,
				 heat_tick(cases[i].least, cases[i].unit), cases[i].want);
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
	static const struct {
		double lo, hi;
		float want[3];
	} cases[] = {
		{ 12, 14, { 8, 0, 0 } }, { 10, 20, { 8, 0, 0 } },
		{ 15, 25, { 4, 4, 0 } }, { 10, 40, { 8 / 3.f, 8 / 3.f, 8 / 3.f } },
		{ 20, 20, { 0, 8, 0 } }, { 0, 5, { 8, 0, 0 } },
		{ 50, 60, { 0, 0, 8 } }, { 35, 75, { 0, 0, 8 } },
		{ 40, 40, { 0, 0, 8 } },
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
	strb_reset(&b);
	assert_int_equal(png_add_rgba(&b, pixels + 1, 1, 1), 0);
	assert_memory_equal(b.s + 8 + 4 + 4 + 8, "\x08\x06", 2); /* 8 bits, RGBA */
	at = 8 + 12 + 13;
	assert_memory_equal(b.s + at + 4, "IDAT", 4);
	n = sizeof(back);
	assert_int_equal(uncompress(back, &n, (const Bytef *)b.s + at + 8, u32(b.s + at)), Z_OK);
	assert_int_equal(n, 5);
	assert_memory_equal(back, ((const uint8_t[]){ 0, 1, 2, 3, 4 }), 5);
	strb_free(&b);
}

/* The axis of time of a picture that begins at 00:07:28 and has n columns of step. */
static void times_of(unsigned n, uint64_t step, const char *const *texts, const double *x, size_t ntexts)
{
	float cells[16 * 2] = { 1 };
	struct heat_column columns[16] = { 0 };
	struct heat_key key = { .text = (char *)(uintptr_t) "", .total = 1, .cells = cells };
	struct heat h = { .title = "t",
			  .unit = "ns",
			  .counted = "",
			  .ncolumns = n,
			  .nrows = 2,
			  .begin_wall_ns = UINT64_C(448) * 1000000000,
			  .column_ns = step,
			  .edges = { 1, 2, 4 },
			  .columns = columns,
			  .keys = &key,
			  .nkeys = 1,
			  .total = 1 };
	_cleanup_free_ char *svg = NULL;
	size_t size, found = 0;
	FILE *f = open_memstream(&svg, &size);
	const char *p;

	assert_int_equal(heat_svg(&h, "t", f), 0);
	fclose(f);
	p = strstr(svg, ">UTC<");
	assert_non_null(p);
	for (; (p = strstr(p, "v4\"/><text")); found++) {
		char want[200];

		if (found >= ntexts)
			break;
		snprintf(want, sizeof(want), "<text class=\"m\" x=\"%.1f\"", x[found]);
		if (strncmp(p + 5, want, strlen(want)) != 0)
			fail_msg("%.60s, not %s", p + 5, want);
		p = strchr(p + 5, '>') + 1;
		if (strncmp(p, texts[found], strlen(texts[found])) != 0)
			fail_msg("%.20s, not %s", p, texts[found]);
	}
	assert_int_equal(found, ntexts);
	assert_null(p);
}

static void round_times(void **state)
{
	static const char *const seconds[] = { "00:07:28<", "00:07:30<", "00:07:32<", "00:07:34<",
					       "00:07:36<", "00:07:38<", "00:07:40<" };
	static const double at[] = { 84, 253.2, 422.5, 591.7, 760.9, 930.2, 1099.4 }; /* 84 + 1100 / 13 a second */
	static const char *const parts[] = { "00:07:28.000<", "00:07:28.005<", "00:07:28.010<" };
	static const double parts_at[] = { 84, 634, 1184 };
	static const char *const days[] = { "01-02 00:00<", "01-03 00:00<" };
	static const double days_at[] = { 84 + 1100 * (86400 - 448) / 172800., 84 + 1100 * (172800 - 448) / 172800. };

	(void)state;
	times_of(13, 1000000000, seconds, at, ARRAY_SIZE(seconds));
	times_of(2, 5000000, parts, parts_at, ARRAY_SIZE(parts));
	times_of(2, UINT64_C(86400) * 1000000000, days, days_at, ARRAY_SIZE(days));
}

/* The map of a span in each period. */
static struct heat *of_span(uint64_t start, uint64_t length, uint64_t period, uint64_t step, unsigned rows)
{
	struct heat_opts o = { .by = "lane", .period_ns = period, .step_ns = step, .rows = rows };
	struct recfile *f = sample_make(0, 0, 0);
	struct heat *h = NULL;
	struct err err = { 0 };

	sample_span(f, start, length, "lane", "x");
	assert_int_equal(recfile_close(f, &err), 0);
	struct recread *r = sample_open();

	if (heat_make(r, &o, &h, &err) < 0)
		fail_msg("%s", err.msg);
	recread_close(r);
	assert_int_equal(h->nkeys, 1);
	assert_int_equal(h->nrows, rows);
	return h;
}

/* Beginnings and ends within periods and columns, nanosecond by nanosecond. */
static void spans_in_periods(void **state)
{
	static const struct {
		uint64_t start, length, period, step;
		unsigned rows;
	} cases[] = {
		{ 350, 5430, 1000, 2000, 7 }, { 2000, 4000, 1000, 4000, 10 }, { 999, 2, 1000, 1000, 3 },
		{ 0, 7001, 700, 2100, 9 },    { 5, 80, 10, 40, 16 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t to = cases[i].start + cases[i].length, period = cases[i].period;
		struct heat *h = of_span(cases[i].start, cases[i].length, period, cases[i].step, cases[i].rows);
		_cleanup_free_ float *want = calloc((size_t)h->ncolumns * h->nrows, sizeof(*want));

		for (uint64_t at = cases[i].start; at < to; at++)
			want[(at - h->begin_wall_ns) / h->column_ns * h->nrows + at % period * h->nrows / period]++;
		for (size_t k = 0; k < (size_t)h->ncolumns * h->nrows; k++)
			if (h->keys[0].cells[k] != want[k])
				fail_msg("case %zu, cell %zu: %g, not %g", i, k, (double)h->keys[0].cells[k],
					 (double)want[k]);
		heat_free(h);
	}
}

/* Work grows with the cells, not with the periods: here 1.7 thousand millions of them. */
static void long_span_of_short_periods(void **state)
{
	const uint64_t length = 20 * 86400 * SEC;
	struct heat *h = of_span(0, length, 1000000, 86400 * SEC, 100);
	double sum = 0;

	(void)state;
	for (size_t k = 0; k < (size_t)h->ncolumns * h->nrows; k++)
		sum += (double)h->keys[0].cells[k];
	assert_true(fabs(sum / (double)length - 1) < 1e-4);
	heat_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_ends),
		cmocka_unit_test(ticks),
		cmocka_unit_test(log_axis),
		cmocka_unit_test(linear_axis),
		cmocka_unit_test(spread),
		cmocka_unit_test(ranks),
		cmocka_unit_test(png),
		cmocka_unit_test(round_times),
		cmocka_unit_test(spans_in_periods),
		cmocka_unit_test(long_span_of_short_periods),
	};

	return cmocka_run_group_tests(tests, sample_set_up, sample_tear_down);
}
