# SPDX-License-Identifier: Apache-2.0
# @timeout: 100
"""dwell replay --record: what a D program says of a recorded program becomes a recording, which report, timeline, hist and flame show, with the times of
then. All views show a trace by itself: its system calls as they took then, and its waits with their causes."""
import json
import os
import re
import subprocess
import sys
import time

import live
import traces

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
r = run("rec", "-q", "-o", TRACE, "--", "sh", "-c", "(sleep 0.2; cat /etc/passwd) | sort -R >/dev/null")
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
live.check("read: data in a pipe" in t.stdout and ">Threads<" in t.stdout, "a wait is drawn with its cause", t.stderr)
t = run("timeline", "--processes", "--text", TRACE)
live.check(all(x in t.stdout for x in ("sh ", "cat ", "sort ")), "timeline draws the processes of a trace", t)


def rows(*args):
    r = run(*args)
    live.check(r.returncode == 0 and not r.stderr, f"{' '.join(args[:-1])} takes a trace", r)
    return [json.loads(x) for x in r.stdout.splitlines()]


# The same waits as told by --waits, which makes no recording.
waits = rows("replay", "--waits", "--json", TRACE)
piped = [x for x in waits if x["thread"] == "sort" and x["until"] == "write"]
slow = [x for x in rows("latency", "--json", "--idle", TRACE) if x["cause"] == "data in a pipe"]
live.check(
    piped
    and sum(x["ns"] for x in piped) == sum(x["delay_ns"] for x in slow if x["comm"] == "sort")
    and all((x["class"], x["operation"], x["by_comm"]) == ("ipc", "read", "cat") for x in slow),
    "latency tells how long a thread waited then, for what, and who ended it",
    f"{waits} {slow}",
)
events = rows("latency", "--json", "--idle", TRACE)
live.check(
    any(
        x["operation"] == "wait4"
        and x["cause"] == "a child"
        and [k for k in x["chain"] if k["comm"] == "sleep" and k["operation"] == "clock_nanosleep"]
        for x in events
    ),
    "and what that one waited for meanwhile",
    events,
)
slept = sum(x["ns"] for x in waits if x["call"] == "clock_nanosleep" and x["until"] == "time")
why = rows("why", "--json", "--idle", TRACE)
live.check(
    slept and [x["total_ns"] for x in why[0]["causes"] if x["cause"] == "sleep"] == [slept],
    "why adds up causes",
    f"{slept} {why}",
)
heat = rows("heat", "--json", TRACE)[0]
calls = json.loads(run("sql", "--json", OUT, "SELECT count(*) AS n FROM span").stdout)
live.check(
    str(heat["total"]) in json.dumps(calls) and heat["step"] < 1000 and heat["columns"] > 1,
    "heat has every call, in columns of less than a second",
    f"{calls} {heat['total']} {heat['step']}",
)
hist = rows("hist", "--json", "--key", "clock_nanosleep", TRACE)[0]
live.check(hist["series"][0]["count"] == 1, "hist draws one system call", hist["series"])
for args, reason in (
    (("check",), "of one program"),
    (("latency", "stuck"), "nobody waits any more"),
    (("flame", "--on-cpu", "-o", OUT + ".svg"), "no samples of CPUs"),
    (("export", "--format", "csv"), "no aggregations"),
    (("latency", "-p", "1"), "not for recordings"),
):
    p = run(*args, TRACE)
    live.check(p.returncode in (1, 2) and reason in p.stderr and live.WORK + "/tmp" not in p.stderr, f"no {args}", p)

NONE, CUT, BAD = (os.path.join(live.WORK, x) for x in ("none", "cut", "bad"))
run("rec", "-q", "-o", NONE, "--", "true")
p = rows("why", "--json", "--idle", NONE)
live.check(
    not [x for x in p[0]["causes"] if x["class"] != "unknown"] and run("latency", NONE).returncode == 0,
    "a trace without a wait",
    p,
)
traces.damage(TRACE, CUT, BAD)
p = run("heat", "--json", CUT)
live.check(
    p.returncode == 0 and "ends before its program" in p.stderr and 0 < json.loads(p.stdout)["total"] < heat["total"],
    "one that was cut off",
    f"{p.stderr} {p.stdout[:200]}",
)
for view in "heat", "latency", "why":
    p = run(view, *(("-o", OUT + ".svg") if view == "heat" else ()), BAD)
    live.check(p.returncode == 1 and "damaged" in p.stderr and BAD in p.stderr, f"{view} of a damaged one", p)
p = run("replay", "-x", "metrics=" + os.path.join(live.WORK, "m"), "-n", "BEGIN { }", TRACE)
live.check(p.returncode == 1 and "cannot be written as metrics" in p.stderr, "metrics are refused", p)
sys.exit(live.failures > 0)
