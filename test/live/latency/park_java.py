# SPDX-License-Identifier: Apache-2.0
# @timeout: 90
"""Threads of Java that park, as often and as long as the program says, with who unparked them; classes by name that take long to initialise.
JAVAS: further JVMs, separated by colons."""
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
subprocess.run(["javac", "Park.java"], check=True)
for home in JAVAS:
    what, java = os.path.basename(home), home + "/bin/java"
    r = live.dwell("latency", "--over", "1ms", "--stacks", "park", "--", java, "-cp", ".", "Park", "2500")
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
    with subprocess.Popen([java, "-cp", ".", "Park", "5000"], stdout=subprocess.PIPE, text=True) as jvm:
        time.sleep(0.7)  # until it has mapped its library
        r = live.dwell("latency", "--over", "30ms", "--stacks", "classinit", "-p", jvm.pid, timeout=40)
    names = re.findall(r"^slow classinit +(\d+(?:\.\d+)?) ms .*\n  key +\d+\n  class +(\S+)$", r.stdout, re.M)
    live.check(
        {"Park$Heavy", "Park$Heir"} <= {n for _, n in names}
        and all(float(ms) >= 55 for ms, n in names if n.startswith("Park$")),
        f"{what}: classes",
        (names, r.stdout[:900], r.stderr),
    )
r = live.dwell("timeline", "--java", "--json", "--", JAVAS[0] + "/bin/java", "-cp", ".", "Park", "2500")
labels = {row["label"] for row in json.loads(r.stdout[r.stdout.index('{"') :])["rows"]}
live.check({"park", "classinit"} <= labels, "timeline --java has lanes", (sorted(labels), r.stderr))
live.done()
