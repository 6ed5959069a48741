# SPDX-License-Identifier: Apache-2.0
# @timeout: 90
"""Questions in SQL to a recording of dwell latency, as doc/recording.md has them: causes, percentiles by second, threads, who had the CPU, stacks; against
what dwell's own commands say of the same recording, and what the load did."""
import json
import os
import re
import sqlite3
import sys

import live

os.chdir(live.WORK)
with open("load.py", "w", encoding="utf-8") as f:
    f.write(
        """
import os, time
r, w = os.pipe()
if os.fork() == 0:
    for i in range(10):
        time.sleep(0.1)
        os.write(w, b"x")
    os._exit(0)
for i in range(10):
    os.read(r, 1)
end = time.monotonic() + 2
if os.fork() == 0:
    os.sched_setaffinity(0, {0})
    while time.monotonic() < end:
        pass
    os._exit(0)
os.sched_setaffinity(0, {0})
while time.monotonic() < end:
    pass
os.wait()
os.wait()
"""
    )
r = live.dwell(
    "latency",
    "offcpu",
    "wakeup",
    "--over",
    "1ms",
    "--idle",
    "--record",
    "q.dwell",
    "-c",
    f"{sys.executable} load.py",
    timeout=60,
)
live.check(r.returncode == 0, "recorded", r.stderr)
db = sqlite3.connect("q.dwell")
with open(os.path.join(os.environ["LIVE"], "../../doc/recording.md"), encoding="utf-8") as f:
    queries = [
        q for block in re.findall(r"^```sql\n(.*?)^```", f.read(), re.M | re.S) for q in block.split(";") if q.strip()
    ]


def ask(*words, all_rows=False):
    """The rows of the query that has these words, by column names; all_rows: also those beyond its LIMIT, since on a
    busy machine others wait for longer than the load does."""
    found = [q for q in queries if all(w in q for w in words)]
    live.same(len(found), 1, " ".join(words))
    cursor = db.execute(re.sub(r"\bLIMIT \d+\s*$", "", found[0]) if all_rows else found[0])
    return [dict(zip((c[0] for c in cursor.description), row)) for row in cursor]


causes = {row["cause"]: row for row in ask("AS cause")}
live.check(
    causes.get("read: data in a pipe", {}).get("events", 0) >= 10 and 900 <= causes["read: data in a pipe"]["total_ms"],
    "causes, in words",
    causes,
)
why = json.loads(
    [
        l
        for l in live.dwell("latency", "why", "--idle", "--json", "--top", "1000", "q.dwell").stdout.splitlines()
        if "latency-why" in l
    ][-1]
)
same = {c["cause"]: (c["count"], c["total_ns"] // 1000000) for c in why["causes"]}
# dwell tells waits on futexes apart by the arguments of the call, which the query does not read.
plain = {c: row for c, row in causes.items() if not c.startswith("futex")}
live.same(
    {c: (row["events"], row["total_ms"]) for c, row in plain.items()},
    {c: same[c] for c in plain if c in same},
    "as dwell latency why has them",
)

seconds = ask("p99_us")
profile = [json.loads(l) for l in live.dwell("latency", "profile", "--json", "q.dwell").stdout.splitlines()]
for tracker in ("offcpu", "wakeup"):
    whole = [p for p in profile if p["source"] == tracker]
    live.check(
        whole and sum(s["events"] for s in seconds if s["tracker"] == tracker) == max(p["count"] for p in whole),
        f"{tracker}: all events are in a second",
        (whole, seconds[:3]),
    )
live.check(
    len({s["time"] for s in seconds}) >= 2
    and all(re.fullmatch(r"\d\d:\d\d:\d\d", s["time"]) and s["p99_us"] <= s["max_us"] * 1.04 for s in seconds),
    "by second",
    seconds[:3],
)

threads = ask("AS tracker, comm, tid")
live.check(
    threads == sorted(threads, key=lambda t: -t["total_ms"])
    and any(t["tracker"] == "offcpu" and t["comm"] == "python3" for t in threads),
    "threads",
    threads[:5],
)
had = ask("had_the_cpu")
live.check(any(h["had_the_cpu"] == "python3" and h["events"] >= 1 for h in had), "who had the CPU", had)
stacks = ask("AS functions", all_rows=True)
live.check(
    any(re.search(r"pipe_read.* vfs_read ", s["functions"] or "") and s["events"] >= 10 for s in stacks),
    "stacks, by name, in their order",
    stacks[:3],
)
frames = db.execute("SELECT pos, addr, name FROM frame WHERE stack = 1 ORDER BY pos").fetchall()
blob = db.execute("SELECT frames FROM stack WHERE id = 1").fetchone()[0]
live.same(
    [f[1] & (1 << 64) - 1 for f in frames],
    [int.from_bytes(blob[i : i + 8], sys.byteorder) for i in range(0, len(blob), 8)],
    "addresses of a stack",
)
live.same(
    sum(1 for q in queries if db.execute(q).fetchall() is not None),
    len(queries),
    "all of the document's questions can be asked",
)
live.done()
