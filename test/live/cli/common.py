# SPDX-License-Identifier: Apache-2.0
# @timeout: 90
"""Options that all views share have one spelling, and do what they say; the earlier spelling goes on to work."""
import os
import re
import shutil
import subprocess
import time

import live

WHOSE = "--comm --user --cgroup --container --unit".split()
SHARED = {
    "check": [*WHOSE, "--for", "--json", "-o", "-p"],
    "latency": [*WHOSE, "--for", "--interval", "--top", "--json", "-o", "-p"],
    "why": [*WHOSE, "--for", "--interval", "--top", "--json", "-o", "-p"],
    "stuck": [*WHOSE, "--json", "-o", "-p"],
    "top": [*WHOSE, "--for", "--interval", "-p"],
    **{view: [*WHOSE, "--for", "--json", "-o", "-p"] for view in ("flame", "heat", "hist", "timeline")},
    "strace": [*WHOSE, "--for", "-o", "-p"],
    "stat": [*WHOSE, "--for", "--interval", "--json", "-o", "-p"],
    "calls": [*WHOSE, "--for", "--json", "-p"],
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
# Processes by name, user and control group: sleepers of both kinds, all at the same time.
NOBODY = 54321  # a user that no other test runs as
work = os.getcwd()
os.chmod(work, 0o755)
shutil.copy("/bin/sleep", "dozer")
sleeper = os.path.join(work, "dozer")


def trace_sleepers(*choices):
    """For each choice of options: the nanoseconds beyond 1 s that sleepers ask for, as `dwell strace` shows them. 0.25 is
    asked for by the user nobody, 0.5 by root, 0.75 by a program of another name."""
    command = [live.DWELL, "strace", "-q", "-e", "trace=clock_nanosleep", "--for", "5s"]
    tracers = [
        subprocess.Popen([*command, *options], stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        for options in choices
    ]
    time.sleep(2)  # until their probes are there
    every = [
        subprocess.Popen([sleeper, "1.25"], user=NOBODY, group=NOBODY, extra_groups=[]),
        subprocess.Popen([sleeper, "1.5"]),
        subprocess.Popen(["sleep", "1.75"]),
    ]
    for sleeping in every:
        sleeping.wait()
    texts = [p.communicate(timeout=30)[1] for p in tracers]
    return [sorted(map(int, re.findall(r"clock_nanosleep\(.*tv_sec=1, tv_nsec=(\d+)", text))) for text in texts]


named, of_user = trace_sleepers(["--comm", "dozer"], ["--comm", "dozer", "--user", str(NOBODY)])
live.same(named, [250000000, 500000000], "strace --comm")
live.same(of_user, [250000000], "strace --comm --user")
sleepers = [subprocess.Popen([sleeper, "60"], user=NOBODY, group=NOBODY, extra_groups=[]) for _ in range(3)]
time.sleep(0.3)
r = live.dwell("stat", "--comm", "dozer", "--user", str(NOBODY), "--for", "200ms")
live.check(f"3 processes called dozer, of user {NOBODY}:" in r.stderr, "stat --comm --user", r)
r = live.dwell("stat", "--comm", "dozer", "--user", "root", "--for", "200ms")
live.check(r.returncode == 1 and "no process called dozer, of user root" in r.stderr, "stat of nobody says so", r)
for p in sleepers:
    p.kill()
    p.wait()
for command, message in (
    (["strace", "--comm", "a", "-p", "1"], "exclude -p and a command"),
    (["strace", "--user", "root", "true"], "exclude -p and a command"),
    (["stat", "--user", "root", "true"], "give one of"),
    (["stat", "--waits", "--user", "root"], "--waits is for"),
    (["calls", "main", "--comm", "a", "-p", "1"], "for functions of the kernel"),
):
    r = live.dwell(*command)
    live.check(r.returncode == 2 and message in r.stderr, f"dwell {' '.join(command)}", r)
live.done()
