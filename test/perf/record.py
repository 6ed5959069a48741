#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording everything costs beside other recorders: the same load alone, under dwell record, the program of
dwell timeline, and two of perf.

usage: record.py --dwell BIN [--rounds N] [--ops N]

The load is stress-ng --switch: a fixed number of switches of two processes by a pipe, on one CPU. On two CPUs its own time
would depend on the other load. A round runs it once in each way; figures are medians of rounds. They are the load's own CPU
time (user and system, by wait4) beside that alone, the recorder's CPU time, and the bytes of the file. The last message of the
recorder is shown, too, such as losses. perf record -e 'sched:*' has switches and wake-ups without stacks. With -g it has stacks
of the kernel, and of programs with frame pointers.
"""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


THREADS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../dlib/timeline/threads.d")


def size_of(path):
    return os.path.getsize(path) if os.path.isfile(path) else 0


def cpu_of(args):
    """Runs a command to its end: its CPU time in seconds, with that of its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(args, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def attached(recorder, ready):
    """Until the recorder has its file and does nothing for a moment."""
    end, last = time.monotonic() + 60, -1
    while time.monotonic() < end:
        with open(f"/proc/{recorder.pid}/stat", encoding="utf-8") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        now = int(fields[11]) + int(fields[12])
        if ready() and now - last <= 3:
            return
        last = now
        time.sleep(0.5)
    raise SystemExit("the recorder does not begin")


def under(recorder, file, load):
    """The load's CPU time, the recorder's, and the size of its file."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said, subprocess.Popen(
        recorder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said
    ) as p:
        attached(p, lambda: os.path.exists(file))
        took = cpu_of(load)
        time.sleep(1)
        p.send_signal(2)
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        told = " ".join(said.read().split())
    size = size_of(file) + size_of(file + "-wal")
    for end in "", "-wal", "-shm":
        if os.path.exists(file + end):
            os.unlink(file + end)
    return took, usage.ru_utime + usage.ru_stime, size, told


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dwell", required=True, type=os.path.abspath)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ops", type=int, default=200000)
    opts = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("stress-ng"):
        print("needs root and stress-ng")
        return 77
    load = [
        "taskset",
        "-c",
        "0",
        "stress-ng",
        "--switch",
        "1",
        "--switch-ops",
        str(opts.ops),
        "--switch-method",
        "pipe",
        "-q",
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "recording")
        ways = {
            "dwell record": [opts.dwell, "record", "-o", file],
            "dwell, what threads do": [opts.dwell, "-q", "--record", file, "-s", THREADS],
        }
        if shutil.which("perf"):
            ways["perf record -e 'sched:*'"] = ["perf", "record", "-q", "-a", "-e", "sched:*", "-o", file]
            ways["perf record -g -e 'sched:*'"] = ["perf", "record", "-q", "-a", "-g", "-e", "sched:*", "-o", file]
        got = {way: [] for way in ways}
        for _ in range(opts.rounds):
            alone = cpu_of(load)
            for way, command in ways.items():
                took, own, size, told = under(command, file, load)
                got[way].append((took / alone, own / alone, size, alone, told))
        print(
            f"{opts.ops} switches, alone {statistics.median(g[3] for g in got['dwell record']):.2f} s of CPU; load {os.getloadavg()[0]:.0f}"
        )
        for way, rows in got.items():
            load_ratio, own, size = (statistics.median(r[i] for r in rows) for i in range(3))
            print(f"{way:28} load {load_ratio:5.2f} x, recorder {own:5.2f} x of that, file {size / 1e6:7.1f} MB")
            print(f"    {rows[-1][4][:300]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
