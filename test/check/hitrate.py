#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many planted faults `dwell check` finds, and how many it ranks first; how often it finds something where nothing is.

usage: hitrate.py DWELL TRIGGER [FAULT...] [--runs N] [--secs S] [--all]
       hitrate.py DWELL TRIGGER --pairs N [--seed N] [--secs S]     two faults at a time, N pairs by chance
       hitrate.py DWELL TRIGGER --quiet N [--secs S]                nothing, and an even load, in turn

--all: faults that are nobody's own, too, in a look at the whole machine: it must be quiet. Without it each look is at the
processes of the fault, which go before others where they need few CPUs. Prints a line for each run, and a table in Markdown.
"""
import argparse
import collections
import json
import os
import random
import subprocess
import sys

import faults

HERE = os.path.dirname(os.path.realpath(__file__))
LONGER = 60  # s: until the look is over, which begins late on a busy machine
QUIET = ("nothing", "even")
# What other load of the machine does to who is looked at.
OTHERS = {"cpu-saturated", "cpu-bursts", "noisy-neighbour", "real-time", "steal"}


def look(a, name):
    machine = faults.FAULTS[name].machine
    cmd = [sys.executable, os.path.join(HERE, "faults.py"), name, str(a.secs + (LONGER if machine else 0))]
    env = {**os.environ, "DWELL_CHECK_FIRST": "1", "TRIGGER": os.path.abspath(a.trigger)}
    if machine:
        p = subprocess.Popen(cmd, env=env)
        r = subprocess.run([a.dwell, "check", "--json", "--for", f"{a.secs}s"], capture_output=True, text=True)
        p.terminate()
        if p.wait() == faults.SKIP:
            return None
    else:
        r = subprocess.run(
            [a.dwell, "check", "--json", "--for", "60s", "--", *cmd], capture_output=True, text=True, env=env
        )
        if f"status {faults.SKIP}" in r.stderr:
            return None
    return json.loads(r.stdout)["findings"]


def load():
    with open("/proc/loadavg", encoding="ascii") as f:
        return f.read().split()[0]


def look_at_own(a, names):
    """A look at the processes that make these faults; None: one of them cannot be made here."""
    cmd = [sys.executable, os.path.join(HERE, "faults.py"), ",".join(names), str(a.secs)]
    r = subprocess.run(
        [a.dwell, "check", "--json", "--for", "60s", "--", *cmd],
        capture_output=True,
        text=True,
        env={**os.environ, "DWELL_CHECK_FIRST": "1", "TRIGGER": os.path.abspath(a.trigger)},
        check=False,
    )
    return None if f"status {faults.SKIP}" in r.stderr or not r.stdout else json.loads(r.stdout)["findings"]


def pairs(a):
    """Both are found, one of them comes first. Pairs that other load makes false (waits for a CPU) are left out."""
    own = [
        n
        for n, f in faults.FAULTS.items()
        if not f.machine and n not in QUIET and f.first and not OTHERS & set(f.first)
    ]
    random.seed(a.seed)
    made = both = one = first = 0
    while made < a.pairs:
        two = random.sample(own, 2)
        found = look_at_own(a, two)
        if found is None:
            print(*two, "cannot be made here", flush=True)
            continue
        ids = {f["id"] for f in found}
        top = [f["id"] for f in found if "follows_from" not in f and f["id"] not in OTHERS]
        hits = [bool(set(faults.FAULTS[n].first) & ids) for n in two]
        is_first = bool(top) and any(top[0] in faults.FAULTS[n].first for n in two)
        made, both, one, first = made + 1, both + all(hits), one + (sum(hits) == 1), first + is_first
        print(
            *two,
            "both" if all(hits) else f"MISSED {two[hits.index(False)]}",
            "first" if is_first else "NOT FIRST",
            top,
            "load",
            load(),
            flush=True,
        )
    print(f"{made} pairs: both found {both}, one of them {one}; one of them first {first}")


def quiet(a):
    """Nothing is found but what the other load of the machine does."""
    false = 0
    for i in range(a.quiet):
        name = QUIET[i % len(QUIET)]
        found = look_at_own(a, [name])
        wrong = [f["id"] for f in found if "follows_from" not in f and f["id"] not in OTHERS]
        false += bool(wrong)
        print(
            name,
            "FALSE" if wrong else "nothing",
            [(f["id"], round(f["cost_ms_per_s"])) for f in found if "follows_from" not in f],
            "load",
            load(),
            flush=True,
        )
    print(f"{a.quiet} quiet or even runs of {a.secs:g} s: {false} with a false finding")


def judge(name, found):
    first = [f["id"] for f in found if "follows_from" not in f]
    want = faults.FAULTS[name].first
    if name in QUIET:
        return not set(first) - OTHERS, not first
    if not want or not OTHERS & set(want):
        first = [f for f in first if f not in OTHERS]
    return bool(set(want) & {f["id"] for f in found}), bool(first) and first[0] in want


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dwell")
    ap.add_argument("trigger")
    ap.add_argument("--runs", type=int, default=3)
    ap.add_argument("--secs", type=float, default=3)
    ap.add_argument("--all", action="store_true")
    ap.add_argument("--pairs", type=int)
    ap.add_argument("--quiet", type=int)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("faults", nargs="*")
    a = ap.parse_args()
    if a.pairs or a.quiet:
        (pairs if a.pairs else quiet)(a)
        return
    names = a.faults or [n for n, f in faults.FAULTS.items() if a.all or not f.machine]
    table = collections.OrderedDict()
    for name in names:
        t = table[name] = [0, 0, 0]
        for _ in range(a.runs):
            found = look(a, name)
            if found is None:
                print(name, "cannot be made here", flush=True)
                break
            hit, top = judge(name, found)
            t[0] += 1
            t[1] += hit
            t[2] += top
            print(
                name,
                "found" if hit else "MISSED",
                "first" if top else "NOT FIRST",
                [(f["id"], round(f["cost_ms_per_s"])) for f in found if "follows_from" not in f],
                flush=True,
            )
    print("\n| fault | runs | found | first |\n|---|---|---|---|")
    for name, (n, hits, tops) in table.items():
        print(f"| {name} | {n} | {hits} | {tops} |")
    n, hits, tops = (sum(t[i] for k, t in table.items() if k not in QUIET) for i in range(3))
    print(f"| all faults | {n} | {hits} | {tops} |")


if __name__ == "__main__":
    main()
