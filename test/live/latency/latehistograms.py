# SPDX-License-Identifier: Apache-2.0
"""A dwell that gets no CPU for ten seconds: its histograms say that they are late, and have every event nevertheless."""
import json
import os
import signal
import subprocess
import time

import live

p = subprocess.Popen(
    [
        live.DWELL,
        "--json",
        "-n",
        "tracker t (int) { threshold = 1s; } profile-101hz { begin(t, cpu); } profile-103hz { end(t, cpu); }"
        "latency:t::all /!(args[0]->how & 3)/ { @n = count(); } tick-16s { exit(0); }",
    ],
    stdout=subprocess.PIPE,
    text=True,
)
with live.busy_cpus():
    time.sleep(3)
    os.kill(p.pid, signal.SIGSTOP)
    time.sleep(10)
    os.kill(p.pid, signal.SIGCONT)
    out = [json.loads(line) for line in p.communicate(timeout=60)[0].splitlines()]
hists = [o for o in out if o["type"] == "histogram"]
late, n = [h for h in hists if h.get("late")], [
    o for o in out if o["type"] in ("snapshot", "aggregations", "printa") and o.get("rows")
]
live.check(
    late and len(late) < len(hists) and not hists[0].get("late"),
    "those that came late say so",
    [(h["time"], h.get("late")) for h in hists],
)
live.same(sum(h["count"] for h in hists), n[-1]["rows"][0]["values"][0], "no event is missing")
live.done()
