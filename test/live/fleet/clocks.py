# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""Hosts whose clocks differ: how far is measured and shown, events keep the time of their host's clock, and what comes with an old time is added up to
minutes all the same. A host that changes its version, kernel and labels, and one that is gone, are shown as they last were."""
import json
import os
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import engines  # noqa: E402
import live  # noqa: E402

engines.needed()
os.chdir(live.WORK)
CLOCKS = {"right": 0, "ahead": 600, "behind": -5400, "wrong": -4 * 365 * 86400}  # s
EVENTS = 500


def number(v):
    """LEB128."""
    out = b""
    while v > 127:
        out, v = out + bytes([v & 127 | 128]), v >> 7
    return out + bytes([v])


def text(s):
    return b"\0" + number(len(s)) + s


def hello(ns, dwell, kernel, labels):
    return b"DF\1\3" + number(ns << 1) + text(dwell) + text(kernel) + text(labels)


def hist(second):
    """EVENTS in one bucket."""
    head = (1, EVENTS, EVENTS * 1000, 5000, 0, 1)  # period, count, sum, max, flags, buckets
    return b"DF\1\1" + text(b"lock") + text(b"") + number(second << 1) + b"".join(map(number, head)) + number(300) + number(EVENTS)


def send(messages):
    with socket.create_connection(("127.0.0.1", nats.port), timeout=30) as s:
        f = s.makefile("rb")
        f.readline()
        s.sendall(b'CONNECT {"verbose":false}\r\n')
        for host, kind, data in messages:
            s.sendall(b"PUB dwell.v1.default.default.%s.%s %d\r\n%s\r\n" % (host.encode(), kind, len(data), data))
        s.sendall(b"PING\r\n")
        while f.readline().strip() != b"PONG":
            pass


def hosts():
    r = live.dwell("fleet", "hosts", "--json", env=env, timeout=30)
    return {h["host"]: h for h in map(json.loads, r.stdout.splitlines())}


def until(what, seconds=20):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.1)
    return what()


with engines.Nats(os.path.join(live.WORK, "nats")) as nats, engines.ClickHouse(
    os.path.join(live.WORK, "store")
) as store:
    env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
    live.same(live.dwell("fleet", "init", env=env, timeout=60).returncode, 0, "init")
    p = subprocess.Popen(
        [live.DWELL, "fleet", "collect"], env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    begun = time.time()
    for kernel in (b"5.10", b"6.1"):  # the later one counts
        sent = time.time()
        send(
            [
                (host, b"host", hello(int((sent + ahead) * 1e9), b"0.%d" % (kernel > b"6"), kernel, b"role=web"))
                for host, ahead in CLOCKS.items()
            ]
        )
        live.check(
            until(lambda k=kernel.decode(): len(hosts()) == 4 and all(h["kernel"] == k for h in hosts().values())),
            "all have told of themselves: " + kernel.decode(),
            hosts(),
        )
    way = time.time() - sent
    send([(host, b"hist", hist(int(begun) + ahead)) for host, ahead in CLOCKS.items()])
    live.check(until(lambda: store.ask("SELECT count() FROM hist FINAL") == [["4"]]), "stored")
    for host, h in hosts().items():
        off = h["clock_ms"] / 1000 - CLOCKS[host]
        live.check(-way - 0.1 <= off <= 0.1, "how far the clock is off, less the way: " + host, (h, way))
        live.same((h["dwell"], h["labels"]), ("0.1", "role=web"), "as it last was: " + host)
        live.check(h["silent_s"] <= time.time() - begun + 1, "when it was last heard of, by the collector's clock", h)
    live.same(
        sorted((host, int(t)) for host, t in store.ask("SELECT host, toUInt32(time) FROM hist FINAL")),
        sorted((host, int(begun) + ahead) for host, ahead in CLOCKS.items()),
        "events have the time of their host's clock",
    )

    def asked(*args):
        r = live.dwell("fleet", "latency", "--by-host", "--json", *args, env=env, timeout=30)
        return sorted((x["host"], x["count"]) for x in map(json.loads, r.stdout.splitlines()))

    live.same(asked("--from", "5m"), [("right", EVENTS)], "the last minutes: those whose clock says so")
    ago = int(time.time() - begun) + 5400
    live.same(
        asked("--from", f"{ago + 200}s", "--to", f"{ago - 200}s"), [("behind", EVENTS)], "at the time of its clock"
    )
    minutes = "SELECT host, sum(count) FROM hist_minute FINAL WHERE host != 'wrong' GROUP BY host"
    live.check(
        until(lambda: ["behind", str(EVENTS)] in store.ask(minutes), 15),
        "what is late is added up to its minute",
        store.ask(minutes),
    )
    live.check("ahead" not in [h for h, _ in store.ask(minutes)], "a minute that is not over is not", store.ask(minutes))
    p.terminate()
    err = p.communicate(timeout=30)[1]
    live.check(p.returncode == 0 and "0 messages could not be read" in err, "the collector ends", err)
live.done()
