# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell latency --by: distributions by user, control group and container, whose sum is the tracker's own; with filters the summary has
only what they choose; recordings keep the groups, and say why they cannot tell others."""
import json
import os
import shutil
import subprocess
import time

import live

os.chdir(live.WORK)
LOAD = "import time\nfor i in range({n}): time.sleep(0.01)"
ID = "c0ffee" * 10 + "1234"  # what a container engine would name a group


def summary(*args):
    r = live.dwell("latency", *args, "--for", "4s", "--every", "1h", "--worst", "1", "--json")
    live.check(r.returncode == 0, "dwell latency " + " ".join(map(str, args)), r.stderr + r.stdout[-500:])
    return [o for o in map(json.loads, r.stdout.splitlines()) if o["type"] == "latency-summary"][-1]


def groups(s, tracker):
    return {g["group"]: g for g in s["groups"] if g["tracker"] == tracker}


def root_of_groups():
    """Where a group can be made that dwell sees: version 2, or the memory controller."""
    for d in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/memory"):
        if os.path.exists(d + "/cgroup.procs") and os.access(d, os.W_OK):
            try:
                os.makedirs(f"{d}/dwelltest/{ID}", exist_ok=True)
                return d
            except OSError:
                pass
    return None


if shutil.which("setpriv"):
    as_nobody = subprocess.Popen(
        ["setpriv", "--reuid", "65534", "--clear-groups", "python3", "-c", LOAD.format(n=3000)]
    )
s = summary("wakeup", "offcpu", "block", "lock", "--by", "user", "--record", "u.dwell")
live.check(s["by"] == "user", "what the groups are", s["by"])
for t in s["trackers"]:
    n = sum(g["count"] for g in groups(s, t["name"]).values())
    live.same(n, t["count"], f"{t['name']}: the groups' events are the tracker's")
    total = sum(g["total_ns"] for g in groups(s, t["name"]).values())
    live.check(
        abs(total - t["total_ns"]) <= 0.02 * t["total_ns"] + 1000,
        f"{t['name']}: and their time within 1.6 %",
        (total, t["total_ns"]),
    )
if shutil.which("setpriv"):
    mine = groups(s, "offcpu").get("nobody")
    # 4 s of sleeps of 10 ms, on a machine that has other work.
    live.check(mine and 30 <= mine["count"] <= 400 and 9e6 < mine["p50_ns"], "a user's sleeps of 10 ms", mine)
    as_nobody.kill()

live.same(
    live.dwell("latency", "--by", "user", "--over", "1h", "u.dwell").stdout.split()[0],
    "TRACKER",
    "a recording has them, too",
)
r = [
    json.loads(x)
    for x in live.dwell("latency", "--by", "user", "--over", "1h", "--json", "u.dwell").stdout.splitlines()
]
of = {(g["tracker"], g["group"]): g["count"] for g in r[-1]["groups"]}
live.same(of, {(g["tracker"], g["group"]): g["count"] for g in s["groups"]}, "the same numbers as live")
r = live.dwell("latency", "--by", "unit", "u.dwell")
live.check(
    r.returncode == 1 and "has groups by user only" in r.stderr and not r.stdout,
    "another group than recorded is refused",
    r.stderr,
)
live.check(live.dwell("hist", "--by", "offcpu_group", "u.dwell").stdout.count(" ms") > 2, "hist knows that they are ns")
summary("wakeup", "--record", "n.dwell")
r = live.dwell("latency", "--by", "unit", "n.dwell")
live.check(
    r.returncode == 1 and "record with dwell latency --by unit" in r.stderr,
    "a recording without groups says so",
    r.stderr,
)
r = live.dwell("latency", "--by", "colour")
live.check(r.returncode == 2 and "container, cgroup, unit, user" in r.stderr, "what groups there are", r.stderr)

root = root_of_groups()
if root:
    path = f"{root}/dwelltest/{ID}"
    load = subprocess.Popen(["sh", "-c", f"echo $$ > {path}/cgroup.procs; exec python3 -c '{LOAD.format(n=3000)}'"])
    for _ in range(200):  # until it has moved
        with open(f"/proc/{load.pid}/cgroup", encoding="ascii") as f:
            if ID in f.read():
                break
        time.sleep(0.05)
    of = (
        "cgroups->dfl_cgrp"
        if os.path.exists(root + "/cgroup.controllers")
        else "cgroups->subsys[memory_cgrp_id]->cgroup"
    )
    r = live.dwell(
        "-x",
        "quiet",
        "-p",
        str(load.pid),
        "-n",
        f"sched:::on-cpu /pid == $target/ {{ trace(cgroup_container(curthread->{of})); exit(0); }}",
    )
    live.check(r.stdout.strip() == ID, "cgroup_container()", (r.stdout, r.stderr))
    s = summary("wakeup", "offcpu", "--by", "cgroup")
    mine = groups(s, "offcpu").get(f"/dwelltest/{ID}")
    live.check(mine and 30 <= mine["count"] <= 400, "by control group", sorted(groups(s, "offcpu")))
    s = summary("wakeup", "offcpu", "--by", "container")
    live.check(
        groups(s, "offcpu").get(ID[:12], {}).get("count", 0) >= 30 and "-" in groups(s, "offcpu"),
        "by container",
        sorted(groups(s, "offcpu")),
    )
    s = summary("offcpu", "--by", "container", "--container", ID)
    live.same(list(groups(s, "offcpu")), [ID[:12]], "with a filter only its group")
    live.same(s["trackers"][0]["count"], groups(s, "offcpu")[ID[:12]]["count"], "which the summary counts alone")
    s = summary("offcpu", "--cgroup", f"/dwelltest/{ID}")
    live.check(
        30 <= s["trackers"][0]["count"] <= 400 and "groups" not in s,
        "a filter without --by: the summary is of the group",
        s["trackers"],
    )
    load.kill()
    load.wait()
    os.rmdir(path)
    os.rmdir(f"{root}/dwelltest")
