#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: javacalls.py [--dwell DWELL] [--java JAVA] [--loops N]

What a call of a small method of Java, and an object that is made, take longer by the provider java: the median of the loops of each
program, in ns of CPU time. Run as root."""
import argparse
import os
import re
import signal
import statistics
import subprocess
import tempfile

SOURCE = """public class Calls {
  static volatile Object kept; static volatile long sum;
  static class Box { int k; Box(int k) { this.k = k; } }
  static class Crate extends Box { Crate(int k) { super(k); } }
  static int add(int a, String s) { return a + s.length(); }
  static void calls(int n) { long s = 0; for (int i = 0; i < n; i++) s += add(i, "text"); sum = s; }
  static void boxes(int n) { for (int i = 0; i < n; i++) kept = new Box(i); }
  static void crates(int n) { for (int i = 0; i < n; i++) kept = new Crate(i); }
  public static void main(String[] a) throws Exception {
    java.util.Scanner in = new java.util.Scanner(System.in); int n = Integer.parseInt(a[0]);
    java.lang.management.ThreadMXBean cpu = java.lang.management.ManagementFactory.getThreadMXBean();
    for (int i = 0; i < 3; i++) { calls(n); boxes(n); crates(n); }
    while (in.hasNextLine()) {
      String w = in.nextLine(); long t = cpu.getCurrentThreadCpuTime();
      switch (w) { case "calls": calls(n); break; case "boxes": boxes(n); break; default: crates(n); }
      System.out.println((cpu.getCurrentThreadCpuTime() - t) / (double) n);
    }
  }
}
"""
ROWS = (
    ("calls", "a call, as it is", None),
    ("calls", "counted at entry", "java$target:Calls:add:entry { @ = count(); }"),
    ("calls", "its number summed", "java$target:Calls:add:entry { @ = sum(arg0); }"),
    ("calls", "its String as key", "java$target:Calls:add:entry { @[args[1]] = count(); }"),
    (
        "calls",
        "entry and return",
        "java$target:Calls:add:entry, java$target:Calls:add:return { @[probename] = count(); }",
    ),
    ("boxes", "an object, as it is", None),
    ("boxes", "its size summed at object-alloc", "java$target:Calls.Box::object-alloc { @ = sum(arg0); }"),
    ("crates", "one of a class below, as it is", None),
    ("crates", "… while the class above is traced", "java$target:Calls.Box::object-alloc { @ = sum(arg0); }"),
)


class Jvm:
    def __init__(self, java, n):
        words = [
            java,
            "-Xmx64m",
            "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=dontinline,Calls::add",
            "-cp",
            ".",
            "Calls",
            str(n),
        ]
        self.p = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def loop(self, what):
        self.p.stdin.write(what + "\n")
        self.p.stdin.flush()
        return float(self.p.stdout.readline())


def measure(dwell, jvm, what, program, loops):
    """ns of one, the median; and how many dwell has counted, or None."""
    jvm.loop(what)
    if program is None:
        return statistics.median(jvm.loop(what) for _ in range(loops))
    words = [dwell, "-x", "javaagent", "-qn", 'BEGIN { printf("begun\\n"); }' + program, "-p", str(jvm.p.pid)]
    d = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    d.stdout.readline()
    jvm.loop(what)
    ns = statistics.median(jvm.loop(what) for _ in range(loops))
    d.send_signal(signal.SIGINT)
    if not re.search(r"\d", d.communicate()[0]) and what != "crates":
        raise SystemExit("nothing was counted: " + program)
    return ns


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--dwell", default="dwell")
    ap.add_argument("--java", default="java")
    ap.add_argument("--loops", type=int, default=5)
    a = ap.parse_args()
    dwell = os.path.abspath(a.dwell) if "/" in a.dwell else a.dwell
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("Calls.java", "w", encoding="utf-8") as f:
            f.write(SOURCE)
        subprocess.run([os.path.join(os.path.dirname(a.java), "javac"), "Calls.java"], check=True)
        jvm = Jvm(a.java, 200000)
        try:
            for what, words, program in ROWS:
                print(f"{measure(dwell, jvm, what, program, a.loops):8.0f} ns  {words}", flush=True)
        finally:
            jvm.p.kill()
            jvm.p.wait()
        os.chdir("/")
    print("load average", os.getloadavg()[0])


if __name__ == "__main__":
    main()
