#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often `dwell latency diff` is right about a real recording: threads sleep for log-normal times, whose scale is known, on
whatever the machine does meanwhile: some with ordinary priority, some with real-time priority (what they sleep is what was asked
for), and some whose scale never changes. Stretches of the same scale must not differ in anything, others must in the first two.
--jitter: the scale itself wanders by so much within all stretches. Takes some minutes.
Usage: compare.py --dwell build/dwell [--seconds 16] [--same 16] [--each 3] [--jitter 0.05]"""
import argparse
import ctypes
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

SHIFTS = (1.05, 1.10, 1.20, 1.50)
MEDIAN = 0.004
SIGMA = 0.5
KINDS = ("ordinary", "realtime", "control")
PR_SET_NAME = 15
JITTER_S = 3.0  # the level's correlation time

scale = 1.0
level = 0.0
ended = False


def sleeper(kind, seed):
    ctypes.CDLL(None).prctl(PR_SET_NAME, kind.encode())
    if kind == "realtime":
        try:
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        except OSError as e:
            print(f"no real-time priority: {e}", file=sys.stderr)
    draw = random.Random(seed)
    while not ended:
        time.sleep(MEDIAN * (1 if kind == "control" else scale) * math.exp(level) * draw.lognormvariate(0, SIGMA))


def wander(jitter):
    global level
    draw, keep = random.Random(99), math.exp(-0.25 / JITTER_S)
    while not ended:
        level = keep * level + jitter * math.sqrt(1 - keep * keep) * draw.gauss(0, 1)
        time.sleep(0.25)


def record(opts, path, order):
    """Stretches: (scale, from, to)."""
    global scale, ended
    program = (
        f"syscall::clock_nanosleep:entry /pid == {os.getpid()}/ {{ self->t = timestamp; }} "
        "syscall::clock_nanosleep:return /self->t/ { @slept[timestamp / 1000000000, execname] = hist(timestamp - self->t); self->t = 0; }"
    )
    dwell = subprocess.Popen([opts.dwell, "-q", "--record", path, "-n", program], stdout=subprocess.DEVNULL)
    threads = [
        threading.Thread(target=sleeper, args=(kind, 10 * i + k)) for k, kind in enumerate(KINDS) for i in range(2)
    ]
    if opts.jitter:
        threads.append(threading.Thread(target=wander, args=(opts.jitter,)))
    for t in threads:
        t.start()
    time.sleep(2)
    stretches = []
    for s in order:
        scale = s
        time.sleep(0.5)
        begun = time.clock_gettime(time.CLOCK_MONOTONIC)
        time.sleep(opts.seconds)
        stretches.append((s, begun, time.clock_gettime(time.CLOCK_MONOTONIC)))
    ended = True
    dwell.terminate()
    dwell.wait()
    return stretches


def compare(opts, path, first, a, b):
    """Of one `dwell latency diff`: {kind: line}."""
    times = [f"{round((t - first) * 1000)}ms" for t in (*a, *b)]
    r = subprocess.run(
        [
            opts.dwell,
            "latency",
            "diff",
            "--json",
            "--from",
            times[0],
            "--to",
            times[1],
            path,
            "--from",
            times[2],
            "--to",
            times[3],
            path,
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [json.loads(line) for line in r.stdout.splitlines()]
    return {o["key"]: o for o in lines if o["type"] == "diff" and o["key"] in KINDS}


def percent(octaves):
    return 100 * (2**octaves - 1)


def report(results):
    for s, all_of in sorted(results.items()):
        n = len(all_of)
        if s == 1.0:
            wrong = sum(any(o["changed"] or o["rate_changed"] for o in r.values()) for r in all_of)
            print(f"the same: something called changed in {wrong} of {n} comparisons")
        else:
            wrong = sum(r["control"]["changed"] for r in all_of)
            print(f"scale {s:.2f}: the control called changed in {wrong} of {n}")
        for kind in KINDS:
            of = [r[kind] for r in all_of if r[kind]["octaves"]["p50"]]
            seen = sorted(percent(o["octaves"]["visible"]) for o in of)
            shifts = sorted(percent(o["octaves"]["p50"]["value"]) for o in of)
            print(
                f"   {kind}: changed in {sum(o['changed'] for o in of)} of {len(of)} judged; medians {shifts[0]:+.1f} to {shifts[-1]:+.1f} %; "
                f"said to be seen: {seen[len(seen) // 2]:.1f} % ({seen[0]:.1f} to {seen[-1]:.1f})"
            )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dwell", required=True, type=os.path.abspath)
    parser.add_argument("--seconds", type=int, default=16)
    parser.add_argument("--same", type=int, default=16, help="stretches of scale 1")
    parser.add_argument("--each", type=int, default=3, help="stretches of each other scale")
    parser.add_argument("--jitter", type=float, default=0, help="standard deviation of the level's logarithm")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the stretches")
    parser.add_argument("--keep", help="where the recording stays")
    opts = parser.parse_args()
    order = [1.0] * opts.same + [s for s in SHIFTS for _ in range(opts.each)]
    random.Random(opts.seed).shuffle(order)
    folder = tempfile.TemporaryDirectory(prefix="dwell-compare-")
    path = opts.keep or os.path.join(folder.name, "x.dwell")
    stretches = record(opts, path, order)
    first = (
        json.loads(
            subprocess.run(
                [opts.dwell, "report", "-l", "--json", path], capture_output=True, text=True, check=True
            ).stdout
        )["begun"]
        / 1e9
    )
    if opts.keep:
        with open(opts.keep + ".json", "w", encoding="utf-8") as f:
            json.dump([(s, a - first, b - first) for s, a, b in stretches], f)
    results = {}
    for (sa, a0, a1), (sb, b0, b1) in itertools.combinations(stretches, 2):
        if sa == 1.0 or sb == 1.0:
            a, b = ((a0, a1), (b0, b1)) if sa == 1.0 else ((b0, b1), (a0, a1))
            results.setdefault(max(sa, sb), []).append(compare(opts, path, first, a, b))
    report(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
