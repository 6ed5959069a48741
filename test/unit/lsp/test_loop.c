/* SPDX-License-Identifier: Apache-2.0 */
/* The server on two pipes: messages in pieces, the end of an editor, bytes that are no messages. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "unit.h"
#include "lsp/loop.h"

static char answers[16384];

/* Runs the server on this input, which ends after it. The exit code, or -errno. */
static int run(const char *input)
{
	struct lsp *s = lsp_new(&dlang);
	int in[2], out[2], e, code = -1;
	ssize_t n;

	assert_non_null(s);
	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	assert_int_equal(write(in[1], input, strlen(input)), (ssize_t)strlen(input));
	close(in[1]);
	e = lsp_loop(s, in[0], out[1], &code);
	close(out[1]);
	n = read(out[0], answers, sizeof(answers) - 1);
	answers[n > 0 ? n : 0] = '\0';
	close(in[0]);
	close(out[0]);
	lsp_free(s);
	return e < 0 ? e : code;
}

static const char *message(const char *json)
{
	static char text[2048];
	size_t n = strlen(text);

	snprintf(text + n, sizeof(text) - n, "Content-Length: %zu\r\n\r\n%s", strlen(json), json);
	return text;
}

static void an_editor_begins_and_ends_it(void **state)
{
	(void)state;
	message("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"capabilities\":{}}}");
	message("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"shutdown\"}");
	assert_int_equal(run(message("{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}")), 0);
	assert_non_null(strstr(answers, "\"id\":1"));
	assert_non_null(strstr(answers, "\"id\":2"));
}

static void an_editor_that_ends_without_a_word_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(run(""), 1);
	assert_string_equal(answers, "");
}

static void other_bytes_are_refused(void **state)
{
	(void)state;
	assert_int_equal(run("GET / HTTP/1.1\r\n\r\n"), -EBADMSG);
	assert_int_equal(run("Content-Length: 99999999999\r\n\r\n"), -EMSGSIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_editor_begins_and_ends_it),
		cmocka_unit_test(an_editor_that_ends_without_a_word_is_an_error),
		cmocka_unit_test(other_bytes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
