# SPDX-License-Identifier: Apache-2.0
# @timeout: 300
"""dwell fleet watch: each planted fault is told once, however often it looks, to a webhook and a program, with what else changed then; what fails is
tried again; what hangs is ended; a new start does not tell it again."""
import http.server
import json
import os
import re
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import engines  # noqa: E402
import live  # noqa: E402

engines.needed()
os.chdir(live.WORK)
engines.sample("sample.dwell")
posts, statuses = [], []


class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = statuses.pop(0) if statuses else 200
        posts.append((status, self.path, self.headers["Content-Type"], json.loads(body)))
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


def script(name, text):
    with open(name, "w", encoding="ascii") as f:
        f.write("#!/bin/sh\n" + text)
    os.chmod(name, 0o755)
    return os.path.join(live.WORK, name)


def watch(*args, seconds=25):
    """What it prints until nothing has come for two seconds."""
    with open("watch.out", "w", encoding="utf-8") as out, open("watch.err", "w", encoding="utf-8") as err:
        p = subprocess.Popen(
            [live.DWELL, "fleet", "watch", "--json", "--every", "2s", *args],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
        time.sleep(seconds)
        running = p.poll() is None
        p.terminate()
        live.same(p.wait(30), 0, "it ends in order")
        live.check(running, "it runs until then")
    return [json.loads(line) for line in open("watch.out", encoding="utf-8")], open(
        "watch.err", encoding="utf-8"
    ).read()


r = live.dwell("fleet", "watch", "--store", "http://127.0.0.1:1", "--exec", "/nonexistent")
live.check(r.returncode == 1 and "there is no program" in r.stderr, "no such program", r.stderr)
r = live.dwell("fleet", "watch", "--store", "http://127.0.0.1:1", "--webhook", "ftp://x/secret")
live.check(
    r.returncode == 1 and "is to begin with https" in r.stderr and "secret" not in r.stderr,
    "no address of a webhook",
    r.stderr,
)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
threading.Thread(target=server.serve_forever, daemon=True).start()
with open("hook", "w", encoding="ascii") as f:
    f.write(f"http://127.0.0.1:{server.server_port}/secret\n")
with engines.Nats(os.path.join(live.WORK, "nats")) as nats, engines.ClickHouse(
    os.path.join(live.WORK, "store")
) as store:
    env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
    live.same(live.dwell("fleet", "init", env=env, timeout=60).returncode, 0, "init")
    # two hosts said that they had another kernel and other labels; what they send now is stored when the first look has been
    for host, labels in (("web-17", "role=web\\nrack=9\\ncanary=yes"), ("db-09", "role=db\\nrack=9")):
        store.ask(
            "INSERT INTO host_history (day, tenant, site, host, slot, since, early, dwell, kernel, labels) SELECT today(), 'default', 'default',"
            f" '{host}', toDateTime(t), t, 4294967295 - t, 'x', 'old-kernel', '{labels}' FROM (SELECT toUInt32(now() - 1200) AS t)"
        )
    r = live.dwell(
        "fleet",
        "simulate",
        "--count",
        "20",
        "--faults",
        "3",
        "--back",
        "6m",
        "--for",
        "1s",
        "sample.dwell",
        env=env,
        timeout=120,
    )
    live.same(r.returncode, 0, "simulated hosts: " + r.stderr[-300:])
    instead = dict(re.findall(r"the recording has no (\w+): (\S+) is made slow", r.stderr))
    statuses += [503, 500]
    got = script("got", f"cat >> {live.WORK}/got.json; echo >> {live.WORK}/got.json\n")
    started = []
    timer = threading.Timer(
        4,
        lambda: started.append(
            subprocess.Popen(
                [live.DWELL, "fleet", "collect"], env=env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        ),
    )
    timer.start()
    found, err = watch("--from", "7m", "--webhook", "@hook", "--exec", got, "--state", "told", seconds=40)
    timer.join()
    collector = started[0]
    there = {series for (series,) in store.ask("SELECT DISTINCT series FROM hist")}
    planted = {
        (host, instead.get(series, series))
        for host, series in (("web-17", "block"), ("db-09", "lock"), ("cache-06", "wakeup"))
    }
    planted = {p for p in planted if p[1] in there}
    live.same({(x["host"], x["tracker"]) for x in found}, planted, "the planted faults, and no others: " + err)
    live.same(len(found), len(planted), "each once")
    for x in found:
        live.check(
            x["type"] == "change" and x["after"] >= 2 * x["before"] and x["together"] == len(planted) - 1, "how much", x
        )
        if x["host"] == "web-17":
            live.check(
                "kernel old-kernel -> simulated on 2 hosts at " in x["changed"]
                and "rack 9 -> 4" in x["changed"]
                and "canary yes -> -" in x["changed"]
                and x["sentence"].endswith(x["changed"]),
                "what of it changed",
                x,
            )
        live.check(bool(x["changed"]) == (x["host"] in ("web-17", "db-09")), "hosts that have not changed", x)
        live.check(all(f"{h} {t}" in x["others"] for h, t in planted if h != x["host"]), "what else changed then", x)
    ok = [p for p in posts if p[0] == 200]
    live.same(sorted(p[3]["sentence"] for p in ok), sorted(x["sentence"] for x in found), "the webhook got each once")
    live.check(all(p[1] == "/secret" and p[2] == "application/json" for p in ok), "as JSON", ok[:1])
    live.same(sorted(p[0] for p in posts if p[0] != 200), [500, 503], "and what failed came again")
    live.check(
        "the webhook answers 503" in err and "secret" not in err, "what failed is told, without the address", err
    )
    live.same(
        sorted(json.loads(line)["sentence"] for line in open("got.json", encoding="utf-8") if line.strip()),
        sorted(x["sentence"] for x in found),
        "the program got each once",
    )
    r = live.dwell("fleet", "outliers", "--from", "4m", "--json", env=env, timeout=60)
    slow = [x for x in map(json.loads, r.stdout.splitlines()) if x["host"] == "web-17"]
    live.check(all("kernel old-kernel" in x["changed"] for x in slow if x["since"]), "outliers name it, too", r.stdout)
    found, err = watch("--from", "7m", "--state", "told", seconds=6)
    live.same(found, [], "a new start knows what was told: " + err)
    # without the file it is told again; the host's kernel was another one at its first look, and changes at the second
    hang = script("hang", "sleep 100\n")
    with open("told", encoding="ascii") as f:
        lines = [line for line in f if "web-17" not in line]
    with open("told", "w", encoding="ascii") as f:
        f.writelines(lines)
    begun = time.monotonic()
    found, err = watch("--from", "7m", "--state", "told", "--exec", hang, seconds=14)
    live.check(
        [x["host"] for x in found] == ["web-17"] and "did not end within 10 s, and was killed" in err,
        "a program that hangs is ended",
        (found, err),
    )
    live.check(
        not subprocess.run(["pgrep", "-f", hang], capture_output=True, check=False).stdout, "nothing of it is left"
    )
    collector.terminate()
    collector.wait(60)
server.shutdown()
live.done()
