/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, sizes and periods of options. */
#include "../unit.h"
#include <errno.h>
#include "base/cleanup.h"
#include "base/num.h"

static const struct {
	const char *s;
	int r;
	uint64_t v;
} u64_cases[] = {
	{ "0", 0, 0 },
	{ "42", 0, 42 },
	{ "0x1F", 0, 31 },
	{ "0Xff", 0, 255 },
	{ "017", 0, 15 },
	{ "18446744073709551615", 0, UINT64_MAX },
	{ "18446744073709551616", -ERANGE, 0 },
	{ "0xffffffffffffffff", 0, UINT64_MAX },
	{ "0x10000000000000000", -ERANGE, 0 },
	{ "", -EINVAL, 0 },
	{ "0x", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 },
	{ "+1", -EINVAL, 0 },
	{ " 1", -EINVAL, 0 },
	{ "1 ", -EINVAL, 0 },
	{ "09", -EINVAL, 0 },
	{ "1k", -EINVAL, 0 },
	{ "99999999999999999999999x", -EINVAL, 0 },
};

static void unsigned_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(u64_cases); i++) {
		uint64_t v = 777;

		assert_int_equal(num_parse_u64(u64_cases[i].s, &v), u64_cases[i].r);
		assert_int_equal(v, u64_cases[i].r ? 777 : u64_cases[i].v);
	}
}

static const struct {
	const char *s;
	int r;
	int64_t v;
} i64_cases[] = {
	{ "-1", 0, -1 },
	{ "7", 0, 7 },
	{ "-0x10", 0, -16 },
	{ "9223372036854775807", 0, INT64_MAX },
	{ "9223372036854775808", -ERANGE, 0 },
	{ "-9223372036854775808", 0, INT64_MIN },
	{ "-9223372036854775809", -ERANGE, 0 },
	{ "--1", -EINVAL, 0 },
	{ "-", -EINVAL, 0 },
};

static void signed_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(i64_cases); i++) {
		int64_t v = 777;

		assert_int_equal(num_parse_i64(i64_cases[i].s, &v), i64_cases[i].r);
		assert_true(v == (i64_cases[i].r ? 777 : i64_cases[i].v));
	}
}

static const struct {
	const char *s;
	int r;
	uint64_t v;
} size_cases[] = {
	{ "0", 0, 0 },
	{ "4k", 0, 4096 },
	{ "4K", 0, 4096 },
	{ "3m", 0, 3 << 20 },
	{ "1G", 0, 1 << 30 },
	{ "2t", 0, UINT64_C(2) << 40 },
	{ "0x10k", 0, 16384 },
	{ "16777215t", 0, UINT64_C(16777215) << 40 },
	{ "16777216t", -ERANGE, 0 },
	{ "4kk", -EINVAL, 0 },
	{ "k", -EINVAL, 0 },
	{ "4b", -EINVAL, 0 },
	{ "-4k", -EINVAL, 0 },
	{ "99999999999999999999k", -ERANGE, 0 },
};

static void sizes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(size_cases); i++) {
		uint64_t v = 777;

		assert_int_equal(num_parse_size(size_cases[i].s, &v), size_cases[i].r);
		assert_int_equal(v, size_cases[i].r ? 777 : size_cases[i].v);
	}
}

static const struct {
	const char *s;
	int hz; /* without a unit: per second */
	int r;
	uint64_t ns;
} period_cases[] = {
	{ "5", 0, 0, 5000000 },
	{ "4", 1, 0, 250000000 },
	{ "97hz", 0, 0, 10309278 },
	{ "1hz", 1, 0, 1000000000 },
	{ "0hz", 0, 0, 0 },
	{ "1000000000hz", 0, 0, 1 },
	{ "1000000001hz", 0, 0, 0 },
	{ "7ns", 1, 0, 7 },
	{ "7nsec", 1, 0, 7 },
	{ "7us", 0, 0, 7000 },
	{ "7usec", 0, 0, 7000 },
	{ "7MS", 0, 0, 7000000 },
	{ "7msec", 0, 0, 7000000 },
	{ "2s", 1, 0, 2000000000 },
	{ "2sec", 1, 0, 2000000000 },
	{ "1m", 0, 0, 60000000000 },
	{ "1min", 0, 0, 60000000000 },
	{ "1h", 0, 0, 3600000000000 },
	{ "1hour", 0, 0, 3600000000000 },
	{ "1d", 0, 0, 86400000000000 },
	{ "2day", 0, 0, 172800000000000 },
	{ "1000000d", 0, -ERANGE, 0 },
	{ "1fortnight", 0, -EINVAL, 0 },
	{ "s", 0, -EINVAL, 0 },
	{ "", 0, -EINVAL, 0 },
};

static void periods(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(period_cases); i++) {
		uint64_t v = 777;

		assert_int_equal(num_parse_period(period_cases[i].s, 1000000, period_cases[i].hz, &v),
				 period_cases[i].r);
		assert_int_equal(v, period_cases[i].r ? 777 : period_cases[i].ns);
	}
}

static const struct {
	const char *s;
	int r;
	uint64_t ns;
} time_cases[] = {
	{ "5", 0, 5000000000 },
	{ "0", 0, 0 },
	{ "10us", 0, 10000 },
	{ "1.5", 0, 1500000000 },
	{ "1.5ms", 0, 1500000 },
	{ ".5s", 0, 500000000 },
	{ "2.MS", 0, 2000000 },
	{ "0.0000000004", 0, 0 },
	{ "0x10s", 0, 16000000000 },
	{ "213504d", -ERANGE, 0 },
	{ "213503.5d", -ERANGE, 0 },
	{ "53375.5d", 0, 4611643200000000000 },
	/* rates are no times */
	{ "100hz", -EINVAL, 0 },
	{ "1.5hz", -EINVAL, 0 },
	{ "1.5HZ", -EINVAL, 0 },
	{ "hz", -EINVAL, 0 },
	{ "", -EINVAL, 0 },
	{ ".", -EINVAL, 0 },
	{ ".s", -EINVAL, 0 },
	{ "1.5.5s", -EINVAL, 0 },
	{ "1.5e3s", -EINVAL, 0 },
	{ "1.5x", -EINVAL, 0 },
	{ "-1.5s", -EINVAL, 0 },
	{ "soon", -EINVAL, 0 },
};

static void times(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(time_cases); i++) {
		uint64_t v = 777;

		assert_int_equal(num_parse_time(time_cases[i].s, &v), time_cases[i].r);
		assert_int_equal(v, time_cases[i].r ? 777 : time_cases[i].ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unsigned_numbers), cmocka_unit_test(signed_numbers), cmocka_unit_test(sizes),
		cmocka_unit_test(periods),	    cmocka_unit_test(times),
	};

	return cmocka_run_group_tests_name("num", tests, NULL, NULL);
}
