# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""dwell record: --on-slow ends by itself behind a slow event, whose file has it and what was around it."""
import json
import os
import sys

import live

os.chdir(live.WORK)
with open("nap.py", "w", encoding="utf-8") as f:
    f.write(
        "import ctypes, time\nctypes.CDLL(None).prctl(15, b'napper', 0, 0, 0)\nfor i in range(20): time.sleep(.005)\ntime.sleep(.3)\nfor i in range(6000): time.sleep(.005)\n"
    )
NAP = ["--", sys.executable, "nap.py"]
r = live.dwell(
    "record",
    "--on-slow",
    "offcpu",
    "--comm",
    "napper",
    "--over",
    "250ms",
    "--after",
    "100ms",
    "-o",
    "nap.dwell",
    *NAP,
    timeout=50
)
live.check(
    r.returncode == 0 and "offcpu: napper" in r.stdout,
    "it ends behind the slow event, and says which",
    (r.returncode, r.stdout, r.stderr),
)
slow = [
    json.loads(l) for l in live.dwell("latency", "--idle", "--json", "--over", "250ms", "nap.dwell").stdout.splitlines()
]
live.check(
    any(o.get("tracker") == "offcpu" and o["comm"] == "napper" and o["cause"] == "sleep" for o in slow),
    "the file has it",
    slow,
)
text = live.dwell("timeline", "--text", "nap.dwell")
live.check("napper" in text.stdout, "and what threads did", text.stdout + text.stderr)
r = live.dwell("record", "--on-slow", "offcpu", "--comm", "nobody", "-o", "none.dwell", "--", "true", timeout=50)
live.check(
    r.returncode == 0 and "no slow event of offcpu" in r.stdout and os.path.exists("none.dwell"),
    "none: it says so",
    r.stderr,
)
live.same(live.dwell("record", "--on-slow", "nothing").returncode, 2, "no tracker: usage")
live.same(live.dwell("record", "--over", "1s").returncode, 2, "--over alone: usage")
live.done()
