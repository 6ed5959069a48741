#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Line coverage by floor (src/X) and room (src/X/Y), of a build folder made with -Dcoverage=X,… (gcc) whose tests have run.
Exit status 1 when a folder named with a percentage has less.
usage: coverage.py [-v] ROOT BUILD_DIR [FOLDER=PERCENT…]     for example src/lang=85
-v: by file, too"""
import collections
import json
import os
import subprocess
import sys


def read_counts(root, build):
    """{file relative to root: {line: number of runs}}"""
    data = []
    for here, _, files in os.walk(os.path.join(build, "src")):
        data += [os.path.join(here, f) for f in files if f.endswith(".gcda")]
    lines = collections.defaultdict(lambda: collections.defaultdict(int))
    for path in data:
        r = subprocess.run(
            ["gcov", "--json-format", "--stdout", os.path.abspath(path)], cwd=build, capture_output=True, check=True
        )
        for text in r.stdout.splitlines():
            for f in json.loads(text)["files"]:
                name = os.path.relpath(os.path.join(build, f["file"]), root)
                for line in f["lines"]:
                    lines[name][line["line_number"]] += line["count"]
    return lines


def percent(counts):
    return 100.0 * sum(1 for c in counts if c) / len(counts)


def main():
    args = sys.argv[1:]
    verbose = args[0] == "-v"
    root, build = (os.path.abspath(a) for a in args[verbose : verbose + 2])
    wanted = dict(a.split("=") for a in args[verbose + 2 :])
    lines = read_counts(root, build)
    folders = collections.defaultdict(list)
    for name, counts in sorted(lines.items()):
        if name.startswith("src/"):
            floor = "/".join(name.split("/")[:2])
            for folder in {floor, os.path.dirname(name)}:  # of a floor with rooms: all of it, then each room
                folders[folder] += counts.values()
            if verbose:
                print(f"{percent(counts.values()):6.1f} %  {len(counts):6}  {name}")
    failed = False
    for folder, counts in sorted(folders.items()):
        short = folder in wanted and percent(counts) < float(wanted[folder])
        failed |= short
        print(
            f"{percent(counts):6.1f} %  {len(counts):6} lines  {folder}"
            + (f"   less than {wanted[folder]} %" if short else "")
        )
    for folder in wanted:
        if folder not in folders:
            print(f"nothing ran in {folder}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
