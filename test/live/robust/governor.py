# SPDX-License-Identifier: Apache-2.0
# @timeout: 150
# @long: waits for loads to come and go
"""-x maxcpu detaches what costs more, and says so; with a generous limit nothing happens; what was detached comes back when the load has gone."""
import os
import re
import sqlite3
import sys

import live

r = live.dwell(
    "-q",
    "-x",
    "maxcpu=0.01%",
    "-n",
    "syscall:::entry { @[execname, probefunc, ustack(), stack()] = count(); }",
    "-n",
    "tick-4s { exit(0); }",
    "-c",
    live.TRIGGER + " rate 200000 5000",
    timeout=30,
)
live.check("maxcpu" in r.stderr or "detached" in r.stderr, "too dear: detached, with a message", r.stderr[:500])
# What is not measured any more is said by the files that had clauses there, in every one's words.
files = []
for name in ("one", "two", "other"):
    files.append(os.path.join(live.WORK, name + ".d"))
    with open(files[-1], "w", encoding="utf-8") as f:
        f.write(
            "tick-4s { exit(0); }\n"
            if name == "other"
            else "syscall:::entry { @%s[execname, probefunc, ustack(), stack()] = count(); }\n" % name
        )
r = live.dwell(
    "-q",
    "-x",
    "maxcpu=0.01%",
    "-s",
    files[0],
    "-s",
    files[2],
    "-s",
    files[1],
    "-c",
    live.TRIGGER + " rate 200000 5000",
    timeout=30,
)
live.check(
    "maxcpu: detached syscall" in r.stderr and " (one.d, two.d): it used" in r.stderr,
    "whose clauses they were",
    r.stderr[:500],
)
r = live.dwell(
    "-q", "-x", "maxcpu=90%", "-n", "syscall::getppid:entry { @ = count(); } tick-2s { exit(0); }", timeout=30
)
live.check("detached" not in r.stderr, "cheap enough: nothing happens", r.stderr[:500])

# The ends of a tracker's events go: neither what was open then nor what was begun meanwhile ends as a long delay when they are back.
CALLS = """
import os, time
end = time.monotonic() + 6
while time.monotonic() < end: os.getppid()
while True: os.getppid(); time.sleep(0.05)
"""
calls, recording, metrics = (os.path.join(live.WORK, name) for name in ("calls.py", "back.dwell", "back.prom"))
with open(calls, "w", encoding="utf-8") as f:
    f.write(CALLS)
r = live.dwell(
    "-q",
    "-x",
    "maxcpu=15%",
    "-x",
    "record=" + recording,
    "-x",
    "metrics=" + metrics,
    "-n",
    """
tracker call { threshold = 1s; }
syscall::getppid:entry /pid == $target && !pending(call)/ { begin(call); }
syscall::getppid:return /pid == $target/ { @[stack(), ustack()] = count(); @more[stack(50), ustack(100)] = count(); end(call); }
latency:call::slow { printf("slow %d\\n", args[0]->delay); }
latency:call::all { ended++; }
tick-1s { printf("%d ended\\n", ended); ended = 0; }
tick-24s { exit(0); }""",
    "-c",
    sys.executable + " " + calls,
    timeout=90,
)
off, back = re.search(r"maxcpu: detached syscall:\S*:getppid:return", r.stderr), re.search(
    r"maxcpu: attached syscall:\S*:getppid:return again: not measured for ([0-9.]+) s", r.stderr
)
live.check(off and back and off.start() < back.start(), "taken off, and put back", r.stderr[:1000])
live.check("slow" not in r.stdout, "no delay is as long as the time without probes", r.stdout)
by_second = [int(n) for n in re.findall(r"(\d+) ended", r.stdout)]
zero = [i for i, n in enumerate(by_second) if n == 0]
live.check(
    len(zero) >= 8 and sum(by_second[zero[-1] + 1 :]) > 0,
    "nothing is counted meanwhile, and everything behind it",
    by_second,
)
with sqlite3.connect(recording) as db:
    notes = db.execute("SELECT id, ts, count, probe FROM row WHERE kind = 4 AND id IN (2, 3) ORDER BY seq").fetchall()
taken = {(ts, probe) for kind, ts, _, probe in notes if kind == 2}
live.check(
    taken and any(n[0] == 3 for n in notes) and all((n[1] - n[2], n[3]) in taken for n in notes if n[0] == 3),
    "the recording has both moments",
    notes,
)
with open(metrics, encoding="utf-8") as f:
    text = f.read()
live.check(
    re.search(r"^dwell_detached_programs \d", text, re.M)
    and int(re.search(r"^dwell_detachments_total (\d+)", text, re.M)[1]) >= 1,
    "and so have the metrics",
    text[-600:],
)
live.done()
