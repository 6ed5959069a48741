#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that every #include in src/ points downwards, as tools/layers.txt says: between floors (src/X), and between
the rooms of a floor (src/X/Y). Pure floors include nothing that makes system calls. Hash tables do not end the process.
usage: checklayers.py ROOT"""
import os
import re
import sys

import sources

PURE = {"lang", "cg"}
IMPURE = re.compile(
    r"^(unistd|fcntl|pthread|poll|signal|dirent|termios|time|libelf|gelf)\.h$" r"|^(sys|bpf|elfutils|libiberty)/"
)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def read_layers(root):
    """For each floor the floors that it may include, for each room ("floor/room") the rooms of its floor."""
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


def room_of(path, below):
    """The room ("floor/room") of a path below src/, or the floor itself for its own files."""
    parts = path.split("/")
    room = "/".join(parts[:2])
    return room if len(parts) > 2 and room in below else parts[0]


def check_line(path, number, line, below):
    m = INCLUDE.match(line)
    if not m:
        return None
    here = path.split("/", 1)[1]
    floor, room = here.split("/")[0], room_of(here, below)
    quoted, target = m.group(1) == '"', m.group(2)
    if not quoted:
        if floor in PURE and IMPURE.search(target):
            return f"{path}:{number}: <{target}> in {floor}/, which is pure"
        return None
    if "/" not in target or target.startswith("."):
        return f'{path}:{number}: write "folder/{target}", relative to src/'
    if target.split("/")[0] not in below[floor]:
        return f"{path}:{number}: {floor}/ may not include {target}"
    other = room_of(target, below)
    if other.split("/")[0] == floor and other != floor and other not in below[room]:
        return f"{path}:{number}: {room}/ may not include {target}"
    return None


def check_hash(path, lines):
    """Without memory uthash ends the process, unless it is told what to do instead: base/hash.h and base/hash_try.h do."""
    here = next((n for n, line in enumerate(lines) if "<uthash.h>" in line), None)
    told = any("HASH_NONFATAL_OOM" in line or "uthash_fatal" in line for line in lines[:here])
    return None if here is None or told else f"{path}:{here + 1}: include base/hash.h or base/hash_try.h"


def check_place(path, below):
    """A file lies on a floor or in a room that tools/layers.txt names."""
    parts = path.split("/")[1:]
    known = (
        len(parts) > 1 and parts[0] in below and (len(parts) == 2 or len(parts) == 3 and "/".join(parts[:2]) in below)
    )
    return None if known else f"{path}: the folder is not in tools/layers.txt"


def main():
    root, errors, checked = sys.argv[1], [], 0
    below = read_layers(root)
    for path in sources.walk(root, "src"):
        if not path.endswith((".c", ".h", ".def")):
            continue
        e = check_place(path, below)
        if e:
            errors.append(e)
            continue
        checked += 1
        with open(os.path.join(root, path), encoding="utf-8") as f:
            lines = f.readlines()
        found = [check_line(path, number, line, below) for number, line in enumerate(lines, 1)] + [
            check_hash(path, lines)
        ]
        errors += [e for e in found if e]
    return sources.finish("layers", errors, checked)


if __name__ == "__main__":
    sys.exit(main())
