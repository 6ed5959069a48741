/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and changes the fleet's tables. The SQL runs on ClickHouse 18.16, which Debian has, and on current ones: no
 * TTL, no window functions, no Map. */
#include "fleet/wire/tables.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/vec.h"

/* The values of most buckets of a second are small. */
#define FEW_SECOND "UInt8"
#define FEW_LONGER "UInt16"

const struct tables_hist tables_hist[TABLES_NSLOTS] = { { "hist", 1, UINT8_MAX, SLOT_SECOND },
							{ "hist_minute", 60, UINT16_MAX, SLOT_SECOND },
							{ "hist_ten", 600, UINT16_MAX, SLOT_MINUTE },
							{ "hist_hour", 3600, UINT16_MAX, SLOT_TEN },
							{ "hist_all", 60, UINT16_MAX, SLOT_MINUTE } };

#define NO_DATABASE "Code: 81" /* of ClickHouse's errors */

#define FEW_LONGER_MAX "65535"
#define BUCKETS_COLUMN "buckets Array(UInt16) ALIAS arrayConcat(bucket, many_bucket)"
/* A function with a body, for each element, would take ClickHouse 18.16 a hundred times as long. */
#define COUNTS_COLUMN "counts Array(UInt64) ALIAS arrayConcat(n, CAST(few AS Array(UInt64)), many)"
#define HIST_COLUMNS_SQL(few) \
	"(day Date, tenant String, site String, host String, series String, key String, time DateTime, count UInt64," \
	" sum UInt64, max UInt64, flags UInt32, bucket Array(UInt16), n Array(UInt64)," \
	" few Array(" few "), many_bucket Array(UInt16), many Array(UInt64), " BUCKETS_COLUMN ", " COUNTS_COLUMN ")"
#define HIST_ORDER "(tenant, series, time, site, host, key)"

#define VERSION_SITES 3
#define VERSION_FEW 6

static const char *const statements[] = {
	/* copy_tables() needs the first five in their order */
	/* Old rows are removed by whole partitions: DROP PARTITION. */
	"CREATE TABLE IF NOT EXISTS hist " HIST_COLUMNS_SQL(
		FEW_SECOND) " ENGINE = ReplacingMergeTree(count) PARTITION BY day ORDER BY " HIST_ORDER,
	"CREATE TABLE IF NOT EXISTS hist_minute " HIST_COLUMNS_SQL(
		FEW_LONGER) " ENGINE = ReplacingMergeTree(count) PARTITION BY day ORDER BY " HIST_ORDER,
	"CREATE TABLE IF NOT EXISTS hist_ten " HIST_COLUMNS_SQL(
		FEW_LONGER) " ENGINE = ReplacingMergeTree(count) PARTITION BY day ORDER BY " HIST_ORDER,
	"CREATE TABLE IF NOT EXISTS hist_hour " HIST_COLUMNS_SQL(
		FEW_LONGER) " ENGINE = ReplacingMergeTree(count) PARTITION BY toYYYYMM(day) ORDER BY " HIST_ORDER,
	"CREATE TABLE IF NOT EXISTS slow (day Date, tenant String, site String, host String, tracker String, time DateTime,"
	" ended UInt64, delay UInt64, how String, pid UInt32, tid UInt32, cpu UInt32, comm String, key String, cause String,"
	" class String, stack String, attrs String, recording String, id UInt64)"
	" ENGINE = ReplacingMergeTree PARTITION BY day ORDER BY (tenant, tracker, time, site, host, recording, id)",
	"CREATE TABLE IF NOT EXISTS host (day Date, tenant String, site String, host String, seen UInt64, sent UInt64,"
	" dwell String, kernel String, labels String)"
	" ENGINE = ReplacingMergeTree(seen) PARTITION BY tuple() ORDER BY (tenant, site, host)",
	"CREATE TABLE IF NOT EXISTS gap (day Date, tenant String, site String, host String, since DateTime, until DateTime,"
	" what String) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(day) ORDER BY (tenant, site, host, since, until, what)",
	"CREATE TABLE IF NOT EXISTS audit (day Date, tenant String, site String, host String, time DateTime, ns UInt64,"
	" event String, user String, key String, id String, reason String, program String, seconds UInt64, write UInt8,"
	" status UInt16, rows UInt64, bytes UInt64, cpu UInt64)"
	" ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(day) ORDER BY (tenant, site, host, ns, id, event)",
	/* A host as it described itself, by slots of TABLES_HISTORY_S. The version falls as `since` rises: the earliest
	 * row of a key stays. */
	"CREATE TABLE IF NOT EXISTS host_history (day Date, tenant String, site String, host String, slot DateTime,"
	" since UInt32, early UInt32, dwell String, kernel String, labels String) ENGINE = ReplacingMergeTree(early)"
	" PARTITION BY toYYYYMM(day) ORDER BY (tenant, slot, site, host, dwell, kernel, labels)",
	"CREATE TABLE IF NOT EXISTS hist_all " HIST_COLUMNS_SQL(
		FEW_LONGER) " ENGINE = ReplacingMergeTree(count) PARTITION BY toYYYYMM(day) ORDER BY " HIST_ORDER,
	"CREATE TABLE IF NOT EXISTS version (version UInt32, made DateTime) ENGINE = ReplacingMergeTree"
	" ORDER BY version",
};

