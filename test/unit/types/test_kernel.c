/* SPDX-License-Identifier: Apache-2.0 */
/* The type source over the running kernel's BTF. */
#include "../unit.h"
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "types/typesrc.h"

static struct typesrc *ts;

static int find_member(struct tref ref, const char *name, struct tmember *m)
{
	for (uint32_t i = 0; typesrc_member(ts, ref, i, m) == 0; i++)
		if (!strcmp(m->name, name))
			return 0;
	return -ENOENT;
}

static void task_struct(void **state)
{
	struct tmember m;
	struct tinfo t;
	struct tref r;

	(void)state;
	assert_int_equal(typesrc_find(ts, NULL, "task_struct", TKM(TK_STRUCT), &r), 0);
	assert_int_equal(r.obj, 0);
	assert_int_equal(typesrc_get(ts, r, &t), 0);
	assert_true(t.size > 1000 && t.nmembers > 100);
	assert_int_equal(find_member(r, "comm", &m), 0);
	assert_int_equal(m.bit_off % 8, 0);
	assert_int_equal(typesrc_get(ts, m.type, &t), 0);
	assert_int_equal(t.kind, TK_ARRAY);
	assert_int_equal(t.nelems, 16);
	assert_int_equal(typesrc_get(ts, t.target, &t), 0);
	assert_true(t.is_char);
	assert_int_equal(find_member(r, "in_iowait", &m), 0);
	assert_int_equal(m.bit_size, 1);
}

static int count(void *arg, struct tref ref, const char *name)
{
	(void)ref;
	assert_true(!strncmp(name, "btf_trace_sched_", 16));
	++*(unsigned *)arg;
	return 0;
}

static int stop(void *arg, struct tref ref, const char *name)
{
	(void)name;
	*(struct tref *)arg = ref;
	return 42;
}

static void each_typedef(void **state)
{
	struct tref r = { 0 };
	unsigned n = 0;

	(void)state;
	assert_int_equal(typesrc_each(ts, TK_TYPEDEF, "btf_trace_sched_", count, &n), 0);
	assert_true(n > 10);
	assert_int_equal(typesrc_each(ts, TK_TYPEDEF, "btf_trace_sched_switch", stop, &r), 42);
	assert_true(r.id != 0);
	assert_int_equal(typesrc_each(ts, TK_STRUCT, "btf_trace_", stop, &r), 0);
}

static void enums_and_variables(void **state)
{
	struct tmember m;
	struct tref r;

	(void)state;
	assert_int_equal(typesrc_find(ts, NULL, "pid_type", TKM(TK_ENUM), &r), 0);
	assert_int_equal(typesrc_member(ts, r, 1, &m), 0);
	assert_string_equal(m.name, "PIDTYPE_TGID");
	assert_int_equal(m.value, 1);
	assert_int_equal(typesrc_find_var(ts, NULL, "runqueues", &r), 0);
	assert_int_equal(typesrc_find_var(ts, NULL, "no_such_variable", &r), -ENOENT);
}

/* All of it can be read, and all of it is what follows its own checks for foreign data. */
static void everything(void **state)
{
	struct tinfo t;
	struct tmember m;
	uint32_t id, nmembers = 0;

	(void)state;
	for (id = 1; typesrc_get(ts, (struct tref){ 0, id }, &t) == 0; id++) {
		assert_non_null(t.name);
		for (uint32_t i = 0; i < t.nmembers; i++, nmembers++)
			assert_int_equal(typesrc_member(ts, (struct tref){ 0, id }, i, &m), 0);
	}
	assert_true(id > 10000 && nmembers > 50000);
	assert_int_equal(typesrc_get(ts, (struct tref){ 0, id }, &t), -ENOENT);
	assert_int_equal(typesrc_get(ts, (struct tref){ 0, UINT32_MAX }, &t), -ENOENT);
}

static void copy_passes_the_checks(void **state)
{
	_cleanup_fclose_ FILE *f = fopen("/sys/kernel/btf/vmlinux", "re");
	_cleanup_free_ char *buf = malloc(64 << 20);
	struct typesrc *mem = NULL;
	struct err err = { 0 };
	size_t len;

	(void)state;
	assert_non_null(f);
	len = fread(buf, 1, 64 << 20, f);
	if (typesrc_open_mem("vmlinux", buf, len, &mem, &err) < 0)
		fail_msg("%s", err.msg);
	typesrc_free(mem);
}

static void modules(void **state)
{
	(void)state;
	assert_true(typesrc_nobjs(ts) >= 1);
	assert_string_equal(typesrc_obj_name(ts, 0), "vmlinux");
	for (uint32_t i = 2; i < typesrc_nobjs(ts); i++)
		assert_true(strcmp(typesrc_obj_name(ts, i - 1), typesrc_obj_name(ts, i)) < 0);
	assert_null(typesrc_obj_name(ts, typesrc_nobjs(ts)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(task_struct),
		cmocka_unit_test(each_typedef),
		cmocka_unit_test(enums_and_variables),
		cmocka_unit_test(everything),
		cmocka_unit_test(copy_passes_the_checks),
		cmocka_unit_test(modules),
	};
	struct err err = { 0 };
	int r;

	if (typesrc_open_kernel(&ts, &err) < 0)
		return skip_all(err.msg);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	typesrc_free(ts);
	return r;
}
