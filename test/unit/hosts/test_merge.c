/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of several machines: sums, averages and buckets are those of all events together; order of arrival makes no
 * difference; what a machine should not send does no harm. */
#include "../unit.h"
#include <errno.h>
#include "hosts/merge.h"

static const char *const labels[] = { "a", "b", "c" };

struct world {
	struct merge *m;
	char *text;
	size_t n;
	FILE *out;
	char said[4096];
};

static void on_message(void *ctx, const char *text)
{
	struct world *w = ctx;

	strncat(w->said, text, sizeof(w->said) - strlen(w->said) - 1);
}

static void begin(struct world *w)
{
	const struct text_opts opts = { .stackindent = 14, .encoding = TEXT_ASCII };

	memset(w, 0, sizeof(*w));
	w->out = open_memstream(&w->text, &w->n);
	w->m = merge_new(labels, 3, &opts, w->out, on_message, w);
	assert_non_null(w->m);
}

static void end(struct world *w)
{
	merge_free(w->m);
	fclose(w->out);
	free(w->text);
}

static const char *shown(struct world *w)
{
	fflush(w->out);
	return w->text;
}

/* A table with one key, a text, and one aggregation. */
static char *table(const char *func, const char *param, int place, const char *normal, const char *rows)
{
	static char b[8192];

	snprintf(b, sizeof(b),
		 "{\"form\":{\"aggs\":[{\"name\":\"x\",\"func\":\"%s\",\"param\":[%s],\"signed\":true}],"
		 "\"keys\":[{\"kind\":\"text\",\"size\":0,\"signed\":false,\"char\":false}],"
		 "\"opts\":{\"sortkey\":false,\"sortrev\":false,\"hist\":false,\"pack\":false,\"sortkeypos\":0,"
		 "\"sortpos\":0}},\"place\":%d,\"ids\":[0],\"normal\":[%s],\"rows\":[%s]}",
		 func, param, place, normal, rows);
	return b;
}

static int add(struct world *w, size_t host, const char *json)
{
	return merge_add(w->m, host, json, strlen(json));
}

static void check_row(const char *text, const char *key, long long value)
{
	char line[128];

	snprintf(line, sizeof(line), "  %-50s %16lld\n", key, value);
	if (!strstr(text, line))
		fail_msg("no line \"%s\" in \"%s\"", line, text);
}

#define K(hex, words) "{\"key\":[\"" hex "\"],\"values\":[[" words "]]}"
#define ZERO "0,0,0,0"

static void sums(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	assert_int_equal(add(&w, 0, table("sum", ZERO, 0, "1", K("6c73", "0,2,1,100") "," K("6361", "0,1,1,-5"))), 0);
	assert_int_equal(add(&w, 2, table("sum", ZERO, 0, "1", K("6c73", "0,1,1,11"))), 0);
	assert_string_equal(shown(&w) ? w.text : "", ""); /* b may still come */
	assert_int_equal(merge_ended(w.m, 1), 0);
	check_row(shown(&w), "ls", 111);
	check_row(w.text, "ca", -5);
	end(&w);
}

/* Averages are weighted by events, not by machines. */
static void averages(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	for (size_t h = 0; h < 3; h++)
		assert_int_equal(
			add(&w, h, table("avg", ZERO, 0, "1", h ? K("61", "0,1,1,10") : K("61", "0,98,1,980000"))), 0);
	check_row(shown(&w), "a", 9800);
	end(&w);
}

static void extremes(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add(&w, 0, table("min", ZERO, 0, "1", K("61", "0,1,1,7")));
	add(&w, 1, table("min", ZERO, 0, "1", K("61", "0,1,1,-3")));
	add(&w, 2, table("min", ZERO, 0, "1", K("61", "0,1,1,5")));
	check_row(shown(&w), "a", -3);
	end(&w);
}

/* quantize(): word 65 is the bucket of 1 (1 + AGG_QUANT_ZERO + 1). */
static void distributions(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	for (size_t h = 0; h < 3; h++)
		assert_int_equal(add(&w, h, table("quantize", ZERO, 0, "1", K("61", "0,4,65,3,66,1"))), 0);
	assert_non_null(strstr(shown(&w), "1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           9"));
	assert_non_null(strstr(w.text, "2 |@@@@@@@@@@                               3"));
	end(&w);
}

/* normalize() by times that differ: each is divided by its own, as there. */
static void normalized(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add(&w, 0, table("sum", ZERO, 0, "10", K("61", "0,1,1,100")));
	add(&w, 1, table("sum", ZERO, 0, "10", K("61", "0,1,1,105")));
	add(&w, 2, table("sum", ZERO, 0, "10", K("61", "0,1,1,105")));
	check_row(shown(&w), "a", 31); /* of the sum, not 10 + 10 + 10 */
	end(&w);
	begin(&w);
	add(&w, 0, table("sum", ZERO, 0, "10", K("61", "0,1,1,100")));
	add(&w, 1, table("sum", ZERO, 0, "20", K("61", "0,1,1,100")));
	add(&w, 2, table("sum", ZERO, 0, "50", K("61", "0,1,1,100")));
	check_row(shown(&w), "a", 17);
	end(&w);
}

