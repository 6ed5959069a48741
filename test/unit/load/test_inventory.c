/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of /proc/PID/fdinfo, and that an own program is found with what holds it. */
#include <linux/bpf.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "load/caps_int.h"
#include "load/inventory.h"
#include "unit.h"

static void fields(void **state)
{
	static const char text[] =
		"pos:\t0\nprog_type:\t1\nmemlock:\t4096\nprog_id:\t77\nlink_id:\t18446744073709551615\n";
	uint64_t v = 1;

	(void)state;
	assert_true(inventory_field(text, "prog_id", &v) && v == 77);
	assert_true(inventory_field(text, "memlock", &v) && v == 4096);
	assert_true(inventory_field(text, "link_id", &v) && v == UINT64_MAX);
	assert_false(inventory_field(text, "id", &v));
	assert_false(inventory_field(text, "prog", &v));
	assert_false(inventory_field("", "pos", &v));
}

static void own_program(void **state)
{
	const struct cap_prog p = { .type = BPF_PROG_TYPE_RAW_TRACEPOINT };
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct inventory v;
	struct err err = { 0 };
	_cleanup_close_ int fd = cap_load(&p);
	bool found = false;
	int r = inventory_read(a, NULL, &v, &err);

	(void)state;
	if (fd < 0 || r < 0) {
		assert_true(fd < 0 || (r < 0 && err.msg[0]));
		err_done(&err);
		arena_free(a);
		skip();
	}
	for (size_t i = 0; i < v.nprocs; i++) {
		if (v.procs[i].pid != getpid())
			continue;
		assert_int_equal(v.procs[i].nprogs, 1);
		assert_string_equal(v.progs[v.procs[i].progs[0]].type, "raw_tp");
		assert_true(v.progs[v.procs[i].progs[0]].held);
		assert_non_null(strstr(v.procs[i].command, "inventory"));
		assert_int_equal(v.procs[i].uid, geteuid());
		found = true;
	}
	assert_true(found);
	assert_int_equal(inventory_measure(&v, 1, &err), 0);
	assert_true(v.measured && v.interval_ns > 0);
	arena_free(a);
}

/* At a limit everything is there; what is beyond is left out, and counted. */
static void limits(void **state)
{
	const struct cap_prog p = { .type = BPF_PROG_TYPE_RAW_TRACEPOINT };
	struct inventory_limits max = { .progs = SIZE_MAX, .links = SIZE_MAX };
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	_cleanup_close_ int one = cap_load(&p), two = cap_load(&p);
	struct err err = { 0 };
	struct inventory v;

	(void)state;
	if (one < 0 || two < 0 || inventory_read(a, &max, &v, &err) < 0) {
		err_done(&err);
		arena_free(a);
		skip();
	}
	assert_true(v.nprogs >= 2 && v.left_out == 0 && v.links_left_out == 0);
	max.progs = 1; /* others come and go meanwhile: ours stay */
	assert_int_equal(inventory_read(a, &max, &v, &err), 0);
	assert_int_equal(v.nprogs, 1);
	assert_true(v.left_out >= 1);
	err_done(&err);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(own_program),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
