# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""Tracker socket: calls that wait for data, or for room to send, on sockets of several kinds: as long as the program measured, with the other end; and clients that a server waits for."""
import contextlib
import json
import os
import sys

import live

WAIT = 0.08
LOAD = (
    f"WAIT = {WAIT}"
    + r"""
import os, select, socket, sys, threading, time
def measured(what, to, call, *args):
    begun = time.monotonic_ns()
    call(*args)
    print("truth", what, to or "-", begun, time.monotonic_ns() - begun, flush=True)
def later(f, *args):
    threading.Timer(WAIT, f, args).start()
def name(s):
    return "%s:%d" % s.getpeername()[:2]
listener = socket.create_server(("127.0.0.1", 0))
tcp = socket.create_connection(listener.getsockname())
server = listener.accept()[0]
later(server.send, b"x"); measured("recvfrom tcp", name(tcp), tcp.recv, 10)
later(server.send, b"x"); measured("read tcp", name(tcp), os.read, tcp.fileno(), 10)
later(server.send, b"x"); measured("recvmsg tcp", name(tcp), tcp.recvmsg, 10)
poll = select.poll(); poll.register(tcp, select.POLLIN)
later(server.send, b"x"); measured("poll tcp", name(tcp), poll.poll)
tcp.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
later(server.recv, 1 << 24, socket.MSG_WAITALL); measured("sendto tcp", name(tcp), tcp.sendall, b"x" * (1 << 24))
six = socket.create_server(("::1", 0), family=socket.AF_INET6)
udp = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); udp.bind(("::1", 0))
out = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
later(out.sendto, b"x", udp.getsockname()); measured("recvfrom udp", "::1:%d" % udp.getsockname()[1], udp.recv, 10)
path = sys.argv[1]
there = socket.socket(socket.AF_UNIX); there.bind(path); there.listen()
here = socket.socket(socket.AF_UNIX); here.connect(path)
other = there.accept()[0]
later(other.send, b"x"); measured("recvfrom unix", path, here.recv, 10)
later(other.send, b"x"); measured("read unix", path, os.read, here.fileno(), 10)
later(socket.create_connection, listener.getsockname()); measured("accept4 tcp", "", listener.accept)
# no sockets: none of these is one
r, w = os.pipe()
later(os.write, w, b"x"); measured("read pipe", "", os.read, r, 10)
poll = select.poll(); poll.register(r, select.POLLIN)
later(os.write, w, b"x"); measured("poll pipe", "", poll.poll)
"""
)
AWAITED = {"tcp": "data on a TCP connection", "udp": "data on a socket", "unix": "data on a Unix socket"}

os.chdir(live.WORK)
with open("load.py", "w", encoding="utf-8") as f:
    f.write(LOAD)


def run():
    with contextlib.suppress(FileNotFoundError):
        os.unlink("answers")
    r = live.dwell(
        "latency",
        "socket",
        "--over",
        "40ms",
        "--idle",
        "--stacks",
        "--json",
        "--",
        sys.executable,
        "load.py",
        os.path.abspath("answers"),
        timeout=60,
    )
    lines = r.stdout.splitlines()
    slow = [o for o in map(json.loads, (l for l in lines if l.startswith("{"))) if o["type"] == "latency-slow"]
    return [l.split()[1:] for l in lines if l.startswith("truth ")], slow, r


def of(slow, begun, ns):
    """No longer than the program waited, whose Python must go on first; at least what the other end made it wait, less what passed until the call."""
    return [
        s
        for s in slow
        if begun <= s["start"] and s["start"] + s["delay_ns"] <= begun + ns and s["delay_ns"] >= 0.9 * WAIT * 1e9
    ]


def judge():
    truths, slow, r = run()
    yield r.returncode == 0 and len(truths) == 11, "the load under dwell latency socket", r.stdout[-1500:] + r.stderr
    for call, kind, to, begun, ns in truths:
        begun, ns = int(begun), int(ns)
        near = of(slow, begun, ns)
        if kind == "pipe":
            yield not of(slow, begun, ns), f"{call} of a pipe is none", slow
            continue
        yield len(near) == 1, f"{call}, {kind}: as long as it waited", (begun, ns, slow)
        if len(near) != 1:
            continue
        s = near[0]
        if call.startswith("accept"):
            yield s["tracker"] == "accept" and s["operation"].startswith("accept4(tcp 127.0.0.1:") and s[
                "class"
            ] == "idle", "a client", s
            continue
        yield (s["tracker"], s["operation"].split("(")[0], s["class"]) == (
            "socket",
            call,
            "net",
        ), f"{call}, {kind}: what it was", s
        whole, told = f"{kind} {to}", s["operation"][len(call) + 1 : -1]
        yield told == whole or (
            told.startswith("...") and whole.endswith(told[3:])
        ), f"{call}, {kind}: the other end", (told, whole)
        yield s["cause"] == (
            "room in a socket's send buffer" if call == "sendto" else AWAITED[kind]
        ), f"{call}, {kind}: for what", s


live.attempts("calls on sockets", judge)
live.done()
