# SPDX-License-Identifier: Apache-2.0
# @timeout: 90
"""dwell record has everything in one file, for each view: samples, waits, system calls, requests to disks, packets; --start begins then."""
import datetime
import json
import os
import re
import sys
import time

import live

os.chdir(live.WORK)
WRITES = 40
with open("load.py", "w", encoding="utf-8") as f:
    f.write(
        f"""import json, os, time
fd = os.open("data", os.O_CREAT | os.O_WRONLY | os.O_DSYNC)
took = []
for i in range({WRITES}):
    t = time.monotonic(); os.write(fd, bytes(8192)); took.append(time.monotonic() - t)
def spin():
    end = time.process_time() + 1
    while time.process_time() < end: sum(range(1000))
spin()
before = time.monotonic()
pid = os.fork()
if pid == 0:
    time.sleep(0.4); os._exit(0)
os.waitpid(pid, 0)
print(json.dumps({{"writes": sum(t > 0.00015 for t in took), "wait": time.monotonic() - before, "cpu": time.process_time()}}))
"""
    )
r = live.dwell("record", "-o", "all.dwell", "--", sys.executable, "load.py", timeout=60)
live.same(r.returncode, 0, "it ends with its command: " + r.stderr)
truth = json.loads(r.stdout[r.stdout.index("{") :])


def folded(*args):
    """Weight by stack."""
    out = live.dwell("export", "--format", "folded", *args, "all.dwell")
    live.same(out.returncode, 0, "exported: " + out.stderr)
    return [(k, int(v)) for k, v in re.findall(r"^(.*) (\d+)$", out.stdout, re.M)]


samples = folded("--by", "on_cpu_samples")
spin = sum(n for stack, n in samples if "spin" in stack)
missed = sum(int(n) for n in re.findall(r"(\d+) timer firings missed", r.stderr))
live.check(0.6 * 99 - missed <= spin <= 1.2 * 99, "samples: the function has its share", (spin, missed, truth))
waits = folded("--by", "state")
waited = sum(n for stack, n in waits if "do_wait" in stack) / 1e9
live.check(0.39 <= waited <= truth["wait"] + 0.01, "waits: for the child as long as it says", (waited, truth))
svg = live.dwell("flame", "--off-cpu", "--svg", "all.dwell").stdout
live.check("idle waits left out: 4" in svg and "do_nanosleep" not in svg, "waits: the child's sleep is idle", svg[:600])
live.check("do_nanosleep" in live.dwell("flame", "--off-cpu", "--idle", "--svg", "all.dwell").stdout, "--idle: with it")
ask = live.dwell(
    "sql",
    "--json",
    "all.dwell",
    "select tracker, json_extract(attributes_json, '$.syscall') as call, count(*) as n from slow_events group by 1, 2",
)
rows = {(o["tracker"], o["call"]): o["n"] for o in map(json.loads, ask.stdout.splitlines())}
live.check(
    truth["writes"] <= rows.get(("syscall", "write"), 0) <= WRITES + 1, "system calls: its slow writes", (rows, truth)
)
live.check(rows.get(("block", None), 0) >= WRITES, "requests: one a write at least", rows)
for mode, title in ("--on-cpu", "on_cpu_samples"), ("--off-cpu", "state"):
    r = live.dwell("flame", mode, "--json", "all.dwell")
    live.check(
        r.returncode == 0 and title in live.dwell("flame", mode, "--html", "all.dwell").stdout,
        f"flame {mode} FILE",
        r.stderr,
    )
live.same(
    live.dwell("flame", "--off-cpu", "-o", "x.svg", "--for", "1s", "all.dwell").returncode, 2, "or record, not both"
)
r = live.dwell("flame", "--wakeup", "all.dwell")
live.check(
    r.returncode == 1 and "'wakeup_ns' has no stacks; what has: @on_cpu_samples, state" in r.stderr,
    "not in it",
    r.stderr,
)
r = live.dwell("timeline", "--text", "all.dwell")
live.check(
    "python3" in r.stdout and "lost" not in r.stdout, "a missed sample is no loss in the timeline", r.stdout[:2000]
)

lanes = re.findall(r"^(\S+) +[\d,]+ intervals, ", r.stdout, re.M)
live.check(
    {"syscall", "block"} <= set(lanes) and len(lanes) == len(set(lanes)),
    "a lane is one line, though its intervals overlap",
    lanes,
)

# Of the whole machine, with packets; at the next second of the clock.
began = time.time()
r = live.dwell("record", "--start", "/1s", "--for", "500ms", "-o", "whole.dwell", timeout=50)
live.same(r.returncode, 0, "the whole machine: " + r.stderr)
told = live.dwell("sql", "--json", "whole.dwell", "select begun_wall as at from session").stdout
when = datetime.datetime.fromisoformat(json.loads(told)["at"] + "+00:00").timestamp()
live.check(int(when) > int(began) and when < began + 20, "it began after the second was full", (began, when))
names = live.dwell("sql", "whole.dwell", "select name from tracker").stdout.split()
live.check({"state", "syscall", "block", "netrx", "nettx"} <= set(names), "all trackers are in it", names)
r = live.dwell("record", "--start", "+30s", "-o", "whole.dwell", timeout=20)
live.check(r.returncode == 1 and "File exists" in r.stderr, "a file that is there is told before the wait", r.stderr)
for wrong in "@12:61", "+40d", "soon", "@1":
    r = live.dwell("record", "--start", wrong, "-o", "never.dwell", timeout=20)
    live.check(r.returncode == 2 and "--start" in r.stderr, f"--start {wrong} is refused", (r.returncode, r.stderr))
live.done()
