# SPDX-License-Identifier: Apache-2.0
"""Nesting 10,000 deep, and a script of 10 MB: taken or refused with a message, never a crash."""
import os
import time

import live


def run(name, text, want=None):
    src = os.path.join(live.WORK, "deep.d")
    with open(src, "w") as f:
        f.write(text)
    begin = time.monotonic()
    r = live.dwell("-q", "-s", src, timeout=100)
    ok = r.returncode in (0, 1) and (r.returncode == 0 or r.stderr.startswith(live.NAME + ": "))
    if want is not None:
        ok = ok and r.returncode == 0 and r.stdout.startswith(want)
    live.check(ok, f"{name}: {time.monotonic() - begin:.1f} s, exit {r.returncode}", r.stdout[:300] + r.stderr[:500])


for depth in (100, 10000):
    run(f"{depth} parentheses", "BEGIN { x = " + "(" * depth + "1" + ")" * depth + '; printf("%d", x); exit(0); }')
    run(f"{depth} operators", "BEGIN { x = 1" + " + 1" * depth + '; printf("%d", x); exit(0); }')
    run(f"{depth} minus signs", "BEGIN { x = " + "- " * depth + '1; printf("%d", x); exit(0); }')
    run(f"{depth} conditions", "BEGIN { x = 1; x = " + "x ? " * depth + "1" + " : 2" * depth + "; exit(0); }")
    run(f"{depth} pointers", "BEGIN { x = (int " + "*" * depth + ")0; exit(0); }")
    run(f"{depth} braces", "struct a { " + "struct { " * depth + "int x; " + "};" * depth + "}; BEGIN { exit(0); }")
run("10 MB of comments", "/* " + "x" * 10000000 + " */\nBEGIN { printf(\"ok\"); exit(0); }", "ok")
run("10 MB of a string", 'BEGIN { s = "' + "x" * 10000000 + '"; exit(0); }')
run("10 MB without a line end", "BEGIN { exit(0); } " + "@" * 10000000)
run("1 MB of statements", "BEGIN { " + "x++; " * 200000 + "exit(0); }")
run("NUL bytes", "BEGIN { exit(0); }\0\0\0")
run("no D at all", "\x7fELF\1\2\3" * 100)
run("empty", "")
live.done()
