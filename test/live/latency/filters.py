# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""--user, --unit and --cgroup of dwell latency and stuck: two users and two units do the same, and only the one that is asked for is
told; also a process that changes its user while it is looked at."""
import json
import os
import re
import subprocess
import time

import live

os.chdir(live.WORK)
NOBODY, OTHER = 65534, 65533
CHANGES = "import os, time\ntime.sleep(1.5)\nos.setuid({0})\nfor i in range(3000): time.sleep(0.02)"
SLEEPS = "import os, time\nos.setuid({0})\nfor i in range(3000): time.sleep(0.02)"
procs = []


def start(code, group=None):
    p = subprocess.Popen(
        ["sh", "-c", (f"echo $$ > {group}/cgroup.procs; " if group else "") + f"exec python3 -c '{code}'"]
    )
    procs.append(p)
    return p.pid


def events(*args):
    r = live.dwell("latency", "offcpu", *args, "--for", "4s", "--over", "10ms", "--idle", "--json")
    live.check(r.returncode == 0, "dwell latency offcpu " + " ".join(args), r.stderr + r.stdout[-500:])
    all_ = [json.loads(line) for line in r.stdout.splitlines()]
    of = {}
    for e in all_:
        if e["type"] == "latency-slow":
            of[e["pid"]] = of.get(e["pid"], 0) + 1
    return of, [e for e in all_ if e["type"] == "latency-summary"]


def stuck(*args):
    r = live.dwell("stuck", *args, "--all", "--over", "1ns", "--json")
    live.check(r.returncode == 0, "dwell stuck " + " ".join(args), r.stderr)
    return {o["pid"] for o in map(json.loads, r.stdout.splitlines()) if o["type"] == "stuck"}


def only(args, mine, other):
    of, summaries = events(*args)
    # 4 s of sleeps of 20 ms, on a machine that has other work.
    live.check(all(30 <= of.get(p, 0) <= 220 for p in mine), f"{args}: events of {mine}", of)
    live.check(other not in of, f"{args}: none of {other}", of)
    live.check(
        summaries and sum(s["trackers"][0]["count"] for s in summaries) >= 30 * len(mine),
        f"{args}: the summary counts them",
        summaries,
    )
    threads = stuck(*args)
    live.check(
        set(mine) <= threads and other not in threads, f"{args}: stuck lists the same", (mine, other, sorted(threads))
    )


def root_of_groups():
    for d in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/memory"):
        if os.path.exists(d + "/cgroup.procs") and os.access(d, os.W_OK):
            try:
                for unit in "dwella.service", "dwellb.service":
                    os.makedirs(f"{d}/dwelltest.slice/{unit}", exist_ok=True)
                return d
            except OSError:
                pass
    return None


try:
    first, other = start(SLEEPS.format(NOBODY)), start(SLEEPS.format(OTHER))
    time.sleep(0.5)
    only(["--user", str(NOBODY)], [first], other)
    for view in ["hist", "--tracker", "offcpu", "--user", str(NOBODY)], [
        "hist",
        "--tracker",
        "offcpu",
        "-p",
        str(first),
    ]:
        r = live.dwell(*view, "--for", "3s")
        values = re.search(r"^@offcpu_group +([\d,]+) +([\d.]+) ms", r.stdout, re.M)
        live.check(
            values and 30 <= int(values[1].replace(",", "")) <= 170 and 19 <= float(values[2]) <= 60,
            f"{view}: sleeps of 20 ms",
            r.stdout + r.stderr,
        )
    r = live.dwell("heat", "--tracker", "offcpu", "--user", str(NOBODY), "--for", "1s", "-o", "h.html")
    live.check(r.returncode == 0 and os.path.getsize("h.html") > 1000, "a heat map of one user", r.stderr)
    late = start(CHANGES.format(NOBODY))
    of, _ = events("--user", str(NOBODY))
    live.check(
        of.get(late, 0) >= 20 and of.get(first, 0) > of[late] and other not in of,
        "a process that becomes the user's",
        (of, first, late),
    )
    root = root_of_groups()
    if root:
        a, b = (start(SLEEPS.format(0), f"{root}/dwelltest.slice/dwell{x}.service") for x in "ab")
        time.sleep(0.5)
        only(["--unit", "dwella"], [a], b)
        only(["--cgroup", "/dwelltest.slice/dwellb.service"], [b], a)
        threads = stuck("--cgroup", "/dwelltest.slice")
        live.check({a, b} <= threads and first not in threads, "groups below it, too", sorted(threads))
    r = live.dwell("latency", "stuck", "--user", "nosuchuser")
    live.check(r.returncode != 0 and "there is no user 'nosuchuser'" in r.stderr, "no such user", r.stderr)
    r = live.dwell("latency", "offcpu", "--user", "nosuchuser")
    live.check(r.returncode != 0 and "there is no user 'nosuchuser'" in r.stderr, "no such user: latency", r.stderr)
    r = live.dwell("stuck", "--cgroup", "/no/such/group")
    live.check(r.returncode != 0 and "no control group '/no/such/group'" in r.stderr, "no such group", r.stderr)
    r = live.dwell("-x", "record=s.dwell", "-s", "latency/stuck.d", "--every", "1", "--raw", "1")
    r = live.dwell("stuck", "--user", str(NOBODY), "s.dwell")
    live.check(r.returncode == 2 and "--user" in r.stderr, "a recording does not have users", r.stderr)
finally:
    for p in procs:
        p.kill()
        p.wait()
    for d in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/memory"):
        if os.path.isdir(f"{d}/dwelltest.slice"):
            for x in "dwella.service", "dwellb.service", "":
                os.rmdir(f"{d}/dwelltest.slice/{x}")
live.done()
