/* SPDX-License-Identifier: Apache-2.0 */
/* Slow events of one kind share a line: which are shown at once, which in full, and what the line tells. */
#include "../unit.h"
#include <errno.h>
#include <time.h>
#include "base/cleanup.h"
#include "latency/window/slowgroup.h"

#define MS 1000000ull
#define WALL (1700000000ull * 1000 * MS + 456 * MS)

static int set_up(void **state)
{
	struct slowgroups *g;

	setenv("TZ", "UTC", 1);
	tzset();
	if (slowgroups_new(&g) < 0)
		return -1;
	*state = g;
	return 0;
}

static int tear_down(void **state)
{
	slowgroups_free(*state);
	return 0;
}

/* Whether the group keeps it. Its text is its reason. */
static bool add(struct slowgroups *g, const char *comm, const char *reason, uint64_t wall, uint64_t delay)
{
	struct slowgroup_event e = { "wakeup", comm, reason, wall, delay };
	struct strb text = { 0 };
	bool kept;

	strb_printf(&text, "%s:%s\n", comm, reason);
	assert_int_equal(slowgroups_add(g, &e, &text, &kept), 0);
	strb_free(&text);
	return kept;
}

static void wrap(void *ctx, struct strb *to, char *text)
{
	strb_printf(to, "%s%s\n", (const char *)ctx, text);
}

static void expect(struct slowgroups *g, const char *want)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	char mark[] = "> ";

	slowgroups_print(g, &b, wrap, mark);
	assert_string_equal(strb_str(&b), want);
}

static void the_first_is_shown_at_once(void **state)
{
	struct slowgroups *g = *state;

	assert_false(add(g, "cc1", " for a CPU", WALL, MS));
	assert_false(add(g, "make", " for a CPU", WALL, MS)); /* another program */
	assert_false(add(g, "cc1", " for a disk", WALL, MS)); /* another reason */
	assert_true(add(g, "cc1", " for a CPU", WALL, MS));
	expect(g, "cc1: for a CPU\n");
	expect(g, "");
	assert_false(add(g, "cc1", " for a CPU", WALL, MS)); /* a refresh begins anew */
}

static void few_are_shown_whole_and_more_in_a_line(void **state)
{
	struct slowgroups *g = *state;

	add(g, "cc1", " for a CPU", WALL, MS);
	add(g, "cc1", " for a CPU", WALL, 3 * MS);
	add(g, "cc1", " for a CPU", WALL, 2 * MS);
	expect(g, "cc1: for a CPU\ncc1: for a CPU\n");
	add(g, "cc1", " for a CPU", WALL, 100 * MS); /* which was shown, and is not in the line */
	add(g, "cc1", " for a CPU", WALL + 3 * MS, 30 * MS);
	add(g, "cc1", " for a CPU", WALL + 7 * MS, 20 * MS);
	add(g, "cc1", " for a CPU", WALL + 5 * MS, 40 * MS);
	expect(g, "> 22:13:20.463 wakeup: cc1 waited 3 times more, 20.0 ms to 40.0 ms, for a CPU\n");
	for (int i = 0; i < 4; i++)
		add(g, "cc1", " for a CPU", WALL, 5 * MS);
	expect(g, "> 22:13:20.456 wakeup: cc1 waited 3 times more, 5.00 ms, for a CPU\n");
}

static void a_refresh_ends_a_second_after_its_first(void **state)
{
	struct slowgroups *g = *state;

	assert_false(slowgroups_due(g, WALL + 10 * SLOWGROUP_NS)); /* nothing began */
	add(g, "cc1", "", WALL, MS);
	add(g, "make", "", WALL + SLOWGROUP_NS / 2, MS); /* does not begin it again */
	assert_false(slowgroups_due(g, WALL + SLOWGROUP_NS - 1));
	assert_true(slowgroups_due(g, WALL + SLOWGROUP_NS));
	expect(g, "");
	assert_false(slowgroups_due(g, WALL + SLOWGROUP_NS));
}

static void kinds_have_a_limit(void **state)
{
	struct slowgroups *g = *state;
	char comm[16];

	for (int i = 0; i < SLOWGROUP_GROUPS + 1; i++) {
		snprintf(comm, sizeof(comm), "p%d", i);
		assert_false(add(g, comm, "", WALL, MS));
	}
	assert_true(add(g, "p0", "", WALL, MS));
	snprintf(comm, sizeof(comm), "p%d", SLOWGROUP_GROUPS - 1);
	assert_true(add(g, comm, "", WALL, MS));
	snprintf(comm, sizeof(comm), "p%d", SLOWGROUP_GROUPS);
	assert_false(add(g, comm, "", WALL, MS)); /* one too many: always shown at once */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_first_is_shown_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(few_are_shown_whole_and_more_in_a_line, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_refresh_ends_a_second_after_its_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(kinds_have_a_limit, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
