# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell serve gets requests that are damaged at random, with its token and without: it answers or hangs up, and stays as it was. How many: $DWELL_REQUESTS."""
import os
import random
import re
import signal
import socket
import subprocess
import threading
import time

import live

REQUESTS = int(os.environ.get("DWELL_REQUESTS", "2000"))
AT_ONCE = 16
PATIENCE_S = 0.5
GROWTH_KB = 16 << 10  # of the server: what it may keep is bounded (doc/api.md), and this is less

rec = os.path.join(live.WORK, "one.dwell")
PROGRAM = """tracker nap () { threshold = 1us; }
syscall::read:entry { begin(nap); }
syscall::read:return { end(nap); @a[execname, stack(3)] = count(); }
tick-300ms { exit(0); }"""
r = live.dwell("-q", "--record", rec, "-n", PROGRAM)
live.same(r.returncode, 0, "a recording is made" + r.stderr)
server = subprocess.Popen(
    [live.DWELL, "serve", rec], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL
)
PORT, TOKEN = re.match(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})$", server.stdout.readline()).groups()
HEAD = f"Host: 127.0.0.1:{PORT}\r\nAuthorization: Bearer {TOKEN}\r\n"


def request(line, body="", head=HEAD, kind="application/json"):
    more = f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n" if body else ""
    return f"{line} HTTP/1.1\r\n{head}{more}\r\n{body}".encode()


GOOD = [
    request(line)
    for line in (
        "GET /",
        f"GET /?token={TOKEN}",
        "GET /app.js",
        "GET /api/v1/status",
        "GET /api/v1/programs",
        "GET /api/v1/programs/latency.offcpu",
        "GET /api/v1/words",
        "GET /api/v1/types?match=task_&kind=struct",
        "GET /api/v1/framekinds",
        "GET /api/v1/probes?match=proc:::exec",
        "GET /api/v1/runs",
        "DELETE /api/v1/runs/1",
        "GET /api/v1/events?runs=1,2",
        "GET /api/v1/recordings",
        "GET /api/v1/recordings/r1/contents.json",
        "GET /api/v1/recordings/r1/heat.json?by=nap&from=0s&to=1500ms&step=100ms&rows=20",
        "GET /api/v1/recordings/r1/flame.svg?by=a&title=%3Ca%3E",
        "GET /api/v1/recordings/r1/hist.json?by=nap&range=0-100ms,100ms-1s",
        "GET /api/v1/recordings/r1/slow.json?over=1us&longest=3",
    )
] + [
    request("POST /api/v1/check", '{"program": "BEGIN { trace(curthread->comm); exit(0) }"}'),
    request("POST /api/v1/runs", '{"program": "BEGIN { exit(0); }"}'),
    request("POST /api/v1/recordings?name=a.dwell", "SQLite format 3\0" + "x" * 200, kind="application/octet-stream"),
    request(
        "GET /api/v1/status",
        head=f"Host: 127.0.0.1:{PORT}\r\nCookie: dwell-{PORT}={TOKEN}\r\nOrigin: http://127.0.0.1:{PORT}\r\n",
    ),
    request("GET /api/v1/status", head=f"Host: 127.0.0.1:{PORT}\r\n"),
]
PIECES = [
    b"%00",
    b"%",
    b"%2e%2e%2f",
    b"../",
    b"\r\n",
    b"\0",
    b"\xff\xfe",
    b"?",
    b"&&",
    b"=",
    b"{",
    b'"',
    b"\\u0000",
    b"-1",
    b"99999999999999999999",
    b"0x",
    b",",
    b" ",
    b"#",
    b"a" * 5000,
    b"Transfer-Encoding: chunked\r\n",
    b"Content-Length: 18446744073709551615\r\n",
    b"Expect: 100-continue\r\n",
    b"Content-Length: -5\r\n",
    b"Content-Length: +5\r\n",
    b"Content-Length: 2\r\n",
    b"Host: evil.example\r\n",
    b"Transfer-Encoding: gzip\r\n",
    b"&" * 3000,
    b"Last-Event-ID: 1:9,2\r\n",
    b"[[[[[[[[[[[[[[[[",
]


