# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
"""dwell fleet latency over a long range: minutes, tens of minutes and hours that are added up give exactly what the seconds have; what
comes late, or twice, too."""
import base64
import collections
import json
import os
import subprocess
import sys
import time
import zlib

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import engines  # noqa: E402
import live  # noqa: E402

engines.needed()
os.chdir(live.WORK)
engines.sample("sample.dwell")
NEWEST = """SELECT series, host, time, max(count) AS c, max(sum) AS s, max(max) AS m FROM hist WHERE time >= toDateTime({}) AND time < toDateTime({})
 GROUP BY tenant, series, host, key, time"""


def collect_until(enough, seconds=90):
    """Runs a collector until enough() is true, and ends it. Whether it was."""
    p = subprocess.Popen(
        [live.DWELL, "fleet", "collect"],
        env=env,
        stdin=subprocess.DEVNULL,
        stderr=open("collect.log", "a", encoding="utf-8"),
    )
    end = time.monotonic() + seconds
    while time.monotonic() < end and not enough():
        time.sleep(0.3)
    p.terminate()
    p.wait(60)
    return time.monotonic() < end


def number(sql):
    return int(store.ask(sql)[0][0])


def added_up():
    """Minutes, tens and hours have as many events as the seconds of whole ones."""
    return all(
        number(
            f"SELECT sum(count) FROM {table} FINAL WHERE time >= toDateTime({begun}) AND time < toDateTime({(now - 60) // n * n})"
        )
        == number(
            f"SELECT sum(count) FROM hist FINAL WHERE time >= toDateTime({begun}) AND time < toDateTime({(now - 60) // n * n})"
        )
        for table, n in (("hist_minute", 60), ("hist_ten", 600), ("hist_hour", 3600), ("hist_all", 60))
    )


def check(what, *args):
    """The minutes first … last: asked for from the middle of one to the middle of another."""
    at = time.time()
    r = live.dwell(
        "fleet",
        "latency",
        "--json",
        *args,
        "--from",
        f"{at - first + 30:.0f}s",
        "--to",
        f"{at - last + 30:.0f}s",
        env=env,
        timeout=60,
    )
    by_host = "--by-host" in args
    got = sorted(
        (row["tracker"], row["host"] if by_host else row["hosts"], row["count"], row["max"])
        for row in map(json.loads, r.stdout.splitlines())
    )
    who = "host" if by_host else "uniqExact(host)"
    group = "series, host" if by_host else "series"
    want = sorted(
        (n, h if by_host else int(h), int(c), int(m))
        for n, h, c, m in store.ask(
            f"SELECT series, {who}, sum(c), max(m) FROM ({NEWEST.format(first, last)}) GROUP BY {group}"
        )
    )
    live.check(want and want[-1][2] > 10000, "there is something", want)
    live.same(got, want, what)


TOGETHER = """SELECT series, time, sum(count), sum(sum), max(max), tupleElement(sumMap(buckets, counts), 1), tupleElement(sumMap(buckets, counts), 2)
 FROM {} FINAL WHERE time >= toDateTime({}) AND time < toDateTime({}) GROUP BY series, time ORDER BY series, time"""


def diffs():
    """What changed, as diff tells it: a host against the rest, and all hosts against some time before."""
    at = time.time()
    span = ("--from", f"{at - begun:.0f}s", "--to", f"{at - begun - 1920:.0f}s", "--all", "--json")
    given = []
    for what in (("--hosts", "web-01"), ("--earlier", "20m")):
        r = live.dwell("fleet", "diff", *what, *span, env=env, timeout=60)
        live.check(r.returncode == 0 and '"diff"' in r.stdout, "diff " + what[0], r.stdout[:300] + r.stderr)
        given.append(r.stdout)
    return given


def all_together():
    """The minutes of all hosts together are their sums. diff, which reads them, tells the same without them; and when they are not what the
    hosts' rows are, it does not take them. That it reads them shows where counts and sums fit, and buckets do not."""
    live.same(
        store.ask(TOGETHER.format("hist_all", first, last)),
        store.ask(TOGETHER.format("hist_minute", first, last)),
        "all hosts together, bucket by bucket",
    )
    live.same(store.ask("SELECT DISTINCT site, host, key FROM hist_all"), [["", "", ""]], "without their names")
    columns = "day, tenant, site, host, series, key, time, count, sum, max, flags, bucket, few, many_bucket, many"
    with_them = diffs()
    store.ask(f"CREATE TABLE kept ENGINE = Memory AS SELECT {columns} FROM hist_all FINAL")
    for what, change, same in (
        ("minutes that are there twice", "{0}", True),
        ("none", None, True),
        ("other counts", "{0}", True),
        ("other buckets", "{0}", False),
    ):
        if what != "minutes that are there twice":
            store.ask("TRUNCATE TABLE hist_all")
        put = columns
        if what == "other counts":
            put = columns.replace(" count,", " count + 1,")
        if what == "other buckets":
            put = columns.replace(" bucket,", " arrayMap(x -> toUInt16(x + 64), bucket),").replace(
                " many_bucket,", " arrayMap(x -> toUInt16(x + 64), many_bucket),"
            )
        if change:
            store.ask(f"INSERT INTO hist_all ({columns}) SELECT {put} FROM kept")
        got = diffs()
        live.check((got[1] == with_them[1]) == same, "all hosts, before and after: " + what, (got[1], with_them[1]))
        if same:
            live.same(got[0], with_them[0], "a host and the rest: " + what)
    store.ask("TRUNCATE TABLE hist_all")
    store.ask(f"INSERT INTO hist_all ({columns}) SELECT * FROM kept")
    store.ask("DROP TABLE kept")


def pairs(numbers, n):
    for _ in range(n):
        yield next(numbers), next(numbers)


