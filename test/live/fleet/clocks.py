# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""Hosts whose clocks differ: how far is measured and shown, and events keep the time of their host's clock. What comes with an old time is added up to
its minute, and only that minute is read. A host that changed its version and kernel is shown as it last was."""
import json
import os
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import engines  # noqa: E402
import live  # noqa: E402
from batches import number, text  # noqa: E402

engines.needed()
os.chdir(live.WORK)
CLOCKS = {"right": 0, "ahead": 600, "behind": -5400, "wrong": -4 * 365 * 86400}  # s
EVENTS = 500
BETWEEN = 200  # days with a row, between the clock of "wrong" and now


def hello(ns, dwell, kernel, labels):
    return b"DF\1\3" + number(ns << 1) + text(dwell) + text(kernel) + text(labels)


def hist(second):
    """EVENTS in one bucket."""
    head = (1, EVENTS, EVENTS * 1000, 5000, 0, 1)  # period, count, sum, max, flags, buckets
    return (
        b"DF\1\1"
        + text(b"lock")
        + text(b"")
        + number(second << 1)
        + b"".join(map(number, head))
        + number(300)
        + number(EVENTS)
    )


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


def until(what, seconds=20, nap=0.1):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(nap)
    return what()


def parts_read():
    """How many parts of tables the server has read."""
    rows = store.ask("SELECT value FROM system.events WHERE event = 'SelectedParts'")
    return int(rows[0][0]) if rows else 0


def minute(host):
    """How many events its minute has."""
    at = (int(begun) + CLOCKS[host]) // 60 * 60
    return int(
        store.ask(
            f"SELECT sum(count) FROM hist_minute WHERE day = toDate(toDateTime({at})) AND time = toDateTime({at}) AND host = '{host}'"
        )[0][0]
    )


with engines.Nats(os.path.join(live.WORK, "nats")) as nats, engines.ClickHouse(
    os.path.join(live.WORK, "store")
) as store:
    env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
    live.same(live.dwell("fleet", "init", env=env, timeout=60).returncode, 0, "init")
    store.ask(
        "INSERT INTO hist (day, tenant, site, host, series, key, time, count, sum, max, flags, bucket, few) SELECT toDate(t), 'between', 'default', 'h', 'lock',"
        f" '', t, 1, 1, 1, 0, [1], [1] FROM (SELECT now() - 86400 * (7 * number + 1) AS t FROM numbers({BETWEEN}))"
    )
    p = subprocess.Popen(
        [live.DWELL, "fleet", "collect"], env=env, stdin=subprocess.DEVNULL, stderr=open("err", "w", encoding="utf-8")
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
    read = parts_read()
    send([(host, b"hist", hist(int(begun) + ahead)) for host, ahead in CLOCKS.items()])
    for host in ("behind", "wrong"):
        live.check(
            until(lambda h=host: minute(h) == EVENTS, 30, 1), "what is late is added up: " + host, open("err").read()
        )
    read = parts_read() - read
    live.check(0 < read < BETWEEN, "only its minute is read, and not all since then", read)
    for host in ("right", "ahead"):
        live.same(minute(host), 0, "a minute that is not over is not added up: " + host)
    for host, h in hosts().items():
        off = h["clock_ms"] / 1000 - CLOCKS[host]
        live.check(-way - 0.1 <= off <= 0.1, "how far the clock is off, less the way: " + host, (h, way))
        live.same((h["dwell"], h["labels"]), ("0.1", "role=web"), "as it last was: " + host)
        live.check(h["silent_s"] <= time.time() - begun + 1, "when it was last heard of, by the collector's clock", h)
    live.same(
        sorted(
            (host, int(t))
            for host, t in store.ask("SELECT host, toUInt32(time) FROM hist FINAL WHERE tenant = 'default'")
        ),
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
    p.terminate()
    p.wait(30)
    err = open("err", encoding="utf-8").read()
    live.check(p.returncode == 0 and " 0 messages could not be read" in err, "the collector ends", err)
live.done()
