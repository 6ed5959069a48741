#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tracing costs a load: `dwell strace` beside strace(1), in one run, the order changed from round to round.
usage: strace.py DWELL [ROUNDS]

Loads: dd with a byte at a time (system calls only), and a build of a small C program (processes and files). The cost is the
load's wall time, and the CPU time of load and tracer together, each less what it is without a tracer; the ratio of the
medians counts. On a busy machine wall times tell mostly who got a CPU. Records that were lost are counted."""
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

DD = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=30000"]
TAKEN = re.compile(r"copied, ([0-9.]+) s")


def dd(prefix, out):
    """Seconds that dd itself took, and records that were lost."""
    r = subprocess.run([*prefix, *DD], capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C"})
    return float(TAKEN.search(r.stderr).group(1)), lost(out)


def lost(path):
    if not os.path.exists(path):
        return 0
    with open(path, encoding="utf-8", errors="replace") as f:
        return sum(int(l.split()[1]) for l in f if l.startswith("+++ ") and "records lost" in l)


def build(prefix, out):
    """Seconds from the first to the last process of a build, as its own shell measures them."""
    with tempfile.TemporaryDirectory() as d:
        for i in range(4):
            with open(f"{d}/f{i}.c", "w", encoding="utf-8") as f:
                f.write(f"#include <stdio.h>\n#include <stdlib.h>\nint f{i}(void) {{ return printf(\"x\"); }}\n")
        script = "b=$(date +%s%N); for i in 0 1 2 3; do gcc -c f$i.c -o f$i.o; done; e=$(date +%s%N); echo $((e-b))"
        r = subprocess.run(
            [*prefix, "sh", "-c", script],
            capture_output=True,
            text=True,
            check=True,
            cwd=d,
            env={**os.environ, "CCACHE_DISABLE": "1"},
        )
        return int(r.stdout.split()[-1]) / 1e9, lost(out)


def cpu():
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime


def main():
    program, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3
    with tempfile.TemporaryDirectory() as d:
        out = f"{d}/out"
        begun = cpu()
        subprocess.run([program, "strace", "-o", out, "true"], check=True)
        start = cpu() - begun
        print(f"start of dwell strace: {start:.3f} s of CPU time, left out below", flush=True)
        tracers = {
            "none": [],
            "strace": ["strace", "-f", "-o", out],
            "dwell strace": [program, "strace", "-f", "-o", out],
        }
        for name, load in ("dd bs=1", dd), ("build", build):
            took, used, gone = {t: [] for t in tracers}, {t: [] for t in tracers}, 0
            for n in range(rounds):
                for t in sorted(tracers, reverse=n % 2 == 1):
                    if os.path.exists(out):
                        os.unlink(out)
                    before = cpu()
                    s, l = load(tracers[t], out)
                    used[t].append(cpu() - before - (start if t == "dwell strace" else 0))
                    took[t].append(s)
                    gone += l if t == "dwell strace" else 0
            for what, values in ("wall time", took), ("CPU time", used):
                m = {t: statistics.median(v) for t, v in values.items()}
                cost = {t: m[t] - m["none"] for t in ("strace", "dwell strace")}
                print(
                    f"{name}, {what}: alone {m['none']:.3f} s, strace {m['strace']:.3f} s, dwell strace {m['dwell strace']:.3f} s; "
                    f"cost of dwell strace / cost of strace = {cost['dwell strace'] / cost['strace']:.3f}",
                    flush=True,
                )
            print(f"{name}: {gone} records lost; load average {os.getloadavg()[0]:.1f}", flush=True)


main()
