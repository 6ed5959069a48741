/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that commands share: what is recorded now, and what goes into a request. */
#include <errno.h>
#include <string.h>
#include "unit.h"
#include "base/cleanup.h"
#include "cmdline/opts.h"
#include "cmdline/requestopts.h"

struct cmd {
	struct recnow live; /* first: its rows are of a struct recnow */
	struct request request;
};

static const struct optrow rows[] = {
	{ .name = "unit", REQUEST_WHOSE(struct cmd, request), .arg = "NAME" }, /* before the row of what is recorded */
	RECNOW_ROWS_TREE,
	RECNOW_ROWS_WHOSE,
	{ .letter = 'x', REQUEST_PASS(struct cmd, request), .arg = "OPTION" },
	{ .name = "depth", REQUEST_PASS(struct cmd, request), .arg = "N" },
	{ .name = "until", REQUEST_FOR(struct cmd, request) },
};
static const struct optable table = { .command = "draw", .synopsis = "draw", .rows = rows, .n = ARRAY_SIZE(rows) };
static const struct listener silent;

static int parse(const char *line, struct cmd *c, struct err *err)
{
	static char copy[256];
	char *argv[16], *save = NULL;
	int argc = 0;

	snprintf(copy, sizeof(copy), "draw %s", line);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	memset(c, 0, sizeof(*c));
	memset(err, 0, sizeof(*err));
	request_init(&c->request, "dwell", &silent);
	optind = 0;
	return optable_read(&table, c, argc, argv, "dwell", err);
}

static void rows_fill_what_is_recorded(void **state)
{
	struct cmd c;
	struct err err;

	(void)state;
	assert_int_equal(parse("-p 12 --for 3s --user me --record f", &c, &err), 0);
	assert_int_equal(c.live.pid, 12);
	assert_int_equal(c.live.for_ns, 3000000000);
	assert_string_equal(c.live.user, "me");
	assert_string_equal(c.live.record, "f");
	request_done(&c.request);
	assert_int_equal(parse("-p 0", &c, &err), -EINVAL);
	assert_string_equal(err.msg, "invalid pid: 0");
	request_done(&c.request);
}

static void some_rows_go_into_the_request(void **state)
{
	struct cmd c;
	struct err err;

	(void)state;
	assert_int_equal(parse("-x bufsize=1m --depth 3 --unit nginx --until 2s", &c, &err), 0);
	assert_int_equal(c.request.opts.bufsize, 1 << 20);
	assert_string_equal(c.request.given.v[0].name, "depth");
	assert_string_equal(c.request.given.v[0].value, "3");
	assert_string_equal(c.request.opts.unit, "nginx");
	assert_int_equal(c.request.for_ns, 2000000000);
	request_done(&c.request);
	assert_int_equal(parse("-x nosuch=1", &c, &err), CMDLINE_REFUSED);
	request_done(&c.request);
}

static void rates_and_looks_back(void **state)
{
	const struct optrow rate = { .name = "rate", .value = 100 }, flight = { .name = "flight" };
	struct request r = { 0 };
	struct err err = { 0 };
	unsigned n = 0;

	(void)state;
	assert_int_equal(requestopts_rate(&n, &rate, "50/s", &err), 0);
	assert_int_equal(n, 50);
	assert_int_equal(requestopts_rate(&n, &rate, "100", &err), 0);
	assert_true(requestopts_rate(&n, &rate, "101/s", &err) < 0);
	assert_true(requestopts_rate(&n, &rate, "5/sec", &err) < 0);
	assert_int_equal(requestopts_flight(&r, &flight, "2s", &err), 0);
	assert_int_equal(r.opts.flight, 2000000000);
	assert_int_equal(requestopts_flight(&r, &flight, "61s", &err), -EINVAL);
	assert_int_equal(requestopts_flight(&r, &flight, "999us", &err), -EINVAL);
	err_done(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_fill_what_is_recorded),
		cmocka_unit_test(some_rows_go_into_the_request),
		cmocka_unit_test(rates_and_looks_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
