# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""Provider java of a JVM that dwell starts (-c): from the first call of main() on, with types; commands that are no JVM, or become one.
object-alloc: objects of a class by what makes them, each once. java*: the JVMs that run, one of which ends."""
import os
import re
import subprocess
import jvms
import live

JAVAS = jvms.homes()
jvms.need_provider(JAVAS)
os.chdir(live.WORK)
with open("Made.java", "w", encoding="utf-8") as f:
    f.write(
        """import java.io.*;
public class Made {
  static volatile Object sink; static volatile int n;
  static class Base implements Cloneable {
    int a; Base() { this(1); } Base(int a) { this.a = a; if (a < 0) throw new IllegalArgumentException(); }
    Base copy() throws Exception { return (Base) clone(); }
  }
  static class Sub extends Base {
    long w, x; Sub(int k) { super(k > 2 ? k : new Base(k).a); w = k; }
    Sub(String s) { super(new Base(new Base(3).a).a); try { n += s.length(); } catch (RuntimeException e) { n--; } }
  }
  static abstract class Above { Above() { n++; } }
  static class Below extends Above { }
  static class Kept extends Base implements Serializable { Kept() { super(5); } }
  record Pair(int a, String b) { }
  static void step(String s) { n++; }
  public static void main(String[] x) throws Exception {
    for (int i = 0; i < 10; i++) {
      sink = new Base(); sink = new Base(2).copy(); sink = new Sub(i); sink = new Sub("x"); sink = new Below(); sink = new Pair(i, "p"); sink = new Base[7];
      sink = Base.class.getDeclaredConstructor().newInstance();
      try { sink = new Base(-1); } catch (IllegalArgumentException e) { }
      ByteArrayOutputStream o = new ByteArrayOutputStream(); new ObjectOutputStream(o).writeObject(new Kept());
      sink = new ObjectInputStream(new ByteArrayInputStream(o.toByteArray())).readObject();
    }
    System.out.println("made");
    if (x.length > 0) for (;;) { step(x[0]); Thread.sleep(20); }
  }
}
"""
    )
subprocess.run(["javac", "--release", "17", "Made.java"], check=True)
with open("become.sh", "w", encoding="utf-8") as f:
    f.write('#!/bin/sh\nx=$(echo a command before)\nexec "$@"\n')
os.chmod("become.sh", 0o755)
# Classes by name are loaded ahead: no thread of a busy machine waits for dwell in vain.
PROGRAM = """java$target:Made:main:entry { printf("main %s\\n", args[0]); }
java$target:Made.Base::object-alloc,java$target:Made.Below::object-alloc,java$target:Made.Kept::object-alloc,
java$target:Made.Pair::object-alloc,java$target:Made.Sub::object-alloc { @[probemod, probefunc] = count(); @size[probemod] = max(arg0); @odd[probemod] = max(arg0 % 8); }
java$target:Made.Sub:*:entry { @sub = count(); }
END { printa("made %s %s %@d\\n", @); printa("size %s %@d\\n", @size); printa("odd %s %@d\\n", @odd); printa("sub %@d\\n", @sub); }
"""
# 63: of 10 rounds, new Base() by another constructor, Base(2), two for Sub("x"), by reflection, and one that throws; 3 for Sub(int)
WANT = {"Made$Base": 63, "Made$Below": 10, "Made$Kept": 10, "Made$Pair": 10, "Made$Sub": 20}
for home in JAVAS:
    what = os.path.basename(home)
    r = live.dwell(
        "-x", "javaagent", "-qn", PROGRAM, "-c", f"./become.sh {home}/bin/java -Xmx64m -cp . Made", timeout=60
    )
    live.check("main java.lang.String[0]\n" in r.stdout, f"{what}: main() is seen, its types are known", r)
    made = {k: int(n) for k, n in re.findall(r"^made (\S+) <init> (\d+)$", r.stdout, re.M)}
    live.check(made == WANT, f"{what}: objects by class: no copies, no arrays, none twice", (made, r))
    size = {k: int(n) for k, n in re.findall(r"^size (\S+) (\d+)$", r.stdout, re.M)}
    odd = set(re.findall(r"^odd \S+ (\d+)$", r.stdout, re.M))
    live.check(size["Made$Sub"] == size["Made$Base"] + 16 and odd == {"0"}, f"{what}: their sizes", (size, odd))
    live.check(
        r.stdout.endswith("sub 20\n") or "sub 20\n" in r.stdout, f"{what}: with other probes of the constructors", r
    )

JAVA = JAVAS[0] + "/bin/java"
for command, said in (
    (f"{JAVA} -XX:NoSuchOption -cp . Made", "does not start"),
    ("sh -c true", "has ended before a JVM was there"),
    (
        f"{JAVA} -XX:+UnlockDiagnosticVMOptions -Xmx8000000g -cp . Made",
        "has ended before a JVM was there: it exited with status 1",
    ),
):
    r = live.dwell("-x", "javaagent", "-qn", "java$target:Made:main:entry { }", "-c", command, timeout=60)
    live.check(r.returncode == 1 and said in r.stderr, f"said of {command.split('/')[-1]}", r)
r = live.dwell("-x", "javaagent", "-qn", "java$target:Made:mian:entry { }", "-c", f"{JAVA} -cp . Made", timeout=60)
live.check(r.returncode == 1 and "there is a probe function main" in r.stderr, "a method that the class has not", r)
r = live.dwell("-qn", "java$target:Made:main:entry { }", "-c", f"{JAVA} -cp . Made", timeout=60)
live.check(r.returncode == 1 and "-x javaagent allows it" in r.stderr, "not without consent", r)

running = [
    subprocess.Popen(
        [h + "/bin/java", "-Xmx64m", "-cp", ".", "Made", n],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    for h, n in zip((JAVAS * 2)[:2], ("first", "second"))
]
try:
    for p in running:
        p.stdout.readline()
    program = 'BEGIN { printf("begun\\n"); } java*:Made:step:entry { @[probeprov, args[0]] = count(); n++; }'
    program += 'java*:Made:step:entry /args[0] == "first"/ { printf("first %d\\n", n); }'
    d = subprocess.Popen(
        [live.DWELL, "-x", "javaagent", "-x", "switchrate=50ms", "-qn", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while (line := d.stdout.readline()) and not line.startswith("first"):
        pass
    running[1].kill()
    running[1].wait()
    for _ in range(20):
        line = d.stdout.readline()
    d.send_signal(2)
    out, err = d.communicate(timeout=60)
    got = re.findall(r"(java\d+) +(first|second) +\d+", out)
    want = {(f"java{p.pid}", n) for p, n in zip(running, ("first", "second"))}
    live.check(
        line.startswith("first") and set(got) == want and not err,
        "java*: both, and on when one ends",
        (got, want, line, err),
    )
finally:
    for p in running:
        p.kill()
        p.wait()
live.done()
