# SPDX-License-Identifier: Apache-2.0
# @timeout: 150
"""dwell latency --daemon: files take turns by age, size and SIGHUP, the oldest go; one daemon a folder; what a kill leaves."""
import contextlib
import os
import signal
import socket
import sqlite3
import subprocess
import time

import live

os.chdir(live.WORK)
SLEEP = ["bash", "-c", "for i in 1 2 3; do sleep 0.03; done"]


def rows(files, sql):
    n = 0
    for f in files:
        db = sqlite3.connect("file:" + f + "?mode=ro", uri=True)
        n += db.execute(sql).fetchone()[0] or 0
        db.close()
    return n


def slow(files, comm="sleep"):
    return rows(files, f"SELECT count(*) FROM slow WHERE comm = '{comm}' AND how = 'normal'")


def until(condition, seconds=15):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.2)
    return condition()


def no_limit(d):
    """Other programs' slow events must not use up what a second may have."""
    r = live.dwell("ctl", d.p.pid, "set", "offcpu.limit=100000")
    live.check(r.returncode == 0, "dwell ctl", r.stderr)


# the service manager: ready, watchdog, stopping
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind("notify")
manager.settimeout(10)
env = {"NOTIFY_SOCKET": os.path.abspath("notify"), "WATCHDOG_USEC": "2000000"}
with live.Daemon("offcpu", "--over", "20ms", env=env) as d:
    live.check(manager.recv(4096).startswith(b"READY=1\n"), "READY=1")
    live.check(manager.recv(4096) == b"WATCHDOG=1", "WATCHDOG=1")
    no_limit(d)
    r = live.dwell("latency", "--daemon", "--state", d.state)
    live.check(
        r.returncode == 1 and f"another daemon, process {d.p.pid} has the state folder state" in r.stderr,
        "two daemons",
        r.stderr,
    )
    subprocess.run(SLEEP, check=True)
    until(lambda: slow(d.files()) >= 3)
    d.p.send_signal(signal.SIGHUP)
    live.check(d.wait_for("SIGHUP: goes on in"), "SIGHUP", d.messages())
    first, second = d.files()
    live.check(
        not os.path.exists(first + "-wal") and slow([first]) >= 3,
        "the first file has ended in order",
        str(slow([first])),
    )
    subprocess.run(SLEEP, check=True)
    live.check(until(lambda: slow([second]) >= 3), "the second is read while it is written")
    r = live.dwell("report", first)
    live.check(r.returncode == 0, "report", r.stderr)
    # killed: the next one ends the file, goes on in one of its own
    d.end(signal.SIGKILL)
    live.check(os.path.exists(second + "-wal"), "killed: a log is left")
with live.Daemon("offcpu", "--over", "20ms", "--rotate-age", "2s", "--keep", "3") as d:
    live.check("1 recording of a daemon that was killed" in d.messages(), "restarted", d.messages())
    live.check(
        not os.path.exists(second + "-wal") and slow([second]) >= 3 and len(d.files()) == 3,
        "nothing is lost",
        str(d.files()),
    )
    live.check(d.wait_for("by age", 20, 3), "by age", d.messages())
    live.check(first not in d.files() and len(d.files()) <= 4, "the oldest have gone", str(d.files()))
    files = d.files()
    live.same(d.end(), 0, "SIGTERM")
    live.check(
        not [f for f in os.listdir("state") if "-wal" in f or "-shm" in f], "ended in order", str(os.listdir("state"))
    )
    live.same(d.messages().count("\n"), len(d.messages().splitlines()), "whole lines")
