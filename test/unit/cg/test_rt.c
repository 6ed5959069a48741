/* SPDX-License-Identifier: Apache-2.0 */
/* Run-time pieces: loaded into this kernel and run, against the same in C. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "cg/ir_int.h"
#include "cg/rt.h"
#include "kern_run.h"

/* The map's value: */
enum {
	M_RESULT = 0,
	M_ARGS = 8,	/* numbers */
	M_DST = 256,
	M_A = 4608, M_B = 8960, /* strings; not at a multiple of 4096 */
	M_STATE = 13312,
};

/* How a piece's arguments are made. */
enum arg_kind { A_END, A_NUM, A_CONST, A_DST, A_A, A_B, A_STATE, A_IL };
struct arg {
	enum arg_kind kind;
	int64_t v; /* A_CONST; the others: offset */
};
#define MAX_ARGS 5

static int usable; /* set by main() */

struct piece {
	enum rt_id id;
	struct arg args[MAX_ARGS + 1];
	int prog, map;
	unsigned processed;
};

/* main: result = piece(args). Numbers come from the map, so that they are unknown to the verifier. */
static void build(struct irprog *p, const struct piece *pc, const struct caps *caps, int calls)
{
	struct irfn *f = irfn_new(p, "main", 1);
	vreg args[MAX_ARGS], base = ir_new(f), r = ir_new(f);
	int call;

	ir_mapval(f, base, 0, 0);
	for (call = 0; call < calls; call++) {
		unsigned n = 0, num = 0;

		for (; pc->args[n].kind != A_END; n++) {
			const struct arg *a = &pc->args[n];

			args[n] = ir_new(f);
			switch (a->kind) {
			case A_NUM: ir_load(f, args[n], base, M_ARGS + 8 * (int)num++, 8); break;
			case A_CONST: ir_movi(f, args[n], (uint64_t)a->v); break;
			case A_DST: ir_mapval(f, args[n], 0, M_DST + (uint32_t)a->v); break;
			case A_A: ir_mapval(f, args[n], 0, M_A + (uint32_t)a->v); break;
			case A_B: ir_mapval(f, args[n], 0, M_B + (uint32_t)a->v); break;
			case A_STATE: ir_mapval(f, args[n], 0, M_STATE); break;
			case A_IL: ir_mapval(f, args[n], 0, M_ARGS); break;
			case A_END: break;
			}
		}
		ir_call_fn(f, r, rt_get(p, pc->id, caps), n, args);
		ir_store(f, base, M_RESULT, 8, r);
	}
	ir_reti(f, 0);
}

static void load(struct piece *pc, bool loop, int calls)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct caps caps = kern_caps();
	struct irprog *p = irprog_new(a);
	struct img_prog img = { .name = "test" };
	struct img_map map = { .role = IMG_MAP_STATE, .type = BPF_MAP_TYPE_ARRAY, .value_size = KERN_MEM, .max_entries = 1 };
	struct image image = { .maps = &map, .nmaps = 1, .progs = &img, .nprogs = 1 };
	const char *why = "";
	char *log = NULL;
	struct err err = { 0 };

	if (!usable)
		skip();
	caps.bpf_loop = loop;
	build(p, pc, &caps, calls);
	if (ir_finish(p, a, &img, &why) < 0)
		fail_msg("ir_finish: %s", why);
	assert_true(p->fns[0]->chain <= RT_STACK_MAX + IR_FRAME_ROUND);
	if (image_check(&image, &err) < 0)
		fail_msg("%s", err.msg);
	if (kern_load(&img, &pc->prog, &pc->map, &log, &pc->processed) < 0) {
		size_t n = strlen(log);

		fail_msg("piece %d: %s", (int)pc->id, log + (n > 6000 ? n - 6000 : 0));
	}
	free(log);
	arena_free(a);
}

static void unload(struct piece *pc)
{
	close(pc->prog);
	close(pc->map);
}

struct mem {
	uint8_t b[KERN_MEM];
};

static void put_num(struct mem *m, unsigned n, int64_t v)
{
	memcpy(m->b + M_ARGS + 8 * n, &v, 8);
}

static int64_t run(struct piece *pc, struct mem *m)
{
	uint32_t r;
	int64_t v;

	assert_int_equal(kern_exec(pc->prog, pc->map, m->b, &r), 0);
	memcpy(&v, m->b + M_RESULT, 8);
	return v;
}

