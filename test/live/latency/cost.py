# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell latency --cost: one thread in N is looked at, by its number, and of those each wait is told; the others have none. The output says
so. A percentage is turned into an N by what all takes in a second."""
import json
import os
import re

import live

N, SLEEPERS = 4, 40
if live.dwell("-qn", "BEGIN { trace(tid); exit(0); }").stdout.strip() == "":
    raise SystemExit(77)
SCRIPT = os.path.join(live.WORK, "sleepers.py")
program = f"import subprocess; p=[subprocess.Popen(['sleep','0.2']) for i in range({SLEEPERS})]; print(*(q.pid for q in p), flush=True); [q.wait() for q in p]"


with open(SCRIPT, "w", encoding="utf-8") as f:
    f.write(program)


def slept(*args):
    """Numbers of all sleepers, of those that are told of, and the rest of the output."""
    r = live.dwell(
        "latency", "offcpu", *args, "--idle", "--all", "--json", "--comm", "sleep", "--", "python3", SCRIPT, timeout=60
    )
    lines = r.stdout.splitlines()
    pids = next((set(map(int, l.split())) for l in lines if re.fullmatch(r"[\d ]+", l)), set())
    found = [json.loads(l) for l in lines if l.startswith("{")]
    return (
        pids,
        {o["tid"] for o in found if o["type"] == "latency-slow"},
        [o for o in found if o["type"] == "latency-summary"],
        r,
    )


pids, told, summaries, r = slept()
live.check(len(pids) == SLEEPERS and told == pids, "without --cost all are told", (len(pids), len(told), r.stderr))
live.check(not any("one_in" in s for s in summaries), "which the summary does not mention", summaries)
pids, told, summaries, r = slept("--cost", f"1/{N}")
live.check(
    len(pids) == SLEEPERS and told == {p for p in pids if p % N == 0} and told,
    f"--cost 1/{N}: one in {N} is told, and each of them",
    (sorted(pids), sorted(told), r.stderr),
)
live.check(summaries and all(s["one_in"] == N for s in summaries), "the summary says one in how many", summaries)

r = live.dwell("latency", "--cost", f"1/{N}", "--for", "1s", timeout=60)
live.check(
    f"not measured: wakeup and offcpu of other threads than one in {N} (--cost)" in r.stdout,
    "so does the text",
    r.stdout,
)

chosen = {}
for percent in "100%", "0.0001%":
    r = live.dwell("latency", "--cost", percent, "--for", "100ms", timeout=60)
    m = re.search(r"all takes ([-e\d.]+) % of the CPUs now; one thread in (\d+)(.*) about ([-e\d.]+) %", r.stderr)
    live.check(m, f"--cost {percent}: what it would take is told", r.stderr)
    chosen[percent] = int(m.group(2)) if m else 0
    if percent != "100%":
        live.check(
            m and m.group(3) == " without the trackers softirq irq lock block" and "which is the least" in r.stderr,
            "what is left out is told",
            r.stderr,
        )
        live.check(
            "wakeup" in r.stdout
            and "reclaim" in r.stdout
            and not re.search("^(block|irq|softirq|lock) ", r.stdout, re.M),
            "and not there",
            r.stdout,
        )
live.check(chosen == {"100%": 1, "0.0001%": 64}, "a percentage chooses", chosen)
# Recordings, what is shown of them, and metrics say so.
os.chdir(live.WORK)
r = live.dwell(
    "latency",
    "offcpu",
    "--cost",
    f"1/{N}",
    "--for",
    "300ms",
    "--record",
    "part.dwell",
    "-x",
    "metrics=part.prom",
    timeout=60,
)
live.check(f"\ndwell_threads_one_in {N}\n" in open("part.prom", encoding="utf-8").read(), "metrics", r.stderr)
for args in ["latency"], ["latency", "why"], ["hist", "--by", "offcpu"]:
    r = live.dwell(*args, "part.dwell", timeout=60)
    live.check(
        f"part.dwell: one thread in {N} was looked at (--cost)" in r.stderr,
        f"{' '.join(args)} of a recording",
        r.stderr,
    )
live.dwell("latency", "offcpu", "--for", "300ms", "--record", "whole.dwell", "-x", "metrics=whole.prom", timeout=60)
r = live.dwell("latency", "whole.dwell", timeout=60)
live.check(
    "one thread in" not in r.stderr and "one_in" not in open("whole.prom", encoding="utf-8").read(),
    "where all were looked at there is no such note",
    r.stderr,
)

# why: the sleepers whose number fits, each once; a percentage is measured.
for n in 1, N:
    r = live.dwell(
        "why",
        "--cost",
        f"1/{n}",
        "--idle",
        "--by",
        "thread",
        "--json",
        "--top",
        "50",
        "--comm",
        "sleep",
        "--",
        "python3",
        SCRIPT,
        timeout=60,
    )
    pids = next((set(map(int, l.split())) for l in r.stdout.splitlines() if re.fullmatch(r"[\d ]+", l)), set())
    final = [json.loads(l) for l in r.stdout.splitlines() if l.startswith("{")][-1]
    slept = {c["tid"] for c in final["causes"] if c["cause"].startswith(("sleep", "clock_nanosleep"))}
    live.check(
        final["one_in"] == n and slept == {p for p in pids if p % n == 0} and slept,
        f"why --cost 1/{n}",
        (final["one_in"], sorted(pids), sorted(slept), r.stderr),
    )
r = live.dwell("why", "--cost", "0.0001%", "--for", "300ms", timeout=60)
live.check(
    re.search(r"all takes [-e\d.]+ % of the CPUs now; one thread in 64 about [-e\d.]+ %, which is the least", r.stderr)
    and "measured: one thread in 64 (--cost)" in r.stdout,
    "why --cost with a percentage",
    r.stdout + r.stderr,
)
for wrong in "0%", "1/3", "1/128", "5", "x":
    r = live.dwell("latency", "--cost", wrong, "--for", "100ms")
    live.check(
        r.returncode != 0 and "--cost" in r.stderr and len(r.stderr.splitlines()) == 1,
        f"--cost {wrong} is refused",
        r.stderr,
    )
r = live.dwell("latency", "irq", "--cost", "1%", "--for", "100ms")
live.check(
    r.returncode != 0 and "about the trackers wakeup and offcpu" in r.stderr, "other trackers have no threads", r.stderr
)
live.done()
