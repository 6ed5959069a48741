# SPDX-License-Identifier: Apache-2.0
# @alone: it looks at times
"""dwell ctl: settings of trackers of a dwell that runs: listed, read, changed at once; wrong requests; a rate by which the
threshold adapts; who may ask."""
import os
import re
import socket
import subprocess
import time

import live

T = live.TRIGGER
PROGRAM = """tracker t (int64_t) { threshold = 1h; cgroups = 2; } tracker other { rate = 7; }
syscall::lseek:entry /execname == "trigger" && progenyof($ppid) && arg2 == 0/ { begin(t, arg1); }
syscall::lseek:entry /execname == "trigger" && progenyof($ppid) && arg2 == 1/ { end(t, arg1); }
latency:t::slow { printf("%d\\n", args[1]); }
syscall::lseek:entry /execname == "trigger" && progenyof($ppid) && arg2 == 0/ { printf("threshold %d\\n", threshold(t)); }
BEGIN { printf("ready\\n"); }"""


def ctl(*args):
    return subprocess.run([live.DWELL, "ctl", *map(str, args)], capture_output=True, text=True)


def trigger(script):
    subprocess.run([T, "track", *script.split()], check=True)


p = subprocess.Popen(
    [live.DWELL, "-qn", PROGRAM, "-x", "switchrate=10ms"], stdout=subprocess.PIPE, text=True, bufsize=1
)
path = f"/run/dwell/{p.pid}.ctl"
try:
    for _ in range(500):
        if ctl(p.pid, "list").returncode == 0:
            break
        time.sleep(0.01)
    time.sleep(0.3)
    r = ctl(p.pid, "list")
    live.check("t.threshold=1h" in r.stdout and "other.rate=7" in r.stdout, "list", r.stdout + r.stderr)
    st = os.stat(path)
    live.check(
        st.st_mode & 0o777 == 0o600 and os.stat("/run/dwell").st_mode & 0o077 == 0,
        "nobody else can reach it",
        oct(st.st_mode),
    )
    trigger("b1 s2000 e1")
    r = ctl(p.pid, "set", "t.threshold=1ms")
    live.same(r.stdout, "t.threshold=1ms\n", "set")
    trigger("b2 s2000 e2")
    ctl(p.pid, "set", "t.threshold=2s")
    trigger("b3 s2000 e3")
    live.same(ctl(p.pid, "get", "t.threshold").stdout, "t.threshold=2s\n", "get")
    for args, words in (
        (("set", "t.treshold=1"), "no such setting"),
        (("get", "u.threshold"), "no such tracker"),
        (("set", "t.threshold=abc"), "not a number, or a time"),
        (("set", "t.size=5"), "cannot be changed"),
        (("set", "t.threshold=99999999999999999999"), "out of range"),
        (("get", "x" * 400), "no such setting"),
    ):
        r = ctl(p.pid, *args)
        live.check(r.returncode == 1 and words in r.stderr, f"refused: {args[1][:30]}", r.stderr)
    for args in ((), ("list",), (p.pid, "frob"), ("x", "list"), (p.pid, "set", "t.threshold")):
        live.check(ctl(*args).returncode == 2, f"usage: {args}")
    for junk in (b"", b"\n", b"x" * 5000, b"get\n", b"set t.threshold\n", b"set =\n", b"\0\xff\n"):
        s = socket.socket(socket.AF_UNIX)
        s.connect(path)
        try:
            s.send(junk)
            s.recv(1000)
        except OSError:
            pass
        s.close()
    live.check(ctl(p.pid, "list").returncode == 0, "it still answers after junk")
    s = subprocess.run(
        ["setpriv", "--reuid=65534", "--clear-groups", live.DWELL, "ctl", str(p.pid), "list"],
        capture_output=True,
        text=True,
    )
    live.check(s.returncode == 1 and not s.stdout, "not another user", s.stdout + s.stderr)

    # thresholds of cgroups: here all processes may be in one
    r = subprocess.run([live.DWELL, "-qn", 'BEGIN { printf("%d", cgroup); exit(0); }'], capture_output=True, text=True)
    mine, other = int(r.stdout), int(r.stdout) + 1000
    live.same(ctl(p.pid, "set", f"t.threshold@{other}=1ms").stdout, f"t.threshold@{other}=1ms\n", "of a cgroup")
    trigger("b4 s2000 e4")
    ctl(p.pid, "set", f"t.threshold@{mine}=1ms")
    trigger("b5 s2000 e5")
    ctl(p.pid, "set", f"t.threshold@{mine}=1h")
    trigger("b6 s2000 e6")
    live.check(f"t.threshold@{mine}=1h" in ctl(p.pid, "list").stdout, "listed")
    for args, words in (
        ("t.threshold@77=1ms", "more cgroups than"),
        ("other.threshold@1=1ms", "no such setting"),
        ("t.threshold@x=1ms", "not a number"),
        ("t.threshold@/no/such=1ms", "No such file"),
    ):
        r = ctl(p.pid, "set", args)
        live.check(r.returncode == 1 and words in r.stderr, "refused: " + args, r.stderr)

    # about five a second of 100 events a second: the threshold finds the slowest twentieth
    ctl(p.pid, "set", "t.floor=1us")
    ctl(p.pid, "set", "t.rate=5")
    for _ in range(4):
        trigger(" ".join(f"b1 s{2000 if i % 20 else 20000} e1" for i in range(200)))
    unit = {"ns": 1, "us": 1000, "ms": 1000000, "s": 1000000000}
    m = re.search(r"=(\d+)([a-z]+)", ctl(p.pid, "get", "t.threshold").stdout)
    got = int(m[1]) * unit.get(m[2], 0)
    live.check(2000000 <= got <= 60000000, "the threshold adapts", got)
finally:
    p.send_signal(2)
    out = p.communicate(timeout=20)[0]
words = out.replace("\n", " ").split("threshold ")
live.check(
    words[0].strip() == "ready"
    and [w.split() for w in words[1:4]] == [["3600000000000"], ["1000000", "2"], ["2000000000"]],
    "the threshold in force counts, and threshold() tells it",
    out[:200],
)
live.check(not os.path.exists(path), "the socket is gone")
r = ctl(p.pid, "list")
live.check(r.returncode == 1 and "no dwell with trackers runs as process" in r.stderr, "and so is dwell", r.stderr)
live.done()
