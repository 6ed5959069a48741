#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: embedtree.py OUT.c DEPFILE NAME TOP [FOLDER…] [--without FILE…]

Makes a C file for src/shelf with the table shelf_NAME[] of all files below TOP, or below these folders of it. Also writes a
list of its sources: the folders, too, so that a new file is noticed."""
import os
import sys


def literal(line):
    """A line of text as a C string."""
    out = ""
    for b in line:
        c = chr(b)
        out += "\\" + c if c in '"\\?' else c if 32 <= b < 127 else f"\\{b:03o}"
    return f'"{out}"'


def main():
    out, depfile, table, top = sys.argv[1:5]
    starts = sys.argv[5:]
    without = {"meson.build"}
    if "--without" in starts:
        at = starts.index("--without")
        without |= set(starts[at + 1 :])
        del starts[at:]
    files, seen = [], []
    for start in starts or ["."]:
        for folder, folders, names in os.walk(os.path.join(top, start)):
            folders.sort()
            seen.append(folder)
            files += [
                os.path.relpath(os.path.join(folder, n), top)
                for n in names
                if not n.startswith(".") and n not in without
            ]
    rows = []
    for name in sorted(files):
        path = os.path.join(top, name)
        seen.append(path)
        with open(path, "rb") as f:
            data = f.read()
        text = "\n".join(literal(line) for line in data.splitlines(keepends=True)) or '""'
        rows.append(f"{{ {literal(name.encode())}, {len(data)},\n{text} }},")
    with open(out, "w", encoding="utf-8") as f:
        f.write(
            '/* Made by tools/embedtree.py. */\n#include "shelf/shelf.h"\n'
            f"const struct shelf_file shelf_{table}[] = {{\n"
            + "\n".join(rows)
            + f"\n}};\nconst size_t shelf_n{table} = {len(rows)};\n"
        )
    with open(depfile, "w", encoding="utf-8") as f:
        f.write(f"{out}: " + " ".join(s.replace(" ", "\\ ") for s in seen) + "\n")


if __name__ == "__main__":
    main()
