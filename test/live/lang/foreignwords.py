# SPDX-License-Identifier: Apache-2.0
"""Words of bpftrace get a hint at what D has; $target without a process says so."""
import live

for program, hint in (
    ("BEGIN { trace(comm); }", "comm is bpftrace's; in D: execname"),
    ("BEGIN { @[kstack] = count(); }", "in D: stack()"),
    ("BEGIN { trace(str(1)); }", "str is bpftrace's; in D: copyinstr()"),
    ("kprobe:vfs_read { }", "in D: fbt::FUNCTION:entry"),
    ("tracepoint:sched:sched_switch { }", "in D: sdt:GROUP::EVENT"),
    ("interval:s:1 { }", "in D: tick-1s"),
    ("pid$target:libc.so.6:malloc:entry { }", "$target is 0: -p PID or -c COMMAND is missing"),
):
    r = live.dwell("-en", program)
    live.check(r.returncode == 1 and "hint: " in r.stderr and hint in r.stderr, program, r.stderr)
r = live.dwell("-en", "BEGIN { trace(execnam); }")
live.check("did you mean execname?" in r.stderr, "other words as before", r.stderr)
live.done()
