# SPDX-License-Identifier: Apache-2.0
"""Requests that programs mark: by what they write to /dev/null, across processes, and by two probes."""
import json
import os
import re

import live

MARKS = r"""
import os, subprocess, time
null = os.open("/dev/null", os.O_WRONLY)
other = os.open("other", os.O_WRONLY | os.O_CREAT)
t = [time.monotonic()]
def mark(text, fd=null):
    os.write(fd, text.encode())
mark("dwell+one")
mark("dwell+" + "x" * 31)
mark("dwell+never")
mark("dwell-nobody began this")
mark("dwell+other", other)
mark("dwell+")
mark("something else")
time.sleep(0.06)
mark("dwell-" + "x" * 31)
mark("dwell-other", other)
begun = time.monotonic_ns()
mark("dwell+two")
time.sleep(0.08)
# Whose process is gone when its event is looked at belongs to nobody.
subprocess.run(["sh", "-c", "echo dwell-one >/dev/null; echo dwell+shell >/dev/null; sleep 0.04; echo dwell-shell >/dev/null; sleep 1"])
mark("dwell-two\n")
print("two", time.monotonic_ns() - begun)
"""


def events(r):
    return [json.loads(line) for line in r.stdout.splitlines() if line.startswith('{"type":"latency-slow"')]


os.chdir(live.WORK)
with open("marks.py", "w", encoding="utf-8") as f:
    f.write(MARKS)
r = live.dwell("latency", "request", "--over", "30ms", "--json", "-c", "python3 marks.py")
live.same(r.stderr, "", "no message")
ms = {re.sub(r"^the end of request ", "", e["cause"]): e["delay_ns"] / 1e6 for e in events(r)}
live.same(sorted(ms), ["one", "shell", "two", "x" * 31], "the requests that began and ended")
truth = int(re.search(r"^two (\d+)$", r.stdout, re.M)[1]) / 1e6
live.check(abs(ms["two"] - truth) < max(0.05 * truth, 0.5), "as long as the program measured", (ms, truth))
live.check(140 <= ms["one"] < 400 and 60 <= ms["x" * 31] < 80 + 40 and 40 <= ms["shell"] < 120, "the others", ms)

# two probes of a thread; and of whoever has the same arg0
nap = "syscall::clock_nanosleep:entry,syscall::clock_nanosleep:return"
with open("naps.py", "w", encoding="utf-8") as f:
    f.write("import time\nfor s in (0.05, 0.01, 0.06, 1):\n    time.sleep(s)\n")
r = live.dwell("latency", "--request", nap, "--over", "30ms", "--json", "-c", "python3 naps.py")
ms = [e["delay_ns"] / 1e6 for e in events(r)][:2]
live.check(len(ms) == 2 and 50 <= ms[0] < 70 and 60 <= ms[1] < 80, "between two probes of a thread", r.stdout + r.stderr)
# lseek(fd 0…): the trigger's keys are the second argument, its first one is the same descriptor in all
lseek = "syscall::lseek:entry,syscall::getppid:entry"
r = live.dwell("latency", "--request", lseek + ",arg0", "--over", "1ms", "--for", "1s", "--json", "-c", f"{live.TRIGGER} track b1 s2000 e1")
live.same(r.returncode, 0, "requests by arg0 run")
for wrong, why in (("syscall::read:entry", "wants two probes"), ("a:::b,c:::d,arg1", "wants two probes"),
                   ("dwellnone:::a,dwellnone:::b", "dwellnone:::a")):
    r = live.dwell("latency", "--request", wrong, "--for", "1s")
    live.check(r.returncode != 0 and why in r.stderr, "wrong: " + wrong, r.stderr)
with open("naps.py", "w", encoding="utf-8") as f:
    f.write("import time\nfor s in (0.05, 0.01, 0.06, 1):\n    time.sleep(s)\n")
r = live.dwell("latency", "--request", nap, "--request", nap)
live.check(r.returncode == 2 and "once" in r.stderr, "two of them", r.stderr)
live.done()