static int take_number(void *ctx, char *const *columns, size_t n)
{
	(void)n;
	return num_parse_u64(columns[0], ctx) < 0 ? -EINVAL : 0;
}

/* The version of what is there; 0: nothing. */
static int version(struct click *c, uint64_t *ret, struct err *err)
{
	uint64_t there = 0;
	int e = click_select(c, "EXISTS TABLE version", take_number, &there, err);

	*ret = 0;
	if (e == -EIO && err && strstr(err->msg, NO_DATABASE))
		return 0;
	if (e == 0 && there)
		e = click_select(c, "SELECT max(version) FROM version", take_number, ret, err);
	return e;
}

static int newer(uint64_t v, struct err *err)
{
	return err_set(err, -EINVAL, "the tables have version %" PRIu64 ": they are of a newer dwell (this one: %d)", v,
		       TABLES_VERSION);
}

int tables_check(struct click *c, struct err *err)
{
	uint64_t v = 0;
	int e = version(c, &v, err);

	if (e < 0)
		return e;
	if (v > TABLES_VERSION)
		return newer(v, err);
	if (v && v < TABLES_VERSION)
		return err_set(err, -ENOENT,
			       "the tables are of an older dwell: `dwell fleet init` adds what is missing");
	return v ? 0 : err_set(err, -ENOENT, "there are no tables: `dwell fleet init` makes them");
}

static int make_database(const struct click_options *o, struct err *err)
{
	struct click_options d = *o;
	struct click *c = NULL;
	char sql[128];
	int e;

	snprintf(sql, sizeof(sql), "CREATE DATABASE IF NOT EXISTS %.64s", o->database);
	d.database = "default";
	e = click_open(&d, &c, err);
	if (e == 0)
		e = click_run(c, sql, err);
	click_close(c);
	return e;
}

/* "%s": the table. */
static void put_step(struct strb *sql, const char *step, const char *table)
{
	for (const char *s = step, *next; *s; s = next) {
		next = strstr(s, "%s");
		strb_add(sql, s, next ? (size_t)(next - s) : strlen(s));
		if (!next)
			return;
		strb_adds(sql, table);
		next += 2;
	}
}

/* Copies the tables that have other keys in version 3, because the key of a table cannot be changed. An interruption
 * loses nothing: the old table stays until the new one has all rows, and the next start copies again. */
static int copy_tables(struct click *c, struct err *err)
{
	static const char *const tables[] = { "hist", "hist_minute", "hist_ten", "hist_hour", "slow" };
	_cleanup_(strb_free) struct strb sql = { 0 };
	int e = 0;

	for (size_t i = 0; e == 0 && i < ARRAY_SIZE(tables); i++) {
		const char *t = tables[i], *made = strstr(statements[i], " (");
		const char *const steps[] = { "DROP TABLE IF EXISTS %s_new",
					      NULL,
					      "INSERT INTO %s_new SELECT * FROM %s",
					      "DROP TABLE IF EXISTS %s_old",
					      "RENAME TABLE %s TO %s_old, %s_new TO %s",
					      "DROP TABLE %s_old" };

		for (size_t k = 0; e == 0 && k < ARRAY_SIZE(steps); k++) {
			strb_reset(&sql);
			if (steps[k])
				put_step(&sql, steps[k], t);
			else
				strb_printf(&sql, "CREATE TABLE %s_new%s", t, made);
			e = sql.failed ? err_set(err, -ENOMEM, "out of memory") : click_run(c, sql.s, err);
		}
	}
	return e;
}

