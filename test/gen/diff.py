# SPDX-License-Identifier: Apache-2.0
"""D programs whose results are known from elsewhere: integer expressions, string subroutines and
aggregations from Python, programs with control flow from an interpreter of the typed tree. TAP output.

usage: diff.py --dwell BIN [--seed N] [--count N] [int|string|agg|tree]...      [--keep FOLDER]"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import aggdiff
import intdiff
import strdiff
import treediff

CLAUSES = 4
TREE_CLAUSES = 2
AGGS = 8


SKIPPED = ["skipped"]
MAX_SKIPPED = 0.1  # of all


def run(argv, timeout=120):
    return subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=timeout)


def compare(want, got):
    """Lines that differ, or []."""
    want, got = want.rstrip("\n").split("\n"), got.rstrip("\n").split("\n")
    bad = [f"expected {w!r}, got {g!r}" for w, g in zip(want, got) if w != g]
    if len(want) != len(got):
        bad.append(f"{len(want)} lines expected, {len(got)} got")
    return bad


def run_d(opts, work, text, name, *more):
    path = os.path.join(work, f"{name}.d")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return run([opts.dwell, "-q", "-s", path, *more])


def errors(stderr):
    """The messages that are no warnings: a generated variable may well be too narrow for its value."""
    messages = re.split(r"^(?=dwell: )", stderr, flags=re.M)
    return "".join(m for m in messages if ": warning: " not in m.split("\n")[0])


def differences(want, got):
    bad = compare(want, got.stdout)
    if got.returncode or errors(got.stderr):
        return [f"exit code {got.returncode}: {got.stderr[:1500]}"] + bad[:3]
    return bad


def ints(opts, work, seed):
    d, want = intdiff.Ints(seed).program(CLAUSES)
    return differences(want, run_d(opts, work, d, f"int{seed}"))


def strings(opts, work, seed):
    d, want = strdiff.Strings(seed).program(CLAUSES)
    return differences(want, run_d(opts, work, d, f"string{seed}"))


def aggs(opts, work, seed):
    d, want = aggdiff.Aggs(seed).program(AGGS)
    r = run_d(opts, work, d, f"agg{seed}")
    if r.returncode or r.stderr:
        return [f"exit code {r.returncode}: {r.stderr[:1500]}"]
    got = aggdiff.parse(r.stdout)
    bad = [f"{k}: expected {w[1]}, got {got.get(k)}" for k, w in want.items() if got.get(k) != w[1]]
    return bad + [f"{k}: not expected" for k in got if k not in want]


def trees(opts, work, seed):
    text = treediff.Trees(seed).program(TREE_CLAUSES)
    got = run_d(opts, work, text, f"tree{seed}", "-x", f"loopmax={treediff.LOOPMAX}")
    want = run([opts.astrun, "-l", str(treediff.LOOPMAX), os.path.join(work, f"tree{seed}.d")])
    if want.returncode:
        return [f"astrun: exit code {want.returncode}: {want.stderr[:1500]}"]
    if "too complex" in got.stderr:  # for the verifier: many loops, none of which does any good
        return SKIPPED
    if got.returncode or not got.stdout:
        return [f"exit code {got.returncode}: {got.stderr[:1500]}"]
    if treediff.split(want.stdout) != treediff.split(got.stdout):
        return compare(want.stdout, got.stdout)[:5]
    if treediff.faults(want.stderr) != treediff.faults(got.stderr):
        return [f"faults: expected {treediff.faults(want.stderr)}, got {treediff.faults(got.stderr)}"]
    return []


KINDS = {"int": ints, "string": strings, "agg": aggs, "tree": trees}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dwell", required=True, type=os.path.abspath)
    parser.add_argument("--astrun", type=os.path.abspath, help="test/gen/astrun: for tree")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=5)
    parser.add_argument("--keep")
    parser.add_argument("kinds", nargs="*")
    opts = parser.parse_args()
    if os.geteuid() != 0:
        print("1..0 # SKIP needs root: the kernel lets only root load tracing programs")
        return int(os.environ.get("DWELL_SKIP_STATUS", 77))
    todo = [
        (k, s)
        for k in opts.kinds or (k for k in KINDS if k != "tree" or opts.astrun)
        for s in range(opts.seed, opts.seed + opts.count)
    ]
    print(f"1..{len(todo)}")
    failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="dwell-diff-") as work:
        if opts.keep:
            work = opts.keep
            os.makedirs(work, exist_ok=True)
        for n, (kind, seed) in enumerate(todo, 1):
            bad = KINDS[kind](opts, work, seed)
            if bad is SKIPPED:
                skipped += 1
                print(f"ok {n} - {kind} {seed} # SKIP too complex for the verifier", flush=True)
                continue
            failed += bool(bad)
            print(f"{'not ok' if bad else 'ok'} {n} - {kind} {seed}", flush=True)
            for b in bad[:10]:
                print("# " + b.replace("\n", "\n# "))
    if skipped > 1 + MAX_SKIPPED * len(todo):
        print(f"# {skipped} programs were too complex")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
