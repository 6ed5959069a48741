# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell latency: slow events with causes and chains, summaries, filters, limits; wrong use."""
import json
import os
import re
import signal
import subprocess
import sys
import time

import live

os.chdir(live.WORK)
with open("pipe.py", "w", encoding="utf-8") as f:
    f.write(
        """
import os, time
r, w = os.pipe()
if os.fork() == 0:
    open("/proc/self/comm", "w").write("sleeper")
    for i in range(3):
        time.sleep(0.3)
        os.write(w, b"x")
    os._exit(0)
open("/proc/self/comm", "w").write("reader")
for i in range(3):
    os.read(r, 1)
os.wait()
"""
    )
with open("sync.py", "w", encoding="utf-8") as f:
    f.write(
        """
import os
f = open("a-file", "w")
for i in range(3):
    f.write("x" * 100000); f.flush(); os.fsync(f.fileno())
"""
    )


def latency(*args, **kw):
    return live.dwell("latency", *args, **kw)


def events(r, kind="latency-slow"):
    return [o for o in map(json.loads, r.stdout.splitlines()) if o.get("type") == kind]


PIPE = ["-c", f"{sys.executable} pipe.py"]
r = latency("offcpu", "--over", "100ms", "--json", *PIPE)
reads = [e for e in events(r) if e["cause"] == "read: data in a pipe" and e["comm"] == "reader"]
live.check(r.returncode == 0 and len(reads) == 3, "three waits for a pipe", r.stdout[:3000] + r.stderr)
live.check(
    all(e["class"] == "ipc" and e["operation"] == "read" and 290e6 <= e["delay_ns"] for e in reads),
    "class, operation, delay",
    reads,
)
live.check(all(e.get("by_comm") == "sleeper" for e in reads), "who woke it up", reads)
live.check(
    any(
        k["comm"] == "sleeper"
        and k["cause"] == "sleep"
        and k["how"] == "waker"
        and k["inferred"]
        and k["overlap_ns"] > 200e6
        for e in reads
        for k in e["chain"]
    ),
    "and what that one waited for",
    reads,
)
live.check("which waited" in reads[0]["sentence"] if reads else False, "in one sentence", reads)
live.check(not [e for e in events(r) if e["class"] in ("idle", "time")], "sleeps are left out", r.stdout[:2000])
sums = events(r, "latency-summary")
offcpu = [t for s in sums for t in s["trackers"] if t["name"] == "offcpu"]
live.check(
    sums
    and sum(t["count"] for t in offcpu) > 3
    and sum(t["shown"] for t in offcpu) >= 3
    and sum(s["idle"] for s in sums) >= 3,
    "summaries count",
    sums,
)

# Sleeps that only --over makes slow have wakers, too.
with open("short.py", "w", encoding="utf-8") as f:
    f.write(open("pipe.py", encoding="utf-8").read().replace("time.sleep(0.3)", "time.sleep(0.05)"))
r = latency("offcpu", "--over", "20ms", "--json", "-c", f"{sys.executable} short.py")
reads = [e for e in events(r) if e["cause"] == "read: data in a pipe" and e["comm"] == "reader"]
live.check(
    len(reads) >= 2 and all(e.get("by_comm") == "sleeper" for e in reads),
    "who ended waits of 50 ms",
    r.stdout[:3000] + r.stderr,
)

