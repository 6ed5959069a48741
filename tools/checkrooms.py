#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every folder that tools/layers.txt names has a page, README.md: at most 40 lines, and the files and functions that it
names in `backquotes` exist. A file is named as seen from the folder, from src/ or from the root; a * stands for any
text in a name. A function is `name()`.
In doc/architecture.md the table of rooms has a row for each floor, with the floors that tools/layers.txt allows it to
include. The table of threads and processes names each file of src that makes one.
usage: checkrooms.py ROOT"""
import fnmatch
import os
import re
import sys

import sources
from checklayers import read_layers

LINES_MAX = 40
FILE = re.compile(r"^[\w./*-]+\.(?:[chd]|def|js|ts|md|txt|py)$")
FUNCTION = re.compile(r"^(\w+)\(\)$")
GUIDE = "doc/architecture.md"
ROW = re.compile(r"^\| `src/(\w+)` \|.*\| ([^|]+) \|$", re.M)
MAKES = re.compile(r"\b(?:fork\(\)|(?:pthread_create|posix_spawnp?|clone3?)\()")
OTHER_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)  # comments and literals
WORD = re.compile(r"\b[A-Za-z_]\w*(?=\()")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def functions(root):
    """Every word in front of a parenthesis in src."""
    words = set()
    for path in sources.walk(root, "src"):
        if path.endswith((".c", ".h", ".def")):
            words.update(WORD.findall(read(os.path.join(root, path))))
    return words


def is_file(name, folder, paths):
    return any(
        fnmatch.fnmatch(path, prefix + name) and path.count("/") == (prefix + name).count("/")
        for prefix in (folder + "/", "src/", "")
        for path in paths
    )


def check_page(page, text, paths, words):
    """The errors of one page, whose path and text are given, and how many names it has."""
    errors, checked = [], 0
    if text.count("\n") > LINES_MAX:
        errors.append(f"{page}: {text.count(chr(10))} lines, more than {LINES_MAX}")
    for number, line in enumerate(text.split("\n"), 1):
        for name in re.findall(r"`([^`]+)`", line):
            function = FUNCTION.match(name)
            if function and function.group(1) not in words:
                errors.append(f"{page}:{number}: there is no {name} in src")
            if FILE.match(name) and not is_file(name, os.path.dirname(page), paths):
                errors.append(f"{page}:{number}: there is no file {name}")
            checked += bool(function or FILE.match(name))
    if not checked:
        errors.append(f"{page}: names no file")
    return errors, checked


def section(text, title):
    return re.split(r"^## ", text.split(f"\n## {title}\n")[1], maxsplit=1, flags=re.M)[0]


def check_floors(text, below):
    """The table of rooms, against the floors of layers.txt. "all" is every floor, "–" none."""
    errors, floors = [], {name for name in below if "/" not in name}
    rows = dict(ROW.findall(text))
    for name in sorted(floors ^ set(rows)):
        errors.append(
            f"{GUIDE}: Rooms: " + (f"no row for src/{name}" if name in floors else f"tools/layers.txt has no {name}")
        )
    for name in sorted(floors & set(rows)):
        may = {name}
        for other in [] if rows[name] in ("–", "all") else rows[name].split(", "):
            may |= below.get(other, {other})
        if rows[name] != "all" and may != below[name]:
            errors.append(
                f"{GUIDE}: Rooms: src/{name} may include more, or less: {', '.join(sorted(may ^ below[name]))}"
            )
    return errors


def check_threads(text, root, paths):
    """The table of threads and processes, against the files that make them."""
    return [
        f"{GUIDE}: Threads and processes: no row names {path[4:]}, which makes one"
        for path in paths
        if path.startswith("src/")
        and path.endswith(".c")
        and f"`{path[4:]}`" not in text
        and MAKES.search(OTHER_TEXT.sub(" ", read(os.path.join(root, path))))
    ]


def main():
    root, errors, checked = sys.argv[1], [], 0
    paths = [p for p in sources.walk(root)]
    guide = read(os.path.join(root, GUIDE))
    errors += check_floors(section(guide, "Rooms"), read_layers(root))
    errors += check_threads(section(guide, "Threads and processes"), root, paths)
    words = functions(root)
    for folder in read_layers(root):
        page = f"src/{folder}/README.md"
        if page not in paths:
            errors.append(
                f"{page}: is missing: what comes in, what goes out, who owns it, which thread, where to begin"
            )
            continue
        e, n = check_page(page, read(os.path.join(root, page)), paths, words)
        errors += e
        checked += n
    return sources.finish("rooms", errors, checked)


if __name__ == "__main__":
    sys.exit(main())