/* Adds a column to a table that does not have it. Its rows stay as they are. */
static int add_column(struct click *c, const char *table, const char *name, const char *columns, struct err *err)
{
	_cleanup_(strb_free) struct strb sql = { 0 };
	uint64_t there = 0;
	int e;

	strb_printf(
		&sql,
		"SELECT count() FROM system.columns WHERE database = currentDatabase() AND table = '%s' AND name = '%s'",
		table, name);
	e = sql.failed ? -ENOMEM : click_select(c, sql.s, take_number, &there, err);
	if (e < 0 || there)
		return e;
	strb_reset(&sql);
	strb_printf(&sql, "ALTER TABLE %s %s", table, columns);
	return sql.failed ? err_set(err, -ENOMEM, "out of memory") : click_run(c, sql.s, err);
}

#define FEW_COLUMNS(few) \
	"ADD COLUMN few Array(" few "), ADD COLUMN many_bucket Array(UInt16), ADD COLUMN many Array(UInt64)"

/* The columns of version 6. A column that names others is in a statement of its own. */
static int add_few(struct click *c, struct err *err)
{
	static const char *const v[][2] = {
		{ "buckets", "ADD COLUMN " BUCKETS_COLUMN },
		{ "counts", "ADD COLUMN " COUNTS_COLUMN },
	};
	int e = 0;

	for (size_t i = 0; e == 0 && i < TABLES_NSLOTS; i++) {
		e = add_column(c, tables_hist[i].table, "few",
			       i == SLOT_SECOND ? FEW_COLUMNS(FEW_SECOND) : FEW_COLUMNS(FEW_LONGER), err);
		for (size_t k = 0; e == 0 && k < ARRAY_SIZE(v); k++)
			e = add_column(c, tables_hist[i].table, v[k][0], v[k][1], err);
	}
	return e;
}

int tables_init(const struct click_options *o, struct err *err)
{
	struct click *c = NULL;
	uint64_t v = 0;
	char sql[120];
	int e = make_database(o, err);

	if (e == 0)
		e = click_open(o, &c, err);
	if (e == 0)
		e = version(c, &v, err);
	if (e == 0 && v > TABLES_VERSION)
		e = newer(v, err);
	for (size_t i = 0; e == 0 && i < ARRAY_SIZE(statements); i++)
		e = click_run(c, statements[i], err);
	if (e == 0 && v && v < VERSION_FEW)
		e = add_few(c, err);
	if (e == 0 && v && v < VERSION_SITES)
		e = copy_tables(c, err);
	snprintf(sql, sizeof(sql), "INSERT INTO version VALUES (%d, now())", TABLES_VERSION);
	if (e == 0 && v < TABLES_VERSION)
		e = click_run(c, sql, err);
	click_close(c);
	return e;
}

/* PREWHERE: the server reads the times first, and the other columns of what fits them only. It does not choose that by
 * itself for a column of the key. Since rows of one key have one time, FINAL sees all of them, or none. */
static void put_from(struct strb *sql, const struct tables_range *r, const char *also, bool merged)
{
	strb_printf(sql,
		    " FROM %s%s PREWHERE time >= toDateTime(%" PRIu64 ") AND time < toDateTime(%" PRIu64
		    ") WHERE day >= toDate(toDateTime(%" PRIu64 ")) AND day <= toDate(toDateTime(%" PRIu64 "))%s",
		    tables_hist[r->slot].table, merged ? " FINAL" : "", r->from, r->to, r->from, r->to, also);
}

/* FINAL merges the sorted parts while it reads, which takes the row with the largest count of each key. Grouping by the
 * key gives the same, but keeps all rows in memory: a minute of 1,000 hosts took minutes. columns: all that a sum
 * needs, or only `time` and `c`. */
#define NEWEST_COUNT "SELECT time, count AS c"
#define NEWEST_ALL \
	"SELECT tenant, site, host, series, key, time, count AS c, sum AS s, max AS m, flags AS f, buckets AS b, counts AS k"
static void put_newest(struct strb *sql, const char *columns, enum tables_slot slot, uint64_t from, uint64_t to)
{
	const struct tables_range r = { slot, from, to };

	strb_adds(sql, columns);
	put_from(sql, &r, "", true);
}

void tables_rows(struct strb *sql, const struct tables_range *r, const char *also, bool merged)
{
	strb_adds(sql,
		  "SELECT series, site, host, key, time, count, sum, max, flags, bucket, few, many_bucket, many, n");
	put_from(sql, r, also, merged);
	strb_adds(sql, " FORMAT Native");
}

void tables_largest(struct strb *sql, const struct tables_range *r, size_t nranges, const char *also, bool merged,
		    size_t hosts)
{
	strb_adds(sql, "SELECT series, who, sum(n) AS total FROM (");
	for (size_t i = 0; i < nranges; i++) {
		strb_printf(sql, "%sSELECT series, " TABLES_WHO " AS who, sum(count) AS n", i ? " UNION ALL " : "");
		put_from(sql, &r[i], also, merged);
		strb_adds(sql, " GROUP BY series, site, host");
	}
	strb_printf(sql, ") GROUP BY series, who ORDER BY series, total DESC, who LIMIT %zu BY series", hosts);
}

