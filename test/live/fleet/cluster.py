# SPDX-License-Identifier: Apache-2.0
# @timeout: 150
# @long: servers that were killed take some seconds to lead again
"""Three NATS servers that each keep every message (dwell fleet init --replicas 3). One after the other is killed by SIGKILL, while a host sends and a
collector stores; all that was sent is in the store, once."""
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import engines  # noqa: E402
import live  # noqa: E402

engines.needed()
os.chdir(live.WORK)
SERVERS = 3


def until(what, seconds=40):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.1)
    return what()


def start(*args):
    return subprocess.Popen(
        [live.DWELL, "fleet", *args],
        env=env,
        stdin=subprocess.DEVNULL,
        stderr=open(args[0] + ".log", "a", encoding="utf-8"),
    )


def init():
    return live.dwell("fleet", "init", "--replicas", str(SERVERS), "--again", "2s", env=env, timeout=60)


def stored():
    return [
        int(n)
        for n in store.ask(
            "SELECT (SELECT count() FROM hist FINAL), (SELECT uniqExact(host, recording, id) FROM slow)"
        )[0]
    ]


def send(host):
    """Sends all of the recording as a host of that name: histograms and slow events."""
    p = live.dwell("fleet", "host", "--state", "state", "--name", host, "--once", env=env, timeout=60)
    m = re.search(r"sent (\d+) histograms and (\d+) slow", p.stderr)
    live.check(p.returncode == 0 and m, "all is sent: " + host, p.stderr)
    os.unlink("state/fleet.cursor")
    return [int(n) for n in m.groups()]


os.mkdir("state")
engines.sample("state/latency-20200101-000000-000.dwell")
routes = [f"nats://127.0.0.1:{port}" for port in engines.free_ports(SERVERS)]
servers = [
    engines.Nats(
        os.path.join(live.WORK, f"nats{i}"),
        *("--name", f"n{i}", "--cluster_name", "fleet", "--cluster", route, "--routes", ",".join(routes)),
    )
    for i, route in enumerate(routes)
]
try:
    with engines.ClickHouse(os.path.join(live.WORK, "store")) as store:
        env = {**os.environ, "DWELL_FLEET": ",".join(s.url for s in servers), "DWELL_FLEET_STORE": store.url}
        live.check(until(lambda: init().returncode == 0), "a stream on three servers", init().stderr)
        collector = start("collect")
        each = send("first")
        live.check(each[1] > 100 and until(lambda: stored() == each), "all three servers", (each, stored()))
        for i, server in enumerate(servers):
            server.kill()  # whichever of them leads
            send(f"without{i}")  # some of it twice, if the server took it and could not say so
            want = [(i + 2) * n for n in each]
            live.check(until(lambda want=want: stored() == want), f"without server {i}, exactly once", (want, stored()))
            server.start()
            live.check(until(lambda: init().returncode == 0), f"server {i} is back")
        collector.terminate()
        live.same(collector.wait(60), 0, "the collector ends: " + open("collect.log", encoding="utf-8").read())
finally:
    for server in servers:
        server.__exit__()
live.done()
