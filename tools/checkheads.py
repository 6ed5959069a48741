#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each file says at its head, below the licence, what it does: a comment of whole sentences. A source with a header of
the same name leaves that to the header. In src C, in dlib D, in web/src TypeScript. usage: checkheads.py ROOT | --test"""
import os
import re
import sys
import tempfile

import sources

LEAST_WORDS = 4
# After the licence and lines of the preprocessor or of D's pragmas.
C = r"/\*((?:(?!\*/).)*)\*/"
HEAD = re.compile(
    r"(?:#[^\n]*\n)*(?:"
    + C.replace("(", "(?:", 1)
    + r"|//[^\n]*)\s*(?:#(?!include)[^\n]*\n\s*)*(?:"
    + C
    + r"|((?://[^\n]*\n)+))",
    re.S,
)


def head(text):
    """The words of the comment after the licence's."""
    m = HEAD.match(text)
    if not m:
        return []
    return re.sub(r"\n\s*(?:\*|//)?", " ", (m[1] or m[2]).strip("*/ ")).split()


def wrong(path, text, has_header):
    words = head(text)
    if has_header and not words:
        return None
    if len(words) < LEAST_WORDS:
        return "no head: what the file does, in a sentence"
    if not any(w[-1] in ".:?" for w in words):
        return "its head has no whole sentence: " + " ".join(words)[-60:]
    return None


def check(root):
    errors, checked = [], 0
    for folder, endings in (("src", (".c", ".h")), ("dlib", (".d",)), ("web/src", (".ts",))):
        for path in sources.walk(root, folder):
            if not path.endswith(endings):
                continue
            checked += 1
            with open(os.path.join(root, path), encoding="utf-8") as f:
                reason = wrong(
                    path, f.read(4096), path.endswith(".c") and os.path.exists(os.path.join(root, path[:-1] + "h"))
                )
            if reason:
                errors.append(f"{path}: {reason}")
    return sources.finish("heads", errors, checked)


def test_itself():
    lic = "/* SPDX-License-Identifier: Apache-2.0 */\n"
    for text, has_header, ok in (
        (lic + "/* Reads the options of `dwell check` and starts it. */\n#include <a.h>\n", False, True),
        (lic + "#include <a.h>\n", True, True),
        (lic + "#include <a.h>\n", False, False),
        (lic + "/* Options. */\n", False, False),
        (lic + "/* Reads the options of a command,\n * and */\n", False, False),
        ("#!/usr/bin/dwell -s\n" + lic + "#pragma D option quiet\n/* Counts calls of a process. */\n", False, True),
        (lic + "int x; /* The number of things that there are. */\n", False, False),
    ):
        assert (wrong("a.c", text, has_header) is None) == ok, text
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(root + "/src")
        with open(root + "/src/a.c", "w", encoding="utf-8") as f:
            f.write(lic)
        assert check(root) == 1


if __name__ == "__main__":
    sys.exit(test_itself() if sys.argv[1] == "--test" else check(sys.argv[1]))
