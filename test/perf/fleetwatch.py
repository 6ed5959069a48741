#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often `dwell fleet watch` tells a change of hosts that have none, and whether it, `changes` and `outliers` find what is planted. ClickHouse makes
the seconds or minutes of hosts itself: each has a level of its own that drifts, a daily wave, noise, and short bursts.
usage: fleetwatch.py BUILD quiet [HOSTS HOURS]        200 hosts and a day of minutes by themselves; then two hours of seconds
       fleetwatch.py BUILD planted [RUNS]             20 runs with a fault and 20 without"""
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../live"))
import engines  # noqa: E402

# Level in eighths of an octave: of the host; a wave of a day; knots of 20 minutes with lines between them; noise of each slot; 1 % of slots are
# bursts of two octaves. plant: what is added to one host from a moment on.
ROWS = """INSERT INTO {table} (day, tenant, site, host, series, key, time, count, sum, max, flags, bucket, n) SELECT toDate(t), '{tenant}', 'default', concat('h', toString(h)), concat('tracker', toString(s)), '', t, arraySum(n),
 arraySum(arrayMap((x, y) -> toUInt64(x) * y, b, n)) * 1000, 100000000, toUInt32(0 * level), b, n FROM (SELECT t, h, s, level, arrayMap(x -> toUInt16(300 + toInt32(4 * level) + 4 * x), range(28)) AS b,
 arrayMap(x -> toUInt64(1 + intDiv({events} * exp2(0 - abs(x - 10) / 3), 10) + cityHash64(h, s, t, x, 'n{seed}') % 4), range(28)) AS n FROM (SELECT t, h, s,
 cityHash64(h, s, '{seed}') % 6 + 3 * sin(toUInt32(t) / 13750.987) + 4 * (k0 + (k1 - k0) * f) + (cityHash64(h, s, t, 'a{seed}') % 100 + cityHash64(h, s, t, 'b{seed}') % 100) / 50 - 2
 + (cityHash64(h, s, t, 'c{seed}') % 100 = 0) * 16
 + (h = {host} AND s = 0 AND toUInt32(t) >= {since}) * {plant} AS level FROM
 (SELECT t, h, s, cityHash64(h, s, intDiv(toUInt32(t), 1200), '{seed}') % 1000 / 1000 AS k0, cityHash64(h, s, intDiv(toUInt32(t), 1200) + 1, '{seed}') % 1000 / 1000 AS k1,
 toUInt32(t) % 1200 / 1200 AS f FROM (SELECT toDateTime({from_} + intDiv(number, {hosts} * {series}) * {period}) AS t, intDiv(number, {series}) % {hosts} AS h,
 number % {series} AS s FROM numbers({rows})))))"""


def insert(store, tenant, from_, seconds, hosts, series, period, seed, host=-1, since=0, plant=0):
    slots = seconds // period
    for first in range(0, slots, 120):
        n = min(120, slots - first)
        store.ask(
            ROWS.format(
                table="hist" if period == 1 else "hist_minute",
                tenant=tenant,
                from_=from_ + first * period,
                hosts=hosts,
                series=series,
                period=period,
                seed=seed,
                host=host,
                since=since,
                plant=plant,
                rows=n * hosts * series,
                events=400,
            )
        )


def watch(dwell, env, tenant, back, *args):
    """What it tells of the past, and how long it took."""
    begun = time.monotonic()
    with tempfile.TemporaryFile("w+") as out:
        p = subprocess.Popen(
            [dwell, "fleet", "watch", "--tenant", tenant, "--json", "--state", "told", "--back", f"{back}s", *args],
            env=env,
            stdout=out,
            stdin=subprocess.DEVNULL,
        )
        last, size = time.monotonic(), 0
        while time.monotonic() - last < 20:  # it waits for its next look then
            time.sleep(1)
            with open(f"/proc/{p.pid}/stat", encoding="ascii") as f:
                now = f.read().rsplit(") ", 1)[1].split()[11:13]
            if now != size:
                last, size = time.monotonic(), now
        p.terminate()
        p.wait()
        out.seek(0)
        found = [json.loads(line) for line in out]
    os.unlink("told")
    return found, last - begun


def quiet(dwell, store, env, hosts, hours):
    for what, period, seconds, series, args in (
        ("minutes, --from 1h --every 5m", 60, hours * 3600, 3, ("--from", "1h", "--every", "5m")),
        ("seconds, --from 10m --every 1m", 1, 7200, 1, ("--from", "10m", "--every", "1m")),
    ):
        end = int(time.time()) // 60 * 60
        seconds = min(seconds, hours * 3600)
        insert(store, f"quiet{period}", end - seconds, seconds, hosts, series, period, "q")
        span = 3600 + 120 if period == 60 else 605
        found, took = watch(dwell, env, f"quiet{period}", seconds - span, *args)
        print(
            f"{hosts} hosts, {series} trackers, {seconds / 3600:g} h of {what}: {len(found)} told, {len(found) * 86400 / (seconds - span):.2f} a day; {took:.0f} s"
        )
        for x in found:
            print("   ", x["sentence"])


def ask(dwell, env, tenant, what, first, last):
    now = time.time()
    r = subprocess.run(
        [
            dwell,
            "fleet",
            what,
            "--json",
            "--tenant",
            tenant,
            "--from",
            f"{now - first:.0f}s",
            "--to",
            f"{now - last:.0f}s",
        ],
        env=env,
        check=True,
        capture_output=True,
        text=True,
    )
    return {(x["host"], x["tracker"]) for x in map(json.loads, r.stdout.splitlines())}


def planted(dwell, store, env, runs):
    """Ten minutes of 20 hosts; for the last four of them one tracker of one is 8 or 32 times as slow. Peers are asked of these four."""
    sums = {}
    for run in range(2 * runs):
        fault, tenant = run % 2, f"run{run}"
        end = int(time.time())
        host = run * 7 % 20
        insert(store, tenant, end - 600, 600, 20, 3, 1, f"p{run}", host, end - 240, fault * (16 + run % 4 * 8))
        for what in ("changes", "outliers"):
            found = ask(dwell, env, tenant, what, end - (600 if what == "changes" else 240), end)
            want = {(f"h{host}", "tracker0")} if fault else set()
            s = sums.setdefault((what, fault), [0, 0])
            s[0] += bool(want & found)
            s[1] += len(found - want)
    for (what, fault), (right, wrong) in sorted(sums.items()):
        print(
            f"{what}: "
            + (f"{right} of {runs} faults found" if fault else f"{runs} runs without")
            + f", {wrong} others told"
        )


def main():
    build, what = os.path.abspath(sys.argv[1]), sys.argv[2]
    dwell = os.path.join(build, "dwell")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with engines.Nats(folder + "/nats") as nats, engines.ClickHouse(folder + "/store") as store:
            env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
            subprocess.run([dwell, "fleet", "init"], env=env, check=True)
            if what == "quiet":
                quiet(dwell, store, env, *(int(a) for a in sys.argv[3:5] or (200, 24)))
            else:
                planted(dwell, store, env, int(sys.argv[3]) if sys.argv[3:] else 20)
        os.chdir("/")


if __name__ == "__main__":
    main()
