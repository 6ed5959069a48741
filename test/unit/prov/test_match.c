/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of probes, and the texts of tracefs formats. */
#include "../unit.h"
#include <string.h>
#include "base/cleanup.h"
#include "prov/prov_int.h"

static void lists_grow(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct probe_list l = { 0 };
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
		cmocka_unit_test(lists_grow),
		cmocka_unit_test(formats_parse),
		cmocka_unit_test(formats_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
