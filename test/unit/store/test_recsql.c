/* SPDX-License-Identifier: Apache-2.0 */
/* SQL over recordings: views give what is there; what would do more than read is refused; limits hold; views of the
 * file are not used. */
#include "../unit.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/strb.h"
#include "recsample.h"
#include "store/sql/recsql.h"

struct seen {
	struct strb text;
	int rows, stop_after; /* 0: never */
};

static int on_head(void *ctx, const char *const *names, size_t n)
{
	struct seen *s = ctx;

	for (size_t i = 0; i < n; i++)
		strb_printf(&s->text, "%s%s", i ? "|" : "", names[i]);
	strb_addc(&s->text, '\n');
	return 0;
}

static int on_row(void *ctx, const struct recsql_value *v, size_t n)
{
	struct seen *s = ctx;

	for (size_t i = 0; i < n; i++) {
		if (i)
			strb_addc(&s->text, '|');
		switch (v[i].kind) {
		case RECSQL_NULL: strb_adds(&s->text, "-"); break;
		case RECSQL_INT: strb_printf(&s->text, "%lld", (long long)v[i].i); break;
		case RECSQL_REAL: strb_printf(&s->text, "%g", v[i].d); break;
		case RECSQL_TEXT: strb_add(&s->text, v[i].p, v[i].n); break;
		case RECSQL_BLOB: strb_printf(&s->text, "%zu bytes", v[i].n); break;
		}
	}
	strb_addc(&s->text, '\n');
	return s->stop_after && ++s->rows == s->stop_after ? -EPIPE : 0;
}

static int on_end(void *ctx)
{
	(void)ctx;
	return 0;
}

static int ask(struct recsql *s, const char *text, struct seen *seen, size_t *at, struct err *err)
{
	struct recsql_sink sink = { seen, on_head, on_row, on_end };

	return recsql_run(s, text, &sink, at, err);
}

static void gives(struct recsql *s, const char *text, const char *want)
{
	struct seen seen = { 0 };
	struct err err = { 0 };
	size_t at;

	if (ask(s, text, &seen, &at, &err) != 0)
		fail_msg("%s: %s", text, err.msg);
	assert_string_equal(strb_str(&seen.text), want);
	strb_free(&seen.text);
}

static void fails(struct recsql *s, const char *text, int code, size_t want_at, const char *says)
{
	struct seen seen = { 0 };
	struct err err = { 0 };
	size_t at = 0;

	if (ask(s, text, &seen, &at, &err) != code || !strstr(err.msg, says) || at != want_at)
		fail_msg("%.200s: %d at %zu: %s", text, err.code, at, err.msg);
	strb_free(&seen.text);
}

static struct recsql *opened(void)
{
	struct recfile *f = sample_make(0, 0, 0);
	struct recsql *s;

	sample_slow(f, 0, 3 * SEC, 2 * SEC, SLOW_NORMAL, "first");
	sample_slow(f, 0, 5 * SEC, SEC, SLOW_NORMAL, "second");
	sample_slow(f, 0, 5 * SEC, SEC, SLOW_CONTROL, "ordinary");
	sample_span(f, 7 * SEC, SEC / 2, "a", "b");
	sample_proc(f, 8 * SEC, PROC_FORK, 77, "");
	assert_int_equal(recfile_close(f, NULL), 0);
	assert_int_equal(recsql_open(sample_path, &s, NULL), 0);
	return s;
}

static void views_answer(void **state)
{
	struct recsql *s = opened();
	const struct recsql_view *v;

	gives(s, "SELECT comm, delay_us, how FROM slow_events ORDER BY delay_us",
	      "comm|delay_us|how\nsecond|1e+06|normal\nfirst|2e+06|normal\n");
	gives(s, "SELECT lane, label, duration_us FROM spans; SELECT pid, what FROM processes;",
	      "lane|label|duration_us\na|b|500000\npid|what\n77|fork\n");
	gives(s, "  -- nothing but words\n", "");
	for (size_t i = 0; (v = recsql_view(i)); i++) { /* each has the columns that it says */
		struct seen seen = { 0 };
		struct strb text = { 0 };
		struct err err = { 0 };
		size_t at;

		strb_printf(&text, "SELECT %s FROM %s", v->columns, v->name);
		assert_int_equal(ask(s, strb_str(&text), &seen, &at, &err), 0);
		strb_free(&text);
		strb_free(&seen.text);
	}
	recsql_close(s);
	(void)state;
}

