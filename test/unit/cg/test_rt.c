/* SPDX-License-Identifier: Apache-2.0 */
/* Run-time pieces for numbers and addresses, conversions, and the cost of all: loaded into this kernel and run, against
 * the same in C. */
#include "../unit.h"
#include "base/aggval.h"
#include "base/cleanup.h"
#include "rt_run.h"

/* The piece against the function, for the usual numbers and around the powers of two. */
static void buckets_agree(enum rt_id id, unsigned (*want)(int64_t))
{
	struct piece pc = { .id = id, .args = { { A_NUM, 0 } } };
	struct mem *m = rt_mem(NULL, NULL);
	size_t k;
	int s;

	rt_load(&pc, true, 1);
	for (k = 0; k < rt_nnumbers; k++) {
		rt_put_num(m, 0, rt_numbers[k]);
		assert_int_equal(rt_run(&pc, m), want(rt_numbers[k]));
	}
	for (s = 0; s < 64; s++) {
		int64_t p = (int64_t)(1ull << s), d;

		for (d = -1; d <= 1; d++) {
			int64_t v = (int64_t)((uint64_t)p + (uint64_t)d);

			rt_put_num(m, 0, v);
			assert_int_equal(rt_run(&pc, m), want(v));
			v = (int64_t)(0 - (uint64_t)v);
			rt_put_num(m, 0, v);
			assert_int_equal(rt_run(&pc, m), want(v));
		}
	}
	rt_unload(&pc);
}

static void quantize_is_aggval_quantize_bucket(void **state)
{
	(void)state;
	buckets_agree(RT_QUANTIZE, aggval_quantize_bucket);
}

static void hist_is_aggval_hist_bucket(void **state)
{
	(void)state;
	buckets_agree(RT_HIST, aggval_hist_bucket);
}

static void llquantize_is_aggval_llquantize_bucket(void **state)
{
	static const int32_t params[][4] = {
		{ 10, 0, 6, 20 },  { 10, 3, 6, 10 }, { 2, 0, 61, 2 },	   { 2, 4, 10, 16 },
		{ 10, 0, 17, 10 }, { 3, 0, 5, 9 },   { 1000, 1, 3, 1000 }, { 10, 2, 2, 1000 },
	};
	struct mem *m = rt_mem(NULL, NULL);
	size_t k, i;
	unsigned b, n;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(params); k++) {
		const int32_t *p = params[k];
		struct piece pc = { .id = RT_LLQUANTIZE,
				    .args = { { A_NUM, 0 },
					      { A_CONST, p[0] },
					      { A_CONST, p[1] },
					      { A_CONST, p[2] },
					      { A_CONST, p[3] } } };

		rt_load(&pc, true, 1);
		for (i = 0; i < rt_nnumbers; i++) {
			rt_put_num(m, 0, rt_numbers[i]);
			assert_int_equal(rt_run(&pc, m), aggval_llquantize_bucket(p, rt_numbers[i]));
		}
		n = aggval_llquantize_nbuckets(p);
		assert_true(n > 0);
		for (b = 0; b < n; b += 1 + n / 50) {
			int64_t v = aggval_llquantize_bound(p, b), d;

			for (d = -1; d <= 1; d++) {
				rt_put_num(m, 0, v + d);
				assert_int_equal(rt_run(&pc, m), aggval_llquantize_bucket(p, v + d));
			}
		}
		rt_unload(&pc);
	}
}

static void signed_division_is_c(void **state)
{
	struct piece div = { .id = RT_SDIV, .args = { { A_NUM, 0 }, { A_NUM, 0 } } };
	struct piece mod = { .id = RT_SMOD, .args = { { A_NUM, 0 }, { A_NUM, 0 } } };
	struct mem *m = rt_mem(NULL, NULL);
	size_t i, k;

	(void)state;
	rt_load(&div, true, 1);
	rt_load(&mod, true, 1);
	for (i = 0; i < rt_nnumbers; i++) {
		for (k = 0; k < rt_nnumbers; k++) {
			int64_t a = rt_numbers[i], b = rt_numbers[k];

			if (!b)
				continue;
			rt_put_num(m, 0, a);
			rt_put_num(m, 1, b);
			/* INT64_MIN / -1 wraps */
			assert_int_equal(rt_run(&div, m), b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b);
			rt_put_num(m, 0, a);
			rt_put_num(m, 1, b);
			assert_int_equal(rt_run(&mod, m), b == -1 ? 0 : a % b);
		}
	}
	rt_unload(&div);
	rt_unload(&mod);
}

