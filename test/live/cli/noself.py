# SPDX-License-Identifier: Apache-2.0
"""A plain program sees dwell itself; with -x noself it does not."""
import live

PROGRAM = "syscall:::entry /pid == $pid/ { n++; } tick-1s { exit(0); } END { printf(\"%d\", n); }"
r = live.dwell("-q", "-x", "switchrate=50hz", "-n", PROGRAM)
live.check(int(r.stdout or 0) > 0, "dwell sees itself", r.stdout + r.stderr)
r = live.dwell("-q", "-x", "switchrate=50hz", "-x", "noself", "-n", PROGRAM)
live.same(r.stdout, "0\n", "-x noself")
live.done()
