/* SPDX-License-Identifier: Apache-2.0 */
/* Run-time pieces for strings and paths: loaded into this kernel and run, against the same in C. */
#include "../unit.h"
#include <ctype.h>
#include "base/cleanup.h"
#include "rt_run.h"

/* Texts with lengths around words and bounds. */
static const char *const texts[] = {
	"",
	"a",
	"ab",
	"abcdefg",
	"abcdefgh",
	"abcdefghi",
	"abcdefgX",
	"abcdefghijklmno",
	"abcdefghijklmnop",
	"abcdefghijklmnoq",
	"zabc",
	"\x80",
	"\xff\xff",
	"a\x01",
	"a\x80z",
	"/usr/lib/x86_64-linux-gnu/libc.so.6",
	"aaaaaaaaaaaaaaaaaaaaaaaaab",
	"aaab",
	"b",
	"\x01\x01\x01\x01\x01\x01\x01\x01\x01",
};

static int sign(int64_t v)
{
	return v < 0 ? -1 : v > 0;
}

static void strlen_is_strlen(void **state)
{
	size_t v, k;

	(void)state;
	for (v = 0; v < RT_NVARIANTS; v++) {
		struct piece pc = { .id = RT_STRLEN, .args = { { A_A, 0 }, { A_CONST, rt_variants[v].bound } } };
		struct mem *m;

		rt_load(&pc, rt_variants[v].loop, 1);
		for (k = 0; k < ARRAY_SIZE(texts); k++) {
			m = rt_mem(texts[k], NULL);
			assert_int_equal(rt_run(&pc, m), strlen(texts[k]));
		}
		m = rt_mem(NULL, NULL); /* no NUL */
		assert_int_equal(rt_run(&pc, m), rt_variants[v].bound);
		m->b[M_A + rt_variants[v].bound - 1] = 0;
		assert_int_equal(rt_run(&pc, m), rt_variants[v].bound - 1);
		rt_unload(&pc);
	}
}

static void strcmp_is_strcmp(void **state)
{
	size_t v, i, k;

	(void)state;
	for (v = 0; v < RT_NVARIANTS; v++) {
		struct piece pc = {
			.id = RT_STRCMP,
			.args = { { A_A, 0 }, { A_CONST, rt_variants[v].bound }, { A_B, 0 }, { A_CONST, 64 } }
		};

		rt_load(&pc, rt_variants[v].loop, 1);
		for (i = 0; i < ARRAY_SIZE(texts); i++) {
			for (k = 0; k < ARRAY_SIZE(texts); k++) {
				struct mem *m = rt_mem(texts[i], texts[k]);
				int64_t have = rt_run(&pc, m);

				if (sign(have) != sign(strcmp(texts[i], texts[k])))
					fail_msg("'%s' '%s': %d", texts[i], texts[k], (int)have);
			}
		}
		rt_unload(&pc);
	}
}

static void strcpy_cuts_and_pads(void **state)
{
	static const int64_t caps[] = { 1, 8, 13, 256 };
	size_t c, k;
	int64_t i;

	(void)state;
	for (c = 0; c < ARRAY_SIZE(caps); c++) {
		struct piece pc = { .id = RT_STRCPY,
				    .args = { { A_DST, 0 }, { A_CONST, caps[c] }, { A_A, 0 }, { A_CONST, 64 } } };

		rt_load(&pc, true, 1);
		for (k = 0; k < ARRAY_SIZE(texts); k++) {
			struct mem *m = rt_mem(texts[k], NULL);
			int64_t len = (int64_t)strlen(texts[k]);

			if (len > caps[c] - 1)
				len = caps[c] - 1;
			assert_int_equal(rt_run(&pc, m), len);
			assert_memory_equal(rt_dst(m), texts[k], len);
			for (i = len; i < caps[c]; i++)
				assert_int_equal(rt_dst(m)[i], 0);
			assert_int_equal((uint8_t)rt_dst(m)[caps[c]], 0xa5);
		}
		rt_unload(&pc);
	}
}

static void strcpy_onto_itself(void **state)
{
	struct piece pc = { .id = RT_STRCPY, .args = { { A_A, 0 }, { A_CONST, 64 }, { A_A, 0 }, { A_CONST, 64 } } };
	struct mem *m = rt_mem("same", NULL);

	(void)state;
	rt_load(&pc, true, 1);
	assert_int_equal(rt_run(&pc, m), 4);
	assert_string_equal((char *)m->b + M_A, "same");
	rt_unload(&pc);
}

