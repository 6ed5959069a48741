# SPDX-License-Identifier: Apache-2.0
# @alone: it looks at what is slow on the whole machine
"""why(): waits in words: as keys, in records and recordings, with rules of one's own; wrong use."""
import json
import os

import live

os.chdir(live.WORK)
PROGRAM = """
#pragma D option quiet
sched:::off-cpu /pid == $target/ { self->t = timestamp; }
sched:::on-cpu /self->t && timestamp - self->t > 20000000/
{ @n[why(stack(64))] = count(); @t[why(stack())] = max((timestamp - self->t) / 1000000); @[execname, why(stack()), stack(1)] = count(); }
sched:::on-cpu { self->t = 0; }
END { printa("%s: %@d\\n", @n); printa("max %s: %@d\\n", @t); trunc(@); }
"""
WAITS = """
import os, select, subprocess, threading, time, fcntl
for i in range(3): time.sleep(0.05)
def later(f): threading.Timer(0.1, f).start()
r, w = os.pipe(); later(lambda: os.write(w, b"x")); os.read(r, 1)
select.select([], [], [], 0.05)
select.epoll().poll(0.05)
subprocess.run(["sleep", "0.1"])
"""
with open("waits.py", "w", encoding="utf-8") as f:
    f.write(WAITS)
with open("why.d", "w", encoding="utf-8") as f:
    f.write(PROGRAM)
COMMAND = ["-c", "python3 waits.py"]

r = live.dwell("-s", "why.d", "--record", "why.dwell", *COMMAND)
rows = dict(l.rsplit(": ", 1) for l in r.stdout.splitlines() if ": " in l)
for words, count in (
    ("sleep", 3),
    ("read: data in a pipe", 1),
    ("events (select)", 1),
    ("events (epoll)", 1),
    ("wait4: a child", 1),
):
    live.check(int(rows.get(words, 0)) >= count, f"{words}: {count}", r.stdout + r.stderr)
    live.check(int(rows.get("max " + words, 0)) >= 20, f"{words}: as long as it was", r.stdout)
live.check(len(rows) == len([l for l in r.stdout.splitlines() if ": " in l]), "one row for one cause", r.stdout)
rep = live.dwell("report", "why.dwell")
live.same(sorted(rep.stdout.split("\n")), sorted(r.stdout.split("\n")), "the report says the same")

r = live.dwell("--json", "-s", "why.d", *COMMAND)
found = [
    k
    for l in r.stdout.splitlines()
    if '"class"' in l
    for a in json.loads(l).get("aggregations", [])
    for k in [a]
    if "sleep" in json.dumps(k)
]
live.check('{"cause":"sleep","class":"time"}' in r.stdout, "JSON: cause and class", r.stdout[:3000] + str(found))

SLEEP = 'sched:::off-cpu /pid == $target/ { self->in = 1; } sched:::on-cpu /self->in/ { trace(why(stack())); why(stack(3)); self->in = 0; }'
r = live.dwell("-qn", SLEEP, "-c", "sleep 0.1")
live.check("  sleep  " in r.stdout, "in a record: all frames", r.stdout)
with open("mine", "w", encoding="utf-8") as f:
    f.write('# my own\nwait device "my nap" alone:\n\tdo_nanosleep\n')
r = live.dwell("-x", "causes=mine", "-qn", SLEEP, "-c", "sleep 0.1")
live.check(
    "  my nap  " in r.stdout and r.returncode == 0, "-x causes: rules of one's own go before", r.stdout + r.stderr
)
with open("broken", "w", encoding="utf-8") as f:
    f.write('wait device "my nap" alone:\n\tdo_nanosleep\nwait nothing "x": y\n')
r = live.dwell("-x", "causes=broken", "-qn", SLEEP, "-c", "sleep 0.1")
live.check(
    r.returncode == 1 and "broken:3: 'nothing' is no class of waits" in r.stderr,
    "a broken rule: file and line",
    r.stderr,
)
r = live.dwell("-x", "causes=absent", "-qn", SLEEP, "-c", "sleep 0.1")
live.check(r.returncode == 1 and "cannot open absent: No such file" in r.stderr, "no such file", r.stderr)

for what, message in (
    ("why()", "takes one kernel stack"),
    ("why(stack(), 1)", "takes one kernel stack"),
    ("why(1)", "why( ) takes a kernel stack, not 'int'"),
    ("why(ustack())", "why( ) takes a kernel stack"),
):
    r = live.dwell("-xerrtags", "-en", f"BEGIN {{ @[{what}] = count(); }}")
    live.check(
        r.returncode == 1 and message in r.stderr and "D_STACK_PROTO" in r.stderr, f"{what} is refused", r.stderr
    )
r = live.dwell("-en", "BEGIN { self->x = why(stack()); }")
live.check(r.returncode == 1, "a cause is no value of a variable", r.stderr)
r = live.dwell("-en", 'BEGIN { printf("%d", why(stack())); }')
live.check(r.returncode == 1 and "cause of a wait" in r.stderr, "a cause is no number", r.stderr)
live.done()
