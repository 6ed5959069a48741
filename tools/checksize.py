#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""File <= 800 lines, function <= 60, src/cmd, which only wires, <= 5,000; exceptions only in tools/size-allow.txt, with a reason.
usage: checksize.py ROOT"""
import os
import shutil
import subprocess
import sys

import sources

FILE_MAX = 800
FUNCTION_MAX = 60
CMD_MAX = 5000


def functions(root, paths):
    """(path, name, lines) of every function, by universal-ctags."""
    r = subprocess.run(
        ["ctags", "-f", "-", "--fields=+ne", "--kinds-C=f", "--languages=C", "--langmap=C:.c.h", "-L", "-"],
        input="\n".join(paths),
        text=True,
        capture_output=True,
        check=True,
        cwd=root,
    )
    for line in r.stdout.splitlines():
        name, path, rest = line.split("\t", 2)
        fields = dict(f.split(":", 1) for f in rest.rsplit(';"\t', 1)[1].split("\t") if ":" in f)
        if "end" in fields:
            yield path, name, int(fields["end"]) - int(fields["line"]) + 1


def main():
    root = sys.argv[1]
    if not shutil.which("ctags"):
        print("size: ctags is missing (universal-ctags)")
        return 77
    allow = sources.read_allow(os.path.join(root, "tools/size-allow.txt"))
    paths = [p for p in sources.walk(root, "src", "test") if p.endswith((".c", ".h"))]
    errors, checked, commands = [], 0, 0
    for path in paths:
        with open(os.path.join(root, path), "rb") as f:
            n = sum(1 for _ in f)
        commands += n * path.startswith("src/cmd/")
        if n > FILE_MAX and path not in allow:
            errors.append(f"{path}: {n} lines, more than {FILE_MAX}")
    if commands > CMD_MAX:
        errors.append(f"src/cmd: {commands} lines, more than {CMD_MAX}: what computes is of the room of its subject")
    for path, name, n in functions(root, paths):
        checked += 1
        if n > FUNCTION_MAX and f"{path}:{name}" not in allow:
            errors.append(f"{path}: {name}() has {n} lines, more than {FUNCTION_MAX}")
    return sources.finish("size", errors, checked)


if __name__ == "__main__":
    sys.exit(main())
