# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""A program floods its viewers. The server's cost of a line does not grow when the oldest lines are forgotten. A user who
downloads a file beside 30 viewers gets more of it than each viewer of the flood. Both are shares, and the same on a busy
machine."""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import live

VIEWERS, MB = 30, 1 << 20
FILE = os.path.join(live.WORK, "one.dwell")
r = live.dwell("-q", "--record", FILE, "-n", "BEGIN { trace(1); exit(0); }")
live.same(r.returncode, 0, "a recording is made" + r.stderr)
with open(FILE, "ab") as f:
    f.write(bytes(16 * MB))  # nobody reads them: the file is sent as it is
server = subprocess.Popen(
    [live.DWELL, "serve", FILE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL
)
PORT, TOKEN = re.match(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})$", server.stdout.readline()).groups()
HEAD = f"Host: 127.0.0.1:{PORT}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\nContent-Type: application/json\r\n"
WORKER = int(
    subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(server.pid)], capture_output=True, text=True, check=True
    ).stdout.split()[0]
)


def send(what, method="GET", body=""):
    s = socket.create_connection(("127.0.0.1", int(PORT)), timeout=100)
    s.sendall(f"{method} /api/v1/{what} HTTP/1.1\r\n{HEAD}Content-Length: {len(body)}\r\n\r\n{body}".encode())
    return s


def ask(what, method="GET", body=""):
    with send(what, method, body) as s:
        data = b""
        while more := s.recv(1 << 20):
            data += more
    return data.split(b"\r\n\r\n", 1)[1]


def cpu():
    """ns that the server has had."""
    with open(f"/proc/{WORKER}/schedstat", encoding="ascii") as f:
        return int(f.read().split()[0])


def state():
    return next(r["lines"] for r in json.loads(ask("runs"))["runs"] if r["run"] == RUN), cpu()


def cost(until):
    """ns of the server for each line until there are so many."""
    first = now = state()
    while now[0] < until:
        time.sleep(0.1)
        now = state()
    return (now[1] - first[1]) / (now[0] - first[0])


program = "tick-1ms { trace(1); } " * 20  # a line for each clause
RUN = json.loads(ask("runs", "POST", json.dumps({"program": program})))["run"]
while state()[0] < 1000:
    time.sleep(0.05)
early = cost(8000)  # some 200 bytes each: all are kept
cost(30000)
late = cost(40000)
print(f"# a line costs the server {early / 1000:.1f} us at first, {late / 1000:.1f} us when older ones are forgotten")
live.check(late < 5 * early, "forgetting the oldest lines costs little", (early, late))

# Viewers of a process of their own, which tells how much they have had
WATCH = """
import select, socket, sys, time
def view():
    s = socket.create_connection(("127.0.0.1", %s))
    s.sendall(%r)
    return s
views, had, told = [view() for _ in range(%d)], 0, 0
while True:
    for s in select.select(views, [], [])[0]:
        had += len(s.recv(1 << 18))
    if time.monotonic() - told > 0.05:
        told = time.monotonic()
        print(had, flush=True)
""" % (
    PORT,
    f"GET /api/v1/events?runs={RUN} HTTP/1.1\r\n{HEAD}\r\n".encode(),
    VIEWERS,
)
watchers = subprocess.Popen([sys.executable, "-c", WATCH], stdout=subprocess.PIPE, text=True)
had = [0]


def listen():
    for text in watchers.stdout:
        had[0] = int(text)


listener = threading.Thread(target=listen)
listener.start()
while had[0] < 10 * MB and watchers.poll() is None:
    time.sleep(0.05)
begin, got = had[0], 0
with send("recordings/r1/recording") as s:
    while more := s.recv(1 << 20):
        got += len(more)
each = (had[0] - begin) / VIEWERS
print(f"# meanwhile each viewer had {each / MB:.1f} MiB")
live.check(got > 16 * MB, "the file comes whole", got)
live.check(each < got, "as fast as what a viewer has, or faster", (each, got))
watchers.kill()
watchers.wait()
listener.join()
server.send_signal(signal.SIGINT)
live.same(server.wait(20), 0, "it ends")
live.done()