static void strappend_appends(void **state)
{
	size_t v, k;

	(void)state;
	for (v = 0; v < RT_NVARIANTS; v++) {
		struct piece pc = { .id = RT_STRAPPEND,
				    .args = { { A_DST, 0 },
					      { A_CONST, 32 },
					      { A_NUM, 0 },
					      { A_A, 0 },
					      { A_CONST, rt_variants[v].bound } } };

		rt_load(&pc, rt_variants[v].loop, 1);
		for (k = 0; k < ARRAY_SIZE(texts); k++) {
			struct mem *m = rt_mem(texts[k], NULL);
			char want[128];

			strcpy((char *)m->b + M_DST, "hello");
			rt_put_num(m, 0, 5);
			snprintf(want, 32, "hello%s", texts[k]);
			assert_int_equal(rt_run(&pc, m), strlen(want));
			assert_string_equal(rt_dst(m), want);
			assert_int_equal((uint8_t)rt_dst(m)[32], 0xa5);
		}
		rt_unload(&pc);
	}
}

static int64_t place(const char *in, const char *p)
{
	return p ? p - in : -1;
}

static void strchr_and_strrchr(void **state)
{
	static const char chars[] = { 'a', 'h', 'z', '/', '.', 0, (char)0x80, (char)0xff, 1 };
	size_t v, i, k;

	(void)state;
	for (v = 0; v < RT_NVARIANTS; v++) {
		struct arg args[] = { { A_A, 0 }, { A_CONST, rt_variants[v].bound }, { A_NUM, 0 } };
		struct piece first = { .id = RT_STRCHR }, last = { .id = RT_STRRCHR };

		memcpy(first.args, args, sizeof(args));
		memcpy(last.args, args, sizeof(args));
		rt_load(&first, rt_variants[v].loop, 1);
		rt_load(&last, rt_variants[v].loop, 1);
		for (i = 0; i < ARRAY_SIZE(texts); i++) {
			for (k = 0; k < ARRAY_SIZE(chars); k++) {
				struct mem *m = rt_mem(texts[i], NULL);
				const char *s = texts[i];

				rt_put_num(m, 0, chars[k]);
				assert_int_equal(rt_run(&first, m), place(s, strchr(s, chars[k])));
				rt_put_num(m, 0, chars[k]);
				assert_int_equal(rt_run(&last, m), place(s, strrchr(s, chars[k])));
			}
		}
		rt_unload(&first);
		rt_unload(&last);
	}
}

static const char *last_strstr(const char *hay, const char *needle)
{
	const char *p, *r = NULL;

	for (p = hay; (p = strstr(p, needle)); p++) {
		r = p;
		if (!*p)
			break;
	}
	return r;
}

static void strstr_and_strrstr(void **state)
{
	size_t v, i, k;

	(void)state;
	for (v = 0; v < RT_NVARIANTS_LOOP; v++) {
		struct arg args[] = { { A_A, 0 }, { A_CONST, rt_variants[v].bound }, { A_B, 0 }, { A_CONST, 64 } };
		struct piece first = { .id = RT_STRSTR }, last = { .id = RT_STRRSTR };

		memcpy(first.args, args, sizeof(args));
		memcpy(last.args, args, sizeof(args));
		rt_load(&first, rt_variants[v].loop, 1);
		rt_load(&last, rt_variants[v].loop, 1);
		for (i = 0; i < ARRAY_SIZE(texts); i++) {
			for (k = 0; k < ARRAY_SIZE(texts); k++) {
				struct mem *m = rt_mem(texts[i], texts[k]);

				assert_int_equal(rt_run(&first, m), place(texts[i], strstr(texts[i], texts[k])));
				assert_int_equal(rt_run(&last, m), place(texts[i], last_strstr(texts[i], texts[k])));
			}
		}
		rt_unload(&first);
		rt_unload(&last);
	}
}

