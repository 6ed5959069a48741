#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses the constructions that doc/writing.md gives up, in documents, man pages, texts and comments of the page, and
comments and string literals of src, include and dlib. No sentence of a comment in src has more than
LONGEST words, lists and tables left out. What stands between backticks or in an indented block is code.
usage: checkwords.py ROOT"""
import os
import re
import sys

import sources

# what is refused, and what to say instead
REFUSED = (
    (r"(?<!queued )\bbehind\b", '"after", "next to", or what hides what'),
    (r"\bso many\b", "the number, or its name"),
    (r"\b(is|are|was|were) said\b", "who says it: a message, the output, the page"),
    (r"\bwhoever\b|\bwho of\b|\bfor who\b", "the role: the caller, the reader, the user"),
    (r"\b(at|in) the begin\b", '"at the start"'),
    (r"\blikewise\b", '"also", or the fact again'),
    (r"\bsuch a one\b|\bis so, too\b|\bthat is so\b", "the noun"),
    (r"\bwhat is said\b|\bwhat there is to say\b", "the thing that is written: message, cause, column"),
    (r"\b(took|taken|take|takes) (its |some of its )?(own )?probes (away|off)\b|\bprobes away\b", '"detached"'),
    (r"\bdo not say\b.*\bdo not say\b", "one sentence"),
)
# What no sentence of a comment begins with: the reader would have to find its noun, or its verb.
BEGINNINGS = (
    (r"Who|Whom|Whose|Whoever", "the thread, the process, the user …"),
    (r"What|Whatever", "the thing, or what the function does with it"),
    (r"Those", "the noun"),
    (r"Of", "the subject first"),
)
LONGEST = 28
WORD = re.compile(r"[A-Za-z0-9][\w'./-]*")
FILES = {"doc": ".md", "man": ".scd", "web/src": ".ts"}
SOURCE = {"src": (".c", ".h", ".def"), "include": (".h",), "dlib": (".d",), "test": (".c", ".h")}
PIECE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
NOT_CHECKED = {"doc/writing.md"}  # it shows what is refused
TOP = ("README.md", "CONTRIBUTING.md")


def prose(path, text):
    """Lines with code taken out."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*```", line):
            fenced = not fenced
        elif not fenced and not (path.endswith(".md") and line.startswith("    ")):
            yield number, re.sub(r"`[^`]*`", "", line) if path.endswith(".md") else line


def check(path, text):
    return [
        f'{path}:{number}: "{m.group(0)}": say {instead}'
        for number, line in prose(path, text)
        for pattern, instead in REFUSED
        for m in re.finditer(pattern, line, re.I)
    ]


def check_source(path, text):
    """The same of comments and string literals; of tests comments alone, since their literals are output that is compared.
    A comment is one text, whose lines are joined."""
    errors = []
    for piece in PIECE.finditer(text):
        if path.startswith("test/") and piece.group(0)[0] != "/":
            continue
        words = re.sub(r"(?<=\n)[ \t]*\*? ?|`[^`]*`", lambda m: " " * len(m.group(0)), piece.group(0)).replace(
            "\n", " "
        )
        words = re.sub(" {2,}", lambda m: " " + "\0" * (len(m.group(0)) - 1), words)
        at = [i for i, c in enumerate(words) if c != "\0"]  # where a letter of the joined text is in the piece
        joined = words.replace("\0", "")
        comment = joined.startswith("/")
        starts = [
            (rf"(?:^/[/*]+ *|[.;:] )({words})\b(?![^.;:]*\?)", instead, 0) for words, instead in BEGINNINGS if comment
        ]
        for pattern, instead, flags in [(pattern, instead, re.I) for pattern, instead in REFUSED] + starts:
            for m in re.finditer(pattern, joined, flags):
                number = text.count("\n", 0, piece.start() + at[m.start()]) + 1
                errors.append(f'{path}:{number}: "{m.group(m.lastindex if flags == 0 else 0)}": say {instead}')
    return errors


def sentences(comment):
    """The sentences of a block comment, without those of a paragraph that is a list or a table."""
    body = re.sub(r"(?m)^[ \t]*(?:/\*+|\*(?!/))? ?|\*/$", "", comment)
    for paragraph in re.split(r"\n[ \t]*\n", body):
        if not re.search(r"\n(?: {2,}|\t|- )\S", paragraph):
            words = re.sub(r"`[^`]*`", "code", " ".join(paragraph.split()))
            yield from re.split(r"(?<=[.!?;:])\s", words)


def check_length(path, text):
    errors = []
    for piece in PIECE.finditer(text):
        if piece.group(0).startswith("/*"):
            for s in sentences(piece.group(0)):
                if len(WORD.findall(s)) > LONGEST:
                    number = text.count("\n", 0, piece.start()) + 1
                    errors.append(f"{path}:{number}: more than {LONGEST} words: {s[:60]} …: say two sentences")
    return errors


def main():
    root = sys.argv[1]
    paths = [p for top, ext in FILES.items() for p in sources.walk(root, top) if p.endswith(ext)] + list(TOP)
    errors = []
    for path in paths:
        if path not in NOT_CHECKED:
            with open(os.path.join(root, path), encoding="utf-8") as f:
                errors += check(path, f.read())
    for top, ends in SOURCE.items():
        for path in sources.walk(root, top):
            if path.endswith(ends):
                paths.append(path)
                with open(os.path.join(root, path), encoding="utf-8") as f:
                    text = f.read()
                errors += check_source(path, text)
                if top == "src":
                    errors += check_length(path, text)
    # The patterns find what they are made for.
    for wrong in (
        "Both are said.",
        "the row behind it",
        "after so many seconds",
        "at the begin of",
        "for whoever asks",
    ):
        if not check("x.md", wrong):
            errors.append(f"tools/checkwords.py: does not find {wrong!r}")
    if (
        check_source("x.c", "int behind; /* the row\n * before */")
        or len(check_source("x.c", '/* the row\n * is\n * said */ "so many"')) != 2
    ):
        errors.append("tools/checkwords.py: does not read comments and literals")
    for wrong in (
        "/* What is left. */",
        "/* One row. Whose it is\n * is not known. */",
        "/* Of the last: all. */",
        "// Those of one.",
    ):
        if not check_source("x.c", wrong):
            errors.append(f"tools/checkwords.py: does not find {wrong!r}")
    if not check_length("x.c", f"/* {'one ' * (LONGEST + 1)}. */") or check_length(
        "x.c", f"/* {'one ' * LONGEST}. {'two ' * LONGEST}. */"
    ):
        errors.append("tools/checkwords.py: does not find long sentences")
    for right in (
        "/* Offers what is left. */",
        '"What is left."',
        "/* Whole: is it one? What of it? */",
        "/* at most one. */",
    ):
        if check_source("x.c", right):
            errors.append(f"tools/checkwords.py: refuses {right!r}")
    return sources.finish("words", errors, len(paths))


if __name__ == "__main__":
    sys.exit(main())
