# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""Monitors of Java: each wait to enter one, as often and as long in sum as the JVM says of each thread; who had it, and the
functions of both. JAVAS: further JVMs, separated by colons."""
import os
import re
import shutil
import subprocess
import jvms
import live

JAVAS = jvms.homes()
if not JAVAS or not shutil.which("javac"):
    print("# no JVM and its compiler here")
    raise SystemExit(77)
os.chdir(live.WORK)
with open("Mon.java", "w", encoding="utf-8") as f:
    f.write(
        '''import java.lang.management.*; import java.util.*;
public class Mon {
  static final Object lock = new Object(); static volatile long sum;
  static void owner() {
    synchronized (lock) { work(); }
  }
  static void work() { long end = System.nanoTime() + 5000000; while (System.nanoTime() < end) sum++; }
  public static void main(String[] a) throws Exception {
    ThreadMXBean b = ManagementFactory.getThreadMXBean(); b.setThreadContentionMonitoringEnabled(true);
    Thread.sleep(300);
    Thread[] t = new Thread[3];
    ThreadInfo[] said = new ThreadInfo[3];
    b.getThreadInfo(Thread.currentThread().getId()); /* its classes are there when the threads ask */
    for (int k = 0; k < 3; k++) {
      final int n = k;
      t[k] = new Thread(() -> {
        for (int i = 0; i < 40; i++) { owner(); try { Thread.sleep(3); } catch (InterruptedException e) { } }
        said[n] = b.getThreadInfo(Thread.currentThread().getId());
      }, "worker-" + k);
      t[k].start();
    }
    for (Thread x : t) x.join();
    for (ThreadInfo i : said) System.out.println("blocked " + i.getThreadName() + " " + i.getBlockedCount() + " " + i.getBlockedTime() + ";");
    Thread.sleep(300);
  }
}
'''
    )
subprocess.run(["javac", "Mon.java"], check=True)
MS = {"us": 1e-3, "ms": 1, "s": 1e3}
for home in JAVAS:
    what = os.path.basename(home)
    r = live.dwell(
        "latency", "--over", "1us", "--all", "--stacks", "monitor", "--", home + "/bin/java", "-Xmx64m", "Mon"
    )
    told = {n: (int(c), int(t)) for n, c, t in re.findall(r"blocked (worker-\d) (\d+) (\d+);", r.stdout)}
    slow = re.findall(
        r"^slow monitor +([\d.]+) (us|ms|s)  (\S+) .*\n  monitor +\d+\n  waker_tid +\d+\n  waker_comm +(\S*)\n((?:  .*\n)*)",
        r.stdout,
        re.M,
    )
    waits = [(float(t) * MS[u], who, waker, stack) for t, u, who, waker, stack in slow if who in told]
    got = {n: (sum(w[1] == n for w in waits), sum(w[0] for w in waits if w[1] == n)) for n in told}
    live.check(
        len(told) == 3
        and all(abs(got[n][0] - c) <= 1 and abs(got[n][1] - t) <= 0.02 * t + 5 for n, (c, t) in told.items()),
        f"{what}: as many waits, and as long in sum, as the JVM says",
        (got, told, r.stderr),
    )
    here = ["Mon.owner at Mon.java:5" in w[3] for w in waits]  # others are of classes that are loaded
    live.check(
        sum(here) >= 0.9 * len(here), f"{what}: where the thread waited", [w for w, h in zip(waits, here) if not h]
    )
    live.check(
        sum(w[2].startswith("worker-") and w[2] != w[1] for w in waits) > len(waits) / 2,
        f"{what}: who had it",
        waits[:9],
    )
    live.check(
        "for a monitor of Java, released by worker-" in r.stdout.replace("\n    ", " "),
        f"{what}: as sentences",
        r.stdout[:900],
    )
    held = re.findall(r"^slow monheld +.*ended by worker-\d .*\n  key +\d+\n  ustack.*\n((?:  .*\n)*)", r.stdout, re.M)
    live.check(
        len(held) > 10 and sum("Mon.owner at Mon.java:5" in h for h in held) >= 0.9 * len(held),
        f"{what}: where the one who had it let it go",
        [h for h in held if "Mon.owner" not in h],
    )
r = live.dwell("latency", "monitor")
live.check(r.returncode == 2 and "one process" in r.stderr, "without a process it is refused", r.stderr)
live.done()
