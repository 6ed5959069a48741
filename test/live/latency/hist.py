# SPDX-License-Identifier: Apache-2.0
"""The histogram that every tracker keeps, by the second in which events ended. It has exactly as many events as there were,
with their sum and maximum, in the right buckets. Clauses of programs that interrupt each other may close the events.
Two dwells may run at once, and processes may end or exec with open events."""
import os
import sqlite3
import subprocess
import tempfile
import time

import live

T = live.TRIGGER
OF = "threshold = 1h;"
PROGRAMS = {
    "keys": f"""tracker t (int64_t) {{ {OF} }}
syscall::lseek:entry /execname == "trigger" && progenyof($ppid) && arg2 == 0/ {{ begin(t, arg1); }}
syscall::lseek:entry /execname == "trigger" && progenyof($ppid) && arg2 == 1/ {{ end(t, arg1); }}""",
    "threads": f"""tracker t (struct task_struct *) {{ {OF} }}
sdt:sched::sched_waking {{ begin(t, args[0]); }} sdt:sched::sched_switch {{ end(t, args[2]); }}""",
    "many places": f"""tracker t (struct task_struct *) {{ {OF} }}
sdt:sched::sched_switch {{ begin(t, args[1]); end(t, args[2]); }}
sdt:sched::sched_waking {{ end(t, args[0]); begin(t, args[0]); }}
sdt:raw_syscalls::sys_enter {{ begin(t, curthread); }} sdt:raw_syscalls::sys_exit {{ end(t, curthread); }}
sdt:irq::softirq_entry {{ end(t, curthread); }}""",
}
CHECK = """latency:t::all /!args[0]->how/ { this->s = timestamp / 1000000000; @n[this->s] = count(); @sum[this->s] = sum(args[0]->delay);
    @max[this->s] = max(args[0]->delay); @hist[this->s] = hist(args[0]->delay); }
END { printa("row %d %@d %@d %@d\\n", @n, @sum, @max); clear(@n); clear(@sum); clear(@max); trunc(@n); trunc(@sum); trunc(@max); trunc(@hist); }"""
SCRIPT = "B30 s5000 E30 " * 20 + "s900000 " + "b1 s200 e1 " * 300 + "s600000 B9 E9"


def run(program, command):
    """What the clauses saw by second, and what the histogram in the recording says."""
    with tempfile.TemporaryDirectory(prefix="dwell-hist-") as d:
        path = os.path.join(d, "r.dwell")
        r = live.dwell("-q", "-x", f"record={path}", "-n", program + CHECK, "-c", command, timeout=60)
        rows = {
            int(s): (int(n), int(total), int(longest))
            for s, n, total, longest in (line.split()[1:] for line in r.stdout.splitlines() if line.startswith("row "))
        }
        c = sqlite3.connect(path)
        source = c.execute("select id from tracker").fetchone()[0]
        hist = {
            s // 1000000000: v
            for s, *v in c.execute(
                "select start, count, sum, max from hist where source = ? and period = 1000000000", (source,)
            )
        }
        c.close()
    return r, rows, {s: tuple(v) for s, v in hist.items()}


for what, program in PROGRAMS.items():
    r, rows, hist = run(program, f"{T} track {SCRIPT}")
    live.check(
        len(rows) >= 2 and sum(n for n, _, _ in rows.values()) >= 200,
        what + ": events in several seconds",
        r.stdout + r.stderr,
    )
    if what == "many places":  # maxima of seconds are kept without atomic instructions
        rows, hist = ({s: v[:2] for s, v in x.items()} for x in (rows, hist))
    live.same(hist, rows, what + ": each second as it was")

# two at once see the same, each for itself
a = subprocess.Popen(
    [live.DWELL, "-qn", PROGRAMS["keys"] + "latency:t::all { @ = count(); }"], stdout=subprocess.PIPE, text=True
)
time.sleep(0.7)
r = live.dwell("-qn", PROGRAMS["keys"] + "latency:t::all { @ = count(); }", "-c", f"{T} track B100 E100")
a.send_signal(2)
live.same([r.stdout.split(), a.communicate(timeout=20)[0].split()], [["100"], ["100"]], "two at once")

# threads that end, or become another program, with events open: the next thread of that number starts afresh
LIFE = """tracker t { threshold = 0; }
syscall::lseek:entry /progenyof($target) && arg2 == 0/ { begin(t); }
syscall::lseek:entry /progenyof($target) && arg2 == 1/ { end(t); }
latency:t::all { printf("%s %d\\n", args[0]->comm, args[0]->delay / 1000000); }"""
with tempfile.NamedTemporaryFile("w", suffix=".sh") as f:
    f.write(f"for i in 1 2 3 4 5 6 7 8; do {T} track b1; {T} track e1; done\n" f"exec {T} track b1 s20000 e1\n")
    f.flush()
    r = live.dwell("-qn", LIFE, "-c", f"/bin/sh {f.name}")
rows = [line.split() for line in r.stdout.splitlines() if line.split()]
live.check(
    len(rows) == 1 and rows[0][0] == "trigger" and int(rows[0][1]) >= 20,
    "threads that end with an event open",
    r.stdout + r.stderr,
)
live.done()
