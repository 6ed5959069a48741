# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
"""dwell fleet run: programs on three hosts (processes of this machine) over NATS: sums, refusals with reasons, ends by time, Ctrl-C, a killed
asker and limits, hostile and stale requests, the log of what ran. No store is needed."""
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import engines  # noqa: E402
import live  # noqa: E402

if not shutil.which("nats-server"):
    print("not installed: nats-server")
    sys.exit(77)
os.chdir(live.WORK)
HOSTS = ("web-1.example", "web-2", "db-1")


def fleet(*args, timeout=60, **kw):
    return live.dwell("fleet", *args, env=env, timeout=timeout, **kw)


def run(*args, hosts=",".join(HOSTS), key="alice.key", **kw):
    return fleet(
        "run", "--hosts", hosts, "--sign", key, *([] if "--for" in args else ["--for", "5s"]), "-q", *args, **kw
    )


def audit(host):
    with open(f"{host}/fleet-run.log", encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def children():
    """Programs that run for these hosts."""
    found = subprocess.run(["ps", "-eo", "ppid=,args="], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in found if "dwell host-agent" in line]


def until(what, seconds=20):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.1)
    return what()


class Raw:
    """NATS' own protocol, to hear requests and to send what nobody of ours sends."""

    def __init__(self, port):
        self.s = socket.create_connection(("127.0.0.1", port))
        self.s.settimeout(10)
        self.f = self.s.makefile("rb")
        self.f.readline()
        self.s.sendall(b'CONNECT {"verbose":false}\r\nSUB dwell.run.v1.> 1\r\nPING\r\n')
        while self.f.readline() != b"PONG\r\n":
            pass

    def take(self):
        """Subject and bytes of the next request."""
        words = self.f.readline().split()
        while words[0] != b"MSG":
            words = self.f.readline().split()
        data = self.f.read(int(words[-1]))
        self.f.readline()
        return words[1], data

    def send(self, subject, data):
        self.s.sendall(b"PUB %s %d\r\n%s\r\nPING\r\n" % (subject, len(data), data))
        while self.f.readline() != b"PONG\r\n":
            pass


def policy(host, text):
    with open(f"{host}.policy", "w", encoding="ascii") as f:
        f.write(text)
    os.chmod(f"{host}.policy", 0o600)


