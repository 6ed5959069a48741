#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refuses the constructions that doc/writing.md gives up, in documents, man pages, texts and comments of the page, and
comments and string literals of src, include and dlib. No sentence has more than LONGEST words: in documents, man pages,
and comments of all programs, scripts and tests (tools/prose.py). Tables and examples are left out. Text between
backticks or in an indented block is code.
usage: checkwords.py ROOT"""
import os
import re
import sys

import prose
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
    (r"[Ww]ho|[Ww]hom|[Ww]hose|Whoever|whoever", "the thread, the process, the user …"),
    (r"What|Whatever", "the thing, or what the function does with it"),
    (r"Those", "the noun"),
    (r"Of", "the subject first"),
)
LONGEST = 28
FILES = {"doc": ".md", "man": ".scd", "web/src": ".ts"}
SOURCE = {"src": (".c", ".h", ".def"), "include": (".h",), "dlib": (".d",), "test": (".c", ".h")}
PIECE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
NOT_CHECKED = {"doc/writing.md"}  # it shows what is refused
TOP = ("README.md", "CONTRIBUTING.md")
# Where no sentence is longer than LONGEST.
SENTENCES = {
    "completion": (".py", ".sh"),
    "dlib": (".d",),
    "doc": (".md",),
    "examples": (".c", ".md"),
    "include": (".h",),
    "java": (".java", ".md"),
    "man": (".scd",),
    "python": (".py",),
    "src": (".c", ".h", ".def", ".md"),
    "test": (".c", ".h", ".py", ".sh"),
    "tools": (".py", ".sh"),
    "web": (".ts",),
}
ANY_LENGTH = {"doc/kernels.md"}  # it shows messages of dwell as they are


def without_code(path, text):
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
        for number, line in without_code(path, text)
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


def check_length(path, text):
    return [
        f"{path}:{number}: more than {LONGEST} words: {sentence[:60]} …: say two sentences"
        for number, sentence in prose.longer(path, text, LONGEST)
    ]


def length_cases():
    """A sentence of LONGEST words passes in each kind of file, one more word does not; left-out parts do not count."""
    fits, wrong = "One " + "one " * (LONGEST - 2) + "last.", "One " + "one " * (LONGEST - 1) + "last."
    forms = {
        "x.md": ("%s\n", "- %s\n", "Two.\n%s **Three.**\n"),
        "x.scd": ("*-x*\n\t%s\n", "- %s\n"),
        "x.c": ("/* %s */\n", "int a; // %s\n", "/* Two.\n *\n * %s */\n"),
        "x.d": ("/*\n * x.d: %s\n */\n",),
        "x.ts": ("/** %s */\n", "// Two.\n// %s\n"),
        "x.py": ('"""%s"""\n', "a = 1  # %s\n", 'def f():\n    """Two.\n    %s"""\n'),
        "x.sh": ("#!/bin/sh\n# %s\n",),
    }
    left_out = {
        "x.md": ("| a | %s |\n", "    %s\n", "```\n%s\n```\n", "`%s`\n", "# %s\n"),
        "x.scd": ("|[ %s\n", "```\n%s\n```\n", "*%s*\n", "*dwell* %s++\n"),
        "x.c": ("/* Two:\n *   %s */\n", 'char *s = "/* %s */";\n', "/* NAME   %s */\n"),
        "x.d": ("/*\n * Usage: %s\n */\n",),
        "x.ts": ("const a = `// %s`;\n",),
        "x.py": ('a = """%s"""\n', '"""usage: %s"""\n'),
    }
    for path, texts in forms.items():
        for text in texts:
            if check_length(path, text % fits):
                yield f"refuses {LONGEST} words in {path}: {text!r}"
            if len(check_length(path, text % wrong)) != 1:
                yield f"does not find {LONGEST + 1} words in {path}: {text!r}"
    for path, texts in left_out.items():
        for text in texts:
            if check_length(path, text % wrong):
                yield f"counts words of {path}: {text!r}"


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
    for path in [p for top, ends in SENTENCES.items() for p in sources.walk(root, top) if p.endswith(ends)] + [
        *TOP,
        "CHANGELOG.md",
    ]:
        if path not in ANY_LENGTH:
            with open(os.path.join(root, path), encoding="utf-8") as f:
                errors += check_length(path, f.read())
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
    errors += [f"tools/checkwords.py: {case}" for case in length_cases()]
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