void tables_totals(struct strb *sql, const struct tables_range *r, uint64_t step, const char *also, const char *here)
{
	strb_printf(sql,
		    "SELECT series, toUInt64(intDiv(toUInt32(time) - %" PRIu64 ", %" PRIu64
		    ")) AS col, sum(count), sum(sum), sum(here), sum(here * count), sum(here * sum), max(here * max),"
		    " groupBitOr(here * flags) FROM (SELECT series, time, count, sum, max, flags, toUInt64(%s) AS here",
		    r->from, step, here);
	put_from(sql, r, also, false);
	strb_adds(sql, ") GROUP BY series, col");
}

/* Which rows are added up to one: those of a key; or of all hosts and keys of a series. */
static const char *const roll_by[2][2] = { { "site, host, series, key", "site, host, series, key" },
					   { "'' AS site, '' AS host, series, '' AS key", "series" } };

int tables_roll(struct click *c, enum tables_slot slot, uint64_t from, uint64_t to, struct err *err)
{
	const char *const *by = roll_by[slot == SLOT_ALL];
	_cleanup_(strb_free) struct strb sql = { 0 };

	strb_printf(
		&sql,
		"INSERT INTO %s (" TABLES_HIST_COLUMNS
		") SELECT toDate(slot), tenant, site, host, series, key, slot, c_, s_, m_, f_, x,"
		" arrayMap(v -> toUInt16(least(v, " FEW_LONGER_MAX ")), y), arrayFilter((u, v) -> v > " FEW_LONGER_MAX
		", x, y), arrayMap(v -> v - " FEW_LONGER_MAX ", arrayFilter(v -> v > " FEW_LONGER_MAX ", y))"
		" FROM (SELECT *, tupleElement(t, 1) AS x, tupleElement(t, 2) AS y FROM (SELECT tenant, %s, slot, sum(c) AS c_, sum(s) AS s_, max(m) AS m_,"
		" groupBitOr(f) AS f_, sumMap(b, k) AS t FROM (SELECT *,"
		" toDateTime(intDiv(toUInt32(time), %" PRIu64 ") * %" PRIu64 ") AS slot FROM (",
		tables_hist[slot].table, by[0], tables_hist[slot].period, tables_hist[slot].period);
	put_newest(&sql, NEWEST_ALL, tables_hist[slot].of, from, to);
	strb_printf(&sql, ")) GROUP BY tenant, %s, slot))", by[1]);
	return sql.failed ? err_set(err, -ENOMEM, "out of memory") : click_run(c, sql.s, err);
}

struct slots {
	VEC(uint64_t) v;
};

static int take_slot(void *ctx, char *const *columns, size_t n)
{
	struct slots *s = ctx;
	uint64_t v = 0;

	(void)n;
	return num_parse_u64(columns[0], &v) < 0 ? -EINVAL : vec_try_push(&s->v, v);
}

int tables_repair(struct click *c, enum tables_slot slot, uint64_t from, uint64_t to, struct err *err)
{
	_cleanup_(strb_free) struct strb sql = { 0 };
	uint64_t period = tables_hist[slot].period;
	struct slots slots = { 0 };
	int e;

	/* How often things happened is compared: added up from what is below, and as it was added up before. */
	strb_printf(
		&sql,
		"SELECT slot FROM (SELECT slot, sum(below) AS x, sum(here) AS y FROM (SELECT intDiv(toUInt32(time), %" PRIu64
		") * %" PRIu64 " AS slot, c AS below, toUInt64(0) AS here FROM (",
		period, period);
	from -= from % period;
	to -= to % period;
	put_newest(&sql, NEWEST_COUNT, tables_hist[slot].of, from, to);
	strb_adds(&sql, ") UNION ALL SELECT toUInt64(toUInt32(time)) AS slot, toUInt64(0) AS below, c AS here FROM (");
	put_newest(&sql, NEWEST_COUNT, slot, from, to);
	strb_adds(&sql, ")) GROUP BY slot) WHERE x != y ORDER BY slot");
	e = sql.failed ? err_set(err, -ENOMEM, "out of memory") : click_select(c, sql.s, take_slot, &slots, err);
	for (size_t i = 0; e == 0 && i < slots.v.n; i++)
		e = tables_roll(c, slot, slots.v.v[i], slots.v.v[i] + period, err);
	e = e < 0 ? e : (int)slots.v.n;
	vec_free(&slots.v);
	return e;
}
