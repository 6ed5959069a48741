#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables are written by view/form/table.h, which pads columns, cuts texts and counts characters, not bytes. A call
whose format pads two values or more (%-10s %8llu) makes a line of a table by hand: an error, unless
tools/tables-allow.txt names the file with the number of such calls and a reason. A number that is larger than what the
file has is an error, too, so that numbers only shrink. Zeros in front (%02u) and indentation (%*s of "") pad no column.
usage: checktables.py ROOT | --test"""
import os
import re
import sys
import tempfile

import sources

PRINTER = "src/view/form/table.c"
ALLOW = "tools/tables-allow.txt"
MANY = 2
STRING = r'"(?:\\.|[^"\\\n])*"'
# Strings that the compiler joins, with macros such as PRIu64 between them.
FORMAT = re.compile(rf"{STRING}(?:\s*(?:PRI\w+\s*)?{STRING}|\s*PRI\w+)*")
PADDED = re.compile(r"%[- +#]*(?:[1-9]\d*|\*)(?:\.(?:\d+|\*))?(?:hh?|ll?|z|j)?[a-zA-Z]")
COMMENT = re.compile(rf"({STRING})|/\*.*?\*/", re.S)
JOINED = re.compile(r'"\s*"')
# What reads has widths, too.
READS = re.compile(r"\bs?f?scanf\([^;]*;", re.S)


def columns(text):
    """Line and number of padded values of each format that pads some."""
    text = COMMENT.sub(lambda m: m[1] or "\n" * m[0].count("\n"), text)
    text = READS.sub(lambda m: "\n" * m[0].count("\n"), text)
    for m in FORMAT.finditer(text):
        words = JOINED.sub("", re.sub(r"PRI\w+", '"u"', m[0])).replace("%%", "")
        rest = text[m.end() :].split(";", 1)[0]
        n = len(PADDED.findall(words)) - (len(re.findall(r"%\*s", words)) if '""' in rest else 0)
        if n > 0:
            yield text.count("\n", 0, m.start()) + 1, n


def allowed(root, errors):
    found = {}
    path = os.path.join(root, ALLOW)
    for n, line in enumerate(open(path, encoding="utf-8") if os.path.exists(path) else [], 1):
        parts = line.split(None, 2)
        if line.startswith("#"):
            continue
        if len(parts) < 3 or not parts[1].isdigit():
            errors.append(f"{ALLOW}:{n}: not a file, a number and a reason")
        else:
            found[parts[0]] = int(parts[1])
    return found


def check(root):
    errors, checked = [], 0
    allow = allowed(root, errors)
    for path in sources.walk(root, "src"):
        if not path.endswith((".c", ".h")) or path == PRINTER:
            continue
        checked += 1
        with open(os.path.join(root, path), encoding="utf-8") as f:
            lines = [line for line, n in columns(f.read()) if n >= MANY]
        most = allow.pop(path, 0)
        if len(lines) > most:
            errors.append(
                f"{path}:{lines[-1]}: columns are padded by hand ({len(lines)} calls, {most} are allowed): "
                "use view/form/table.h"
            )
        elif len(lines) < most:
            errors.append(f"{path} pads columns by hand in {len(lines)} calls; make the number in {ALLOW} as small")
    errors += [f"{ALLOW}: {path} is not there" for path in allow]
    return errors, checked


def test():
    cases = {
        'printf("%-10s %8llu\\n", a, b);': [2],
        'printf("%-*s " "%5.1f %%\\n", w, a, b);': [2],
        'printf("%9" PRIu64 " %3u\\n", a, b);': [2],
        'printf("%s %u %02u:%02u %016llx %%5\\n", a, b, c, d, e);': [],
        'printf("%*s%-8s\\n", indent, "", a);': [1],
        'sscanf(line, "%15s %7s", a, b);': [],
        '/* "%5s %5s" */ puts("x");': [],
    }
    for text, want in cases.items():
        got = [n for _, n in columns(text)]
        assert got == want, (text, got, want)
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, "src/a"))
        os.makedirs(os.path.join(root, "tools"))

        def errors(source, allow):
            for path, words in (("src/a/b.c", source), (ALLOW, allow)):
                with open(os.path.join(root, path), "w", encoding="utf-8") as f:
                    f.write(words)
            return check(root)[0]

        table = 'int f(void) { return printf("%5s %5s", a, b); }\n'
        assert not errors(table, "# head\nsrc/a/b.c 1 a reason\n")
        assert "by hand" in errors(table, "")[0]
        assert "by hand" in errors(table * 2, "src/a/b.c 1 a reason\n")[0]
        assert "as small" in errors(table, "src/a/b.c 2 a reason\n")[0]
        assert "not a file" in errors(table, "src/a/b.c 1\n")[0]
        assert "is not there" in errors("", "src/a/c.c 1 a reason\n")[0]
    print("checktables: its own cases are right")


def main():
    if sys.argv[1] == "--test":
        return test()
    errors, checked = check(sys.argv[1])
    return sources.finish("tables", errors, checked)


if __name__ == "__main__":
    sys.exit(main())
