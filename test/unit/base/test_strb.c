/* SPDX-License-Identifier: Apache-2.0 */
/* The string builder. */
#include "../unit.h"
#include <errno.h>
#include "base/strb.h"

static void parts_are_joined(void **state)
{
	struct strb b = { 0 };

	(void)state;
	assert_string_equal(strb_str(&b), "");
	strb_adds(&b, "read");
	strb_addc(&b, ':');
	strb_fill(&b, '.', 3);
	strb_add(&b, "xyz", 2);
	strb_printf(&b, " %d %s", -5, "end");
	assert_string_equal(strb_str(&b), "read:...xy -5 end");
	assert_int_equal(b.n, 17);
	strb_reset(&b);
	assert_string_equal(strb_str(&b), "");
	strb_adds(&b, "again");
	assert_string_equal(strb_str(&b), "again");
	strb_free(&b);
}

static void long_texts_grow(void **state)
{
	struct strb b = { 0 };

	(void)state;
	for (int i = 0; i < 5000; i++)
		strb_printf(&b, "%04d", i);
	strb_printf(&b, "%*s", 100000, "x");
	assert_int_equal(b.n, 120000);
	assert_memory_equal(b.s + 4 * 4321, "4321", 4);
	assert_int_equal(b.s[b.n], 0);
	strb_free(&b);
}

static void take_gives_the_text_away(void **state)
{
	struct strb b = { 0 };
	char *s = strb_take(&b);

	(void)state;
	assert_string_equal(s, "");
	free(s);
	strb_adds(&b, "text");
	s = strb_take(&b);
	assert_string_equal(s, "text");
	assert_null(b.s);
	free(s);
}

static void failure_is_sticky(void **state)
{
	struct strb b = { 0 };

	(void)state;
	strb_adds(&b, "kept");
	strb_fill(&b, 'x', SIZE_MAX - 2);
	assert_true(b.failed);
	strb_adds(&b, "more");
	assert_string_equal(strb_str(&b), "kept");
	assert_null(strb_take(&b));
	strb_reset(&b);
	strb_adds(&b, "new");
	assert_string_equal(strb_str(&b), "new");
	strb_free(&b);
}

static void flush_keeps_the_first_error(void **state)
{
	FILE *full = fopen("/dev/full", "w"), *out = tmpfile();
	struct strb b = { 0 };
	char text[8] = "";
	int error = 0;

	(void)state;
	assert_non_null(full);
	assert_non_null(out);
	setvbuf(full, NULL, _IONBF, 0);
	strb_adds(&b, "seen");
	assert_int_equal(strb_flush(&b, out, &error), 0);
	assert_int_equal(b.n, 0);
	strb_adds(&b, "lost");
	assert_int_equal(strb_flush(&b, full, &error), -ENOSPC);
	strb_adds(&b, "not written");
	assert_int_equal(strb_flush(&b, out, &error), -ENOSPC);
	assert_int_equal(b.n, 0);
	rewind(out);
	assert_int_equal(fread(text, 1, sizeof(text), out), 4);
	assert_memory_equal(text, "seen", 4);
	fclose(out);
	fclose(full);
	strb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_joined),
		cmocka_unit_test(long_texts_grow),
		cmocka_unit_test(take_gives_the_text_away),
		cmocka_unit_test(failure_is_sticky),
		cmocka_unit_test(flush_keeps_the_first_error),
	};

	return cmocka_run_group_tests_name("strb", tests, NULL, NULL);
}
