# SPDX-License-Identifier: Apache-2.0
# @alone: it looks at times
# @timeout: 120
"""Packets by stage: a reader that is busy, one that waits for a CPU that a real-time thread has; what is sent; soft interrupts
of a flood of packets, as many as the kernel counts."""
import json
import os
import re

import live

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "../../../dlib/latency")
LOAD = r"""
import os, socket, time
def spin(s):
    end = time.monotonic() + s
    while time.monotonic() < end:
        pass
def tell(what, start):
    print("truth", what, start, time.monotonic_ns() - start, flush=True)
listener = socket.create_server(("127.0.0.1", 0))
a = socket.create_connection(listener.getsockname())
b, _ = listener.accept()
start = time.monotonic_ns()
a.send(b"x" * 1000)
time.sleep(0.06)
b.recv(2000)
tell("1000", start)
cpu = max(os.sched_getaffinity(0))
if os.fork() == 0:
    os.sched_setaffinity(0, {cpu})
    b.recv(2000)
    os._exit(0)
time.sleep(0.1)
os.sched_setaffinity(0, {cpu})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
start = time.monotonic_ns()
a.send(b"z" * 1002)
spin(0.08)
tell("1002", start)
os.wait()
"""
DATAGRAMS = r"""
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 0))
c = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for begin in (101, 201):
    sent = []
    for n in range(begin, begin + 3):
        sent.append(time.monotonic_ns())
        c.sendto(b"x" * n, s.getsockname())
        time.sleep(0.03)
    s.recv(2000, socket.MSG_PEEK)
    for n, t in zip(range(begin, begin + 3), sent):
        s.recv(2000)
        print("truth", n, time.monotonic_ns() - t, flush=True)
time.sleep(0.2)
"""
FLOOD = r"""
import socket
def count():
    with open("/proc/softirqs") as f:
        return sum(map(int, next(l for l in f if "NET_RX" in l).split()[1:]))
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.bind(("127.0.0.1", 0))
before = count()
for _ in range(20000):
    u.sendto(b"x" * 100, u.getsockname())
print("inner", count() - before)
"""


def changed(name, **settings):
    """A shipped tracker with other settings: a file."""
    with open(os.path.join(FOLDER, name + ".d"), encoding="utf-8") as f:
        text = f.read()
    for setting, value in settings.items():
        text = re.sub(setting + r" = \w+", f"{setting} = {value}", text)
    with open(name + ".d", "w", encoding="utf-8") as f:
        f.write(text)
    return name + ".d"


def slow_events(r):
    found = [json.loads(line) for line in r.stdout.splitlines() if line.startswith("{")]
    return [a for o in found if o["type"] == "event" for a in o.get("output", ()) if a["action"] == "slow"]


os.chdir(live.WORK)
for name, text in (("load.py", LOAD), ("flood.py", FLOOD), ("datagrams.py", DATAGRAMS)):
    with open(name, "w", encoding="utf-8") as f:
        f.write(text)
r = live.dwell("--json", "-s", changed("netrx", threshold="30ms", limit="10000"), "-c", "python3 load.py")
truths = {int(w[1]): int(w[3]) for w in (l.split() for l in r.stdout.splitlines()) if w and w[0] == "truth"}
events = {s["attributes"]["bytes"]: s for s in slow_events(r) if s["opener"]["comm"] == "python3" and not s["exit_id"]}
live.check(
    r.returncode == 0 and set(truths) == {1000, 1002} <= set(events), "both packets are slow", r.stdout + r.stderr
)
for size, stage in ((1000, "reader_ns"), (1002, "cpu_ns")):
    s = events.get(size, {"delay": 0, "attributes": {"stage": "", "protocol_ns": 0, "cpu_ns": 0, "reader_ns": 0}})
    a, ns = s["attributes"], truths.get(size, 0)
    live.check(abs(s["delay"] - ns) < 0.05 * ns + 5e6, f"{size}: as long as it was", (s, ns))
    live.check(a["protocol_ns"] + a["cpu_ns"] + a["reader_ns"] == s["delay"], f"{size}: the stages are all of it", a)
    live.check(a[stage] > 0.9 * s["delay"], f"{size}: {stage}", a)

# Datagrams that fit into one piece are read without a word by the kernel.
r = live.dwell("--json", "-s", changed("netrx", threshold="20ms", limit="10000"), "-c", "python3 datagrams.py")
truths = {int(w[1]): int(w[2]) for w in (l.split() for l in r.stdout.splitlines()) if w and w[0] == "truth"}
events = {s["attributes"]["bytes"]: s for s in slow_events(r) if s["opener"]["comm"] == "python3" and not s["exit_id"]}
live.check(
    r.returncode == 0 and len(truths) == 6 and set(truths) <= set(events),
    "every datagram that waited",
    r.stdout + r.stderr,
)
exact = sum(n in events and abs(events[n]["delay"] - ns) < 0.05 * ns + 50000 for n, ns in truths.items())
live.check(exact >= 4, f"as long as it waited ({exact} of 6)", (truths, {n: s["delay"] for n, s in events.items()}))
live.check(
    all(
        s["attributes"]["ifindex"] == 1 and s["attributes"]["reader_ns"] > 0.9 * s["delay"]
        for n, s in events.items()
        if n in truths
    ),
    "its reader was busy",
    events,
)

r = live.dwell("--json", "-s", changed("nettx", threshold="0", limit="100000"), "-c", "python3 load.py")
sent = [
    s
    for s in slow_events(r)
    if s["opener"]["comm"] == "python3" and s["attributes"]["dev"] == "lo" and s["attributes"]["bytes"] > 1000
]
live.check(
    len(sent) == 2
    and all(
        s["exit_id"] == 2
        and s["attributes"]["qdisc_ns"] + s["attributes"]["driver_ns"] == s["delay"]
        and 0 < s["attributes"]["send_ns"] < 5e6
        for s in sent
    ),
    "sent",
    r.stdout[-2000:] + r.stderr,
)

count = "latency:softirq::all /this->vec == 3/ { @ = count(); } END { printa(\"traced %@d\\n\", @); }"
r = live.dwell("-s", changed("softirq", threshold="1s"), "-n", count, "-c", "python3 flood.py")
got = dict(re.findall(r"^(inner|traced) (\d+)$", r.stdout, re.M))
inner, traced = int(got.get("inner", 0)), int(got.get("traced", 0))
# Those in the time of dwell itself are left out (noself).
live.check(
    inner > 1000 and 0.99 * inner <= traced < 1.2 * inner + 2000, "soft interrupts of a flood", r.stdout + r.stderr
)
live.done()
