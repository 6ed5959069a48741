# SPDX-License-Identifier: Apache-2.0
# @timeout: 90
"""Ten times the rate: what 1,000 hosts with 20 trackers send in ten seconds comes at once. All of it is stored, once; the collector's memory has a bound;
what a host sends afterwards comes, too; a collector that joins takes a part."""
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
HOSTS, TRACKERS, TIMES = 1000, 20, 10
BUCKETS = range(300, 780, 40)
BLOCK_MB = 64  # of text, that a collector makes of messages before it stores them (COLLECT_BYTES_MAX)


def batch(first, seconds):
    """What a host sends of these seconds: in each of its buckets 1, 2, 3 … events."""
    counts = range(1, len(BUCKETS) + 1)
    row, after = b"", 0
    for bucket, n in zip(BUCKETS, counts):
        row, after = row + number(bucket - after) + number(n), bucket + 1
    head = (1, sum(counts), 7, 5, 0, len(BUCKETS))  # period, count, sum, max, flags
    out, last, names = b"DF\1\1", 0, 0
    for second in range(first, first + seconds):
        for t in range(TRACKERS):
            if second == first:
                out += text(b"tracker%d" % t) + (text(b"") if not t else number(2))
            else:
                out += number(names + (t + 1 if not t else t + 2)) + number(2)
            away = second - last
            out += number(away << 1 if away >= 0 else (-away << 1) - 1) + b"".join(map(number, head)) + row
            last = second
    return out


def send(hosts, data):
    with socket.create_connection(("127.0.0.1", nats.port), timeout=60) as s:
        f = s.makefile("rb")
        f.readline()
        s.sendall(b'CONNECT {"verbose":false}\r\n')
        for host in hosts:
            s.sendall(b"PUB dwell.v1.default.default.%s.hist %d\r\n%s\r\n" % (host.encode(), len(data), data))
        s.sendall(b"PING\r\n")
        while f.readline().strip() != b"PONG":
            pass


def start(name):
    return subprocess.Popen(
        [live.DWELL, "fleet", "collect"], env=env, stdin=subprocess.DEVNULL, stderr=open(name, "w", encoding="utf-8")
    )


def peak(p):
    return int(re.search(r"VmHWM:\s+(\d+)", open(f"/proc/{p.pid}/status", encoding="ascii").read()).group(1)) / 1024


def until(what, seconds=60):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.1)
    return what()


def count(table="hist", where="1"):
    return int(store.ask(f"SELECT count() FROM {table} WHERE {where}")[0][0])


with engines.Nats(os.path.join(live.WORK, "nats")) as nats, engines.ClickHouse(
    os.path.join(live.WORK, "store")
) as store:
    env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
    live.same(live.dwell("fleet", "init", env=env, timeout=60).returncode, 0, "init")
    names = [f"h{i}" for i in range(HOSTS)]
    now = int(time.time()) - 600
    first = start("first.log")
    begun = time.monotonic()
    send(names, batch(now, 1))
    live.check(until(lambda: count() == HOSTS * TRACKERS), "a second of all hosts", count())
    took, before = time.monotonic() - begun, peak(first)

    begun = time.monotonic()
    send(names, batch(now + 1, TIMES))
    second = start("second.log")
    send(["late"], batch(now + 1, 1))
    live.check(until(lambda: count("hist", "host = 'late'") == TRACKERS), "what comes after the burst")
    want = HOSTS * TRACKERS * (TIMES + 1) + TRACKERS
    live.check(until(lambda: count("hist FINAL") == want), "all rows", (want, count("hist FINAL")))
    print(f"# a second of all hosts {took:.1f} s, {TIMES} at once {time.monotonic() - begun:.1f} s")
    per_row = len(BUCKETS) * (len(BUCKETS) + 1) // 2
    live.same(
        store.ask("SELECT sum(count), sum(arraySum(counts)), sum(sum) FROM hist FINAL"),
        [[str(want * per_row), str(want * per_row), str(want * 7)]],
        "and all events, once",
    )
    after = peak(first)
    # A block, its messages, and the copy that is sent.
    live.check(after < before + 4 * BLOCK_MB, "memory has a bound", (before, after))
    print(f"# memory {before:.0f} MB before, at most {after:.0f} MB")
    taken = []
    for p, log in ((first, "first.log"), (second, "second.log")):
        p.terminate()
        live.same(p.wait(60), 0, "it ends in order")
        m = re.search(
            r"of (\d+) messages in \d+ blocks; 0 messages could not be read", open(log, encoding="utf-8").read()
        )
        taken.append(int(m.group(1)) if m else -1)
    live.same(sum(taken), 2 * HOSTS + 1, "every message was taken once, by one of the two")
    print("# messages of each:", *taken)
live.done()
