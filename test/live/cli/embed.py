# SPDX-License-Identifier: Apache-2.0
"""What others build on: the C library (examples/count-syscalls.c, linked with libdwell) and python/dwell.py."""
import os
import subprocess
import sys

import live

ROOT = os.path.join(os.path.dirname(os.path.realpath(live.__file__)), "..", "..")
EXAMPLE = os.path.join(os.path.dirname(live.DWELL), "count-syscalls")
sys.path.insert(0, os.path.join(ROOT, "python"))
import dwell  # noqa: E402

# -- C --
if os.path.exists(EXAMPLE):
    p = subprocess.Popen([EXAMPLE, "dd", "3"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    live.same(p.stderr.readline(), "attached\n", "the example attaches")
    subprocess.run(["dd", "if=/dev/zero", "of=/dev/null", "bs=8k", "count=50"], stderr=subprocess.DEVNULL, check=True)
    subprocess.run(["dd", "if=/nowhere", "of=/dev/null"], stderr=subprocess.DEVNULL, check=False)
    out, err = p.communicate(timeout=30)
    lines = out.splitlines()
    live.same((p.returncode, err), (0, ""), "the example ends well, and nothing is printed by the library")
    live.check("openat:return openat 2" in lines, "rows: an open that fails", out)
    counts = dict(
        line.split() for line in lines[lines.index("calls, by count:") + 1 : lines.index("sizes, by quantize:")]
    )
    live.check(int(counts.get("write", 0)) >= 50, "a snapshot: calls by name", out)
    live.check(any('{"from":8192,"to":16384,"count":50}' in line for line in lines), "a distribution", out)
    bad = os.path.join(live.WORK, "bad.d")
    with open(bad, "w", encoding="ascii") as f:
        f.write("BEGIN\n{\n\ttrace($$1); trace(nosuch);\n}\n")
    r = subprocess.run([EXAMPLE, "dd", "1", bad], capture_output=True, text=True, timeout=30, check=False)
    live.check(r.returncode == 1 and r.stderr.startswith("3:20: [D_IDENT_UNDEF] "), "an error with its place", f"{r}")
    library = os.path.join(os.path.dirname(live.DWELL), "libdwell.so")
    r = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    with open(os.path.join(ROOT, "include", "dwell.h"), encoding="ascii") as f:
        header = f.read()
    names = {line.split()[2].split("@")[0] for line in r.stdout.splitlines()} - {"DWELL_1"}
    live.check(len(names) >= 14 and all(f"{n}(" in header for n in names), "only what the header has", f"{names}")
    record, file = [
        os.path.join(os.path.dirname(live.DWELL), "record-command"),
        os.path.join(live.WORK, "command.dwell"),
    ], "command.dwell"
    r = subprocess.run(
        record + ["sh", "-c", "exec 2>/dev/null; cat </nowhere; exit 3"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    live.check(r.returncode == 0 and "exited with status 3" in r.stderr, "a command is traced, its end is told", f"{r}")
    live.check(
        "openat: errno 2" in r.stdout and '"calls"' in r.stdout, "the recording has its calls that failed", r.stdout
    )
    again = subprocess.run(record[:2], capture_output=True, text=True, timeout=30, check=False)
    live.same((again.returncode, again.stdout), (0, r.stdout), "it reads the same again")
    r = subprocess.run(record + ["true"], capture_output=True, text=True, timeout=30, check=False)
    live.check(r.returncode == 1 and file in r.stderr, "a recording is never overwritten", f"{r}")
    live.check(bool(list(dwell.recording(record[1], program=live.DWELL))), "and is one for all else", "")
STATIC = EXAMPLE + "-static"
if os.path.exists(STATIC):
    r = subprocess.run([STATIC, "dd", "0"], capture_output=True, text=True, timeout=30, check=False)
    live.same((r.returncode, r.stderr), (0, "attached\n"), "the same, linked statically")
    live.check("calls, by count:" in r.stdout, "its snapshot", r.stdout)

# -- Python --
with dwell.run(
    'BEGIN { trace($1); trace("x"); } BEGIN { @["a", 1] = sum(5); exit(4); }', arguments=[7], program=live.DWELL
) as rows:
    got = list(rows)
    live.same([a["value"] for a in got[0]["output"]], [7, "x"], "rows as dicts")
    live.same([dwell.aggregation(r) for r in got if dwell.aggregation(r)], [{("a", 1): 5}], "an aggregation")
    live.same(rows.status, 4, "the status of exit()")
for text, want in (
    ("BEGIN\n{\n\ttrace(nosuch);\n}\n", (3, 8, "D_IDENT_UNDEF")),
    ("BEGIN { x = ; }", (1, 13, "D_SYNTAX")),
):
    try:
        list(dwell.run(text, program=live.DWELL))
        live.check(False, "an error is raised", text)
    except dwell.ProgramError as e:
        live.same((e.line, e.column, e.tag), want, "an error with line, column and tag")
try:
    list(dwell.run("BEGIN { exit(0); }", options={"bufsize": "many"}, program=live.DWELL))
    live.check(False, "an error is raised", "")
except dwell.ProgramError as e:
    live.check(False, "not an error of the program", str(e))
except dwell.DwellError as e:
    live.check("bufsize" in e.text and e.status > 0, "an error that is not the program's", e.text)
try:
    dwell.run("BEGIN {}", program="/nowhere/dwell")
    live.check(False, "an error is raised", "")
except dwell.DwellError as e:
    live.check("/nowhere/dwell" in e.text, "no program", e.text)
with dwell.run("tick-20ms { trace(1); } END { trace(2); }", program=live.DWELL) as rows:
    live.same(next(rows)["output"][0]["value"], 1, "rows come while it runs")
    live.same(rows.finish()[-1]["output"][0]["value"], 2, "a stop: END runs")
with dwell.run("tick-20ms { trace(1); }", program=live.DWELL) as rows:
    next(rows)
    process = rows._process
live.check(process.returncode is not None, "leaving the block ends the program", "")
with dwell.run("tick-20ms { trace(1); }", seconds=0.2, program=live.DWELL) as rows:
    live.check(len(list(rows)) > 0 and rows.status == 0, "it ends by itself", "")
file = os.path.join(live.WORK, "run.dwell")
list(dwell.run("BEGIN { trace(5); @ = count(); exit(0); }", options={"record": file}, program=live.DWELL))
got = list(dwell.recording(file, program=live.DWELL))
live.same(
    [a["value"] for r in got if r["type"] == "event" for a in r["output"] if a["action"] == "trace"],
    [5],
    "rows of a recording",
)
live.same([dwell.aggregation(r) for r in got if r["type"] == "printa"], [{(): 1}], "its aggregation")
try:
    list(dwell.recording("/nowhere/x", program=live.DWELL))
    live.check(False, "an error is raised", "")
except dwell.DwellError as e:
    live.check("/nowhere/x" in e.text, "no recording", e.text)
live.done()
