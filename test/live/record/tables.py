# SPDX-License-Identifier: Apache-2.0
"""Summaries of a recording: histograms by second, spans, processes, costs; the SQL of doc/recording.md."""
import json
import os
import re
import sqlite3
import subprocess

import live

os.chdir(live.WORK)
F = "tables.dwell"
PROGRAM = """
syscall::lseek:entry /pid == $target && (int)arg0 == -1/ { @h[arg1 % 2] = hist(arg1); @l = lquantize(arg1, 0, 1000, 100); n++;
    @o[walltimestamp / 1000000000, arg1 % 2] = lquantize(walltimestamp % 1000000000 / 1000000, 0, 1000, 10); }
syscall::lseek:entry /pid == $target && n == 5/ { span("lane", "label", timestamp, 1000); }
"""
run = live.dwell("-q", "-x", "cost", "--record", F, "-n", PROGRAM, "-c", f"{live.TRIGGER} keys 300 20", timeout=40)
live.check(
    run.returncode == 0
    and re.search(r"cost of syscall:\S*:lseek:entry: \d+ runs?, \d+ ns each, \S+% of a CPU", run.stderr),
    "-x cost",
    run.stderr,
)


def table(name):
    r = live.dwell("report", "--table", name, "--json", F)
    live.check(r.returncode == 0 and r.stderr == "", f"report --table {name}", r.stderr)
    return [json.loads(l) for l in r.stdout.splitlines()]


hists = table("hist")
live.same(sum(h["count"] for h in hists if h["source"] == "h"), 6000, "every value is in one second's histogram")
live.same(sum(h["count"] for h in hists if h["source"] == "h" and h["key"] == "1"), 3000, "by key")
live.check(all(sum(h["buckets"].values()) == h["count"] for h in hists), "buckets add up")
live.check(
    all(abs(h["p50"] - 150) <= 5 for h in hists if h["source"] == "h" and h["count"] > 2000),
    "medians",
    str([(h["p50"], h["count"]) for h in hists]),
)
offsets = [h for h in hists if h["source"] == "o"]
live.same(sum(h["count"] for h in offsets), 6000, "offsets within the second, each in the slot of its own time")
wall = int(sqlite3.connect(F).execute("SELECT value FROM meta WHERE key = 'wall_off_ns'").fetchone()[0])
live.check(
    offsets and all((h["start"] + wall) % 1000000000 == 0 and h["key"] in "01" for h in offsets),
    "seconds of the wall clock",
    str(offsets)[:300],
)
spans = table("span")
live.check(len(spans) >= 1 and spans[0]["lane"] == "lane" and spans[0]["duration"] == 1000, "a span", str(spans))
procs = table("process")
target = [p["pid"] for p in procs if p["kind"] == "alive" and p["name"] == os.path.basename(live.TRIGGER)[:15]]
live.check(any(p["kind"] == "alive" and p["pid"] == 1 for p in procs), "who was there already", str(procs[:3]))
live.check(
    any(p["kind"] == "exit" and p["pid"] in target for p in procs), "the target was there and ended", str(procs[-20:])
)
costs = table("cost")
live.check(sum(c["run_cnt"] for c in costs) >= 6000 and all(c["run_ns"] > 0 for c in costs), "costs", str(costs))
live.same(table("slow") + table("control") + table("loss"), [], "nothing was slow or lost")
rep = live.dwell("report", F)
live.same(
    [l for l in rep.stderr.splitlines() if "cost of" in l],
    [l for l in run.stderr.splitlines() if "cost of" in l],
    "a report says the same costs",
)
r = live.dwell("report", "--json", F)
live.check(
    '{"action":"span","lane":"lane"' in r.stdout and '"type":"cost"' in r.stdout,
    "spans and costs in JSON",
    r.stdout[-500:],
)
r = live.dwell("report", "--table", "hist", F)
live.check(
    r.stdout.startswith("          start  source") and max(map(len, r.stdout.splitlines())) <= 80,
    "as text in 80 columns",
    r.stdout[:300],
)
r = live.dwell("report", "--table", "nonsense", F)
live.check(r.returncode == 1 and "there are slow, control, hist" in r.stderr, "no such table", r.stderr)
r = subprocess.run(f"{live.DWELL} report --table process {F} | head -1", shell=True, capture_output=True, text=True)
live.same((r.stdout.split()[0], r.stderr), ("time", ""), "into a closed pipe")

db = sqlite3.connect(F)
doc = open(os.path.join(os.environ["LIVE"], "../../doc/recording.md"), encoding="utf-8").read()
queries = [q for block in re.findall(r"^```sql\n(.*?)^```", doc, re.M | re.S) for q in block.split(";") if q.strip()]
rows = [db.execute(q).fetchall() for q in queries]
live.check(len(queries) >= 8, "the document has examples")
live.same(sum(r[2] for r in rows[0]), 6000, "percentiles by second")
live.same(sum(r[3] for r in rows[1]), 6000, "cells of a heat map")
live.same(sum(r[2] for r in rows[2]), 6000, "cells by minute")
lanes = rows[[i for i, q in enumerate(queries) if "FROM span" in q][0]]
live.check(lanes and lanes[0][2] == len(spans), "spans by lane", str(lanes))
live.done()
