/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the views of `dwell sql`: a stable contract (doc/sql.md). Columns may be added at the end; none changes
 * its name, its unit or its meaning. Suffixes _s, _ms, _us, _ns are units of time; time_s counts from the
 * beginning of the recording. */
#include "base/cleanup.h"
#include "store/sql/recsql.h"

#define TIMES(ts) "dwell_time_s(" ts "), dwell_wall(" ts ")"
#define META(key) "(SELECT value FROM main.meta WHERE key = '" key "')"
#define ATTR_TEXT(id, names) \
	"(SELECT text FROM main.slow_attr WHERE slow = " id " AND name IN (" names ") AND text IS NOT NULL LIMIT 1)"
#define ATTR_STACK(id, of) \
	"(SELECT dwell_stack(slow_attr.stack) FROM main.slow_attr JOIN main.stack ON stack.id = slow_attr.stack" \
	" WHERE slow = " id " AND space = " of " LIMIT 1)"
#define ATTR_JSON(id) \
	"(SELECT json_group_object(name, coalesce(text, value, dwell_stack(stack))) FROM main.slow_attr WHERE slow = " id \
	")"
/* Trackers count ns; an aggregation's name may tell its unit. */
#define UNIT \
	"CASE WHEN h.kind = 'tracker' OR h.name LIKE '%\\_ns' ESCAPE '\\' THEN 'ns'" \
	" WHEN h.name LIKE '%\\_us' ESCAPE '\\' THEN 'us' WHEN h.name LIKE '%\\_ms' ESCAPE '\\' THEN 'ms'" \
	" WHEN h.name LIKE '%\\_bytes' ESCAPE '\\' THEN 'bytes' END"
#define SLOT_JOINS " JOIN main.hist_source AS h ON h.id = hist.source JOIN main.hist_key ON hist_key.id = hist.key"
#define PROBE "provider || ':' || module || ':' || function || ':' || probe.name"

