/* SPDX-License-Identifier: Apache-2.0 */
#include "base/plain.h"
#include <string.h>
#include "../unit.h"

static void wants(const char *s, bool lines, const char *shown)
{
	size_t n = strlen(s);

	for (size_t cut = 0; cut <= n; cut++) { /* in two pieces as in one */
		struct strb b = { 0 };
		size_t taken = plain_part(&b, s, cut, lines, false);

		assert_int_equal(plain_part(&b, s + taken, n - taken, lines, true), n - taken);
		assert_string_equal(strb_str(&b), shown);
		strb_free(&b);
	}
}

static void what_a_terminal_obeys(void **state)
{
	(void)state;
	wants("", true, "");
	wants("main`f(int) \xc3\xa4\xf0\x9f\x99\x82", false, "main`f(int) \xc3\xa4\xf0\x9f\x99\x82");
	wants("\x1b[2J\a\r\x7f", true, "\\033[2J\\007\\015\\177");
	wants("a\nb\tc", true, "a\nb\tc");
	wants("a\nb\tc", false, "a\\012b\\011c");
	wants("\xc2\x9bm\xc2\xa0", false, "\\302\\233m\xc2\xa0"); /* U+009B is ESC [ */
	wants("\x9b\xff\xe2\x82", false, "\\233\\377\\342\\202");
}

static void names(void **state)
{
	const char *good = "std::vec\xc3\xa4";
	char buf[8];

	(void)state;
	assert_ptr_equal(plain_name(good, buf, sizeof(buf)), good);
	assert_string_equal(plain_name("\x1b[m", buf, sizeof(buf)), "\\033[m");
	assert_string_equal(plain_name("\x1b\x1b\x1b", buf, sizeof(buf)), "\\033\\03"); /* cut */
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(what_a_terminal_obeys), cmocka_unit_test(names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
