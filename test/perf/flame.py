#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long `dwell flame` takes for 1,000,000 samples with 200,000 different stacks, and how much memory.
usage: flame.py --dwell BIN [--samples N] [--stackcollapse FILE --flamegraph FILE]

The input is what perf script would print, and the same folded. Given stackcollapse-perf.pl and flamegraph.pl of FlameGraph, they
run on it, too (the first must have ended when the second draws: their times add up); else the ratio is to what they took on the
machine of doc/measured.md (47 s and 24 s, 1.07 GB)."""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

PERL_SECONDS, PERL_BYTES = 47 + 24, 1.07e9
STACKS = 200000
RUNS = 5  # medians are told


def make_stack(r, i):
    """Frames from the root on: a tree that spreads at its leaves, as programs do."""
    depth = r.randint(12, 28)
    at, frames = i, []
    for d in range(depth):
        at = (at * 1103515245 + d * 12345) & 0x7FFFFFFF if d > depth - 6 else at // 3
        frames.append(f"function_{d}_{at % (8 + 40 * d)}" + ("_of_library" if d % 5 == 4 else ""))
    return frames


def write_input(path, samples):
    r = random.Random(1)
    stacks = [make_stack(r, i) for i in range(STACKS)]
    texts = []
    for s in stacks:
        out = []
        for k, f in enumerate(reversed(s)):
            where = (
                "[kernel.kallsyms]"
                if k < 4
                else "/usr/lib/x86_64-linux-gnu/libc.so.6"
                if f.endswith("y")
                else "/usr/bin/program"
            )
            out.append(
                f"\t{0xffffffff81000000 + 64 * k if k < 4 else 0x7f0000000000 + 4096 * k:16x} {f}+0x{k * 7 + 1:x} ({where})\n"
            )
        texts.append("".join(out))
    with open(path, "w") as f:
        for i in range(samples):
            n = i if i < STACKS else r.randrange(STACKS)
            f.write(
                f"program {1000 + i % 7}/{1000 + i % 50} [{i % 8:03}] {i // 1000}.{i % 1000:03}000:  250000 cycles:u: \n{texts[n]}\n"
            )


def run(*command, **kw):
    """Seconds of CPU time, seconds on the clock, and peak memory in bytes."""
    began = time.monotonic()
    p = subprocess.Popen(command, **kw)
    _, status, usage = os.wait4(p.pid, 0)
    if status:
        sys.exit(f"{command[0]} failed")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - began, usage.ru_maxrss * 1024


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--dwell", required=True)
    ap.add_argument("--samples", type=int, default=1000000)
    ap.add_argument("--stackcollapse")
    ap.add_argument("--flamegraph")
    a = ap.parse_args()
    with tempfile.TemporaryDirectory(prefix="dwell-flame-") as d:
        text, folded = os.path.join(d, "perf.txt"), os.path.join(d, "folded.txt")
        pid = os.fork()  # a child's peak memory begins with that of its parent: this one stays small
        if pid == 0:
            write_input(text, a.samples)
            os._exit(0)
        os.waitpid(pid, 0)
        print(f"{a.samples} samples, {STACKS} stacks, {os.path.getsize(text) / 1e6:.0f} MB")
        subprocess.run([a.dwell, "export", "--format", "folded", "-o", folded, text], check=True)
        seconds, wall, memory = PERL_SECONDS, PERL_SECONDS, PERL_BYTES
        if a.stackcollapse and a.flamegraph:
            perl = os.path.join(d, "perl.txt")
            s1, w1, m1 = run("perl", a.stackcollapse, text, stdout=open(perl, "w"))
            s2, w2, m2 = run("perl", a.flamegraph, perl, stdout=open(os.path.join(d, "perl.svg"), "w"))
            seconds, wall, memory = s1 + s2, w1 + w2, max(m1, m2)
            print(
                f"stackcollapse-perf.pl and flamegraph.pl: {s1:.1f} + {s2:.1f} s of CPU time, {w1:.1f} + {w2:.1f} s, {memory / 1e6:.0f} MB"
            )
        for what, src in (("perf script", text), ("folded", folded)):
            for kind in ("svg", "html"):
                s, w, m = (
                    sorted(v)[RUNS // 2]
                    for v in zip(
                        *(run(a.dwell, "flame", f"--{kind}", "-o", os.path.join(d, "out"), src) for _ in range(RUNS))
                    )
                )
                print(
                    f"{what} to {kind}: {s:.2f} s of CPU time, {w:.2f} s, {m / 1e6:.0f} MB"
                    + (
                        f"; {seconds / s:.0f} times as fast by CPU time, {wall / w:.0f} by the clock; {m / memory:.2f} of the memory"
                        if src == text
                        else ""
                    )
                )


if __name__ == "__main__":
    main()
