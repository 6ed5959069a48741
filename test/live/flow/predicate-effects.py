# SPDX-License-Identifier: Apache-2.0
"""A predicate that counts: what it counts while probes are still being attached would be lost, as nothing is done then.
Attaching the probes of all these tracepoints takes longer than the timer's first periods."""
import live

PROGRAM = """profile-997 /!n++/ { printf("first"); }
sdt:s*:: { @ = count(); }
tick-100ms { exit(0); }"""
for i in range(3):
    r = live.dwell("-qn", PROGRAM)
    live.check("first" in r.stdout and r.returncode == 0, f"the first firing is told, run {i}", r.stdout + r.stderr)
live.done()
