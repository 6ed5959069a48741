#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the results of `meson test` and prints "N passed, N failed, N skipped"; exit status 1 when
one failed or none passed. usage: testsummary.py BUILD_DIR [NAME:]"""
import json
import os
import sys

PASSED = {"OK", "EXPECTEDFAIL"}


def main():
    passed = failed = skipped = 0
    try:
        with open(os.path.join(sys.argv[1], "meson-logs/testlog.json"), encoding="utf-8") as f:
            results = [json.loads(line)["result"] for line in f]
    except OSError as e:
        print(f"no test results: {e}")
        results = []
    for r in results:
        if r in PASSED:
            passed += 1
        elif r == "SKIP":
            skipped += 1
        else:
            failed += 1
    name = sys.argv[2] + " " if len(sys.argv) > 2 else ""
    print(f"{name}{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
