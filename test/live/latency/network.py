# SPDX-License-Identifier: Apache-2.0
# @timeout: 150
"""Connections and name servers, against what who waits for them measures, in a network of one's own: a name server that answers late, twice, or
never; a server that lets its queue of connections fill up, so that a connection takes a second, whether the program waits in connect() or not."""
import json
import os
import re
import subprocess
import sys

import live

os.chdir(live.WORK)
ALONE = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
# Answers names by what they say: late80.test after 80 ms; twice.test to the second question only; never.test not at all. A bit of a
# resolver asks, all from one socket, as the C library does for both kinds of addresses.
NAMES = r"""
import os, re, socket, struct, sys, threading, time
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))
def name_of(packet):
    at, labels = 12, []
    while packet[at]:
        labels.append(packet[at + 1:at + 1 + packet[at]].decode())
        at += packet[at] + 1
    return ".".join(labels)
def answer(packet, who):
    server.sendto(packet[:2] + b"\x81\x80" + packet[4:], who)
def serve():
    asked = {}
    while True:
        packet, who = server.recvfrom(2000)
        name = name_of(packet)
        asked[name] = asked.get(name, 0) + 1
        late = re.match(r"late(\d+)", name)
        if late:
            threading.Timer(int(late[1]) / 1000, answer, (packet, who)).start()
        elif name == "twice.test" and asked[name] == 2:
            answer(packet, who)
threading.Thread(target=serve, daemon=True).start()
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.connect(("127.0.0.1", 53))
client.settimeout(5)
def ask(number, name):
    question = struct.pack(">6H", number, 0x100, 1, 0, 0, 0) + b"".join(bytes([len(l)]) + l.encode() for l in name.split(".")) + b"\0" + struct.pack(">2H", 1, 1)
    before = time.monotonic_ns()
    client.send(question)
    return before
def tell(name, before):
    print("truth", name, before, time.monotonic_ns() - before, os.getpid(), flush=True)
for i in range(3):
    begun = ask(100 + i, "late80.a-name.test")
    client.recv(2000)
    tell("late80.a-name.test", begun)
first, second = ask(7, "late250.test"), ask(8, "late120.test")
client.recv(2000)
tell("late120.test", second)
client.recv(2000)
tell("late250.test", first)
begun = ask(9, "twice.test")
time.sleep(0.3)
tell("twice.test", begun)
ask(9, "twice.test")
client.recv(2000)
ask(10, "never.test")
time.sleep(float(sys.argv[1]))
"""
# The kernel leaves SYNs to a full queue unanswered, and sends them again after a second.
CONNECTIONS = r"""
import errno, os, select, socket, threading, time
def tell(what, begun, port):
    print("truth", what, begun, time.monotonic_ns() - begun, os.getpid(), port, flush=True)
def late(waits):
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(0)
    port = listener.getsockname()[1]
    first = socket.create_connection(("127.0.0.1", port))
    threading.Timer(0.3, listener.accept).start()
    s = socket.socket()
    begun = time.monotonic_ns()
    if waits:
        s.connect(("127.0.0.1", port))
    else:
        s.setblocking(False)
        assert s.connect_ex(("127.0.0.1", port)) == errno.EINPROGRESS
        select.select([], [s], [])
    tell("connect" if waits else "tcpconnect", begun, port)
    return listener, first, s
kept = late(True), late(False)
s = socket.socket()
s.setblocking(False)
begun = time.monotonic_ns()
print("refused", s.connect_ex(("127.0.0.1", 1)), flush=True)
"""


off = []


def fits(delay, least, ns):
    """What the server made it wait, at least; no longer than the client waited, whose Python must wake up first."""
    off.append(int(ns) - delay)
    return least <= delay <= int(ns)


def run(what, load, *args):
    with open(what + ".py", "w", encoding="utf-8") as f:
        f.write(load)
    r = live.dwell(
        "latency",
        "connect",
        "--over",
        "40ms",
        "--json",
        "--record",
        what + ".dwell",
        "--",
        *ALONE,
        sys.executable,
        what + ".py",
        *args,
        timeout=90,
    )
    lines = r.stdout.splitlines()
    slow = [o for o in map(json.loads, (l for l in lines if l.startswith("{"))) if o["type"] == "latency-slow"]
    live.check(r.returncode == 0 and any(l.startswith("truth ") for l in lines), what, r.stdout[-1500:] + r.stderr)
    return [l.split()[1:] for l in lines if l.startswith("truth ")], slow, r


if subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode:
    print("# no network of one's own here")
    sys.exit(77)

with open(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../dlib/latency/connect.d"), encoding="utf-8"
) as f:
    text = f.read()
truths, slow, r = run("names", NAMES, "0.2")
asked = [s for s in slow if s["tracker"] == "dns"]
used = set()
for name, begun, ns, pid in truths:
    near = [
        i
        for i, s in enumerate(asked)
        if i not in used and f"about {name}" in s["cause"] and abs(s["start"] - int(begun)) < 20e6
    ]
    used.update(near[:1])
    s = asked[near[0]] if near else {}
    least = int(re.search(r"\d+", name)[0]) * 1e6 if name.startswith("late") else 300e6
    # the second question comes after the clock
    live.check(
        s
        and fits(s["delay_ns"], least, int(ns) + (50e6 if "twice" in name else 0))
        and s["pid"] == int(pid)
        and s["object"] == "name server 127.0.0.1",
        f"dns: {name}",
        asked,
    )
live.same(sorted((s["cause"], s["how"]) for i, s in enumerate(asked) if i not in used), [], "dns: no others")
live.same([s["how"] for s in asked if "twice" in s["cause"]], ["replaced"], "dns: asked again")
r = live.dwell("latency", "names.dwell")
live.check(re.search(r"dns, begun again without\s+an\s+end: python3 \d+\s+waited", r.stdout), "dns: in words", r.stdout)
live.check(max(map(len, r.stdout.splitlines())) <= 80, "in 80 columns", r.stdout)

# A question that nobody answers is collected.
with open("soon.d", "w", encoding="utf-8") as f:
    f.write(re.sub("gc = 30s", "gc = 500ms", re.sub(r"threshold = \w+", "threshold = 40ms", text)))
r = subprocess.run(
    [*ALONE, live.DWELL, "--json", "-s", "soon.d", "-c", f"{sys.executable} names.py 2.5"],
    capture_output=True,
    text=True,
    timeout=60,
    check=False,
)
events = [
    a
    for o in map(json.loads, (l for l in r.stdout.splitlines() if l.startswith("{")))
    if o["type"] == "event"
    for a in o.get("output", ())
    if a["action"] == "slow"
]
never = [e for e in events if e["attributes"].get("name") == "never.test"]
live.check(
    len(never) == 1
    and never[0]["how"] == "collected"
    and never[0]["attributes"]["result"] == "none"
    and never[0]["delay"] >= 5e8,
    "dns: no answer",
    (events, r.stderr),
)
live.same(
    {
        e["attributes"]["result"]
        for e in events
        if "result" in e["attributes"] and e["attributes"]["name"] != "never.test"
    },
    {"answered", "asked again"},
    "dns: how it ended",
)

truths, slow, r = run("connections", CONNECTIONS)
for what, begun, ns, pid, port in truths:
    near = [s for s in slow if s["tracker"] == what and abs(s["start"] - int(begun)) < 20e6]
    live.check(
        len(near) == 1 and fits(near[0]["delay_ns"], 9.5e8, ns) and near[0]["pid"] == int(pid),
        f"{what}: a connection that takes a second",
        (what, ns, slow),
    )
    live.check(
        what == "connect" or near and f"a connection to 127.0.0.1:{port}" in near[0]["cause"], f"{what}: in words", near
    )
live.same(len([s for s in slow if s["tracker"] in ("connect", "tcpconnect")]), 2, "connections: each once")
with open("all.d", "w", encoding="utf-8") as f:
    f.write(re.sub(r"threshold = \w+", "threshold = 0", text))
r = live.dwell("--json", "-s", "all.d", "-c", f"{sys.executable} connections.py", timeout=60)
live.check(
    r.returncode == 0 and re.search(r'"error":111\b', r.stdout), "tcpconnect: refused", r.stdout[-1500:] + r.stderr
)
print("# less than those who waited measured, ms: " + " ".join(f"{ns / 1e6:.2f}" for ns in off))
live.done()