static void add128_squares(void **state)
{
	struct piece pc = { .id = RT_ADD128, .args = { { A_STATE, 0 }, { A_NUM, 0 } } };
	struct mem *m = rt_mem(NULL, NULL);
	unsigned __int128 sum = (unsigned __int128)UINT64_MAX * 3, have;
	size_t k;

	(void)state;
	rt_load(&pc, true, 1);
	memcpy(m->b + M_STATE, &sum, 16);
	for (k = 0; k < rt_nnumbers; k++) {
		rt_put_num(m, 0, rt_numbers[k]);
		rt_run(&pc, m);
		sum += (unsigned __int128)((__int128)rt_numbers[k] * rt_numbers[k]);
		memcpy(&have, m->b + M_STATE, 16);
		assert_true(have == sum);
	}
	rt_unload(&pc);
}

static void want_lltostr(char *out, int64_t v, int base)
{
	char digits[72], *p = digits + 71;
	uint64_t u = base == 10 && v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	*p = 0;
	do {
		*--p = "0123456789abcdefghijklmnopqrstuvwxyz"[u % (unsigned)base];
		u /= (unsigned)base;
	} while (u);
	sprintf(out, "%s%s", base == 16 ? "0x" : base == 8 && v ? "0" : base == 10 && v < 0 ? "-" : "", p);
}

static void lltostr_like_dtrace(void **state)
{
	static const int bases[] = { 10, 16, 8, 2, 36, 3 };
	size_t v, i, k;

	(void)state;
	for (v = 0; v < 2; v++) {
		struct piece pc = { .id = RT_LLTOSTR,
				    .args = { { A_DST, 0 }, { A_CONST, 72 }, { A_NUM, 0 }, { A_NUM, 0 } } };

		rt_load(&pc, v == 0, 1);
		for (i = 0; i < ARRAY_SIZE(bases); i++) {
			for (k = 0; k < rt_nnumbers; k++) {
				struct mem *m = rt_mem(NULL, NULL);
				char want[80];

				want_lltostr(want, rt_numbers[k], bases[i]);
				rt_put_num(m, 0, rt_numbers[k]);
				rt_put_num(m, 1, bases[i]);
				assert_int_equal(rt_run(&pc, m), strlen(want));
				assert_string_equal(rt_dst(m), want);
			}
		}
		rt_unload(&pc);
	}
}

static void strtoll_like_dtrace(void **state)
{
	static const struct {
		const char *s;
		int64_t base, want;
	} t[] = {
		{ "0", 10, 0 },
		{ "123", 10, 123 },
		{ "-123", 10, -123 },
		{ "+7x", 10, 7 },
		{ "  \t 42 ", 10, 42 },
		{ "", 10, 0 },
		{ "-", 10, 0 },
		{ "abc", 10, 0 },
		{ "ff", 16, 255 },
		{ "0xfF", 16, 255 },
		{ "0Xg", 16, 0 },
		{ "0x", 16, 0 },
		{ "0", 16, 0 },
		{ "0f", 16, 15 },
		{ "-0x10", 16, -16 },
		{ "777", 8, 511 },
		{ "789", 8, 7 },
		{ "101", 2, 5 },
		{ "zz", 36, 1295 },
		{ "ZZ", 36, 1295 },
		{ "9223372036854775807", 10, INT64_MAX },
		{ "-9223372036854775808", 10, INT64_MIN },
		{ "1 2", 10, 1 },
		{ "--1", 10, 0 },
		{ "1@", 36, 1 },
		{ "1[", 36, 1 },
		{ "1`", 36, 1 },
		{ "1{", 36, 1 },
		{ "1/", 36, 1 },
		{ "1:", 36, 1 },
	};
	size_t v, k;

	(void)state;
	for (v = 0; v < RT_NVARIANTS_LOOP; v++) {
		struct piece pc = { .id = RT_STRTOLL,
				    .args = { { A_A, 0 }, { A_CONST, rt_variants[v].bound }, { A_NUM, 0 } } };

		rt_load(&pc, rt_variants[v].loop, 1);
		for (k = 0; k < ARRAY_SIZE(t); k++) {
			struct mem *m = rt_mem(t[k].s, NULL);

			rt_put_num(m, 0, t[k].base);
			if (rt_run(&pc, m) != t[k].want)
				fail_msg("strtoll(\"%s\", %d)", t[k].s, (int)t[k].base);
		}
		rt_unload(&pc);
	}
}

