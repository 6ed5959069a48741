/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of causes that are not there: the message, and what is given nevertheless. */
#include "engine/why.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "unit.h"

static char said[256];
static int messages;

static void on_message(void *ctx, const char *text)
{
	(void)ctx;
	messages++;
	snprintf(said, sizeof(said), "%s", text);
}

static const struct listener to = { .message = on_message };

/* Options whose folder of dwell's own rules is not there. */
static void options(struct dopts *o, struct arena *a, const char *causes)
{
	messages = 0;
	dopts_init(o, a);
	assert_int_equal(dopts_set(o, "syslibdir", "/nowhere", NULL), 0);
	assert_int_equal(dopts_set(o, "causes", causes, NULL), 0);
}

static void without_rules_it_fails(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct causes *c;
	struct err err = { 0 };
	struct dopts o;
	struct why w;

	(void)state;
	options(&o, a, "");
	assert_int_equal(why_open(&w, &o, &to, &err), 0);
	assert_int_equal(why_read(&w, &c, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/nowhere/causes"));
	assert_null(c);
	assert_int_equal(messages, 0);
	err_done(&err);
	assert_int_equal(why_read(&w, &c, &err), -ENOENT); /* again */
	assert_true(err.msg[0]);
	assert_null(c);
	why_done(&w);
	arena_free(a);
}

static void a_message_is_said_once(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct dopts o;
	struct why w;

	(void)state;
	options(&o, a, "");
	assert_int_equal(why_open(&w, &o, &to, NULL), 0);
	assert_null(why_causes(&w));
	assert_null(why_causes(&w));
	assert_int_equal(messages, 1);
	assert_non_null(strstr(said, "/nowhere/causes"));
	why_done(&w);
	arena_free(a);
}

static void own_rules_do_without_them(void **state)
{
	char path[] = "/tmp/dwell-unit-why-XXXXXX";
	const char rule[] = "wait io \"mine\": io_schedule\n";
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	int fd = mkstemp(path);
	struct causes *c = NULL;
	struct err err = { 0 };
	struct dopts o;
	struct why w;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, rule, strlen(rule)), strlen(rule));
	close(fd);
	options(&o, a, path);
	assert_int_equal(why_open(&w, &o, &to, &err), 0);
	unlink(path);
	assert_int_equal(why_read(&w, &c, &err), 0);
	assert_non_null(c);
	assert_int_equal(messages, 1);
	assert_false(err.msg[0]); /* nothing that a later error would be taken for */
	assert_ptr_equal(why_causes(&w), c);
	assert_int_equal(messages, 1);
	why_done(&w);
	arena_free(a);
}

static void a_missing_file_is_found_at_once(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct err err = { 0 };
	struct dopts o;
	struct why w;

	(void)state;
	options(&o, a, "/nowhere/mine");
	assert_int_equal(why_open(&w, &o, &to, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/nowhere/mine"));
	assert_int_equal(messages, 0);
	why_done(&w);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_rules_it_fails),
		cmocka_unit_test(a_message_is_said_once),
		cmocka_unit_test(own_rules_do_without_them),
		cmocka_unit_test(a_missing_file_is_found_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
