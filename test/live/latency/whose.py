# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell latency --record keeps whose the delays were, each event once, and ordinary events beside the slow ones; profile and diff tell
which process and which disk it was."""
import json
import os
import re

import live

os.chdir(live.WORK)
with open("load.sh", "w", encoding="utf-8") as f:
    f.write(
        "for i in 1 2 3 4 5 6 7 8 9 10; do dd if=/dev/zero of=data bs=16k count=20 oflag=dsync 2>/dev/null; sleep 0.3; done\n"
    )


def latency(*args):
    r = live.dwell("latency", *args)
    live.check(r.returncode == 0, "dwell latency " + " ".join(map(str, args)), r.stderr + r.stdout[-500:])
    return r


def lines(*args):
    return [json.loads(line) for line in latency(*args, "--json").stdout.splitlines()]


latency("--record", "a.dwell", "-x", "control=16", "-c", "sh load.sh")
profile = [o for o in lines("profile", "--from", "0s", "--keys", "1000", "a.dwell") if o.get("type") == "profile"]
total = {o["source"]: o["count"] for o in profile if not o["key"]}
by = {}
for o in profile:
    if o["key"]:
        by.setdefault(o["source"], {})[o["key"]] = o["count"]
for tracker, source in (
    ("wakeup", "wakeup_process"),
    ("offcpu", "offcpu_process"),
    ("block", "block_disk"),
    ("softirq", "softirq_kind"),
):
    n = sum(by.get(source, {}).values())
    # The last reading of the one and of the other are not at the same moment.
    live.check(
        total.get(tracker) and abs(n - total[tracker]) <= max(20, total[tracker] // 50),
        f"{source}: each event of {tracker} once",
        (n, total.get(tracker), by.get(source)),
    )
live.check(
    "dd" in by["offcpu_process"] and by["wakeup_process"].get("dd", 0) > 100,
    "by name of the process",
    by["wakeup_process"],
)
live.check(any("write" in k for k in by["block_disk"]), "by disk and operation", by["block_disk"])
r = live.dwell("report", "a.dwell")
live.check(
    r.returncode == 0 and not re.search(r"^ +value +-+ Distribution", r.stdout, re.M),
    "they are not in the report's text",
    r.stdout[-2000:],
)

control = [
    json.loads(line) for line in live.dwell("report", "--table", "control", "--json", "a.dwell").stdout.splitlines()
]
of = {o.get("tracker") for o in control}
live.check({"wakeup", "offcpu"} <= of, "ordinary events of trackers with many", of)
n = sum(o.get("tracker") == "wakeup" for o in control)
live.check(total["wakeup"] / 32 < n < total["wakeup"] / 8, "one in 16 of them", (n, total["wakeup"]))
told = latency("--idle", "a.dwell").stdout
live.check("(control)" not in told, "which are not told as slow ones", told[-1000:])

r = latency("diff", "a.dwell", "a.dwell")
live.check(re.match(r"0 of \d+ changed", r.stdout), "nothing differs from itself", r.stdout)
d = {(o["source"], o["key"]) for o in lines("diff", "a.dwell", "a.dwell") if o["type"] == "diff"}
live.check(
    ("wakeup_process", "dd") in d and any(s == "block_disk" and "write" in k for s, k in d),
    "processes and disks are compared",
    sorted(d)[:40],
)

latency("--record", "bare.dwell", "--slow-only", "-c", "sh load.sh")
bare = [o for o in lines("profile", "--from", "0s", "--keys", "1000", "bare.dwell") if o.get("type") == "profile"]
live.check(
    {o["source"] for o in bare} >= {"wakeup", "offcpu"} and not any(o["key"] for o in bare),
    "--slow-only: the trackers' histograms only",
    bare[:20],
)
live.same(
    live.dwell("report", "--table", "control", "--json", "bare.dwell").stdout, "", "--slow-only: no ordinary events"
)
r = live.dwell("latency", "--slow-only", "-c", "true")
live.check(r.returncode == 2 and "--record" in r.stderr, "--slow-only needs --record", r.stderr)
live.done()
