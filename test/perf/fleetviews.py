#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long each view of a fleet takes over an hour and over a day: 1,000 hosts with 20 trackers in one ClickHouse, which makes the rows itself. Each
line has the time by the clock (best of two), the CPU time of the server and that of dwell.
usage: fleetviews.py BUILD[,BUILD …] [HOSTS SERIES [FOLDER]]    BUILD: several are asked in turn, and told when their answers differ;
FOLDER: keeps the rows there, and uses them again; ONLY (in the environment): one view"""
import os
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../live"))
import engines  # noqa: E402

HOUR, DAY = 3600, 86400
EVENTS = 2  # slow events of a host in a minute
# Every minute has the rows of this table, and longer slots the sums of that: they are too far apart in the store to be squeezed together. 40 buckets each.
BASE = """CREATE TABLE base ENGINE = Memory AS SELECT concat('sim', toString(h)) host, concat('tracker', toString(s)) series, arraySum(n) count, b, n FROM (SELECT h, s,
 arrayMap(x -> toUInt16(300 + 2 * x + cityHash64(h, s, x) % 2), range(40)) b, arrayMap(x -> toUInt16(1 + cityHash64(x, h, s) % 200), range(40)) n
 FROM (SELECT intDiv(number, {series}) h, number % {series} s FROM numbers({rows})))"""
HISTS = """INSERT INTO {table} (day, tenant, site, host, series, key, time, count, sum, max, flags, bucket, few) SELECT toDate(t), 'default', 'default', host, series, '',
 toDateTime(t), count * {times}, count * {times} * 1000, 1000000, 0, b, arrayMap(x -> toUInt16(x * {times}), n) FROM base ARRAY JOIN {slots} AS t"""
# Of a host and tracker: one of two keys, four commands, eight causes and stacks.
SLOW_BASE = """CREATE TABLE slow_base ENGINE = Memory AS SELECT concat('sim', toString(number % {hosts})) host, concat('tracker', toString(r % {series})) tracker, r,
 concat('comm', toString(intDiv(r, 64) % 4)) comm, concat('sd', toString(intDiv(r, 256) % 2)) key, concat('cause ', toString(intDiv(r, 8) % 8)) cause,
 arrayStringConcat(arrayMap(x -> concat('vmlinux`function_', toString(intDiv(r, 8) % 8 * x)), range(16)), ';') stack FROM
 (SELECT number, intHash64(number) % 1000000000 r FROM numbers({rows}))"""
SLOW = """INSERT INTO slow SELECT toDate(t), 'default', 'default', host, tracker, toDateTime(t + r % 60), toUInt64(t + r % 60) * 1000000000 + r, 1000000 + r % 90000000, 'wait',
 1, 1, 0, comm, key, cause, 'io', stack, '', '2026-11-28T00:00:00', r + t FROM slow_base ARRAY JOIN {slots} AS t"""
VIEWS = (
    ("latency",),
    ("latency", "--by-host"),
    ("latency", "--hosts", "sim1*"),
    ("why",),
    ("heat", "--tracker", "tracker3", "--", "--json", "-o", "heat.json"),
    ("flame",),
    ("diff", "--hosts", "sim7"),
    ("diff", "--earlier", "EARLIER", "--tracker", "tracker3"),
    ("top",),
    ("outliers", "--tracker", "tracker3"),
)


ALL = """INSERT INTO hist_all (day, tenant, site, host, series, key, time, count, sum, max, flags, bucket, few, many_bucket, many) SELECT toDate(t), 'default', '', '', series, '',
 toDateTime(t), c, c * 1000, 1000000, 0, x, arrayMap(v -> toUInt16(least(v, 65535)), y), arrayFilter((u, v) -> v > 65535, x, y), arrayMap(v -> v - 65535, arrayFilter(v -> v > 65535, y))
 FROM (SELECT series, c, tupleElement(m, 1) AS x, tupleElement(m, 2) AS y FROM (SELECT series, sum(count) AS c, sumMap(b, w) AS m FROM
 (SELECT series, count, b, arrayMap(v -> toUInt64(v), n) AS w FROM base) GROUP BY series)) ARRAY JOIN {slots} AS t"""


def fill(store, table, sql, from_, to, period, each):
    """Slots from a moment on, each of so many rows; 100,000 rows at a time."""
    slots = range(from_, to, period)
    part = max(1, 100000 // each)
    for i in range(0, len(slots), part):
        store.ask(sql.format(table=table, slots=list(slots[i : i + part]), times=period // 60))


def make(store, end, hosts, series):
    """A day of all slots that a question can be about: minutes only where one begins or ends."""
    each = hosts * series
    store.ask(BASE.format(series=series, rows=each))
    store.ask(SLOW_BASE.format(series=series, hosts=hosts, rows=hosts * EVENTS))
    for table, period, from_, to in (
        ("hist_minute", 60, end - 2 * HOUR - 1200, end),
        ("hist_minute", 60, end - DAY - 1200, end - DAY + 1200),
        ("hist_ten", 600, (end - DAY) // 600 * 600 - 600, end),
        ("hist_ten", 600, (end - 2 * DAY) // 600 * 600 - 600, (end - DAY) // 600 * 600 - 600),
        ("hist_hour", 3600, end // 3600 * 3600 - DAY - 3600, end // 3600 * 3600),
    ):
        only = " WHERE series = 'tracker3'" if to < end - DAY else ""  # of the day before that
        fill(store, table, HISTS + only, from_, to, period, each)
    # Minutes of all hosts together are there for the whole day, as collectors make them.
    fill(store, "hist_all", ALL, end - DAY - 1200, end, 60, series)
    fill(store, "slow", SLOW, end - DAY - 1200, end, 60, hosts * EVENTS)
    store.ask("DROP TABLE base")
    store.ask("DROP TABLE slow_base")
    store.ask(
        f"INSERT INTO host SELECT today(), 'default', 'default', concat('sim', toString(number)), {end}000000000, {end}000000000, '1', '6.1', 'role=x'"
        f" FROM numbers({hosts})"
    )


def cpu(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        ticks = f.read().rsplit(")", 1)[1].split()
    return (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")


def own():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def time_of(store, run):
    best = None
    for _ in range(2):
        server, client = cpu(store.p.pid), own()
        took, failed = run()
        t = (took, cpu(store.p.pid) - server, own() - client, failed)
        best = t if not best or t[0] < best[0] else best
    return best


def report(name, what, t, more):
    print(f"{name:5} {what:50} {t[0]:6.2f} s, server {t[1]:5.2f}, dwell {t[2]:5.2f} {t[3]}{more}", flush=True)


def next_second():
    """Questions name their range from now on: those that are compared are asked in the same second."""
    time.sleep(1.01 - time.time() % 1)


def ask_all(dwells, store, env, end, only):
    for name, span, step in (("hour", HOUR, 60), ("day", DAY, 600)):
        for view in VIEWS:
            if only and only not in view:
                continue
            args = [str(span) + "s" if a == "EARLIER" else a for a in view]

            given = []
            for n, dwell in enumerate(dwells):

                def run():
                    next_second()
                    back = int(time.time()) - end
                    line = [dwell, "fleet", *args[:1], "--from", f"{back + span}s", "--to", f"{back}s", *args[1:]]
                    begun = time.monotonic()
                    r = subprocess.run(line, env=env, capture_output=True, text=True)
                    given[n:] = [r.stdout + (open("heat.json", encoding="utf-8").read() if "heat" in args else "")]
                    return time.monotonic() - begun, f"status {r.returncode} {r.stderr[:300]}" if r.returncode else ""

                t = time_of(store, run)
                differs = "" if given[n] == given[0] else " another answer"
                report(name, " ".join(view) + f" ({n})" * (len(dwells) > 1), t, differs)


def main():
    dwells = [os.path.join(os.path.abspath(build), "dwell") for build in sys.argv[1].split(",")]
    hosts, series = (int(a) for a in sys.argv[2:4]) if sys.argv[3:] else (1000, 20)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        keep = sys.argv[4] if sys.argv[4:] else folder + "/store"
        with engines.Nats(folder + "/nats") as nats, engines.ClickHouse(keep) as store:
            env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
            subprocess.run([dwells[0], "fleet", "init"], env=env, check=True)
            if not int(store.ask("SELECT count() FROM hist_hour")[0][0]):
                end = int(time.time()) // 60 * 60 - 180
                make(store, end, hosts, series)
            else:
                end = int(store.ask("SELECT toUInt32(max(time)) + 60 FROM hist_minute")[0][0])
            for table, rows, size in store.ask(
                "SELECT table, sum(rows), sum(bytes_on_disk) FROM system.parts WHERE active AND database = 'dwell' GROUP BY table ORDER BY table"
            ):
                print(f"{table}: {rows} rows, {int(size) / 1e6:.0f} MB")
            ask_all(dwells, store, env, end, os.environ.get("ONLY", ""))
        os.chdir("/")


if __name__ == "__main__":
    main()