/* Strings behind which is garbage. */
static struct mem *new_mem(const char *a, const char *b)
{
	static struct mem m;

	memset(m.b, 0xa5, sizeof(m.b));
	if (a)
		strcpy((char *)m.b + M_A, a);
	if (b)
		strcpy((char *)m.b + M_B, b);
	return &m;
}

static const char *dst(const struct mem *m)
{
	return (const char *)m->b + M_DST;
}

static const int64_t numbers[] = {
	0, 1, -1, 2, -2, 3, 7, -7, 8, 9, 10, 15, 16, 17, 63, 64, 65, 99, 100, 101, 127, 128, 255, 256,
	999, 1000, 4095, 4096, 65535, 65536, INT32_MAX, INT32_MIN, UINT32_MAX, 1ll << 32,
	(1ll << 32) + 1, 1ll << 62, (1ll << 62) - 1, -(1ll << 62), -(1ll << 62) - 1, INT64_MAX,
	INT64_MAX - 1, INT64_MIN, INT64_MIN + 1, 1234567890123456789, -1234567890123456789,
};

static void quantize_is_aggval_quantize_bucket(void **state)
{
	struct piece pc = { .id = RT_QUANTIZE, .args = { { A_NUM, 0 } } };
	struct mem *m = new_mem(NULL, NULL);
	size_t k;
	int s;

	(void)state;
	load(&pc, true, 1);
	for (k = 0; k < ARRAY_SIZE(numbers); k++) {
		put_num(m, 0, numbers[k]);
		assert_int_equal(run(&pc, m), aggval_quantize_bucket(numbers[k]));
	}
	for (s = 0; s < 64; s++) {
		int64_t p = (int64_t)(1ull << s), d;

		for (d = -1; d <= 1; d++) {
			int64_t v = (int64_t)((uint64_t)p + (uint64_t)d);

			put_num(m, 0, v);
			assert_int_equal(run(&pc, m), aggval_quantize_bucket(v));
			v = (int64_t)(0 - (uint64_t)v);
			put_num(m, 0, v);
			assert_int_equal(run(&pc, m), aggval_quantize_bucket(v));
		}
	}
	unload(&pc);
}

static void llquantize_is_aggval_llquantize_bucket(void **state)
{
	static const int32_t params[][4] = {
		{ 10, 0, 6, 20 }, { 10, 3, 6, 10 }, { 2, 0, 61, 2 }, { 2, 4, 10, 16 },
		{ 10, 0, 17, 10 }, { 3, 0, 5, 9 }, { 1000, 1, 3, 1000 }, { 10, 2, 2, 1000 },
	};
	struct mem *m = new_mem(NULL, NULL);
	size_t k, i;
	unsigned b, n;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(params); k++) {
		const int32_t *p = params[k];
		struct piece pc = { .id = RT_LLQUANTIZE,
				    .args = { { A_NUM, 0 }, { A_CONST, p[0] }, { A_CONST, p[1] },
					      { A_CONST, p[2] }, { A_CONST, p[3] } } };

		load(&pc, true, 1);
		for (i = 0; i < ARRAY_SIZE(numbers); i++) {
			put_num(m, 0, numbers[i]);
			assert_int_equal(run(&pc, m), aggval_llquantize_bucket(p, numbers[i]));
		}
		n = aggval_llquantize_nbuckets(p);
		assert_true(n > 0);
		for (b = 0; b < n; b += 1 + n / 50) {
			int64_t v = aggval_llquantize_bound(p, b), d;

			for (d = -1; d <= 1; d++) {
				put_num(m, 0, v + d);
				assert_int_equal(run(&pc, m), aggval_llquantize_bucket(p, v + d));
			}
		}
		unload(&pc);
	}
}

