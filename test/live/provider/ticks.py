# SPDX-License-Identifier: Apache-2.0
"""tick-n and profile-n in every unit: right number, right interval, right CPU."""
import os

import live

CPUS = len(os.sched_getaffinity(0))
# All names of a period of 20 ms, for half a second.
for unit in ("20000000", "20000000ns", "20000000nsec", "20000us", "20000usec", "20ms", "20msec", "50hz", "50"):
    name = unit if unit != "20000000" else "20000000ns"
    r = live.dwell(
        "-q",
        "-n",
        f"tick-{name} {{ @[cpu] = count(); n++; }}"
        "BEGIN { start = timestamp; } END { t = timestamp - start; printf(\"%d %d %d\\n\", n, t, 0); }"
        "tick-500ms { exit(0); }",
    )
    try:
        n, t, _ = map(int, r.stdout.split()[:3])
        live.check(t / 20e6 * 0.7 <= n <= t / 20e6 + 1, f"tick-{name}: {n} in {t / 1e6:.0f} ms", r.stderr)
    except ValueError:
        live.check(False, f"tick-{name}", r.stdout + r.stderr)

with live.busy_cpus():
    r = live.dwell(
        "-q", "-n", "profile-20ms { @[cpu] = count(); } tick-500ms { exit(0); } END { printa(\"%d %@d\\n\", @); }"
    )
rows = dict(tuple(map(int, l.split())) for l in r.stdout.splitlines() if l)
live.same(len(rows), CPUS, "profile-20ms fires on every CPU")
live.check(all(15 <= n <= 26 for n in rows.values()), f"25 times on each: {rows}", r.stderr)

for name in (
    "tick-1s",
    "tick-1sec",
    "tick-1m",
    "tick-1min",
    "tick-1h",
    "tick-1hour",
    "tick-1d",
    "tick-1day",
    "profile-97",
    "profile-97hz",
    "profile-200us",
):
    r = live.dwell("-ln", name)
    live.check(r.returncode == 0 and name in r.stdout, f"{name} exists", r.stdout + r.stderr)
for name in ("tick-0ms", "profile-1parsec", "tick-", "profile-1ns", "tick--5"):
    r = live.dwell("-qn", name + " { exit(0); }")
    live.check(r.returncode == 1 and name in r.stderr, f"{name} is refused", r.stdout + r.stderr)
live.done()
