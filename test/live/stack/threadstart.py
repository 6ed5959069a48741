# SPDX-License-Identifier: Apache-2.0
# @timeout: 200
# @long: 10,000 samples of each runtime
"""At least 99 of 100 samples of Node and Python under mixed load (compression, hashes, regular expressions, databases, callbacks) reach where
their thread begins."""
import os
import platform
import shutil
import subprocess
import sys
import live

PROGRAMS = [p for p in ("node", "/usr/bin/python3") if shutil.which(p)]
if platform.machine() != "x86_64" or not PROGRAMS:
    print("# no runtime here, or user stacks are not walked as on x86-64")
    raise SystemExit(77)
MEASURE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../perf/stacks.py")
r = subprocess.run(
    [sys.executable, MEASURE, "--least", "99", live.DWELL, *map(shutil.which, PROGRAMS)],
    capture_output=True,
    text=True,
    check=False,
)
live.check(r.returncode == 0, "99 of 100 are complete", r.stdout + r.stderr)
live.done()
