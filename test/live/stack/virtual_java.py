# SPDX-License-Identifier: Apache-2.0
"""jstack() of virtual threads (JDK 21 and newer): its own functions, that it is one, the carrier's below; before and after it has
left its carrier. Threads of the platform are none."""
import os
import platform
import re
import subprocess
import jvms
import live

JAVAS = [h for h in jvms.homes() if os.path.exists(h + "/bin/javac")]
NEW = [h for h in JAVAS if int(re.search(r'VERSION="(\d+)', open(h + "/release", encoding="utf-8").read())[1]) >= 21]
if platform.machine() != "x86_64" or not NEW:
    print("# no JDK with virtual threads, or user stacks are not walked as on x86-64")
    raise SystemExit(77)
os.chdir(live.WORK)
with open("Virt.java", "w", encoding="utf-8") as f:
    f.write(
        """import java.io.*;
public class Virt {
  static void flush(RandomAccessFile f) throws IOException { f.getFD().sync(); }
  static void first(RandomAccessFile f) throws IOException { flush(f); }
  static void again(RandomAccessFile f) throws IOException { flush(f); }
  static void plain(RandomAccessFile f) { try { flush(f); } catch (IOException e) { } }
  public static void main(String[] a) throws Exception {
    RandomAccessFile f = new RandomAccessFile("virt.dat", "rw");
    Thread.sleep(800);
    Thread[] t = new Thread[20];
    for (int i = 0; i < 20; i++) t[i] = Thread.startVirtualThread(() -> { try { first(f); for (int k = 0; k < 5; k++) { Thread.sleep(20); again(f); } } catch (Exception e) { } });
    for (Thread x : t) x.join();
    Thread p = new Thread(() -> plain(f));
    p.start();
    p.join();
    Thread.sleep(800);
  }
}
"""
    )
for home in NEW:
    what = os.path.basename(home)
    subprocess.run([home + "/bin/javac", "-d", what, "Virt.java"], check=True)
    r = live.dwell(
        "-x",
        "aggrate=100ms",
        "-qn",
        "syscall::fsync:entry /pid == $target/ { @[jstack(80)] = count(); }",
        "-c",
        f"{home}/bin/java -cp {what} Virt",
        timeout=60,
    )
    n = {"first": 0, "again": 0, "plain": 0}
    bad = []
    for text, count in re.findall(r"((?:^ +\S.*[^\d\s].*\n)+) +(\d+)\n", r.stdout, re.M):
        name = re.search(r"Virt\.(first|again|plain) at Virt\.java:[456]\b", text)
        virtual, carrier = "java.lang.VirtualThread.runContinuation at" in text, "ForkJoinWorkerThread.run at" in text
        n[name[1] if name else "plain"] += int(count)
        if not name or (name[1] != "plain") != virtual or virtual != carrier or not re.search("`clone3?", text):
            bad.append(text)
    live.check(
        n == {"first": 20, "again": 100, "plain": 1} and not bad, f"{what}: virtual threads", (n, bad[:1], r.stderr)
    )
live.done()
