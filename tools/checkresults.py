#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Results and hash tables are of the kinds that base has. Exit codes (EXIT_*) are of commands: what is below src/cmd
gives 0 or -errno, a bool or a struct step (base/step.h). uthash is included by base/hash.h and base/hash_try.h only,
which say what happens without memory. A function with an int gives no 1.
usage: checkresults.py ROOT | checkresults.py --test"""
import os
import re
import sys

import sources

# Not the kernel's PIDFD names, such as EXIT_INFO_GET.
EXIT = re.compile(r"\bEXIT_(?:(?!INFO_)\w+|\*)")
UTHASH = re.compile(r"^\s*#\s*include\s*[<\"](?:\w+/)*uthash\.h[>\"]", re.M)
HASHES = ("src/base/hash.h", "src/base/hash_try.h")
COMMENT = re.compile(r"/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.S)
FUNCTION = re.compile(r"^(?:static )?(?:inline )?int (\w+)\(([^;{]*?)\)\n\{\n(.*?)^\}", re.M | re.S)
RETURN = re.compile(r"\breturn\b([^;]*);")
ONE = re.compile(r"(?:^|[?:] )1(?: :|$)")
LESS = re.compile(r"(?:^|[?:] )-1(?: :|$)")
NESTED = re.compile(r"\([^()]*\)")
NAME = re.compile(r"[a-z]\w*$")


def line_of(text, match):
    return text.count("\n", 0, match.start()) + 1


def flat(value):
    """Without arguments and line ends."""
    while NESTED.search(value):
        value = NESTED.sub("", value)
    return " ".join(value.split())


def gives_one(text):
    """Matches of functions with an int that give 1, which is neither 0 nor -errno. Comparisons (1, 0, -1) are none."""
    plain = COMMENT.sub(lambda m: "\n" * m.group().count("\n"), text)
    for f in FUNCTION.finditer(plain):
        values = [flat(v) for v in RETURN.findall(f.group(3))]
        for name in filter(NAME.match, set(values)):  # r = 1; return r;
            values += [flat(v) for v in re.findall(rf"(?<![.>*\w])(?<!for \(int ){name} = ([^;]*);", f.group(3))]
        if any(map(ONE.search, values)) and not any(map(LESS.search, values)) and f.group(2).count("const void *") < 2:
            yield plain, f


def check(files):
    """files: the texts of src by path. The errors."""
    errors = []
    for path, text in files.items():
        found = None if path.startswith("src/cmd/") else EXIT.search(text)
        if found:
            errors.append(f"{path}:{line_of(text, found)}: {found.group()} below src/cmd: see base/step.h")
        found = None if path in HASHES else UTHASH.search(text)
        if found:
            errors.append(f"{path}:{line_of(text, found)}: uthash: use base/hash.h or base/hash_try.h")
        if not path.startswith("src/cmd/"):
            for plain, f in gives_one(text):
                errors.append(f"{path}:{line_of(plain, f)}: {f.group(1)}() gives 1: see base/step.h and base/walk.h")
    return errors


def test():
    """What it must find, and what it must not."""
    wrong = []

    def expect(what, files, want):
        got = check(files)
        if len(got) != want:
            wrong.append(f"{what}: {got}, not {want} errors")

    expect("an exit code", {"src/x/a.c": "return EXIT_ERROR;"}, 1)
    expect("a code of stdlib.h", {"src/x/a.c": "exit(EXIT_FAILURE);"}, 1)
    expect("a comment", {"src/x/a.h": "/* 0, or EXIT_* after a message. */"}, 1)
    expect("a command", {"src/cmd/a.c": "return EXIT_ERROR;"}, 0)
    expect("a folder that begins as cmd does", {"src/cmdline/a.c": "return EXIT_ERROR;"}, 1)
    expect("other names", {"src/x/a.c": "D_EXIT_SPEC SIGNALS_AT_EXIT_MAX EXIT_INFO_GET"}, 0)
    expect("uthash", {"src/x/a.h": "#pragma once\n#include <uthash.h>\n"}, 1)
    expect("uthash, in another form", {"src/cmd/a.c": "# include \"sys/uthash.h\"\n"}, 1)
    expect("uthash in base", {path: "#include <uthash.h>\n" for path in HASHES}, 0)
    expect("a word about it", {"src/x/a.h": "struct t *t; /* uthash.h */\n"}, 0)
    body = "{\n\t/* return 1; */\n\treturn %s;\n}\n"
    expect("a fourth meaning", {"src/x/a.c": "static int f(void)\n" + body % "1"}, 1)
    expect("the same, chosen", {"src/x/a.c": "int f(int e)\n" + body % "e < 0 ? e : 1"}, 1)
    expect("a variable", {"src/x/a.c": "int f(int e)\n" + body % "0;\n    e = 1;\n\treturn e"}, 1)
    expect("a variable, chosen", {"src/x/a.c": "int f(int e)\n" + body % "0;\n    e = e < 0 ? e : 1;\n\treturn e"}, 1)
    expect("another variable", {"src/x/a.c": "int f(int e)\n" + body % "0;\n\tg->e = n = 1;\n\treturn e"}, 0)
    expect("a counter", {"src/x/a.c": "int f(int e)\n" + body % "0;\n\tfor (int n = 1; n < 3; n++)\n\t\treturn n"}, 0)
    expect("a comparison", {"src/x/a.c": "static int f(int a)\n" + body % "a < 0 ? 1 : -1"}, 0)
    expect("one for qsort(3)", {"src/x/a.c": "int f(const void *a, const void *b)\n" + body % "1"}, 0)
    expect("a number", {"src/x/a.c": "static unsigned f(void)\n" + body % "1"}, 0)
    expect("an argument", {"src/x/a.c": "static int f(bool a)\n" + body % "g(a ? 1 : 2)"}, 0)
    for w in wrong:
        print(f"results: {w}")
    return bool(wrong)


def main():
    root, files = sys.argv[1], {}
    for path in sources.walk(root, "src"):
        if path.endswith((".c", ".h")):
            with open(os.path.join(root, path), encoding="utf-8") as f:
                files[path] = f.read()
    return sources.finish("results", check(files), len(files))


if __name__ == "__main__":
    sys.exit(test() if sys.argv[1] == "--test" else main())
