#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @timeout: 300
# @long: a JVM in five views
"""What threads of a JVM wait for, in all views: workers of pools, timers and carriers of virtual threads are idle; a contended
ReentrantLock, a ReentrantReadWriteLock and a monitor are locks; latches, futures, semaphores and queues that the program itself asks are
none of both. The program's threads are named after what they do, and always sleep or wait. JAVAS: further JVMs, separated by colons."""
import collections
import contextlib
import json
import os
import platform
import shutil
import signal
import subprocess

import jvms
import live

JAVAS = jvms.homes()
if platform.machine() != "x86_64" or not JAVAS or not shutil.which("javac"):
    print("# no JVM and its compiler here, or user stacks are not walked as on x86-64")
    raise SystemExit(77)
if "6.16" in live.dwell("why", "--stacks", "--for", "10ms").stderr:
    print("the programs' stacks are not to be had here: Linux 6.16")
    raise SystemExit(77)
SECONDS = 3
JAVA = """import java.util.*; import java.util.concurrent.*; import java.util.concurrent.locks.*;
public class Waits {
  static final ReentrantLock lock = new ReentrantLock(); static final Object monitor = new Object();
  static final ReentrantReadWriteLock rw = new ReentrantReadWriteLock(); static final Semaphore sem = new Semaphore(1);
  static void nap(int ms) { try { Thread.sleep(ms); } catch (InterruptedException e) { throw new RuntimeException(e); } }
  static void start(String n, Runnable r) { Thread t = new Thread(r, n); t.setDaemon(true); t.start(); }
  static ThreadFactory named(String n) { return r -> { Thread t = new Thread(r, n); t.setDaemon(true); return t; }; }
  interface Body { void run() throws Exception; }
  static Runnable forever(Body b) { return () -> { try { for (;;) b.run(); } catch (Exception e) { throw new RuntimeException(e); } }; }
  public static void main(String[] a) throws Exception {
    ExecutorService busy = Executors.newFixedThreadPool(2, named("pool-busy")), idle = Executors.newFixedThreadPool(2, named("pool-idle"));
    ScheduledExecutorService scheduled = Executors.newScheduledThreadPool(2, named("pool-sched"));
    ForkJoinPool fj = new ForkJoinPool(2, p -> { ForkJoinWorkerThread t = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(p); t.setName("pool-fork"); return t; }, null, true);
    scheduled.scheduleAtFixedRate(() -> {}, 0, 50, TimeUnit.MILLISECONDS);
    new Timer("pool-timer", true).schedule(new TimerTask() { public void run() {} }, 0, 50);
    start("giver", forever(() -> { idle.submit(() -> {}); fj.submit(() -> {}); nap(40); }));
    for (int k = 0; k < 2; k++) {
      start("lock-reent", forever(() -> { lock.lock(); try { nap(20); } finally { lock.unlock(); } }));
      start("lock-monitor", forever(() -> { synchronized (monitor) { nap(20); } }));
      start("lock-rw", forever(() -> { rw.writeLock().lock(); try { nap(20); } finally { rw.writeLock().unlock(); } }));
      start("sync-sem", forever(() -> { sem.acquire(); try { nap(20); } finally { sem.release(); } }));
    }
    ArrayBlockingQueue<Integer> there = new ArrayBlockingQueue<>(1), back = new ArrayBlockingQueue<>(1);
    start("sync-queue", forever(() -> { there.put(1); back.take(); }));
    start("answer", forever(() -> { there.take(); nap(20); back.put(1); }));
    start("sync-latch", forever(() -> { CountDownLatch l = new CountDownLatch(1); busy.submit(() -> { nap(20); l.countDown(); }); l.await(); }));
    start("sync-future", forever(() -> busy.submit(() -> nap(20)).get()));
    try {
      java.lang.reflect.Method v = Thread.class.getMethod("startVirtualThread", Runnable.class);
      for (int k = 0; k < 4; k++) v.invoke(null, forever(() -> nap(20)));
      System.out.println("virtual");
    } catch (NoSuchMethodException e) { System.out.println("ready"); }
    nap(120000);
  }
}
"""
with open(os.path.join(live.WORK, "Waits.java"), "w", encoding="utf-8") as f:
    f.write(JAVA)
subprocess.run(["javac", "--release", "17", "-d", live.WORK, os.path.join(live.WORK, "Waits.java")], check=True)
IDLE = {"idle", "time"}


