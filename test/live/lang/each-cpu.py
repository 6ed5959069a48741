# SPDX-License-Identifier: Apache-2.0
"""Arrays that only the number of the CPU indexes: each CPU has its own elements."""
import re

import live

with live.busy_cpus():
    r = live.dwell(
        "-q",
        "-n",
        'profile-997 { fired[cpu]++; last[cpu] = vtimestamp; @own[cpu] = max(fired[cpu]); @n[cpu] = count(); } '
        'tick-1s { printa("%d %@d %@d\\n", @own, @n); exit(0); }',
    )
rows = [tuple(map(int, m)) for m in re.findall(r"^(\d+) (\d+) (\d+)$", r.stdout, re.M)]
live.check(
    len(rows) >= 1 and all(own == n and n > 100 for _, own, n in rows), "counted on each CPU alone", r.stdout + r.stderr
)
live.done()
