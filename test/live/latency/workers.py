#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""Workers that wait for work in nginx, redis and a JVM are idle in the table of causes, in the list of blocked threads and among slow
events; a real lock beside them is not. The load knows how long each waits. A program that is not here is no case."""
import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

import live

SECONDS = 3
PAUSE = 0.03
IDLE = {"idle", "time"}
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
JAVA = """import java.util.concurrent.*;
public class Exec {
  static final Object monitor = new Object();
  static void nap(int ms) { try { Thread.sleep(ms); } catch (InterruptedException e) { } }
  public static void main(String[] a) throws Exception {
    ForkJoinPool pool = new ForkJoinPool(2);
    pool.submit(() -> { }).get();
    new Thread(() -> { while (true) { synchronized (monitor) { nap(50); } nap(2); } }, "dwell-holder").start();
    new Thread(() -> { while (true) { synchronized (monitor) { } nap(2); } }, "dwell-waiter").start();
    System.gc();
    System.out.println("ready");
    nap(100000);
  }
}
"""


def port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def running(argv, ready):
    p = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 20
        while time.monotonic() < until and p.poll() is None and not ready(p):
            time.sleep(0.1)
        yield p
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(p.pid, signal.SIGKILL)
        p.wait()


def answers(where):
    with contextlib.suppress(OSError):
        socket.create_connection(("127.0.0.1", where), 1).close()
        return True
    return False


@contextlib.contextmanager
def asked(question):
    """The question is put again and again meanwhile."""
    stop = threading.Event()

    def ask():
        while not stop.is_set():
            question()
            time.sleep(PAUSE)

    t = threading.Thread(target=ask)
    t.start()
    try:
        yield
    finally:
        stop.set()
        t.join()


def causes(*args):
    r = live.dwell("why", "--idle", "--json", "--by", "thread", "--for", f"{SECONDS}s", *args, timeout=60)
    return [c for c in json.loads(r.stdout.splitlines()[-1])["causes"] if c["class"] != "cpu"], r


def sum_of(rows, idle):
    return sum(c["total_ns"] for c in rows if (c["class"] in IDLE) == idle) / 1e9


def is_idle(name, comm, tids):
    """These threads wait for work only, in all three views: a few ten milliseconds may be locks of theirs."""
    rows, r = causes("--comm", comm)
    rows = [c for c in rows if c["tid"] in tids]
    idle, busy = sum_of(rows, True), sum_of(rows, False)
    live.check(
        idle > 0.7 * SECONDS and busy < 0.1 * idle, f"{name}: idle in dwell why", f"{idle} {busy}\n{rows}\n{r.stderr}"
    )
    r = live.dwell(
        "latency", "offcpu", "--comm", comm, "--over", "5ms", "--all", "--for", f"{SECONDS}s", "--json", timeout=60
    )
    shown = [o for o in map(json.loads, r.stdout.splitlines()) if o["type"] == "latency-event" and o["tid"] in tids]
    summary = [o for o in map(json.loads, r.stdout.splitlines()) if o["type"] == "latency-summary"]
    # Of the first waits of a process its functions are not known yet.
    live.check(
        len(shown) <= 3 * len(tids) and sum(s["idle"] for s in summary) > 10 * len(shown),
        f"{name}: idle in dwell latency offcpu",
        f"{len(shown)} {[s['idle'] for s in summary]}\n{shown[:3]}",
    )
    r = live.dwell("stuck", "--comm", comm, "--all", "--over", "1ms", "--json", timeout=60)
    stuck = [o for o in map(json.loads, r.stdout.splitlines()) if o["type"] == "stuck" and o["tid"] in tids]
    live.check(all(o["class"] in IDLE for o in stuck), f"{name}: idle in dwell stuck", f"{stuck}")


def threads(pid, comm=None):
    found = set()
    for p in [
        pid,
        *map(
            int, subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()
        ),
    ]:
        for t in map(int, os.listdir(f"/proc/{p}/task")):
            with open(f"/proc/{p}/task/{t}/comm", encoding="utf-8") as f:
                if comm is None and t != p or comm is not None and f.read().strip() == comm:
                    found.add(t)
    return found


def nginx():
    own, where = os.path.join(live.WORK, "nginx"), port()
    os.makedirs(own, exist_ok=True)
    os.chmod(live.WORK, 0o755)
    temp = "".join(f"{n}_temp_path {own}/{n}; " for n in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(f"{own}/conf", "w", encoding="utf-8") as f:
        f.write(
            f"worker_processes 1; daemon off; pid {own}/pid; error_log {own}/errors; thread_pool default threads=2;\n"
            f"events {{ }} http {{ access_log off; {temp} server {{ listen 127.0.0.1:{where}; aio threads; root /etc; }} }}\n"
        )
    with running([shutil.which("nginx"), "-c", f"{own}/conf"], lambda p: answers(where)) as p:
        ask = http.client.HTTPConnection("127.0.0.1", where)

        def get():
            ask.request("GET", "/hostname")
            ask.getresponse().read()

        with asked(get):
            time.sleep(0.3)
            tids = threads(p.pid)
            live.check(len(tids) == 2, "nginx: two threads in its pool", str(tids))
            is_idle("nginx's pool", "nginx", tids)


def redis():
    where = port()
    with running(
        [shutil.which("redis-server"), "--port", str(where), "--save", "", "--dir", live.WORK], lambda p: answers(where)
    ) as p:
        ask = socket.create_connection(("127.0.0.1", where))

        def flush():
            for command in ("SADD s " + " ".join(f"member{i}" for i in range(100)), "UNLINK s"):
                ask.sendall(command.encode() + b"\r\n")
                ask.recv(100)

        flush()
        tids = threads(p.pid, "bio_lazy_free")
        if not tids:
            print("# this redis has no thread that frees")
            return
        with asked(flush):
            is_idle("redis' thread that frees", "bio_lazy_free", tids)


def java():
    with open(os.path.join(live.WORK, "Exec.java"), "w", encoding="utf-8") as f:
        f.write(JAVA)
    if subprocess.run(
        ["javac", "-d", live.WORK, os.path.join(live.WORK, "Exec.java")], check=False, **QUIET
    ).returncode:
        print("# no Java compiler")
        return
    with running(["java", "-cp", live.WORK, "Exec"], lambda p: p.stdout.readline() == "ready\n") as p:
        rows, r = causes("-p", str(p.pid))
        own = [
            c
            for c in rows
            if c["comm"] not in ("dwell-holder", "dwell-waiter", "java") and not c["comm"].startswith("ForkJoin")
        ]
        idle, busy = sum_of(own, True), sum_of(own, False)
        live.check(idle > SECONDS and busy < 0.05 * idle, "the JVM's own threads are idle", f"{idle} {busy}\n{own}")
        waiter = [c for c in rows if c["comm"] == "dwell-waiter"]
        locked = sum_of([c for c in waiter if c["class"] == "lock" and not c["inferred"]], False)
        live.check(
            locked > 0.6 * SECONDS,
            "a thread that waits for a monitor waits for a lock",
            f"{locked}\n{waiter}\n{r.stderr}",
        )
        holder = [c for c in rows if c["comm"] == "dwell-holder"]
        live.check(sum_of(holder, True) > 0.8 * SECONDS, "its owner sleeps", str(holder))


if "6.16" in live.dwell("why", "--stacks", "--for", "10ms").stderr:
    print("the programs' stacks are not to be had here: Linux 6.16")
    raise SystemExit(77)
for program, case in (("nginx", nginx), ("redis-server", redis), ("java", java)):
    if shutil.which(program):
        case()
    else:
        print(f"# no {program} here")
live.done()