def drawn(heat):
    """What a heat map shows of each key: how many events, by column."""
    numbers, n, shift, ret = [], 0, 0, {}
    for byte in zlib.decompress(base64.b64decode(heat["cells"])):
        n, shift = n | (byte & 127) << shift, shift + 7
        if byte < 128:
            numbers.append(n)
            n = shift = 0
    numbers = iter(numbers)
    for key in heat["keys"]:
        at, columns = 0, collections.Counter()
        for distance, count in pairs(numbers, next(numbers)):
            at += distance
            columns[at // heat["rows"]] += count
        ret[key] = columns
    return ret


def many_hosts():
    """Of 40 hosts a heat map has those apart that are named and that have most events. The others are together: nothing is lost."""
    columns = "series, key, time, count, sum, max, flags, bucket, few, many_bucket, many"
    store.ask(
        f"""INSERT INTO hist_minute (day, tenant, site, host, {columns}) SELECT day, 'copies', site, concat('copy-', toString(10 + n)), {columns}
 FROM (SELECT * FROM hist_minute FINAL WHERE host = 'web-01' AND series = 'offcpu') ARRAY JOIN range(40) AS n WHERE intDiv(toUInt32(time), 60) % 40 >= n"""
    )
    store.ask("OPTIMIZE TABLE hist_minute FINAL")
    args = ("--from", "1h", "--tenant", "copies", "--", "--by", "offcpu", "--highlight", "copy-49", "--json")
    heat = json.loads(live.dwell("fleet", "heat", *args, env=env, timeout=60).stdout)
    begin = int(heat["begin"]) // 1000
    want = collections.defaultdict(collections.Counter)
    for host, column, count in store.ask(
        f"""SELECT host, intDiv(toUInt32(time) - {begin}, 60) AS minute, sum(count) FROM hist_minute FINAL WHERE tenant = 'copies'
 AND time >= toDateTime({begin}) AND time < toDateTime({begin + 60 * heat["columns"]}) GROUP BY host, minute"""
    ):
        want[host][int(column)] += int(count)
    order = sorted(want, key=lambda host: (host != "copy-49", -want[host].total(), host))
    live.check(len(order) == 40 and heat["columns"] > 50, "there is something", (len(order), heat["columns"]))
    live.same(heat["keys"], order[:24] + ["other"], "its keys, most first")
    rest = sum((want[host] for host in order[24:]), collections.Counter())
    live.same(drawn(heat), {**{host: want[host] for host in order[:24]}, "other": rest}, "all events, minute by minute")


with engines.Nats(os.path.join(live.WORK, "nats")) as nats, engines.ClickHouse(
    os.path.join(live.WORK, "store")
) as store:
    env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
    live.same(live.dwell("fleet", "init", env=env, timeout=60).returncode, 0, "init")
    r = live.dwell(
        "fleet", "simulate", "--count", "2", "--back", "119m", "--for", "5s", "sample.dwell", env=env, timeout=120
    )
    live.same(r.returncode, 0, "simulated hosts: " + r.stderr[-300:])
    r = live.dwell("fleet", "simulate", "--back", "121m", "--for", "1s", "sample.dwell", env=env)
    live.check(r.returncode == 1 and "two hours" in r.stderr, "more of the past than there may be", r.stderr)
    seconds = "SELECT count() FROM hist WHERE series = 'offcpu'"
    # Less than an hour would be asked of the seconds: then the question's ends would have to be those of the answer.
    live.check(collect_until(lambda: number(seconds) >= 2 * 119 * 60), "stored", number(seconds))
    now = int(time.time())
    begun = (number("SELECT toUInt32(min(time)) FROM hist") // 3600 + 1) * 3600
    live.check(
        collect_until(added_up),
        "added up",
        store.ask("SELECT table, sum(rows) FROM system.parts WHERE active GROUP BY table"),
    )
    first, last = begun - 300, (now - 180) // 60 * 60
    check("all hosts")
    check("each host", "--by-host")
    all_together()
    for table in ("hist_minute", "hist_ten", "hist_hour")[: 3 if begun + 3600 < now - 60 else 2]:
        live.check(number(f"SELECT count() FROM {table}") > 0, "there are rows in " + table)
        store.ask(f"INSERT INTO {table} SELECT * FROM {table}")
    check("rows that are there twice count once")
    for view in ("heat", "hist"):
        r = live.dwell(
            "fleet", view, "--from", "1h", "--tracker", "offcpu", "--", "--by", "@offcpu", "--json", env=env, timeout=60
        )
        live.check(
            r.returncode == 0 and ("web-01" in r.stdout or view == "hist"),
            view + " of minutes",
            r.stdout[:200] + r.stderr,
        )
    # a second that comes late
    late = begun + 65
    store.ask(
        f"""INSERT INTO hist (day, tenant, site, host, series, key, time, count, sum, max, flags, bucket, few, many_bucket, many) SELECT day, tenant, site, host,
 'late', key, time, count + 255 * length(bucket), sum, max, flags, bucket, arrayMap(x -> 255, few), bucket, counts FROM hist
 WHERE series = 'offcpu' AND time = toDateTime({late})"""
    )
    live.check(
        number(f"SELECT sum(count) FROM hist WHERE series = 'late' AND time = toDateTime({late})") > 0, "a late second"
    )
    live.check(collect_until(added_up), "added up again")
    total = "SELECT sum(arraySum(counts)), sum(count) FROM {} FINAL WHERE series = 'late'"
    live.same(
        [store.ask(total.format(table)) for table in ("hist_minute", "hist_ten")],
        2 * [store.ask(total.format("hist"))],
        "counts that two bytes do not hold",
    )
    check("what came late")
    many_hosts()
live.done()
