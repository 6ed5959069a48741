#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long after an event on one host among many a question and the page's data have it. Threads of this machine wait for a lock of a file, which
nothing else does; its daemon, `dwell fleet host`, a collector, the store and the page are the real ones, the other hosts are simulated.
usage: fleetlive.py BUILD [HOSTS EVENTS]    19 hosts beside this one, 15 events (root)"""
import contextlib
import fcntl
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../live"))
import engines  # noqa: E402

SLOT = 1  # a host's seconds begin with those of its CLOCK_MONOTONIC: up to so long before their name
WAIT = 0.2  # of an event, s
LATE = 15  # not waited for longer than that


@contextlib.contextmanager
def running(dwell, env, *lines):
    """Programs that end with what is in the block, also when that fails. What the last one says goes to a pipe."""
    started = []
    try:
        for line in lines:
            with open(f"log{len(started)}", "wb") as log:
                out = subprocess.PIPE if line is lines[-1] else subprocess.DEVNULL
                started.append(
                    subprocess.Popen([dwell, *line], env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=log)
                )
        yield started
    finally:
        for p in reversed(started):
            p.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                p.wait(30)
            p.kill()
            p.wait()


def plant(path):
    """A wait for a lock of a file. When it ended."""
    with open(path, "w", encoding="ascii") as a, open(path, "w", encoding="ascii") as b:
        fcntl.flock(a, fcntl.LOCK_EX)
        t = threading.Thread(target=fcntl.flock, args=(b, fcntl.LOCK_EX))
        t.start()
        time.sleep(WAIT)
        fcntl.flock(a, fcntl.LOCK_UN)
        t.join()
    return time.time()


# how often each is asked: that of the page is the page's own
EVERY = {"in_table": 0.25, "in_slow": 0.25, "in_question": 0.5, "in_picture": 0.4, "in_events": 1}


class Fleet:
    """Questions, each of which says whether the event that ended then is there."""

    def __init__(self, dwell, env, store, page):
        self.dwell, self.env, self.store = dwell, env, store
        self.base, self.token = re.match(rb"(http://127\.0\.0\.1:\d+)/\?token=([0-9a-f]{32})", page).groups()
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def page(self, question, **params):
        now = int(time.time())
        url = f"{self.base.decode()}/api/v1/fleet/{question}?" + urllib.parse.urlencode(
            {"from": now - 10, "to": now + 1, "tracker": "filelock", **params}
        )
        request = urllib.request.Request(url, headers={"Authorization": "Bearer " + self.token.decode()})
        with self.opener.open(request, timeout=60) as r:
            return json.loads(r.read())["lines"]

    def count(self, table, condition):
        return int(
            self.store.ask(
                f"SELECT count() FROM {table} WHERE tenant = 'default' AND day >= yesterday() AND {condition}"
            )[0][0]
        )

    def in_table(self, at):
        return self.count("hist", f"series = 'filelock' AND time >= toDateTime({int(at) - SLOT})")

    def in_slow(self, at):
        first = f"time >= toDateTime({int(at) - SLOT})"
        return self.count("slow", f"tracker = 'filelock' AND {first} AND ended >= {int(at * 1e9 - 1e8)}")

    def in_question(self, at):
        line = [
            self.dwell,
            "fleet",
            "latency",
            "--json",
            "--tracker",
            "filelock",
            "--from",
            f"{int(time.time()) - int(at) + SLOT + 1}s",
        ]
        return subprocess.run(line, env=self.env, check=True, capture_output=True).stdout

    def in_picture(self, at):
        lines = self.page("grid", step=1)
        first = lines[0]["from"]
        return any(x >= 0 for line in lines if line["type"] == "row" for x in line["p"][int(at) - SLOT - first :])

    def in_events(self, at):
        return any(x["ended"] >= at * 1e9 - 1e8 for x in self.page("slow"))

    def newest(self):
        """How long the newest second of each host is over: the median host, and the last one."""
        rows = self.store.ask("SELECT host, toUInt32(max(time)) FROM hist GROUP BY host")
        ages = sorted(time.time() - int(t) - 1 for host, t in rows)
        return ages[len(ages) // 2], ages[-1], len(ages)


def measure(fleet, events):
    took = {name: [] for name in EVERY}
    for i in range(events):
        if i and os.environ.get("VERBOSE"):
            print(
                i,
                {name: round(v[-1], 2) for name, v in took.items()},
                [round(x, 1) for x in fleet.newest()],
                flush=True,
            )
        time.sleep(2.5 + random.random())
        at = plant("lockfile")

        def wait(name, at=at):
            while time.time() - at < LATE:
                begun = time.time()
                if getattr(fleet, name)(at):
                    took[name].append(time.time() - at)
                    return
                time.sleep(max(0.0, begun + EVERY[name] - time.time()))
            took[name].append(float("inf"))

        threads = [threading.Thread(target=wait, args=(name,)) for name in EVERY]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    return took


def main():
    build = os.path.abspath(sys.argv[1])
    hosts, events = (int(a) for a in sys.argv[2:4]) if sys.argv[2:] else (19, 15)
    dwell = os.path.join(build, "dwell")
    with tempfile.TemporaryDirectory() as folder, engines.Nats(
        os.path.join(folder, "nats")
    ) as nats, engines.ClickHouse(os.path.join(folder, "store")) as store:
        os.chdir(folder)
        engines.sample("sample.dwell")
        env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
        subprocess.run([dwell, "fleet", "init"], env=env, check=True)
        lines = (
            ["latency", "--daemon", "--state", "state", "filelock", "offcpu"],
            ["fleet", "host", "--state", "state"],
            ["fleet", "collect"],
            ["fleet", "simulate", "--count", str(hosts), "sample.dwell"],
            ["fleet", "serve"],
        )
        with running(dwell, env, *lines) as started:
            fleet = Fleet(dwell, env, store, started[-1].stdout.readline())
            time.sleep(10)
            took = measure(fleet, events)
            ages = fleet.newest()
            cpu = {}
            for name, p in zip(("daemon", "host", "collect", "simulate"), started):
                ticks = open(f"/proc/{p.pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()
                cpu[name] = (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")
        os.chdir("/")
    load = os.getloadavg()[0]
    print(
        f"{hosts} simulated hosts, load {load:.1f}; the newest second of {ages[2]} hosts ended {ages[0]:.1f} s ago (median), {ages[1]:.1f} s (oldest)"
    )
    for name, v in took.items():
        v = sorted(v)
        print(f"{name[3:]}: {v[len(v) // 2]:.2f} s after the event (median), {v[-1]:.2f} s (worst of {len(v)})")
    print("CPU s:", cpu)


if __name__ == "__main__":
    main()
