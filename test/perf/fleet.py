#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much one collector and one ClickHouse take, beside what a fleet sends; bytes of a row; how long questions take.
usage: fleet.py BUILD [HOSTS SERIES SECONDS]    1000 hosts, 20 series, 60 seconds by themselves
       fleet.py BUILD lag                       how long after its end a second of this machine's daemon can be asked for (root)"""
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../live"))
import engines  # noqa: E402

# An hour of minutes, as a thread of the collector adds them up: 40 of 80 buckets each.
MINUTES = """INSERT INTO hist_minute (day, tenant, site, host, series, key, time, count, sum, max, flags, bucket, few) SELECT toDate(t), 'default', 'default', concat('sim', toString(h)), concat('tracker', toString(s)), '', t,
 arraySum(n), arraySum(n) * 1000, 1000000, 0, b, n FROM (SELECT t, h, s, b, arrayMap(x -> toUInt16(1 + cityHash64(h, s, t, x) % 200), b) n FROM
 (SELECT toDateTime({from_} + intDiv(number, {hosts} * {series}) * 60) t, intDiv(number, {series}) % {hosts} h, number % {series} s,
 arrayMap(x -> toUInt16(300 + x), arrayFilter(x -> x % 2 = cityHash64(h, s, t, x) % 2, range(80))) b
 FROM numbers({first}, {rows})))"""
HOUR = (
    ["latency"],
    ["latency", "--by-host"],
    ["latency", "--hosts", "sim1*"],
    ["heat", "--tracker", "tracker3", "--", "--json", "-o", "heat.json"],
)
QUESTIONS = (
    ["latency"],
    ["latency", "--by-host"],
    ["latency", "--hosts", "sim00*"],
    ["heat", "--tracker", "tracker03", "--", "--json", "-o", "heat.json"],
)


@contextlib.contextmanager
def running(*lines, **kw):
    """Programs that end with what is in the block, also when that fails."""
    started = []
    try:
        for line in lines:
            started.append(subprocess.Popen(line, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **kw))
        yield started
    finally:
        for p in reversed(started):
            p.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                p.wait(30)
            p.kill()
            p.wait()


def timed(*args, **kw):
    start = time.monotonic()
    subprocess.run(args, check=True, stdout=subprocess.DEVNULL, **kw)
    return time.monotonic() - start


def ask_an_hour(dwell, store, env, hosts, series):
    minute = hosts * series
    end = int(time.time()) // 60 * 60
    store.ask("TRUNCATE TABLE hist_minute")
    for i in range(0, 60, 10):
        store.ask(MINUTES.format(from_=end - 3600, hosts=hosts, series=series, first=i * minute, rows=10 * minute))
    whole = f"time >= toDateTime({(end - 3600 + 599) // 600 * 600}) AND time < toDateTime({end // 600 * 600})"
    with running([dwell, "fleet", "collect"], env=env):
        start = time.monotonic()
        while store.ask(f"SELECT sum(count) FROM hist_ten FINAL WHERE {whole}") != store.ask(
            f"SELECT sum(count) FROM hist_minute WHERE {whole}"
        ):
            time.sleep(0.5)
        print(f"{60 * minute} minutes are added up to tens of minutes: {time.monotonic() - start:.1f} s")
    for q in HOUR:
        more = ["--from", f"{int(time.time()) - end + 3600}s"]
        t = min(timed(dwell, "fleet", *q[:1], *more, *q[1:], env=env) for _ in range(3))
        print(f"an hour of {60 * minute} minutes: dwell fleet {' '.join(q)}: {t:.2f} s")


def lag(dwell):
    """Of each second of a quarter of a minute: how long after its end a question finds it."""
    with tempfile.TemporaryDirectory() as folder, engines.Nats(
        os.path.join(folder, "nats")
    ) as nats, engines.ClickHouse(os.path.join(folder, "store")) as store:
        os.chdir(folder)
        env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
        subprocess.run([dwell, "fleet", "init"], env=env, check=True)
        lines = (
            ["latency", "--daemon", "--state", "state", "offcpu", "wakeup"],
            ["fleet", "host", "--state", "state"],
            ["fleet", "collect"],
        )
        found, newest, end = [], 0, time.time() + 40
        with running(*([dwell, *line] for line in lines), env=env, stdout=subprocess.DEVNULL):
            while time.time() < end and len(found) < 16:
                now, there = time.time(), int(store.ask("SELECT toUInt32(max(time)) FROM hist")[0][0])
                if newest and there > newest:
                    found += [now - there - 1]
                newest = max(newest, there)
                time.sleep(0.02)
    found = sorted(found[1:])
    print(
        f"a second is there {found[len(found) // 2]:.2f} s after its end, at most {found[-1]:.2f} s ({len(found)} seconds)"
    )


def main():
    if sys.argv[2:] == ["lag"]:
        lag(os.path.join(os.path.abspath(sys.argv[1]), "dwell"))
        return
    build = os.path.abspath(sys.argv[1])
    hosts, series, seconds = (int(a) for a in sys.argv[2:5]) if len(sys.argv) == 5 else (1000, 20, 60)
    dwell = os.path.join(build, "dwell")
    with tempfile.TemporaryDirectory() as folder, engines.Nats(
        os.path.join(folder, "nats")
    ) as nats, engines.ClickHouse(os.path.join(folder, "store")) as store:
        os.chdir(folder)
        env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
        subprocess.run([dwell, "fleet", "init"], env=env, check=True)
        load = os.path.join(build, "test/perf/fleetload")
        start = time.monotonic()
        said = subprocess.run(
            [load, nats.url, str(hosts), str(series), str(seconds)], check=True, capture_output=True, text=True
        ).stdout
        took = time.monotonic() - start
        sent, messages, size = (int(n) for n in re.findall(r"\d+", said))
        print(
            f"sent: {sent} rows in {took:.1f} s: {sent / took:.0f} rows/s, {size / sent:.1f} bytes a row, {size / messages:.0f} a message"
        )
        with running([dwell, "fleet", "collect"], env=env) as (collector,):
            start = time.monotonic()
            while int(store.ask("SELECT count() FROM hist")[0][0]) < sent:
                time.sleep(0.1)
            took = time.monotonic() - start
            ticks = open(f"/proc/{collector.pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()
            cpu = (int(ticks[11]) + int(ticks[12])) / os.sysconf("SC_CLK_TCK")
            rate = sent / took
            print(
                f"collected: {rate:.0f} rows/s, {rate / (hosts * series):.1f} times what {hosts} hosts with {series} series send; "
                f"the collector used {100 * cpu / took:.0f} % of a CPU"
            )
            disk = int(
                store.ask(
                    "SELECT sum(bytes_on_disk) FROM system.parts WHERE database = 'dwell' AND table = 'hist' AND active"
                )[0][0]
            )
            rows = int(
                store.ask("SELECT sum(rows) FROM system.parts WHERE database = 'dwell' AND table = 'hist' AND active")[
                    0
                ][0]
            )
            print(
                f"store: {disk / rows:.1f} bytes a row; {disk / rows * series * 86400 / 1e6:.0f} MB a host and day of seconds"
            )
            for q in QUESTIONS:
                print(
                    f"{seconds} seconds: dwell fleet {' '.join(q)}: {min(timed(dwell, 'fleet', *q, env=env) for _ in range(3)):.2f} s"
                )
        ask_an_hour(dwell, store, env, hosts, series)


if __name__ == "__main__":
    main()
