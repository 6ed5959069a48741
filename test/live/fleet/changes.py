# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
"""dwell fleet changes: the planted faults are told with their beginning, and no others; none where there is none."""
import json
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
engines.sample("sample.dwell")


def changes(*args):
    r = live.dwell("fleet", "changes", "--json", *args, env=env, timeout=120)
    live.check(r.returncode == 0, "changes " + " ".join(args), r.stderr[-500:])
    return [json.loads(line) for line in r.stdout.splitlines()]


with engines.Nats(os.path.join(live.WORK, "nats")) as nats, engines.ClickHouse(
    os.path.join(live.WORK, "store")
) as store:
    env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
    live.same(live.dwell("fleet", "init", env=env, timeout=60).returncode, 0, "init")
    begun = time.time()
    r = live.dwell(
        "fleet",
        "simulate",
        "--count",
        "20",
        "--faults",
        "3",
        "--back",
        "8m",
        "--for",
        "1s",
        "sample.dwell",
        env=env,
        timeout=120,
    )
    live.same(r.returncode, 0, "simulated hosts: " + r.stderr[-300:])
    instead = dict(re.findall(r"the recording has no (\w+): (\S+) is made slow", r.stderr))
    collector = subprocess.Popen(
        [live.DWELL, "fleet", "collect"], env=env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    counts, end = [], time.monotonic() + 90
    while time.monotonic() < end and (len(counts) < 6 or counts[-1][0] < 100 or counts[-1] != counts[-6]):
        counts.append([int(store.ask(f"SELECT count() FROM {t}")[0][0]) for t in ("hist", "slow")])
        time.sleep(0.3)
    collector.terminate()
    collector.wait(60)
    there = {series for (series,) in store.ask("SELECT DISTINCT series FROM hist")}
    planted = {
        (host, instead.get(series, series))
        for host, series in (("web-17", "block"), ("db-09", "lock"), ("cache-06", "wakeup"))
    }
    planted = {p for p in planted if p[1] in there}
    live.check(planted, "something is planted", (instead, there))
    ago = time.time() - begun
    found = changes("--from", f"{ago + 470:.0f}s", "--to", f"{ago + 10:.0f}s")
    live.same({(x["host"], x["tracker"]) for x in found}, planted, "the planted faults, and no others")
    for x in found:
        live.check(abs(x["at"] - (begun - 240)) <= 20, "when it began", (x["at"] - begun, x))
        live.check(x["after"] >= 2 * x["before"] and x["together"] == len(planted) - 1, "how much, and what else", x)
        live.check(
            x["sentence"].startswith(f"{x['host']}: {x['tracker']} p") and " × what it was (" in x["sentence"],
            "in words",
            x["sentence"],
        )
    names = ",".join(host for host, _ in planted)
    r = live.dwell(
        "fleet",
        "changes",
        "--from",
        f"{ago + 470:.0f}s",
        "--to",
        f"{ago + 10:.0f}s",
        "--except",
        names,
        env=env,
        timeout=120,
    )
    live.check(not r.stdout and "no host became slower for sure" in r.stderr, "without them none", r.stdout + r.stderr)
    for first, last in ((470, 245), (235, 10)):
        found = changes("--from", f"{ago + first:.0f}s", "--to", f"{ago + last:.0f}s")
        live.same(found, [], f"nor before or after them: {first} {last}")
live.done()
