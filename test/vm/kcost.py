#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of a firing of fbt beside the same program in C, in a guest, by the kernel's own run_time_ns.

usage: kcost.py --dwell BIN --trigger BIN --tools FOLDER [--kernel SERIES] [--rounds N]

--tools: where bpfload of test/perf is. Both programs are attached to the same function at the same time, so both see the same calls.
Each slice of a run gives a ratio; the order of attaching is exchanged from round to round. The medians are printed.
Status 77: no guest, or no clang.
"""
import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
VM_RUN = os.path.join(HERE, "vm-run")
sys.path.insert(0, os.path.join(HERE, "../live"))
sys.path.insert(0, os.path.join(HERE, "../perf"))
sys.dont_write_bytecode = True

SKIP, GUEST_SECS, READY_SECS = 77, 900, 60
SLICES, SLICE_S = 8, 0.5
MEANT = 1000  # runs: more than programs that only try what the kernel can do have
SAME = 0.05  # both have seen as many calls: before Linux 6.14 the kernel may follow too few of them to their returns
FUNCTION = "fbt::__x64_sys_getppid"
PROGRAMS = {
    1: ("a count by execname", FUNCTION + ":entry { @[execname] = count(); }"),
    2: (
        "a time from entry to return",
        FUNCTION + ":entry { self->t = timestamp; } " + FUNCTION + ":return /self->t/ "
        "{ @ = quantize(timestamp - self->t); self->t = 0; }",
    ),
}


class Subject:
    """A process whose programs run for each call, some of them more than once (entry and return in one)."""

    def __init__(self, argv, runs):
        import bench  # in the guest only: it looks for tools of this machine

        self.bench, self.runs = bench, runs
        self.p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ready(self):
        """Its programs run."""
        end = time.monotonic() + READY_SECS
        while self.read()[1] < MEANT:
            if time.monotonic() > end or self.p.poll() is not None:
                raise RuntimeError("no program of %s runs" % self.p.args[0])
            time.sleep(0.1)

    def read(self):
        """ns of all its programs, and runs."""
        infos = [i for i in map(self.bench.live.prog_info, self.bench.owned_programs(self.p.pid)) if i and i[2] > 10]
        return sum(i[1] for i in infos), sum(i[2] for i in infos)

    def stop(self):
        self.p.stdin.close()
        self.p.send_signal(signal.SIGINT)
        self.p.wait(READY_SECS)


def slices(subjects):
    """For each slice the ns per call of each subject."""
    rows, last = [], [s.read() for s in subjects]
    for _ in range(SLICES):
        time.sleep(SLICE_S)
        now = [s.read() for s in subjects]
        steps = [(n[0] - l[0], (n[1] - l[1]) / s.runs) for n, l, s in zip(now, last, subjects)]
        last = now
        calls = [c for _, c in steps]
        if min(calls) > max(calls) * (1 - SAME):
            rows.append([ns / c for ns, c in steps])
    return rows


def guest(opt):
    load = subprocess.Popen([opt.trigger, "getppid", "1000000000"], stderr=subprocess.DEVNULL)
    with open("/proc/sys/kernel/bpf_stats_enabled", "w", encoding="ascii") as f:
        f.write("1")
    try:
        for kind, (name, program) in PROGRAMS.items():
            both = [
                ([opt.dwell, "-q", "-n", program], kind),
                ([opt.tools + "/bpfload", f"{opt.objects}/kcost{kind}.bpf.o"], kind),
            ]
            rows = []
            for round_ in range(opt.rounds):
                order = (0, 1) if round_ % 2 == 0 else (1, 0)
                subjects = [None, None]
                for i in order:
                    subjects[i] = Subject(*both[i])
                    subjects[i].ready()
                rows += slices(subjects)
                for s in subjects:
                    s.stop()
            ratios = sorted(a / b for a, b in rows)
            print(
                f"{os.uname().release}: {name}: dwell {statistics.median(a for a, _ in rows):.0f} ns, C "
                f"{statistics.median(b for _, b in rows):.0f} ns, ratio {statistics.median(ratios):.2f} "
                f"(of {len(ratios)} slices: {ratios[0]:.2f} to {ratios[-1]:.2f})",
                flush=True,
            )
    finally:
        load.kill()
        load.wait()
    return 0


def host(opt):
    if not shutil.which("clang") or not os.path.exists(opt.tools + "/bpfload"):
        print("clang or test/perf/bpfload is missing", file=sys.stderr)
        return SKIP
    with tempfile.TemporaryDirectory(prefix="kcost.") as work:
        for kind in PROGRAMS:
            words = (
                f"clang -target bpf -mcpu=v3 -O2 -g -Wall -DKIND={kind} -I/usr/include/{os.uname().machine}-linux-gnu"
            )
            subprocess.run([*words.split(), "-c", HERE + "/kcost.bpf.c", "-o", f"{work}/kcost{kind}.bpf.o"], check=True)
        mine = ["python3", "-B", os.path.realpath(__file__), "--guest", "--objects", work, "--rounds", str(opt.rounds)]
        paths = ["--dwell", opt.dwell, "--trigger", opt.trigger, "--tools", opt.tools]
        return subprocess.run([VM_RUN, "-t", str(GUEST_SECS), opt.kernel, "--", *mine, *paths], check=False).returncode


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--guest", action="store_true")
    p.add_argument("--objects")
    p.add_argument("--dwell", required=True, type=os.path.abspath)
    p.add_argument("--trigger", required=True, type=os.path.abspath)
    p.add_argument("--tools", required=True, type=os.path.abspath)
    p.add_argument("--kernel", default="6.12")
    p.add_argument("--rounds", type=int, default=4)
    opt = p.parse_args()
    return guest(opt) if opt.guest else host(opt)


if __name__ == "__main__":
    sys.exit(main())