static void index_and_rindex(void **state)
{
	static const struct {
		const char *s, *sub;
		int64_t start;
		int index, rindex;
	} t[] = {
		{ "abcabc", "bc", 0, 1, -1 },
		{ "abcabc", "bc", 1, 1, 1 },
		{ "abcabc", "bc", 2, 4, 1 },
		{ "abcabc", "bc", 5, -1, 4 },
		{ "abcabc", "bc", 100, -1, 4 },
		{ "abcabc", "bc", -3, 1, -1 },
		{ "abcabc", "bc", INT64_MAX, -1, 4 },
		{ "abcabc", "", 2, 2, 2 },
		{ "abcabc", "", 100, 6, 6 },
		{ "abcabc", "", -1, 0, 0 },
		{ "", "", 3, 0, 0 },
		{ "", "", -3, 0, 0 },
		{ "", "a", 0, -1, -1 },
		{ "aaa", "aaaa", 0, -1, -1 },
	};
	struct arg args[] = { { A_A, 0 }, { A_CONST, 256 }, { A_B, 0 }, { A_CONST, 64 }, { A_NUM, 0 } };
	struct piece first = { .id = RT_INDEX }, last = { .id = RT_RINDEX };
	size_t k;

	(void)state;
	memcpy(first.args, args, sizeof(args));
	memcpy(last.args, args, sizeof(args));
	rt_load(&first, true, 1);
	rt_load(&last, true, 1);
	for (k = 0; k < ARRAY_SIZE(t); k++) {
		struct mem *m = rt_mem(t[k].s, t[k].sub);

		rt_put_num(m, 0, t[k].start);
		if (rt_run(&first, m) != t[k].index)
			fail_msg("index %zu", k);
		rt_put_num(m, 0, t[k].start);
		if (rt_run(&last, m) != t[k].rindex)
			fail_msg("rindex %zu", k);
	}
	rt_unload(&first);
	rt_unload(&last);
}

static void substr_like_dtrace(void **state)
{
	static const struct {
		const char *s;
		int64_t index, len;
		const char *want;
	} t[] = {
		{ "foobarbaz", 0, 3, "foo" },
		{ "foobarbaz", 3, 3, "bar" },
		{ "foobarbaz", 6, INT64_MAX, "baz" },
		{ "foobarbaz", 6, 100, "baz" },
		{ "foobarbaz", -3, INT64_MAX, "baz" },
		{ "foobarbaz", -3, 2, "ba" },
		{ "foobarbaz", 9, 1, "" },
		{ "foobarbaz", 100, 1, "" },
		{ "foobarbaz", -12, 5, "fo" },
		{ "foobarbaz", -12, 3, "" },
		{ "foobarbaz", -12, INT64_MAX, "foobarbaz" },
		{ "foobarbaz", 2, -2, "obarb" },
		{ "foobarbaz", 2, -7, "" },
		{ "foobarbaz", 2, -70, "" },
		{ "foobarbaz", -12, -1, "" },
		{ "foobarbaz", INT64_MIN, 1, "" },
		{ "foobarbaz", 1, 0, "" },
		{ "", 0, 5, "" },
		{ "", -1, 5, "" },
		{ "foobarbaz0123456789", 0, INT64_MAX, "foobarbaz012345" }, /* cut to cap */
	};
	struct piece pc = { .id = RT_SUBSTR,
			    .args = { { A_DST, 0 }, { A_CONST, 16 }, { A_A, 0 }, { A_CONST, 256 }, { A_IL, 0 } } };
	size_t k;

	(void)state;
	rt_load(&pc, true, 1);
	for (k = 0; k < ARRAY_SIZE(t); k++) {
		struct mem *m = rt_mem(t[k].s, NULL);

		rt_put_num(m, 0, t[k].index);
		rt_put_num(m, 1, t[k].len);
		assert_int_equal(rt_run(&pc, m), strlen(t[k].want));
		assert_string_equal(rt_dst(m), t[k].want);
	}
	rt_unload(&pc);
}

struct path_case {
	const char *path, *want;
};

static void check_paths(enum rt_id id, const struct path_case *t, size_t n)
{
	size_t v, k;

	for (v = 0; v < RT_NVARIANTS; v++) {
		struct piece pc = {
			.id = id,
			.args = { { A_DST, 0 }, { A_CONST, 64 }, { A_A, 0 }, { A_CONST, rt_variants[v].bound } }
		};

		if (id == RT_CLEANPATH && !rt_variants[v].loop)
			continue; /* too much for the verifier without bpf_loop() */
		rt_load(&pc, rt_variants[v].loop, 1);
		for (k = 0; k < n; k++) {
			struct mem *m = rt_mem(t[k].path, NULL);
			int64_t len = rt_run(&pc, m);

			assert_string_equal(rt_dst(m), t[k].want);
			assert_int_equal(len, strlen(t[k].want));
		}
		rt_unload(&pc);
	}
}

