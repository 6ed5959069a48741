#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that every #include in src/ points downwards as tools/layers.txt says, and that the pure
folders include nothing that makes system calls. usage: checklayers.py ROOT"""
import os
import re
import sys

import sources

PURE = {"lang", "cg"}
IMPURE = re.compile(r"^(unistd|fcntl|pthread|poll|signal|dirent|termios|time|libelf|gelf)\.h$"
                    r"|^(sys|bpf|elfutils|libiberty)/")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def read_layers(root):
    """For each folder the set of folders that it may include."""
    below = {}
    with open(os.path.join(root, "tools/layers.txt"), encoding="utf-8") as f:
        for line in f:
            if line.startswith("#") or ":" not in line:
                continue
            name, direct = line.split(":")
            below[name] = {name}
            for d in direct.split():
                below[name] |= below[d]
    return below


def check_line(path, number, line, folder, below):
    m = INCLUDE.match(line)
    if not m:
        return None
    quoted, target = m.group(1) == '"', m.group(2)
    if not quoted:
        if folder in PURE and IMPURE.search(target):
            return f"{path}:{number}: <{target}> in {folder}/, which is pure"
        return None
    if "/" not in target or target.startswith("."):
        return f'{path}:{number}: write "folder/{target}", relative to src/'
    if target.split("/")[0] not in below[folder]:
        return f"{path}:{number}: {folder}/ may not include {target}"
    return None


def main():
    root, errors, checked = sys.argv[1], [], 0
    below = read_layers(root)
    for path in sources.walk(root, "src"):
        if not path.endswith((".c", ".h", ".def")):
            continue
        folder = path.split("/")[1]
        if folder not in below:
            errors.append(f"{path}: the folder is not in tools/layers.txt")
            continue
        checked += 1
        with open(os.path.join(root, path), encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                e = check_line(path, number, line, folder, below)
                if e:
                    errors.append(e)
    return sources.finish("layers", errors, checked)


if __name__ == "__main__":
    sys.exit(main())
