# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
"""Messages that a collector gets from strangers, by NATS' own protocol. Damaged ones are refused, counted and done with; those of an older dwell are
taken. Counts of any size are exact. A host's name comes from the subject only."""
import os
import re
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


def near(v):
    return number(v << 1)


def old(name, second, buckets):
    """A batch of version 1: a histogram of (bucket, count), ascending."""
    total, row, after = sum(n for _, n in buckets), b"", 0
    for bucket, n in buckets:
        row, after = row + number(bucket - after) + number(n), bucket + 1
    head = (1, total, 7, 5, 0, len(buckets))  # period, count, sum, max, flags
    return b"DF\1\1" + text(name) + text(b"") + near(second) + b"".join(map(number, head)) + row


def send(port, messages):
    with socket.create_connection(("127.0.0.1", port), timeout=30) as s:
        f = s.makefile("rb")
        f.readline()
        s.sendall(b'CONNECT {"verbose":false}\r\n')
        for subject, data in messages:
            s.sendall(b"PUB %s %d\r\n%s\r\n" % (subject.encode(), len(data), data))
        s.sendall(b"PING\r\n")
        while f.readline().strip() != b"PONG":
            pass


with engines.Nats(os.path.join(live.WORK, "nats")) as nats, engines.ClickHouse(
    os.path.join(live.WORK, "store")
) as store:
    env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
    live.same(live.dwell("fleet", "init", env=env, timeout=60).returncode, 0, "init")
    now = int(time.time()) - 600
    big = [(0, 1), (3, 255), (4, 256), (5, 65535), (6, 65536), (7, 2**40), (300, 70000)]
    good = old(b"lock", now, big)
    hostile = [
        b"",
        b"hello",
        b"\xff" * 1000,
        b"DF\3\1",
        b"DF\2\1\2" + text(b"x") + b"\0\0",
        good[:-1],
        good + b"\1",
        old(b"lock", now, [(5000, 1)]),
        old(b"", now, [(1, 1)]),
        old(b"x" * 9000, now, [(1, 1)]),
    ]
    send(
        nats.port,
        [("dwell.v1.default.default.bad.hist", data) for data in hostile]
        + [
            ("dwell.v1.default.default.bad~name.hist", old(b"it's\t\\N\n", now, [(1, 2)])),
            ("dwell.v1.default.default.web-1.hist", good),
            ("dwell.v1.default.default.web-1.hist", good),
            ("dwell.v1.short", good),
        ],
    )
    p = subprocess.Popen(
        [live.DWELL, "fleet", "collect"], env=env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 150
    while time.monotonic() < end and store.ask("SELECT count() FROM hist_minute") == [["0"]]:
        time.sleep(0.2)
    time.sleep(2)
    p.terminate()
    err = p.communicate(timeout=60)[1]
    live.check(p.returncode == 0, "the collector lives", err)
    m = re.search(r"of (\d+) messages in \d+ blocks; (\d+) messages could not be read", err)
    live.same(m and m.groups(), (str(len(hostile) + 4), str(len(hostile) + 1)), "and tells what it refused: " + err)
    live.same(
        store.ask("SELECT host, sum(count), max(max) FROM hist FINAL GROUP BY host ORDER BY host"),
        [["bad.name", "2", "5"], ["web-1", str(sum(n for _, n in big)), "5"]],
        "the good ones are in the store, once",
    )
    for table in ("hist", "hist_minute"):
        live.same(
            store.ask(
                "SELECT tupleElement(sumMap(buckets, counts), 1), tupleElement(sumMap(buckets, counts), 2)"
                f" FROM {table} FINAL WHERE host = 'web-1'"
            ),
            [[str([b for b, _ in big]).replace(" ", ""), str([n for _, n in big]).replace(" ", "")]],
            "counts of any size in " + table,
        )
    r = live.dwell("fleet", "latency", "--json", "--hosts", "web-1", "--from", "15m", env=env, timeout=60)
    live.check(f'"count":{sum(n for _, n in big)}' in r.stdout.replace(" ", ""), "and in answers", r.stdout + r.stderr)
live.done()
