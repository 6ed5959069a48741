# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""Heads of requests that are not quite HTTP: each gets exactly one answer, which says what is wrong, and the connection ends. What is right is answered, however
it comes. The page's server and that of the metrics."""
import re
import socket
import subprocess
import time

import live

server = subprocess.Popen(
    [live.DWELL, "serve"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL
)
PORT, TOKEN = re.match(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})$", server.stdout.readline()).groups()
HOST, AUTH = f"Host: 127.0.0.1:{PORT}", f"Authorization: Bearer {TOKEN}"
JSON = "Content-Type: application/json"
BODY = '{"program": "BEGIN { exit(0); }"}'


def exchange(port, data, pause=0.0):
    """All that comes for these bytes (a list: one after another), up to the end of the connection; None: it does not end."""
    with socket.create_connection(("127.0.0.1", int(port)), timeout=20) as s:
        got = b""
        try:
            for piece in data if isinstance(data, list) else [data]:
                s.sendall(piece if isinstance(piece, bytes) else piece.encode("latin-1"))
                time.sleep(pause)
            while more := s.recv(1 << 16):
                got += more
        except TimeoutError:
            return None
        except (ConnectionResetError, BrokenPipeError):
            pass
    return got


def statuses(got):
    """Of every head that is anywhere in what came: [400]. A body whose length is not what was said: the length is in front."""
    if got is None:
        return "no end"
    found = [int(s) for s in re.findall(rb"HTTP/1\.[01] (\d{3}) ", got)]
    head, _, body = got.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\nContent-Length: (\d+)", head)
    return found if not length or int(length[1]) == len(body) else [len(body)] + found


def head(*lines, first="GET /api/v1/status HTTP/1.1"):
    return "\r\n".join([first, *lines]) + "\r\n\r\n"


def post(*lines):
    return head(HOST, AUTH, JSON, *lines, first="POST /api/v1/check HTTP/1.1")


BAD = [
    ("two Hosts", head(HOST, AUTH, "Host: evil.example"), 400),
    ("two Hosts, the other way", head("Host: evil.example", AUTH, HOST), 400),
    ("twice the same Host", head(HOST, HOST, AUTH), 400),
    ("no Host", head(AUTH), 400),
    ("two tokens", head(HOST, AUTH, "Authorization: Bearer x"), 400),
    ("two Origins", head(HOST, AUTH, f"Origin: http://127.0.0.1:{PORT}", "Origin: http://evil.example"), 400),
    *(
        (f"Content-Length: {v}", post(f"Content-Length: {v}") + BODY, 400)
        for v in (
            "-5",
            "+5",
            "5 5",
            "5,5",
            "0x10",
            "1e3",
            "",
            "5;",
            "٣".encode().decode("latin-1"),
            "18446744073709551616",
            "99999999999999999999999",
            "9223372036854775808",
        )
    ),
    ("two lengths", post("Content-Length: 33", "Content-Length: 5") + BODY, 400),
    ("twice the same length", post("Content-Length: 33", "content-length: 33") + BODY, 400),
    ("a length and chunks", post("Content-Length: 33", "Transfer-Encoding: chunked") + "0\r\n\r\n", 400),
    ("chunks and a length", post("Transfer-Encoding: chunked", "Content-Length: 33") + "0\r\n\r\n", 400),
    ("chunks twice", post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked") + "0\r\n\r\n", 400),
    (
        "chunks in HTTP/1.0",
        head(HOST, AUTH, JSON, "Transfer-Encoding: chunked", first="POST /api/v1/check HTTP/1.0") + "0\r\n\r\n",
        400,
    ),
    *(
        (f"Transfer-Encoding: {v}", post(f"Transfer-Encoding: {v}") + "0\r\n\r\n", 501)
        for v in ("gzip", "gzip, chunked", "chunked, chunked", "xchunked", "identity", "chunked;q=1")
    ),
    *(
        (f"a chunk of {v!r}", post("Transfer-Encoding: chunked") + v + "\r\n" + BODY + "\r\n0\r\n\r\n", 400)
        for v in ("-5", "x", "", "g", "21\n")
    ),
    ("a chunk without end", post("Transfer-Encoding: chunked") + "f" * 18 + "\r\nabc\r\n0\r\n\r\n", 413),
    ("Expect: much", post("Expect: much", "Content-Length: 2"), 417),
    ("a blank before the colon", head(HOST, AUTH, "X : 1"), 400),
    ("a line without a colon", head(HOST, AUTH, "X"), 400),
    ("a name that is none", head(HOST, AUTH, "X(Y): 1"), 400),
    ("no name", head(HOST, AUTH, ": 1"), 400),
    ("a line that goes on", head(HOST, AUTH, "X: 1", " 2"), 400),
    ("a NUL", head(HOST, AUTH, "X: 1\0"), 400),
    ("a lone CR", head(HOST, AUTH, "X: 1\rContent-Length: 3"), 400),
    ("lone LFs", head(HOST, AUTH).replace("\r\n", "\n"), 400),
    ("an empty line first", "\r\n" + head(HOST, AUTH), 400),
    *(
        (f"{first!r}", head(HOST, AUTH, first=first), status)
        for first, status in (
            ("GET", 400),
            ("GET /", 400),
            ("GET  / HTTP/1.1", 400),
            ("GET / HTTP/1.1 ", 400),
            (" GET / HTTP/1.1", 400),
            ("GET / HTTP/11", 400),
            ("GET / http/1.1", 400),
            ("GET / HTTP/1.x", 400),
            ("GET / HTTP/2.0", 505),
            ("GET / HTTP/1.2", 505),
            ("GET / HTTP/0.9", 505),
            ("G(T / HTTP/1.1", 400),
            ("GET /a b HTTP/1.1", 400),
            ("GET /\t HTTP/1.1", 400),
            ("GET /a#b HTTP/1.1", 400),
        )
    ),
    ("20,000 &", head(HOST, AUTH, first="GET /api/v1/status?" + "&" * 20000 + " HTTP/1.1"), 414),
    ("4,000 &", head(HOST, AUTH, first="GET /api/v1/status?" + "&" * 4000 + " HTTP/1.1"), 414),
    ("4,000 parameters", head(HOST, AUTH, first="GET /api/v1/status?" + "a&" * 4000 + " HTTP/1.1"), 414),
    ("an address of 8 KiB", head(HOST, AUTH, first="GET /" + "a" * 8192 + " HTTP/1.1"), 414),
    ("an address of 1 MB", head(HOST, AUTH, first="GET /" + "a" * 1000000 + " HTTP/1.1"), 414),
    ("a field of 16 KiB", head(HOST, AUTH, "X: " + "a" * 16384), 431),
    ("a field of 1 MB", head(HOST, AUTH, "X: " + "a" * 1000000), 431),
    ("300 fields", head(HOST, AUTH, *["X: 1"] * 300), 431),
    ("5,000 cookies", head(HOST, AUTH, "Cookie: " + ";" * 5000), 431),
    ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(200)) + b"\r\n\r\n", 400),
]
for what, text, status in BAD:
    got = exchange(PORT, text)
    live.same(statuses(got), [status], f"{what}: one answer, {status}")
    live.check(got and re.search(rb'\r\n\r\n(\{"error":".+"\}\n|<html>.*</html>)$', got, re.S), f"{what}: and why", got)