@contextlib.contextmanager
def running(home):
    p = subprocess.Popen(
        [home + "/bin/java", "-cp", live.WORK, "Waits"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield p, p.stdout.readline().strip() == "virtual"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(p.pid, signal.SIGKILL)
        p.wait()


def objects(*args):
    r = live.dwell(*args, timeout=90)
    return [json.loads(l) for l in r.stdout.splitlines() if l.startswith("{")], r


def sums(rows, value):
    """By the kind of thread (pool, lock, sync) and class: seconds."""
    s = collections.defaultdict(collections.Counter)
    for o in rows:
        s[o["comm"]][o["class"]] += value(o) / 1e9
    return s


def check_why(name, pid, virtual):
    found, r = objects("why", "--idle", "--json", "--by", "thread", "--for", f"{SECONDS}s", "-p", str(pid))
    s = sums([c for c in found[-1]["causes"] if c["class"] != "cpu"], lambda c: c["total_ns"])
    for comm in s:
        idle, locked = sum(s[comm][c] for c in IDLE), s[comm]["lock"]
        every = sum(s[comm].values())
        # of the first waits of a process the functions are not known yet
        if comm.startswith("pool-") or virtual and comm.startswith("ForkJoinPool"):
            live.check(idle > 0.9 * every, f"{name}, why: {comm} is idle", s[comm])
        elif comm.startswith("lock-"):
            live.check(
                locked > 0.9 * (every - s[comm]["time"]) and locked > 0.6 * SECONDS,
                f"{name}, why: {comm} waits for a lock",
                s[comm],
            )
        elif comm.startswith("sync-"):
            live.check(
                s[comm]["ipc"] > 0.9 * (every - s[comm]["time"]) and locked < 0.05 * every,
                f"{name}, why: {comm} waits for others",
                s[comm],
            )
    live.check(
        {c for c in s if c[:5] in ("pool-", "lock-", "sync-")}
        >= {
            "pool-idle",
            "pool-busy",
            "pool-sched",
            "pool-fork",
            "pool-timer",
            "lock-reent",
            "lock-monitor",
            "lock-rw",
            "sync-queue",
            "sync-latch",
            "sync-future",
        },
        f"{name}, why: all threads",
        (sorted(s), r.stderr),
    )
    if virtual:
        live.check(s["ForkJoinPool-2-"] or s["ForkJoinPool-1-"], f"{name}, why: carriers of virtual threads", sorted(s))


def check_offcpu(name, pid):
    found, r = objects("latency", "offcpu", "-p", str(pid), "--over", "5ms", "--all", "--for", f"{SECONDS}s", "--json")
    s = sums([o for o in found if o["type"] == "latency-slow"], lambda o: o["delay_ns"])
    pools = sum(sum(s[c].values()) for c in s if c.startswith("pool-"))
    live.check(pools < 0.5, f"{name}, offcpu: workers are no slow events", (dict(s), r.stderr))
    for comm in "lock-reent", "lock-monitor", "lock-rw":
        live.check(s[comm]["lock"] > 0.6 * SECONDS, f"{name}, offcpu: {comm} waits for a lock", s[comm])


def check_stuck(name, pid):
    found, r = objects("stuck", "-p", str(pid), "--all", "--over", "1ms", "--json")
    rows = [o for o in found if o["type"] == "stuck"]
    wrong = [
        (o["comm"], o["cause"])
        for o in rows
        if o["class"] not in IDLE
        and (o["comm"].startswith(("pool-", "VirtualThread-")) or o["comm"] in ("Finalizer", "Common-Cleaner"))
    ]
    live.check(len(rows) > 20 and not wrong, f"{name}, stuck: workers are idle", (len(rows), wrong, r.stderr))
    locked = {o["comm"] for o in rows if o["class"] == "lock"}
    live.check(locked and all(c.startswith("lock-") for c in locked), f"{name}, stuck: locks", sorted(locked))
    text = live.dwell("stuck", "-p", str(pid), "--all", "--over", "1ms", timeout=90).stdout
    live.check(
        "java.util.concurrent.ThreadPoolExecutor.getTask at " in text, f"{name}, stuck: functions of Java", text[-2000:]
    )


def check_flame(name, pid):
    r = live.dwell("flame", "--off-cpu", "--svg", "-p", str(pid), "--for", f"{SECONDS}s", timeout=90)
    shown = {
        c
        for c in ("pool-idle", "pool-sched", "pool-timer", "lock-reent", "lock-monitor", "sync-queue")
        if f">{c}<" in r.stdout
    }
    live.check(
        shown == {"lock-reent", "lock-monitor", "sync-queue"},
        f"{name}, flame --off-cpu: workers are left out",
        (shown, r.stderr),
    )


def check_timeline(name, pid):
    r = live.dwell("timeline", "--text", "-p", str(pid), "--for", f"{SECONDS}s", timeout=90)
    s = collections.defaultdict(list)
    for l in r.stdout.splitlines():
        w = l.split()
        if w and w[0].startswith(("pool-", "lock-")):
            s[w[0]].append((float(w[4]), float(w[5])))
    for comm in "pool-idle", "pool-sched", "pool-timer":
        live.check(
            s[comm] and all(idle > 5 * wait for wait, idle in s[comm]), f"{name}, timeline: {comm} is idle", r.stdout
        )
    live.check(
        s["lock-reent"] and all(wait > 0.2 * idle for wait, idle in s["lock-reent"]),
        f"{name}, timeline: lock-reent waits",
        r.stdout,
    )


for java in JAVAS:
    what = os.path.basename(java)
    with running(java) as (process, has_virtual):
        check_why(what, process.pid, has_virtual)
        check_offcpu(what, process.pid)
        check_stuck(what, process.pid)
        check_flame(what, process.pid)
        check_timeline(what, process.pid)
live.done()
