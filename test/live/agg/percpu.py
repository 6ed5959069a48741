# SPDX-License-Identifier: Apache-2.0
"""-x aggpercpu: the values of each CPU below the whole."""
import re

import live

prog = (
    'syscall::getppid:entry /progenyof($target)/ { @n["calls"] = count(); @[1] = max(5); }'
    'END { printa(@n); printa("%s %@d\\n", @n); }'
)
r = live.dwell("-q", "-x", "aggpercpu", "-n", prog, "-c", live.TRIGGER + " threads 64")
m = re.search(r"^  calls +(\d+)((?:\n    \[CPU \d+\] +\d+)+)\n", r.stdout, re.M)
live.check(m, "a line for each CPU", r.stdout + r.stderr)
if m:
    cpus = re.findall(r"\[CPU (\d+)\] +(\d+)", m.group(2))
    live.same([int(c) for c, _ in cpus], list(range(len(cpus))), "the CPUs in order")
    live.same((sum(int(n) for _, n in cpus), m.group(1)), (64, "64"), "they add up to the whole")
live.check("\ncalls 64\n" in r.stdout, "a format shows the whole only", r.stdout)
live.same(max(int(n) for n in re.findall(r"\[CPU \d+\] +(\d+)", r.stdout.split("calls 64")[1])), 5, "max() at the end")
r = live.dwell("-q", "-n", prog, "-c", live.TRIGGER + " threads 2")
live.check("[CPU" not in r.stdout, "not without the option", r.stdout)
live.done()
