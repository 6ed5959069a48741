# SPDX-License-Identifier: Apache-2.0
"""Trackers of threads: off-CPU time and wake-up delay from the scheduler's tracepoints, against sleeps of known
length; where they waited; who woke them; the histogram's sum is the sum of delays."""
import os
import re

import live

T = live.TRIGGER
SLEEPS = "s30000 " * 5
PROGRAM = """
tracker offcpu (struct task_struct *) { threshold = 25ms; }
tracker wakeup (struct task_struct *) { threshold = 0; }
sdt:sched::sched_waking /args[0]->tgid == $target/ { begin(wakeup, args[0]); }
sdt:sched::sched_switch { end(wakeup, args[2]); end(offcpu, args[2]); begin(offcpu, args[1]); }
latency:offcpu::slow /args[0]->pid == $target/ {
    printf("off %d %s %d %d %d %s\\n", args[0]->delay / 1000, args[0]->comm, args[0]->tid, args[1]->pid, args[0]->how,
        args[0]->opener_comm);
    @[args[0]->stack] = count(); }
latency:wakeup::slow { printf("wake %d %s %d\\n", args[0]->delay / 1000, args[0]->opener_comm, args[0]->opener_tid); }
"""
r = live.dwell("-q", "-n", PROGRAM, "-c", f"{T} track {SLEEPS}")
off = [line.split()[1:] for line in r.stdout.splitlines() if line.startswith("off ")]
wake = [line.split()[1:] for line in r.stdout.splitlines() if line.startswith("wake ")]
live.check(len(off) >= 5, "each sleep is slow", r.stdout + r.stderr)
live.check(all(29000 <= int(o[0]) for o in off) and min(int(o[0]) for o in off) < 60000, "as long as it slept", off)
live.check(all(o[1] == "trigger" and o[2] == o[3] and o[4] == "0" and o[5] == "trigger" for o in off), "who", off)
live.check("hrtimer_nanosleep" in r.stdout, "where it waited", r.stdout)
live.check(len(wake) >= 5 and all(re.fullmatch(r"\d+", w[-1]) for w in wake), "wake-ups, and who woke it", wake)

# what a thread leaves open that ends
for types, key in (("", ""), ("(struct task_struct *)", ", curthread")):
    for settings, want in (("", []), ("gc = 1m;", ["how 3", "how 3"])):
        r = live.dwell(
            "-qn",
            f"""tracker t {types} {{ threshold = 0; nested = 4; {settings} }}
syscall::lseek:entry /pid == $target && arg2 == 0/ {{ begin(t{key}); }}
syscall::lseek:entry /pid == $target && arg2 == 1/ {{ end(t{key}); }}
latency:t::all {{ printf("how %d\\n", args[0]->how); }}""",
            "-c",
            f"{T} track b1 b2 b3 e3",
        )
        live.same(
            [x for x in r.stdout.splitlines() if x], ["how 0"] + want, f"{types} {settings} open when the thread ended"
        )
        live.check(
            "tracker t: 2 events left out: their threads ended before they did" in r.stderr, "... and counted", r.stderr
        )
r = live.dwell(
    "-s",
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../dlib/latency/syscall.d"),
    "-c",
    "sh -c true",
)
live.check("threads ended before" not in r.stderr, "calls that end a thread are not lost", r.stderr)
live.done()
