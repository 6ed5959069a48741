/* SPDX-License-Identifier: Apache-2.0 */
/* The table that is made from the heads of dlib/latency: all files, the default ones first. */
#include "unit.h"
#include <unistd.h>
#include "base/cleanup.h"
#include "latency/cause/trackers.h"

static void a_shipped_tracker_has_its_facts(void **state)
{
	const struct tracker_facts *f = trackers_facts("tcpconnect");

	(void)state;
	assert_string_equal(f->file, "connect");
	assert_false(f->is_default);
	assert_int_equal(f->level, CHAIN_CALL);
	assert_int_equal(f->class, CAUSE_NET);
	assert_string_equal(f->words, "a connection to %s");
	assert_string_equal(f->attr, "to");
	assert_true(trackers_facts("wakeup")->is_default);
}

static void a_tracker_of_a_user_is_a_call(void **state)
{
	const struct tracker_facts *f = trackers_facts("no such tracker");

	(void)state;
	assert_int_equal(f->level, CHAIN_CALL);
	assert_int_equal(f->class, CAUSE_UNKNOWN);
	assert_string_equal(f->attr, "");
}

static void default_files_come_first_and_none_twice(void **state)
{
	const char *file;
	size_t n = 0;

	(void)state;
	for (; trackers_default(n); n++)
		assert_string_equal(trackers_default(n), trackers_file(n));
	assert_true(n > 1);
	for (size_t i = 0; (file = trackers_file(i)); i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(trackers_file(k), file);
}

static void what_cost_leaves_out_is_of_the_default_set(void **state)
{
	const struct tracker_facts *f;
	size_t n = 0;

	(void)state;
	for (; (f = trackers_left_out(n)); n++)
		assert_true(f->is_default && f->cost_ns > 0 && !f->sampled);
	assert_true(n > 1);
	assert_string_equal(trackers_left_out(0)->name, "softirq");
	assert_true(trackers_facts("wakeup")->sampled && trackers_facts("offcpu")->sampled);
}

static void heads_become_the_programs_of_groups_and_keys(void **state)
{
	(void)state;
	assert_string_equal(trackers_joined("by_group", "wakeup"),
			    "latency:wakeup::all\n"
			    "/!(args[0]->how & HOW_NOT_ENDED) && wanted_of[args[1]]/\n"
			    "{\n\t@wakeup_group[group_name_of[args[1]]] = hist(args[0]->delay);\n}\n\n"
			    "END\n{\n\ttrunc(@wakeup_group);\n}\n");
	assert_string_equal(trackers_joined("by_key", "irq"),
			    "latency:irq::all\n"
			    "/!(args[0]->how & HOW_NOT_ENDED)/\n"
			    "{\n\t@irq_handler[stringof(this->action->name)] = hist(args[0]->delay);\n}\n\n"
			    "END\n{\n\ttrunc(@irq_handler);\n}\n");
	assert_non_null(strstr(trackers_joined("by_group", "socket"), "@accept_group")); /* its second tracker */
	assert_null(trackers_joined("by_group", "block"));				 /* written by hand */
	assert_null(trackers_joined("by_key", "no such file"));
}

static void trackers_of_a_process_are_told_by_their_programs(void **state)
{
	(void)state;
	assert_true(trackers_of_process("gc") && trackers_of_process("monitor"));
	assert_false(trackers_of_process("wakeup") || trackers_of_process("monheld") || trackers_of_process(""));
}

/* usdt.d has no sense without its parameters: no name of a tracker runs it. */
static void files_are_those_of_the_folder_that_run_by_name(void **state)
{
	char path[4096];
	const char *file;

	(void)state;
	for (size_t i = 0; (file = trackers_file(i)); i++) {
		snprintf(path, sizeof(path), "%s/../dlib/latency/%s.d", getenv("DWELL_TEST_DIR"), file);
		assert_int_equal(access(path, R_OK), 0);
		assert_true(trackers_has_file(file));
	}
	assert_true(trackers_has_file("process"));
	assert_false(trackers_has_file("fork")); /* a tracker of process.d */
	assert_false(trackers_has_file("usdt"));
	assert_false(trackers_has_file("why"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shipped_tracker_has_its_facts),
		cmocka_unit_test(a_tracker_of_a_user_is_a_call),
		cmocka_unit_test(default_files_come_first_and_none_twice),
		cmocka_unit_test(what_cost_leaves_out_is_of_the_default_set),
		cmocka_unit_test(heads_become_the_programs_of_groups_and_keys),
		cmocka_unit_test(trackers_of_a_process_are_told_by_their_programs),
		cmocka_unit_test(files_are_those_of_the_folder_that_run_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
