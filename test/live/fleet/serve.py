# SPDX-License-Identifier: Apache-2.0
# @timeout: 300
"""dwell fleet serve: who may ask, what may be asked, and what is answered; planted faults are told, and no others."""
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import engines  # noqa: E402
import live  # noqa: E402

engines.needed()
os.chdir(live.WORK)
engines.sample("sample.dwell")
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def start(*args, **kw):
    return subprocess.Popen(
        [live.DWELL, "fleet", *args],
        env=env,
        stdin=subprocess.DEVNULL,
        stderr=open(args[0] + ".log", "w", encoding="utf-8"),
        **kw,
    )


def get(path, token=None, **headers):
    """Status and text."""
    if token:
        headers["Authorization"] = "Bearer " + token
    try:
        with opener.open(urllib.request.Request(base + path, headers=headers), timeout=60) as r:
            return r.status, r.read().decode(), r.headers
    except urllib.error.HTTPError as e:
        return e.code, e.read().decode(), e.headers


def ask(question, **params):
    now = int(time.time())
    params = {"from": now - 240, "to": now, **params}
    status, text, _ = get(f"/api/v1/fleet/{question}?" + urllib.parse.urlencode(params), token)
    return json.loads(text) if status == 200 else {"status": status, "lines": [], "messages": text}


with engines.Nats(os.path.join(live.WORK, "nats")) as nats, engines.ClickHouse(
    os.path.join(live.WORK, "store")
) as store:
    env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
    live.same(live.dwell("fleet", "init", env=env, timeout=60).returncode, 0, "init")
    collector = start("collect", stdout=subprocess.DEVNULL)
    sim = start("simulate", "--count", "20", "--faults", "3", "--back", "3m", "sample.dwell", stdout=subprocess.DEVNULL)
    page = start("serve", stdout=subprocess.PIPE, text=True)
    url = page.stdout.readline().strip()
    base, token = re.match(r"(http://127\.0\.0\.1:\d+)/\?token=([0-9a-f]{32})$", url).groups()

    live.same(get("/")[0], 401, "nobody without the token")
    live.same(get("/api/v1/fleet/hosts?from=1&to=2", "0" * 32)[0], 401, "nor with another one")
    live.same(get("/api/v1/status", token, Host="evil.example")[0], 403, "nor by another name of this host")
    live.same(get("/api/v1/status", token, Origin="http://evil.example")[0], 403, "nor from another page")
    status, _, headers = get("/api/v1/status", token)
    live.check(
        status == 200 and "default-src 'none'" in headers["Content-Security-Policy"], "the headers of dwell serve"
    )
    for path in ("/api/v1/runs", "/api/v1/probes?match=x", "/api/v1/recordings", "/api/v1/check"):
        live.same(get(path, token)[0], 404, "what a machine's page can is not there: " + path)
    live.same(get("/api/v1/fleet/A-b", token)[0], 400, "a question is a word")
    live.same(get("/api/v1/fleet/hosts?from=1&to=2&hosts=a%0Atenant=b", token)[0], 400, "a value is one line")
    live.check("no such question" in ask("nosuch")["messages"], "an unknown question", ask("nosuch"))
    live.check("is not what it takes" in ask("grid", step="0")["messages"], "a wrong value")
    live.same(ask("slow", hosts="x' OR '1'='1")["lines"], [], "SQL in a name is a name")

    end = time.monotonic() + 120
    while time.monotonic() < end and len(ask("hosts")["lines"]) < 20:
        time.sleep(0.5)
    live.same(len(ask("hosts")["lines"]), 20, "20 hosts")
    trackers = {line["tracker"] for line in ask("trackers")["lines"]}
    live.check(trackers, "trackers", trackers)
    while time.monotonic() < end and trackers:
        trackers = {line["tracker"] for line in ask("trackers")["lines"]}
        newest = [x["ended"] for x in ask("slow")["lines"]]
        if newest and max(newest) > (time.time() - 20) * 1e9:
            break
        time.sleep(0.5)
    tracker = sorted(trackers)[0]
    now = int(time.time())
    lines = ask("grid", **{"tracker": tracker, "step": 1, "from": now - 120, "to": now})["lines"]
    rows = [line for line in lines if line["type"] == "row"]
    live.check(
        lines[0] == {"type": "grid", "from": now - 120, "step": 1, "columns": 120} and len(rows) == 20,
        "a grid",
        lines[:2],
    )
    live.check(all(len(r["p"]) == 120 for r in rows) and any(x >= 0 for r in rows for x in r["p"]), "its rows")
    only = ask("grid", tracker=tracker, step=1, hosts="web*", **{"except": "web-17"})["lines"]
    names = [line["host"] for line in only if line["type"] == "row"]
    live.check(names and all(n.startswith("web") and n != "web-17" for n in names), "hosts chosen and left out", names)

    # the recording has other trackers than these: others take their places, as is said
    instead = dict(
        re.findall(r"the recording has no (\w+): (\S+) is made slow", open("simulate.log", encoding="utf-8").read())
    )
    planted = {("web-17", "block"), ("db-09", "lock"), ("cache-06", "wakeup")}
    wanted = {
        (host, instead.get(series, series)) for host, series in planted if instead.get(series, series) in trackers
    }
    found, end = {}, time.monotonic() + 90
    while time.monotonic() < end and set(found) != wanted:
        found = {(o["host"], o["tracker"]): o for o in ask("outliers")["lines"]}
        time.sleep(1)
    live.check(wanted and set(found) == wanted, "the planted faults are told, and no others", (wanted, found))
    for (host, series), o in found.items():
        live.check(
            o["sentence"].startswith(f"{host}: {series} p") and " × its peers" in o["sentence"] and o["ratio"] >= 2,
            "in words",
            o,
        )
    r = live.dwell("fleet", "outliers", "--from", "4m", env=env, timeout=120)
    live.check(all(host in r.stdout for host, _ in wanted), "the same on the command line", r.stdout + r.stderr)
    live.same(ask("outliers", **{"except": ",".join(h for h, _ in planted)})["lines"], [], "without them: none")
    page.terminate()
    live.same(page.wait(20), 0, "the page ends")
    for p in (sim, collector):
        p.terminate()
        p.wait(60)
live.done()
