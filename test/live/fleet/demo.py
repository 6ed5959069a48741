# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
# @long: starts servers and twenty hosts, three times
"""dwell fleet demo: simulated hosts and the real one can be asked for; nothing stays, neither after Ctrl-C nor after kill -9."""
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import engines  # noqa: E402
import live  # noqa: E402

engines.needed()
os.chdir(live.WORK)
tmp = os.path.join(live.WORK, "tmp")
os.mkdir(tmp)
env = {**os.environ, "TMPDIR": tmp}


def until(what, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        r = what()
        if r:
            return r
        time.sleep(0.2)
    return what()


def ours():
    """Processes that know the folder."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open(f"/proc/{pid}/cmdline", "rb").read().replace(b"\0", b" ").decode(errors="replace")
            if int(pid) != os.getpid() and "dwell-fleet-demo." in words and tmp in words:
                found.append(words)
        except OSError:
            pass
    return found


def start(*args):
    out = open("out", "w", encoding="utf-8")
    p = subprocess.Popen(
        [live.DWELL, "fleet", "demo", *args],
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=open("err", "w", encoding="utf-8"),
    )
    until(lambda: "planted" in said() or p.poll() is not None, 90)
    return p


def said():
    return open("out", encoding="utf-8").read()


r = live.dwell("fleet", "demo", "nosuch.dwell", env=env)
live.check(r.returncode == 1 and "nosuch.dwell: No such file" in r.stderr, "no such recording", r.stderr)
r = live.dwell("fleet", "demo", env={**env, "PATH": "/nowhere"})
live.check(r.returncode == 1 and "nats-server is not installed" in r.stderr, "what is not installed is said", r.stderr)
live.same(os.listdir(tmp), [], "and nothing stays of it")

p = start()
where = dict(re.findall(r"(DWELL_\w+)=(\S+)", said()))
live.check(len(where) == 2 and said().count("planted: ") == 3, "it runs", said() + open("err", encoding="utf-8").read())
asked = {**env, **where}


def hosts():
    r = live.dwell("fleet", "hosts", "--json", env=asked, timeout=60)
    return [h for h in map(json.loads, r.stdout.splitlines())]


h = until(lambda: len(hosts()) == 21 and hosts(), 60)
live.check(
    h and sum("role=real" in x["labels"] for x in h) == 1 and sum(x["kernel"] == "simulated" for x in h) == 20,
    "21 hosts, one of them real",
    h,
)


def p99():
    r = live.dwell(
        "fleet", "latency", "--by-host", "--json", "--tracker", "wakeup", "--from", "60s", env=asked, timeout=60
    )
    return {x["host"]: x["p99"] for x in map(json.loads, r.stdout.splitlines())}


def planted():
    v = p99()
    others = sorted(ns for h, ns in v.items() if h != "cache-06" and h[:3] in ("web", "db-"))
    return len(others) > 15 and v.get("cache-06", 0) > 5 * others[len(others) // 2]


live.check(until(planted, 90), "a planted fault is there", p99())
folder = os.path.join(tmp, os.listdir(tmp)[0])
live.same(os.stat(folder).st_mode & 0o777, 0o700, "the folder is private")
p.send_signal(signal.SIGINT)
live.same(p.wait(60), 0, "Ctrl-C ends it")
live.same((os.listdir(tmp), ours()), ([], []), "and nothing stays")

p = start()
live.check(len(ours()) >= 5, "once more", ours())
p.kill()
p.wait()
live.check(until(lambda: not os.listdir(tmp) and not ours(), 15), "nor after kill -9", (os.listdir(tmp), ours()))
live.done()