static void signed_division_is_c(void **state)
{
	struct piece div = { .id = RT_SDIV, .args = { { A_NUM, 0 }, { A_NUM, 0 } } };
	struct piece mod = { .id = RT_SMOD, .args = { { A_NUM, 0 }, { A_NUM, 0 } } };
	struct mem *m = new_mem(NULL, NULL);
	size_t i, k;

	(void)state;
	load(&div, true, 1);
	load(&mod, true, 1);
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		for (k = 0; k < ARRAY_SIZE(numbers); k++) {
			int64_t a = numbers[i], b = numbers[k];

			if (!b)
				continue;
			put_num(m, 0, a);
			put_num(m, 1, b);
			/* INT64_MIN / -1 wraps */
			assert_int_equal(run(&div, m), b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b);
			put_num(m, 0, a);
			put_num(m, 1, b);
			assert_int_equal(run(&mod, m), b == -1 ? 0 : a % b);
		}
	}
	unload(&div);
	unload(&mod);
}

static void add128_squares(void **state)
{
	struct piece pc = { .id = RT_ADD128, .args = { { A_STATE, 0 }, { A_NUM, 0 } } };
	struct mem *m = new_mem(NULL, NULL);
	unsigned __int128 sum = (unsigned __int128)UINT64_MAX * 3, have;
	size_t k;

	(void)state;
	load(&pc, true, 1);
	memcpy(m->b + M_STATE, &sum, 16);
	for (k = 0; k < ARRAY_SIZE(numbers); k++) {
		put_num(m, 0, numbers[k]);
		run(&pc, m);
		sum += (unsigned __int128)((__int128)numbers[k] * numbers[k]);
		memcpy(&have, m->b + M_STATE, 16);
		assert_true(have == sum);
	}
	unload(&pc);
}

/* Texts with lengths around words and bounds. */
static const char *const texts[] = {
	"", "a", "ab", "abcdefg", "abcdefgh", "abcdefghi", "abcdefgX", "abcdefghijklmno",
	"abcdefghijklmnop", "abcdefghijklmnoq", "zabc", "\x80", "\xff\xff", "a\x01", "a\x80z",
	"/usr/lib/x86_64-linux-gnu/libc.so.6", "aaaaaaaaaaaaaaaaaaaaaaaaab", "aaab", "b",
	"\x01\x01\x01\x01\x01\x01\x01\x01\x01",
};

/* Runs a test with several bounds and with and without bpf_loop(). */
static const struct {
	int64_t bound;
	bool loop;
} variants[] = { { 256, true }, { 4096, true }, { 61, true }, { 256, false }, { 61, false } };

static int sign(int64_t v)
{
	return v < 0 ? -1 : v > 0;
}

static void strlen_is_strlen(void **state)
{
	size_t v, k;

	(void)state;
	for (v = 0; v < ARRAY_SIZE(variants); v++) {
		struct piece pc = { .id = RT_STRLEN,
				    .args = { { A_A, 0 }, { A_CONST, variants[v].bound } } };
		struct mem *m;

		load(&pc, variants[v].loop, 1);
		for (k = 0; k < ARRAY_SIZE(texts); k++) {
			m = new_mem(texts[k], NULL);
			assert_int_equal(run(&pc, m), strlen(texts[k]));
		}
		m = new_mem(NULL, NULL); /* no NUL */
		assert_int_equal(run(&pc, m), variants[v].bound);
		m->b[M_A + variants[v].bound - 1] = 0;
		assert_int_equal(run(&pc, m), variants[v].bound - 1);
		unload(&pc);
	}
}

static void strcmp_is_strcmp(void **state)
{
	size_t v, i, k;

	(void)state;
	for (v = 0; v < ARRAY_SIZE(variants); v++) {
		struct piece pc = { .id = RT_STRCMP,
				    .args = { { A_A, 0 }, { A_CONST, variants[v].bound }, { A_B, 0 },
					      { A_CONST, 64 } } };

		load(&pc, variants[v].loop, 1);
		for (i = 0; i < ARRAY_SIZE(texts); i++) {
			for (k = 0; k < ARRAY_SIZE(texts); k++) {
				struct mem *m = new_mem(texts[i], texts[k]);
				int64_t have = run(&pc, m);

				if (sign(have) != sign(strcmp(texts[i], texts[k])))
					fail_msg("'%s' '%s': %d", texts[i], texts[k], (int)have);
			}
		}
		unload(&pc);
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
				    .args = { { A_DST, 0 }, { A_CONST, caps[c] }, { A_A, 0 },
					      { A_CONST, 64 } } };

		load(&pc, true, 1);
		for (k = 0; k < ARRAY_SIZE(texts); k++) {
			struct mem *m = new_mem(texts[k], NULL);
			int64_t len = (int64_t)strlen(texts[k]);

			if (len > caps[c] - 1)
				len = caps[c] - 1;
			assert_int_equal(run(&pc, m), len);
			assert_memory_equal(dst(m), texts[k], len);
			for (i = len; i < caps[c]; i++)
				assert_int_equal(dst(m)[i], 0);
			assert_int_equal((uint8_t)dst(m)[caps[c]], 0xa5);
		}
		unload(&pc);
	}
}