r = latency("offcpu", "--over", "100ms", *PIPE)
live.check(
    "reader " in r.stdout and "for data in a pipe" in r.stdout and "TRACKER" in r.stdout, "as text", r.stdout + r.stderr
)
live.check(all(len(l) <= 80 for l in r.stdout.splitlines()), "80 columns", r.stdout)
r = latency("offcpu", "--over", "100ms", "--idle", "--stacks", *PIPE)
live.check("sleeper " in r.stdout and "for sleep" in r.stdout and "nanosleep" in r.stdout, "--idle, --stacks", r.stdout)
r = latency("offcpu", "--over", "100ms", "--comm", "nobody-here", *PIPE)
live.check("data in a pipe" not in r.stdout and "slow events of others" in r.stdout, "--comm", r.stdout)
live.check(
    re.search(r"^offcpu +0 ", r.stdout, re.M) and "the table has all" not in r.stdout,
    "--comm: the table has nobody, either",
    r.stdout,
)
r = latency("offcpu", "--over", "100ms", "--worst", "1", "--json", "--every", "1h", *PIPE)
live.check(len(events(r)) == 1, "--worst 1", r.stdout)
live.same(sum(t["shown"] for s in events(r, "latency-summary") for t in s["trackers"]), 1, "--worst 1: one was shown")
r = latency("offcpu", "--over", "100ms", "--cgroup", "/", "--json", *PIPE)
live.check(len(events(r)) >= 3, "--cgroup: all are below /", r.stdout)
r = latency("offcpu", "--over", "100ms", "--container", "0123456789ab", "--json", *PIPE)
live.check(not events(r) and sum(s["filtered"] for s in events(r, "latency-summary")) >= 3, "--container", r.stdout)
r = latency("offcpu", "--rate", "5/s", "--for", "1s")
live.check(r.returncode == 0, "--rate", r.stderr)

r = latency("fsync", "--over", "1us", "--json", "--record", "f.dwell", "-c", f"{sys.executable} sync.py")
syncs = [e for e in events(r) if e["operation"].startswith("fsync(") and e["tracker"] == "fsync"]
live.check(
    len(syncs) == 3 and "a-file" in syncs[0]["operation"] + syncs[0]["sentence"],
    "fsync, with its file",
    r.stdout + r.stderr,
)
live.check("fsync" in live.dwell("report", "f.dwell").stdout, "its recording")

# From its recording the same is told, by the same rules.
r = latency("offcpu", "--over", "100ms", "--flight", "20ms", "--comm", "reader", "--record", "again.dwell", *PIPE)
told = [l for l in r.stdout.splitlines() if re.match(r"\d\d:\d\d:|  +(flight|CPU|[-\d])", l)]
r = latency("--comm", "reader", "again.dwell")
again = [l for l in r.stdout.splitlines() if re.match(r"\d\d:\d\d:|  +(flight|CPU|[-\d])", l)]
live.check(
    r.returncode == 0 and again == told and len(told) >= 2, "the recording tells the same", (again, told, r.stderr)
)
r = latency("--json", "--worst", "1", "--over", "200ms", "again.dwell")
live.check(
    r.returncode == 0 and len(events(r)) == 1 and events(r)[0]["sentence"],
    "as JSON, the worst of it",
    r.stdout + r.stderr,
)
r = latency("--rate", "5/s", "again.dwell")
live.check(r.returncode == 2 and "--rate is not for recordings" in r.stderr, "options of live runs", r.stderr)

r = latency("reclaim", "--for", "3500ms", "--every", "1s", "-v")
live.check(r.stdout.count("TRACKER") in (4, 5), "summaries come when there is nothing to tell, too", r.stdout)
live.check(
    re.search(r"^reclaim +0 +- +- +- +1.00 ms +0$", r.stdout, re.M),
    "no events have no percentiles; the threshold",
    r.stdout,
)
live.check(
    re.search(r"^own cost: probes [\d.]+% of a CPU \(\d+/s, \d+ ns each\), dwell [\d.]+%, [\d.]+ MB$", r.stdout, re.M),
    "own cost",
    r.stdout,
)
with open("out.json", "w", encoding="utf-8") as f:
    p = subprocess.Popen([live.DWELL, "latency", "--every", "2s", "-v", "--json", "--for", "7s"], stdout=f)
