/* SPDX-License-Identifier: Apache-2.0 */
/* Fields and literals: whatever a text has, it comes back, and is never SQL. */
#include "../unit.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include "fleet/wire/click.h"

static void texts_come_back(void **state)
{
	static const char text[] = "a\tb\nc\\d\r'e\"";
	struct strb b = { 0 };
	char *columns[3];

	(void)state;
	click_put_text(&b, text);
	strb_addc(&b, '\t');
	click_put_text(&b, "");
	strb_addc(&b, '\t');
	click_put_text(&b, "\\N");
	assert_null(strchr(b.s, '\n'));
	assert_int_equal(click_split(b.s, columns, 3), 3);
	assert_string_equal(columns[0], text);
	assert_string_equal(columns[1], "");
	assert_string_equal(columns[2], "\\N");
	strb_free(&b);
}

static void limits_of_columns(void **state)
{
	char line[] = "a\tb\tc", same[] = "a\tb\tc", odd[] = "x\\";
	char *columns[3];

	(void)state;
	assert_int_equal(click_split(line, columns, 2), 0);
	assert_int_equal(click_split(same, columns, 3), 3);
	assert_int_equal(click_split(odd, columns, 3), 1); /* ends with half an escape */
	assert_string_equal(columns[0], "x\\");
}

static void literals(void **state)
{
	struct strb b = { 0 };

	(void)state;
	click_quote(&b, "a' OR 1=1 --\\");
	assert_string_equal(b.s, "'a\\' OR 1=1 --\\\\'");
	strb_free(&b);
}

static void addresses(void **state)
{
	struct click_options o = { .url = "file:///etc/passwd", .database = "d" };
	struct click *c = NULL;
	struct err err = { 0 };

	(void)state;
	if (click_open(&o, &c, &err) == -ENOENT)
		skip(); /* without libcurl */
	assert_int_equal(click_open(&o, &c, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "no address of ClickHouse"));
	o.url = "http://127.0.0.1:1";
	assert_int_equal(click_open(&o, &c, &err), 0);
	assert_int_equal(click_run(c, "SELECT 1", &err), -EIO); /* nobody listens there */
	click_close(c);
}

static bool third_time(void *ctx)
{
	return ++*(int *)ctx >= 3;
}

/* A server takes the connection and never answers: the question ends when it is told to, not after CLICK_WAIT_S. */
static void given_up(void **state)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct click_options o = { .database = "d" };
	int fd = socket(AF_INET, SOCK_STREAM, 0), asked = 0;
	socklen_t n = sizeof(at);
	struct click *c = NULL;
	struct err err = { 0 };
	char url[64];

	(void)state;
	assert_int_equal(bind(fd, (struct sockaddr *)&at, n), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/", ntohs(at.sin_port));
	o.url = url;
	if (click_open(&o, &c, &err) == -ENOENT)
		skip(); /* without libcurl */
	click_end_when(c, third_time, &asked);
	assert_int_equal(click_run(c, "SELECT 1", &err), -ECANCELED);
	assert_non_null(strstr(err.msg, "given up before the answer"));
	assert_int_equal(asked, 3);
	click_close(c);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(texts_come_back), cmocka_unit_test(limits_of_columns),
					    cmocka_unit_test(literals), cmocka_unit_test(addresses),
					    cmocka_unit_test(given_up) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
