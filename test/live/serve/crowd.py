# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
# @long: a crowd for a minute
"""A user without the token cannot shut out those with it. Another user has 300 connections that trickle and come again when they
are closed, 60 that send nothing, and one that connects as fast as it can. With 200 viewers as well, each request is answered.
The same holds for the server of the metrics."""
import os
import re
import select
import socket
import subprocess
import sys
import threading
import time

import live

NOBODY, CROWD, SILENT, VIEWERS = 65534, 300, 60, 200
KNOWN_MAX, STRANGERS_MAX, STRANGER_S = 256, 64, 10  # src/serve/serve.h
PATIENCE_S = 10  # on a machine that does other things as well; the answers take milliseconds

# As nobody: "trickle PORT N": N connections that send a byte each second; "silent PORT N"; "flood PORT". Writes how often it was hung up on, and how long the longest lasted.
CROWD_PROGRAM = r"""
import os, select, socket, sys, time
os.setgroups([]); os.setgid(65534); os.setuid(65534)
kind, port, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
START = b"GET / HTTP/1.1\r\nX: "
def connect():
    s = socket.socket()
    s.settimeout(5)
    try:
        s.connect(("127.0.0.1", port))
        if kind != "silent":
            s.sendall(START)
    except OSError:
        pass
    s.setblocking(False)
    return s, time.monotonic()
closed, longest, told = 0, 0.0, 0
conns = [connect() for _ in range(n)]
print("ready", flush=True)
tick = time.monotonic()
while True:
    if kind == "flood":
        s, _ = connect()
        s.close()
        closed += 1
        if time.monotonic() - told > 0.2:
            told = time.monotonic()
            print(closed, 0, flush=True)
        continue
    more = time.monotonic() - tick >= 1
    tick += more
    for i, (s, since) in enumerate(conns):
        try:
            if more and kind == "trickle":
                s.send(b"a")
            gone = s.recv(1000) == b""
        except BlockingIOError:
            continue
        except OSError:
            gone = True
        if gone:
            closed += 1
            longest = max(longest, time.monotonic() - since)
            s.close()
            conns[i] = connect()
    print(closed, longest, flush=True)
    time.sleep(0.2)
"""


class Crowd:
    def __init__(self, kind, port, n):
        self.p = subprocess.Popen(
            [sys.executable, "-c", CROWD_PROGRAM, kind, str(port), str(n)], stdout=subprocess.PIPE, text=True
        )
        live.same(self.p.stdout.readline(), "ready\n", f"there are {n} that {kind}")
        self.closed, self.longest = 0, 0.0
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()

    def listen(self):
        for line in self.p.stdout:
            self.closed, self.longest = int(line.split()[0]), float(line.split()[1])

    def end(self):
        self.p.kill()
        self.p.wait()
        self.thread.join()


def ask(port, text, timeout=30):
    """Status (None: no answer) and how long it took."""
    begin = time.monotonic()
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=timeout) as s:
            s.sendall(text.encode())
            got = b""
            while more := s.recv(1 << 16):
                got += more
    except OSError:
        return None, time.monotonic() - begin
    m = re.match(rb"HTTP/1\.1 (\d+)", got)
    return m and int(m[1]), time.monotonic() - begin


def answered(port, text, seconds, what, want=200):
    """Asks again and again."""
    found, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        found.append(ask(port, text))
        time.sleep(0.2)
    print(f"# {what}: {len(found)} requests, the slowest took {1000 * max(f[1] for f in found):.1f} ms")
    live.check(
        all(f[0] == want and f[1] < PATIENCE_S for f in found),
        what,
        [f for f in found if f[0] != want or f[1] >= PATIENCE_S],
    )


def fds(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


server = subprocess.Popen(
    [live.DWELL, "serve"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL
)
PORT, TOKEN = re.match(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})$", server.stdout.readline()).groups()
PORT = int(PORT)
HEAD = f"Host: 127.0.0.1:{PORT}\r\nConnection: close\r\nAuthorization: Bearer {TOKEN}\r\n"
STATUS = f"GET /api/v1/status HTTP/1.1\r\n{HEAD}\r\n"
live.same(ask(PORT, STATUS)[0], 200, "a request")
worker = int(
    subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(server.pid)], capture_output=True, text=True, check=True
    ).stdout.split()[0]
)
before = fds(worker)
program = '{"program": "tick-1s { printf(\\"x\\"); }"}'
live.same(
    ask(
        PORT,
        f"POST /api/v1/runs HTTP/1.1\r\n{HEAD}Content-Type: application/json\r\nContent-Length: {len(program)}\r\n\r\n{program}",
    )[0],
    201,
    "a program runs",
)


