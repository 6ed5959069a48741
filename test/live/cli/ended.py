# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""How the command of -c, of --, or the process of -p ended is said as dtrace says it, by all commands that take one; no path of dwell's own is shown."""
import os
import re
import subprocess

import live

for name, body in (
    ("fails", "exit 7"),
    ("crashes", "kill -SEGV $$"),
    ("works", "exit 0"),
    ("realtime", "kill -RTMIN+3 $$"),
):
    with open(name, "w", encoding="ascii") as f:
        f.write(f"#!/bin/sh\n{body}\n")
    os.chmod(name, 0o755)
HOW = {
    "fails": "exited with status 7",
    "crashes": "terminated by SIGSEGV",
    "works": "has exited",
    "realtime": "terminated by signal 37",
}


def last(r):
    return re.sub(
        r"pid \d+", "pid N", "\n".join(l for l in live.complaints(r).splitlines() if "pid" in l and "matched" not in l)
    )


for name, how in HOW.items():
    r = live.dwell("-n", "BEGIN", "-c", "./" + name)
    live.same((last(r), r.returncode), (f"dwell: pid N {how}", 0), f"-c {name}")
r = live.dwell("-qn", "BEGIN", "-c", "./crashes")
live.same(live.complaints(r), "", "-q: dtrace says nothing")
r = live.dwell("-n", "BEGIN { exit(0); }", "-c", "sleep 100")
live.same(last(r), "", "a command that dwell ends has not ended")

# The signal that ends a process is the one that was sent, though the kernel delivers SIGKILL in its place.
for sig in ("USR1", "SEGV", "KILL"):
    with open("by-" + sig, "w", encoding="ascii") as f:
        f.write(f"#!/bin/sh\nkill -{sig} $$\n")
    os.chmod("by-" + sig, 0o755)
    r = live.dwell(
        "-qn",
        'proc:::signal-handle, signal:::handle /pid == $target/ { printf("%s %d\\n", probeprov, arg0); }',
        "-c",
        "./by-" + sig,
    )
    want = {"USR1": 10, "SEGV": 11, "KILL": 9}[sig]
    live.same(sorted(set(r.stdout.split("\n"))), ["", f"proc {want}", f"signal {want}"], f"delivered: SIG{sig}")

COMMANDS = {
    "latency": (["latency", "-c", "{}"], ["latency", "--", "{}"]),
    "latency why": (["latency", "why", "-c", "{}"], ["latency", "why", "--", "{}"]),
    "flame": [["flame", p, "-o", "x.svg", "-c", "{}"] for p in ("--on-cpu", "--off-cpu", "--wakeup")],
    "timeline": (["timeline", "-o", "x.html", "-c", "{}"], ["timeline", "-o", "x.html", "--", "{}"]),
    "hist": [
        ["hist", "-n", "syscall:::entry { @ = quantize(1); }", "-c", "{}"],
        ["hist", "-n", "syscall::acct:entry { @ = quantize(1); }", "-c", "{}"],
    ],
}
for what, calls in COMMANDS.items():
    for call in calls:
        for name in ("crashes", "fails"):
            r = live.dwell(*(w.replace("{}", "./" + name) for w in call), timeout=60)
            live.same(last(r), f"dwell: pid N {HOW[name]}", f"{' '.join(call)} {name}")
            live.check("dwell-live" not in r.stderr, "… no path of dwell's own", r.stderr)
            if r.returncode:
                live.check(
                    re.search("no samples: .*let it run longer|nothing was recorded", r.stderr),
                    "… without samples it says what helps",
                    r.stderr,
                )
r = live.dwell("timeline", "-o", "x.html", "-c", "./works", timeout=60)
live.same(last(r), "", "a command that works is not worth a line")

# -p: the parent fetches the status at once, or much later.
for fetch in (True, False):
    for body, how in (
        ("exit 5", "exited with status 5"),
        ("kill -ABRT $$", "terminated by SIGABRT"),
        ("exit 0", "has exited"),
    ):
        p = subprocess.Popen(["sh", "-c", f"read x; {body}"], stdin=subprocess.PIPE)
        d = subprocess.Popen(
            [live.DWELL, "-n", 'BEGIN { printf("up\\n"); }', "-p", str(p.pid)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        while "up" not in d.stdout.readline():
            pass
        p.stdin.close()
        if fetch:
            p.wait()
        err = d.communicate(timeout=20)[1]
        p.wait()
        said = re.findall(r"^dwell: pid \d+ (.*)$", err, re.M)
        live.check(
            said == [how]
            or (
                fetch
                and said == ["has exited"]
                and tuple(map(int, re.findall(r"\d+", os.uname().release)[:2])) < (6, 15)
            ),
            f"-p: {how}, fetched {'at once' if fetch else 'later'}",
            err,
        )
live.done()
