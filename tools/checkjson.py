#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JSON is written by base/jsonw.h, which places commas and escapes by construction. Literals with a member's name
(\\"name\\":) or the beginning of an object stand in no other file of src, but for those below, which are to be rewritten: each
has so many lines at most. Who takes lines away lowers the number.
usage: checkjson.py ROOT"""
import os
import re
import sys

import sources

HAND_MADE = re.compile(r'\\"[a-z_]+\\":|\{\\"')
LEFT = {
    "src/hosts/fleet.c": 1, "src/lib/queue.c": 1, "src/lib/runner.c": 1,  # a line that is JSON already gets a member; a search
    "src/serve/run.c": 1,  # the beginning of a line, looked for
}


def main():
    root, errors, checked = sys.argv[1], [], 0
    for path in sources.walk(root, "src"):
        if not path.endswith((".c", ".h")):
            continue
        checked += 1
        with open(os.path.join(root, path), encoding="utf-8") as f:
            found = [n for n, line in enumerate(f, 1) if HAND_MADE.search(line)]
        allowed = LEFT.get(path, 0)
        if len(found) > allowed:
            errors.append(f"{path}:{found[-1]}: JSON is made by hand: use base/jsonw.h")
    return sources.finish("json", errors, checked)


if __name__ == "__main__":
    sys.exit(main())
