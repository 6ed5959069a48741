# SPDX-License-Identifier: Apache-2.0
# @timeout: 180
"""dwell fleet: what a daemon records arrives in the store exactly once, although the collector, NATS and ClickHouse are killed
in between; questions give what the recording has."""
import json
import os
import re
import signal
import sqlite3
import subprocess
import time

import engines
import live

engines.needed()
os.chdir(live.WORK)
SECOND = "period = 1000000000"
recorded = """SELECT name, sum(count) FROM hist JOIN hist_source ON hist_source.id = hist.source WHERE period = 1000000000 GROUP BY name"""
NEWEST = "SELECT series, time, max(count) AS c FROM hist GROUP BY tenant, host, series, key, time"


def fleet(*args, **kw):
    return live.dwell("fleet", *args, timeout=60, env=env, **kw)


def start(*args):
    return subprocess.Popen(
        [live.DWELL, "fleet", *args],
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=open(args[0] + ".log", "a", encoding="utf-8"),
    )


# without the engines: what is missing, and where
env = {**os.environ}
r = fleet("init")
live.check(r.returncode == 2 and "--fleet nats://HOST:PORT is missing" in r.stderr, "no address", r.stderr)
r = fleet("init", "--fleet", "nats://127.0.0.1:1", "--store", "http://127.0.0.1:1")
live.check(r.returncode == 1 and "cannot connect to NATS at nats://127.0.0.1:1" in r.stderr, "nobody there", r.stderr)
r = fleet("nosuch")
live.check(r.returncode == 2 and "no command 'fleet nosuch'" in r.stderr, "no such command", r.stderr)
r = fleet("host", "--fleet", "nats://127.0.0.1:1", "--name", "a b")
live.check(r.returncode == 1 and "is no name of a tenant, site or host" in r.stderr, "a bad name", r.stderr)

