# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
"""Provider java and jstack() where it is hard: 3,000 threads in methods of a class that an agent has changed; a JVM in a container with its
own files and pids; JVMs that are killed while dwell attaches to them; one that ends while it is traced."""
import os
import random
import re
import shutil
import signal
import subprocess
import time
import jvms
import live

JAVAS = jvms.homes()[:1]
if not shutil.which("unshare"):
    print("# no unshare here")
    raise SystemExit(77)
jvms.need_provider(JAVAS)
os.chdir(live.WORK)
with open("Many.java", "w", encoding="utf-8") as f:
    f.write(
        """public class Many {
  static volatile long n;
  static long step(long i) { return i * 31 % 1009; }
  static long spin(int k) { long s = 0; for (int i = 0; i < k; i++) s += step(i); return s; }
  static void stay() { try { for (;;) { Thread.sleep(500); n += 1; } } catch (InterruptedException e) { } }
  public static void main(String[] a) throws Exception {
    for (int i = 0; i < Integer.parseInt(a[0]); i++) { Thread t = new Thread(null, Many::stay, "many-" + i, 256 << 10); t.setDaemon(true); t.start(); }
    System.out.println("ready"); System.out.flush();
    for (;;) { n += spin(100000); Thread.sleep(20); }
  }
}
"""
    )
subprocess.run(["javac", "--release", "17", "Many.java"], check=True)
JAVA = [JAVAS[0] + "/bin/java", "-Xmx128m", "-cp", ".", "Many"]


def start(*words):
    p = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    p.stdout.readline()
    return p


def left(folder):
    return [n for n in os.listdir(folder) if n.startswith("dwell-java-")]


METHODS = (
    "java$target:Many:spin:entry,java$target:Many:stay:entry { @[probefunc, arg0] = count(); } tick-3s { exit(0); }"
)
STACKS = "sched:::off-cpu /pid == $target/ { @[jstack(20)] = count(); } tick-3s { exit(0); }"
jvm = start(*JAVA, "3000")
try:
    threads = len(os.listdir(f"/proc/{jvm.pid}/task"))
    r = live.dwell("-x", "javaagent", "-qn", METHODS, "-p", str(jvm.pid))
    live.check(threads > 3000 and re.search(r"spin +100000 +\d+", r.stdout), f"{threads} threads: methods", r)
    r = live.dwell("-qn", STACKS, "-p", str(jvm.pid))
    counts = [(s, int(s.split()[-1])) for s in r.stdout.split("\n\n") if "Thread.sleep" in s]
    named = sum(n for s, n in counts if "Many.stay" in s or "Many.main" in s)
    total = sum(n for _, n in counts)
    live.check(
        total > 3000 and named >= total * 0.99,
        f"{named} of {total} stacks of methods that were changed are named",
        r.stdout[-3000:],
    )
    # It ends while it is traced.
    d = subprocess.Popen(
        [live.DWELL, "-x", "javaagent", "-qn", METHODS.split("tick")[0], "-p", str(jvm.pid)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    time.sleep(2)
    jvm.kill()
    out = d.communicate(timeout=60)[0]
    live.check(d.returncode == 0, "it ends with the JVM", (d.returncode, out))
finally:
    jvm.kill()
    jvm.wait()
for _ in range(5):
    jvm = start(*JAVA, "10")
    d = subprocess.Popen(
        [live.DWELL, "-x", "javaagent", "-qn", METHODS, "-p", str(jvm.pid)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    time.sleep(random.uniform(0.05, 0.6))
    jvm.kill()
    jvm.wait()
    out = d.communicate(timeout=60)[0]
    live.check(
        d.returncode in (0, 1) and not left("/tmp"), "killed while dwell attaches", (d.returncode, out, left("/tmp"))
    )
# A container: other numbers, another /tmp.
os.mkdir("tmp")
for n in [n for n in os.listdir(".") if n.endswith(".class")]:
    shutil.copy(n, "tmp")
inside = "mount -t proc none /proc && mount --bind tmp /tmp && cd /tmp && exec " + " ".join(JAVA) + " 5"
box = start("unshare", "--mount", "--pid", "--fork", "sh", "-c", inside)
try:
    with open(f"/proc/{box.pid}/task/{box.pid}/children", encoding="utf-8") as f:
        pid = f.read().split()[0]
    r = live.dwell("-x", "javaagent", "-qn", METHODS, "-p", pid)
    live.check(re.search(r"spin +100000 +\d+", r.stdout), "in a container: methods", r)
    live.check(not left("tmp"), "in a container: nothing is left in its /tmp", os.listdir("tmp"))
    r = live.dwell("-qn", STACKS, "-p", pid)
    live.check("Many.stay" in r.stdout and "Thread.sleep" in r.stdout, "in a container: stacks", r.stdout[-3000:])
finally:
    for p in (pid, box.pid):
        os.kill(int(p), signal.SIGKILL)
    box.wait()
live.done()
