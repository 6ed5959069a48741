/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of functions and nested statements: the largest that is taken, and one more. */
#include "../unit.h"
#include <errno.h>
#include "base/strb.h"
#include "langfix.h"

/* Each as text for n. */
static void call_depth(struct strb *b, int n)
{
	for (int i = 1; i < n; i++)
		strb_printf(b, "int f%d(int a) { return f%d(a); }\n", i, i + 1);
	strb_printf(b, "int f%d(int a) { return a; }\nBEGIN { trace(f1(1)); }", n);
}

static void calls(struct strb *b, int n)
{
	strb_adds(b, "int f() { return 1; }\nBEGIN { ");
	for (int i = 0; i < n; i++)
		strb_adds(b, "f(); ");
	strb_adds(b, "}");
}

static void params(struct strb *b, int n)
{
	strb_adds(b, "int f(int a");
	for (int i = 1; i < n; i++)
		strb_printf(b, ", int a%d", i);
	strb_adds(b, ") { return a; }");
	strb_adds(b, " BEGIN { }");
}

static void blocks(struct strb *b, int n)
{
	strb_adds(b, "BEGIN { ");
	for (int i = 0; i < n; i++)
		strb_adds(b, "{ ");
	for (int i = 0; i <= n; i++)
		strb_adds(b, "} ");
}

static const struct {
	const char *name;
	void (*make)(struct strb *b, int n);
	int max;
	const char *says;
} rows[] = {
	{ "depth of calls", call_depth, 32, "nested more than 32 levels deep" },
	{ "calls", calls, 4096, "more than 4096 calls of functions" },
	{ "parameters", params, 32, "more than 32 parameters" },
	{ "blocks", blocks, DPROG_MAX_DEPTH, "nested more than 256 levels deep" },
};

static int compile(void (*make)(struct strb *b, int n), int n, char **messages)
{
	struct strb b = { 0 };
	struct langfix f;
	int r;

	make(&b, n);
	r = langfix_run(&f, strb_str(&b));
	*messages = langfix_messages(&f);
	langfix_close(&f);
	strb_free(&b);
	return r;
}

static void limits(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *messages;
		int r = compile(rows[i].make, rows[i].max, &messages);

		if (r)
			print_message("%s: %s\n", rows[i].name, messages);
		assert_int_equal(r, 0);
		free(messages);
		r = compile(rows[i].make, rows[i].max + 1, &messages);
		assert_int_equal(r, -EINVAL);
		if (!strstr(messages, rows[i].says))
			print_message("%s: %s\n", rows[i].name, messages);
		assert_non_null(strstr(messages, rows[i].says));
		free(messages);
	}
}

static void bodies_are_put_in_place_of_calls(void **state)
{
	struct langfix f;

	(void)state;
	assert_int_equal(langfix_run(&f, "int f(int a) { if (a) return 2; }\n"
					 "BEGIN { trace(f(1) + f(2)); }"),
			 0);
	assert_true(f.prog->has_locals && f.prog->has_flow && !f.prog->has_loops);
	assert_int_equal(f.prog->nvars, 4); /* parameter and result of each call */
	langfix_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits),
		cmocka_unit_test(bodies_are_put_in_place_of_calls),
	};

	return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
