#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables by container, control group, unit and user: loads of known size in control groups that are made here, of version 2
or of memory's controller of version 1, compared with what each load did."""
import contextlib
import json
import os
import pwd
import re
import time

import live

ID = "0123456789abcdef" * 4
SLICE = f"dwell{os.getpid()}.slice"
# Name of the group: calls that are made in it.
LOADS = {f"docker-{ID}.scope": 3000, "first.service": 2000, "second.service": 1000}


def root():
    for base in ("/sys/fs/cgroup/memory", "/sys/fs/cgroup"):
        with contextlib.suppress(OSError):
            os.mkdir(os.path.join(base, SLICE))
            if os.path.exists(os.path.join(base, SLICE, "cgroup.procs")):
                return base
            os.rmdir(os.path.join(base, SLICE))
    return None


BASE = root()
if not BASE:
    print("no control groups can be made here")
    raise SystemExit(77)
TOP = os.path.join(BASE, SLICE)
for name in LOADS:
    os.mkdir(os.path.join(TOP, name))


def load(count_of=lambda n: f"getppid {n}"):
    """A command that runs each load in its group."""
    return "; ".join(
        f"sh -c 'echo $$ >{TOP}/{name}/cgroup.procs; exec {live.TRIGGER} {count_of(n)}'" for name, n in LOADS.items()
    )


def rows(out, pattern):
    return {m[1]: int(m[2]) for m in re.finditer(pattern, out, re.M)}


def near(got, want, what, detail):
    """A process makes some calls more than its load, at its start and its end."""
    live.check(got is not None and want <= got <= want + 400, what, f"{got} for {want}\n{detail}")


def table(by, *more):
    r = live.dwell(
        "run", "syscallbyproc", "--by", by, "--interval", "1h", "--top", "100", *more, "--", "sh", "-c", load()
    )
    return rows(r.stdout, r"^ *\d+ (\S+) +(\d+)$"), r.stdout + r.stderr


def tables():
    got, text = table("container")
    near(got.get(ID[:12]), 3000, "by container: its load", text)
    live.check(set(got) == {"-", ID[:12]}, "by container: it and the host", text)
    live.check(re.search(r"^ +ID CONTAINER +COUNT$", text, re.M), "the heading tells what the groups are", text)
    got, text = table("cgroup")
    for name, n in LOADS.items():
        near(got.get(f"/{SLICE}/{name}"), n, f"by cgroup: {name[:13]}", text)
    ids = {m[2]: int(m[1]) for m in re.finditer(r"^ *(\d+) (\S+) +\d+$", text, re.M)}
    live.same(ids.get(f"/{SLICE}/first.service"), os.stat(f"{TOP}/first.service").st_ino, "… with its number")
    got, text = table("unit")
    near(got.get("first.service"), 2000, "by unit: first.service", text)
    near(got.get("second.service"), 1000, "by unit: second.service", text)
    got, text = table("user")
    live.check(got.get("root", 0) >= 6000 and text.count("UID USER"), "by user: all is root's", text)
    with_filter, text = table("unit", "--cgroup", f"{SLICE}/second.service")
    live.check(list(with_filter) == ["second.service"], "--cgroup narrows a table by unit", text)
    r = live.dwell("run", "syscallbyproc", "--by", "unit", "--interval", "1h", "--json", "--", "sh", "-c", load())
    columns = [
        c
        for l in r.stdout.splitlines()
        for o in json.loads(l).get("output", [])
        for row in o.get("rows", [])
        for c in [row.get("columns")]
        if c
    ]
    live.check(
        any(c.get("UNIT") == "first.service" and 2000 <= c["COUNT"] <= 2400 for c in columns),
        "JSON has the column UNIT",
        r.stdout[-2000:],
    )