time.sleep(1.5)
used = [
    os.sysconf("SC_CLK_TCK") ** -1
    * sum(map(int, open(f"/proc/{p.pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()[11:13]))
]
time.sleep(5)
used.append(
    os.sysconf("SC_CLK_TCK") ** -1
    * sum(map(int, open(f"/proc/{p.pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()[11:13]))
)
rss = int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{p.pid}/status", encoding="ascii").read()).group(1))
p.wait(timeout=30)
sums = [json.loads(l) for l in open("out.json", encoding="utf-8") if '"latency-summary"' in l]
cpu = sum(s["cost"]["cpu_ns"] for s in sums[:-1]) / 1e9
live.check(abs(cpu - used[1]) <= max(used[1], 0.1), "its own CPU time is that of /proc", (cpu, used))
live.check(abs(sums[-2]["cost"]["resident_bytes"] / 1024 - rss) < 4096, "and its memory", (sums[-2]["cost"], rss))
intervals = [s["interval_ns"] for s in sums]
live.check(6e9 < sum(intervals) < 9e9 and max(intervals) < 5e9, "all of the time is in one summary", intervals)
r = latency("wakeup", "wakeup", "--over", "0.5ms", "--for", "0.5s")
live.check(
    r.returncode == 0 and r.stdout.count("\nwakeup ") == 1,
    "a tracker named twice is one; times with a point",
    r.stdout + r.stderr,
)
r = latency("wakeup", "--cgroup", "no/such", "--for", "0.3s")
live.check(
    r.returncode == 2 and "there is no control group '/no/such' below" in r.stderr,
    "a cgroup that is not there is refused",
    r.stderr,
)
for bad in ("1.2.3s", ".", "1.5parsecs", ".5", "99999999999999.5d"):
    r = latency("wakeup", "--over", bad, "--for", "0.1s")
    live.check((r.returncode == 0) == (bad == ".5"), f"--over {bad}", r.stderr)
r = latency("--for", "1s", "-v")
live.check(
    r.returncode == 0
    and all(t in r.stdout for t in ("wakeup", "offcpu", "block", "irq", "softirq", "lock", "reclaim"))
    and "own cost" in r.stdout,
    "the default set",
    r.stdout + r.stderr,
)
p = subprocess.Popen([live.DWELL, "latency", "offcpu"], stdout=subprocess.PIPE, text=True)
time.sleep(2)
p.send_signal(signal.SIGINT)
out = p.communicate(timeout=20)[0]
live.check(p.returncode == 0 and "TRACKER" in out, "Ctrl-C: the last summary", out)

for args, message in (
    (["nonsense"], "there is no tracker or command 'nonsense'"),
    (["--over", "x"], "'x' is no time"),
    (["--rate", "0/s"], "--rate"),
    (["--rate", "5/m"], "--rate"),
    (["--worst", "a"], "--worst"),
    (["--for", "0"], "--for"),
    (["--nonsense"], "there is no option --nonsense"),
    (["-p", "999999999"], "999999999"),
):
    r = latency(*args)
    live.check(r.returncode in (1, 2) and message in r.stderr, f"{' '.join(args)}: {message}", r.stderr)
r = latency("nonsense")
live.check("wakeup offcpu block" in r.stderr, "the list of trackers", r.stderr)
r = latency("--help")
live.check(r.returncode == 0 and "--worst" in r.stdout, "--help")

# Trackers that share tracepoints: each event once.
with live.busy_cpus():
    r = latency("wakeup", "offcpu", "--idle", "--over", "1ms", "--json", "--for", "3s")
told = [
    (e["tracker"], e["how"], e["tid"], e["start"])
    for e in map(json.loads, r.stdout.splitlines())
    if e["type"] == "latency-slow"
]
live.check(
    len(told) > 50 and {t[0] for t in told} == {"wakeup", "offcpu"},
    f"slow events of both trackers ({len(told)})",
    r.stderr,
)
live.same(len(told), len(set(told)), "none is told twice")
live.done()
