# SPDX-License-Identifier: Apache-2.0
"""Texts as editors and scripts make them: a byte order mark in front of a program, blanks in front of a number."""
import subprocess

import live

BOM = b"\xef\xbb\xbf"
for name, text in (
    ("plain.d", b"BEGIN { trace(1); exit(0); }\n"),
    ("hash.d", b"#!/usr/sbin/dtrace -s\nBEGIN { trace(1); exit(0); }\n"),
):
    with open(name, "wb") as f:
        f.write(BOM + text)
    for cpp in ((), ("-C",)):
        r = live.dwell("-q", *cpp, "-s", name)
        live.same((r.stdout, r.returncode), ("1\n", 0), f"{name} {cpp}: a byte order mark is none of the program")
with open("wrong.d", "wb") as f:
    f.write(BOM + b"BEGIN { trace(nothing); }\n")
r = live.dwell("-s", "wrong.d")
live.check(
    "line 1" in r.stderr and "\nBEGIN { trace(nothing); }\n              ^" in r.stderr,
    "errors are at their column",
    r.stderr,
)
with open("middle.d", "wb") as f:
    f.write(b"BEGIN { trace(1); " + BOM + b"exit(0); }\n")
live.same(live.dwell("-q", "-s", "middle.d").returncode, 1, "elsewhere it is a mistake")

p = subprocess.Popen([live.TRIGGER, "pause", "60000"])
for text in (f" {p.pid}", f"\t+{p.pid}", f"00{p.pid}"):
    r = live.dwell("-qn", "BEGIN { printf(\"%d\", $target); exit(0); }", "-p", text)
    live.same((r.stdout, r.returncode), (f"{p.pid}\n", 0), f"-p {text!r}: as DTrace reads it")
p.kill()
p.wait()
for text in ("", " ", "+", "1x", "0", "-5", "99999999999999999999", f"{p.pid} "):
    r = live.dwell("-qn", "BEGIN { exit(0); }", "-p", text)
    live.check(r.returncode == 1 and ("invalid pid" in r.stderr), f"-p {text!r} is none", r.stderr)
r = live.dwell("-l", "-n", "syscall::g?tpp(id):entry")
live.check(
    "No probe matches" in r.stderr and "g?tpp(id)" in r.stderr,
    "parentheses are characters of a description (names of Go)",
    r.stderr,
)
r = live.dwell(
    "-q", "-b", " 4m", "-x", "aggsize= 1m", "-x", "switchrate= +10hz", "-x", "strsize=\t32", "-n", "BEGIN { exit(0); }"
)
live.same((r.returncode, r.stderr), (0, ""), "options take blanks in front of numbers")
r = live.dwell("-q", "-x", "strsize=32 ", "-n", "BEGIN { exit(0); }")
live.same(r.returncode, 1, "… and not behind")
live.done()
