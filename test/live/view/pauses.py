# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""When dwell itself did not run, pictures say so; a recording that exit() ended ends there, however much was yet to be read."""
import base64
import json
import os
import re
import signal
import sqlite3
import subprocess
import time
import xml.etree.ElementTree as ET
import zlib
from live import DWELL, TRIGGER, WORK, check, done, dwell, same

SVG = "{http://www.w3.org/2000/svg}"


def path(name):
    return os.path.join(WORK, name)


def run(*args):
    return subprocess.run([DWELL, *args], capture_output=True, text=True, timeout=60)


def rows(name, kind, what="ts"):
    db = sqlite3.connect(f"file:{path(name)}?mode=ro", uri=True)
    found = db.execute(f"SELECT {what} FROM row WHERE kind = {kind} ORDER BY seq").fetchall()
    db.close()
    return found


def seen(name, n):
    """Waits until a recording that is being made has so many events."""
    for _ in range(400):
        time.sleep(0.05)
        try:
            if len(rows(name, 0)) >= n:
                return
        except sqlite3.Error:
            pass


# -- stopped for three seconds --
threads_d = os.path.join(os.path.dirname(DWELL), "dlib", "timeline", "threads.d")
p = subprocess.Popen(
    [
        DWELL,
        "--record",
        path("p.dwell"),
        "-q",
        "-n",
        """
    tick-100ms { trace("tick"); @ns["x"] = hist(1000); } tick-8s { exit(0); }""",
        "-s",
        threads_d,
    ],
    stdout=subprocess.DEVNULL,
    stderr=subprocess.PIPE,
    text=True,
)
seen("p.dwell", 10)
time.sleep(1)
p.send_signal(signal.SIGSTOP)
stopped = time.monotonic_ns()
time.sleep(3)
p.send_signal(signal.SIGCONT)
went_on = time.monotonic_ns()
err = p.communicate(timeout=60)[1]
same(p.returncode, 0, "it goes on")
check("paused" not in err, "which is nothing to be said among a program's output", err)
notes = [
    (ts, n, bytes(data).decode()) for ts, n, ident, data in rows("p.dwell", 4, "ts, count, id, data") if ident == 1
]
mine = max(notes, key=lambda n: n[1], default=(0, 0, ""))
check(
    2.9e9 < mine[1] < 6e9 and stopped - 1e9 < mine[0] - mine[1] < stopped + 1e9 and mine[0] > went_on - 1e9,
    "the recording has when, and how long",
    (notes, stopped, went_on),
)
check(mine[2].startswith("paused: it could not run for 3."), "and says it", mine)
wall = int(sqlite3.connect(path("p.dwell")).execute("SELECT value FROM meta WHERE key = 'wall_off_ns'").fetchone()[0])
for args in (["--by", "@ns"], ["--offset", "1s"]):
    head = json.loads(run("heat", *args, "--json", path("p.dwell")).stdout)
    column = lambda ns: int(((ns + wall) / 1e6 - head["begin"]) // head["step"])
    found = [n for n in head["notes"] if n[1].startswith("paused") and n[2] >= 3]
    check(
        found and found[0][0] == column(mine[0] - mine[1]) and found[0][0] + found[0][2] - 1 == column(mine[0]),
        f"heat {args[0]}: the columns in which it did not run",
        (head["notes"], column(mine[0])),
    )
    root = ET.fromstring(run("heat", *args, path("p.dwell")).stdout)
    bars = [e for e in root.iter(f"{SVG}rect") if e.get("class") == "n" and e.find(f"{SVG}title") is not None]
    whole = float(root.find(f"{SVG}rect[@class='p']").get("width"))
    check(
        any(
            abs(float(e.get("width")) - found[0][2] * whole / head["columns"]) < 1
            and "paused" in e.find(f"{SVG}title").text
            for e in bars
        ),
        "a bar of their width",
        [ET.tostring(e) for e in bars],
    )
    check(any("did not run" in (t.text or "") for t in root.iter(f"{SVG}text")), "and what it means")
svg = run("timeline", "--svg", path("p.dwell")).stdout
check("paused: it could not run for 3." in svg, "timeline: in dwell's lane", re.findall(r"dwell: [^<]*", svg))

# -- ended by exit() with much to read yet --
r = dwell(
    "--record",
    path("e.dwell"),
    "-q",
    "-x",
    "bufsize=16m",
    "-n",
    """
    syscall:::entry { printf("%s %s %d", execname, probefunc, pid); stack(); ustack(); } tick-500ms { exit(0); }""",
    "-o",
    "/dev/null",
    "-c",
    f"{TRIGGER} rate 400000 3000",
    timeout=120,
)
ends, events = rows("e.dwell", 5), rows("e.dwell", 0)
same(len(ends), 1, "a recording ends once")
same(ends[0], events[-1], "with the event of exit()")
check(len(events) > 1000, "after many", len(events))
done()
