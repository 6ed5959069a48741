# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""Provider java: texts of objects are made without calling the program: numbers of boxes, names of constants, characters of builders,
exceptions, arrays, and of others the class and the hash as Object.toString() has them; up to ten arguments."""
import os
import subprocess
import jvms
import live

JAVAS = jvms.homes() if live.LONG else jvms.homes()[:1]
jvms.need_provider(JAVAS)
os.chdir(live.WORK)
with open("Args.java", "w", encoding="utf-8") as f:
    f.write(
        """import java.util.*; import java.util.concurrent.atomic.*;
public class Args {
  enum Color { RED, GREEN { public String toString() { called++; return "no"; } } }
  static class Loud implements CharSequence {
    public String toString() { called++; return "loud"; } public int hashCode() { called++; return 1; }
    public char charAt(int i) { called++; return 'x'; } public int length() { called++; return 1; }
    public CharSequence subSequence(int a, int b) { called++; return this; }
  }
  static class Broken extends RuntimeException { Broken(String s) { super(s); } public String getMessage() { called++; return "no"; } }
  static volatile int called, sink;
  static void show(int i, Object o) { sink += i; }
  static void many(int a, String b, long c, Object d, char e, double f, byte g, String h, int i, Color j, int k) { sink += k; }
  static int wide(long a, long b, long c, long d, long e, long f, long g) { sink += g; return (int) g; }
  public static void main(String[] a) throws Exception {
    Object loud = new Loud();
    StringBuilder big = new StringBuilder();
    for (int i = 0; i < 5000; i++) big.append('a');
    Object[] v = { 42, -7L, true, 'x', (short) -3, (byte) 9, 1.5, 0.1f, 1e300, Double.NaN, 3.0, new AtomicInteger(5), new AtomicLong(-6),
      Color.RED, Color.GREEN, "text", new StringBuilder("b\\u00e4u").append(1), new StringBuffer("wide \\u20ac"), new StringBuilder(), String.class,
      new int[3], new String[2][5], new Broken("odd"), new Exception(), loud, big, null };
    System.out.println(System.identityHashCode(loud)); System.out.flush();
    Scanner in = new Scanner(System.in);
    while (in.hasNextLine() && in.nextLine().equals("go")) {
      for (int i = 0; i < v.length; i++) show(i, v[i]);
      many(1, "two", 3L, 4, 'e', 6.5, (byte) -7, "eight", 9, Color.RED, 11);
      sink += wide(1, 2, 3, 4, 5, 6, 1L << 40);
      System.out.println(called); System.out.flush();
    }
  }
}
"""
    )
subprocess.run(["javac", "--release", "17", "Args.java"], check=True)
PROGRAM = """BEGIN { printf("begun\\n"); }
java$target:Args:show:entry { printf("%d %s\\n", arg0, arg1 ? args[1] : "null"); }
java$target:Args:many:entry { printf("many %d %s %d %s %d %d %d %s %d %s\\n", arg0, args[1], arg2, args[3], args[4], args[5] == 0x401a000000000000, args[6],
  args[7], arg8, args[9]); }
java$target:Args:wide:entry { printf("wide %d %d\\n", arg5, args[6]); exit(0); }
"""
for home in JAVAS:
    what = os.path.basename(home)
    jvm = subprocess.Popen(
        [home + "/bin/java", "-Xmx64m", "-cp", ".", "Args"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        hashed = int(jvm.stdout.readline())
        dwell = subprocess.Popen(
            [live.DWELL, "-x", "javaagent", "-x", "strsize=600", "-qn", PROGRAM, "-p", str(jvm.pid)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        first = dwell.stdout.readline()
        jvm.stdin.write("go\n")
        jvm.stdin.flush()
        called = jvm.stdout.readline().strip()
        out, err = dwell.communicate(timeout=60)
        texts = (
            "42 -7 true x -3 9 1.5 0.1 1e+300 NaN 3.0 5 -6 RED GREEN text bäu1|wide €||java.lang.String|int[3]|java.lang.String[2][]|Args$Broken: odd|"
            f"java.lang.Exception|Args$Loud@{hashed:x}|{'a' * 508}|null"
        )
        words = texts.split("|")
        want = [f"{i} {t}" for i, t in enumerate(words[0].split() + words[1:])]
        want += ["many 1 two 3 4 101 1 -7 eight 9 RED", f"wide 6 {1 << 40}"]
        got = out.rstrip("\n").split("\n")
        live.check(first == "begun\n" and got == want, f"{what}: texts of objects, ten arguments", (got, want, err))
        live.check(called == "0", f"{what}: no code of the program was called", called)
    finally:
        jvm.kill()
        jvm.wait()
live.done()
