#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Coverage table: every name that D programs and users can use must be in a program that a test runs.

usage: checkcover.py [-v] ROOT      -v: print the table with the first test of each name

Read are the closed sets of the source: built-in variables, actions, subroutines and aggregating functions
(builtin.def), error tags (errtag.def), options and refused options (options.def, options.c), printf
conversions (printfmt.c), kinds of losses (text.c) and of faults (recfmt.h). What counts as named:
  functions      name( in a D program of a test        variables  the word in a D program
  error tags     the word in a test                    options    after -x, "option", @options, or quoted alone
  conversions    in a string with a format             losses     the tag in a test
  faults         the words of its message
A D program is a .d file below test/, or a string in another test file. Comments and descriptions count for nothing.
Only tests that run programs on the kernel count (test/live); for error tags all do that compare messages.
tools/cover-exempt.txt lists what no test can show, with the reason; lines there that are not needed are errors.
"""
import os
import re
import sys

TESTS = ("test",)
RUN = os.path.join("test", "live", "")
SUFFIXES = (".d", ".py", ".sh", ".c", ".diag", ".err", ".check", ".ast", ".txt")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def strip_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def without_comments(path, text):
    """The text without what only speaks of it; the directives of live cases stay."""
    if path.endswith((".c", ".d")):
        return strip_comments(text) + "\n" + "\n".join(re.findall(r"^.*@(?:options|args):.*$", text, re.M))
    if path.endswith((".py", ".sh")):
        text = re.sub(r'^ *"""[A-Z].*?"""', "", text, flags=re.S | re.M)
        return re.sub(r"^\s*#(?! @).*$", "", text, flags=re.M)
    return text


def unescape(s):
    return s.replace('\\"', '"').replace("\\n", "\n").replace("\\t", "\t")


def strings(path, text):
    """The string literals of a test that is not D itself, one text."""
    if path.endswith(".c"):
        text = strip_comments(text)
        text = re.sub(r'"\s*\n\s*"', "", text)
    if path.endswith(".sh"):
        return text
    found = re.findall(r'"""(.*?)"""|\'\'\'(.*?)\'\'\'|"((?:[^"\\\n]|\\.)*)"|\'((?:[^\'\\\n]|\\.)*)\'', text, re.S)
    return "\n".join(unescape("".join(f)) for f in found)


class Tests:
    def __init__(self, root):
        self.messages, self.run, self.programs = [], [], []
        for top in TESTS:
            for folder, _, files in os.walk(os.path.join(root, top)):
                for name in sorted(files):
                    path = os.path.join(folder, name)
                    if name.endswith(SUFFIXES):
                        self.add(os.path.relpath(path, root), read(path))

    def add(self, path, text):
        text = without_comments(path, text)
        self.messages.append((path, path + "\n" + text))
        if not path.startswith(RUN):
            return
        self.run.append((path, text))
        if path.endswith(".d"):
            self.programs.append((path, text))
        elif path.endswith((".py", ".sh")):
            self.programs.append((path, strings(path, text)))

    @staticmethod
    def first(texts, name, pattern):
        r = re.compile(pattern)
        for path, text in texts:
            if name in text and r.search(text):
                return path
        return None


def builtins(root):
    text = strip_comments(read(os.path.join(root, "src/lang/builtin.def")))
    for name, kind in re.findall(r'^BI\(\w+, "([^"]+)", (\w+),', text, re.M):
        yield {"VAR": "variable", "ACT": "action", "SUB": "subroutine", "AGG": "aggregating function"}[kind], name


def names(root):
    """(kind, name, pattern, where) of everything."""
    for kind, name in builtins(root):
        pattern = rf"\b{name}\b" if kind == "variable" else rf"\b{name}\s*\("
        yield kind, name, pattern, "programs"
    for tag in re.findall(r"^ERRTAG\((\w+),", read(os.path.join(root, "src/lang/errtag.def")), re.M):
        yield "error tag", tag, rf"\b{tag}\b", "messages"
    for name in re.findall(r'^OPT\(\w+, "(\w+)"', read(os.path.join(root, "src/lang/options.def")), re.M):
        yield "option", name, option_pattern(name), "run"
    refused = re.search(
        r"refused\[\] = \{(.*?)\n\};", read(os.path.join(root, "src/lang/syntax/options.c")), re.S
    ).group(1)
    for name in re.findall(r'\{ ?"(\w+)",', refused):
        yield "refused option", name, option_pattern(name), "run"
    table = read(os.path.join(root, "src/base/printfmt.c"))
    for conv in re.findall(r'\{ "(\w+)", \'\w\', PFC_\w+ \}', table) + ["%"]:
        yield "conversion", "%" + conv, rf"%[-+ #0']*(?:\d+|\*)?(?:\.(?:\d+|\*))?@?{conv}", "programs"
    for tag in sorted(set(re.findall(r'"((?:DTRACE)?DROP_\w+)"', read(os.path.join(root, "src/view/text/text.c"))))):
        yield "loss", tag, rf"\b{tag}\b", "run"
    view = read(os.path.join(root, "src/view/text/text.c"))
    for name, words in re.findall(r'case (FAULT_\w+):\s*(?:return|snprintf\(buf, n,) "([^"(%]+)', view):
        yield "fault", name, re.escape(words.strip()), "run"


def option_pattern(name):
    return (
        rf"-x\s*{name}\b|option\s+{name}\b|-x\",?\s*[f]?\"{name}\b|[\"']{name}(=[^\"']*)?[\"']|"
        rf"DTRACE_OPT_{name.upper()}\b"
    )


def exemptions(root):
    found = {}
    for n, line in enumerate(read(os.path.join(root, "tools/cover-exempt.txt")).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, why = line.partition(": ")
        if not why.strip():
            sys.exit(f"tools/cover-exempt.txt:{n}: no reason")
        found[name] = why.strip()
    return found


def given(root, tag):
    """Is the tag used anywhere but in its table? Faults have their words elsewhere, too, whoever makes them."""
    for folder, _, files in os.walk(os.path.join(root, "src", "cg" if tag.startswith("FAULT_") else "")):
        for name in files:
            if name.endswith((".c", ".h")) and re.search(rf"\b{tag}\b", read(os.path.join(folder, name))):
                return True
    return False


def main():
    args = [a for a in sys.argv[1:] if a != "-v"]
    verbose = "-v" in sys.argv
    root = args[0] if args else "."
    tests, exempt = Tests(root), exemptions(root)
    used, missing, counts = set(), [], {}
    for kind, name, pattern, where in names(root):
        plain = {"conversion": name[-1:], "fault": ""}.get(kind, name)
        by = Tests.first(getattr(tests, where), plain, pattern)
        covered, total = counts.get(kind, (0, 0))
        counts[kind] = (covered + bool(by), total + 1)
        if name in exempt and not by:
            used.add(name)
        elif not by:
            missing.append((kind, name))
        if verbose:
            print(f"{kind:22} {name:22} {by or '- ' + exempt.get(name, 'MISSING')}")
    for kind, (covered, total) in counts.items():
        print(f"{kind}: {covered} of {total} in tests that run")
    for kind, name in missing:
        print(f"no test runs the {kind} {name}: write one, or give the reason in tools/cover-exempt.txt")
    for name in sorted(set(exempt) - used):
        print(f"tools/cover-exempt.txt: {name} is not needed (any more)")
    lies = [name for name, why in exempt.items() if why.startswith("not given") and given(root, name)]
    for name in lies:
        print(f"tools/cover-exempt.txt: {name} is given by the source")
    if len(counts) < 10 or min(t for _, t in counts.values()) < 2:
        sys.exit("the source is not read right: " + str(counts))
    sys.exit(1 if missing or lies or set(exempt) - used else 0)


if __name__ == "__main__":
    main()
