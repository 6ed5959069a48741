#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the results of `meson test`: a line for each reason to skip and for what failed, then
"N passed, N failed, N skipped" in tests, each of which may have many cases. Exit status 1 when one
failed or none passed. usage: testsummary.py BUILD_DIR [NAME:]"""
import collections
import json
import os
import re
import sys

PASSED = {"OK", "EXPECTEDFAIL"}
NAMES_MAX = 6
WHY_LINES = 60


def read_file(build, name):
    with open(os.path.join(build, "meson-logs", name), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def read_log(build):
    try:
        tests = read_file(build, "testlog.json")
    except OSError as e:
        print(f"no test results: {e}")
        return []
    try:
        again = {t["name"]: t for t in read_file(build, "testlog-again.json")}
    except OSError:
        again = {}
    for name, t in again.items():
        if t["result"] in PASSED:
            print(f"passed only when repeated: {name.split(' / ')[-1]}")
    return [again.get(t["name"], t) for t in tests]


def reason(test):
    """Why the test was skipped, in its own words: of the plan in TAP, or the last line."""
    out = (test.get("stdout") or "") + (test.get("stderr") or "")
    m = re.search(r"^1\.\.0 # SKIP (.*)", out, re.M)
    return m.group(1) if m else (out.strip().splitlines() or ["no reason given"])[-1]


def why_failed(test):
    """What it printed about its failed cases, or its last lines: meson shows neither of a test in TAP."""
    out = (test.get("stdout") or "").splitlines()
    lines, failing = [], False
    for line in out:
        failing = line.startswith("not ok") or failing and not line.startswith("ok ")
        if failing:
            lines.append(line)
    return (lines or out)[-WHY_LINES:] + (test.get("stderr") or "").splitlines()[-WHY_LINES:]


def name_of(test):
    return test["name"].split(" / ")[-1]


def list_failed(build):
    for t in read_file(build, "testlog.json"):
        if t["result"] not in PASSED and t["result"] != "SKIP":
            print(name_of(t))
    return 0


def main():
    if sys.argv[2:] == ["--failed"]:
        return list_failed(sys.argv[1])
    tests = read_log(sys.argv[1])
    failed, skipped = [], collections.defaultdict(list)
    passed = cases = 0
    for t in tests:
        if t["result"] in PASSED:
            passed += 1
            for case in re.findall(r"^# (\S+) failed beside others:", t.get("stdout") or "", re.M):
                print(f"passed only alone: {case}")
            for case in re.findall(r"^# (\S+) failed alone, and is run", t.get("stdout") or "", re.M):
                print(f"passed only when repeated alone: {case}")
            cases += len(re.findall(r"^ok \d+.*# SKIP", t.get("stdout") or "", re.M | re.I))
        elif t["result"] == "SKIP":
            skipped[reason(t)].append(name_of(t))
        else:
            failed.append(name_of(t))
            print(f"{name_of(t)} failed: {t['result']}", *why_failed(t), sep="\n    ")
    for why, names in skipped.items():
        more = f" and {len(names) - NAMES_MAX} more" if len(names) > NAMES_MAX else ""
        print(f"skipped: {', '.join(names[:NAMES_MAX])}{more}: {why}")
    if cases:
        print(f"skipped: {cases} cases of tests that passed otherwise")
    if failed:
        print(f"failed: {', '.join(failed)}")
    name = sys.argv[2] + " " if len(sys.argv) > 2 else ""
    print(f"{name}{passed} passed, {len(failed)} failed, {sum(map(len, skipped.values()))} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
