#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines of Python, D and .def files have 120 columns at most (clang-format keeps those of C, `black -l 120 -S -C` most of
Python). Exceptions: Python that a text makes longer; in D a #pragma with a text, which is one line to the compiler, and the
command of an example in a tool's head, which tests run. usage: checkcolumns.py ROOT | checkcolumns.py --test"""
import io
import os
import re
import sys
import tokenize

import sources

MAX = 120
TEXT = 40  # from so many columns on, a text may be the reason
TAB = 8
PRAGMA = re.compile(r'#pragma D .*"[^"]{%d,}"' % TEXT)


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


def long_d(text):
    """The same of D and of .def files."""
    return [
        i
        for i, line in enumerate(text.splitlines(), 1)
        if len(line.expandtabs(TAB)) > MAX and not PRAGMA.match(line) and not line.startswith(" * Example")
    ]


# What checks a file, by the end of its name.
CHECKS = {".py": long_lines, ".d": long_d, ".def": long_d}


def test():
    """What it must find, and what it must not."""
    right = ["x = 1\n", f"x = '{'a' * 200}'\n", f"x = '''\n{'a' * 200}\n'''\n", f"x = 1  # {'a' * 200}\n"]
    wrong = [f"x = {' + '.join('yyyy' for _ in range(40))}\n"]
    d_right = ["\t" * 15 + "\n", f'#pragma D param x int "{"a" * 200}" 0\n', f" * Example: {'a' * 200}\n"]
    d_wrong = ["\t" * 15 + "x\n", f'printf("{"a" * 200}");\n', f"/* {'a' * 200} */\n", f"#pragma D {'a' * 200}\n"]
    bad = [t for t in right if long_lines(t)] + [t for t in wrong if long_lines(t) != [1]]
    bad += [t for t in d_right if long_d(t)] + [t for t in d_wrong if long_d(t) != [1]]
    for t in bad:
        print(f"columns: {t[:60]!r}")
    return bool(bad)


def main():
    if sys.argv[1] == "--test":
        return test()
    root, errors, checked = sys.argv[1], 0, 0
    for path in sources.walk(root, "test", "tools", "python", "dlib", "src"):
        full = os.path.join(root, path)
        check = CHECKS.get(os.path.splitext(path)[1])
        if not check or path.endswith(".d") and not path.startswith("dlib/"):
            continue
        with open(full, encoding="utf-8") as f:
            text = f.read()
        checked += 1
        for n in check(text):
            print(
                f"{path}:{n}: more than {MAX} columns"
                + (f": black -l {MAX} -S -C breaks it" if check == long_lines else "")
            )
            errors += 1
    print(f"columns: {checked} checked, {errors} wrong")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
