# SPDX-License-Identifier: Apache-2.0
# @timeout: 180
"""Provider java: methods of a running JVM that an agent lets hit probes. Counts are the program's own; overloads, arguments, values,
exceptions; nothing without consent; the code is as before when dwell ends, or is killed, and nothing is left in /tmp. @long: also of
other JVMs than the first, and the code at more moments."""
import os
import re
import shutil
import signal
import subprocess
import time
import jvms
import live

JAVAS = jvms.homes() if live.LONG else jvms.homes()[:1]
jvms.need_provider(JAVAS)
os.chdir(live.WORK)
with open("Calc.java", "w", encoding="utf-8") as f:
    f.write(
        """import java.util.*;
public class Calc {
  static long ints, longs, fails, sum; static volatile boolean stop;
  static int add(int a, int b) { ints++; return a + b; }
  static long add(long a, int b) { longs++; return a + b; }
  String greet(String who, boolean loud) {
    if (loud)
      return "hello " + who;
    return null;
  }
  static void risky(int i) { if (i % 4 == 1) { fails++; throw new IllegalStateException("odd " + i); } }
  static class Inner {
    final int k; Inner(int k) { this.k = k; }
    int id(Object o, int[] v, char c, short s, byte y, long w, int seventh) { return v.length; }
    synchronized int locked(int n) { int s = 0; for (int i = 0; i < n; i++) try { risky(i); s++; } catch (RuntimeException e) { s += 2; } finally { s++; } return s; }
  }
  static class Closed extends ClassLoader { /* sees java.* only */
    Closed() { super(null); }
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("java.")) return super.loadClass(name, resolve);
      if (!name.equals("Hidden")) throw new ClassNotFoundException(name);
      Class<?> c = findLoadedClass(name);
      if (c != null) return c;
      try { byte[] b = java.nio.file.Files.readAllBytes(java.nio.file.Path.of("Hidden.class")); return defineClass(name, b, 0, b.length); }
      catch (java.io.IOException e) { throw new ClassNotFoundException(name, e); }
    }
  }
  static Runnable hidden;
  static void round(int n) {
    hidden.run();
    Calc c = new Calc();
    for (int i = 0; i < n; i++) {
      sum += add(i, 2) + add(-5L, i);
      c.greet("w\\u00e4\\u20ac\\ud83d\\ude00" + i % 2, i % 2 == 0);
      Inner in = new Inner(i);
      sum += in.id("text", new int[3], 'c', (short) -7, (byte) -2, 1L << 40, 7) + in.locked(2) + in.id(null, new int[3], 'c', (short) -7, (byte) -2, 1L << 40, 7);
    }
  }
  static long lines() { return ints; }
  public static void main(String[] a) throws Exception {
    java.lang.reflect.Constructor<?> k = new Closed().loadClass("Hidden").getConstructor();
    k.setAccessible(true);
    hidden = (Runnable) k.newInstance();
    round(1);
    Scanner sc = new Scanner(System.in);
    while (sc.hasNextLine()) {
      String[] w = sc.nextLine().split(" ");
      if (w[0].equals("end")) break;
      ints = longs = fails = sum = 0;
      long t = System.nanoTime();
      round(Integer.parseInt(w[1]));
      System.out.println(ints + " " + longs + " " + fails + " " + sum + " " + (System.nanoTime() - t));
    }
  }
}
class Hidden implements Runnable { public Hidden() {} public void run() { } }
"""
    )