static void basename_like_dtrace(void **state)
{
	static const struct path_case t[] = {
		{ "/usr/lib/libc.so", "libc.so" },
		{ "libc.so", "libc.so" },
		{ "/usr/", "usr" },
		{ "/usr///", "usr" },
		{ "/", "/" },
		{ "///", "/" },
		{ "", "." },
		{ ".", "." },
		{ "..", ".." },
		{ "a//b", "b" },
		{ "/a", "a" },
	};

	(void)state;
	check_paths(RT_BASENAME, t, ARRAY_SIZE(t));
}

static void dirname_like_dtrace(void **state)
{
	static const struct path_case t[] = {
		{ "/usr/lib/libc.so", "/usr/lib" },
		{ "libc.so", "." },
		{ "/usr/", "/" },
		{ "/usr", "/" },
		{ "/", "/" },
		{ "///", "/" },
		{ "", "." },
		{ ".", "." },
		{ "..", "." },
		{ "a//b", "a" },
		{ "/foo//bar///", "/foo" },
		{ "a/b/c", "a/b" },
	};

	(void)state;
	check_paths(RT_DIRNAME, t, ARRAY_SIZE(t));
}

static void cleanpath_like_dtrace(void **state)
{
	static const struct path_case t[] = {
		{ "/usr/lib/x", "/usr/lib/x" },
		{ "/usr///lib/", "/usr/lib" },
		{ "/usr/././lib/./.", "/usr/lib" },
		{ "/usr/../usr/../lib/.//..", "/" },
		{ "usr/lib/./././././", "usr/lib" },
		{ "/a/..", "/" },
		{ "/..", "/" },
		{ "/../..", "/" },
		{ "", "" },
		{ "/", "/" },
		{ "//", "/" },
		{ "/foo/...", "/foo/..." },
		{ "/foo/.x/..y", "/foo/.x/..y" },
		{ "/a/b/../c", "/a/c" },
		{ "/a/../../b", "/b" },
		{ "./", "." },
		{ "./x", "x" },
		{ "x/..", "." },
		{ "x/../..", ".." },
		{ "../../x/../y/", "../../y" },
		{ "x/y/../z", "x/z" },
		{ "x/../z", "z" },
	};

	(void)state;
	check_paths(RT_CLEANPATH, t, ARRAY_SIZE(t));
}

static void case_changes(void **state)
{
	size_t v, k, i;
	int up;

	(void)state;
	for (v = 0; v < RT_NVARIANTS_LOOP; v++) {
		for (up = 0; up < 2; up++) {
			struct piece pc = {
				.id = up ? RT_TOUPPER : RT_TOLOWER,
				.args = { { A_DST, 0 }, { A_CONST, 64 }, { A_A, 0 }, { A_CONST, rt_variants[v].bound } }
			};
			char all[58], want[64] = { 0 };

			rt_load(&pc, rt_variants[v].loop, 1);
			for (k = 0; k < 5; k++) {
				struct mem *m;

				for (i = 0; i < 57; i++)
					all[i] = (char)(1 + k * 57 + i ? 1 + (k * 57 + i) % 255 : 1);
				all[57] = 0;
				memset(want, 0, sizeof(want));
				for (i = 0; i < 57; i++) {
					unsigned char c = (unsigned char)all[i];

					want[i] = (char)(c > 127 ? c : up ? toupper(c) : tolower(c));
				}
				m = rt_mem(all, NULL);
				assert_int_equal(rt_run(&pc, m), 57);
				assert_memory_equal(rt_dst(m), want, 64);
			}
			rt_unload(&pc);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strlen_is_strlen),	cmocka_unit_test(strcmp_is_strcmp),
		cmocka_unit_test(strcpy_cuts_and_pads), cmocka_unit_test(strcpy_onto_itself),
		cmocka_unit_test(strappend_appends),	cmocka_unit_test(strchr_and_strrchr),
		cmocka_unit_test(strstr_and_strrstr),	cmocka_unit_test(index_and_rindex),
		cmocka_unit_test(substr_like_dtrace),	cmocka_unit_test(basename_like_dtrace),
		cmocka_unit_test(dirname_like_dtrace),	cmocka_unit_test(cleanpath_like_dtrace),
		cmocka_unit_test(case_changes),
	};

	if (!kern_usable())
		return skip_all("needs root and BPF");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
