# SPDX-License-Identifier: Apache-2.0
"""Setting nested: openings of one key are closed last first, in all kinds of places; what is too much is counted; none
is lost when several threads open and close the same key at once. And -x noself."""
import re
import tempfile

import live

T = live.TRIGGER


def program(keyed, n, clause):
    key = ", arg1" if keyed else ""
    return f"""tracker t {'(int64_t)' if keyed else ''} {{ threshold = 0; nested = {n}; }}
syscall::lseek:entry /execname == "trigger" && progenyof($ppid) && arg2 == 0/ {{ begin(t{key}); }}
syscall::lseek:entry /execname == "trigger" && progenyof($ppid) && arg2 == 1/ {{ this->p = pending(t{key}); end(t{key}); }}
{clause}"""


SHOW = (
    'latency:t::slow { printf("%d %d %s\\n", args[0]->delay / 1000, this->p == args[0]->delay, args[0]->opener_comm); }'
)
for keyed in (True, False):
    for n in (3, 64):
        what = f"{'a key' if keyed else 'a thread'}, {n} openings: "
        r = live.dwell(
            "-qn", program(keyed, n, SHOW), "-c", f"{T} track b1 s10000 b1 s20000 b1 e1 e1 e1 e1 s1000 b1 e1"
        )
        rows = [line.split() for line in r.stdout.splitlines() if line]
        d = [int(row[0]) for row in rows]
        live.check(
            len(d) == 4 and d[0] < 10000 <= 20000 <= d[1] < d[2] and d[2] >= 30000 and d[3] < 10000,
            what + "last first",
            r.stdout + r.stderr,
        )
        live.check(all(row[1:] == ["1", "trigger"] for row in rows), what + "pending() tells which one", rows)
        many = "b1 " * (n + 5) + "e1 " * (n + 5)
        r = live.dwell(
            "-x", "droptags", "-qn", program(keyed, n, "latency:t::all { @ = count(); }"), "-c", f"{T} track {many}"
        )
        live.check(
            r.stdout.split() == [str(n)]
            and "[DROP_TRACK_DEEP] tracker t: 5 events not tracked: their keys have been opened too often" in r.stderr,
            what + "and what is beyond",
            r.stdout + r.stderr,
        )

# several at once: what was opened and not counted as lost has been closed
COUNT = 'latency:t::all { @closed = count(); } syscall::lseek:entry /execname == "trigger" && progenyof($ppid) && arg2 == 0/ { @opened = count(); }'
pairs = "b1 e1 b2 e2 " * 3000
with tempfile.NamedTemporaryFile("w", suffix=".sh") as f:
    f.write(f"{T} track {pairs}&\n" * 3 + "wait\n")
    f.flush()
    r = live.dwell("-qn", program(True, 4, COUNT), "-c", f"/bin/sh {f.name}", timeout=60)
closed, opened = map(int, r.stdout.split())
lost = sum(map(int, re.findall(r"(\d+) events? not tracked", r.stderr)))
live.check(opened == 18000 and closed + lost == opened, "three processes with the same keys", r.stdout + r.stderr)

# with thread-locals and other clauses around, in all kinds of places
for keyed in (True, False):
    for n in (1, 4):
        p = (
            program(keyed, n, "latency:t::all { @[self->a] = count(); }")
            .replace("{ begin", "{ self->a = 1; begin")
            .replace("); }", "); self->a = arg1; this->x = pid; }", 1)
        )
        r = live.dwell("-q", "-x", "noself", "-n", p, "-c", f"{T} track b5 e5")
        live.same(r.stdout.split(), ["5", "1"], f"noself, {'a key' if keyed else 'a thread'}, {n}")

SELF = """tracker w (struct task_struct *) { threshold = 0; }
sdt:sched::sched_waking { begin(w, args[0]); }
sdt:sched::sched_switch { end(w, args[2]); }
sdt:sched::sched_switch /pid == $pid/ { @[\"switch\"] = count(); }
latency:w::slow { @[args[0]->pid == $pid ? \"self\" : \"others\"] = count(); }"""
for option, want in (("-q", {"switch", "self", "others"}), ("-qx noself", {"others"})):
    r = live.dwell(*option.split(), "-n", SELF, "-c", f"{T} track s100000 s100000")
    live.same({line.split()[0] for line in r.stdout.splitlines() if line.split()}, want, "dwell itself, " + option)
# a thread that ends before it closes
r = live.dwell(
    "-x",
    "droptags",
    "-qn",
    "tracker t { threshold = 1ms; } syscall::getppid:entry /pid == $target/ { begin(t); } "
    "syscall::getuid:entry /pid == $target/ { end(t); } latency:t::all { @ = count(); }",
    "-c",
    f"{T} getppid 1",
)
live.check(
    "[DROP_TRACK_EXITED] tracker t: 1 event left out: its thread ended before it did" in r.stderr,
    "a thread that ends",
    r.stderr,
)
live.done()
