# SPDX-License-Identifier: Apache-2.0
"""Inlined functions and lines of source: of a program that computes in functions which are inlined into each other."""
import base64
import gzip
import json
import os
import re
import subprocess
import sqlite3
import zlib
from protobuf import message, packed, varint
from live import DWELL, TRIGGER, WORK, busy_cpus, check, done, same

PROG = os.path.join(os.path.dirname(TRIGGER), "sym_lines")
NEST = ["lines_outer", "lines_middle", "lines_innermost"]


def path(name):
    return os.path.join(WORK, name)


def run(*args):
    return subprocess.run([DWELL, *args], capture_output=True, text=True, timeout=60, env=dict(os.environ, TMPDIR=WORK))


def folded(*args):
    """{tuple of frames: number} of a recording's stacks of the program."""
    r = run("export", "--format", "folded", *args)
    found = {}
    for line in r.stdout.splitlines():
        stack, _, n = line.rpartition(" ")
        found[tuple(stack.split(";"))] = int(n)
    return found


with busy_cpus():
    r = run("flame", "--on-cpu", "-o", path("a.svg"), "--record", path("a.dwell"), "-c", PROG + " 3")
check(r.returncode == 0, "a picture of what runs", r.stderr)
svg = open(path("a.svg")).read()
titles = re.findall(r"<title>(.*?)</title><rect [^>]*class=\"k(\d+)", svg, re.S)
kinds = {t.split("\n")[0]: k for t, k in titles}
check(all(f in kinds for f in NEST), "all three functions are frames", sorted(kinds))
check(
    kinds.get("lines_middle") == kinds.get("lines_innermost") != kinds.get("lines_outer"),
    "inlined ones have a colour of their own",
    kinds,
)
places = {t.split("\n")[0]: t for t, k in titles}
for name, file in zip(NEST, ("sym_lines.c", "sym_lines.c", "sym_lines.h")):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../trigger", file)
    source = source if os.path.exists(source) else None
    number = re.search(file.replace(".", "\\.") + r":(\d+)\n", places.get(name, ""))
    check(number is not None, f"{name}: where it is in the source", places.get(name))
    if source and number:
        check(name + "(" in open(source).read().splitlines()[int(number[1]) - 1], f"{name}: there it is", number[1])

stacks = folded(path("a.dwell"))
inner = sum(
    n for s, n in stacks.items() if s[-1] == "sym_lines`lines_innermost_[i]" or "`lines_innermost_[i]" in ";".join(s)
)
check(
    inner > 0.8 * sum(stacks.values()) > 0,
    "from the recording: nearly all samples are in the innermost function",
    stacks,
)
hot = [s for s in stacks if s[-1] == "sym_lines`lines_innermost_[i]"]
check(
    hot
    and all(
        [f.split("`")[-1] for f in s[-3:]] == ["lines_outer", "lines_middle_[i]", "lines_innermost_[i]"] for s in hot
    ),
    "which stands on those that it is inlined into",
    hot,
)
plain = folded("--no-inlined", path("a.dwell"))
check(
    not any("_[i]" in f for s in plain for f in s) and sum(plain.values()) == sum(stacks.values()),
    "--no-inlined: they are part of the function",
    plain,
)
before = run("report", path("a.dwell")).stdout
check("lines_outer" in before and "lines_innermost" not in before, "the report's stacks are as DTrace prints them")

# elsewhere, without the program
os.environ["PATH"] = "/nowhere"
r = run("flame", "--html", "-o", path("a.html"), path("a.dwell"))
if "esbuild" not in r.stderr:
    check(r.returncode == 0, "a page of the recording", r.stderr)
made = json.loads(run("flame", "--json", path("a.dwell")).stdout)
data, at = zlib.decompress(base64.b64decode(made["stacks"])), 0


def number():
    global at
    value, at = varint(data, at)
    return value


def text():
    global at
    size = number()
    at += size
    return data[at - size : at].decode()


modules = [text() for _ in range(number())]
named = [(number(), number(), text())[2] for _ in range(number())]
for _ in range(number()):
    number(), number(), number()
files = [text() for _ in range(number())]
sources = {
    n: (os.path.basename(files[f - 1]) if f else "", line) for n, f, line in ((n, number(), number()) for n in named)
}
same(at, len(data), "the page's data: nothing is left over")
same(
    [sources.get(n, ("",))[0] for n in NEST],
    ["sym_lines.c", "sym_lines.c", "sym_lines.h"],
    "the page's data: files of the functions",
)
check(sources["lines_innermost"][1] == 7, "and their first lines", sources)
speed = json.loads(run("export", "--format", "speedscope", path("a.dwell")).stdout)
lines = {(f["name"], f.get("line")) for f in speed["shared"]["frames"] if f.get("file", "").endswith("sym_lines.h")}
check(
    lines and all(n == "lines_innermost" and 7 <= line <= 12 for n, line in lines),
    "speedscope: file and line of what ran",
    lines,
)

run("export", "--format", "pprof", "-o", path("a.pb.gz"), path("a.dwell"))
with gzip.open(path("a.pb.gz")) as f:
    p = message(f.read())
strings = [s.decode() for s in p[6]]
functions = {
    f[1][0]: (strings[f[2][0]], os.path.basename(strings[f[4][0]]) if f[4] else "", f[5][0] if f[5] else 0)
    for f in map(message, p[5])
}
same(len(functions), len({f[:2] for f in functions.values()}), "pprof: a function once, whatever its lines")
chains, used = set(), set()
for loc in map(message, p[4]):
    lines = [message(line) for line in loc[4]]
    names = tuple(functions[line[1][0]][0] for line in lines)
    if names[-1] == "lines_outer" and len(names) == 3:
        chains.add(names)
        used |= {line[2][0] for line in lines[:1]}
same(chains, {tuple(reversed(NEST))}, "pprof: one place has the lines of the inlined functions, innermost first")
check(used and all(7 <= line <= 12 for line in used), "pprof: the lines that ran", used)
check(
    ("lines_innermost", "sym_lines.h", 7) in functions.values(), "pprof: file and first line of a function", functions
)
places = {message(loc)[1][0] for loc in p[4]}
check(all(set(packed(message(s)[1][0])) <= places for s in p[2]), "pprof: samples are of places that are there")

with busy_cpus():
    r = run(
        "--record",
        path("b.dwell"),
        "-x",
        "srclines=off",
        "-qn",
        "profile-99 /pid == $target/ { @[ustack()] = count(); }",
        "-c",
        PROG + " 1",
    )
same(
    sqlite3.connect(path("b.dwell")).execute("SELECT count(*) FROM source").fetchone()[0],
    0,
    "-x srclines=off: none in the recording",
)
check(not any("_[i]" in f for s in folded(path("b.dwell")) for f in s), "and so no inlined frames")
done()