/* The n-th of each belongs together; one that never comes holds up MERGE_PENDING_MAX. */
static void rounds(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	for (int i = 0; i < MERGE_PENDING_MAX; i++)
		for (size_t h = 0; h < 2; h++)
			assert_int_equal(add(&w, h, table("sum", ZERO, 7, "1", K("61", "0,1,1,1"))), 0);
	assert_string_equal(shown(&w) ? w.text : "", "");
	assert_int_equal(add(&w, 2, table("sum", ZERO, 7, "1", K("61", "0,1,1,40"))), 0);
	check_row(shown(&w), "a", 42);
	assert_int_equal(add(&w, 0, table("sum", ZERO, 7, "1", K("61", "0,1,1,1"))), 0);
	assert_null(strstr(shown(&w), "               2\n"));
	assert_int_equal(add(&w, 0, table("sum", ZERO, 7, "1", K("61", "0,1,1,1"))), 0); /* beyond the limit */
	check_row(shown(&w), "a", 2);
	assert_int_equal(add(&w, 2, table("sum", ZERO, 7, "1", K("61", "0,1,1,500"))), 0); /* late: with the next */
	check_row(shown(&w), "a", 502);
	end(&w);
}

/* A printa() with a format: "%s=%@d;" */
static void formats(void **state)
{
	static const char form[] = "\"form\":{\"format\":\"25733d2540643b\",";
	char text[8192];
	struct world w;

	(void)state;
	begin(&w);
	for (size_t h = 0; h < 3; h++) {
		snprintf(text, sizeof(text), "{%s%s", form,
			 table("sum", ZERO, 5, "1", K("6c73", "0,1,1,14")) + sizeof("{\"form\":{") - 1);
		assert_int_equal(add(&w, h, text), 0);
	}
	assert_string_equal(shown(&w), "ls=42;");
	end(&w);
}

static void other_form(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	add(&w, 0, table("sum", ZERO, 0, "1", K("61", "0,1,1,1")));
	add(&w, 1, table("max", ZERO, 0, "1", K("61", "0,1,1,9")));
	add(&w, 2, table("sum", ZERO, 0, "1", K("61", "0,1,1,2")));
	check_row(shown(&w), "a", 3);
	check_row(w.text, "a", 9);
	assert_non_null(strstr(w.said, "b: "));
	end(&w);
}

static void hostile(void **state)
{
	static const char *const rows[] = {
		K("6", "0,1,1,1"),
		K("zz", "0,1,1,1"),
		K("61", "0,1,1"),
		K("61", "0,1,2,1"),
		K("61", "-1,1"),
		K("61", "0,1.5"),
		"{\"key\":[],\"values\":[[0,1]]}",
		"{\"key\":[1],\"values\":[[0,1]]}",
		"{\"key\":[\"61\"],\"values\":[]}",
		"3",
	};
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin(&w);
		assert_int_equal(add(&w, 0, table("sum", ZERO, 0, "1", rows[i])), 0);
		assert_int_equal(merge_ended(w.m, 1), 0);
		assert_int_equal(merge_ended(w.m, 2), -EPROTO);
		end(&w);
	}
	begin(&w);
	assert_int_equal(add(&w, 0, "["), -EPROTO);
	assert_int_equal(add(&w, 0, "{}"), -EPROTO);
	assert_int_equal(add(&w, 0, table("nosuch", ZERO, 0, "1", "")), 0);
	assert_int_equal(merge_ended(w.m, 1), 0);
	assert_int_equal(merge_ended(w.m, 2), -EPROTO);
	end(&w);
	begin(&w);
	assert_int_equal(add(&w, 0, table("lquantize", "0,2147483647,1,0", 0, "1", "")), 0);
	assert_int_equal(merge_ended(w.m, 1), 0);
	assert_int_equal(merge_ended(w.m, 2), -EPROTO);
	end(&w);
	begin(&w);
	assert_int_equal(add(&w, 0, table("sum", ZERO, 0, "-1,0", K("61", "0,1,1,-9223372036854775808"))), 0);
	assert_int_equal(merge_ended(w.m, 1), 0);
	assert_int_equal(merge_ended(w.m, 2), 0);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums),		 cmocka_unit_test(averages),   cmocka_unit_test(extremes),
		cmocka_unit_test(distributions), cmocka_unit_test(normalized), cmocka_unit_test(rounds),
		cmocka_unit_test(formats),	 cmocka_unit_test(other_form), cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
