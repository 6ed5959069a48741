/* SPDX-License-Identifier: Apache-2.0 */
/* Globs of probe descriptions, lists of probes, and the texts of tracefs formats. */
#include "../unit.h"
#include <string.h>
#include "base/cleanup.h"
#include "prov/prov_int.h"

static const struct {
	const char *pat, *s;
	bool match;
} globs[] = {
	{NULL, "x", true},	  {"", "x", true},	    {"", "", true},
	{"x", "x", true},	  {"x", "xx", false},	    {"x", "", false},
	{"*", "", true},	  {"*", "abc", true},	    {"a*c", "abbbc", true},
	{"a*c", "abbb", false},	  {"a*", "a", true},	    {"*a", "bbba", true},
	{"*a*b*", "xxaxxbxx", true}, {"*a*b*", "xxbxxaxx", false},
	{"?", "a", true},	  {"?", "", false},	    {"??", "a", false},
	{"[abc]", "b", true},	  {"[abc]", "d", false},    {"[a-c]x", "bx", true},
	{"[!a-c]", "d", true},	  {"[!a-c]", "b", false},   {"[]]", "]", true},
	{"[a", "a", false},	  {"[a-]", "-", true},	    {"[\\]]", "]", true},
	{"\\*", "*", true},	  {"\\*", "x", false},	    {"\\?a", "?a", true},
	{"a\\", "a\\", true},	  {"sys_ex?t", "sys_exit", true},
	{"*stat*", "newfstatat", true},
};

static void globbing(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(globs); i++)
		if (prov_glob(globs[i].pat, globs[i].s) != globs[i].match)
			fail_msg("'%s' and '%s'", globs[i].pat, globs[i].s);
}

/* A pattern made to be slow for recursive matchers. */
static void glob_is_not_exponential(void **state)
{
	char pat[401], s[4001];

	(void)state;
	for (int i = 0; i < 400; i += 2)
		memcpy(pat + i, "*a", 2);
	pat[400] = '\0';
	memset(s, 'a', 4000);
	s[3999] = 'b';
	s[4000] = '\0';
	assert_false(prov_glob(pat, s));
}

static void exactness(void **state)
{
	(void)state;
	assert_true(prov_is_exact("read"));
	assert_false(prov_is_exact(""));
	assert_false(prov_is_exact(NULL));
	assert_false(prov_is_exact("r*"));
	assert_false(prov_is_exact("r?"));
	assert_false(prov_is_exact("[r]"));
	assert_false(prov_is_exact("\\r"));
}

static void lists_grow(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct probe_list l = {0};
	struct probe p[100];

	(void)state;
	for (size_t i = 0; i < 100; i++)
		prov_list_add(a, &l, &p[i]);
	assert_int_equal(l.n, 100);
	for (size_t i = 0; i < 100; i++)
		assert_ptr_equal(l.v[i], &p[i]);
	arena_free(a);
}

static void formats_parse(void **state)
{
	char text[] = "name: sys_enter_x\nID: 1\nformat:\n"
		      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		      "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
		      "\tfield:const char * filename;\toffset:16;\tsize:8;\tsigned:0;\n"
		      "\tfield:unsigned long len;\toffset:24;\tsize:8;\tsigned:0;\n"
		      "\tfield:__data_loc char[] __filename_val;\toffset:32;\tsize:4;\tsigned:0;\n"
		      "\tfield:bad\n\tfield:;\n\tfield:int;\n"
		      "\nprint fmt: \"x\", REC->field\n";
	struct arena *a = arena_new(1 << 20);
	struct probe_arg args[6];

	(void)state;
	assert_int_equal(sysargs_parse(a, text, args, 6), 2);
	assert_string_equal(args[0].ctype, "userland const char *");
	assert_string_equal(args[0].name, "filename");
	assert_string_equal(args[1].ctype, "unsigned long");
	assert_string_equal(args[1].name, "len");
	arena_free(a);
}

static void formats_are_bounded(void **state)
{
	char text[] = "field:int __syscall_nr;\nfield:int a;\nfield:int b;\nfield:int c;\n";
	struct arena *a = arena_new(1 << 20);
	struct probe_arg args[2];

	(void)state;
	assert_int_equal(sysargs_parse(a, text, args, 2), 2);
	assert_string_equal(args[1].name, "b");
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(globbing),	cmocka_unit_test(glob_is_not_exponential),
		cmocka_unit_test(exactness),	cmocka_unit_test(lists_grow),
		cmocka_unit_test(formats_parse), cmocka_unit_test(formats_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
