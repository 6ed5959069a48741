# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""Filters of dwell latency see what processes did that have long ended when their events are looked at: each lives for 5 ms."""
import contextlib
import json
import os
import signal
import subprocess
import time

import live

N = 60
LOOP = f"i=0; while [ $i -lt {N} ]; do sleep 0.005; i=$((i+1)); done"
# Who starts them has ended before they do.
ORPHANS = f"i=0; while [ $i -lt {N} ]; do (sleep 0.005 &); i=$((i+1)); done; sleep 0.3"
CGROUPS = ("/sys/fs/cgroup/unified", "/sys/fs/cgroup", "/sys/fs/cgroup/pids", "/sys/fs/cgroup/cpu")


def naps(out, pid=None):
    found = [
        o
        for o in map(json.loads, out.splitlines())
        if o["type"] == "latency-slow" and o["comm"] == "sleep" and "sleep" in o["cause"] and o["delay_ns"] >= 4e6
    ]  # begins when the thread leaves the CPU
    return len({(o["pid"], o["start"]) for o in found if o["pid"] != pid})


def latency(*args):
    return live.dwell("latency", "offcpu", "--over", "3ms", "--idle", "--json", *args, timeout=60)


for name, script in (("children", LOOP), ("children whose parents have ended", ORPHANS)):
    r = latency("--", "sh", "-c", script)
    want = N + (script is ORPHANS)
    live.check(
        naps(r.stdout) == want and r.returncode == 0, f"-- sh -c '…': {want} {name}", f"{naps(r.stdout)} {r.stderr}"
    )

with open("loop.sh", "w", encoding="utf-8") as f:
    f.write(LOOP)
r = latency("-c", "sh loop.sh")
live.check(naps(r.stdout) == N, "-c", f"{naps(r.stdout)} {r.stderr}")
r = latency("--comm", "sleep", "--for", "3s", "-c", "sh loop.sh")
live.check(naps(r.stdout) == N, "--comm", f"{naps(r.stdout)} {r.stderr}")
r = latency("--comm", "nobody", "-c", "sh loop.sh")
live.check(naps(r.stdout) == 0 and '"type":"latency-slow"' not in r.stdout, "--comm of others", r.stderr)


@contextlib.contextmanager
def started(*args):
    """dwell latency, ready; .out in the end."""
    p = subprocess.Popen(
        [live.DWELL, "latency", "offcpu", "--over", "3ms", "--idle", "--json", "--every", "100ms", *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines = [p.stdout.readline()]  # the first summary
    try:
        yield p
        time.sleep(0.5)
    finally:
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=20)
        p.out, p.err = lines[0] + out, err


def run(script):
    return subprocess.Popen(["sh", "-c", "read go; " + script], stdin=subprocess.PIPE, text=True)


mine, others = run(LOOP), run(LOOP)
with started("-p", mine.pid) as p:
    for who in (mine, others):
        who.stdin.write("go\n")
        who.stdin.flush()
    for who in (mine, others):
        who.wait()
live.check(naps(p.out) == N, "-p: its own, not the other one's", f"{naps(p.out)} {p.err}")


def groups():
    """A folder to make control groups in, and where it is in its tree."""
    for root in CGROUPS:
        path = f"{root}/dwell-{os.getpid():016x}"  # as a container's
        try:
            os.mkdir(path)
        except OSError:
            continue
        if os.path.exists(path + "/cgroup.procs"):
            return path
        os.rmdir(path)
    return None


top = groups()
if top:
    name = os.path.basename(top)
    below = top + "/below"
    os.mkdir(below)
    try:
        # the shell is there already; another moves itself when all runs, in no process that lives for long
        inside = run(LOOP)
        with open(top + "/cgroup.procs", "w", encoding="utf-8") as f:
            f.write(str(inside.pid))
        move = f"echo $$ > {below}/cgroup.procs; exec sleep 0.005"
        movers = run(f"i=0; while [ $i -lt {N} ]; do sh -c '{move}'; i=$((i+1)); done")
        outside = run(LOOP)
        for args in (["--cgroup", "/" + name], ["--container", name[6:]]):
            with started(*args) as p:
                for who in (inside, movers, outside):
                    who.stdin.write("go\n")
                    who.stdin.flush()
                for who in (inside, movers, outside):
                    who.wait()
            live.check(
                naps(p.out) == 2 * N,
                f"{args[0]}: who is in it, and who is moved into one below",
                f"{naps(p.out)} {p.err}",
            )
            inside, outside = run(LOOP), run(LOOP)
            with open(top + "/cgroup.procs", "w", encoding="utf-8") as f:
                f.write(str(inside.pid))
            movers = run(f"i=0; while [ $i -lt {N} ]; do sh -c '{move}'; i=$((i+1)); done")
        for who in (inside, movers, outside):
            who.kill()
            who.wait()
    finally:
        for path in (below, top):
            for _ in range(50):
                with contextlib.suppress(OSError):
                    os.rmdir(path)
                    break
                time.sleep(0.1)
else:
    print("# no control groups can be made here")

for args, message in (
    (["offcpu", "--"], "a command is missing after --"),
    (["offcpu", "--", "/no/such"], "failed to execute /no/such"),
):
    r = live.dwell("latency", *args)
    live.check(r.returncode in (1, 2) and message in r.stderr, message, r.stderr)
live.done()
