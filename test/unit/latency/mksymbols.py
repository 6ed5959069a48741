#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes kernel-symbols.txt, against which dlib/causes is tested: of the functions of several kernels those that
a pattern of the rules matches.

usage: mksymbols.py NAME=FILE[,FILE…]…  >kernel-symbols.txt

FILE has one function a line. Of a running kernel:   awk '$2 ~ /[tTwW]/ { print $3 }' /proc/kallsyms
of another one the same by test/vm/vm-run; of modules that are not loaded:   nm MODULE.ko | awk …
Each line of the output is a function and a letter for each kernel that has it; the letters are explained on top. Of a
pattern with * no more than KEEP functions are kept, so that the file stays small.
"""
import fnmatch
import os
import re
import string
import sys

KEEP = 4
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


def patterns():
    for line in open(os.path.join(ROOT, "dlib", "causes"), encoding="utf-8"):
        line = line.split("#")[0]
        body = line if line[:1].isspace() else line.rpartition('":')[2] if '"' in line else line.partition(":")[2]
        for word in re.sub(r"^[^:\"]*:", "", body).split():
            if not word.startswith("@"):
                yield from word.split("<")


def main():
    kernels = {}
    for arg in sys.argv[1:]:
        name, _, files = arg.partition("=")
        kernels[name] = set()
        for path in files.split(","):
            with open(path, encoding="utf-8") as f:
                kernels[name].update(line.split(".")[0].strip() for line in f)
    every = sorted(set().union(*kernels.values()))
    kept = set()
    for pattern in sorted(set(patterns())):
        if not re.search(r"[*?]", pattern):
            kept.update({pattern} & set.union(*kernels.values()))
            continue
        match = re.compile(fnmatch.translate(pattern)).match
        kept.update([s for s in every if match(s)][:KEEP])
    letters = dict(zip(kernels, string.ascii_lowercase))
    print(
        "# SPDX-License-Identifier: Apache-2.0\n# Made by mksymbols.py: functions of kernels that rules of dlib/causes name."
    )
    for name, letter in letters.items():
        print(f"# {letter}: {name}")
    for s in sorted(kept):
        print(s, "".join(letters[k] for k in kernels if s in kernels[k]))


main()
