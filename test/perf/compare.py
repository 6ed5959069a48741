#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often `dwell latency diff` is right about a real recording: threads sleep for log-normal times, whose scale is known,
on whatever the machine does meanwhile. Stretches of the same scale must not differ, others must. Takes some minutes.
Usage: compare.py --dwell build/dwell [--seconds 20] [--same 12] [--each 3]"""
import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

SHIFTS = (1.05, 1.10, 1.20, 1.50)
THREADS = 4
MEDIAN = 0.004
SIGMA = 0.5

scale = 1.0
ended = False


def sleeper(seed):
    draw = random.Random(seed)
    while not ended:
        time.sleep(MEDIAN * scale * draw.lognormvariate(0, SIGMA))


def main():
    global scale, ended
    parser = argparse.ArgumentParser()
    parser.add_argument("--dwell", required=True, type=os.path.abspath)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--same", type=int, default=12, help="stretches of scale 1")
    parser.add_argument("--each", type=int, default=3, help="stretches of each other scale")
    opts = parser.parse_args()
    order = [1.0] * opts.same + [s for s in SHIFTS for _ in range(opts.each)]
    random.Random(1).shuffle(order)
    folder = tempfile.TemporaryDirectory(prefix="dwell-compare-")
    path = os.path.join(folder.name, "x.dwell")
    program = (f"tracker nap {{ threshold = 1h; }} syscall::clock_nanosleep:entry /pid == {os.getpid()}/ {{ begin(nap); }} "
               f"syscall::clock_nanosleep:return /pid == {os.getpid()}/ {{ end(nap); }}")
    dwell = subprocess.Popen([opts.dwell, "-q", "--record", path, "-n", program], stdout=subprocess.DEVNULL)
    threads = [threading.Thread(target=sleeper, args=(i,)) for i in range(THREADS)]
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
    first = json.loads(subprocess.run([opts.dwell, "report", "--table", "hist", "--json", path], capture_output=True,
                                      text=True).stdout.splitlines()[0])["start"] / 1e9 + 1
    result = {}
    for (sa, a0, a1), (sb, b0, b1) in itertools.combinations(stretches, 2):
        if sa != 1.0 and sb != 1.0:
            continue
        if sa != 1.0:
            sa, a0, a1, sb, b0, b1 = sb, b0, b1, sa, a0, a1
        times = [f"{round((t - first) * 1000)}ms" for t in (a0, a1, b0, b1)]
        line = subprocess.run([opts.dwell, "latency", "diff", "--json", "--from", times[0], "--to", times[1], path,
                               "--from", times[2], "--to", times[3], path], capture_output=True, text=True)
        r = json.loads(line.stdout.splitlines()[0])
        p50 = r["octaves"]["p50"]
        result.setdefault(sb, []).append((r["changed"], 2 ** p50["value"] if p50 else None, r["rate_changed"]))
    for s, v in sorted(result.items()):
        shifts = [x[1] for x in v if x[1]]
        print(f"scale {s:.2f}: called changed in {sum(x[0] for x in v)} of {len(v)} pairs; "
              f"median shifts {min(shifts):.3f} to {max(shifts):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
