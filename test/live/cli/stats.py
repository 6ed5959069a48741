# SPDX-License-Identifier: Apache-2.0
"""dwell -l --stats: what a session that runs counts for each probe is what its own program counts; times, words, JSON,
several sessions; wrong requests; who may ask; nothing is left when who asked is gone."""
import json
import os
import signal
import socket
import subprocess
import time

import live

# Of calls that nothing else makes here in such numbers.
PROGRAM = """syscall::sched_rr_get_interval:entry, syscall::getpgid:entry, syscall::getpriority:entry
/pid == $target/ { @[probefunc] = count(); }
syscall::mincore:entry { @m = count(); }
profile-97 { @p = count(); }"""
LOAD = r"""
import ctypes, os, sys
c = ctypes.CDLL(None)
print("ready", flush=True)
for line in sys.stdin:
    for _ in range(700):
        os.sched_rr_get_interval(0)
    for _ in range(300):
        os.getpgid(0)
    for _ in range(11):
        c.mincore(ctypes.c_void_p(0), 0, None)
    print("done", flush=True)
"""


def ask(pid, line):
    """A request to the control socket: its text, and what was in the file that came with it."""
    s = socket.socket(socket.AF_UNIX)
    s.connect(f"/run/dwell/{pid}.ctl")
    s.send(line.encode() + b"\n")
    data, fds, _, _ = socket.recv_fds(s, 4096, 4)
    s.close()
    files = b""
    for fd in fds:
        with os.fdopen(fd, "rb") as f:
            files += f.read()
    return data.decode(), files


def hits(answer):
    """{name of function or probe: firings} of an answer; None where only the program's are known."""
    words, found, i = answer.decode().split("\0"), {}, 1
    live.same(words[0], "dwell hits 1", "head of an answer")
    while words[i]:
        n = 6 if words[i] == "program" else 8
        if n == 8:
            found[words[i + 4] or words[i + 5]] = int(words[i + 7]) if words[i + 7] else None
        i += n
    return found


load = subprocess.Popen(["python3", "-c", LOAD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
load.stdout.readline()
p = subprocess.Popen([live.DWELL, "-q", "-n", PROGRAM, "-p", str(load.pid)], stdout=subprocess.PIPE, text=True)


def work():
    load.stdin.write("go\n")
    load.stdin.flush()
    load.stdout.readline()


try:
    for _ in range(1000):
        r = live.dwell("-l", "--stats", "--for", "1ms", "-p", p.pid)
        if r.returncode == 0:
            break
        time.sleep(0.02)
    live.check(r.returncode == 0, "it can be asked", r.stderr)

    live.same(ask(p.pid, "hits begin 60s")[0], "ok\n", "begin")
    r = live.dwell("-l", "--stats", "-p", p.pid)
    live.check(r.returncode == 1 and "another process counts its firings now" in r.stderr, "one at a time", r.stderr)
    work()
    text, answer = ask(p.pid, "hits end")
    live.same(text, "ok\n", "end")
    got = hits(answer)
    live.same([got["sched_rr_get_interval"], got["mincore"], got["getpriority"]], [700, 11, 0], "firings are exact")
    live.check(got["getpgid"] >= 300 and got["profile-97"] is None, "and of each probe", got)
    work()
    live.same(ask(p.pid, "hits end")[1], b"", "no file without a beginning")
    ask(p.pid, "hits begin 60s")
    live.same(hits(ask(p.pid, "hits end")[1])["mincore"], 0, "what was before is not counted")

    stats = subprocess.Popen(
        [live.DWELL, "-l", "--stats", "--json", "--for", "3s", "-p", str(p.pid)], stdout=subprocess.PIPE, text=True
    )
    time.sleep(1)
    work()
    rows = [json.loads(l) for l in stats.communicate(timeout=60)[0].splitlines()]
    probes = {r["function"] or r["name"]: r for r in rows if r["type"] == "probe"}
    programs = {r["id"]: r for r in rows if r["type"] == "program"}
    live.same(probes["sched_rr_get_interval"]["hits"], 700, "by the command")
    live.check(
        probes["mincore"]["ns_per_hit"] > 0 and programs[probes["mincore"]["program"]]["runs"] >= 1011,
        "with times",
        rows,
    )
    one = probes["profile-97"]
    live.check(
        one["hits"] == programs[one["program"]]["runs"] > 0 and one["misses"] == 0, "a program with one probe", rows
    )

    r = live.dwell("-l", "--stats", "--for", "1ms", "-p", p.pid, "mincore", "syscall:")
    live.check(" mincore " in r.stdout and "getpgid" not in r.stdout and "PROGRAM" in r.stdout, "by words", r.stdout)
    r = live.dwell("-l", "--stats", "--for", "1ms")
    live.check(f" {p.pid} " in r.stdout, "all sessions", r.stdout + r.stderr)

    for junk in ("hits", "hits begin", "hits begin x", "hits frob", "hits begin 99999999999999999999s"):
        live.check(ask(p.pid, junk)[0].startswith("error: "), f"refused: {junk}")
    live.check("has no trackers" in ask(p.pid, "list")[0], "no trackers, no settings")
    r = live.dwell("-l", "--stats", "-p", 1)
    live.check(r.returncode == 1 and "no dwell that can be asked runs as process 1" in r.stderr, "no session", r.stderr)
    r = subprocess.run(
        ["setpriv", "--reuid=65534", "--clear-groups", live.DWELL, "-l", "--stats", "-p", str(p.pid)],
        capture_output=True,
        text=True,
    )
    live.check(r.returncode == 1 and not r.stdout, "not another user", r.stdout + r.stderr)
    for args in (
        ("--stats", "-n", "BEGIN"),
        ("-l", "--stats", "-n", "BEGIN"),
        ("-l", "--stats", "--for"),
        ("-l", "--stats", "--for", "x"),
    ):
        r = live.dwell(*args)
        live.check(r.returncode in (1, 2) and r.stderr and not r.stdout, f"wrong: {args}", r.stderr)
    gone = subprocess.Popen([live.DWELL, "-l", "--stats", "--for", "1ms", "-p", str(p.pid)], stdout=subprocess.DEVNULL)
    gone.wait()
finally:
    p.send_signal(signal.SIGINT)
    out = p.communicate(timeout=30)[0]
    load.stdin.close()
    load.wait()
counts = {w[0]: int(w[1]) for w in (l.split() for l in out.splitlines()) if len(w) == 2}
live.same([counts.get("sched_rr_get_interval"), counts.get("getpgid")], [2100, 900], "the program's own counts")
live.check(not os.path.exists(f"/run/dwell/{p.pid}.ctl"), "the socket is gone")
live.done()
