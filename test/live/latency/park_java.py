# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
"""Threads of Java that park, as often and as long as the program says, with who unparked them; classes by name that take long to initialise, and
who waits for another thread's initialisation; the same as causes of all waits.
JAVAS: further JVMs, separated by colons."""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import time
import jvms
import live

JAVAS = jvms.homes()
if not JAVAS or not shutil.which("javac"):
    print("# no JVM and its compiler here")
    raise SystemExit(77)
os.chdir(live.WORK)
with open("Park.java", "w", encoding="utf-8") as f:
    f.write(
        '''import java.util.concurrent.*; import java.util.concurrent.locks.*;
public class Park {
  static class Heavy { static int x; static { try { Thread.sleep(60); } catch (InterruptedException e) { } x = 1; } }
  static class Heir extends Heavy { static int y = Heavy.x + 1; }
  public static void main(String[] a) throws Exception {
    Thread.sleep(Integer.parseInt(a[0]));
    SynchronousQueue<Integer> q = new SynchronousQueue<>();
    Thread t = new Thread(() -> { try { for (int i = 0; i < 20; i++) { long end = System.nanoTime() + 20000000; while (System.nanoTime() < end) LockSupport.parkNanos(end - System.nanoTime()); }
      for (int i = 0; i < 10; i++) q.take(); } catch (InterruptedException e) { } }, "parker");
    t.start();
    Thread.currentThread().setName("giver");
    for (int i = 0; i < 10; i++) { Thread.sleep(50); q.put(i); }
    t.join();
    System.out.println("sum " + Heir.y);
  }
}
'''
    )
WAKE = """import java.util.concurrent.locks.*;
public class Wake {
  static class Slow { static int x; static { try { Thread.sleep(80); } catch (InterruptedException e) { } x = 1; } }
  static volatile int turn;
  public static void main(String[] a) throws Exception {
    Thread.sleep(7000);
    Thread p = new Thread(() -> { for (int i = 0; i < 10; i++) { int n = i; while (turn <= n) LockSupport.park(); } }, "sleeper");
    Thread w = new Thread(() -> { try { for (int i = 0; i < 10; i++) { Thread.sleep(30); turn++; LockSupport.unpark(p); } } catch (InterruptedException e) { } }, "waker-one");
    p.start(); w.start(); w.join(); p.join();
    Thread one = new Thread(() -> { int x = Slow.x; }, "init-one"), two = new Thread(() -> { int x = Slow.x; }, "init-two");
    one.start(); Thread.sleep(10); two.start(); one.join(); two.join();
    Thread.sleep(300);
  }
}
"""
with open("Wake.java", "w", encoding="utf-8") as f:
    f.write(WAKE)
subprocess.run(["javac", "Park.java", "Wake.java"], check=True)


def parks(home):
    """Parks for a time, and those that a thread ended."""
    what, java = os.path.basename(home), home + "/bin/java"
    r = live.dwell("latency", "--over", "1ms", "--stacks", "park", "--", java, "-cp", ".", "Park", "7000", timeout=50)
    got = [
        (float(ms), tid, comm, stack)
        for ms, tid, comm, stack in re.findall(
            r"^slow park +([\d.]+) ms +parker .*\n  waker_tid +(\d+)\n  waker_comm *(\S*)\n((?:.*\n)*?)(?=slow |\Z|\S)",
            r.stdout,
            re.M,
        )
    ]
    timed = [g for g in got if g[1] == "0" and g[0] >= 18]
    live.check(
        18 <= len(timed) <= 22, f"{what}: parks for a time, which nobody ended", (len(timed), r.stdout[:1500], r.stderr)
    )
    live.check(len([g for g in got if g[1] != "0"]) >= 1, f"{what}: and those that a thread ended", got)
    live.check(any("Park.lambda$main$0 at Park.java" in g[3] for g in timed), f"{what}: with their stack", timed[:1])


def classes(home):
    """Classes that take long to initialise, in a JVM that runs already."""
    what, java = os.path.basename(home), home + "/bin/java"
    with subprocess.Popen([java, "-cp", ".", "Park", "10000"], stdout=subprocess.PIPE, text=True) as jvm:
        time.sleep(0.7)  # until it has mapped its library
        r = live.dwell("latency", "--over", "30ms", "--stacks", "classinit", "-p", jvm.pid, timeout=50)
    names = re.findall(r"^slow classinit +(\d+(?:\.\d+)?) ms .*\n  key +\d+\n  class +(\S+)$", r.stdout, re.M)
    live.check(
        {"Park$Heavy", "Park$Heir"} <= {n for _, n in names}
        and all(float(ms) >= 55 for ms, n in names if n.startswith("Park$")),
        f"{what}: classes",
        (names, r.stdout[:900], r.stderr),
    )


def wakers(home):
    """Who ends a park, and who initialises the class that another one waits for."""
    what, wake = os.path.basename(home), ["--", home + "/bin/java", "-cp", ".", "Wake"]
    r = live.dwell("latency", "--over", "5ms", "--all", "park", "classinit", *wake, timeout=50)
    said = re.sub(r"\n +", " ", r.stdout)
    parks = re.findall(
        r" park: sleeper \d+ waited \S+ ms for another thread of Java to unpark it, ended by (\S+) \d+$", said, re.M
    )
    live.check(8 <= len(parks) <= 10 and set(parks) == {"waker-one"}, f"{what}: who parks is ended by its waker", said)
    live.check(
        re.findall(
            r" classwait: (\S+) \d+ waited \S+ ms for class (\S+) to be initialised, done by (\S+) \d+(?:,.*)?$",
            said,
            re.M,
        )
        == [("init-two", "Wake$Slow", "init-one")],
        f"{what}: who waits for a class, and for whom",
        said,
    )


def causes(home):
    """The same as causes of all waits."""
    what, wake = os.path.basename(home), ["--", home + "/bin/java", "-cp", ".", "Wake"]
    r = live.dwell("latency", "why", "--by", "thread", "--over", "1ms", "--json", *wake, timeout=50)
    if "6.16" in r.stderr:
        return
    table = [c for line in r.stdout.splitlines() if line.startswith("{") for c in json.loads(line)["causes"]]
    total = {(c["comm"], c["cause"]): c["total_ns"] / 1e6 for c in table}
    live.check(
        250 <= total.get(("sleeper", "another thread of Java to unpark it"), 0) <= 500
        and 50 <= total.get(("init-two", "a class of Java to be initialised"), 0) <= 120,
        f"{what}: as causes of all waits",
        total,
    )


def lanes(home):
    """The same as lanes of the timeline."""
    r = live.dwell("timeline", "--java", "--json", "--", home + "/bin/java", "-cp", ".", "Wake", timeout=50)
    labels = {row["label"] for row in json.loads(r.stdout[r.stdout.index('{"') :])["rows"]}
    live.check({"park", "classinit", "classwait"} <= labels, "timeline --java has lanes", (sorted(labels), r.stderr))


# Most of a run is waiting, so two go on at a time.
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    runs = [pool.submit(f, home) for home in JAVAS for f in (parks, classes, wakers, causes)]
    for r in runs + [pool.submit(lanes, JAVAS[0])]:
        r.result()
live.done()
