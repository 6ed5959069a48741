# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell fleet run with hosts that the store knows, selected by label and site; dwell fleet programs tells who ran what."""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import engines  # noqa: E402
import live  # noqa: E402

engines.needed()
os.chdir(live.WORK)


def fleet(*args):
    return live.dwell("fleet", *args, env=env, timeout=60)


def until(what, seconds=30):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.3)
    return what()


def programs(*args):
    return [json.loads(line) for line in fleet("programs", "--json", *args).stdout.splitlines()]


with engines.Nats(os.path.join(live.WORK, "nats")) as nats, engines.ClickHouse(
    os.path.join(live.WORK, "store")
) as store:
    env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
    live.same(fleet("init").returncode, 0, "init")
    key, other = (fleet("key", name).stdout.strip() for name in ("my.key", "other.key"))
    with open("policy", "w", encoding="ascii") as f:
        f.write(f"user {key} me\ncpu 20%\n")
    os.chmod("policy", 0o600)
    quiet = {"env": env, "stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    parts = [subprocess.Popen([live.DWELL, "fleet", "collect"], **quiet)]
    for i, (site, name, role) in enumerate((("default", "a", "web"), ("default", "b", "db"), ("eu", "b", "db"))):
        os.makedirs(f"state{i}")
        parts.append(
            subprocess.Popen(
                [
                    live.DWELL,
                    "fleet",
                    "host",
                    "--state",
                    f"state{i}",
                    "--name",
                    name,
                    "--site",
                    site,
                    "--label",
                    f"role={role}",
                    "--policy",
                    "policy",
                ],
                **quiet,
            )
        )
    live.check(
        until(lambda: len(fleet("hosts", "--json").stdout.splitlines()) == 3), "three hosts", fleet("hosts").stdout
    )
    one = ["--sign", "my.key", "--for", "5s", "-qn", 'BEGIN { printf("here\\n"); exit(0); }']
    for selected, want in (
        ("role=db", {"b", "eu/b"}),
        ("*", {"a", "b", "eu/b"}),
        ("site=eu", None),
        ("eu/b", None),
        ("b,role=db", {"b", "eu/b"}),
    ):
        r = fleet("run", "--hosts", selected, *one)
        got = {line.split(":")[0] for line in r.stdout.splitlines() if line} if want else r.stdout
        live.same((r.returncode, got), (0, want or "here\n\n"), "selected: " + selected)
    r = fleet("run", "--hosts", "role=none", *one)
    live.check(r.returncode == 1 and "no host is selected" in r.stderr, "no host", r.stderr)
    r = fleet("run", "--hosts", "a", "--sign", "other.key", "-n", "BEGIN { exit(0); }")
    live.same(r.returncode, 1, "a stranger")

    live.check(until(lambda: len(programs()) == 2 * 9 + 1), "the store has the log", len(programs()))
    rows = programs()
    live.same(
        sorted({(x["event"], x["user"]) for x in rows}), [("end", "me"), ("refused", ""), ("run", "me")], "events"
    )
    refused = [x for x in rows if x["event"] == "refused"][0]
    live.check(
        refused["host"] == "a" and other in refused["reason"] and refused["program"] == "BEGIN { exit(0); }",
        "a refusal with its reason",
        refused,
    )
    live.check(all(x["rows"] == 2 and x["status"] == 0 for x in rows if x["event"] == "end"), "ends", rows)
    live.same({x["host"] for x in programs("--hosts", "eu/b")}, {"eu/b"}, "of one host")
    text = fleet("programs").stdout
    live.check("its policy does not allow the user" in text and len(text.splitlines()) == 20, "as a table", text)
    for p in reversed(parts):
        p.terminate()
        p.wait(30)
live.done()
