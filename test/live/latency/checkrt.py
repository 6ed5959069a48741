# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell check names a real-time thread that keeps two others from their CPU. The two take turns in what it leaves, so that half of
their waits end when the other one gives the CPU up, not the real-time thread."""
import json
import os
import sys

import live

FAULTS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "check", "faults.py")
env = {**os.environ, "DWELL_CHECK_FIRST": "1", "TRIGGER": live.TRIGGER}
r = live.dwell("check", "--json", "--for", "60s", "--", sys.executable, FAULTS, "real-time", "3", timeout=90, env=env)
if "status 77" in r.stderr:
    print("# no real-time priority here")
    raise SystemExit(77)
found = json.loads(r.stdout)["findings"] if r.stdout else []
live.check(
    "real-time" in [f["id"] for f in found],
    "a real-time thread is named",
    ([(f["id"], f["cost_ms_per_s"]) for f in found], r.stderr),
)
live.done()