def view():
    s = socket.create_connection(("127.0.0.1", PORT), timeout=30)
    s.sendall(f"GET /api/v1/events?runs=1 HTTP/1.1\r\n{HEAD}\r\n".encode())
    return s


silent, crowd = Crowd("silent", PORT, SILENT), Crowd("trickle", PORT, CROWD)
viewers = [view() for _ in range(VIEWERS)]
answered(PORT, STATUS, 2.5 * STRANGER_S, "with the crowd and the viewers there is an answer to each request")
answered(
    PORT,
    f"GET /?token={TOKEN} HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nConnection: close\r\n\r\n",
    1,
    "also of who opens the page",
    303,
)
answered(
    PORT,
    f"GET /api/v1/status HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nConnection: close\r\n\r\n",
    1,
    "and of who has no token",
    401,
)
live.check(
    fds(worker) <= before + VIEWERS + STRANGERS_MAX + 20,
    "strangers have no more than their room",
    (before, fds(worker)),
)
live.check(
    crowd.closed > CROWD and crowd.longest < STRANGER_S + 5, f"they are hung up on: {crowd.closed} times", crowd.longest
)
live.check(silent.closed > 0, f"those that say nothing, too: {silent.closed} times")
flood = Crowd("flood", PORT, 0)
answered(PORT, STATUS, 4, "with a flood of connections as well")
live.check(flood.closed > 100, f"it was one: {flood.closed} connections")
flood.end()
got = [select.select([v], [], [], 10)[0] and b"data:" in v.recv(1 << 20) for v in viewers]
live.check(all(got), "the viewers see their program", sum(map(bool, got)))
viewers += [view() for _ in range(KNOWN_MAX - VIEWERS)]
live.check(all(b" 200 OK" in v.recv(1 << 16) for v in viewers[VIEWERS:]), "as many viewers as there may be")
live.same(ask(PORT, STATUS)[0], 503, "one more is told so")
viewers.pop().close()
end = time.monotonic() + 40  # the server finds out when it sends the next line
while ask(PORT, STATUS)[0] != 200 and time.monotonic() < end:
    time.sleep(0.5)
answered(PORT, STATUS, 1, "when one has gone there is room again")
# A body that trickles, with the token
with socket.create_connection(("127.0.0.1", PORT), timeout=60) as s:
    s.sendall(
        f"POST /api/v1/check HTTP/1.1\r\n{HEAD}Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n".encode()
    )
    begin, gone = time.monotonic(), False
    while not gone and time.monotonic() - begin < 60:
        gone = bool(select.select([s], [], [], 0.5)[0])
        try:
            s.send(b"a")
        except OSError:
            gone = True
    live.check(gone, f"a body that trickles is not waited for: {time.monotonic() - begin:.0f} s")
for c in (crowd, silent):
    c.end()
for v in viewers:
    v.close()
server.terminate()
live.same(server.wait(20), 0, "it ends")

with live.Daemon("--metrics", "127.0.0.1:0") as d:
    port = int(re.search(r":(\d+)/", d.where)[1])
    crowd = Crowd("trickle", port, CROWD)
    answered(
        port,
        f"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n",
        1.5 * STRANGER_S,
        "the metrics with the crowd: an answer to each request",
    )
    live.check(crowd.closed > CROWD, "and it is hung up on", crowd.closed)
    # Those that ask and do not read do not keep others out, either
    readers = []
    for _ in range(64):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        s.connect(("127.0.0.1", port))
        s.sendall(f"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
        readers.append(s)
    answered(
        port,
        f"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n",
        3,
        "nor do those that ask and do not read",
    )
    for s in readers:
        s.close()
    crowd.end()
    d.end()
live.done()
