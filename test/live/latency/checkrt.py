# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell check names a real-time thread that keeps others from their CPU. Two take turns in what it leaves, so that half of their
waits end when the other one gives the CPU up, not the real-time thread. Of eight, each waits for several of its turns."""
import json
import os
import sys

import live

FAULTS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "check", "faults.py")
SECONDS = "3"
env = {**os.environ, "DWELL_CHECK_FIRST": "1", "TRIGGER": live.TRIGGER}
for fault in "real-time", "real-time-crowd":
    r = live.dwell("check", "--json", "--for", "60s", "--", sys.executable, FAULTS, fault, SECONDS, timeout=90, env=env)
    if "status 77" in r.stderr:
        print("# no real-time priority here")
        raise SystemExit(77)
    found = json.loads(r.stdout)["findings"] if r.stdout else []
    live.check(
        "real-time" in [f["id"] for f in found],
        f"{fault}: the real-time thread is named",
        ([(f["id"], f["cost_ms_per_s"]) for f in found], r.stderr),
    )
live.done()
