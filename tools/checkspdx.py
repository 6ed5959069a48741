#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file that can hold a comment names its licence in its first lines; others, such as test
data, are listed in tools/spdx-allow.txt with a reason. usage: checkspdx.py ROOT"""
import os
import sys

import sources

FIRST_LINES = 4
TAG = b"SPDX-License-Identifier: "


def main():
    root, errors, checked = sys.argv[1], [], 0
    allow = sources.read_allow(os.path.join(root, "tools/spdx-allow.txt"))
    for path in sources.walk(root):
        full = os.path.join(root, path)
        if os.path.islink(full) or sources.allowed(path, allow):
            continue
        checked += 1
        with open(full, "rb") as f:
            if not any(TAG in f.readline() for _ in range(FIRST_LINES)):
                errors.append(f"{path}: no SPDX-License-Identifier in the first lines")
    return sources.finish("spdx", errors, checked)


if __name__ == "__main__":
    sys.exit(main())
