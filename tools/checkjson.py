#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JSON is written by base/jsonw.h, which places commas and escapes by construction. Literals with a member's name
(\\"name\\":, \\"%s\\":) or the beginning of an object stand in no other file of src.
usage: checkjson.py ROOT"""
import os
import re
import sys

import sources

WRITER = "src/base/jsonw.c"
# Of a text for people ("cannot open \\"%s\\": …") the colon has a blank after it.
HAND_MADE = re.compile(r'\\"[a-z_]+\\":|\{\\"|\\":(?![ "])')


def main():
    root, errors, checked = sys.argv[1], [], 0
    for path in sources.walk(root, "src"):
        if not path.endswith((".c", ".h")):
            continue
        checked += 1
        with open(os.path.join(root, path), encoding="utf-8") as f:
            found = [n for n, line in enumerate(f, 1) if HAND_MADE.search(line)]
        if found and path != WRITER:
            errors.append(f"{path}:{found[-1]}: JSON is made by hand: use base/jsonw.h")
    return sources.finish("json", errors, checked)


if __name__ == "__main__":
    sys.exit(main())
