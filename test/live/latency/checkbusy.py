# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
# @alone: the busy loops are to be the load
"""dwell check finds a storm of processes where other programs have most of the CPUs: what the processes wanted of them counts."""
import json
import os
import subprocess
import sys

import live

FAULTS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "check", "faults.py")
burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * os.cpu_count())]
try:
    for others in ("fork-storm,mutex",):
        r = live.dwell(
            "check",
            "--json",
            "--for",
            "60s",
            "--",
            sys.executable,
            FAULTS,
            others,
            "3",
            timeout=90,
            env={**os.environ, "DWELL_CHECK_FIRST": "1", "TRIGGER": live.TRIGGER},
        )
        found = json.loads(r.stdout)["findings"] if r.stdout else []
        live.check(
            "short-lived" in [f["id"] for f in found],
            f"{others}: many processes run for a moment only",
            ([(f["id"], f["cost_ms_per_s"]) for f in found], r.stderr),
        )
finally:
    for p in burners:
        p.kill()
        p.wait()
live.done()
