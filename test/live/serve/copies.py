# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""The live recording of dwell serve as a file, while it is written: nobody can read it elsewhere, and clients that do not read harm nobody.
Over a unix socket: what TCP keeps on its way would be all of it."""
import glob
import json
import os
import signal
import socket
import sqlite3
import subprocess
import time
import live

MOST, SECOND = 4, 1000000000
path = os.path.join(live.WORK, "sock")
server = subprocess.Popen(
    [live.DWELL, "serve", "--unix", path],
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    text=True,
    stdin=subprocess.DEVNULL,
)
TOKEN = server.stdout.readline().split()[-1]


def send(what, method="GET", body=""):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    s.connect(path)
    s.sendall(
        f"{method} /api/v1/{what} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    return s


def ask(what, method="GET", body=""):
    with send(what, method, body) as s:
        data = b""
        while more := s.recv(1 << 16):
            data += more
    head, _, data = data.partition(b"\r\n\r\n")
    return int(head.split()[1]), head.decode(), data


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.2)
    return condition()


def copies():
    """Copies that the server has open: their names are gone."""
    found = []
    for pid in subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(server.pid)], capture_output=True, text=True
    ).stdout.split():
        for fd in glob.glob(f"/proc/{pid}/fd/*"):
            try:
                found.append(os.readlink(fd))
            except OSError:
                continue  # closed meanwhile
    return [f for f in found if "/copy-" in f]


def newest():
    status, _, data = ask("recordings/live/contents.json")
    o = json.loads(data) if status == 200 else {}
    names = {h["name"] for h in o.get("histograms", [])}
    # Trackers' histograms come each second, aggregations later.
    return o["seconds"][1] if o.get("seconds") and "offcpu" in names and any(n.startswith("by_") for n in names) else 0


live.same(ask("overview", "POST", "{}")[0], 201, "the live view begins")
live.check(until(lambda: newest() > 0), "and is recorded")
status, head, data = ask("recordings/live/recording")
live.check(
    status == 200 and "attachment" in head and f"Content-Length: {len(data)}" in head,
    "it can be had as a file",
    (head, len(data)),
)
copy = os.path.join(live.WORK, "copy.dwell")
with open(copy, "wb") as f:
    f.write(data)
os.chmod(copy, 0o644)
os.chmod(live.WORK, 0o755)
r = subprocess.run(
    ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", live.DWELL, "report", "-l", "--json", copy],
    capture_output=True,
    text=True,
)
names = {h["name"] for h in json.loads(r.stdout)["histograms"]} if r.returncode == 0 else set()
live.check(
    "offcpu" in names and any(n.startswith("by_") for n in names),
    "nobody can read it elsewhere",
    (r.returncode, sorted(names), r.stderr),
)
with sqlite3.connect(f"file:{copy}?mode=ro", uri=True) as db:
    live.same(db.execute("PRAGMA integrity_check").fetchone()[0], "ok", "it is whole")
live.same([n for n in os.listdir(live.WORK) if n.startswith("copy.dwell")], ["copy.dwell"], "and has no log beside it")

# Clients that do not read: a copy each, no more than some; the tracer does not wait, nothing is held in memory
idle = [send("recordings/live/recording") for _ in range(MOST)]
live.same([s.recv(12) for s in idle], [b"HTTP/1.1 200"] * MOST, "clients that do not read")
status, _, data = ask("recordings/live/recording")
live.check(status == 429 and b"as many as can have it" in data, "no more of them", data)
live.check(
    len(copies()) == MOST and all(c.endswith(" (deleted)") for c in copies()), "the copies have no names", copies()
)
before = newest()
live.check(until(lambda: newest() >= before + 2 * SECOND), "the tracer does not wait for them")
live.check(json.loads(ask("status")[2])["memory_kib"] < 64 << 10, "nothing large is held in memory")
for s in idle:
    s.close()
live.check(until(lambda: not copies()), "the copies go with those who asked", copies())
live.same(ask("recordings/live/recording")[0], 200, "and there is room again")
server.send_signal(signal.SIGINT)
live.same(server.wait(20), 0, "it ends")

# By hand: of a recording that is being written
one = os.path.join(live.WORK, "one.dwell")
tracer = subprocess.Popen(
    [live.DWELL, "-q", "--record", one, "-n", "tick-10ms { trace(1); }"],
    stdout=subprocess.DEVNULL,
    stdin=subprocess.DEVNULL,
)
live.check(
    until(
        lambda: os.path.exists(one + "-wal")
        and sqlite3.connect(f"file:{one}?mode=ro", uri=True).execute("SELECT count(*) FROM row").fetchone()[0] > 50
    ),
    "a recording goes on",
)
two = os.path.join(live.WORK, "two.dwell")
r = live.dwell("export", "--format", "recording", "-o", two, one)
live.same((r.returncode, r.stderr), (0, ""), "dwell export copies it")
r = live.dwell("report", two)
live.check(r.returncode == 0 and r.stdout.count("1") > 10, "what had been recorded is in it", r.stderr)
r = live.dwell("export", "--format", "recording", one)
live.check(r.returncode == 1 and "give -o FILE" in r.stderr and not r.stdout, "not into a pipe", r.stderr)
r = live.dwell("export", "--format", "recording", "--from", "1s", "-o", two, one)
live.check(r.returncode == 2 and "are for stacks" in r.stderr, "options of stacks are refused", r.stderr)
tracer.send_signal(signal.SIGINT)
tracer.wait(20)
live.done()
