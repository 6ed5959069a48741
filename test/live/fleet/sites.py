# SPDX-License-Identifier: Apache-2.0
# @timeout: 180
"""Hosts of one name in two sites are two hosts, in sums, names and selections; tables of version 2, which took them for one, are copied by
dwell fleet init."""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import engines  # noqa: E402
import live  # noqa: E402

engines.needed()
os.chdir(live.WORK)
engines.sample("sample.dwell")
TABLES = ("hist", "hist_minute", "hist_ten", "hist_hour", "slow")


def fleet(*args):
    r = live.dwell("fleet", *args, env=env, timeout=120)
    live.check(r.returncode == 0, " ".join(args), r.stderr[-500:])
    return r.stdout


def lines(*args):
    return [json.loads(line) for line in fleet(*args, "--json").splitlines()]


def number(sql):
    return int(store.ask(sql)[0][0])


with engines.Nats(os.path.join(live.WORK, "nats")) as nats, engines.ClickHouse(
    os.path.join(live.WORK, "store")
) as store:
    env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
    fleet("init")
    # as version 2 made them
    for t in TABLES:
        made = store.ask(f"SHOW CREATE TABLE {t}")[0][0].replace("\\'", "'")
        live.check("time, site, host" in made, "sites are in the key of " + t, made)
        store.ask(f"DROP TABLE {t}")
        made = made.replace("time, site, host", "time, host")
        if t != "slow":  # nor `few`, `many` and `counts`, of version 6
            made = made[: made.index("few Array")].rstrip(" ,") + ")" + made[made.index(" ENGINE") :]
        store.ask(made)
    store.ask("TRUNCATE TABLE version")
    store.ask("INSERT INTO version VALUES (2, now())")
    store.ask(
        f"""INSERT INTO hist VALUES (today(), 'default', 'default', 'old', 'offcpu', '', now() - 30, 3, 30, 10, 0, [300, 301], [1, 70000])"""
    )
    store.ask(
        """INSERT INTO slow VALUES (today(), 'default', 'default', 'old', 'offcpu', now() - 30, 1, 77, '', 1, 1, 0, 'c', 'k', 'w', 'io', '', '', 'r', 1)"""
    )
    r = live.dwell("fleet", "latency", env=env, timeout=60)
    live.check(r.returncode == 1 and "dwell fleet init" in r.stderr, "tables of an older dwell", r.stderr)
    store.ask("CREATE TABLE hist_new (x UInt8) ENGINE = Memory")  # as an init leaves it that was killed
    store.ask("CREATE TABLE slow_old (x UInt8) ENGINE = Memory")
    for _ in range(2):
        fleet("init")
        live.same(
            sorted(t for (t,) in store.ask("SHOW TABLES")),
            sorted((*TABLES, "hist_all", "host", "host_history", "gap", "audit", "version")),
            "the tables",
        )
        live.same(
            [
                number("SELECT max(version) FROM version"),
                number("SELECT sum(count) FROM hist"),
                number("SELECT sum(delay) FROM slow"),
            ],
            [7, 3, 77],
            "rows are kept",
        )
    live.same(store.ask("SELECT counts FROM hist"), [["[1,70000]"]], "counts of old rows")
    live.check(all("site, host" in store.ask(f"SHOW CREATE TABLE {t}")[0][0] for t in TABLES), "the keys have sites")
    live.same(
        [(x["host"], x["count"]) for x in lines("latency", "--by-host", "--from", "2m")], [("old", 3)], "and are shown"
    )

    for site in ("default", "eu"):
        fleet("simulate", "--count", "4", "--back", "2m", "--site", site, "--for", "1s", "sample.dwell")
    collector = subprocess.Popen(
        [live.DWELL, "fleet", "collect"], env=env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    counts, end = [], time.monotonic() + 90
    while time.monotonic() < end and (len(counts) < 6 or counts[-1][0] < 10 or counts[-1] != counts[-6]):
        counts.append([number(f"SELECT count() FROM {t}") for t in ("hist", "slow")])
        time.sleep(0.3)
    collector.terminate()
    collector.wait(60)
    got = {x["host"]: x["count"] for x in lines("latency", "--by-host", "--tracker", "offcpu", "--from", "10m")}
    want = {
        (host if site == "default" else f"{site}/{host}"): int(n)
        for site, host, n in store.ask(
            "SELECT site, host, sum(count) FROM hist FINAL WHERE series = 'offcpu' GROUP BY site, host"
        )
    }
    live.same(got, want, "each by itself")
    live.check("web-00" in got or "web-01" in got, "names", sorted(got))
    name = sorted(n for n in got if "/" not in n and n != "old")[0]
    live.check(f"eu/{name}" in got, "one name twice", sorted(got))
    live.same(sum(x["hosts"] for x in lines("latency", "--tracker", "offcpu", "--from", "10m")), 9, "nine hosts")
    for selected, hosts in (
        (f"eu/{name}", {f"eu/{name}"}),
        (name, {name, f"eu/{name}"}),
        ("default/*", {n for n in got if "/" not in n}),
        ("site=eu", {n for n in got if "/" in n}),
    ):
        live.same(
            {
                x["host"]
                for x in lines("latency", "--by-host", "--tracker", "offcpu", "--from", "10m", "--hosts", selected)
            },
            hosts,
            "selected: " + selected,
        )
    live.check(
        name in {x["host"] for x in lines("top", "--by", "host", "--idle", "--from", "10m", "--except", f"eu/{name}")},
        "left out by its site",
    )
    live.check(
        f"eu/{name}" in fleet("heat", "--from", "10m", "--tracker", "offcpu", "--", "--by", "@offcpu", "--json"),
        "in pictures",
    )
live.done()