with engines.Nats(os.path.join(live.WORK, "nats")) as nats, engines.ClickHouse(
    os.path.join(live.WORK, "store")
) as store:
    env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
    r = fleet("latency")
    live.check(r.returncode == 1 and "`dwell fleet init` makes them" in r.stderr, "no tables yet", r.stderr)
    live.same([fleet("init", "--again", "2s").returncode for _ in range(2)], [0, 0], "init, twice")
    # a sender that is there first finds recordings without any histogram yet
    early = start("host", "--state", "early", "--name", "early")
    with live.Daemon("offcpu", state="early"):
        p = start("collect")
        end = time.monotonic() + 30
        while time.monotonic() < end and store.ask("SELECT count() FROM hist") == [["0"]]:
            time.sleep(0.2)
        live.check(
            store.ask("SELECT count() FROM hist WHERE host = 'early'") != [["0"]],
            "histograms of a recording that had none at first",
            open("host.log", encoding="utf-8").read(),
        )
        early.terminate()
        early.wait()
        # All that it sent is to be stored before the tables are emptied: nothing of it may come later.
        sent = re.search(r"sent (\d+) histograms and (\d+) slow", open("host.log", encoding="utf-8").read())
        stored = "SELECT (SELECT count() FROM hist FINAL), uniqExact(tracker, recording, id) FROM slow"
        end = time.monotonic() + 60
        while time.monotonic() < end and store.ask(stored) != [list(sent.groups())]:
            time.sleep(0.2)
        live.same(store.ask(stored), [list(sent.groups())], "all that the early sender sent")
        p.terminate()
        p.wait()
    for table in ("hist", "slow", "host"):
        store.ask("TRUNCATE TABLE " + table)
    with live.Daemon("offcpu", "wakeup", "syscall", "--over", "20ms") as d:
        host = start("host", "--state", "state", "--name", "web1.example", "--label", "role=web", "--label", "rack=7")
        collector = start("collect")
        load = subprocess.Popen(["sh", "-c", "for i in $(seq 200); do sleep 0.03; done"])
        time.sleep(2)
        collector.kill()  # with whatever it had in its hands
        collector.wait()
        collector, other = start("collect"), start("collect")
        time.sleep(1)
        nats.kill()
        time.sleep(1)
        nats.start()
        store.kill()
        host.kill()  # and the host's sender, somewhere within a turn
        host.wait()
        store.start()
        time.sleep(1)
        load.wait()
        live.same(d.end(), 0, "the daemon ends")
        files = d.files()
    r = fleet(
        "host", "--state", "state", "--name", "web1.example", "--label", "role=web", "--label", "rack=7", "--once"
    )
    live.check(r.returncode == 0 and "sent" in r.stderr, "the rest is sent", r.stderr)
    with sqlite3.connect(files[0]) as db:
        want = sorted((n, int(c)) for n, c in db.execute(recorded))
        slow = db.execute("SELECT count(*) FROM slow WHERE how <> 'control'").fetchone()[0]
    live.check(len(want) == 3 and all(c > 0 for _, c in want) and slow > 50, "there is something", (want, slow))

    def sums():
        return [
            (n, int(c)) for n, c in store.ask(f"SELECT series, sum(c) FROM ({NEWEST}) GROUP BY series ORDER BY series")
        ]

    def slows():
        return int(store.ask("SELECT uniqExact(host, recording, id) FROM slow")[0][0])

    end = time.monotonic() + 75  # messages of the killed collector come again after a minute
    while time.monotonic() < end and (sums() != want or slows() != slow):
        time.sleep(0.5)
    live.same(sums(), want, "each second of each tracker, exactly once")
    live.same(slows(), slow, "each slow event, once")
    for p in (collector, other):
        p.send_signal(signal.SIGTERM)
        live.check(p.wait(30) == 0, "a collector ends", open("collect.log", encoding="utf-8").read())

    r = fleet("hosts", "--json")
    h = json.loads(r.stdout)
    live.same((h["host"], h["labels"], h["gap_s"]), ("web1.example", "role=web,rack=7", 0), "the host")
    r = fleet("latency", "--json")
    got = {row["tracker"]: row for row in map(json.loads, r.stdout.splitlines())}
    live.same(sorted((n, row["count"]) for n, row in got.items()), want, "latency has the same counts")
    with sqlite3.connect(files[0]) as db:
        top = db.execute(
            f"SELECT max(max) FROM hist JOIN hist_source ON hist_source.id = hist.source WHERE {SECOND} AND name = 'syscall'"
        ).fetchone()[0]
    row = got["syscall"]
    live.check(
        row["max"] == top and 0 < row["p50"] <= row["p99"] <= row["max"] and row["hosts"] == 1, "its percentiles", row
    )
    live.same(fleet("latency", "--hosts", "web*", "--json").stdout, r.stdout, "by name")
    live.same(fleet("latency", "--hosts", "role=web,rack=7", "--json").stdout, r.stdout, "by labels")
    live.check("nothing in this range" in fleet("latency", "--hosts", "db*").stderr, "another name")
    live.check("nothing in this range" in fleet("latency", "--hosts", "role=db").stderr, "another label")
    live.check("nothing in this range" in fleet("latency", "--hosts", "x' OR '1'='1").stderr, "SQL in a name is a name")
    r = fleet("latency", "--by-host", "--json")
    live.same(
        sorted((row["tracker"], row["host"], row["count"]) for row in map(json.loads, r.stdout.splitlines())),
        [(n, "web1.example", c) for n, c in want],
        "each host by itself",
    )
    # What is stored twice is added up in another way than what is not.
    questions = (
        ("latency", "--json"),
        ("why", "--idle", "--json"),
        ("top", "--idle", "--json", "--by", "host,tracker,comm,key"),
        ("top", "--idle", "--json", "--by", "cause"),
        ("flame", "--idle"),
        ("heat", "--", "--by", "@offcpu", "--json"),
    )

    def answers():
        given = [fleet(q[0], "--from", "10m", *q[1:]).stdout for q in questions]
        return [*given, fleet("query", f"slow\nfrom={begun - 600:.0f}\nto={begun:.0f}").stdout]

    def twice(table, key):
        return int(store.ask(f"SELECT count() - uniqExact(cityHash64({key})) FROM {table}")[0][0])

    begun = time.time()
    store.ask("SYSTEM STOP MERGES")
    before = answers()
    live.check(all(before), "all questions are answered", [a[:80] for a in before])
    for table, key in (("hist", "series, host, key, time"), ("slow", "tracker, host, recording, id")):
        store.ask(f"INSERT INTO {table} SELECT * FROM {table}")
        live.check(twice(table, key) > 0, "there are rows twice in " + table)
    for question, was, now in zip((*questions, ["slow events"]), before, answers()):
        live.same(now, was, " ".join(question) + ": rows that are stored twice count once")
    store.ask("SYSTEM START MERGES")
    r = fleet("why", "--idle", "--json", "--top", 1000)
    rows = [json.loads(line) for line in r.stdout.splitlines()]
    live.same(sum(row["events"] for row in rows), slow, "why: all slow events")
    live.check(any("sleep" in row["cause"] for row in rows), "and their causes", rows)
    live.check("sleep" not in fleet("why").stdout, "idle ones only on demand")
    stacks = fleet("flame", "--idle").stdout
    live.check(
        re.search(r"^sleep;vmlinux`\S+;.*schedule\S* \d+$", stacks, re.M), "stacks, the outermost first", stacks[:2000]
    )
    r = fleet("heat", "--", "--by", "@offcpu", "--json")
    live.check(r.returncode == 0 and "web1.example" in r.stdout, "a heat map, by host", r.stdout[:300] + r.stderr)
    r = fleet("heat", "--hosts", "db*", "--", "--by", "@offcpu", "--json")
    live.check(r.returncode == 1 and "nothing in this range" in r.stderr, "an empty one is said", r.stderr)
    live.check(not [f for f in os.listdir("/tmp") if f.startswith("dwell-fleet-")], "no folder stays")
live.done()
