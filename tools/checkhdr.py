#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that every header compiles alone, and twice. usage: checkhdr.py ROOT COMPILER…"""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import sources

FLAGS = [
    "-std=gnu17",
    "-D_GNU_SOURCE",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wstrict-prototypes",
    "-Wno-unused-function",
    "-fsyntax-only",
    "-x",
    "c",
    "-",
]


def check(root, compiler, path):
    name = os.path.relpath(path, "src") if path.startswith("src/") else path
    text = f'#include "{name}"\n' * 2
    r = subprocess.run(
        compiler + ["-I", os.path.join(root, "src"), "-I", root, "-idirafter", os.path.join(root, "include")] + FLAGS,
        input=text,
        text=True,
        capture_output=True,
        check=False,
    )
    return f"{path} does not compile alone:\n{r.stderr}" if r.returncode else None


def main():
    root, compiler = sys.argv[1], sys.argv[2:]
    headers = [p for p in sources.walk(root, "src") if p.endswith(".h")] + ["include/dwell.h"]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        errors = [e for e in pool.map(lambda p: check(root, compiler, p), headers) if e]
    return sources.finish("headers", errors, len(headers))


if __name__ == "__main__":
    sys.exit(main())
