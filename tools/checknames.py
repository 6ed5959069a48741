#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names in comments exist. In the comments of src, include and test/unit a word followed by "()" is a function, a macro or
a built-in of D. A word that ends with .c, .h, .d or .def is a file of the tree. In the documents for developers of dwell
files exist, too. Names after "Source:" belong to other projects. Further names of others (the kernel, the C library) are in
the list tools/names-ok.txt: one name a line, and its owner. In headers a sentence of a declaration's comment that begins
with "word:" is about a parameter, if other functions have one of that name. Then this function, or one of those up to the
next empty line, must have it, too.
usage: checknames.py SOURCE
Exit status: 0 all exist, 1 some do not."""
import os
import re
import sys

FOLDERS = ("src", "include", "test/unit")
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|//[^\n]*', re.S)
CALL = re.compile(r"(?<![\w$.>-])([a-z_][a-z0-9_]{2,})\(\)", re.I)
FILE = re.compile(r"(?<![\w/.*<-])((?:[\w-]+/)*[\w-]+\.(?:c|h|d|def|py|txt|map))\b(?![\w(*])")
# Roots of other sources that comments cite: Linux, CPython.
OTHERS = (
    "arch",
    "block",
    "drivers",
    "fs",
    "include",
    "Include",
    "kernel",
    "lib",
    "linux",
    "mm",
    "net",
    "scripts",
    "uapi",
    "asm",
    "sys",
)
DOCUMENTS = ("CONTRIBUTING.md", "doc/architecture.md", "doc/decisions.md", "doc/testing.md")
PLACEHOLDER = re.compile(r"(?:^|[/_])[A-Z]+(?=[/.])")  # NAME.d, test/unit/ROOM
WORD = re.compile(r"[A-Za-z_]\w*")
# A comment that begins its line, and the declarations up to the next empty line, brace or comment line.
DECLARED = re.compile(r"^[ \t]*/\*((?:[^*]|\*(?!/))*)\*/\n((?:(?![ \t]*(?:/\*|#|$))[^{}]*?\n)+)", re.M)
PARAMETER = re.compile(r"[\s*]([a-z_]\w*)(?:\[\w*\])?(?=[,)])")
ABOUT = re.compile(r"(?:^|[.;] )([a-z][a-z0-9_]*(?:, [a-z][a-z0-9_]*)*)(?: \([^()]*\))?: ")


def sources(root, folders, ends):
    for folder in folders:
        for path, dirs, files in os.walk(os.path.join(root, folder)):
            dirs[:] = [d for d in dirs if d not in ("node_modules", "__pycache__", "corpus")]
            for f in sorted(files):
                if f.endswith(ends):
                    yield os.path.join(path, f)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def declarations(text):
    """Each comment with line, its words in one line, and the code that it is about, comments at the end of lines left out."""
    for m in DECLARED.finditer(text):
        if "(" in m[2]:
            yield text.count("\n", 0, m.start()) + 1, re.sub(r"\s*\n\s*\* ?", " ", m[1]).strip(), COMMENT.sub(" ", m[2])


def parameters(headers):
    """Errors: what a comment tells of a parameter that is not there."""
    names = {name for text in headers.values() for _, _, code in declarations(text) for name in PARAMETER.findall(code)}
    for path, text in headers.items():
        for line, words, code in declarations(text):
            has = set(WORD.findall(code))
            for m in ABOUT.finditer(words):
                for name in m[1].split(", "):
                    if name in names and name not in has:
                        yield f"{path}:{line}: no parameter is called {name}"


def main():
    root = sys.argv[1]
    allowed = {
        line.split()[0]
        for line in read(os.path.join(root, "tools", "names-ok.txt")).splitlines()
        if line.strip() and not line.startswith("#")
    }
    words, comments, headers = set(), [], {}
    for path in sources(
        root, ("src", "include", "test", "dlib", "web/src", "tools"), (".c", ".h", ".def", ".d", ".py", ".ts")
    ):
        text = read(path)
        if path.endswith(".h") and os.path.relpath(path, root).startswith(("src", "include")):
            headers[os.path.relpath(path, root)] = text
        words |= set(WORD.findall(COMMENT.sub(lambda m: m[0] if m[0][0] in "\"'" else " ", text)))
        if path.endswith((".c", ".h", ".def")) and os.path.relpath(path, root).startswith(FOLDERS):
            comments += [
                (path, text.count("\n", 0, m.start()) + 1, m[0]) for m in COMMENT.finditer(text) if m[0][0] == "/"
            ]
    paths = {
        os.path.relpath(p, root)
        for p in sources(root, ("src", "include", "test", "dlib", "doc", "tools", "web", "man", "examples"), "")
    }
    for name in DOCUMENTS:
        comments.append((os.path.join(root, name), 1, read(os.path.join(root, name))))
    found = used = 0
    seen = set()
    for path, line, text in comments:
        source = text.find("Source:")
        for m in () if path.endswith(".md") else CALL.finditer(text):
            if 0 <= source < m.start():
                continue
            used += 1
            if m[1] in allowed:
                seen.add(m[1])
            elif m[1] not in words:
                found += 1
                print(
                    f"{os.path.relpath(path, root)}:{line + text.count(chr(10), 0, m.start())}: {m[1]}() does not exist; of others: tools/names-ok.txt"
                )
        for m in FILE.finditer(text):
            if 0 <= source < m.start():
                continue
            used += 1
            if m[1] in allowed:
                seen.add(m[1])
            elif (
                m[1].split("/")[0] not in OTHERS
                and not PLACEHOLDER.search(m[1])
                and not any(p == m[1] or p.endswith("/" + m[1]) for p in paths)
            ):
                found += 1
                print(
                    f"{os.path.relpath(path, root)}:{line + text.count(chr(10), 0, m.start())}: there is no file {m[1]}"
                )
    for error in parameters(headers):
        found += 1
        print(error)
    for name in sorted(allowed - seen):
        found += 1
        print(f"tools/names-ok.txt: no comment has {name}")
    print(f"names: {used} in comments, {found} wrong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
