# SPDX-License-Identifier: Apache-2.0
# @timeout: 1800
# @long: 10 runs of dwell on each busy JVM, each killed; KILLS=100 for as many
# @alone: its probes are those that are looked for
"""A JVM under load outlives dwell: killed at 10 random moments (KILLS=100: at 100, in three minutes), also while probes are put in
and taken out. It goes on, its sums stay right, and after each kill the code of libjvm.so in its memory is that of the file again.
Other JVMs than the first: 10 always."""
import os
import random
import signal
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
KILLS = int(os.environ.get("KILLS", "10"))
SEED = int(os.environ.get("SEED", "0")) or random.randrange(1, 1 << 30)
rng = random.Random(SEED)
with open("Busy.java", "w", encoding="utf-8") as f:
    f.write(
        """import java.util.*; import java.util.concurrent.*; import java.util.concurrent.atomic.*;
public class Busy {
  static final Object lock = new Object(); static long locked; static volatile boolean done;
  static long step(long i) { return i * 31 % 1009; }
  static long round() { long s = 0; for (long i = 0; i < 2000; i++) s += step(i); return s; }
  public static void main(String[] a) throws Exception {
    long want = round(); AtomicLong rounds = new AtomicLong(), wrong = new AtomicLong(); BlockingQueue<byte[]> q = new ArrayBlockingQueue<>(10);
    Thread[] t = new Thread[4];
    for (int k = 0; k < 4; k++) { int n = k; t[k] = new Thread(() -> { try { while (!done) {
      if (round() != want) wrong.incrementAndGet();
      synchronized (lock) { locked++; }
      if (n < 2) q.put(new byte[20000]); else q.take();
      rounds.incrementAndGet(); } } catch (InterruptedException e) { } }); t[k].start(); }
    Scanner in = new Scanner(System.in);
    while (in.hasNextLine() && !in.nextLine().equals("end")) System.out.println(rounds.get() + " " + wrong.get());
    done = true; Thread.sleep(200); for (Thread x : t) x.interrupt(); for (Thread x : t) x.join();
    System.out.println(rounds.get() + " " + wrong.get() + " " + (locked >= rounds.get()));
  }
}
"""
    )
subprocess.run(["javac", "Busy.java"], check=True)
FLAGS = ["-XX:+DTraceMethodProbes", "-XX:+DTraceAllocProbes", "-XX:+DTraceMonitorProbes"]
METHODS = "hotspot$target:::method-entry,hotspot$target:::method-return,hotspot$target:::object-alloc { @[probename] = count(); }"
PROGRAMS = (
    ("methods and allocations", ["-qn", METHODS]),
    ("all functions of a kind", ["-qn", "pid$target:libjvm.so:*ObjectMonitor*:entry { @[jstack(20)] = count(); }"]),
    (
        "methods by the agent",
        ["-x", "javaagent", "-qn", "java$target:Busy::,java$target:java.util.concurrent.*Queue:*:entry { @[probefunc, probename] = count(); }"],
    ),
    ("trackers", ["latency", "--stacks", "gc", "safepoint", "monitor", "park", "classinit"]),
)


def code_of(pid):
    """The executable part of libjvm.so in the process: its bytes, and those of the file."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as f:
        line = next(l for l in f if "libjvm.so" in l and " r-xp " in l)
    lo, hi = (int(x, 16) for x in line.split()[0].split("-"))
    offset, path = int(line.split()[2], 16), line.split()[5]
    with open(f"/proc/{pid}/mem", "rb") as mem, open(path, "rb") as file:
        mem.seek(lo)
        file.seek(offset)
        return mem.read(hi - lo), file.read(hi - lo)


def changed(pid):
    """Pages of the code that differ."""
    mem, file = code_of(pid)
    return sum(mem[i : i + 4096] != file[i : i + 4096] for i in range(0, len(file) & -4096, 4096))


def settles(pid):
    """Pages that still differ after the kernel has had time to take its breakpoints out."""
    for _ in range(100):
        n = changed(pid)
        if not n:
            return 0
        time.sleep(0.1)
    return n


for home in JAVAS:
    what = os.path.basename(home)
    # The flags switch the static probes of methods, objects and monitors on.
    jvm = subprocess.Popen(
        [home + "/bin/java", *FLAGS, "-Xmx64m", "-cp", ".", "Busy"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )

    def ask(text="\n"):
        jvm.stdin.write(text)
        jvm.stdin.flush()
        return jvm.stdout.readline().split()

    last, wrong, left, stuck, enabled = 0, 0, [], [], 0
    kills = KILLS if home == JAVAS[0] else 10
    ask()  # it has mapped its library
    try:
        for i in range(kills):
            name, args = PROGRAMS[i % len(PROGRAMS)]
            dwell = subprocess.Popen(
                [live.DWELL, *args, "-p", str(jvm.pid)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(rng.uniform(0.05, 3))
            n = changed(jvm.pid)
            enabled += n > 0
            dwell.send_signal(signal.SIGKILL)
            dwell.wait()
            if jvm.poll() is not None:
                break
            if n := settles(jvm.pid):
                left.append((i, name, n))
            now = ask()
            if not now or int(now[0]) <= last:
                stuck.append((i, name, now))
            last, wrong = int(now[0]), int(now[1])
        live.check(jvm.poll() is None, f"{what}: it lives after {i + 1} kills", (SEED, i, name, jvm.poll()))
        live.check(not left, f"{what}: no probe is left in its code", (SEED, left))
        live.check(not stuck, f"{what}: it goes on after each", (SEED, stuck))
        live.check(enabled > kills / 4, f"{what}: many were killed with probes in place", (enabled, kills, SEED))
        end = ask("end\n")
        live.check(wrong == 0 and end[1:] == ["0", "true"], f"{what}: its sums are right", (wrong, end))
        print(f"# {what}: {kills} kills, {enabled} with probes in place, {end[0]} rounds, seed {SEED}")
        jvm.stdin.close()
        live.check(jvm.wait(20) == 0, f"{what}: it ends as it should", jvm.returncode)
    finally:
        jvm.kill()
        jvm.wait()
live.done()
