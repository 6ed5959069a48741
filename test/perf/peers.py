#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same job three times: a tracker in D, a bpftrace script, a C program for clang. Nanoseconds per event, all attached at the same time.

usage: peers.py --dwell BIN --trigger BIN --tools FOLDER [--json FILE]

Each job: from when to when, a histogram of all delays, a line for those that are slow. What each does beyond it is its own affair: dwell and
the C program keep histograms by second, a threshold that can be changed, and take names and stacks of slow events; bpftrace 0.17 can have
neither the stack of a thread that is not the current one, nor storage by thread. An event is a switch with its wake-up, a system call with
its return. run_time_ns/run_cnt as in bench.py; what is not installed (tools/install-packages bench; clang) is left out with a message.
"""
import argparse
import os
import shutil
import sys

import bench

RUNQ = """
tracker runq (struct task_struct *) { threshold = 10ms; }
sdt:sched::sched_waking { begin(runq, args[0]); }
sdt:sched::sched_switch { end(runq, args[2]); }
latency:runq::slow { slow("waker_tid", args[0]->opener_tid, "waker_comm", args[0]->opener_comm, "stack", args[0]->stack); }
"""
RUNQ_BT = """
tracepoint:sched:sched_waking { @woken[args->pid] = nsecs; }
tracepoint:sched:sched_switch {
    $t = @woken[args->next_pid];
    if ($t) {
        $d = nsecs - $t; @delay = hist($d);
        if ($d >= 10000000) { printf("%s %d waited %d ns\\n", args->next_comm, args->next_pid, $d); }
        delete(@woken[args->next_pid]);
    }
}
"""
OFFCPU = """
tracker offcpu (struct task_struct *) { threshold = 100ms; }
sdt:sched::sched_switch { end(offcpu, args[2]); }
sdt:sched::sched_switch /!args[0] && args[3]/ { begin(offcpu, args[1]); }
latency:offcpu::slow { slow("stack", args[0]->stack); }
"""
OFFCPU_BT = """
tracepoint:sched:sched_switch {
    $now = nsecs; $t = @off[args->next_pid];
    if ($t) {
        $d = $now - $t; @delay = hist($d);
        if ($d >= 100000000) { printf("%s %d slept %d ns\\n", args->next_comm, args->next_pid, $d); }
        delete(@off[args->next_pid]);
    }
    if (args->prev_state) { @off[args->prev_pid] = $now; }
}
"""
CALLS = """
tracker calls () { threshold = 100ms; }
sdt:raw_syscalls::sys_enter { begin(calls); }
sdt:raw_syscalls::sys_exit { end(calls); }
latency:calls::slow { slow("name", execname, "stack", stack()); }
"""
CALLS_BT = """
tracepoint:raw_syscalls:sys_enter { @start[tid] = nsecs; }
tracepoint:raw_syscalls:sys_exit {
    $t = @start[tid];
    if ($t) {
        $d = nsecs - $t; @delay = hist($d);
        if ($d >= 100000000) { printf("%s %d: call %d took %d ns\\n", comm, tid, args->id, $d); }
        delete(@start[tid]);
    }
}
"""
JOBS = (
    ("wait for a CPU, per switch and wake-up", RUNQ, "runq", RUNQ_BT, bench.Switches),
    ("sleep, per switch", OFFCPU, "offcpu", OFFCPU_BT, bench.Switches),
    ("system call, entry and return", CALLS, "calls", CALLS_BT, bench.Load),
)


def job(what, program, c, script, load):
    """One row: the medians, and those of the ratios slice by slice."""
    makers = {"dwell": lambda: bench.Dwell(program)}
    if bench.have_c(c):
        makers["C"] = lambda: bench.CProgram(c)
    if shutil.which("bpftrace"):
        makers["bpftrace"] = lambda: bench.BpfTrace(script)
    if load is bench.Switches and not shutil.which("stress-ng"):
        bench.note(what, "no stress-ng", "", None)
        return
    got = dict(zip(makers, bench.together(list(makers.values()), load)))
    text, met = f"{bench.median(got['dwell']):.0f} ns", None
    for name, goal in (("C", 1.1), ("bpftrace", 1.0)):
        if name in got:
            ratio = bench.median([x / y for x, y in zip(got["dwell"], got[name])])
            text += f", {name} {bench.median(got[name]):.0f} ns: {ratio:.2f}"
            met = met is not False and ratio <= goal
    bench.note(what, text, "<= 1.10 x C, < bpftrace", met)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dwell", required=True, type=os.path.abspath)
    parser.add_argument("--trigger", required=True, type=os.path.abspath)
    parser.add_argument("--tools", required=True, type=os.path.abspath)
    parser.add_argument("--json")
    bench.opts = parser.parse_args()
    stats = bench.begin()
    if stats is None:
        return 77
    if not shutil.which("bpftrace"):
        print("bpftrace is missing: nothing to compare with (tools/install-packages bench)")
    if not bench.have_c("runq"):
        print("the programs in C are missing: they need clang")
    for row in JOBS:
        job(*row)
    bench.finish(stats)
    return 0


if __name__ == "__main__":
    sys.exit(main())
