# SPDX-License-Identifier: Apache-2.0
# @timeout: 100
"""dwell replay --record: what a D program says of a recorded program becomes a recording, which report, timeline, hist and flame show, with the times of
then."""
import json
import os
import re
import subprocess
import sys
import time

import live

TRACE, OUT, STACKS = (os.path.join(live.WORK, x) for x in ("trace", "calls.dwell", "stacks.dwell"))
CALLS = (
    'syscall:::entry { self->t = timestamp; } syscall:::return /self->t/ { span(execname, probefunc, self->t, timestamp - self->t);'
    ' @q[probefunc] = quantize(timestamp - self->t); self->t = 0; }'
)


def run(*args):
    return subprocess.run(
        [live.DWELL, *args], capture_output=True, timeout=60, check=False, stdin=subprocess.DEVNULL, text=True
    )


then = time.time()
r = run("rec", "-q", "-o", TRACE, "--", "sh", "-c", "sleep 0.2; sort -R /etc/passwd >/dev/null")
live.check(r.returncode == 0, "recorded", r)
time.sleep(1.1)
p = run("replay", "--record", OUT, "-q", "-n", CALLS, TRACE)
q = run("report", OUT)
live.check(
    p.returncode == 0 and not p.stderr and p.stdout and p.stdout.split() == q.stdout.split(),
    "report says what was said",
    f"{p.stderr} {q}",
)
t = run("timeline", "--svg", OUT)
live.check(
    all(f">{x}<" in t.stdout for x in ("sh", "sleep", "sort", "Spans")),
    "timeline has a lane for each program",
    t.stderr,
)
begun = run("sql", "--json", OUT, "SELECT begun_wall FROM session")
wall = json.loads(begun.stdout)
text = json.dumps(wall)
live.check(
    time.strftime("%Y-%m-%d %H:%M", time.gmtime(then)) in text
    or time.strftime("%Y-%m-%d %H:%M", time.gmtime(then + 1)) in text,
    "its times are those of then",
    begun,
)
h = json.loads(run("hist", "--json", OUT).stdout)
live.check(h["series"], "hist draws its distributions", h)
p = run("replay", "--record", OUT, "-q", "-n", CALLS, TRACE)
live.check(p.returncode == 1 and "exist" in p.stderr, "no recording is overwritten", p)
p = run(
    "replay",
    "-q",
    "--record",
    STACKS,
    "-n",
    "pid$target::read:entry, pid$target::malloc:entry { @[ustack()] = count(); }",
    TRACE,
)
f = run("flame", STACKS)
live.check(
    p.returncode == 0 and f.returncode == 0 and "<title>malloc" in f.stdout,
    "flame draws stacks of functions, with names",
    f"{p.stderr} {f.stderr}",
)
t = run("timeline", "--svg", TRACE)
live.check(
    t.returncode == 0 and all(f">{x}<" in t.stdout for x in ("sh", "sleep", "sort", "Spans")),
    "timeline draws a trace by itself",
    t.stderr,
)
f = run("flame", TRACE)
live.check(
    f.returncode == 0
    and "<title>clock_nanosleep" in f.stdout
    and "Time in system calls" in f.stdout
    and re.search(r"<title>clock_nanosleep\n[^<]*\n[\d.]+ m?s, ", f.stdout)
    and "span" not in f.stderr,
    "flame draws the time in system calls of a trace",
    f.stderr,
)
p = run("replay", "-x", "metrics=" + os.path.join(live.WORK, "m"), "-n", "BEGIN { }", TRACE)
live.check(p.returncode == 1 and "cannot be written as metrics" in p.stderr, "metrics are refused", p)
sys.exit(live.failures > 0)
