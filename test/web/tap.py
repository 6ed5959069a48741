# SPDX-License-Identifier: Apache-2.0
"""Checks counted and printed as TAP."""
import os
import sys

tests = failures = 0


def check(condition, what, detail=""):
    global tests, failures
    tests += 1
    failures += not condition
    print(f"{'ok' if condition else 'not ok'} {tests} - {what}")
    if not condition:
        print("# " + str(detail)[:2000].replace("\n", "\n# "))
    sys.stdout.flush()


def same(got, want, what):
    check(got == want, what, f"expected {want!r}, got {got!r}")


def skip(why):
    print("1..0 # SKIP " + why)
    sys.exit(int(os.environ.get("DWELL_SKIP_STATUS", 77)))


def done():
    print(f"1..{tests}")
    sys.exit(1 if failures else 0)