/* A line of SQL is a line here. */
/* clang-format off */
static const struct recsql_view views[] = {
	{ "session", "host, kernel, machine, cpus, dwell, begun_wall, duration_s",
	  "one row: where and when it was recorded",
	  "SELECT " META("host") ", " META("kernel") ", " META("machine") ", CAST(" META("cpus") " AS INTEGER), " META("dwell") ","
	  " dwell_wall(CAST(" META("begun_monotonic_ns") " AS INTEGER)),"
	  " (SELECT max(dwell_time_s(ts)) FROM (SELECT max(ts) AS ts FROM main.row UNION ALL SELECT max(ended) FROM main.slow))" },
	{ "programs", "name, text", "the D programs that ran", "SELECT name, text FROM main.program ORDER BY id" },
	{ "events", "seq, time_s, wall_time, cpu, probe, text, fields_json",
	  "each record: text as it was printed, and its values as a JSON array",
	  "SELECT seq, " TIMES("ts") ", cpu, " PROBE ", dwell_event(seq), dwell_fields(seq)"
	  " FROM main.row LEFT JOIN main.probe ON probe.id = row.probe WHERE kind = 0" },
	{ "slow_events", "id, tracker, time_s, wall_time, delay_us, how, comm, pid, tid, cpu, end_comm, end_pid, end_tid, end_cpu, key, cause,"
	  " cgroup_id, kernel_stack, user_stack, attributes_json",
	  "each slow event, by its end, with its cause",
	  "SELECT s.id, tracker.name, " TIMES("s.ended") ", s.delay / 1000.0, s.how, s.comm, s.pid, s.tid, s.cpu, s.end_comm, s.end_pid,"
	  " s.end_tid, s.end_cpu, s.key, " ATTR_TEXT("s.id", "'cause', 'stack'") ", s.cgroup, " ATTR_STACK("s.id", "0") ", "
	  ATTR_STACK("s.id", "1") ", " ATTR_JSON("s.id")
	  " FROM main.slow AS s JOIN main.tracker ON tracker.id = s.tracker WHERE s.how <> 'control'" },
	{ "waits", "tracker, cause, comm, events, total_ms, mean_us, longest_us",
	  "slow events that ended, added up by cause and thread name",
	  "SELECT tracker, cause, comm, count(*), sum(delay_us) / 1000, avg(delay_us), max(delay_us) FROM temp.slow_events"
	  " WHERE how = 'normal' GROUP BY tracker, cause, comm" },
	{ "aggregations", "name, function, key, keys_json, value, events, sum, buckets_json",
	  "what each key of an aggregation gained over the run; value: NULL of distributions, which have buckets [from, to, count]",
	  "SELECT name, function, key, keys_json, value, events, sum, buckets_json FROM temp.dwell_aggregations" },
	{ "samples", "aggregation, key, value, events, kernel_stack, user_stack",
	  "aggregations with a stack in their key: stacks as text, outermost function first",
	  "SELECT name, rest, value, events, kernel_stack, user_stack FROM temp.dwell_aggregations"
	  " WHERE kernel_stack IS NOT NULL OR user_stack IS NOT NULL" },
	{ "stacks", "stack, kind, pid, frames, text",
	  "stacks of slow events as text, outermost function first",
	  "SELECT id, CASE space WHEN 0 THEN 'kernel' ELSE 'user' END, CASE space WHEN 1 THEN tgid END, length(frames) / 8, dwell_stack(id)"
	  " FROM main.stack" },
	{ "frames", "stack, pos, kind, module, function, offset, address",
	  "the same function by function, the innermost at 0",
	  "SELECT stack, pos, CASE space WHEN 0 THEN 'kernel' ELSE 'user' END, module, name, offset, printf('0x%llx', addr) FROM temp.frame" },
	{ "histograms", "name, kind, key, period_s, time_s, wall_time, low, high, unit, count",
	  "distributions of trackers and aggregations by slot of time: low <= value < high",
	  "SELECT h.name, h.kind, hist_key.text, period / 1000000000.0, " TIMES("hist.start") ", low, high, " UNIT ", c.value"
	  " FROM main.hist" SLOT_JOINS " JOIN json_each(hist.buckets) AS c"
	  " JOIN main.bucket ON bucket.source = hist.source AND bucket.bucket = CAST(c.key AS INTEGER)" },
	{ "percentiles", "name, kind, key, period_s, time_s, wall_time, unit, count, p50, p90, p99, p999, max",
	  "their percentiles by slot of time, in `unit`",
	  "SELECT h.name, h.kind, hist_key.text, period / 1000000000.0, " TIMES("hist.start") ", " UNIT ", count, hist.p50, hist.p90, hist.p99,"
	  " hist.p999, CASE WHEN hist.flags & 1 THEN NULL ELSE max END FROM main.hist" SLOT_JOINS },
	{ "spans", "lane, label, time_s, wall_time, duration_us",
	  "intervals that the program gave to span()",
	  "SELECT lane, label, " TIMES("start") ", duration / 1000.0 FROM main.span" },
	{ "processes", "time_s, wall_time, what, pid, parent_pid, name",
	  "processes that were there (alive), began (fork), called exec, ended (exit)",
	  "SELECT " TIMES("ts") ", kind, tgid, nullif(parent, 0), nullif(name, '') FROM main.process WHERE kind <> 'mmap'" },
	{ "losses", "time_s, wall_time, what, kind, count, probe",
	  "what is not in the recording: kind lost, or left out by a limit",
	  "SELECT " TIMES("ts") ", dwell_loss(row.id), dwell_loss_kind(row.id), count, " PROBE
	  " FROM main.row LEFT JOIN main.probe ON probe.id = row.probe WHERE kind = 3 AND dwell_loss_kind(row.id) <> 'no loss'" },
	{ "costs", "time_s, wall_time, probe, run_us, runs, mean_ns",
	  "with -x cost: what dwell's own BPF programs used",
	  "SELECT " TIMES("ts") ", " PROBE ", run_ns / 1000.0, run_cnt, 1.0 * run_ns / nullif(run_cnt, 0)"
	  " FROM main.cost LEFT JOIN main.probe ON probe.id = cost.probe" },
};
/* clang-format on */

const struct recsql_view *recsql_view(size_t i)
{
	return i < ARRAY_SIZE(views) ? &views[i] : NULL;
}
