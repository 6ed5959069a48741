#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines of Python have 120 columns at most, except those that a text makes longer (`black -l 120 -S -C` does the rest; clang-format keeps
those of C). usage: checkcolumns.py ROOT | checkcolumns.py --test"""
import io
import os
import sys
import tokenize

import sources

MAX = 120
TEXT = 40  # from so many columns on, a text may be the reason


def long_lines(text):
    """The numbers of lines that are too long, and have no text to be blamed."""
    lines = text.splitlines()
    long = {i for i, line in enumerate(lines, 1) if len(line) > MAX}
    if not long:
        return []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT) or tokenize.tok_name[token.type].startswith("FSTRING"):
            (first, start), (last, end) = token.start, token.end
            if first != last or end - start >= TEXT:
                long -= set(range(first, last + 1))
    return sorted(long)


def test():
    """What it must find, and what it must not."""
    right = ["x = 1\n", f"x = '{'a' * 200}'\n", f"x = '''\n{'a' * 200}\n'''\n", f"x = 1  # {'a' * 200}\n"]
    wrong = [f"x = {' + '.join('yyyy' for _ in range(40))}\n"]
    bad = [t for t in right if long_lines(t)] + [t for t in wrong if long_lines(t) != [1]]
    for t in bad:
        print(f"columns: {t[:60]!r}")
    return bool(bad)


def main():
    if sys.argv[1] == "--test":
        return test()
    root, errors, checked = sys.argv[1], 0, 0
    for path in sources.walk(root, "test", "tools", "python", "dlib"):
        full = os.path.join(root, path)
        if not path.endswith(".py"):
            continue
        with open(full, encoding="utf-8") as f:
            text = f.read()
        checked += 1
        for n in long_lines(text):
            print(f"{path}:{n}: more than {MAX} columns: black -l {MAX} -S -C breaks it")
            errors += 1
    print(f"columns: {checked} checked, {errors} wrong")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