static void nothing_is_changed(void **state)
{
	static const char *const texts[] = { "ATTACH ':memory:' AS x",
					     "DETACH main",
					     "DELETE FROM main.slow",
					     "UPDATE main.slow SET pid = 1",
					     "INSERT INTO dwell_aggregations(name) VALUES(1)",
					     "CREATE TABLE t(a)",
					     "CREATE TEMP TABLE t(a)",
					     "DROP VIEW temp.events",
					     "PRAGMA journal_mode = WAL",
					     "PRAGMA writable_schema = 1",
					     "BEGIN",
					     "VACUUM INTO 'x'",
					     "VACUUM",
					     "ANALYZE",
					     "REINDEX",
					     "CREATE VIRTUAL TABLE t USING dbstat" };
	struct recsql *s = opened();

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		fails(s, texts[i], -EPERM, 0, "only SELECT");
	fails(s, "SELECT load_extension('x')", -EPERM, 7, "only SELECT");
	gives(s, "SELECT count(*) FROM main.slow", "count(*)\n3\n");
	gives(s, "PRAGMA table_info(option)",
	      "cid|name|type|notnull|dflt_value|pk\n0|name|TEXT|1|-|1\n1|value|TEXT|0|-|0\n");
	gives(s, "SELECT j.value, (SELECT count(*) FROM pragma_table_info('option')) FROM json_each('[5]') AS j",
	      "value|(SELECT count(*) FROM pragma_table_info('option'))\n5|2\n");
	recsql_close(s);
	(void)state;
}

static void errors_have_a_place(void **state)
{
	struct recsql *s = opened();

	fails(s, "SELECT 1; SELECT nosuch FROM events", -EINVAL, 17, "no such column: nosuch; --views");
	fails(s, "SELECT *\nFROM evnts", -EINVAL, 14, "did you mean events?");
	fails(s, "SELECT 1 +", -EINVAL, 10, "incomplete input");
	recsql_close(s);
	(void)state;
}

static bool always(void *ctx)
{
	++*(int *)ctx;
	return true;
}

static void limits_hold(void **state)
{
	struct recsql *s = opened();
	struct seen seen = { .stop_after = 2 };
	char *text = malloc(RECSQL_MAX_TEXT + 2);
	struct err err = { 0 };
	int asked = 0;
	size_t at;

	assert_non_null(text);
	memset(text, ' ', RECSQL_MAX_TEXT + 1);
	memcpy(text, "SELECT 1 AS a", 13);
	text[RECSQL_MAX_TEXT] = '\0';
	gives(s, text, "a\n1\n");
	text[RECSQL_MAX_TEXT] = ' ';
	text[RECSQL_MAX_TEXT + 1] = '\0';
	fails(s, text, -E2BIG, 0, "longer than");
	free(text);
	gives(s, "SELECT length(zeroblob(67108864)) AS n", "n\n67108864\n");
	fails(s, "SELECT length(zeroblob(67108865))", -E2BIG, 0, "larger than 64 MB");
	/* Nine texts of 60 MB; none is larger than a value may be. */
	fails(s,
	      "SELECT hex(zeroblob(30000000)), hex(zeroblob(30000001)), hex(zeroblob(30000002)), hex(zeroblob(30000003)),"
	      " hex(zeroblob(30000004)), hex(zeroblob(30000005)), hex(zeroblob(30000006)), hex(zeroblob(30000007)),"
	      " hex(zeroblob(30000008))",
	      -ENOMEM, 0, "512 MB");
	assert_int_equal(ask(s, "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3", &seen, &at, &err), -EPIPE);
	assert_string_equal(strb_str(&seen.text), "1\n1\n2\n");
	strb_free(&seen.text);
	recsql_set_words(s, &(struct recsql_words){ .ctx = &asked, .stop = always });
	fails(s, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n", -EINTR, 0,
	      "interrupted");
	assert_int_equal(asked, 1);
	recsql_close(s);
	(void)state;
}

static void hostile_files_do_nothing(void **state)
{
	struct recsql *s = opened();

	recsql_close(s);
	sample_sql("DROP VIEW event; CREATE VIEW event AS SELECT 'hostile' AS seq; CREATE VIEW evil AS SELECT 1 AS a;"
		   "CREATE VIEW events AS SELECT 'hostile' AS seq;"
		   "UPDATE slow SET comm = x'ff00fe', delay = 'text'; UPDATE hist SET buckets = 'no JSON'");
	assert_int_equal(recsql_open(sample_path, &s, NULL), 0);
	gives(s, "SELECT count(*) FROM event WHERE seq = 'hostile'", "count(*)\n0\n");
	gives(s, "SELECT count(*) FROM events WHERE seq = 'hostile'", "count(*)\n0\n");
	fails(s, "SELECT * FROM evil", -EINVAL, 0, "evil");
	gives(s, "SELECT count(*), max(delay_us) FROM slow_events", "count(*)|max(delay_us)\n2|0\n");
	recsql_close(s);
	sample_sql("DROP TABLE slow; CREATE VIEW slow AS SELECT 1 AS id");
	assert_int_equal(recsql_open(sample_path, &s, NULL), -EINVAL);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views_answer),
		cmocka_unit_test(nothing_is_changed),
		cmocka_unit_test(errors_have_a_place),
		cmocka_unit_test(limits_hold),
		cmocka_unit_test(hostile_files_do_nothing),
	};
	return cmocka_run_group_tests(tests, sample_set_up, sample_tear_down);
}
