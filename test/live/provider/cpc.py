# SPDX-License-Identifier: Apache-2.0
"""cpc: every event, every tenth, by mode; pages that a program touches, context switches that the scheduler
makes; names that are refused and why."""
import os

import live

PAGES = 2000
T = live.TRIGGER


def run(program, command):
    return live.dwell("-qn", program, "-c", f"{T} {command}")


def touched(probe):
    """Firings in touch_pages()."""
    r = run(probe + " /pid == $target/ { @[ufunc(arg1)] = count(); } END { printf(\"end\\n\"); }", f"faults {PAGES}")
    live.check("end" in r.stdout, probe + " runs", r.stdout + r.stderr)
    return sum(int(line.split()[-1]) for line in r.stdout.split("\n") if "touch_pages" in line)


live.same(touched("cpc:::page-faults-all-1"), PAGES, "each page fault")
live.same(touched("cpc:::page_faults-user-1"), PAGES, "each page fault in user mode, by the name with _")
live.same(touched("cpc:::faults-kernel-1"), 0, "none of them is in kernel mode")
live.same(touched("cpc:::major-faults-all-1"), 0, "none of them reads a disk")
n = touched("cpc:::minor-faults-all-10")
live.check(PAGES / 10 * 0.7 <= n <= PAGES / 10 * 1.3, "every tenth minor fault", n)

r = run(
    "cpc:::context-switches-all-1 /pid == $target/ { cs++; } rawtp:::sched_switch /pid == $target/ { tp++; } "
    'END { printf("%d %d\\n", cs, cs == tp); }',
    "contend 200 2",
)
count, same = r.stdout.split()
live.check(int(count) > 2 and same == "1", "context switches are those of the scheduler", r.stdout + r.stderr)

r = live.dwell("-l", "-P", "cpc")
live.check("page-faults-all-1000" in r.stdout and "cpu-cycles-all-1000000000" in r.stdout, "listed", r.stdout)
first = [line for line in r.stdout.split("\n") if "page-faults-all" in line][0].split()[0]
r = live.dwell("-l", "-i", first)
live.check("page-faults-all-1000" in r.stdout, "the id finds it", r.stdout + r.stderr)

for name, words in (
    ("page-faults-all-0", "a positive number"),
    ("page-faults-all-x", "a positive number"),
    ("page-faults-all-99999999999999999999", "a positive number"),
    ("nothing-all-10", "no such event"),
    ("cpu-clock-all-1000", "200000 or more"),
    ("page-faults-none-10", "does not match any probes"),
):
    r = live.dwell("-n", "cpc:::" + name)
    live.check(r.returncode == 1 and words in r.stderr, "refused: " + name, r.stderr)

# An idle CPU of a virtual machine may be off: its timers do not fire. So programs keep them busy.
last = max(os.sched_getaffinity(0))
with live.busy_cpus():
    r = live.dwell(
        "-q",
        "-x",
        f"cpu={last}",
        "-n",
        'cpc:::cpu-clock-all-10000000 { @[cpu] = count(); } tick-300ms { exit(0); } END { printa("%d\\n", @); }',
    )
live.same(r.stdout.split(), [str(last)], "-x cpu: on that one only")

# a page fault has an address: the program's own memory, or that of its libraries
r = run("cpc:::page-faults-user-1 /pid == $target/ { @low = min(arg2); @high = max(arg2); }", "spin 20")
low, high = (int(n) for n in r.stdout.split())
live.check(0x1000 < low <= high < 1 << 63, "arg2: the address of a fault", r.stdout + r.stderr)

# events of the CPU: they fire, or the reason is said
r = run("cpc:::cpu-cycles-user-1000000 { @ = count(); } END { printf(\"end\\n\"); }", "spin 200")
live.check(
    ("end" in r.stdout and int(r.stdout.split()[-1]) > 0)
    if r.returncode == 0
    else "no performance monitoring unit" in r.stderr,
    "cycles, or why not",
    r.stdout + r.stderr,
)
live.done()
