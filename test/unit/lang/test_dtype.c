/* SPDX-License-Identifier: Apache-2.0 */
/* The table of types: canonical pointers, names, look-up, kernel types, hostile names. */
#include "../unit.h"
#include "base/cleanup.h"
#include "lang/types/symtab.h"
#include "langfix.h"

struct fix {
	struct arena *a;
	struct typesrc *ts;
	struct dtypes *t;
};

static int setup(void **state)
{
	struct fix *f = calloc(1, sizeof(*f));

	f->a = arena_new(ARENA_DEFAULT_LIMIT);
	f->ts = langfix_types();
	f->t = dtypes_new(f->a, f->ts);
	*state = f;
	return f->ts ? 0 : -1;
}

static int teardown(void **state)
{
	struct fix *f = *state;

	arena_free(f->a);
	typesrc_free(f->ts);
	free(f);
	return 0;
}

static const struct {
	const char *text, *name;
	uint64_t size;
} parsed[] = {
	{ "int", "int", 4 },
	{ "long unsigned int", "unsigned long", 8 },
	{ "unsigned", "unsigned int", 4 },
	{ "unsigned short int", "unsigned short", 2 },
	{ "signed char", "signed char", 1 },
	{ "long long", "long long", 8 },
	{ "long double", "long double", 16 },
	{ "_Bool", "_Bool", 1 },
	{ "void", "void", 0 },
	{ "const char *", "const char *", 8 },
	{ "char const *", "const char *", 8 },
	{ "char *const", "char *const", 8 },
	{ "const char **", "const char **", 8 },
	{ "volatile int", "volatile int", 4 },
	{ "struct task_struct *", "struct task_struct *", 8 },
	{ "`struct task_struct *", "struct task_struct *", 8 },
	{ "vmlinux`struct task_struct", "struct task_struct", 128 },
	{ "struct nosuch *", "struct nosuch *", 8 },
	{ "union nosuch * const *", "struct nosuch *const *", 8 },
	{ "enum task_state", "enum task_state", 4 },
	{ "uint64_t", "uint64_t", 8 },
	{ "u64", "u64", 8 },
	{ "uid_kernel_t", "uid_kernel_t", 4 },
	{ "caddr_t", "caddr_t", 8 },
	{ "string", "string", 0 },
	{ "string:16", "string", 0 },
	{ "char [16]", "char [16]", 16 },
	{ "int [3]", "int [3]", 12 },
	{ "userland char *", "userland char *", 8 },
	{ "const char __user *", "userland const char *", 8 },
	{ "int __user * __restrict", "userland int *", 8 },
};

static void names_are_parsed(void **state)
{
	struct fix *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parsed); i++) {
		const struct dtype *ty = dtype_parse(f->t, parsed[i].text);

		if (!ty)
			fail_msg("unknown: %s", parsed[i].text);
		assert_string_equal(dtype_name(f->t, ty), parsed[i].name);
		assert_int_equal(dtype_resolve(f->t, ty)->size, parsed[i].size);
	}
}

static void wrong_names_are_refused(void **state)
{
	static const char *const texts[] = { "",      "nosuch_t",      "struct nosuch", "enum nosuch *", "struct",
					     "int x", "char [",	       "char [3",	"int * x",	 "string:x",
					     "3",     "void (*)(int)", "nosuch`int_t",	"int []]" };
	struct fix *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		if (dtype_parse(f->t, texts[i]))
			fail_msg("accepted: %s", texts[i]);
	}
}

static void types_are_canonical(void **state)
{
	struct fix *f = *state;
	struct dtypes *t = f->t;
	const struct dtype *i = dtype_basic(t, DT_INT), *q;

	assert_ptr_equal(dtype_ptr(t, i), dtype_ptr(t, i));
	assert_ptr_equal(dtype_array(t, i, 3), dtype_array(t, i, 3));
	assert_ptr_not_equal(dtype_array(t, i, 3), dtype_array(t, i, 4));
	assert_ptr_equal(dtype_func(t, i), dtype_func(t, i));
	assert_ptr_equal(dtype_string(t, 5), dtype_string(t, 5));
	assert_ptr_equal(dtype_string(t, 0), dtype_basic(t, DT_STRING));
	assert_ptr_equal(dtype_stack(t, DK_STACK, 5, 0), dtype_stack(t, DK_STACK, 5, 0));
	assert_ptr_not_equal(dtype_stack(t, DK_STACK, 5, 0), dtype_stack(t, DK_USTACK, 5, 0));
	assert_ptr_equal(dtype_sym(t, 3), dtype_sym(t, 3));
	q = dtype_qual(t, i, DQ_CONST);
	assert_ptr_equal(dtype_qual(t, q, DQ_VOLATILE), dtype_qual(t, i, DQ_CONST | DQ_VOLATILE));
	assert_ptr_equal(q->unqual, i);
	assert_ptr_equal(dtype_qual(t, i, 0), i);
	assert_ptr_not_equal(dtype_ptr(t, q), dtype_ptr(t, i));
	assert_ptr_equal(dtype_resolve(t, dtype_parse(t, "u64")), dtype_basic(t, DT_ULONG));
	assert_ptr_equal(dtype_resolve(t, dtype_parse(t, "uint64_t")), dtype_basic(t, DT_ULONG));
	assert_ptr_equal(dtype_lookup(t, DK_STRUCT, NULL, "task_struct"),
			 dtype_lookup(t, DK_STRUCT, "vmlinux", "task_struct"));
	assert_ptr_equal(dtype_int(t, 4, true), i);
	assert_ptr_equal(dtype_int(t, 8, false), dtype_basic(t, DT_ULONG));
	assert_ptr_equal(dtype_int(t, 1, true), dtype_basic(t, DT_SCHAR));
	assert_ptr_equal(dtype_int(t, 2, false), dtype_basic(t, DT_USHORT));
}