# Killed before anything was measured, at different times of the start: nothing is left that counts as a recording. SIGHUP does not end it.
for n in range(12):
    p = subprocess.Popen(
        [live.DWELL, "latency", "--daemon", "--state", "early", "offcpu"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(0.02 + 0.015 * n)
    p.send_signal(signal.SIGKILL if n % 2 else signal.SIGTERM)
    p.wait()
with open("early/latency-20200101T000000.000Z.dwell", "wb"):
    pass
with open("early/latency-20200101T000001.000Z.dwell", "wb") as f:
    f.write(bytes(100000))
with live.Daemon("offcpu", "--over", "20ms", state="early") as d:
    subprocess.run(SLEEP, check=True)
    until(lambda: slow(d.files()[-1:]) >= 1)
    left = [f for f in d.files() if not os.path.exists(f + "-wal")]
    live.check(
        [os.path.basename(f) for f in left if os.path.getsize(f) <= 100000] == ["latency-20200101T000001.000Z.dwell"]
        and all(
            rows([f], "SELECT count(*) FROM row") + rows([f], "SELECT count(*) FROM hist") > 0
            for f in left
            if os.path.getsize(f) > 100000
        ),
        "of daemons killed before they measured anything no file is left; what is damaged stays",
        left,
    )
p = subprocess.Popen(
    [live.DWELL, "latency", "--daemon", "--state", "hangup", "offcpu"],
    stdout=subprocess.DEVNULL,
    stderr=subprocess.PIPE,
    text=True,
)
until(lambda: os.path.exists("hangup") and any(f.endswith(".dwell") for f in os.listdir("hangup")))
p.send_signal(signal.SIGHUP)
time.sleep(1)
live.check(p.poll() is None, "SIGHUP before it is ready does not end it")
p.send_signal(signal.SIGTERM)
live.same(p.wait(timeout=20), 0, "which ends in order")
p.stderr.close()
# A recording that a signal ends before anything is measured leaves no file behind, whose name would be taken.
for n in range(10):
    p = subprocess.Popen(
        [live.DWELL, "latency", "offcpu", "--record", "early.dwell"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until(lambda: os.path.exists("early.dwell"))
    time.sleep(0.01 * n)
    p.send_signal(signal.SIGTERM if n % 2 else signal.SIGINT)
    code = p.wait(timeout=20)
    left = [f for f in os.listdir(".") if f.startswith("early.dwell")]
    if code == 0 and left == ["early.dwell"] and live.dwell("report", "early.dwell").returncode == 0:
        os.unlink("early.dwell")  # it had begun, and has ended in order
    elif code not in (-signal.SIGTERM, -signal.SIGINT) or left:
        live.check(False, "a signal during the start", (n, code, left))
    for f in left:
        with contextlib.suppress(OSError):
            os.unlink(f)
live.check(True, "signals during the start leave no file, or a whole one")
# every event is in one file: those of the time around a change of files, too
with live.Daemon("offcpu", "--over", "20ms", "--idle", state="two") as d:
    no_limit(d)
    p = subprocess.Popen(["bash", "-c", "for i in {1..60}; do sleep 0.03; done"])
    for n in range(1, 4):
        time.sleep(0.7)
        d.p.send_signal(signal.SIGHUP)
        d.wait_for("SIGHUP", n=n)
    p.wait()
    until(lambda: slow(d.files()) >= 60)
    d.end()
    events = slow(d.files())  # on a busy machine they wait for other things, too
    distinct = sum(
        len(
            set(
                sqlite3.connect("file:" + f + "?mode=ro", uri=True)
                .execute("SELECT start, tid FROM slow WHERE comm = 'sleep' AND how = 'normal'")
                .fetchall()
            )
        )
        for f in d.files()
    )
    live.check(events >= 60 and events == distinct, "none twice, none missing", f"{events} {distinct}")
    live.check(rows(d.files(), "SELECT sum(count) FROM hist WHERE period = 1000000000") > 200, "histograms")
# full disk
os.mkdir("small")
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1500k,mode=700", "none", "small"], check=True)
try:
    with open("small/fill", "wb") as f:
        f.write(bytes(500000))
    with live.Daemon("syscall", "--over", "1us", "--rotate-size", "1m", "-x", "maxcpu=100%", state="small") as d:
        p = subprocess.Popen([live.TRIGGER, "rate", "2000", "20000"], stdout=subprocess.DEVNULL)
        full = d.wait_for("no new recording could be made", 20)
        live.check(full or d.wait_for("after an error", 5), "full disk: a message", d.messages())
        os.unlink("small/fill")
        live.check(d.p.poll() is None, "goes on", d.messages())
        d.p.send_signal(signal.SIGHUP)
        live.check(d.wait_for("SIGHUP: goes on"), "and records when there is room", d.messages())
        p.kill()
        p.wait()
        d.end()
finally:
    subprocess.run(["umount", "-l", "small"], check=False)
# wrong use
for args, what in (
    (["--state", "x"], "go with --daemon"),
    (["--daemon", "--rotate-size", "5"], "is no size"),
    (["--daemon", "--keep", "0"], "no number"),
    (["--record", "x.dwell", "--daemon"], "files of its own"),
    (["--state", "bad", "--daemon", "--metrics", "no"], "is no PORT"),
    (["--daemon", "--state", "bad", "--metrics", "example.org:1"], "in numbers"),
):
    r = live.dwell("latency", *args)
    live.check(r.returncode == 2 and what in r.stderr, " ".join(args), r.stderr)
r = live.dwell("latency", "--daemon", "--state", "/proc/none")
live.check(r.returncode == 1 and "cannot be used as state folder" in r.stderr, "no folder", r.stderr)
os.mkdir("open")
os.chmod("open", 0o777)
r = live.dwell("latency", "--daemon", "--state", "open")
live.check(r.returncode == 1 and "nobody else may write" in r.stderr, "a folder for all", r.stderr)
live.done()
