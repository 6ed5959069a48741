#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs single tests: those of meson by name, those of test/live by file, folder or pattern. Builds what they need.
usage: runtest.py BUILD_DIR NAME…
Exit status: 0 all passed, 1 one failed, 2 there is no such test."""
import difflib
import fnmatch
import json
import os
import subprocess
import sys

LIVE = "test/live"
CASES = (".py", ".sh", ".d")
NEAREST_MAX = 5


def meson_tests(build):
    """The tests of meson: name -> suites."""
    found = subprocess.run(["meson", "introspect", "--tests", build], capture_output=True, text=True, check=True)
    return {t["name"]: {s.split(":")[-1] for s in t["suite"]} for t in json.loads(found.stdout)}


def live_cases():
    """The files of test/live, as "theme/file"."""
    found = []
    for folder, _, files in os.walk(LIVE):
        theme = os.path.relpath(folder, LIVE)
        if theme != "." and "__pycache__" not in theme:
            found += [f"{theme}/{f}" for f in files if f.endswith(CASES)]
    return sorted(found)


def select(name, tests, cases):
    """(tests of meson, cases of test/live) that a name means; a name alone is a test, a theme, or a file of any theme."""
    if name in tests:
        return [name], []
    short = name[len(LIVE) + 1 :] if name.startswith(LIVE + "/") else name
    short = short.rstrip("/")
    for means in (
        lambda c: c == short,
        lambda c: c.startswith(short + "/"),
        lambda c: os.path.splitext(c)[0] == short
        or os.path.basename(c) == short
        or os.path.splitext(os.path.basename(c))[0] == short,
        lambda c: fnmatch.fnmatchcase(c, short),
    ):
        chosen = [c for c in cases if means(c)]
        if chosen:
            return [], chosen
    return [t for t in tests if fnmatch.fnmatchcase(t, name) or name in tests[t]], []


def unknown(name, tests, cases):
    names = list(tests) + cases + [os.path.splitext(os.path.basename(c))[0] for c in cases]
    near = [n for n in names if name in n] + difflib.get_close_matches(name, names, NEAREST_MAX, 0.5)
    near = list(dict.fromkeys(near))[:NEAREST_MAX]
    words = f"; there are: {', '.join(near)}" if near else "; `meson test -C build --list` and test/live have the names"
    print(f"runtest: no test {name!r}{words}", file=sys.stderr)


def run(command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode


def main():
    build, names = sys.argv[1], sys.argv[2:]
    tests, cases = meson_tests(build), live_cases()
    of_meson, of_live = [], []
    for name in names:
        some, files = select(name, tests, cases)
        if not some and not files:
            unknown(name, tests, cases)
            return 2
        of_meson += [t for t in some if t not in of_meson]
        of_live += [c for c in files if c not in of_live]
    failed = False
    if of_meson:
        failed |= run(["meson", "test", "-C", build, "--print-errorlogs", *of_meson]) != 0
    if of_live:
        if run(["ninja", "-C", build, "--quiet", "dwell", "triggers"]) != 0:
            return 1
        failed |= (
            run(
                [
                    sys.executable,
                    f"{LIVE}/run.py",
                    "--dwell",
                    f"{build}/dwell",
                    "--trigger",
                    f"{build}/test/trigger/trigger",
                    *[f"{LIVE}/{c}" for c in of_live],
                ]
            )
            != 0
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