def damage(rnd):
    """A request with one to four changes: bytes, pieces, parts of another, its end gone."""
    text = bytearray(rnd.choice(GOOD))
    for _ in range(rnd.randint(1, 4)):
        line = (
            text.find(b"\r") if rnd.random() < 0.7 else -1
        )  # mostly what is looked at by dwell, and not by the library only
        at = rnd.randrange((line if line > 0 else len(text)) + 1)
        match rnd.randrange(6):
            case 0:
                text[at : at + 1] = bytes([rnd.randrange(256)])
            case 1:
                text[at:at] = rnd.choice(PIECES)
            case 2:
                del text[at : at + rnd.randint(1, 20)]
            case 3:
                other = rnd.choice(GOOD)
                cut = rnd.randrange(len(other))
                text[at:at] = other[cut : cut + rnd.randint(1, 60)]
            case 4:
                text[at:at] = text[at : at + 30] * rnd.randint(1, 40)
            case _:
                del text[at:]
    return bytes(text)


def send(text):
    """The status; None where there was none while somebody waited for it: the rest of a request may come yet; 0: it is no answer, or more than one."""
    got = b""
    with socket.create_connection(("127.0.0.1", int(PORT)), timeout=5) as s:
        try:
            s.sendall(text)
            s.settimeout(PATIENCE_S)
            got = s.recv(4096)
            while b"text/event-stream" not in got and (more := s.recv(1 << 16)):
                got += more
        except (ConnectionResetError, BrokenPipeError, TimeoutError):
            if not got:
                return None
    got = got.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")
    if b"\r\n\r\nHTTP/1." in got:
        return 0
    m = re.match(rb"HTTP/1\.[01] (\d{3}) ", got)
    return int(m[1]) if m else (None if not got else 0)


def memory():
    with open(f"/proc/{server.pid}/status", encoding="ascii") as f:
        return int(re.search(r"VmRSS:\s+(\d+)", f.read())[1])


def files():
    return len(os.listdir(f"/proc/{server.pid}/fd"))


for text in GOOD:  # what is read once only is there now
    send(text)
statuses, wrong, before = {}, [], (memory(), files())


def some(n):
    rnd = random.Random(n)
    for _ in range(REQUESTS // AT_ONCE):
        text = damage(rnd)
        status = send(text)
        statuses[status] = statuses.get(status, 0) + 1
        if status == 0 or (
            status is not None and status >= 500 and status not in (501, 505)
        ):  # 505: a version of HTTP that is none; 501: an encoding
            wrong.append((status, text[:300]))


threads = [threading.Thread(target=some, args=(n,)) for n in range(AT_ONCE)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print("#", sorted(statuses.items(), key=str))
live.check(not wrong, f"{REQUESTS} damaged requests: an answer, or none", wrong[:3])
understood = sum(statuses.get(s, 0) for s in (200, 201, 303, 404, 405, 415, 422))
live.check(
    understood > REQUESTS // 25 and sum(statuses.get(s, 0) for s in (400, 401, 403)) > REQUESTS // 10,
    "some are understood, others refused",
    statuses,
)
live.check(server.poll() is None, "the server is there", server.poll())
live.same([send(GOOD[3]), send(GOOD[-1])], [200, 401], "whom it knows it answers, others it does not")
end = time.monotonic() + 10
while files() > before[1] + 8 and time.monotonic() < end:
    time.sleep(0.1)
live.check(files() <= before[1] + 8, "its connections are closed", (before, files()))
live.check(memory() <= before[0] + GROWTH_KB, "its memory is bounded", (before, memory()))
server.send_signal(signal.SIGINT)
server.wait(20)
said = server.stderr.read()
live.check(not re.search("ERROR: |runtime error", said), "sanitizers, where it has them, said nothing", said)
live.done()
