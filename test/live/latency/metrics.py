# SPDX-License-Identifier: Apache-2.0
# @alone: it looks at what is slow on the whole machine
# @timeout: 60
"""-x metrics: an OpenMetrics file of trackers and distributions, whole whenever it is read."""
import os
import re
import subprocess
import time

import live

os.chdir(live.WORK)
F = "x.prom"
PROGRAM = """
tracker nap { threshold = 1h; }
syscall::clock_nanosleep:entry /execname == "sleep"/ { begin(nap); }
syscall::clock_nanosleep:return /execname == "sleep"/ { end(nap); @bytes[execname] = quantize(100); }
"""
SAMPLE = re.compile(
    r'([a-z0-9_]+)(\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z]+="(?:[^"\\\n]|\\["\\n])*")*\})? (NaN|[-+.e0-9]+)'
)


def read():
    text = open(F, encoding="utf-8").read()
    lines = text.splitlines()
    live.check(
        lines and lines[-1] == "# EOF" and all(l.startswith("# ") or SAMPLE.fullmatch(l) for l in lines),
        "OpenMetrics",
        text,
    )
    return {m.group(1) + (m.group(2) or ""): float(m.group(3)) for m in map(SAMPLE.fullmatch, lines) if m}


p = subprocess.Popen(
    [live.DWELL, "-q", "-x", "metrics=" + F, "-n", PROGRAM],
    stdout=subprocess.DEVNULL,
    stderr=subprocess.PIPE,
    text=True,
)
deadline = time.time() + 40
seen = {}
while time.time() < deadline and seen.get('dwell_latency_seconds_count{tracker="nap"}', 0) < 3:
    subprocess.run(["sleep", "0.2"])
    if os.path.exists(F):
        seen = read()
live.check(seen.get('dwell_latency_seconds_count{tracker="nap"}', 0) >= 3, "while it runs", str(seen))
live.check(
    0.19 < seen.get('dwell_latency_minute_seconds{tracker="nap",quantile="0.5"}', 0) < 2, "in seconds", str(seen)
)
p.terminate()
_, messages = p.communicate()
seen = read()
n = seen.get('dwell_latency_seconds_count{tracker="nap"}', 0)
live.check(
    p.returncode == 0 and n >= 3 and seen.get('dwell_latency_seconds_sum{tracker="nap"}', 0) >= 0.2 * n,
    "sum and number",
    str(seen) + messages,
)
live.check(
    seen.get('dwell_value_count{aggregation="bytes",key="sleep"}', 0) >= n,
    "the aggregation, of others that slept already, too",
    str(seen),
)
live.check(seen["dwell_window_bytes"] > 0 and not os.path.exists(F + ".new"), "nothing is left behind")
r = live.dwell("-x", "metrics=/no/such/folder/x", "-n", "BEGIN { exit(0); }")
live.check(r.returncode == 1 and "cannot write metrics" in r.stderr, "a folder that is not there", r.stderr)
live.done()