static void strtok_gives_all_tokens(void **state)
{
	static const struct {
		const char *s, *delim, *tokens[6];
	} t[] = {
		{ "a b  c", " ", { "a", "b", "c" } },
		{ "  leading and trailing  ", " ", { "leading", "and", "trailing" } },
		{ "a,b;c", ";,", { "a", "b", "c" } },
		{ "", " ", { NULL } },
		{ "   ", " ", { NULL } },
		{ "abc", "", { "abc" } },
		{ "x\xffy\x80z", "\xff\x80", { "x", "y", "z" } },
		{ "one", "x", { "one" } },
	};
	struct piece pc = { .id = RT_STRTOK,
			    .args = { { A_DST, 0 }, { A_CONST, 256 }, { A_STATE, 0 }, { A_B, 0 }, { A_CONST, 64 } } };
	size_t k, n;

	(void)state;
	rt_load(&pc, true, 1);
	for (k = 0; k < ARRAY_SIZE(t); k++) {
		struct mem *m = rt_mem(NULL, t[k].delim);

		memset(m->b + M_STATE, 0, 8);
		strcpy((char *)m->b + M_STATE + 8, t[k].s);
		for (n = 0; t[k].tokens[n]; n++) {
			assert_int_equal(rt_run(&pc, m), strlen(t[k].tokens[n]));
			assert_string_equal(rt_dst(m), t[k].tokens[n]);
		}
		assert_int_equal(rt_run(&pc, m), -1);
		assert_int_equal(rt_run(&pc, m), -1);
	}
	rt_unload(&pc);
}

static void ip6_addresses(void **state)
{
	static const struct {
		uint8_t a[16];
		const char *want;
	} t6[] = {
		{ { 0 }, "::" },
		{ { [15] = 1 }, "::1" },
		{ { 0x20, 1, 0xd, 0xb8, [15] = 1 }, "2001:db8::1" },
		{ { 0x20, 1, 0xd, 0xb8, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1 },
		  "2001:db8:0:1:1:1:1:1" }, /* one group alone stays */
		{ { 0x20, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1 }, "2001:0:0:1::1" },
		{ { 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1 }, "2001:db8::1:0:0:1" },
		{ { 0xfe, 0x80 }, "fe80::" },
		{ { [10] = 0xff, 0xff, 192, 168, 10, 255 }, "::ffff:192.168.10.255" },
		{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		    0xff, 0xff }, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" },
		{ { 0, 1, 0, 0, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0x0a, 0xbc }, "1:0:2:3:4:5:6:abc" },
		{ { [12] = 10, 0, 0, 1 }, "::10.0.0.1" },
		{ { [14] = 1, 2 }, "::102" },
	}, loose[] = { /* IPv4 addresses without a prefix */
		{ { [10] = 0xff, 0xff, 192, 168, 10, 255 }, "192.168.10.255" },
		{ { [12] = 10, 0, 0, 1 }, "10.0.0.1" },
		{ { [15] = 1 }, "::1" },
		{ { [10] = 0xff, 0xfe, 10, 0, 0, 1 }, "::fffe:a00:1" },
	};
	struct piece v6 = { .id = RT_INET_NTOA6,
			    .args = { { A_DST, 0 }, { A_CONST, 64 }, { A_A, 0 }, { A_CONST, 1 } } };
	struct piece short6 = { .id = RT_INET_NTOA6,
				.args = { { A_DST, 0 }, { A_CONST, 64 }, { A_A, 0 }, { A_CONST, 0 } } };
	struct mem *m = rt_mem(NULL, NULL);
	size_t k;

	(void)state;
	rt_load(&v6, true, 1);
	for (k = 0; k < ARRAY_SIZE(t6); k++) {
		memcpy(m->b + M_A, t6[k].a, 16);
		assert_int_equal(rt_run(&v6, m), strlen(t6[k].want));
		assert_string_equal(rt_dst(m), t6[k].want);
	}
	rt_load(&short6, true, 1);
	for (k = 0; k < ARRAY_SIZE(loose); k++) {
		memcpy(m->b + M_A, loose[k].a, 16);
		assert_int_equal(rt_run(&short6, m), strlen(loose[k].want));
		assert_string_equal(rt_dst(m), loose[k].want);
	}
	rt_unload(&v6);
	rt_unload(&short6);
}

