# SPDX-License-Identifier: Apache-2.0
"""instr at its limits, in a guest: 1000 functions and 2000 instructions are taken by one description, one more of each is refused.

Which patterns match just so many is found by adding up how many functions, or instructions, begin with which letters.
"""
import collections
import re
import subprocess

MAX_FUNCS, MAX_PROBES = 1000, 2000
LIST = "/sys/kernel/tracing/available_filter_functions"
FIRST, LONGER = "d", "do_"  # what begins so is nothing that tracing itself calls
SECS = 150


def exactly(counts, want):
    """Keys whose counts add up to the number; None: no such."""
    ways = {0: ()}
    for key, n in sorted(counts.items()):
        for total, keys in list(ways.items()):
            if total + n <= want:
                ways.setdefault(total + n, keys + (key,))
    return ways.get(want)


def pattern(start, keys):
    return f"{start}[{''.join(keys)}]*"


def dwell(opt, *args):
    p = subprocess.run(
        [opt.dwell, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECS, check=False
    )
    return p.returncode, p.stdout, p.stderr


def functions(opt, say):
    with open(LIST, encoding="ascii") as f:
        names = [l.split()[0] for l in f if "[" not in l and re.match(FIRST + "[a-z_]", l)]
    counts = collections.Counter(n[len(FIRST)] for n in names)
    for want in (MAX_FUNCS, MAX_FUNCS + 1):
        keys = exactly(counts, want)
        if not keys:
            say(False, f"instr: a pattern of {want} functions", [str(counts)])
            continue
        _, _, err = dwell(opt, "-l", "-n", f"instr:vmlinux:{pattern(FIRST, keys)}:popcnt")
        refused = "more than 1000 functions would be looked into" in err
        say(refused == (want > MAX_FUNCS), f"instr: {want} functions", [pattern(FIRST, keys), *err.splitlines()[:4]])


def probes(opt, say):
    _, out, err = dwell(opt, "-l", "-n", f"instr:vmlinux:{LONGER}[a-z]*:branch")
    counts = collections.Counter(
        m.group(1) for m in re.finditer(rf"^ *\d+ +instr +vmlinux +{LONGER}([a-z])\S* 0x", out, re.M)
    )
    for want in (MAX_PROBES, MAX_PROBES + 1):
        keys = exactly(counts, want)
        if not keys:
            say(False, f"instr: a pattern of {want} instructions", [str(counts), *err.splitlines()[:4]])
            continue
        code, _, err = dwell(opt, "-e", "-n", f"instr:vmlinux:{pattern(LONGER, keys)}:branch {{ @ = count(); }}")
        refused = f"it matches {want} instructions" in err
        say(
            (refused, code) == ((True, 1) if want > MAX_PROBES else (False, 0)),
            f"instr: {want} instructions",
            [pattern(LONGER, keys), *err.splitlines()[:4]],
        )


def check(opt, say):
    functions(opt, say)
    probes(opt, say)
