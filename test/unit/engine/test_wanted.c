/* SPDX-License-Identifier: Apache-2.0 */
/* The D variable wanted: what each option adds to it, strings of strangers, and what is refused. */
#include "engine/front/wanted.h"
#include <errno.h>
#include "../unit.h"
#include "base/cleanup.h"

static struct arena *arena;
static struct dopts opts;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new(ARENA_DEFAULT_LIMIT);
	dopts_init(&opts, arena);
	return arena ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

static void set(const char *name, const char *value)
{
	assert_int_equal(dopts_set(&opts, name, value, NULL), 0);
}

/* note: what the user is told, or NULL. */
static void expect_noted(const char *now, const char *of, const char *note)
{
	_cleanup_(strb_free) struct strb got = { 0 };
	const char *reason = NULL, *want = arena_printf(arena,
							"inline int wanted = (!$target || progenyof($target))%s;\n"
							"inline int wanted_of[struct task_struct *T] = (!$target || "
							"task_below[T, $target])%s;\n",
							now, of);

	assert_int_equal(wanted_text(arena, &opts, &got, &reason), 0);
	assert_string_equal(strb_str(&got), want);
	if (note)
		assert_string_equal(reason, note);
	else
		assert_null(reason);
}

static void expect(const char *now, const char *of)
{
	expect_noted(now, of, NULL);
}

static void expect_refusal(const char *words)
{
	_cleanup_(strb_free) struct strb got = { 0 };
	const char *reason = NULL;

	assert_int_equal(wanted_text(arena, &opts, &got, &reason), -EINVAL);
	assert_int_equal(got.n, 0);
	assert_non_null(reason);
	if (!strstr(reason, words))
		fail_msg("'%s' has no '%s'", reason, words);
}

static void expect_quoted(const char *s, size_t max, const char *want)
{
	_cleanup_(strb_free) struct strb got = { 0 };

	wanted_string(&got, s, max);
	assert_string_equal(strb_str(&got), want);
}

static void without_options_only_the_target_counts(void **state)
{
	(void)state;
	assert_false(wanted_any(&opts));
	expect("", "");
}

static void a_command_and_a_user(void **state)
{
	(void)state;
	set("comm", "make");
	assert_true(wanted_any(&opts));
	expect(" && execname == \"make\"", " && stringof(T->comm) == \"make\"");
	set("user", "root");
	expect(" && execname == \"make\" && uid == 0", " && stringof(T->comm) == \"make\" && T->cred->uid.val == 0");
	set("comm", "");
	set("user", "4294967295");
	expect(" && uid == 4294967295", " && T->cred->uid.val == 4294967295");
}

static void a_command_is_cut_as_the_kernel_cuts_it(void **state)
{
	(void)state;
	set("comm", "0123456789abcdefgh");
	expect(" && execname == \"0123456789abcde\"", " && stringof(T->comm) == \"0123456789abcde\"");
}

/* Text of a user cannot end the string and add D. */
static void strings_of_strangers(void **state)
{
	(void)state;
	expect_quoted("a\"; exit(0); \"", 99, "\"a\\042\\073 exit\\0500\\051\\073 \\042\"");
	expect_quoted("\\n$1\n", 99, "\"\\134n\\0441\\012\"");
	expect_quoted("\xc3\xa4", 99, "\"\\303\\244\"");
	expect_quoted("a b_c.d-e/f:g@h", 99, "\"a b_c.d-e/f:g@h\"");
	expect_quoted("abc", 2, "\"ab\"");
	expect_quoted("", 2, "\"\"");
}

static void users_that_are_none(void **state)
{
	(void)state;
	set("user", "no-such-user");
	expect_refusal("no user 'no-such-user'");
	set("user", "4294967296");
	expect_refusal("no user '4294967296'");
}

/* Groups are looked up where they can be seen; else all three options are refused. */
static void groups(void **state)
{
	static const struct {
		const char *option, *value, *reason;
	} refused[] = {
		{ "cgroup", "/no/such/group", "there is no control group '/no/such/group'" },
		{ "container", "0123456", "is no id of a container" },
		{ "container", "0123456G", "is no id of a container" },
		{ "container", "0123456789012345678901234567890123456789012345678901234567890123f", "8 to 64" },
	};
	bool sees = wanted_sees_groups();

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		set(refused[i].option, refused[i].value);
		assert_true(wanted_any(&opts));
		expect_refusal(sees ? refused[i].reason : "namespace of control groups");
		set(refused[i].option, "");
	}
	set("container", "ffeeddccbbaa"); /* not there yet: known by its id */
	if (sees)
		expect_noted(" && substr(container, 0, 12) == \"ffeeddccbbaa\"",
			     " && substr(container_of[T], 0, 12) == \"ffeeddccbbaa\"",
			     "no process is in container ffeeddccbbaa now; its events are shown when there is one");
	set("container", "");
	set("unit", "no-such-unit"); /* the same, by its name, among the system's */
	if (sees)
		expect_noted(" && (cgroup_named[curthread->cgroups->dfl_cgrp, 2, \"no-such-unit.service\"])",
			     " && (cgroup_named[T->cgroups->dfl_cgrp, 2, \"no-such-unit.service\"])",
			     "no process is in unit no-such-unit.service now; its events are shown when there is one");
	set("unit", "no-such.scope");
	if (sees)
		expect_noted(" && (cgroup_named[curthread->cgroups->dfl_cgrp, 2, \"no-such.scope\"])",
			     " && (cgroup_named[T->cgroups->dfl_cgrp, 2, \"no-such.scope\"])",
			     "no process is in unit no-such.scope now; its events are shown when there is one");
}

static void trees_end(void **state)
{
	const char *of = NULL, *dir;
	size_t n = 0;

	(void)state;
	for (; (dir = wanted_tree(arena, n, &of)); n++)
		assert_non_null(strstr(of, "curthread->cgroups->"));
	assert_true(n > 2);
	assert_string_equal(wanted_of_thread(arena, "curthread->cgroups->dfl_cgrp", "T"), "T->cgroups->dfl_cgrp");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(without_options_only_the_target_counts),
		CASE(a_command_and_a_user),
		CASE(a_command_is_cut_as_the_kernel_cuts_it),
		CASE(strings_of_strangers),
		CASE(users_that_are_none),
		CASE(groups),
		CASE(trees_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
