# SPDX-License-Identifier: Apache-2.0
# @timeout: 180
"""Provider java: classes that are loaded while dwell runs are probed from their first call on, when a pattern or, with -Z, a name means
them; arguments that do not fit are said; their code is as it was loaded when dwell ends. Two runs want the same class."""
import os
import signal
import subprocess
import jvms
import live

JAVAS = jvms.homes() if live.LONG else jvms.homes()[:1]
jvms.need_provider(JAVAS)
os.chdir(live.WORK)
with open("Late.java", "w", encoding="utf-8") as f:
    f.write(
        """import java.util.*;
public class Late {
  static volatile int sink;
  static class Known { static void m(String s) { sink++; } }
  static class First { static void m(String s) { sink++; } static String back(int i) { return "b" + i; } }
  static class Second { static void m(String s) { sink++; } static void bad(int i) { throw new IllegalStateException("i " + i); } }
  static class Other { static void m(int i) { sink++; } }
  static class AClassWhoseNameIsMuchLongerThanThoseThatModulesOfTheKernelHave { static void m(String s) { sink++; } }
  static void run(String what, int n) {
    for (int i = 0; i < n; i++)
      switch (what) {
        case "known": Known.m("k" + i % 2); break;
        case "first": First.m("f" + i % 2); First.back(i); break;
        case "second": Second.m("s"); try { Second.bad(i); } catch (IllegalStateException e) { } break;
        case "other": Other.m(i); break;
        case "long": AClassWhoseNameIsMuchLongerThanThoseThatModulesOfTheKernelHave.m("l"); break;
        case "lambda": Runnable r = () -> sink++; r.run(); break;
      }
  }
  public static void main(String[] a) throws Exception {
    run("known", 1);
    System.out.println("ready");
    Scanner in = new Scanner(System.in);
    while (in.hasNextLine()) { String[] w = in.nextLine().split(" "); run(w[0], Integer.parseInt(w[1])); System.out.println(sink); }
  }
}
"""
    )
subprocess.run(["javac", "--release", "17", "Late.java"], check=True)


class Jvm:
    """The program, which runs what it is asked for."""

    def __init__(self, home):
        self.p = subprocess.Popen(
            [home + "/bin/java", "-Xmx64m", "-cp", ".", "Late"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.p.stdout.readline()

    def run(self, *what):
        for w in what:
            self.p.stdin.write(f"{w} 4\n")
            self.p.stdin.flush()
            self.p.stdout.readline()

    def start(self, program, *args):
        d = subprocess.Popen(
            [
                live.DWELL,
                "-x",
                "javaagent",
                *args,
                "-qn",
                'BEGIN { printf("begun\\n"); }' + program,
                "-p",
                str(self.p.pid),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        d.first = d.stdout.readline()
        return d


def end(d):
    d.send_signal(signal.SIGINT)
    out, err = d.communicate(timeout=60)
    return sorted(l.split() for l in out.split("\n") if l), d.first + err


for home in JAVAS:
    what = os.path.basename(home)
    jvm = Jvm(home)
    try:
        d = jvm.start("java$target:Late.*:m:entry { @[probemod, probefunc, copyinstr(arg0)] = count(); }")
        jvm.run("known", "first", "long")
        got, err = end(d)
        long = "Late$AClassWhoseNameIsMuchLongerThanThoseThatModulesOfTheKernelHave"
        want = sorted(
            [c, "m", t, n]
            for c, t, n in [
                ("Late$Known", "k0", "2"),
                ("Late$Known", "k1", "2"),
                ("Late$First", "f0", "2"),
                ("Late$First", "f1", "2"),
                (long, "l", "4"),
            ]
        )
        live.check(
            got == want and err == "begun\n",
            f"{what}: the first call of a class that is loaded later, too",
            (got, want, err),
        )
        r = live.dwell("-x", "javaagent", "-n", "java$target:Late.Second:m:entry { }", "-p", str(jvm.p.pid))
        live.check(
            r.returncode == 1 and "does not match any probes" in r.stderr, f"{what}: a class that is not there", r
        )
        d = jvm.start(
            "java$target:Late.Second:m:entry { @m = count(); } java$target:Late.Second:bad:* { @b[probename] = count(); }",
            "-Z",
        )
        also = jvm.start("java$target:Late*:*:throw { @[probefunc, copyinstr(arg1)] = count(); }")
        jvm.run("second")
        other, err2 = end(also)
        jvm.run("second")
        got, err = end(d)
        live.check(
            got == sorted([["8"], ["entry", "8"], ["throw", "8"]]) and err == "begun\n",
            f"{what}: by its name with -Z",
            (got, err),
        )
        live.check(
            other == sorted([["bad", "i", str(i), "1"] for i in range(4)]) and err2 == "begun\n",
            f"{what}: another run",
            (other, err2),
        )
        d = jvm.start("java$target:Late*:m:entry { @[probemod, args[0]] = count(); }")
        jvm.run("other", "known", "lambda")
        got, err = end(d)
        live.check(
            got == [["Late$Known", "k0", "2"], ["Late$Known", "k1", "2"]] and "args[0] is of type int32_t" in err,
            f"{what}: arguments that do not fit",
            (got, err),
        )
        d = jvm.start("java$target:Late*:m:entry { @ = count(); }")
        jvm.run("first", "second", "other", "known")
        got, err = end(d)
        live.check(got == [["16"]], f"{what}: again, by another run", (got, err))
        live.check(jvm.p.poll() is None, f"{what}: it runs on")
    finally:
        jvm.p.kill()
        jvm.p.wait()
live.done()
