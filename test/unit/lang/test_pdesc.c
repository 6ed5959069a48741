/* SPDX-License-Identifier: Apache-2.0 */
/* Probe descriptions: splitting and matching. */
#include "../unit.h"
#include <errno.h>
#include <string.h>
#include "lang/dprog.h"

static void descriptions_are_right_aligned(void **state)
{
	static const struct {
		const char *text, *prov, *mod, *func, *name;
	} cases[] = {
		{ "", NULL, NULL, NULL, NULL },
		{ "BEGIN", NULL, NULL, NULL, "BEGIN" },
		{ "read:entry", NULL, NULL, "read", "entry" },
		{ "vfs:read:entry", NULL, "vfs", "read", "entry" },
		{ "syscall:vmlinux:read:entry", "syscall", "vmlinux", "read", "entry" },
		{ "syscall:::", "syscall", NULL, NULL, NULL },
		{ ":::", NULL, NULL, NULL, NULL },
		{ "::x:", NULL, NULL, "x", NULL },
		{ "a::", NULL, "a", NULL, NULL },
	};
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *want[] = { cases[i].prov, cases[i].mod, cases[i].func, cases[i].name };
		struct pdesc d;
		const char *got[4];

		assert_int_equal(pdesc_parse(a, cases[i].text, strlen(cases[i].text), &d), 0);
		got[0] = d.prov;
		got[1] = d.mod;
		got[2] = d.func;
		got[3] = d.name;
		for (int k = 0; k < 4; k++) {
			if (!want[k])
				assert_null(got[k]);
			else
				assert_string_equal(got[k], want[k]);
		}
		assert_int_equal(d.id, 0);
	}
	arena_free(a);
}

static void a_fifth_part_is_refused(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct pdesc d;

	(void)state;
	assert_int_equal(pdesc_parse(a, "a:b:c:d:e", 9, &d), -EINVAL);
	assert_int_equal(pdesc_parse(a, "x::::", 5, &d), -EINVAL);
	assert_int_equal(pdesc_parse(a, ":::::", 5, &d), -EINVAL);
	assert_int_equal(pdesc_parse(a, "::::", 4, &d), 0);	 /* as DTrace: nothing before a fifth part */
	assert_int_equal(pdesc_parse(a, "a:b:c:d:e", 7, &d), 0); /* only the first 7 bytes */
	assert_string_equal(d.name, "d");
	arena_free(a);
}

static void globs_match(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool want;
	} cases[] = {
		{ NULL, "x", true },
		{ "", "x", true },
		{ "x", "x", true },
		{ "x", "y", false },
		{ "x", "xx", false },
		{ "x", "", false },
		{ "*", "", true },
		{ "*", "abc", true },
		{ "**", "abc", true },
		{ "a*", "abc", true },
		{ "*c", "abc", true },
		{ "a*c", "abbbc", true },
		{ "a*c", "abbbd", false },
		{ "*b*", "abc", true },
		{ "a*b*c", "axxbyybzzc", true },
		{ "?", "x", true },
		{ "?", "", false },
		{ "a?c", "abc", true },
		{ "[abc]", "b", true },
		{ "[abc]", "d", false },
		{ "[a-c]x", "bx", true },
		{ "[!a-c]", "b", false },
		{ "[!a-c]", "d", true },
		{ "[a-]", "-", true },
		{ "x[", "x[", false },
		{ "[a", "a", false },
		{ "[]", "x", false },
		{ "\\*", "*", true },
		{ "\\*", "x", false },
		{ "a\\?", "a?", true },
		{ "[\\]]", "]", true },
		{ "sys*[0-9]", "sys_x9", true },
		{ "*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false },
		{ "read", "pread", false },
		{ "*read", "pread", true },
		{ "[]]", "]", true },
		{ "a\\", "a\\", true },
		{ "*a*b*", "xxbxxaxx", false },
		{ "??", "a", false },
		{ "*stat*", "newfstatat", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (pdesc_glob(cases[i].pattern, cases[i].text) != cases[i].want)
			print_error("%s on %s\n", cases[i].pattern, cases[i].text);
		assert_int_equal(pdesc_glob(cases[i].pattern, cases[i].text), cases[i].want);
	}
}

/* A pattern made to be slow for recursive matchers. */
static void globs_are_not_exponential(void **state)
{
	char pat[401], s[4001];

	(void)state;
	for (int i = 0; i < 400; i += 2)
		memcpy(pat + i, "*a", 2);
	pat[400] = '\0';
	memset(s, 'a', 4000);
	s[3999] = 'b';
	s[4000] = '\0';
	assert_false(pdesc_glob(pat, s));
}

static void exactness(void **state)
{
	(void)state;
	assert_true(pdesc_is_exact("read"));
	assert_false(pdesc_is_exact(""));
	assert_false(pdesc_is_exact(NULL));
	assert_false(pdesc_is_exact("re*"));
	assert_false(pdesc_is_exact("re?d"));
	assert_false(pdesc_is_exact("[r]ead"));
	assert_false(pdesc_is_exact("\\x"));
}

static void probes_match_by_name_or_id(void **state)
{
	struct probe p = { .id = 7, .prov = "syscall", .mod = "vmlinux", .func = "read", .name = "entry" };

	(void)state;
	assert_true(pdesc_match(&(struct pdesc){ 0 }, &p));
	assert_true(pdesc_match(&(struct pdesc){ .func = "re*", .name = "entry" }, &p));
	assert_false(pdesc_match(&(struct pdesc){ .func = "re*", .name = "return" }, &p));
	assert_false(pdesc_match(&(struct pdesc){ .prov = "io" }, &p));
	assert_false(pdesc_match(&(struct pdesc){ .mod = "ext4" }, &p));
	assert_true(pdesc_match(&(struct pdesc){ .id = 7 }, &p));
	assert_false(pdesc_match(&(struct pdesc){ .id = 8 }, &p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptions_are_right_aligned),
		cmocka_unit_test(a_fifth_part_is_refused),
		cmocka_unit_test(globs_match),
		cmocka_unit_test(globs_are_not_exponential),
		cmocka_unit_test(exactness),
		cmocka_unit_test(probes_match_by_name_or_id),
	};

	return cmocka_run_group_tests_name("pdesc", tests, NULL, NULL);
}