with engines.Nats(os.path.join(live.WORK, "nats")) as nats:
    env = {k: v for k, v in os.environ.items() if k != "DWELL_FLEET_STORE"}
    env["DWELL_FLEET"] = nats.url
    keys = {}
    for user in ("alice", "bob", "eve"):
        r = fleet("key", f"{user}.key")
        keys[user] = r.stdout.strip()
        live.check(
            re.fullmatch("U[A-Z2-7]{55}", keys[user]) and os.stat(f"{user}.key").st_mode & 0o777 == 0o600,
            "a key of " + user,
            r.stdout + r.stderr,
        )
    live.same(fleet("key", "alice.key").stdout.strip(), keys["alice"], "a key is shown again")
    # NATS' own library signs the same: these are nkeys
    lib, seed = ctypes.CDLL("libnats.so.3.4"), open("alice.key", "rb").read().strip()
    out, n = ctypes.POINTER(ctypes.c_ubyte)(), ctypes.c_int()
    lib.nats_Open(ctypes.c_int64(-1))
    live.same(lib.nats_Sign(seed, b"text", ctypes.byref(out), ctypes.byref(n)), 0, "libnats takes the seed")
    live.same(n.value, 64, "its signature")

    for host in HOSTS:
        os.makedirs(host)
        policy(
            host,
            f"# those who may\nuser {keys['alice']} alice\nuser {keys['bob']} bob write\nseconds 30\nrows 5000\nprograms 2\ncpu 20%\n",
        )
    policy("db-1", f"user {keys['alice']} alice\nseconds 5\nrows 20\nprograms 1\ncpu 20%\n")
    for host in ("web-1.example", "web-2", "fake"):
        keys[host] = fleet("key", f"{host}.key").stdout.strip()
    sign = {host: ["--sign", f"{host}.key"] if os.path.exists(f"{host}.key") else [] for host in HOSTS}
    daemons = {
        host: subprocess.Popen(
            [live.DWELL, "fleet", "host", "--state", host, "--name", host, "--policy", f"{host}.policy", *sign[host]],
            env=env,
            stdin=subprocess.DEVNULL,
            stderr=open(f"{host}.log", "w", encoding="utf-8"),
        )
        for host in HOSTS
    }
    os.chmod("eve.key", 0o644)
    r = run("-n", "BEGIN { exit(0); }", key="eve.key")
    live.check(r.returncode == 1 and "chmod 600" in r.stderr, "a key that others may read", r.stderr)
    os.chmod("eve.key", 0o600)
    until(
        lambda: "eve" not in run("-n", "BEGIN { exit(0); }", key="eve.key").stderr
        and all(os.path.exists(f"{h}/fleet-run.log") for h in HOSTS)
    )

    r = run("-n", 'BEGIN { @ = sum(7); @k[1, "x"] = count(); @q = quantize(4); exit(0); }')
    live.check(
        r.returncode == 0
        and re.search(r"^\s+21$", r.stdout, re.M)
        and re.search(r"^\s+1\s+x\s+3$", r.stdout, re.M)
        and re.search(r"^\s+4 \|@+ 3", r.stdout, re.M),
        "sums of three hosts",
        r.stdout + r.stderr,
    )
    r = run("-n", 'BEGIN { printf("hello\\n"); exit(0); }')
    live.same(
        (r.returncode, sorted(r.stdout.split("\n"))),
        (0, [""] + sorted(f"{h}: hello" for h in HOSTS)),
        "lines with names",
    )
    r = run("--json", "-n", 'BEGIN { printf("hello\\n"); exit(0); }')
    live.same({json.loads(line)["host"] for line in r.stdout.splitlines() if line}, set(HOSTS), "JSON with names")
    r = run("--by-host", "-n", 'BEGIN { @ = sum(7); exit(0); }', hosts="web-1.example,web-2")
    live.same(sorted(re.findall(r"^(\S+): +7$", r.stdout, re.M)), ["web-1.example", "web-2"], "tables of each")
    with open("prog.d", "w", encoding="ascii") as f:
        f.write('#!/usr/sbin/dwell -s\nBEGIN { @ = sum(5); exit(3); }\n')
    r = run("-s", "prog.d")
    live.check(
        r.returncode == 3 and re.search(r"^\s+15$", r.stdout, re.M),
        "a script, and its status",
        (r.returncode, r.stdout, r.stderr),
    )
    begun = time.monotonic()
    r = run("--for", "2s", "-n", 'tick-1s { @n = count(); printa(@n); }')
    live.check(
        1.5 < time.monotonic() - begun < 15 and r.returncode == 0 and re.search(r"^\s+3$", r.stdout, re.M),
        "ends by time, tables meanwhile",
        r.stdout + r.stderr,
    )

    # refusals
    r = run("-n", "BEGIN { exit(0); }", key="eve.key")
    live.check(
        r.returncode == 1
        and all(f"{h}: its policy does not allow the user {keys['eve']}" in r.stderr for h in HOSTS)
        and "0 of 3" in r.stderr,
        "a stranger",
        r.stderr,
    )
    r = run("--for", "20s", "-n", "BEGIN { exit(0); }")
    live.check(
        r.returncode == 1
        and "db-1: its policy allows 5 s, and not 20" in r.stderr
        and "web" not in r.stderr.replace("2 of 3", ""),
        "one host refuses",
        r.stderr,
    )
    r = run("-n", 'BEGIN { system("touch harm"); exit(0); }')
    live.check(r.returncode == 1 and r.stderr.count("estructive") >= 3, "destructive actions need -w", r.stderr)
    r = run(
        "-n", '#pragma D option destructive\nBEGIN { system("touch harm"); exit(0); }', key="bob.key", hosts="web-2"
    )
    live.check(r.returncode == 1 and "confined" in r.stderr, "a pragma is no way around", r.stderr)
    r = run("-w", "-n", 'BEGIN { system("touch harm"); exit(0); }')
    live.check(
        r.returncode == 1 and "does not allow alice destructive" in r.stderr and not os.path.exists("harm"),
        "-w is not for alice",
        r.stderr,
    )
    r = run("-w", "-n", f'BEGIN {{ system("touch {live.WORK}/done"); exit(0); }}', key="bob.key", hosts="web-2")
    live.check(r.returncode == 0 and os.path.exists("done"), "… and is for bob", r.stderr)
    r = run("-n", "BEGIN { nosuch(); }", hosts="web-2")
    live.check(
        r.returncode == 1 and "nosuch" in r.stderr and "web-2: " in r.stderr or "nosuch" in r.stderr,
        "what does not compile there",
        r.stderr,
    )
    begun = time.monotonic()
    r = run("-n", "BEGIN { exit(0); }", hosts="web-2,gone")
    live.check(
        r.returncode == 1 and "gone: it is not there" in r.stderr and time.monotonic() - begun < 5,
        "a host that is not there, at once",
        r.stderr,
    )
    r = run("--for", "4s", "-n", 'tick-100hz { printf("x\\n"); }', hosts="db-1")
    live.check(
        r.returncode == 1 and "more rows than this machine's policy allows" in r.stderr and r.stdout.count("x\n") <= 20,
        "too many rows",
        r.stderr + r.stdout,
    )

    # ends
    p = subprocess.Popen(
        [
            live.DWELL,
            "fleet",
            "run",
            "--hosts",
            "web-1.example,web-2",
            "--sign",
            "alice.key",
            "--for",
            "25s",
            "-qn",
            'BEGIN { printf("up\\n"); } END { @ = count(); }',
        ],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    live.check(p.stdout.readline().endswith("up\n") and p.stdout.readline().endswith("up\n"), "both run")
    r = run("--for", "20s", "-n", "BEGIN { exit(0); }", hosts="web-2")
    live.same(r.returncode, 0, "two programs at a time")
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=20)
    live.check(
        p.returncode == 0 and re.search(r"^\s+2$", out, re.M),
        "Ctrl-C ends them in order: the sums of their ends come",
        out + err,
    )
    live.check(until(lambda: not children()), "no program is left", children())
    p = subprocess.Popen(
        [
            live.DWELL,
            "fleet",
            "run",
            "--hosts",
            "web-1.example,web-2",
            "--sign",
            "alice.key",
            "--for",
            "28s",
            "-qn",
            'BEGIN { printf("up\\n"); }',
        ],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    live.check(p.stdout.readline().endswith("up\n") and p.stdout.readline().endswith("up\n"), "both run")
    live.check(len(children()) >= 2, "two agents", children())
    p.kill()
    p.communicate()
    begun = time.monotonic()
    live.check(
        until(lambda: not children(), 25) and time.monotonic() - begun < 20,
        "they end when who asked is killed",
        children(),
    )

    # the log
    events = audit("web-2")
    live.check({"run", "refused", "end"} == {e["event"] for e in events}, "events", {e["event"] for e in events})
    done = [e for e in events if e["event"] == "run" and "touch" in e["program"] and e["write"]][-1]
    live.check(
        done["user"] == "bob"
        and done["key"] == keys["bob"]
        and any(e["event"] == "end" and e["id"] == done["id"] and e["status"] == 0 for e in events),
        "who ran what",
        done,
    )
    live.check(
        any("not heard of" in e.get("reason", "") for e in events), "why it ended", [e.get("reason") for e in events]
    )
    live.check(any(e["event"] == "end" and "more rows" in e["reason"] for e in audit("db-1")), "a limit")

    # what was sent once, was changed, or is meant for another host does not run
    raw = Raw(nats.port)
    live.same(run("-n", "BEGIN { exit(0); }", hosts="web-2").returncode, 0, "a request that somebody hears")
    subject, request = raw.take()
    live.check(
        subject == b"dwell.run.v1.default.default.web-2" and b"BEGIN" in request, "it is heard", (subject, request[:80])
    )
    before = {h: len(audit(h)) for h in HOSTS}
    raw.send(subject, request)
    raw.send(subject, request.replace(b"exit(0)", b"exit(1)"))
    raw.send(subject, request[:50])
    raw.send(subject, os.urandom(300))
    raw.send(subject.replace(b"web-2", b"web-1~example"), request)
    live.check(
        until(lambda: len(audit("web-1.example")) > before["web-1.example"]), "a request for another host is noted"
    )
    last = audit("web-1.example")[-1]
    live.check(last["event"] == "refused" and "not for this host" in last["reason"], "and refused", last)
    live.same(run("-n", "BEGIN { exit(0); }", hosts="web-2").returncode, 0, "the host still takes programs")
    live.check(until(lambda: len(audit("web-2")) >= before["web-2"] + 2), "its log")
    live.same(len(audit("web-2")), before["web-2"] + 2, "and ran none of the others")

    # answers: those that an enrolled host has signed, once
    with open("hosts.access", "w", encoding="ascii") as f:
        f.write(
            "".join(f"host {keys[h]} default/default/{h}\n" for h in ("web-1.example", "web-2", "fake"))
            + f"host {keys['eve']} default/default/db-1\n"
        )
    os.chmod("hosts.access", 0o600)
    r = run("-n", "BEGIN { @ = sum(7); exit(0); }", "--access", "hosts.access", hosts="web-1.example,web-2")
    live.check(
        r.returncode == 0 and re.search(r"^\s+14$", r.stdout, re.M) and "refused" not in r.stderr,
        "signed answers of two hosts",
        r.stdout + r.stderr,
    )
    r = run("-n", "BEGIN { exit(0); }", hosts="web-2")
    live.same(r.returncode, 0, "who has no list takes them, too")
    r = run("-n", 'BEGIN { printf("hello\\n"); exit(0); }', "--access", "hosts.access", hosts="db-1,web-2,nobody")
    live.check(
        r.returncode == 1
        and r.stdout == "web-2: hello\n"
        and "1 of 3 hosts" in r.stderr
        and "nobody: it is not enrolled" in r.stderr
        and re.search(r"[1-9]\d* answers were refused: not signed by the host that was asked \([1-9]", r.stderr),
        "a host that does not sign",
        r.stdout + r.stderr,
    )
    os.chmod("hosts.access", 0o666)
    r = run("-n", "BEGIN { exit(0); }", "--access", "hosts.access", hosts="web-2")
    live.check(r.returncode == 1 and "others may write this list" in r.stderr, "a list that others may write", r.stderr)
    os.chmod("hosts.access", 0o600)
    spy = Raw(nats.port)
    spy.s.sendall(b"UNSUB 1\r\nSUB _INBOX.> 2\r\n")
    spy.send(b"x", b"x")
    r = run("-n", 'BEGIN { printf("old\\n"); exit(0); }', "--access", "hosts.access", hosts="web-2")
    live.same((r.returncode, r.stdout.split()), (0, ["old"]), "a run that somebody hears")
    old = [spy.take()]
    while not old[-1][1][65:66] == b"e":
        old.append(spy.take())
    live.check(all(data[:1] == b"S" for _, data in old) and any(b"old" in data for _, data in old), "its answers", old)
    p = subprocess.Popen(
        [
            live.DWELL,
            "fleet",
            "run",
            "--hosts",
            "web-2",
            "--sign",
            "alice.key",
            "--access",
            "hosts.access",
            "--for",
            "6s",
            "-qn",
            'BEGIN { printf("new\\n"); }',
        ],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    subject, first = spy.take()
    for _, data in old:  # of another run, to the subject of this one
        spy.send(subject, data)
    for data in (
        first[65:],
        b"e\x01\0\0\0forged",
        b"S" + os.urandom(64) + b"s\x01\0\0\0",
        b"S",
        b"",
    ):  # without a signature, or with a false one
        spy.send(subject, data)
    spy.send(subject, first)  # a second time
    spy.send(subject + b"x", first)
    out, err = p.communicate(timeout=30)
    live.check(p.returncode == 0 and out.split() == ["new"], "none of them ends or changes it", out + err)
    live.check(
        f"{len(old) + 7} answers were refused: not signed by the host that was asked ({len(old) + 6}), or sent again (1)"
        in err,
        "all are counted",
        (len(old), err),
    )

    # a request that was heard before the host was started anew is not taken by it
    live.same(run("-n", "BEGIN { exit(0); }", hosts="web-2").returncode, 0, "a request that somebody hears")
    subject, request = raw.take()
    while b"web-2" not in subject or b"exit(0)" not in request or b"kind run" not in request:
        subject, request = raw.take()
    daemons["web-2"].terminate()
    daemons["web-2"].wait(20)
    n = len(audit("web-2"))
    daemons["web-2"] = subprocess.Popen(
        [live.DWELL, "fleet", "host", "--state", "web-2", "--name", "web-2", "--policy", "web-2.policy"],
        env=env,
        stdin=subprocess.DEVNULL,
        stderr=open("web-2.log", "a", encoding="utf-8"),
    )
    live.check(until(lambda: (raw.send(subject, request), time.sleep(0.3), len(audit("web-2")) > n)[-1]), "it is noted")
    last = audit("web-2")[-1]
    live.check(last["event"] == "refused" and "older than the process" in last["reason"], "and refused", last)

    # a policy that others may write is none
    os.chmod("web-2.policy", 0o666)
    r = run("-n", "BEGIN { exit(0); }", hosts="web-2")
    live.check(
        r.returncode == 1 and "others may write this policy" in r.stderr, "a policy that others may write", r.stderr
    )
    r = fleet("host", "--state", "web-2", "--name", "web-2", "--policy", "web-2.policy", "--once")
    live.check(
        r.returncode == 1 and "others may write this policy" in r.stderr, "nor is it taken at the start", r.stderr
    )
    for p in daemons.values():
        p.terminate()
        p.wait(20)
live.done()