static void kernel_members_are_found(void **state)
{
	struct fix *f = *state;
	const struct dtype *task = dtype_parse(f->t, "struct task_struct");
	struct dmember m;

	assert_true(dtype_member(f->t, task, "comm", &m));
	assert_int_equal(m.bit_off, 32);
	assert_string_equal(dtype_name(f->t, m.type), "char [16]");
	assert_true(dtype_member(f->t, task, "wide", &m));
	assert_int_equal(m.bit_size, 20);
	assert_true(dtype_member(f->t, task, "low", &m)); /* in an anonymous union */
	assert_int_equal(m.bit_off, 448);
	assert_true(dtype_member(f->t, task, "ubuf", &m));
	assert_true(m.type->quals & DQ_USERLAND);
	assert_false(dtype_member(f->t, task, "nosuch", &m));
	assert_false(dtype_member(f->t, dtype_basic(f->t, DT_INT), "pid", &m));
}

static void enumerators_are_found(void **state)
{
	struct fix *f = *state;
	const struct dtype *ty;
	int64_t v;

	assert_true(dtype_find_enumerator(f->t, "TASK_DEAD", &ty, &v));
	assert_int_equal(v, 16);
	assert_string_equal(dtype_name(f->t, ty), "enum task_state");
	assert_false(dtype_find_enumerator(f->t, "NOSUCH", &ty, &v));
}

static void incomplete_types_are_completed_later(void **state)
{
	struct fix *f = *state;
	const struct dtype *p = dtype_parse(f->t, "struct later *");
	struct dtype *full;

	assert_int_equal(dtype_resolve(f->t, p->base)->kind, DK_FWD);
	full = dtype_new_tagged(f->t, DK_STRUCT, "later");
	full->size = 4;
	full->complete = true;
	assert_ptr_equal(dtype_resolve(f->t, p->base), full);
	assert_ptr_equal(dtype_parse(f->t, "struct later"), full);
	assert_null(dtype_lookup(f->t, DK_STRUCT, "vmlinux", "later"));
	assert_ptr_equal(dtype_lookup(f->t, DK_STRUCT, "D", "later"), full);
}

static void broken_references_are_void(void **state)
{
	struct fix *f = *state;

	assert_ptr_equal(dtype_from_ref(f->t, (struct tref){ 0, 0 }), dtype_basic(f->t, DT_VOID));
	assert_ptr_equal(dtype_from_ref(f->t, (struct tref){ 0, 99999 }), dtype_basic(f->t, DT_VOID));
	assert_ptr_equal(dtype_from_ref(f->t, (struct tref){ 99, 1 }), dtype_basic(f->t, DT_VOID));
}

static void deep_names_end(void **state)
{
	struct fix *f = *state;
	const struct dtype *ty = dtype_basic(f->t, DT_INT);
	unsigned i;

	for (i = 0; i < 10000; i++)
		ty = dtype_ptr(f->t, ty);
	assert_non_null(strstr(dtype_name(f->t, ty), "…"));
}

static void table_grows_and_replaces(void **state)
{
	struct fix *f = *state;
	struct symtab t;
	uintptr_t i;

	symtab_init(&t, f->a);
	assert_null(symtab_get(&t, "x", 0));
	for (i = 1; i <= 1000; i++)
		symtab_put(&t, NULL, i, (void *)i);
	symtab_put(&t, "x", 7, &t);
	symtab_put(&t, "x", 7, f);
	for (i = 1; i <= 1000; i++)
		assert_ptr_equal(symtab_get(&t, NULL, i), (void *)i);
	assert_ptr_equal(symtab_get(&t, "x", 7), f);
	assert_null(symtab_get(&t, "x", 8));
	assert_null(symtab_get(&t, NULL, 0));
	assert_int_equal(t.n, 1001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_are_parsed, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_names_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(types_are_canonical, setup, teardown),
		cmocka_unit_test_setup_teardown(kernel_members_are_found, setup, teardown),
		cmocka_unit_test_setup_teardown(enumerators_are_found, setup, teardown),
		cmocka_unit_test_setup_teardown(incomplete_types_are_completed_later, setup, teardown),
		cmocka_unit_test_setup_teardown(broken_references_are_void, setup, teardown),
		cmocka_unit_test_setup_teardown(deep_names_end, setup, teardown),
		cmocka_unit_test_setup_teardown(table_grows_and_replaces, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
