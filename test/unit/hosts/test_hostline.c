/* SPDX-License-Identifier: Apache-2.0 */
/* The words of --host and its like: which are taken, where the rest begins, what is wrong. */
#include "../unit.h"
#include "base/cleanup.h"
#include "cmdline/opts.h"
#include "hosts/hostline.h"

static struct fleet_opts o;
static struct err err;
static int at;

#define READ(...) \
	read_words((char *[]){ "dwell", __VA_ARGS__, NULL }, (int)ARRAY_SIZE(((char *[]){ "dwell", __VA_ARGS__ })))

static int read_words(char **argv, int argc)
{
	o = (struct fleet_opts){ 0 };
	err_done(&err);
	err = (struct err){ 0 };
	return hostline_read(argc, argv, &o, &at, &err);
}

static void the_rest_is_the_programs(void **state)
{
	(void)state;
	assert_int_equal(READ("--host", "ssh:a", "--host=ssh:b", "--by-host", "--ssh-config", "f", "-n", "BEGIN"), 0);
	assert_int_equal(o.nplaces, 2);
	assert_string_equal(o.places[0], "ssh:a");
	assert_string_equal(o.places[1], "ssh:b");
	assert_true(o.by_host && !o.separate);
	assert_string_equal(o.config, "f");
	assert_int_equal(at, 7);
	assert_int_equal(READ("--host-timeout", "1500ms"), 0);
	assert_int_equal(o.patience, 1500000000);
	assert_int_equal(at, 3);
	assert_int_equal(READ("--by-host=1"), 0); /* left to the others, which do not know it */
	assert_int_equal(at, 1);
}

static void words_are_known_whole(void **state)
{
	(void)state;
	assert_true(hostline_is("--host") && hostline_is("--host=ssh:a") && hostline_is("--host-remove"));
	assert_false(hostline_is("--hos") || hostline_is("--hosts") || hostline_is("-host") || hostline_is("host"));
}

static void what_is_wrong_is_said(void **state)
{
	(void)state;
	assert_int_equal(READ("--host"), CMDLINE_USAGE);
	assert_int_equal(READ("--host-timeout", "1ms"), -EINVAL);
	assert_string_equal(err.msg, "--host-timeout: '1ms' is less than the least, 1000ms");
}

static void sixty_four_hosts_are_taken(void **state)
{
	char *argv[1 + FLEET_HOSTS_MAX + 1] = { "dwell" };

	(void)state;
	for (size_t i = 1; i < ARRAY_SIZE(argv); i++)
		argv[i] = "--host=ssh:a";
	assert_int_equal(read_words(argv, 1 + FLEET_HOSTS_MAX), 0);
	assert_int_equal(o.nplaces, FLEET_HOSTS_MAX);
	assert_int_equal(read_words(argv, 1 + FLEET_HOSTS_MAX + 1), -EINVAL);
	assert_string_equal(err.msg, "--host: 64 hosts at most");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rest_is_the_programs),
		cmocka_unit_test(words_are_known_whole),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(sixty_four_hosts_are_taken),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	err_done(&err);
	return r;
}
