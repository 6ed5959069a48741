#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether `changes` and `outliers` find the faults of `dwell fleet simulate --faults 3`, run after run, and nothing in runs without: 20 hosts that send eight
minutes of a recording through NATS and a collector to ClickHouse, each run as a tenant of its own. In the second half three of them have a fault.
usage: fleetplant.py BUILD [RUNS]    20 runs with faults and 20 without"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../live"))
import engines  # noqa: E402

BACK = 480  # s
HOSTS = 20
FAULTS = (("web-17", "block"), ("db-09", "lock"), ("cache-06", "wakeup"))


def simulate(dwell, env, tenant, faults):
    """When it began, and what takes the place of trackers that the recording does not have."""
    begun = time.time()
    line = [
        dwell,
        "fleet",
        "simulate",
        "--count",
        str(HOSTS),
        *(["--faults", str(faults)] if faults else []),
        "--back",
        f"{BACK}s",
        "--for",
        "6s",
        "--tenant",
        tenant,
        "sample.dwell",
    ]
    r = subprocess.run(line, env=env, check=True, capture_output=True, text=True)
    return begun, dict(re.findall(r"the recording has no (\w+): (\S+) is made slow", r.stderr))


def stored(store, tenant):
    """Waits until nothing more comes."""
    counts, end = [], time.monotonic() + 120
    while time.monotonic() < end and (len(counts) < 4 or counts[-1][0] < HOSTS * BACK or counts[-1] != counts[-4]):
        counts.append(
            [int(store.ask(f"SELECT count() FROM {t} WHERE tenant = '{tenant}'")[0][0]) for t in ("hist", "slow")]
        )
        time.sleep(0.3)
    return counts[-1][0]


def ask(dwell, env, tenant, what, begun, first, last):
    ago = time.time() - begun
    line = [
        dwell,
        "fleet",
        what,
        "--json",
        "--tenant",
        tenant,
        "--from",
        f"{ago + first:.0f}s",
        "--to",
        f"{ago + last:.0f}s",
    ]
    r = subprocess.run(line, env=env, check=True, capture_output=True, text=True)
    return {(x["host"], x["tracker"]) for x in map(json.loads, r.stdout.splitlines())}


def main():
    dwell, runs = os.path.join(os.path.abspath(sys.argv[1]), "dwell"), int(sys.argv[2]) if sys.argv[2:] else 20
    sums, most = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        engines.sample("sample.dwell")
        with engines.Nats(folder + "/nats") as nats, engines.ClickHouse(folder + "/store") as store:
            env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
            subprocess.run([dwell, "fleet", "init"], env=env, check=True)
            collector = subprocess.Popen([dwell, "fleet", "collect"], env=env, stdin=subprocess.DEVNULL)
            for run in range(2 * runs):
                faulty, tenant = run % 2, f"run{run}"
                begun, instead = simulate(dwell, env, tenant, 3 if faulty else 0)
                rows = stored(store, tenant)
                there = {t for (t,) in store.ask(f"SELECT DISTINCT series FROM hist WHERE tenant = '{tenant}'")}
                want = (
                    {(host, instead.get(t, t)) for host, t in FAULTS if instead.get(t, t) in there} if faulty else set()
                )
                most = max(most, len(want))
                for what, first in (("changes", BACK - 10), ("outliers", BACK // 2 - 5)):
                    found = ask(dwell, env, tenant, what, begun, first, 10)
                    s = sums.setdefault((what, faulty), [0, 0])
                    s[0] += want <= found
                    s[1] += len(found - want)
                    if found != want:
                        print(
                            f"run {run}, {what}: missing {sorted(want - found)}, too many {sorted(found - want)}",
                            flush=True,
                        )
                print(f"run {run}: {rows} rows", flush=True)
            collector.terminate()
            collector.wait(60)
        os.chdir("/")
    for (what, faulty), (right, wrong) in sorted(sums.items()):
        faults = f"all of {most} faults in {right} of {runs} runs" if faulty else f"{runs} runs without a fault"
        print(f"{what}: {faults}; {wrong} others told")


if __name__ == "__main__":
    main()
