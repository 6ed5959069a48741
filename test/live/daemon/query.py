# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""profile, why and diff of a daemon's folder and of a running process: windows that span files, gaps, what cannot be read."""
import json
import os
import signal
import subprocess
import time

import live

os.chdir(live.WORK)


def profile(*words, n=1):
    r = live.dwell("latency", "profile", "--json", *words)
    rows = [json.loads(l) for l in r.stdout.splitlines()]
    return {x["source"]: x["count"] for x in rows}, r


def naps(n, ms, comm="napper"):
    subprocess.run(
        ["bash", "-c", f"exec -a {comm} {live.TRIGGER} track " + f"s{ms * 1000} " * n],
        check=False,
        stdout=subprocess.DEVNULL,
    )


PROGRAM = """tracker nap { threshold = 1ms; }
syscall::nanosleep:entry,syscall::clock_nanosleep:entry /execname == "trigger"/ { begin(nap); }
syscall::nanosleep:return,syscall::clock_nanosleep:return /execname == "trigger"/ { end(nap); }"""

with live.Daemon("offcpu", "--over", "20ms", "--idle") as d:
    live.dwell("ctl", d.p.pid, "set", "offcpu.limit=100000")
    for n in range(1, 4):
        naps(10, 30)
        time.sleep(1.5)
        d.p.send_signal(signal.SIGHUP)
        d.wait_for("SIGHUP", n=n)
    naps(10, 30)
    time.sleep(2.5)
    live.same(len(d.files()), 4, "four files")
    # the running daemon by its number, its folder, its files: the same
    by_pid, r = profile(d.p.pid)
    live.check(by_pid.get("offcpu", 0) >= 40, "by its number", r.stdout + r.stderr)
    each = [profile(f)[0].get("offcpu", 0) for f in d.files()[:3]]
    whole, r = profile(*d.files()[:3])
    live.check(sum(each) == whole["offcpu"] > 30, "a window spans files", f"{each} {whole}")
    folder, r = profile(d.state)
    live.check(folder["offcpu"] >= by_pid["offcpu"], "the folder", r.stderr)
    r = live.dwell("latency", "profile", d.state)
    live.check("nothing was recorded" not in r.stdout, "no gap", r.stdout)
    r = live.dwell("latency", "why", "--json", "--comm", "trigger", "--idle", "--by", "process", d.state)
    causes = [c for l in r.stdout.splitlines() for c in json.loads(l)["causes"]]
    live.check(
        sum(c["count"] for c in causes if "sleep" in c["cause"]) >= 40 and any("sleep" in c["cause"] for c in causes),
        "why",
        r.stdout + r.stderr,
    )
    r = live.dwell("latency", "why", d.state)
    live.check("slow events of offcpu only" in r.stdout and r.returncode == 0, "why as text", r.stdout + r.stderr)
    d.end(signal.SIGKILL)
time.sleep(4)
with live.Daemon("offcpu", "--over", "20ms") as d:
    time.sleep(3)
    r = live.dwell("latency", "profile", d.state)
    live.check("nothing was recorded in " in r.stdout, "a gap is said", r.stdout)
    with open(d.state + "/latency-20200101T000000.000Z.dwell", "wb") as f:
        f.write(b"no recording")
    r = live.dwell("latency", "profile", d.state)
    live.check(
        r.returncode == 0 and "left out: " in r.stderr and "offcpu" in r.stdout, "a damaged file is left out", r.stderr
    )
    r = live.dwell("latency", "profile", d.state + "/latency-20200101T000000.000Z.dwell")
    live.same(r.returncode, 1, "but by itself an error")
    d.end()
# two halves that differ: longer naps
with live.Daemon("-x", "noself", "syscall", "--over", "1s", state="two") as d:
    for ms in (4, 12):
        end = time.monotonic() + 14
        while time.monotonic() < end:
            naps(40, ms)
    time.sleep(1.5)
    d.end()
r = live.dwell("latency", "diff", "--all", "--json", "--to", "13s", "two", "--from", "-13s", "two")
live.check(r.returncode == 0 and '"source":"syscall"' in r.stdout, "diff of one folder's halves", r.stdout + r.stderr)
# a session with --record
p = subprocess.Popen([live.DWELL, "-q", "--record", "own.dwell", "-n", PROGRAM], stdout=subprocess.DEVNULL)
time.sleep(2)
naps(12, 30)
for _ in range(10):  # each second is written when it is over
    time.sleep(1.5)
    mine, r = profile(p.pid)
    if mine.get("nap", 0) == 12:
        break
live.check(mine.get("nap", 0) == 12, "a session that records", r.stdout + r.stderr)
p.terminate()
p.wait()
r = live.dwell("latency", "profile", os.getpid())
live.check(r.returncode == 1 and "records nothing" in r.stderr, "a process that is no dwell", r.stderr)
os.mkdir("empty")
r = live.dwell("latency", "profile", "empty")
live.check(r.returncode == 1 and "there is no recording" in r.stderr, "an empty folder", r.stderr)
r = live.dwell("latency", "why", "-p", "1", "two")
live.check(r.returncode == 2 and "-p is not for recordings" in r.stderr, "options of live runs", r.stderr)
# as anybody: the files are root's, a copy is not
os.chmod(".", 0o755)
subprocess.run(["bash", "-c", "mkdir copy; cp two/*.dwell copy; chmod -R a+rX copy"], check=True)
r = subprocess.run(
    ["setpriv", "--reuid", "65534", "--clear-groups", live.DWELL, "latency", "profile", "copy"],
    capture_output=True,
    text=True,
    check=False,
)
live.check(r.returncode == 0 and "syscall" in r.stdout, "without root", r.stderr)
live.done()
