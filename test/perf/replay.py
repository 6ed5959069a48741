#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording and replaying cost: `dwell rec` and `dwell replay` beside the program alone, in turn, on one CPU.
usage: replay.py DWELL [ROUNDS]

Loads: sqlite3 with 200,000 rows and an index in memory (computes), and find over /usr/share (system calls). The least wall time of
all rounds counts: on a busy machine the others tell mostly who got the CPU. The recording's size is that of its file."""
import os
import subprocess
import sys
import tempfile
import time

ROWS = ("create table t(a,b); with recursive c(x) as (values(1) union all select x+1 from c where x<200000) insert into t "
        "select x, random() from c; create index i on t(b); select sum(b%1000), count(*) from t;")
LOADS = {"sqlite3, 200,000 rows": ["sqlite3", ":memory:", ROWS], "find /usr/share": ["find", "/usr/share"], "true": ["true"]}


def took(command):
    begun = time.monotonic()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - begun


def main():
    program, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as d:
        trace = f"{d}/trace"
        for name, command in LOADS.items():
            least = [float("inf")] * 3
            for _ in range(rounds):
                for i, c in enumerate((command, [program, "rec", "-q", "-o", trace, "--", *command], [program, "replay", trace])):
                    least[i] = min(least[i], took(c))
            native, rec, replay = least
            print(f"{name}: alone {native:.3f} s, recorded {rec:.3f} s ({rec / native:.1f} times), replayed {replay:.3f} s "
                  f"({replay / native:.1f} times), {os.path.getsize(trace) / 1e6:.1f} MB", flush=True)


main()
