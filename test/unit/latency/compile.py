#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every program of dlib/latency compiles without a message, with all values of its parameters that its text names, and
with settings that were changed: usage compile.py DWELL FOLDER. Skipped where the kernel's types or probes cannot be read."""
import os
import re
import subprocess
import sys

DWELL, FOLDER = sys.argv[1:]
# Values of parameters beside their default, by type; those of the name go first.
VALUES = {
    "begin": ["syscall::read:entry"],
    "end": ["syscall::read:return"],
    "by": ["1", "2"],
    "every": ["1", "1s"],
    "comm": ["sh"],
    "int": ["1"],
    "string": ["x"],
    "time": ["1ms"],
}
failures = 0


def compiles(args, what, old_kernel):
    global failures
    r = subprocess.run([DWELL, "-e", *args], capture_output=True, text=True, timeout=60)
    if old_kernel and "does not match any probes" in r.stderr:
        print(f"ok - {what} # SKIP this kernel has not what it says it needs")
        return
    good = r.returncode == 0 and not r.stderr and not r.stdout
    print(("ok - " if good else "not ok - ") + what)
    if not good:
        failures += 1
        print("# " + "\n# ".join((r.stdout + r.stderr).splitlines()[:10]))


if subprocess.run(
    [DWELL, "-e", "-qn", "sdt:sched::sched_switch { trace(args[1]->pid); }"], capture_output=True
).returncode:
    print("1..0 # SKIP no types or probes of the kernel")
    sys.exit(77)
n = 0
for name in sorted(f for f in os.listdir(FOLDER) if f.endswith(".d")):
    path = os.path.join(FOLDER, name)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    # Clauses of trackers that other files declare.
    others = sorted(set(re.findall(r"^latency:(\w+):", text, re.M)) - set(re.findall(r"^tracker (\w+)", text, re.M)))
    beside = [a for o in others for a in ("-s", os.path.join(FOLDER, o + ".d"))]
    given = []
    for param in re.findall(r'^#pragma D param (\w+) \w+ "[^"]*"$', text, re.M):  # without it there is nothing
        given += ["--" + param, VALUES[param][0]]
    runs = [[]]
    for param, kind in re.findall(r"^#pragma D param (\w+) (\w+)", text, re.M):
        values = [v for v in VALUES.get(param, VALUES[kind]) if kind != "int" or v.isdigit()]
        runs += [["--" + param, v] for v in values]
    if name == "flight.d":  # comes along with the option
        beside, path = ["-x", "flight=10ms"], os.path.join(FOLDER, "wakeup.d")
    for r in runs:
        compiles([*beside, "-s", path, *given, *r], name + " ".join(["", *r]), "Needs Linux" in text)
    n += len(runs)
print(f"1..{n}")
sys.exit(1 if failures else 0)
