/* SPDX-License-Identifier: Apache-2.0 */
/* The D variables by which tables are grouped: by process, by user, by control groups; other names are refused. */
#include "engine/front/grouped.h"
#include <errno.h>
#include "../unit.h"
#include "base/cleanup.h"
#include "engine/front/wanted.h"

static struct arena *arena;
static struct dopts opts;
static struct strb text;

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
	strb_free(&text);
	arena_free(arena);
	return 0;
}

static int make(const char *by, const char **ret_reason)
{
	*ret_reason = NULL;
	strb_reset(&text);
	assert_int_equal(dopts_set(&opts, "by", by, NULL), 0);
	return grouped_text(arena, &opts, &text, ret_reason);
}

static void expect_line(const char *line)
{
	const char *at = strstr(strb_str(&text), line);

	if (!at || (at != text.s && at[-1] != '\n') || at[strlen(line)] != '\n')
		fail_msg("no line '%s' in:\n%s", line, strb_str(&text));
}

static void by_process(void **state)
{
	const char *reason;

	(void)state;
	assert_int_equal(make("", &reason), 0);
	assert_string_equal(strb_str(&text), "inline string group_name_of[struct task_struct *T] = \"\";\n"
					     "inline int64_t group_id = pid;\n"
					     "inline string group_name = execname;\n"
					     "inline string group_id_head = \"PID\";\n"
					     "inline string group_head = \"COMMAND\";\n"
					     "inline string group_prefix = \"\";\n");
}

/* A filter by container needs the container of any thread, whatever the tables are by. */
static void a_container_that_is_asked_for(void **state)
{
	const char *reason;

	(void)state;
	assert_int_equal(dopts_set(&opts, "container", "ffeeddccbbaa", NULL), 0);
	assert_int_equal(make("", &reason), 0);
	assert_non_null(
		strstr(strb_str(&text), "inline string container_of[struct task_struct *T] = cgroup_container(T->"));
	expect_line("inline int64_t group_id = pid;");
}

static void by_user(void **state)
{
	const char *reason, *names;
	unsigned n = 0;

	(void)state;
	assert_int_equal(make("user", &reason), 0);
	expect_line("inline int64_t group_id = uid;");
	expect_line("inline string group_name = user_name[uid];");
	expect_line("inline string group_name_of[struct task_struct *T] = user_name[T->cred->uid.val];");
	expect_line("inline string group_head = \"USER\";");
	expect_line("inline string group_prefix = strjoin(group_name, \" \");");
	names = strstr(strb_str(&text), "user_name[uint32_t U] = ");
	assert_non_null(names);
	assert_non_null(strstr(names, "U == 0 ? \"root\" : "));
	for (const char *p = names; (p = strstr(p, "U == ")); p++)
		n++;
	assert_true(n >= 1 && n <= GROUPED_USERS_MAX);
	assert_null(strstr(strb_str(&text), "cgroup"));
}

static void by_control_groups(void **state)
{
	static const struct {
		const char *by, *id, *head;
	} groups[] = { { "container", "inline int64_t group_id = cgroup_container_id[curthread->", "CONTAINER" },
		       { "cgroup", "inline int64_t group_id = curthread->", "CGROUP" },
		       { "unit", "inline int64_t group_id = cgroup_unit_id[curthread->", "UNIT" } };

	(void)state;
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		const char *reason;
		int e = make(groups[i].by, &reason);

		if (!wanted_sees_groups() || e < 0) {
			assert_int_equal(e, -EINVAL);
			assert_non_null(strstr(reason, "control groups"));
			continue;
		}
		assert_non_null(strstr(strb_str(&text), groups[i].id));
		expect_line(arena_printf(arena, "inline string group_head = \"%s\";", groups[i].head));
		assert_int_equal(strstr(strb_str(&text), "container_of[") != NULL, i == 0);
		assert_null(strstr(strb_str(&text), "group_name_of[struct task_struct *T] = curthread"));
	}
}

static void names(void **state)
{
	const char *reason;

	(void)state;
	assert_true(grouped_knows("container"));
	assert_true(grouped_knows("user"));
	assert_false(grouped_knows(""));
	assert_false(grouped_knows("users"));
	assert_int_equal(make("users", &reason), -EINVAL);
	assert_string_equal(reason, "'users' is none of " GROUPED_NAMES);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(by_process), CASE(a_container_that_is_asked_for), CASE(by_user), CASE(by_control_groups),
		CASE(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