static void strcpy_onto_itself(void **state)
{
	struct piece pc = { .id = RT_STRCPY,
			    .args = { { A_A, 0 }, { A_CONST, 64 }, { A_A, 0 }, { A_CONST, 64 } } };
	struct mem *m = new_mem("same", NULL);

	(void)state;
	load(&pc, true, 1);
	assert_int_equal(run(&pc, m), 4);
	assert_string_equal((char *)m->b + M_A, "same");
	unload(&pc);
}

static void strappend_appends(void **state)
{
	size_t v, k;

	(void)state;
	for (v = 0; v < ARRAY_SIZE(variants); v++) {
		struct piece pc = { .id = RT_STRAPPEND,
				    .args = { { A_DST, 0 }, { A_CONST, 32 }, { A_NUM, 0 }, { A_A, 0 },
					      { A_CONST, variants[v].bound } } };

		load(&pc, variants[v].loop, 1);
		for (k = 0; k < ARRAY_SIZE(texts); k++) {
			struct mem *m = new_mem(texts[k], NULL);
			char want[128];

			strcpy((char *)m->b + M_DST, "hello");
			put_num(m, 0, 5);
			snprintf(want, 32, "hello%s", texts[k]);
			assert_int_equal(run(&pc, m), strlen(want));
			assert_string_equal(dst(m), want);
			assert_int_equal((uint8_t)dst(m)[32], 0xa5);
		}
		unload(&pc);
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
	for (v = 0; v < ARRAY_SIZE(variants); v++) {
		struct arg args[] = { { A_A, 0 }, { A_CONST, variants[v].bound }, { A_NUM, 0 } };
		struct piece first = { .id = RT_STRCHR }, last = { .id = RT_STRRCHR };

		memcpy(first.args, args, sizeof(args));
		memcpy(last.args, args, sizeof(args));
		load(&first, variants[v].loop, 1);
		load(&last, variants[v].loop, 1);
		for (i = 0; i < ARRAY_SIZE(texts); i++) {
			for (k = 0; k < ARRAY_SIZE(chars); k++) {
				struct mem *m = new_mem(texts[i], NULL);
				const char *s = texts[i];

				put_num(m, 0, chars[k]);
				assert_int_equal(run(&first, m), place(s, strchr(s, chars[k])));
				put_num(m, 0, chars[k]);
				assert_int_equal(run(&last, m), place(s, strrchr(s, chars[k])));
			}
		}
		unload(&first);
		unload(&last);
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
	for (v = 0; v < 3; v++) {
		struct arg args[] = { { A_A, 0 }, { A_CONST, variants[v].bound }, { A_B, 0 },
				      { A_CONST, 64 } };
		struct piece first = { .id = RT_STRSTR }, last = { .id = RT_STRRSTR };

		memcpy(first.args, args, sizeof(args));
		memcpy(last.args, args, sizeof(args));
		load(&first, variants[v].loop, 1);
		load(&last, variants[v].loop, 1);
		for (i = 0; i < ARRAY_SIZE(texts); i++) {
			for (k = 0; k < ARRAY_SIZE(texts); k++) {
				struct mem *m = new_mem(texts[i], texts[k]);

				assert_int_equal(run(&first, m),
						 place(texts[i], strstr(texts[i], texts[k])));
				assert_int_equal(run(&last, m),
						 place(texts[i], last_strstr(texts[i], texts[k])));
			}
		}
		unload(&first);
		unload(&last);
	}
}

static void index_and_rindex(void **state)
{
	static const struct {
		const char *s, *sub;
		int64_t start;
		int index, rindex;
	} t[] = {
		{ "abcabc", "bc", 0, 1, -1 },	   { "abcabc", "bc", 1, 1, 1 },
		{ "abcabc", "bc", 2, 4, 1 },	   { "abcabc", "bc", 5, -1, 4 },
		{ "abcabc", "bc", 100, -1, 4 },	   { "abcabc", "bc", -3, 1, -1 },
		{ "abcabc", "bc", INT64_MAX, -1, 4 }, { "abcabc", "", 2, 2, 2 },
		{ "abcabc", "", 100, 6, 6 },	   { "abcabc", "", -1, 0, 0 },
		{ "", "", 3, 0, 0 },		   { "", "", -3, 0, 0 },
		{ "", "a", 0, -1, -1 },		   { "aaa", "aaaa", 0, -1, -1 },
	};
	struct arg args[] = { { A_A, 0 }, { A_CONST, 256 }, { A_B, 0 }, { A_CONST, 64 }, { A_NUM, 0 } };
	struct piece first = { .id = RT_INDEX }, last = { .id = RT_RINDEX };
	size_t k;

	(void)state;
	memcpy(first.args, args, sizeof(args));
	memcpy(last.args, args, sizeof(args));
	load(&first, true, 1);
	load(&last, true, 1);
	for (k = 0; k < ARRAY_SIZE(t); k++) {
		struct mem *m = new_mem(t[k].s, t[k].sub);

		put_num(m, 0, t[k].start);
		if (run(&first, m) != t[k].index)
			fail_msg("index %zu", k);
		put_num(m, 0, t[k].start);
		if (run(&last, m) != t[k].rindex)
			fail_msg("rindex %zu", k);
	}
	unload(&first);
	unload(&last);
}

static void substr_like_dtrace(void **state)
{
	static const struct {
		const char *s;
		int64_t index, len;
		const char *want;
	} t[] = {
		{ "foobarbaz", 0, 3, "foo" },	 { "foobarbaz", 3, 3, "bar" },
		{ "foobarbaz", 6, INT64_MAX, "baz" }, { "foobarbaz", 6, 100, "baz" },
		{ "foobarbaz", -3, INT64_MAX, "baz" }, { "foobarbaz", -3, 2, "ba" },
		{ "foobarbaz", 9, 1, "" },	 { "foobarbaz", 100, 1, "" },
		{ "foobarbaz", -12, 5, "fo" },	 { "foobarbaz", -12, 3, "" },
		{ "foobarbaz", -12, INT64_MAX, "foobarbaz" },
		{ "foobarbaz", 2, -2, "obarb" }, { "foobarbaz", 2, -7, "" },
		{ "foobarbaz", 2, -70, "" },	 { "foobarbaz", -12, -1, "" },
		{ "foobarbaz", INT64_MIN, 1, "" }, { "foobarbaz", 1, 0, "" },
		{ "", 0, 5, "" },		 { "", -1, 5, "" },
		{ "foobarbaz0123456789", 0, INT64_MAX, "foobarbaz012345" }, /* cut to cap */
	};
	struct piece pc = { .id = RT_SUBSTR,
			    .args = { { A_DST, 0 }, { A_CONST, 16 }, { A_A, 0 }, { A_CONST, 256 },
				      { A_IL, 0 } } };
	size_t k;

	(void)state;
	load(&pc, true, 1);
	for (k = 0; k < ARRAY_SIZE(t); k++) {
		struct mem *m = new_mem(t[k].s, NULL);

		put_num(m, 0, t[k].index);
		put_num(m, 1, t[k].len);
		assert_int_equal(run(&pc, m), strlen(t[k].want));
		assert_string_equal(dst(m), t[k].want);
	}
	unload(&pc);
}

struct path_case {
	const char *path, *want;
};

static void check_paths(enum rt_id id, const struct path_case *t, size_t n)
{
	size_t v, k;

	for (v = 0; v < ARRAY_SIZE(variants); v++) {
		struct piece pc = { .id = id,
				    .args = { { A_DST, 0 }, { A_CONST, 64 }, { A_A, 0 },
					      { A_CONST, variants[v].bound } } };

		if (id == RT_CLEANPATH && !variants[v].loop)
			continue; /* too much for the verifier without bpf_loop() */
		load(&pc, variants[v].loop, 1);
		for (k = 0; k < n; k++) {
			struct mem *m = new_mem(t[k].path, NULL);
			int64_t len = run(&pc, m);

			assert_string_equal(dst(m), t[k].want);
			assert_int_equal(len, strlen(t[k].want));
		}
		unload(&pc);
	}
}

static void basename_like_dtrace(void **state)
{
	static const struct path_case t[] = {
		{ "/usr/lib/libc.so", "libc.so" }, { "libc.so", "libc.so" }, { "/usr/", "usr" },
		{ "/usr///", "usr" }, { "/", "/" }, { "///", "/" }, { "", "." }, { ".", "." },
		{ "..", ".." }, { "a//b", "b" }, { "/a", "a" },
	};

	(void)state;
	check_paths(RT_BASENAME, t, ARRAY_SIZE(t));
}

static void dirname_like_dtrace(void **state)
{
	static const struct path_case t[] = {
		{ "/usr/lib/libc.so", "/usr/lib" }, { "libc.so", "." }, { "/usr/", "/" },
		{ "/usr", "/" }, { "/", "/" }, { "///", "/" }, { "", "." }, { ".", "." },
		{ "..", "." }, { "a//b", "a" }, { "/foo//bar///", "/foo" }, { "a/b/c", "a/b" },
	};

	(void)state;
	check_paths(RT_DIRNAME, t, ARRAY_SIZE(t));
}

static void cleanpath_like_dtrace(void **state)
{
	static const struct path_case t[] = {
		{ "/foo/bar/baz", "/foo/bar/baz" }, { "/foo/bar///baz/", "/foo/bar/baz/" },
		{ "/foo/././bar/./.", "/foo/bar/." }, { "/foo/bar/../bar/../bar/.//..", "/foo/" },
		{ "foo/bar/./././././", "foo/bar/" }, { "/a/..", "/" }, { "/..", "/" },
		{ "/../..", "/" }, { "", "" }, { "/", "/" }, { "/foo/...", "/foo/..." },
		{ "/foo/.x/..y", "/foo/.x/..y" }, { "/a/b/../c", "/a/c" }, { "/a/../../b", "/b" },
	};

	(void)state;
	check_paths(RT_CLEANPATH, t, ARRAY_SIZE(t));
}

static void case_changes(void **state)
{
	size_t v, k, i;
	int up;

	(void)state;
	for (v = 0; v < 3; v++) {
		for (up = 0; up < 2; up++) {
			struct piece pc = { .id = up ? RT_TOUPPER : RT_TOLOWER,
					    .args = { { A_DST, 0 }, { A_CONST, 64 }, { A_A, 0 },
						      { A_CONST, variants[v].bound } } };
			char all[58], want[64] = { 0 };

			load(&pc, variants[v].loop, 1);
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
				m = new_mem(all, NULL);
				assert_int_equal(run(&pc, m), 57);
				assert_memory_equal(dst(m), want, 64);
			}
			unload(&pc);
		}
	}
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
	sprintf(out, "%s%s", base == 16 ? "0x" : base == 8 && v ? "0" : base == 10 && v < 0 ? "-" : "",
		p);
}

static void lltostr_like_dtrace(void **state)
{
	static const int bases[] = { 10, 16, 8, 2, 36, 3 };
	size_t v, i, k;

	(void)state;
	for (v = 0; v < 2; v++) {
		struct piece pc = { .id = RT_LLTOSTR,
				    .args = { { A_DST, 0 }, { A_CONST, 72 }, { A_NUM, 0 },
					      { A_NUM, 0 } } };

		load(&pc, v == 0, 1);
		for (i = 0; i < ARRAY_SIZE(bases); i++) {
			for (k = 0; k < ARRAY_SIZE(numbers); k++) {
				struct mem *m = new_mem(NULL, NULL);
				char want[80];

				want_lltostr(want, numbers[k], bases[i]);
				put_num(m, 0, numbers[k]);
				put_num(m, 1, bases[i]);
				assert_int_equal(run(&pc, m), strlen(want));
				assert_string_equal(dst(m), want);
			}
		}
		unload(&pc);
	}
}

static void strtoll_like_dtrace(void **state)
{
	static const struct {
		const char *s;
		int64_t base, want;
	} t[] = {
		{ "0", 10, 0 }, { "123", 10, 123 }, { "-123", 10, -123 }, { "+7x", 10, 7 },
		{ "  \t 42 ", 10, 42 }, { "", 10, 0 }, { "-", 10, 0 }, { "abc", 10, 0 },
		{ "ff", 16, 255 }, { "0xfF", 16, 255 }, { "0Xg", 16, 0 }, { "0x", 16, 0 },
		{ "0", 16, 0 }, { "0f", 16, 15 }, { "-0x10", 16, -16 }, { "777", 8, 511 },
		{ "789", 8, 7 }, { "101", 2, 5 }, { "zz", 36, 1295 }, { "ZZ", 36, 1295 },
		{ "9223372036854775807", 10, INT64_MAX }, { "-9223372036854775808", 10, INT64_MIN },
		{ "1 2", 10, 1 }, { "--1", 10, 0 }, { "1@", 36, 1 }, { "1[", 36, 1 }, { "1`", 36, 1 },
		{ "1{", 36, 1 }, { "1/", 36, 1 }, { "1:", 36, 1 },
	};
	size_t v, k;

	(void)state;
	for (v = 0; v < 3; v++) {
		struct piece pc = { .id = RT_STRTOLL,
				    .args = { { A_A, 0 }, { A_CONST, variants[v].bound }, { A_NUM, 0 } } };

		load(&pc, variants[v].loop, 1);
		for (k = 0; k < ARRAY_SIZE(t); k++) {
			struct mem *m = new_mem(t[k].s, NULL);

			put_num(m, 0, t[k].base);
			if (run(&pc, m) != t[k].want)
				fail_msg("strtoll(\"%s\", %d)", t[k].s, (int)t[k].base);
		}
		unload(&pc);
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
			    .args = { { A_DST, 0 }, { A_CONST, 256 }, { A_STATE, 0 }, { A_B, 0 },
				      { A_CONST, 64 } } };
	size_t k, n;

	(void)state;
	load(&pc, true, 1);
	for (k = 0; k < ARRAY_SIZE(t); k++) {
		struct mem *m = new_mem(NULL, t[k].delim);

		memset(m->b + M_STATE, 0, 8);
		strcpy((char *)m->b + M_STATE + 8, t[k].s);
		for (n = 0; t[k].tokens[n]; n++) {
			assert_int_equal(run(&pc, m), strlen(t[k].tokens[n]));
			assert_string_equal(dst(m), t[k].tokens[n]);
		}
		assert_int_equal(run(&pc, m), -1);
		assert_int_equal(run(&pc, m), -1);
	}
	unload(&pc);
}

static void addresses(void **state)
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
	};
	static const struct {
		uint8_t a[4];
		const char *want;
	} t4[] = {
		{ { 0, 0, 0, 0 }, "0.0.0.0" }, { { 127, 0, 0, 1 }, "127.0.0.1" },
		{ { 255, 255, 255, 255 }, "255.255.255.255" }, { { 10, 99, 100, 9 }, "10.99.100.9" },
	};
	struct piece v4 = { .id = RT_INET_NTOA, .args = { { A_DST, 0 }, { A_CONST, 64 }, { A_NUM, 0 } } };
	struct piece v6 = { .id = RT_INET_NTOA6, .args = { { A_DST, 0 }, { A_CONST, 64 }, { A_A, 0 } } };
	struct piece mac = { .id = RT_LINK_NTOP, .args = { { A_DST, 0 }, { A_CONST, 18 }, { A_A, 0 } } };
	static const uint8_t link[6] = { 0, 0x1b, 0xff, 0xa0, 9, 0x9f };
	struct mem *m = new_mem(NULL, NULL);
	size_t k;

	(void)state;
	load(&v4, true, 1);
	for (k = 0; k < ARRAY_SIZE(t4); k++) {
		put_num(m, 0, 0);
		memcpy(m->b + M_ARGS, t4[k].a, 4);
		assert_int_equal(run(&v4, m), strlen(t4[k].want));
		assert_string_equal(dst(m), t4[k].want);
	}
	load(&v6, true, 1);
	for (k = 0; k < ARRAY_SIZE(t6); k++) {
		memcpy(m->b + M_A, t6[k].a, 16);
		assert_int_equal(run(&v6, m), strlen(t6[k].want));
		assert_string_equal(dst(m), t6[k].want);
	}
	load(&mac, true, 1);
	memcpy(m->b + M_A, link, 6);
	assert_int_equal(run(&mac, m), 17);
	assert_string_equal(dst(m), "00:1b:ff:a0:09:9f");
	unload(&v4);
	unload(&v6);
	unload(&mac);
}