subprocess.run(["javac", "--release", "17", "Calc.java"], check=True)
ROUNDS = 1000
PROGRAM = """
java$target:Calc:add:entry { @n[probefunc] = count(); @a[probefunc] = sum(arg0); }
java$target:Calc:add?int*:entry { @b[probefunc] = max(args[0]); }
java$target:Calc:add:return { @r[probefunc] = sum(arg1); }
java$target:Calc:greet:entry { @g[args[0], arg1] = count(); }
java$target:Calc:greet:return { @line[arg0, arg1 ? copyinstr(arg1) : "null"] = count(); }
java$target:Calc:risky:entry,java$target:Calc:risky:return { @k[probename] = count(); }
java$target:Calc:risky:throw { @k[probename] = count(); @x[args[0], args[1]] = count(); }
java$target:Calc.Inner:locked:r* { @v[arg1] = count(); }
java$target:Calc?Inner:*id:entry { @o[arg0 ? copyinstr(arg0) : "null", args[1], args[2], args[3], args[4], args[5]] = count(); }
java$target:Calc*:?init?:return { @c[probemod] = count(); }
java$target:Calc:lines:entry { @never = count(); }
dtrace:::END { printa("n %s %@d\\n", @n); printa("a %s %@d\\n", @a); printa("b %s %@d\\n", @b); printa("r %s %@d\\n", @r); printa("g %s %d %@d\\n", @g);
  printa("line %d %s %@d\\n", @line); printa("k %s %@d\\n", @k); printa("x %s %s %@d\\n", @x); printa("v %d %@d\\n", @v);
  printa("o %s %s %d %d %d %d %@d\\n", @o); printa("c %s %@d\\n", @c); }
"""
with open("calc.d", "w", encoding="utf-8") as f:
    f.write(PROGRAM)


def left(pid):
    """Folders of the agent in /tmp."""
    return [n for n in os.listdir("/tmp") if n.startswith(f"dwell-java-{pid}-") or n == f".attach_pid{pid}"]


