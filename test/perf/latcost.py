#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the trackers of `dwell latency` cost besides their programs' ordinary runs (bench.py has those): system calls, slow events, the flight recorder,
and dwell itself while the default set runs under load: CPU, memory and where it is.

usage: latcost.py --dwell BIN --trigger BIN [--seconds 20] [--json FILE]
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import time

import bench
from bench import live

CALLS = 400000
ROUNDS = 5
SLOW_RATE, SLOW_MS = 5000, 2000
SYSCALL_NS, SLOW_NS, CPU_PERCENT, RSS_MB = 220, 5000, 1.0, 30
SLOW = """tracker x () {{ threshold = {threshold}; limit = 1000000; }}
syscall::getppid:entry /execname == "trigger"/ {{ begin(x); }}
syscall::getppid:return /execname == "trigger"/ {{ end(x); }}
latency:x::slow {{ slow("cause", why(stack()), "stack", stack(), "waker_tid", tid, "waker_comm", execname); }}"""


def ran(ids):
    """ns in all, runs of the program that ran most."""
    infos = [i for i in map(live.prog_info, ids) if i]
    return sum(i[1] for i in infos), max(i[2] for i in infos)


class Live:
    """dwell latency with these arguments, its programs attached."""

    def __init__(self, *args):
        self.p = subprocess.Popen(
            [bench.opts.dwell, "latency", *args],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(3)
        self.programs = bench.owned_programs(self.p.pid)

    def stop(self):
        self.p.terminate()
        self.p.wait()


def syscalls():
    each = []
    d = Live("syscall", "--over", "1h")
    for _ in range(ROUNDS):
        ns, n = ran(d.programs)
        subprocess.run([bench.opts.trigger, "getppid", str(CALLS)], check=True)
        ns2, n2 = ran(d.programs)
        each.append((ns2 - ns) / (n2 - n))
    d.stop()
    got = statistics.median(each)
    bench.note(
        "tracker syscall, per system call", f"{got:.0f} ns (entry and return)", f"<= {SYSCALL_NS} ns", got <= SYSCALL_NS
    )


def slow_path():
    each = {}
    for threshold in ("1ns", "1h") * 2:
        d = bench.Dwell(SLOW.format(threshold=threshold))
        ns, _ = ran(d.programs)
        out = subprocess.run(
            [bench.opts.trigger, "rate", str(SLOW_RATE), str(SLOW_MS)],
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ).stdout
        each.setdefault(threshold, []).append((ran(d.programs)[0] - ns) / int(out.split()[0]))
        d.stop()
    got = statistics.mean(each["1ns"]) - statistics.mean(each["1h"])
    bench.note(
        "a slow event: cause, two stacks, names", f"{got:.0f} ns more than another", f"<= {SLOW_NS} ns", got <= SLOW_NS
    )


def flight_recorder():
    """The default pair without and with the flight recorder, in turns, while threads of different processes take turns."""
    each = {}
    load = subprocess.Popen(["stress-ng", "--switch", "2", "--timeout", "120", "-q"])
    for how in ((), ("--flight", "200ms")) * 3:
        d = Live("wakeup", "offcpu", "--over", "1h", *how)
        before = {i: live.prog_info(i) for i in d.programs}
        time.sleep(3)
        for i in d.programs:
            name, ns, n, _ = live.prog_info(i)
            ran_ns, times = ns - before[i][1], n - before[i][2]
            for probe in ("sched_wak", "sched_swi"):
                if probe in name and times > 1000:
                    each.setdefault((probe, bool(how)), []).append(ran_ns / times)
        d.stop()
    load.terminate()
    load.wait()
    for probe, limit in (("sched_swi", 150), ("sched_wak", 120)):
        without, with_ = (statistics.median(each[probe, x]) for x in (False, True))
        bench.note(
            f"wakeup and offcpu, {probe}..., with --flight 200ms",
            f"{without:.0f} -> {with_:.0f} ns",
            f"<= {limit} ns",
            with_ <= limit,
        )


def cpu_seconds(pid):
    f = open(f"/proc/{pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()
    return (int(f[11]) + int(f[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid):
    """kB: VmRSS and its parts, by what is mapped; and what the kernel has for BPF maps."""
    status = open(f"/proc/{pid}/status", encoding="ascii").read()
    parts, name = {}, ""
    for line in open(f"/proc/{pid}/smaps", encoding="utf-8", errors="replace"):
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            path = line.split(None, 5)[5].strip() if len(line.split(None, 5)) > 5 else ""
            name = "rings and maps" if "bpf" in path else "heap" if path in ("", "[heap]") else "program and libraries"
        elif line.startswith("Rss:"):
            parts[name] = parts.get(name, 0) + int(line.split()[1])
    kernel = 0
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            info = open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii").read()
        except OSError:
            continue
        if "map_type:" in info:
            kernel += int(re.search(r"memlock:\s+(\d+)", info).group(1)) // 1024
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)), parts, kernel


def default_set(seconds):
    d = Live()
    load = [
        subprocess.Popen([bench.opts.trigger, "contend", str(seconds * 1000 + 4000), "4"], stdout=subprocess.DEVNULL),
        subprocess.Popen([bench.opts.trigger, "naps", str(seconds * 800), "100"], stdout=subprocess.DEVNULL),
    ]
    time.sleep(2)
    runs, before, begun = ran(d.programs), cpu_seconds(d.p.pid), time.monotonic()
    time.sleep(seconds)
    took, used = time.monotonic() - begun, cpu_seconds(d.p.pid) - before
    after = ran(d.programs)
    rss, parts, kernel = memory(d.p.pid)
    for p in load:
        p.kill()
        p.wait()
    d.stop()
    print(
        f"     while the default set runs {(after[1] - runs[1]) / took:.0f} times a second, its probes use "
        f"{(after[0] - runs[0]) / took / 1e7:.2f} % of one CPU"
    )
    bench.note(
        "default set under load: user space, of one CPU",
        f"{100 * used / took:.2f} %",
        f"< {CPU_PERCENT} %",
        100 * used / took < CPU_PERCENT,
    )
    bench.note("default set under load: VmRSS", f"{rss / 1024:.1f} MB", f"< {RSS_MB} MB", rss < RSS_MB * 1024)
    print(
        "     "
        + ", ".join(f"{k} {v / 1024:.1f} MB" for k, v in sorted(parts.items(), key=lambda x: -x[1]))
        + f"; BPF maps in the kernel {kernel / 1024:.1f} MB"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dwell", required=True, type=os.path.abspath)
    parser.add_argument("--trigger", required=True, type=os.path.abspath)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--json")
    bench.opts = parser.parse_args()
    stats = bench.begin()
    if stats is None:
        return 77
    syscalls()
    slow_path()
    flight_recorder()
    default_set(bench.opts.seconds)
    bench.finish(stats)
    return 0


if __name__ == "__main__":
    sys.exit(main())
