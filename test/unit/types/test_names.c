/* SPDX-License-Identifier: Apache-2.0 */
/* Names of types, found by how they begin. */
#include "../unit.h"
#include <errno.h>
#include <linux/btf.h>
#include "btfbuild.h"
#include "types/typenames.h"

#define ALL (~0u)

static struct btfbuild bb, split;

static struct typesrc *two_objects(void)
{
	struct typesrc *ts;
	struct err err = { 0 };
	const uint8_t *p;
	size_t len;

	memset(&bb, 0, sizeof(bb));
	bb_type(&bb, "int", BTF_KIND_INT, false, 0, 4), bb_word(&bb, 32);
	bb_type(&bb, "unsigned int", BTF_KIND_INT, false, 0, 4), bb_word(&bb, 32);
	bb_type(&bb, "task", BTF_KIND_STRUCT, false, 0, 48);
	bb_type(&bb, "task", BTF_KIND_TYPEDEF, false, 0, 3);
	bb_type(&bb, "task_later", BTF_KIND_FWD, false, 0, 0);
	bb_type(&bb, "", BTF_KIND_STRUCT, false, 0, 8);
	bb_type(&bb, "btf_trace_task", BTF_KIND_TYPEDEF, false, 0, 1);
	p = bb_finish(&bb, &len);
	assert_int_equal(typesrc_open_mem("vmlinux", p, len, &ts, &err), 0);
	memset(&split, 0, sizeof(split));
	split.str_base = bb.str_len;
	bb_type(&split, "task", BTF_KIND_STRUCT, false, 0, 96); /* another one: the kernel's counts */
	bb_type(&split, "task_of_module", BTF_KIND_UNION, false, 0, 16);
	bb_type(&split, "taskette", BTF_KIND_ENUM, false, 0, 4);
	p = bb_finish(&split, &len);
	assert_int_equal(typesrc_add_mem(ts, "mod", p, len, &err), 0);
	return ts;
}

static void of_a_kernel_and_a_module(void **state)
{
	struct typesrc *ts = two_objects();
	struct typenames *t = typenames_new();
	struct typename_row r[8];

	(void)state;
	assert_int_equal(typenames_add_all(t, ts), 0);
	typesrc_free(ts); /* names are copies */
	assert_int_equal(typenames_find(t, "task", ALL, r, 8), 4);
	assert_string_equal(r[0].name, "task");
	assert_int_equal(r[0].kind, TK_STRUCT);
	assert_int_equal(r[0].size, 48);
	assert_string_equal(r[0].from, "vmlinux");
	assert_int_equal(r[1].kind, TK_TYPEDEF);
	assert_string_equal(r[2].name, "task_of_module");
	assert_string_equal(r[2].from, "mod");
	assert_int_equal(r[2].size, 16);
	assert_string_equal(r[3].name, "taskette");
	assert_int_equal(typenames_find(t, "task", TKM(TK_ENUM), r, 8), 1);
	assert_string_equal(r[0].name, "taskette");
	assert_int_equal(typenames_find(t, "", ALL, r, 8),
			 5); /* nothing without a name, of several words, or of tracepoints */
	assert_string_equal(r[0].name, "int");
	typenames_free(t);
}

static void the_first_of_many(void **state)
{
	struct typenames *t = typenames_new();
	struct typename_row r[2] = { 0 };
	char name[TYPENAMES_LEN + 1];

	(void)state;
	for (int i = 99; i >= 0; i--) {
		snprintf(name, sizeof(name), "t%02d", i);
		assert_int_equal(
			typenames_add(t, &(struct typename_row){ .name = name, .from = "x", .kind = TK_STRUCT }), 0);
	}
	assert_int_equal(typenames_find(t, "t4", ALL, r, 2), 10);
	assert_string_equal(r[0].name, "t40");
	assert_string_equal(r[1].name, "t41");
	assert_int_equal(typenames_find(t, "t4", ALL, NULL, 0), 10);
	assert_int_equal(typenames_find(t, "u", ALL, r, 2), 0);
	assert_int_equal(typenames_find(t, "t999", ALL, r, 2), 0);
	/* found after more was added, too */
	typenames_add(t, &(struct typename_row){ .name = "t4", .from = "x", .kind = TK_UNION });
	assert_int_equal(typenames_find(t, "t4", ALL, r, 2), 11);
	assert_string_equal(r[0].name, "t4");
	/* the longest name */
	memset(name, 'n', sizeof(name));
	name[TYPENAMES_LEN - 1] = '\0';
	typenames_add(t, &(struct typename_row){ .name = name, .kind = TK_STRUCT });
	assert_int_equal(typenames_find(t, "nn", ALL, r, 2), 1);
	name[TYPENAMES_LEN - 1] = 'n', name[TYPENAMES_LEN] = '\0';
	typenames_add(t, &(struct typename_row){ .name = name, .kind = TK_STRUCT });
	assert_int_equal(typenames_find(t, "nn", ALL, r, 2), 1);
	typenames_free(t);
}

static void no_more_than_the_limit(void **state)
{
	struct typenames *t = typenames_new();
	struct typename_row r;
	char name[16];

	(void)state;
	for (unsigned i = 0; i < TYPENAMES_MAX; i++) {
		snprintf(name, sizeof(name), "t%u", i);
		assert_int_equal(typenames_add(t, &(struct typename_row){ .name = name, .kind = TK_STRUCT }), 0);
	}
	assert_int_equal(typenames_add(t, &(struct typename_row){ .name = "u", .kind = TK_STRUCT }), -E2BIG);
	assert_int_equal(typenames_find(t, "", ALL, &r, 1), TYPENAMES_MAX);
	typenames_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_a_kernel_and_a_module),
		cmocka_unit_test(the_first_of_many),
		cmocka_unit_test(no_more_than_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