static void addresses(void **state)
{
	static const struct {
		uint8_t a[4];
		const char *want;
	} t4[] = {
		{ { 0, 0, 0, 0 }, "0.0.0.0" },
		{ { 127, 0, 0, 1 }, "127.0.0.1" },
		{ { 255, 255, 255, 255 }, "255.255.255.255" },
		{ { 10, 99, 100, 9 }, "10.99.100.9" },
	};
	struct piece v4 = { .id = RT_INET_NTOA, .args = { { A_DST, 0 }, { A_CONST, 64 }, { A_NUM, 0 } } };
	struct piece mac = { .id = RT_LINK_NTOP, .args = { { A_DST, 0 }, { A_CONST, 18 }, { A_A, 0 } } };
	static const uint8_t link[6] = { 0, 0x1b, 0xff, 0xa0, 9, 0x9f };
	struct mem *m = rt_mem(NULL, NULL);
	size_t k;

	(void)state;
	rt_load(&v4, true, 1);
	for (k = 0; k < ARRAY_SIZE(t4); k++) {
		rt_put_num(m, 0, 0);
		memcpy(m->b + M_ARGS, t4[k].a, 4);
		assert_int_equal(rt_run(&v4, m), strlen(t4[k].want));
		assert_string_equal(rt_dst(m), t4[k].want);
	}
	rt_load(&mac, true, 1);
	memcpy(m->b + M_A, link, 6);
	assert_int_equal(rt_run(&mac, m), 17);
	assert_string_equal(rt_dst(m), "00:1b:ff:a0:09:9f");
	rt_unload(&v4);
	rt_unload(&mac);
}

/* Every piece can be called a hundred times in one program with bounds of 4096. */
static void pieces_fit_the_verifier_budget(void **state)
{
	static struct piece t[] = {
		{ .id = RT_QUANTIZE, .args = { { A_NUM, 0 } } },
		{ .id = RT_HIST, .args = { { A_NUM, 0 } } },
		{ .id = RT_LLQUANTIZE,
		  .args = { { A_NUM, 0 }, { A_CONST, 10 }, { A_CONST, 0 }, { A_CONST, 17 }, { A_CONST, 100 } } },
		{ .id = RT_STRLEN, .args = { { A_A, 0 }, { A_CONST, 4096 } } },
		{ .id = RT_STRCMP, .args = { { A_A, 0 }, { A_CONST, 4096 }, { A_B, 0 }, { A_CONST, 4096 } } },
		{ .id = RT_STRCPY, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_B, 0 }, { A_CONST, 4096 } } },
		{ .id = RT_STRAPPEND,
		  .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_NUM, 0 }, { A_B, 0 }, { A_CONST, 4096 } } },
		{ .id = RT_STRCHR, .args = { { A_A, 0 }, { A_CONST, 4096 }, { A_NUM, 0 } } },
		{ .id = RT_STRRCHR, .args = { { A_A, 0 }, { A_CONST, 4096 }, { A_NUM, 0 } } },
		{ .id = RT_RINDEX,
		  .args = { { A_A, 0 }, { A_CONST, 4096 }, { A_B, 0 }, { A_CONST, 4096 }, { A_NUM, 0 } } },
		{ .id = RT_SUBSTR,
		  .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_A, 0 }, { A_CONST, 4096 }, { A_IL, 0 } } },
		{ .id = RT_BASENAME, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_A, 0 }, { A_CONST, 4096 } } },
		{ .id = RT_DIRNAME, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_A, 0 }, { A_CONST, 4096 } } },
		{ .id = RT_CLEANPATH, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_A, 0 }, { A_CONST, 4096 } } },
		{ .id = RT_LLTOSTR, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_NUM, 0 }, { A_NUM, 0 } } },
		{ .id = RT_STRTOLL, .args = { { A_A, 0 }, { A_CONST, 4096 }, { A_NUM, 0 } } },
		{ .id = RT_TOLOWER, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_A, 0 }, { A_CONST, 4096 } } },
		{ .id = RT_STRTOK,
		  .args = { { A_DST, 0 }, { A_CONST, 2048 }, { A_STATE, 0 }, { A_B, 0 }, { A_CONST, 4096 } } },
		{ .id = RT_INET_NTOA, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_NUM, 0 } } },
		{ .id = RT_INET_NTOA6, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_A, 0 }, { A_NUM, 0 } } },
		{ .id = RT_LINK_NTOP, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_A, 0 } } },
	};
	size_t k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(t); k++) {
		rt_load(&t[k], true, 100);
		print_message("# piece %d: %u instructions per call\n", (int)t[k].id, t[k].processed / 100);
		rt_unload(&t[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantize_is_aggval_quantize_bucket),
		cmocka_unit_test(hist_is_aggval_hist_bucket),
		cmocka_unit_test(llquantize_is_aggval_llquantize_bucket),
		cmocka_unit_test(signed_division_is_c),
		cmocka_unit_test(add128_squares),
		cmocka_unit_test(lltostr_like_dtrace),
		cmocka_unit_test(strtoll_like_dtrace),
		cmocka_unit_test(strtok_gives_all_tokens),
		cmocka_unit_test(addresses),
		cmocka_unit_test(ip6_addresses),
		cmocka_unit_test(pieces_fit_the_verifier_budget),
	};

	if (!kern_usable())
		return skip_all("needs root and BPF");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
