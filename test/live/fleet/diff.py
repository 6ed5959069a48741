# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
"""dwell fleet diff: a slow host against the rest, the same hosts before its fault, and hosts without one; dwell fleet top: exact sums."""
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


def fleet(*args):
    r = live.dwell("fleet", *args, env=env, timeout=120)
    live.check(r.returncode == 0, " ".join(args), r.stderr[-500:])
    return r.stdout


def lines(*args):
    return [json.loads(line) for line in fleet(*args, "--json").splitlines()]


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
        "1",
        "--back",
        "4m",
        "--site",
        "eu",
        "--for",
        "1s",
        "sample.dwell",
        env=env,
        timeout=120,
    )
    live.same(r.returncode, 0, "simulated hosts: " + r.stderr[-300:])
    instead = dict(re.findall(r"the recording has no (\w+): (\S+) is made slow", r.stderr))
    tracker = instead.get("block", "block")
    collector = subprocess.Popen(
        [live.DWELL, "fleet", "collect"], env=env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    counts, end = [], time.monotonic() + 90
    while time.monotonic() < end and (len(counts) < 6 or not counts[-1][0] or counts[-1] != counts[-6]):
        counts.append([int(store.ask(f"SELECT count() FROM {t}")[0][0]) for t in ("hist", "slow")])
        time.sleep(0.3)
    collector.terminate()
    collector.wait(60)
    now = time.time()

    def ago(t):
        return f"{now - t:.0f}s"

    middle = begun - 120  # the faults begin
    span = ["--from", ago(middle + 10), "--to", ago(begun - 10)]
    found = {x["source"]: x for x in lines("diff", "--hosts", "web-17", *span) if x["type"] == "diff"}
    live.check(
        found[tracker]["changed"] and found[tracker]["quantiles"]["p99"][1] > 2 * found[tracker]["quantiles"]["p99"][0],
        "the slow host against the rest",
        found,
    )
    live.check(
        not any(x["rate_changed"] for x in found.values()) and found[tracker]["octaves"]["rate"] is None,
        "rates are not compared with the rest",
    )
    text = fleet("diff", "--hosts", "web-17", *span)
    live.check(re.search(rf"^{tracker} .*\*", text, re.M) and "larger:" in text and "s and " in text, "in words", text)
    found = {
        x["source"]: x for x in lines("diff", "--hosts", "web-17", "--earlier", "2m", *span) if x["type"] == "diff"
    }
    live.check(found[tracker]["changed"], "the slow host before and after", found)
    summary = lines("diff", "--hosts", "web-01,web-04,web-07", "--except", "web-17", "--min", "100", *span)[-1]
    live.check(summary["type"] == "diff-summary" and summary["changed"] == 0, "hosts without a fault", summary)
    live.same(summary["seconds_a"], summary["seconds_b"], "as long")
    live.check(50 < summary["seconds_b"] < 240, "how long", summary)
    r = live.dwell("fleet", "diff", env=env, timeout=30)
    live.check(r.returncode == 1 and "--earlier" in r.stderr, "with what?", r.stderr)

    span = ["--from", ago(begun - 200), "--to", ago(begun - 20)]
    all_of_it = store.ask("SELECT sum(delay), count(), max(delay) FROM slow FINAL")[0]
    for by in ("host,tracker,key", "host", "comm,cause"):
        got = lines("top", "--by", by, "--top", "100000", "--idle", "--from", "1h")
        live.same(
            [str(f(x[c] for x in got)) for c, f in (("total", sum), ("events", sum), ("max", max))],
            all_of_it,
            "exact sums: " + by,
        )
        live.check(got and got == sorted(got, key=lambda x: -x["total"]), "the most first: " + by, got[:2])
        live.same(set(by.split(",")) - set(got[0]), set(), "its columns")
        live.check(len({tuple(x[c] for c in by.split(",")) for x in got}) == len(got), "each once")
    live.same(lines("latency", "--hosts", "site=eu", *span), lines("latency", *span), "a site is selected")
    live.same(fleet("latency", "--hosts", "site=us", *span), "", "another one has no hosts")
    r = live.dwell("fleet", "top", "--by", "nothing", env=env, timeout=30)
    live.check(r.returncode == 2 and "cause are known" in r.stderr, "--by", r.stderr)
    first = fleet("top", "--top", "1", *span).splitlines()
    live.check(len(first) == 2 and "web-17" in first[1], "the slow host costs most", first)
live.done()