def others():
    script = f"sh -c 'setpriv --reuid {pwd.getpwnam('nobody').pw_uid} {live.TRIGGER} getppid 500'"
    r = live.dwell("run", "syscallbyproc", "--by", "user", "--interval", "1h", "--", "sh", "-c", script)
    near(rows(r.stdout, r"^ *\d+ (\S+) +(\d+)$").get("nobody"), 500, "by user: nobody's load", r.stdout + r.stderr)
    naps = load(lambda n: f"naps {n // 100} 0")
    r = live.dwell("run", "syslatency", "--by", "container", "--call", "clock_nanosleep", "--", "sh", "-c", naps)
    live.check(
        re.search(rf"^{ID[:12]} clock_nanosleep \(us\)", r.stdout, re.M), "a distribution by container", r.stdout
    )
    count = sum(
        int(m) for m in re.findall(r"\|@* +(\d+) *$", r.stdout.partition(ID[:12])[2].partition("\n\n")[0], re.M)
    )
    live.same(count, 30, "… counts the waits of that container")
    r = live.dwell("why", "--by", "cgroup", "--idle", "--for", "20s", "--json", "--", "sh", "-c", naps)
    if "need Linux 6.16" in r.stderr:
        live.check(r.returncode == 1, "dwell why --by cgroup is refused before Linux 6.16", r.stderr)
        return
    last = json.loads(r.stdout.splitlines()[-1])
    sleeps = {c["group"]: c["count"] for c in last["causes"] if c["cause"] == "sleep"}
    live.check(
        sleeps.get(f"/{SLICE}/first.service") == 20 and sleeps.get(f"/{SLICE}/second.service") == 10,
        "dwell why --by cgroup: the sleeps of each",
        str(sleeps) + r.stderr,
    )


def in_d():
    """Names when printed; pids as they are seen inside."""
    program = "syscall::getppid:entry /execname == \"trigger\"/ { @[container, cgroup_path[GROUP], cgroup_unit[GROUP]] = count(); }"
    group = (
        "curthread->cgroups->subsys[memory_cgrp_id]->cgroup"
        if BASE.endswith("memory")
        else "curthread->cgroups->dfl_cgrp"
    )
    r = live.dwell("-qn", program.replace("GROUP", group), "-c", "sh -c true", "-c", f"sh {script_file(load())}")
    want = re.compile(rf"^ +{ID} +/{SLICE}/docker-{ID}\.scope +docker-{ID}\.scope +3000$", re.M)
    live.check(want.search(r.stdout), "container, cgroup_path[], cgroup_unit[]", r.stdout + r.stderr)
    with contextlib.suppress(FileNotFoundError):
        r = live.dwell(
            "-qn",
            "syscall::getppid:entry /execname == \"trigger\"/ { @[pid_inside, tid_inside, pid != pid_inside] = count(); }",
            "-c",
            f"unshare --pid --fork {live.TRIGGER} getppid 100",
        )
        live.check(
            re.search(r"^ +1 +1 +1 +100$", r.stdout, re.M),
            "pid_inside is 1 in a new namespace of processes",
            r.stdout + r.stderr,
        )


def script_file(text):
    path = os.path.join(live.WORK, "load.sh")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text + "\n")
    return path


def limits():
    """--top of a tool without a parameter of that name: at its limits."""
    for n, ok in (("1", True), ("1000000", True), ("0", False), ("1000001", False), ("-1", False), ("x", False)):
        r = live.dwell("run", "rwbytype", "--top", n, "--interval", "1h", "--", "sh", "-c", "cat /dev/null; true")
        said = r.returncode == 2 and "--top: a number from 1 to 1000000" in r.stderr
        live.check(not r.returncode if ok else said, f"--top {n}", f"{r}")
    r = live.dwell(
        "run", "rwbytype", "--top", "2", "--interval", "1h", "--", "sh", "-c", "cat /etc/hostname | cat | sort"
    )
    live.check(len(re.findall(r" [RW] \S+ +\d+ +\d+$", r.stdout, re.M)) == 2, "--top 2: two rows", r.stdout + r.stderr)


def refused():
    for args, code, words in (
        (("run", "syscallbyproc", "--by", "pod"), 2, "'pod' is none of container, cgroup, unit, user"),
        (("why", "--by", "pod", "--for", "1s"), 2, "'pod' is none of process, thread, container, cgroup, unit, user"),
        (("-x", "by=user", "-n", "BEGIN { exit(0); }"), 1, "group_name"),
    ):
        r = live.dwell(*args)
        live.check(r.returncode == code and words in r.stderr, f"dwell {' '.join(args)} is refused", r.stderr)


try:
    tables()
    others()
    in_d()
    limits()
    refused()
finally:
    for name in [*LOADS, ""]:
        for _ in range(100):
            try:
                os.rmdir(os.path.join(TOP, name))
                break
            except OSError:
                time.sleep(0.05)
live.done()
