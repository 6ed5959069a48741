/* SPDX-License-Identifier: Apache-2.0 */
/* Names of hosts, and that nothing of them, or of anything that a user says, becomes a word of a shell. */
#include "../unit.h"
#include "hosts/place.h"

static void good(void **state)
{
	struct place p;

	(void)state;
	assert_null(place_parse("ssh:web1", &p));
	assert_string_equal(p.label, "web1");
	assert_string_equal(p.name, "web1");
	assert_string_equal(p.user, "");
	assert_string_equal(p.port, "");
	assert_null(place_parse("ssh:ro_ot@web-1.example.org:22", &p));
	assert_string_equal(p.label, "ro_ot@web-1.example.org:22");
	assert_string_equal(p.user, "ro_ot");
	assert_string_equal(p.name, "web-1.example.org");
	assert_string_equal(p.port, "22");
	assert_null(place_parse("ssh:[::1]:2222", &p));
	assert_string_equal(p.name, "::1");
	assert_string_equal(p.port, "2222");
	assert_null(place_parse("ssh:a:65535", &p));
}

static void bad(void **state)
{
	static const char *const texts[] = {
		"",
		"web1",
		"ssh:",
		"ssh:-oProxyCommand=id",
		"ssh:a b",
		"ssh:a;id",
		"ssh:$(id)",
		"ssh:`id`",
		"ssh:a'b",
		"ssh:a\"b",
		"ssh:a\nb",
		"ssh:a|b",
		"ssh:@a",
		"ssh:-l@a",
		"ssh:$(id)@a",
		"ssh:a@b@c",
		"ssh:a:",
		"ssh:a:0",
		"ssh:a:65536",
		"ssh:a:x",
		"ssh:a:22;id",
		"ssh:a:-1",
		"ssh:[::1",
		"ssh:[a;b]",
		"ssh:[::1]x",
		"ssh:[]",
		"ssh:a/b",
		"ssh:a%h",
		"ssh:\xc3\xa4",
		"http:a",
		"ssh:a:022222",
	};
	char longest[PLACE_LEN + 8] = "ssh:";
	struct place p;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_non_null(place_parse(texts[i], &p));
	memset(longest + 4, 'a', PLACE_LEN - 1);
	assert_null(place_parse(longest, &p));
	longest[4 + PLACE_LEN - 1] = 'a';
	assert_non_null(place_parse(longest, &p));
}

/* The script for the host is one word in single quotes, whatever the login shell; the name comes after "--". */
static void command_lines(void **state)
{
	struct place_ssh s = { .config = "a; b", .patience_sec = 10, .hash = "0123abcd", .size = 42 };
	struct place_argv a;
	struct place p;

	(void)state;
	assert_null(place_parse("ssh:me@web1:2222", &p));
	for (int copy = 0; copy < 2; copy++) {
		size_t n = 0;
		const char *quote;

		(copy ? place_copy : place_run)(&p, &s, &a);
		while (a.argv[n])
			n++;
		assert_true(n < PLACE_ARGV);
		assert_string_equal(a.argv[0], "ssh");
		assert_string_equal(a.argv[1], "-F");
		assert_string_equal(a.argv[2], "a; b");
		assert_string_equal(a.argv[n - 3], "--");
		assert_string_equal(a.argv[n - 2], "web1");
		assert_ptr_equal(a.argv[n - 1], a.script);
		assert_true(strlen(a.script) + 1 < PLACE_SCRIPT);
		assert_null(strstr(a.script, "web1"));
		assert_null(strstr(a.script, "me@"));
		assert_non_null(strstr(a.script, "0123abcd"));
		assert_int_equal(strncmp(a.script, "exec /bin/sh -c '", 17), 0);
		quote = strchr(a.script + 17, '\'');
		assert_non_null(quote);
		assert_string_equal(quote, "'");
		assert_null(strpbrk(a.script, "!\\\n"));
		assert_int_equal(strstr(a.script, "sudo") != NULL, false);
	}
	s.sudo = true;
	place_run(&p, &s, &a);
	assert_non_null(strstr(a.script, "exec sudo -n "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(bad),
		cmocka_unit_test(command_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
