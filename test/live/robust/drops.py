# SPDX-License-Identifier: Apache-2.0
"""Drops are counted exactly: what was offered = what came out + what was said to be dropped."""
import re

import live

for option, body in [("bufsize=59", ""), ("aggsize=8", "@ = count();"), ("dynvarsize=15", "a[1] = 1;")]:
    r = live.dwell("-x", option, "-n", "BEGIN { %s exit(0); }" % body)
    live.check(
        r.returncode == 1 and r.stderr.endswith("could not enable tracing: Enabling exceeds size of buffer\n"),
        option + " is too small for anything",
        r.stderr,
    )
r = live.dwell(
    "-x",
    "dynvarsize=80",
    "-qn",
    "BEGIN { a[1] = 1; a[2] = 2; a[3] = 3; a[4] = 4; trace(a[1] + a[2] + a[3] + a[4]); exit(0); }",
)
live.same((r.stdout, r.stderr), ("10\n", ""), "dynvarsize=80 has room for four")
live.same(live.dwell("-x", "bufsize=60", "-qn", "BEGIN { exit(0); }").returncode, 0, "bufsize=60 is not")

CALLS = 200000
r = live.dwell(
    "-q",
    "-x",
    "bufsize=4k",
    "-x",
    "switchrate=1s",
    "-n",
    'syscall::getppid:entry /pid == $target/ { printf("call %d\\n", tid); @ = count(); } END { printa("all %@d\\n", @); }',
    "-c",
    f"{live.TRIGGER} getppid {CALLS}",
    timeout=60,
)
came = r.stdout.count("call ")
dropped = sum(map(int, re.findall(r"(\d+) drops? on CPU \d+", r.stderr)))
live.check(dropped > 0, f"a ring of one page drops: {came} came, {dropped} dropped", r.stderr[:500])
live.same(came + dropped, CALLS, "records + drops")
live.check(f"all {CALLS}\n" in r.stdout, "the aggregation in the same clause counts all", r.stdout[-200:])
r = live.dwell(
    "-q",
    "-x",
    "bufsize=4k",
    "-x",
    "droptags",
    "-n",
    'syscall::getppid:entry /pid == $target/ { printf("call\\n"); }',
    "-c",
    f"{live.TRIGGER} getppid {CALLS}",
    timeout=60,
)
live.check("[DTRACEDROP_PRINCIPAL] " in r.stderr, "-x droptags", r.stderr[:300])

r = live.dwell(
    "-q",
    "-x",
    "dynvarsize=4k",
    "-n",
    "int kept; syscall::lseek:entry /pid == $target && (int)arg0 == -1/ { a[arg1] = arg1 + 1; n++; kept += a[arg1] != 0; } "
    'END { printf("%d %d\\n", n, kept); }',
    "-c",
    f"{live.TRIGGER} keys 10000",
    timeout=60,
)
try:
    n, kept = map(int, r.stdout.split()[-2:])
except ValueError:
    n = kept = -1
dropped = sum(map(int, re.findall(r"(\d+) dynamic variable drops?", r.stderr)))
live.check(0 < kept < n, f"a full dynamic variable space: {kept} of {n} kept", r.stdout + r.stderr)
live.same((n, kept + dropped), (10000, 10000), "kept + drops")
live.done()