GOOD = [
    ("a request", head(HOST, AUTH), 200),
    ("without a token", head(HOST), 401),
    ("fields of any case, blanks before values", head("hOST: \t" + HOST[6:], "authorization:  " + AUTH[15:]), 200),
    ("HTTP/1.0", head(HOST, AUTH, first="GET /api/v1/status HTTP/1.0"), 200),
    (
        "what the page may send raw",
        head(HOST, AUTH, first="GET /api/v1/types?match={|}^`\\[]'\xe9&kind=struct HTTP/1.1"),
        200,
    ),
    ("an address of nearly 8 KiB", head(HOST, AUTH, first="GET /" + "a" * 8170 + " HTTP/1.1"), 404),
    ("a head of nearly 16 KiB", head(HOST, AUTH, *("X: " + "a" * 4000 for _ in range(4))), 200),
    (
        "250 pieces",
        head(
            HOST,
            AUTH,
            "Cookie: " + "a=b;" * 100,
            *["X: 1"] * 47,
            first="GET /api/v1/types?match=a&" + "b=c&" * 100 + " HTTP/1.1",
        ),
        200,
    ),
    ("a length of 0", head(HOST, AUTH, "Content-Length: 0"), 200),
    ("a body", post(f"Content-Length: {len(BODY)}") + BODY, 200),
    ("a body in chunks", post("Transfer-Encoding: Chunked") + f"{len(BODY):x}\r\n{BODY}\r\n0\r\n\r\n", 200),
    ("two requests at once: the first", head(HOST, AUTH) * 2, 200),
]
for what, text, status in GOOD:
    live.same(statuses(exchange(PORT, text)), [status], f"{what}: {status}")
got = exchange(PORT, [c for c in head(HOST, AUTH)], 0.002)
live.same(statuses(got), [200], "a request byte by byte")
got = exchange(PORT, [post(f"Content-Length: {len(BODY)}"), BODY[:10], BODY[10:]], 0.2)
live.same(statuses(got), [200], "its body in pieces")
live.check(b"\r\nConnection: close\r\n" in got, "a connection is for one request", got)
live.same(
    statuses(
        exchange(
            PORT,
            [
                head(
                    HOST,
                    AUTH,
                    "Expect: 100-continue",
                    JSON,
                    f"Content-Length: {len(BODY)}",
                    first="POST /api/v1/check HTTP/1.1",
                ),
                BODY,
            ],
            0.2,
        )
    )[-2:],
    [100, 200],
    "one that waits for the word to go on",
)
begin = time.monotonic()
live.same(statuses(exchange(PORT, "GET / HTT")), [408], "half a request: an answer when the time is over")
live.check(time.monotonic() - begin > 5, "and not before", time.monotonic() - begin)
live.same(exchange(PORT, b""), b"", "nothing at all: closed")
live.check(server.poll() is None, "the server is there")
server.terminate()
live.same(server.wait(20), 0, "and ends")

with live.Daemon("--metrics", "127.0.0.1:0") as d:
    port = re.search(r":(\d+)/", d.where)[1]
    HOST = f"Host: 127.0.0.1:{port}"
    for what, text, status in (
        ("a request", head(HOST, first="GET /metrics HTTP/1.1"), 200),
        ("two Hosts", head(HOST, "Host: evil.example", first="GET /metrics HTTP/1.1"), 400),
        ("a length below zero", head(HOST, "Content-Length: -5", first="GET /metrics HTTP/1.1"), 400),
        ("another host", head("Host: evil.example"), 403),
        ("20,000 &", head(HOST, first="GET /metrics?" + "&" * 20000 + " HTTP/1.1"), 414),
        ("a body", head(HOST, "Content-Length: 5", first="POST /metrics HTTP/1.1") + "12345", 405),
    ):
        live.same(statuses(exchange(port, text)), [status], f"metrics: {what}: {status}")
    d.end()
live.done()
