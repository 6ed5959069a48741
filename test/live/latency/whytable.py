# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""dwell latency why: known waits have their rows with the right numbers, as text and JSON; wrong use."""
import json
import os
import re
import signal
import subprocess
import sys
import time

import live

os.chdir(live.WORK)
with open("naps.py", "w", encoding="utf-8") as f:
    f.write(
        """
import os, threading, time
def naps():
    for i in range(4): time.sleep(0.1)
threading.Thread(target=naps).start()
r, w = os.pipe()
threading.Timer(0.3, lambda: os.write(w, b"x")).start()
os.read(r, 1)
"""
    )
COMMAND = ["-c", f"{sys.executable} naps.py"]
NUMBER = re.compile(r"^(.*?) +([\d.]+ [num]?s) +(\d+)% +(\d+) +([\d.]+ [num]?s) +([\d.]+ [num]?s)$")
UNIT = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def why(*args, **kw):
    return live.dwell("latency", "why", *args, **kw)


def ns(text):
    value, unit = text.split()
    return float(value) * UNIT[unit]


def rows(text):
    found = [NUMBER.match(l.strip()) for l in text.splitlines()]
    return {m[1].strip("~ "): (ns(m[2]), int(m[4]), ns(m[5]), ns(m[6])) for m in found if m}


r = why("--idle", *COMMAND)
table = rows(r.stdout)
live.check(r.returncode == 0 and live.complaints(r) == "", "runs with a command", r.stderr)
live.check(
    table.get("sleep", (0, 0))[1] >= 4 and table["sleep"][0] >= 400e6 and table["sleep"][2] <= table["sleep"][3],
    "four naps of 100 ms",
    r.stdout,
)
live.check(table.get("read: data in a pipe", (0, 0))[0] >= 290e6, "waiting for a pipe", r.stdout)
live.check(all(len(l) <= 80 for l in r.stdout.splitlines()), "80 columns", r.stdout)
without = why(*COMMAND)
live.check(
    "sleep" not in rows(without.stdout)
    and re.search(r"not shown: \d+ sleeps and waits for work, .* \(--idle\)", without.stdout)
    and "read: data in a pipe" in rows(without.stdout),
    "sleeps are shown when asked for, as in dwell latency and dwell top",
    without.stdout,
)
live.check("unknown 0.0%" in r.stdout or "unknown" in table, "the share of unknown is told", r.stdout)

r = why("--by", "thread", "--idle", *COMMAND)
live.check(len(re.findall(r"^python3?\S* \d+ ", r.stdout, re.M)) >= 2, "by thread", r.stdout)
r = why("--by", "process", "--top", "1", "--idle", *COMMAND)
live.check(
    len(re.findall(r"^python3?\S* \d+ ", r.stdout, re.M)) == 1 and "more cause" in r.stdout,
    "by process, one row each",
    r.stdout,
)

r = why("--json", "--stacks", *COMMAND)
objects = [json.loads(l) for l in r.stdout.splitlines()]
final = [o for o in objects if o.get("type") == "latency-why" and o["final"]]
causes = {c["cause"]: c for c in final[0]["causes"]} if final else {}
nap = causes.get("sleep", {})
live.check(
    len(final) == 1 and nap.get("count", 0) >= 4 and nap["class"] == "time" and nap["max_ns"] >= 100e6,
    "JSON",
    r.stdout[:2000],
)
live.check(
    any("nanosleep" in f for s in nap.get("stacks", []) for f in s["frames"]), "with the stacks of the program", nap
)
live.check(
    final and {"count", "total_ns", "than_ns"} <= set(final[0]["shorter"]) and "total_ns" in final[0]["unknown"],
    "short ones and unknown ones are counted",
    r.stdout[-500:],
)

r = why("--over", "150ms", "--idle", *COMMAND)
live.check(
    "sleep" not in rows(r.stdout) and rows(r.stdout).get("shorter than 150 ms", (0, 0))[1] >= 4,
    "--over: shorter ones have no cause",
    r.stdout,
)

r = why("--for", "1s", "--every", "300ms", "--comm", "nothing-has-this-name")
live.check(
    r.returncode == 0 and r.stdout.count("last ") >= 2 and r.stdout.count("all ") == 1 and not rows(r.stdout),
    "--for, --every, --comm",
    r.stdout,
)
with open("rules", "w", encoding="utf-8") as f:
    f.write('wait device "my nap" alone: do_nanosleep\n')
r = why("-x", "causes=rules", "--record", "why.dwell", *COMMAND)
live.check("my nap" in rows(r.stdout), "rules of one's own", r.stdout + r.stderr)
live.check(
    "my nap" not in live.dwell("report", "why.dwell").stdout and "sleep" in live.dwell("report", "why.dwell").stdout,
    "a recording can be shown, by dwell's rules",
)

p = subprocess.Popen([live.DWELL, "latency", "why", "--every", "1h"], stdout=subprocess.PIPE, text=True)
time.sleep(2)
p.send_signal(signal.SIGINT)
out = p.communicate(timeout=20)[0]
live.check(p.returncode == 0 and "  all " in out, "Ctrl-C shows all of it", out)
p = subprocess.Popen(
    [live.DWELL, "latency", "why", "--every", "100ms"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
)
p.stdout.readline()
p.stdout.close()
live.check(p.wait(timeout=20) == 1, "ends when nobody reads", p.stderr.read())

for args, message in (
    (["--by", "planet"], "none of process, thread, container"),
    (["--over", "0"], "no time"),
    (["--over", "10ns"], "from 1us"),
    (["--for", "soon"], "'soon' is no time"),
    (["--every", "x"], "'x' is no time"),
    (["--over", "1.5hz"], "'1.5hz' is no time"),
    (["--every", "100hz"], "'100hz' is no time"),
    (["--top", "0"], "from 1 to"),
    (["more"], "--for is not for recordings ('more')"),
    (["--nonsense"], "there is no option --nonsense"),
    (["-x", "causes=/absent"], "cannot open /absent"),
):
    r = why(*args, "--for", "100ms") if "--for" not in args else why(*args)
    live.check(r.returncode in (1, 2) and message in r.stderr, f"{' '.join(args)}: {message}", r.stderr)
r = why("--help")
live.check(r.returncode == 0 and "--stacks" in r.stdout, "--help")
live.done()
