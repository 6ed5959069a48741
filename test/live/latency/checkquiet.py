# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""`dwell check` finds nothing where nothing is slow, and says what it looked at; options and recordings that cannot be."""
import json
import os
import sys

from live import TRIGGER, WORK, check, done, dwell

FAULTS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../check/faults.py")
ENV = {**os.environ, "DWELL_CHECK_FIRST": "1", "TRIGGER": TRIGGER}


def look(faults, secs, *options):
    p = dwell(
        "check",
        "--for",
        "20s",
        "--json",
        *options,
        "--",
        sys.executable,
        FAULTS,
        faults,
        secs,
        WORK,
        timeout=90,
        env=ENV,
    )
    check(p.returncode == 0, f"{faults}: ends well", p.stderr)
    return json.loads(p.stdout)


# -- nothing --
page = look("nothing", 2)
# A machine that is busy with other things lets this one wait for a CPU, or for its pages, too.
mine = [
    f
    for f in page["findings"]
    if f["id"] not in ("cpu-saturated", "cpu-bursts", "noisy-neighbour", "real-time", "major-faults", "io-wait")
]
check(not mine, "nothing is slow where nothing happens", mine)
check(len(page["well"]) > 30, "and it says what was looked at", len(page["well"]))

# -- messages --
p = dwell("check", "-p", "1", __file__)
check(p.returncode == 2 and "-p is not for recordings" in p.stderr, "a recording has no processes to choose", p.stderr)
p = dwell("check", WORK + "/none.dwell")
check(p.returncode == 1 and "none.dwell" in p.stderr, "a recording that is not there", p.stderr)
done()
