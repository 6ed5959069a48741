# SPDX-License-Identifier: Apache-2.0
"""10,000 clauses: accepted, split over programs, run in order, each once."""
import os

import live

N = 10000
src = os.path.join(live.WORK, "many.d")
with open(src, "w") as f:
    for i in range(N):
        f.write(f'BEGIN /n == {i}/ {{ n++; }}\n')
    f.write('BEGIN { printf("%d\\n", n); exit(0); }\n')
r = live.dwell("-q", "-s", src, timeout=120)
live.check(
    r.returncode == 0 and r.stdout.startswith(f"{N}\n"), "10,000 clauses of BEGIN", r.stdout[:200] + r.stderr[:500]
)

src = os.path.join(live.WORK, "many2.d")
with open(src, "w") as f:
    for i in range(N):
        f.write(f"syscall::getppid:entry /pid == $target && n == {i}/ {{ n++; }}\n")
    f.write('END { printf("%d\\n", n); }\n')
r = live.dwell("-q", "-s", src, "-c", live.TRIGGER + " getppid 1", timeout=120)
live.check(
    r.returncode == 0 and r.stdout.startswith(f"{N}\n"),
    "10,000 clauses of a system call",
    r.stdout[:200] + r.stderr[:500],
)
live.done()