class Jvm:
    """The program, which runs a round when asked."""

    def __init__(self, home):
        self.p = subprocess.Popen(
            [home + "/bin/java", "-Xmx64m", "-cp", ".", "Calc"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.round(1)
        if home == HOME:
            said = self.ask_debugger("classes")  # "class Calc" looks in one loader only
            self.at = re.findall(r"^(?:hsdb> )?Calc @(0x[0-9a-f]+)", said, re.M)[0]

    def round(self, n=ROUNDS):
        """ints, longs, fails, sum, ns."""
        self.p.stdin.write(f"go {n}\n")
        self.p.stdin.flush()
        return [int(x) for x in self.p.stdout.readline().split()]

    def start(self, *args):
        """dwell on it, when its probes are in place."""
        d = subprocess.Popen(
            [live.DWELL, "-x", "javaagent", "-q", *args, "-n", 'BEGIN { printf("begun\\n"); }', "-p", str(self.p.pid)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        while (line := d.stdout.readline()) and line != "begun\n":
            pass
        time.sleep(0.3)
        return d

    def ask_debugger(self, line):
        """The JVM's own debugger, which reads its memory, on a line."""
        r = subprocess.run(
            [HOME + "/bin/jhsdb", "clhsdb", "--pid", str(self.p.pid)],
            input=line + "\nquit\n",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return r.stdout

    def code(self, wanted):
        """The operations of Calc's methods as the JVM has them now, and whether calls are inserted. Asked again while that is not
        the wanted: the JVM is still changing them."""
        for _ in range(4):
            shutil.rmtree("dump", ignore_errors=True)
            said = self.ask_debugger(f"dumpclass {self.at} dump")
            got = operations("dump/Calc.class") if os.path.exists("dump/Calc.class") else (None, said)
            if got[1] is wanted:
                break
        return got


def operations(path):
    """Those of each method of a class file, without their operands, and whether they call the agent. The JVM has its methods in an
    order of its own."""
    javap = subprocess.run([HOME + "/bin/javap", "-p", "-c", path], stdout=subprocess.PIPE, text=True, check=True)
    methods = {m.split("\n")[0]: re.findall(r"^ +\d+: (\w+)", m, re.M) for m in javap.stdout.split("\n\n")}
    return {k.split("{")[-1].strip(): v for k, v in methods.items() if v}, "dwell/probe" in javap.stdout


HOME = JAVAS[0]
plain, _ = operations("Calc.class")
for home in JAVAS:
    what = os.path.basename(home)
    jvm = Jvm(home)
    try:
        r = live.dwell("-n", "java$target:Calc:add:entry { }", "-p", str(jvm.p.pid))
        live.check(r.returncode == 1 and "-x javaagent allows it" in r.stderr, f"{what}: not without consent", r)
        d = jvm.start("-s", "calc.d")
        ints, longs, fails, total, _ = jvm.round()
        if home == HOME and live.LONG:
            live.check(jvm.code(True)[1] is True, f"{what}: calls are inserted")
        d.send_signal(signal.SIGINT)
        out, err = d.communicate(timeout=60)
        got = sorted(l for l in out.split("\n") if l and l.split()[0] in "n a b r g line k x v o c".split())
        n, half = ROUNDS, ROUNDS // 2
        ups = n * (n - 1) // 2
        want = sorted(
            [
                f"n add(int,int) {ints}",
                f"n add(long,int) {longs}",
                f"a add(int,int) {ups}",
                f"a add(long,int) {-5 * n}",
                f"b add(int,int) {n - 1}",
                f"r add(int,int) {ups + 2 * n}",
                f"r add(long,int) {ups - 5 * n}",
                f"g wä€😀0 1 {half}",
                f"g wä€😀1 0 {half}",
                f"line 8 hello wä€😀0 {half}",
                f"line 9 null {half}",
                f"k entry {2 * n}",
                f"k return {n}",
                f"k throw {fails}",
                f"x java.lang.IllegalStateException odd 1 {n}",
                f"v 5 {n}",
                f"o text int[3] 99 -7 -2 {1 << 40} {n}",
                f"o null int[3] 99 -7 -2 {1 << 40} {n}",
                "c Calc 1",
                f"c Calc$Inner {n}",
            ]
        )
        live.check(got == want, f"{what}: counts, arguments, values and exceptions", (got, want, out, err))
        live.check(not err, f"{what}: nothing is wrong", err)
        live.check(jvm.round()[:4] == [ints, longs, fails, total], f"{what}: it counts as before")
        live.check(not left(jvm.p.pid), f"{what}: nothing is left in /tmp", left(jvm.p.pid))
        if home == HOME and live.LONG:
            now = jvm.code(False)
            live.check(now == (plain, False), f"{what}: the code is as before", now)

        # Two at a time, one of them killed.
        kept = jvm.start("-n", "java$target:Calc:add:entry { @ = count(); }")
        killed = jvm.start("-n", "java$target:Calc*::entry { @[probefunc] = count(); }")
        jvm.round()
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        time.sleep(0.5)
        jvm.round()
        kept.send_signal(signal.SIGINT)
        out, err = kept.communicate(timeout=60)
        live.check(out.split() == [str(4 * ROUNDS)], f"{what}: another run goes on when one is killed", (out, err))
        killed = jvm.start("-n", "java$target:Calc*:: { @[probefunc] = count(); }")
        jvm.round(100)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        if home == HOME:
            time.sleep(0.5)
            now = jvm.code(False)
            live.check(now == (plain, False), f"{what}: the code is as before after it was killed", now)
        live.check(jvm.round()[:4] == [ints, longs, fails, total], f"{what}: it counts as before, again")
        r = live.dwell("-x", "javaagent", "-n", "java$target:Nothing::entry { }", "-p", str(jvm.p.pid))
        live.check(r.returncode == 1 and "does not match any probes" in r.stderr, f"{what}: no such class", r)
        r = live.dwell("-x", "javaagent", "-n", "java$target:Hidden:run:entry { }", "-p", str(jvm.p.pid))
        live.check(
            r.returncode == 1 and "Hidden: java.lang.ClassNotFoundException" in r.stderr,
            f"{what}: a loader that hides it",
            r,
        )
        live.check(jvm.round()[:4] == [ints, longs, fails, total], f"{what}: it counts as before, after that")
        r = live.dwell("-x", "javaagent", "-l", "-n", "java$target:Calc:add:", "-p", str(jvm.p.pid))
        live.check(
            len(re.findall(r"add\((?:int|long),int\) (?:entry|return|throw)", r.stdout)) == 6, f"{what}: a list", r
        )
    finally:
        jvm.p.kill()
        jvm.p.wait()
r = live.dwell("-x", "javaagent", "-n", f"java{os.getpid()}:::entry {{ }}")
live.check(r.returncode == 1 and "is no JVM" in r.stderr, "a process that is no JVM", r)
live.done()
