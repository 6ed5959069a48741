/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of tables, byte by byte. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../unit.h"
#include "base/cleanup.h"
#include "view/form/table.h"

static char *text;
static size_t len;

static struct table begin(void)
{
	free(text);
	text = NULL;
	return (struct table){ .out = open_memstream(&text, &len), .type = "t" };
}

static const char *end(struct table *t)
{
	assert_int_equal(t->error, 0);
	assert_int_equal(fclose(t->out), 0);
	return text;
}

static void kinds(void **state)
{
	const struct cell v[] = {
		{ "NAME", CELL_TEXT, -6, 0, { "a\nb" } },      { "N", CELL_UINT, 3, 0, { .u = 7 } },
		{ "INT", CELL_INT, 4, 0, { .i = -5 } },	       { "TIME", CELL_NS, 7, 0, { .u = 1500 } },
		{ "NUMBER", CELL_NUMBER, 6, 2, { .d = 1.0 } }, { "NONE", CELL_NUMBER, 4, 2, { .d = (double)NAN } },
		{ "SHARE", CELL_SHARE, 5, 1, { .d = 12.34 } }, { NULL, CELL_UINT, 9, 0, { .u = 1 } },
		{ "LIST", CELL_LIST, 9, 0, { "[1]" } },
	};
	struct table t = begin();

	(void)state;
	table_line(&t, v, ARRAY_SIZE(v));
	table_line(&t, v, ARRAY_SIZE(v));
	assert_string_equal(end(&t), "NAME      N   INT     TIME  NUMBER  NONE  SHARE\n"
				     "a?b       7    -5  1.50 us    1.00     -  12.3%\n"
				     "a?b       7    -5  1.50 us    1.00     -  12.3%\n");
	t = begin();
	t.json = true;
	table_line(&t, v, ARRAY_SIZE(v));
	assert_string_equal(end(&t), "{\"type\":\"t\",\"NAME\":\"a\\nb\",\"N\":7,\"INT\":-5,\"TIME\":1500,"
				     "\"NUMBER\":1.00,\"NONE\":null,\"SHARE\":12.3,\"LIST\":[1]}\n");
}

/* The column with the rest, in the middle and at the end; what is too long is cut between characters. */
static void rest(void **state)
{
	struct cell v[] = {
		{ "A", CELL_UINT, 3, 0, { .u = 1 } },
		{ "WORDS", CELL_CUT, TABLE_REST, 0, { "12\xc2\xb5s, and more" } },
		{ "B", CELL_UINT, 2, 0, { .u = 22 } },
	};
	struct table t = begin();

	(void)state;
	t.columns = 14;
	t.gap = 1;
	table_line(&t, v, 3);
	assert_string_equal(end(&t), "  A WORDS    B\n"
				     "  1 12\xc2\xb5s, a 22\n");
	t = begin();
	t.columns = 8;
	table_line(&t, v, 2);
	assert_string_equal(end(&t), "  A  WORDS\n"
				     "  1  12\xc2\xb5\n");
	t = begin();
	t.columns = 7;
	t.begun = true;
	v[1].v.s = "12"; /* just fits */
	table_line(&t, v, 2);
	assert_string_equal(end(&t), "  1  12\n");
	t = begin();
	t.columns = 3; /* no room at all */
	t.begun = true;
	table_line(&t, v, 2);
	assert_string_equal(end(&t), "  1\n");
}

/* An empty column makes a wide gap; lines of hyphens are as wide as columns; no line ends with blanks. */
static void lines(void **state)
{
	const struct cell v[] = {
		{ "LEFT", CELL_CUT, -5, 0, { "too long" } },
		{ "", CELL_TEXT, 0, 0, { "" } },
		{ "RIGHT", CELL_TEXT, 7, 0, { "\xc2\xb5s" } },
		{ "LAST", CELL_TEXT, -6, 0, { "" } },
	};
	struct table t = begin();

	(void)state;
	t.gap = 1;
	table_heading(&t, v, ARRAY_SIZE(v));
	table_heading(&t, v, ARRAY_SIZE(v));
	table_rule(&t, v, ARRAY_SIZE(v));
	table_line(&t, v, ARRAY_SIZE(v));
	assert_string_equal(end(&t), "LEFT     RIGHT LAST\n"
				     "-----  ------- ------\n"
				     "too l       \xc2\xb5s\n");
}

/* People see headings and units, programs the other names; either may lack a column. As many as there may be. */
static void columns(void **state)
{
	struct column v[TABLE_COLUMNS] = {
		{ { "PID", CELL_UINT, 4, 0, { .u = 12 } }, "pid", 0 },
		{ { "MODULE", CELL_NAME, -6, 0, { "" } }, "module", 0 },
		{ { "CPU%", CELL_NUMBER, 5, 1, { .d = 1.25 } }, "cpu_percent", 3 },
		{ { "KIB", CELL_UINT, 3, 0, { .u = 2 } }, NULL, 0 },
		{ { NULL, CELL_UINT, 0, 0, { .u = 2048 } }, "bytes", 0 },
		{ { "P50", CELL_NO_NS, 4, 0, { .u = 0 } }, "p50_ns", 0 },
	};
	struct table t = begin();
	struct strb b = { 0 };
	struct jsonw j = jsonw_to(&b);

	(void)state;
	v[TABLE_COLUMNS - 1] = (struct column){ { "LAST", CELL_NAME, 4, 0, { NULL } }, "last", 0 };
	table_columns(&t, v, TABLE_COLUMNS);
	assert_string_equal(end(&t), " PID  MODULE   CPU%  KIB   P50  LAST\n"
				     "  12  -         1.2    2     -     -\n");
	t = begin();
	t.json = true;
	table_columns(&t, v, TABLE_COLUMNS);
	assert_string_equal(end(&t), "{\"type\":\"t\",\"pid\":12,\"module\":\"\",\"cpu_percent\":1.250,"
				     "\"bytes\":2048,\"p50_ns\":0,\"last\":null}\n");
	jsonw_object(&j, NULL);
	table_members(&j, v, 2);
	jsonw_end_object(&j);
	assert_string_equal(strb_str(&b), "{\"pid\":12,\"module\":\"\"}");
	strb_free(&b);
}

static void failure(void **state)
{
	const struct cell v[] = { { "A", CELL_UINT, 1, 0, { .u = 1 } } };
	struct table t = { .out = fopen("/dev/full", "w") };

	(void)state;
	assert_non_null(t.out);
	setvbuf(t.out, NULL, _IONBF, 0);
	table_line(&t, v, 1);
	assert_int_equal(t.error, -ENOSPC);
	fclose(t.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),   cmocka_unit_test(rest),    cmocka_unit_test(lines),
		cmocka_unit_test(columns), cmocka_unit_test(failure),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	free(text);
	return r;
}