/* Every piece can be called a hundred times in one program with bounds of 4096. */
static void pieces_fit_the_verifier_budget(void **state)
{
	static struct piece t[] = {
		{ .id = RT_QUANTIZE, .args = { { A_NUM, 0 } } },
		{ .id = RT_LLQUANTIZE, .args = { { A_NUM, 0 }, { A_CONST, 10 }, { A_CONST, 0 },
						 { A_CONST, 17 }, { A_CONST, 100 } } },
		{ .id = RT_STRLEN, .args = { { A_A, 0 }, { A_CONST, 4096 } } },
		{ .id = RT_STRCMP, .args = { { A_A, 0 }, { A_CONST, 4096 }, { A_B, 0 }, { A_CONST, 4096 } } },
		{ .id = RT_STRCPY, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_B, 0 }, { A_CONST, 4096 } } },
		{ .id = RT_STRAPPEND, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_NUM, 0 }, { A_B, 0 },
						{ A_CONST, 4096 } } },
		{ .id = RT_STRCHR, .args = { { A_A, 0 }, { A_CONST, 4096 }, { A_NUM, 0 } } },
		{ .id = RT_STRRCHR, .args = { { A_A, 0 }, { A_CONST, 4096 }, { A_NUM, 0 } } },
		{ .id = RT_RINDEX, .args = { { A_A, 0 }, { A_CONST, 4096 }, { A_B, 0 }, { A_CONST, 4096 },
					     { A_NUM, 0 } } },
		{ .id = RT_SUBSTR, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_A, 0 }, { A_CONST, 4096 },
					     { A_IL, 0 } } },
		{ .id = RT_BASENAME, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_A, 0 }, { A_CONST, 4096 } } },
		{ .id = RT_DIRNAME, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_A, 0 }, { A_CONST, 4096 } } },
		{ .id = RT_CLEANPATH, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_A, 0 }, { A_CONST, 4096 } } },
		{ .id = RT_LLTOSTR, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_NUM, 0 }, { A_NUM, 0 } } },
		{ .id = RT_STRTOLL, .args = { { A_A, 0 }, { A_CONST, 4096 }, { A_NUM, 0 } } },
		{ .id = RT_TOLOWER, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_A, 0 }, { A_CONST, 4096 } } },
		{ .id = RT_STRTOK, .args = { { A_DST, 0 }, { A_CONST, 2048 }, { A_STATE, 0 }, { A_B, 0 },
					     { A_CONST, 4096 } } },
		{ .id = RT_INET_NTOA, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_NUM, 0 } } },
		{ .id = RT_INET_NTOA6, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_A, 0 } } },
		{ .id = RT_LINK_NTOP, .args = { { A_DST, 0 }, { A_CONST, 4096 }, { A_A, 0 } } },
	};
	size_t k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(t); k++) {
		load(&t[k], true, 100);
		print_message("piece %d: %u instructions per call\n", (int)t[k].id, t[k].processed / 100);
		unload(&t[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantize_is_aggval_quantize_bucket),
		cmocka_unit_test(llquantize_is_aggval_llquantize_bucket),
		cmocka_unit_test(signed_division_is_c),
		cmocka_unit_test(add128_squares),
		cmocka_unit_test(strlen_is_strlen),
		cmocka_unit_test(strcmp_is_strcmp),
		cmocka_unit_test(strcpy_cuts_and_pads),
		cmocka_unit_test(strcpy_onto_itself),
		cmocka_unit_test(strappend_appends),
		cmocka_unit_test(strchr_and_strrchr),
		cmocka_unit_test(strstr_and_strrstr),
		cmocka_unit_test(index_and_rindex),
		cmocka_unit_test(substr_like_dtrace),
		cmocka_unit_test(basename_like_dtrace),
		cmocka_unit_test(dirname_like_dtrace),
		cmocka_unit_test(cleanpath_like_dtrace),
		cmocka_unit_test(case_changes),
		cmocka_unit_test(lltostr_like_dtrace),
		cmocka_unit_test(strtoll_like_dtrace),
		cmocka_unit_test(strtok_gives_all_tokens),
		cmocka_unit_test(addresses),
		cmocka_unit_test(pieces_fit_the_verifier_budget),
	};

	usable = kern_usable();
	if (!usable)
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
