# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
"""Totals of the trackers of Java beside what the JVM itself says, within 2 %: park (ThreadInfo.getWaitedTime()), monitor
(getBlockedTime()), both with their counts; classinit and classwait (System.nanoTime() around what initialises). Those of gc and
safepoint are in gc_java.py. JAVAS: further JVMs, separated by colons."""
import json
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
CLASSES = 20
with open("Totals.java", "w", encoding="utf-8") as f:
    f.write(
        """import java.lang.management.*; import java.util.concurrent.locks.*;
public class Totals {
  static void nap(long ms) { try { Thread.sleep(ms); } catch (InterruptedException e) { } }
  static void spin(long ms) { long end = System.nanoTime() + ms * 1000000; while (System.nanoTime() < end) { } }
  static final Object lock = new Object(); static volatile int turn; static final ThreadInfo[] said = new ThreadInfo[4]; static ThreadMXBean bean;
  static void held(int n) { for (int i = 0; i < 40; i++) { synchronized (lock) { spin(5); } LockSupport.parkNanos(3000000); } said[n] = bean.getThreadInfo(Thread.currentThread().getId()); }
  static void parks() { for (int i = 0; i < 40; i++) { int n = i; while (turn <= n) LockSupport.park(); } said[3] = bean.getThreadInfo(Thread.currentThread().getId()); }
  static void load(String what, String name) { try { long from = System.nanoTime(); Class.forName(name); System.out.println(what + " " + name + " " + (System.nanoTime() - from) + ";"); } catch (Exception e) { throw new RuntimeException(e); } }
  public static void main(String[] a) throws Exception {
    bean = ManagementFactory.getThreadMXBean(); bean.setThreadContentionMonitoringEnabled(true);
    bean.getThreadInfo(Thread.currentThread().getId());
    nap(7000);
    Thread[] t = new Thread[4];
    for (int i = 0; i < 3; i++) { int n = i; t[i] = new Thread(() -> held(n), "worker-" + i); }
    t[3] = new Thread(() -> parks(), "parker-3");
    for (Thread x : t) x.start();
    for (int i = 0; i < 40; i++) { nap(20); turn++; LockSupport.unpark(t[3]); }
    for (Thread x : t) x.join();
    for (ThreadInfo i : said) System.out.println("said " + i.getThreadName() + " " + i.getBlockedCount() + " " + i.getBlockedTime() + " " + i.getWaitedCount() + " " + i.getWaitedTime() + ";");
    for (int i = 0; i < CLASSES; i++) {
      String name = "Totals$C" + i;
      Thread one = new Thread(() -> load("init", name), "one"), two = new Thread(() -> load("wait", name), "two");
      one.start(); nap(10); two.start(); one.join(); two.join();
    }
    nap(300);
  }
""".replace("CLASSES", str(CLASSES))
        + "".join("  static class C%d { static { nap(60); } }\n" % i for i in range(CLASSES))
        + "}\n"
    )
subprocess.run(["javac", "Totals.java"], check=True)


def near(got, want, slack):
    return abs(got - want) <= 0.02 * want + slack


for home in JAVAS:
    what = os.path.basename(home)
    if os.path.exists("rec.dwell"):
        os.unlink("rec.dwell")
    java = ["--", home + "/bin/java", "-Xmx64m", "-cp", ".", "Totals"]
    trackers = ["park", "monitor", "classinit"]
    r = live.dwell("latency", "--over", "1us", "--all", "--record", "rec.dwell", *trackers, *java, timeout=60)
    told = {m[0]: [int(n) for n in m[1:]] for m in re.findall(r"said (\S+) (\d+) (\d+) (\d+) (\d+);", r.stdout)}
    events = [
        json.loads(l) for l in live.dwell("latency", "--json", "rec.dwell").stdout.splitlines() if '"latency-slow"' in l
    ]

    def of(tracker, comm, field=None, value=None):
        ns = [
            e["delay_ns"]
            for e in events
            if e["tracker"] == tracker and e["comm"] == comm and (not field or e["attrs"].get(field) == value)
        ]
        return len(ns), sum(ns) / 1e6

    live.check(len(told) == 4, f"{what}: the JVM tells of four threads", (r.stdout[:900], r.stderr))
    for name, (blocked, blocked_ms, waited, waited_ms) in told.items():
        for tracker, count, ms in ("monitor", blocked, blocked_ms), ("park", waited, waited_ms):
            n, total = of(tracker, name)
            print(f"# {what}: {tracker} of {name}: {n} of {count}, {total:.1f} ms of {ms}")
            # The JVM counts whole milliseconds, from the clock's last tick, and less than one of each.
            live.check(
                abs(n - count) <= 1 and near(total, ms, 2 + (count * 0.1)),
                f"{what}: {tracker} of {name}: as many and as long as the JVM says",
                (n, count, total, ms),
            )
    for tracker, word, comm in ("classinit", "init", "one"), ("classwait", "wait", "two"):
        want = [int(ns) / 1e6 for ns in re.findall(word + r" Totals\$C\d+ (\d+);", r.stdout)]
        n, total = of(tracker, comm)
        print(f"# {what}: {tracker}: {n} of {len(want)}, {total:.1f} ms of {sum(want):.1f}")
        live.check(
            n >= CLASSES == len(want) and 0.98 * sum(want) - 5 <= total <= 1.02 * sum(want),
            f"{what}: {tracker}: as long as the program says",
            (n, total, want),
        )
live.done()
