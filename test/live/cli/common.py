# SPDX-License-Identifier: Apache-2.0
# @timeout: 90
"""Options that all views share have one spelling, and do what they say; the earlier spelling goes on to work."""
import os

import live

WHOSE = "--comm --user --cgroup --container --unit".split()
SHARED = {
    "check": [*WHOSE, "--for", "--json", "-o", "-p"],
    "latency": [*WHOSE, "--for", "--interval", "--top", "--json", "-o", "-p"],
    "why": [*WHOSE, "--for", "--interval", "--top", "--json", "-o", "-p"],
    "stuck": [*WHOSE, "--json", "-o", "-p"],
    "top": [*WHOSE, "--for", "--interval", "-p"],
    **{view: [*WHOSE, "--for", "--json", "-o", "-p"] for view in ("flame", "heat", "hist", "timeline")},
    "strace": ["--for", "-o", "-p"],
    "stat": ["--for", "--interval", "--json", "-o", "-p"],
}
for command, options in SHARED.items():
    words = live.dwell(command, "--help").stdout.replace(",", " ").split()
    live.same([o for o in options if o not in words], [], f"dwell {command} has the shared options")
tables = {}
for spelling in "--interval", "--every":
    r = live.dwell("why", "--for", "700ms", spelling, "300ms", "-o", f"why{spelling}")
    with open(f"why{spelling}", encoding="utf-8") as f:
        tables[spelling] = f.read().count("CAUSE ")
    live.check(r.returncode == 0 and not r.stdout and tables[spelling] >= 2, f"why {spelling} -o FILE", (r, tables))
r = live.dwell("latency", "wakeup", "--over", "1us", "--top", "2", "--for", "300ms", "-o", "slow")
with open("slow", encoding="utf-8") as f:
    slow = f.read()
live.check(slow.count("waited") == 2 and "TRACKER" in slow and not r.stdout, "latency --top 2 -o FILE", (r, slow))
r = live.dwell("check", "--for", "300ms", "-o", "page", "--comm", "no-such-program")
live.check("no thread called 'no-such-program' has waited" in r.stderr, "check --comm of nobody says so", r)
with open("page", encoding="utf-8") as f:
    live.check(f.read().startswith("threads called no-such-program, "), "check -o FILE", r)
if "namespace of control groups" not in live.dwell("why", "--for", "1ms", "--unit", "no-such").stderr:
    for command in ["why"], ["latency"], ["hist"], ["run", "opensnoop"]:
        r = live.dwell(*command, "--for", "300ms", "--container", "deadbeef")
        live.same(
            r.stderr.count("no process is in container deadbeef now"), 1, f"{command}: nobody is in the container"
        )
r = live.dwell("strace", "--for", "300ms", "-p", str(os.getpid()))
live.check(r.returncode == 0, "strace --for ends by itself", r)
live.done()
