#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many planted faults `dwell check` finds, and how many it ranks first; how often it finds something where nothing is.

usage: hitrate.py DWELL TRIGGER [FAULT...] [--runs N] [--secs S] [--all]

--all: faults that are nobody's own, too, in a look at the whole machine: it must be quiet. Without it each look is at the
processes of the fault, which go before others where they need few CPUs. Prints a line for each run, and a table in Markdown.
"""
import argparse
import collections
import json
import os
import subprocess
import sys

import faults

HERE = os.path.dirname(os.path.realpath(__file__))
LONGER = 60  # s: until the look is over, which begins late on a busy machine
QUIET = ("nothing", "even")
# What other load of the machine does to who is looked at.
OTHERS = {"cpu-saturated", "noisy-neighbour", "real-time", "steal"}


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
        r = subprocess.run([a.dwell, "check", "--json", "--for", "60s", "--", *cmd], capture_output=True, text=True, env=env)
        if f"status {faults.SKIP}" in r.stderr:
            return None
    return json.loads(r.stdout)["findings"]


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
    ap.add_argument("faults", nargs="*")
    a = ap.parse_args()
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
            print(name, "found" if hit else "MISSED", "first" if top else "NOT FIRST",
                  [(f["id"], round(f["cost_ms_per_s"])) for f in found if "follows_from" not in f], flush=True)
    print("\n| fault | runs | found | first |\n|---|---|---|---|")
    for name, (n, hits, tops) in table.items():
        print(f"| {name} | {n} | {hits} | {tops} |")
    n, hits, tops = (sum(t[i] for k, t in table.items() if k not in QUIET) for i in range(3))
    print(f"| all faults | {n} | {hits} | {tops} |")


if __name__ == "__main__":
    main()
