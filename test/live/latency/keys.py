# SPDX-License-Identifier: Apache-2.0
"""Trackers with keys: delays, who opened, exit ids, keys that nobody opened, openings of an open key, a full
table; all three kinds of places."""
import re

import live

T = live.TRIGGER
OPEN = "syscall::lseek:entry /pid == $target && arg2 == 0/"
CLOSE = "syscall::lseek:entry /pid == $target && arg2 == 1/"


def run(program, script, *options):
    return live.dwell("-q", *options, "-n", program, "-c", f"{T} track {script}")


def rows(r):
    return [line.split() for line in r.stdout.splitlines() if line.startswith("ev ")]


KEYED = """tracker t (int64_t, string) { threshold = 15ms; }
%s { begin(t, arg1, execname); }
%s { end(t, arg1, execname, arg1 * 10); }
latency:t::slow, latency:t::all { printf("ev %%s %%d %%s %%d %%d %%d %%d %%s %%d\\n", probename, args[1], args[2],
    args[0]->delay / 1000, args[0]->id, args[0]->how, args[0]->pid == $target && args[0]->tid == tid,
    args[0]->comm, timestamp - args[0]->start == args[0]->delay && arg0 == args[0]->delay && arg1 == args[1]); }
""" % (
    OPEN,
    CLOSE,
)

r = run(KEYED, "e9 b1 s20000 b2 s3000 e1 s1000 e2 e2 b1 e1")
got = rows(r)
live.same(
    [g[1:3] for g in got], [["all", "1"], ["slow", "1"], ["all", "2"], ["all", "1"]], "the right events, in order"
)
live.check(
    all(g[3] == "trigger" and g[5] == g[2] + "0" and g[6:] == ["0", "1", "trigger", "1"] for g in got),
    "exit id, how, opener, keys, start",
    r.stdout + r.stderr,
)
delays = [int(g[4]) for g in got]
live.check(
    23000 <= delays[0] and delays[0] == delays[1] and 4000 <= delays[2] < delays[0] and delays[3] < 1000,
    "delays",
    delays,
)

# one opening replaces another: that one ends then
r = run(KEYED, "b1 s20000 b1 s2000 e1 e1")
got = rows(r)
live.same([(g[1], g[6]) for g in got], [("all", "2"), ("slow", "2"), ("all", "0")], "an open key is opened again")
live.check(int(got[0][4]) >= 20000 > int(got[2][4]) >= 2000, "both delays", r.stdout)

# a full table: nothing is lost but what does not fit
FULL = """tracker t (int64_t) { size = 64; }
%s { begin(t, arg1); } %s { end(t, arg1); }
latency:t::all { @ = count(); } END { printa("ev %%@d\\n", @); }
""" % (
    OPEN,
    CLOSE,
)
r = run(FULL, "B64 E64")
live.same(rows(r), [["ev", "64"]], "as many keys as size")
r = run(FULL, "B200 E200", "-x", "droptags")
live.check(64 <= int(rows(r)[0][1]) < 200, "more keys than size", r.stdout + r.stderr)

live.check(
    "[DROP_TRACK_FULL] tracker t: 136 events not tracked: no room for their keys (setting size)" in r.stderr,
    "what found no room is counted",
    r.stderr,
)

# 100,000 open keys
r = run(FULL.replace("size = 64", "size = 131072"), "B100000 E100000")
live.same(rows(r), [["ev", "100000"]], "100,000 open keys")

# the thread's own, and pending()
THREAD = """tracker t { threshold = 10ms; }
%s { begin(t); } %s { printf("ev pending %%d\\n", pending(t) / 1000); end(t); printf("ev then %%d\\n", pending(t)); }
latency:t::slow { printf("ev slow %%d %%d %%d %%s %%d\\n", args[0]->delay / 1000, args[0]->tid == tid, args[0]->pid == pid,
    args[0]->comm, args[0]->cgroup == cgroup); stack(); trace(args[0]->stack); }
""" % (
    OPEN,
    CLOSE,
)
r = run(THREAD, "e1 b1 s20000 e1 s1 b1 e1")
got = rows(r)
live.check([g[1] for g in got].count("slow") == 1, "one slow event of the thread", r.stdout + r.stderr)
live.check(
    got[0][2] == "0" and all(g[2] == "0" for g in got if g[1] == "then"), "pending is 0 where none is open", r.stdout
)
slow = [g for g in got if g[1] == "slow"][0]
live.check(int(slow[2]) >= 20000 and slow[3:] == ["1", "1", "trigger", "1"], "who it was", slow)
live.check(len(re.findall(r"`\w+\+0x", r.stdout)) >= 4, "its stack", r.stdout)
# where the thread that opened a key waits, and where it closes that itself
PROGRAM = """tracker t (int64_t) { threshold = 0; }
syscall::lseek:entry /pid == $target && arg2 == 0/ { begin(t, arg1); }
syscall::lseek:entry /pid == $target && arg2 == 1/ { end(t, arg1); }
sdt:sched::sched_waking /args[0]->tgid == $target/ { end(t, 7); }
latency:t::slow { printf("closed %d\\n", arg1); trace(args[0]->stack); @[arg1, args[0]->stack] = count(); }"""
r = live.dwell("-qn", PROGRAM, "-c", f"{live.TRIGGER} track b1 b7 s100000 e1")
seven, one = r.stdout.find("closed 7"), r.stdout.find("closed 1")
live.check(0 <= seven < one and "hrtimer_nanosleep" in r.stdout[seven:one], "the stack of who opened a key", r)
live.check(
    "hrtimer_nanosleep" not in r.stdout[one:].split("1", 2)[1] and "do_syscall_64" in r.stdout[one:],
    "... of who closes it himself",
    r.stdout,
)
live.check(r.stdout.count("hrtimer_nanosleep") == 2, "as a key of an aggregation", r.stdout)
live.done()
