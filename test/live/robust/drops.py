# SPDX-License-Identifier: Apache-2.0
"""Drops are counted exactly: what was offered = what came out + what was said to be dropped."""
import re

import live

CALLS = 200000
r = live.dwell("-q", "-x", "bufsize=4k", "-x", "switchrate=1s", "-n",
               'syscall::getppid:entry /pid == $target/ { printf("call %d\\n", tid); @ = count(); } END { printa("all %@d\\n", @); }',
               "-c", f"{live.TRIGGER} getppid {CALLS}", timeout=60)
came = r.stdout.count("call ")
dropped = sum(map(int, re.findall(r"(\d+) drops? on CPU \d+", r.stderr)))
live.check(dropped > 0, f"a ring of one page drops: {came} came, {dropped} dropped", r.stderr[:500])
live.same(came + dropped, CALLS, "records + drops")
live.check(f"all {CALLS}\n" in r.stdout, "the aggregation in the same clause counts all", r.stdout[-200:])
r = live.dwell("-q", "-x", "bufsize=4k", "-x", "droptags", "-n", 'syscall::getppid:entry /pid == $target/ { printf("call\\n"); }',
               "-c", f"{live.TRIGGER} getppid {CALLS}", timeout=60)
live.check("[DTRACEDROP_PRINCIPAL] " in r.stderr, "-x droptags", r.stderr[:300])

r = live.dwell("-q", "-x", "dynvarsize=4k", "-n",
               "int kept; syscall::lseek:entry /pid == $target && (int)arg0 == -1/ { a[arg1] = arg1 + 1; n++; kept += a[arg1] != 0; } "
               'END { printf("%d %d\\n", n, kept); }', "-c", f"{live.TRIGGER} keys 10000", timeout=60)
try:
    n, kept = map(int, r.stdout.split()[-2:])
except ValueError:
    n = kept = -1
dropped = sum(map(int, re.findall(r"(\d+) dynamic variable drops?", r.stderr)))
live.check(0 < kept < n, f"a full dynamic variable space: {kept} of {n} kept", r.stdout + r.stderr)
live.same((n, kept + dropped), (10000, 10000), "kept + drops")
live.done()
