# SPDX-License-Identifier: Apache-2.0
# @timeout: 150
# @alone: its memory is looked at
# @long: a month in a minute
"""The memory of dwell latency --daemon under thousands of processes, threads and keys: at most what the manual says, and no more
once the tables of processes are full. Files are changed every few seconds meanwhile: a month in a minute."""
import os
import subprocess
import time

import live

os.chdir(live.WORK)
BOUND_KB = 96 << 10  # doc/daemon.md
GROWTH_KB = 3 << 10
SECONDS = 100
FILLS = 80000  # processes: more than the tables of processes hold (SYM_MAX_PROCS)


def load():
    made = 0
    for args in (["storm", "700"], ["execs", "60"], ["threads", "400"], ["contend", "100", "8"], ["keys", "2000"]):
        subprocess.run([live.TRIGGER, *args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        made += int(args[1]) if args[0] in ("storm", "execs", "threads") else 0
    return made


with live.Daemon(
    "wakeup",
    "offcpu",
    "block",
    "irq",
    "softirq",
    "lock",
    "reclaim",
    "syscall",
    "futex",
    "process",
    "--over",
    "200us",
    "--rotate-age",
    "4s",
    "--rotate-size",
    "2m",
    "--keep",
    "4",
    "--metrics",
    "0",
    "-x",
    "maxcpu=100%",
) as d:
    live.dwell("ctl", d.p.pid, "set", "syscall.limit=5000")
    made, seen, end, full = 0, [], time.monotonic() + SECONDS, 0
    while time.monotonic() < (full + 12 if full else end):
        made += load()
        seen.append((time.monotonic(), d.memory()))
        full = full or (made > FILLS and time.monotonic())
    if not full:  # a busy machine: the tables are not full, and may still grow
        print(f"# only {made} processes and threads in {SECONDS} s: growth is not judged")
    settled = full + 2 if full else seen[-1][0] - 1
    first, then = max(kb for t, kb in seen if t <= settled), max(kb for t, kb in seen if t > settled)
    n = sum(v for k, v in d.metrics().items() if k.startswith("dwell_slow_events_total"))
    print(
        f"# {made} processes and threads, {n:.0f} slow events, {d.messages().count('goes on in')} changes of files; "
        f"{seen[0][1]} kB at first, {first} then, {then} at most, {seen[-1][1]} at the end"
    )
    live.check(
        made > 5000 and n > 1000 and d.messages().count("goes on in") > 5, "there was something to do", d.messages()
    )
    live.check(d.memory("VmHWM") < BOUND_KB, "memory is bounded", str(d.memory("VmHWM")))
    live.check(not full or then < first + GROWTH_KB, "and does not grow", str(seen))
    live.check(len(d.files()) <= 5, "nor does the folder", str(d.files()))
    live.same(d.end(), 0, "ends")
live.done()
