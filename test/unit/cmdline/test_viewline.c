/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of a view: options of its rows, sources, what is recorded first. */
#include <errno.h>
#include <string.h>
#include "unit.h"
#include "base/cleanup.h"
#include "cmdline/viewline.h"

static int choose(struct recnow *l, bool *ret_record, struct err *err)
{
	(void)err;
	*ret_record = recnow_asked(l);
	return 0;
}

static const char *head(const struct recnow *l)
{
	(void)l;
	return "Heat";
}

static const struct optrow recorded[] = { RECNOW_ROWS_TREE };
static const struct viewlive live = { .rows = recorded, .nrows = ARRAY_SIZE(recorded), .choose = choose, .head = head };
static const struct viewcmd heat = { .command = "heat",
				     .view = &view_heat,
				     .synopsis = "heat [options] RECORDING",
				     .missing = "a recording is missing",
				     .live = &live };
static const struct view *const family[] = { &view_stacks, &view_trace, NULL };
static const struct viewcmd export = { .command = "export",
				       .view = &view_stacks,
				       .family = family,
				       .synopsis = "export --format FORMAT FILE",
				       .missing = "a file is missing" };

static struct viewline *l;
static struct err err;

/* Reads the line; l is what it says. */
static int read_line(const struct viewcmd *c, const char *line)
{
	static char copy[256];
	char *argv[16], *save = NULL;
	int argc = 0;

	if (l)
		viewline_free(l);
	snprintf(copy, sizeof(copy), "%s %s", c->command, line);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	err = (struct err){ 0 };
	optind = 0;
	l = viewline_new(c);
	assert_non_null(l);
	return viewline_read(l, argc, argv, VIEW_TO_FILE, "dwell", &err);
}

static void sources_and_options_are_read(void **state)
{
	(void)state;
	assert_int_equal(read_line(&heat, "--by t --title T -o x.html a.dwell"), 0);
	assert_int_equal(l->job.nsources, 1);
	assert_string_equal(l->job.source[0].path, "a.dwell");
	assert_string_equal(l->job.title, "T");
	assert_string_equal(l->job.form->name, "html"); /* by the name of the output */
	assert_false(l->record);
	assert_int_equal(read_line(&heat, "--help"), OPTABLE_HELP);
}

static void what_is_recorded_first_is_the_source(void **state)
{
	(void)state;
	assert_int_equal(read_line(&heat, "--by t -p 12 -o x.svg"), 0);
	assert_true(l->record);
	assert_int_equal(l->job.nsources, 1);
	assert_string_equal(l->job.source[0].called, "process 12");
	assert_string_equal(l->job.head, "Heat");
	assert_int_equal(read_line(&heat, "--by t -p 12 -- ls"), -EINVAL);
	assert_string_equal(err.msg, "heat: -c, -p and a command after -- are different: choose one; "
				     "'dwell heat --help' tells more");
	assert_int_equal(read_line(&heat, "--by t -p 12 a.dwell"), -EINVAL);
	assert_string_equal(err.msg, "heat: 'a.dwell' is not expected");
}

static void what_is_missing_or_too_much_is_said(void **state)
{
	(void)state;
	assert_int_equal(read_line(&heat, ""), -EINVAL);
	assert_string_equal(err.msg, "heat: a recording is missing; 'dwell heat --help' tells more");
	assert_int_equal(read_line(&heat, "a b"), -EINVAL);
	assert_string_equal(err.msg, "heat: 'b' is not expected");
	assert_int_equal(read_line(&heat, "--nosuch a"), -EINVAL);
	assert_int_equal(read_line(&heat, "--html --json a"), -EINVAL);
	assert_non_null(strstr(err.msg, "are different pictures: choose one"));
}

static void a_format_chooses_the_view(void **state)
{
	(void)state;
	assert_int_equal(read_line(&export, "--format chrome a.dwell"), 0);
	assert_ptr_equal(l->view, &view_trace);
	assert_string_equal(l->job.form->name, "chrome");
	assert_int_equal(read_line(&export, "a.dwell"), -EINVAL);
	assert_string_equal(err.msg, "export: --format is missing; 'dwell export --help' tells more");
	assert_int_equal(read_line(&export, "--format nosuch a.dwell"), -EINVAL);
	assert_non_null(strstr(err.msg, "there is no format 'nosuch': folded"));
	viewline_free(l);
	l = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sources_and_options_are_read),
		cmocka_unit_test(what_is_recorded_first_is_the_source),
		cmocka_unit_test(what_is_missing_or_too_much_is_said),
		cmocka_unit_test(a_format_chooses_the_view),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
