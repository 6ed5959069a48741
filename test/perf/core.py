#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long commands of `dwell core` on a core of Node take, and how much memory. usage: core.py DWELL CORE CONSTRUCTOR

A core: (ulimit -c unlimited; node --max-old-space-size=8000 test/perf/coreplant.js), with `core` in /proc/sys/kernel/core_pattern."""
import re
import subprocess
import sys
import time

dwell, core, constructor = sys.argv[1:4]
p = subprocess.Popen([dwell, "core", core], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def cpu():
    with open(f"/proc/{p.pid}/stat", encoding="ascii") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def run(line):
    """The lines of a command; ::dcmds ends them, whose last line is known."""
    wall, before, out = time.monotonic(), cpu(), []
    p.stdin.write(line + "\n::dcmds ! tail -1\n")
    p.stdin.flush()
    while (text := p.stdout.readline()) and not text.startswith("::whatis"):
        out.append(text)
    with open(f"/proc/{p.pid}/status", encoding="ascii") as f:
        peak = int(re.search(r"VmHWM:\s+(\d+)", f.read())[1]) // 1024
    print(
        f"{line}: {time.monotonic() - wall:.2f} s, CPU {cpu() - before:.2f} s, peak {peak} MB, {len(out)} lines",
        flush=True,
    )
    return out


first = next(x for x in run("::findjsobjects") if re.search(rf"\b{constructor}:", x)).split()[0]
for command in ("::findjsobjects", f"{first}::findjsobjects -r", f"{first}::jspath", "::jsretained"):
    run(command)
p.stdin.close()
p.wait()
