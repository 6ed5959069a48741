# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""::jstack: frames of Java's threads are those that the JVM tells of itself at the same place: alive, and from a packed core; interpreted, compiled and
inlined methods; a process without a JVM; a core that is cut. JAVAS: further binaries, separated by colons."""
import json
import os
import platform
import re
import shutil
import subprocess
import time
import live

JAVAS = [j for j in [shutil.which("java")] + os.environ.get("JAVAS", "").split(":") if j]
if platform.machine() != "x86_64" or not JAVAS or not shutil.which("javac"):
    print("# no JDK here")
    raise SystemExit(77)
os.chdir(live.WORK)
with open("Deep.java", "w", encoding="ascii") as f:
    f.write(
        """
import java.util.concurrent.locks.LockSupport;
public class Deep {
    static volatile long sink;
    static volatile boolean warm = true;
    static void rest() { while (!warm) LockSupport.park(); }
    static int inner(int n) {
        if (n > 0) return inner(n - 1) + 1;
        rest();
        return 0;
    }
    static long spin(long n) { long s = 0; for (long i = 0; i < n; i++) s += mix(i); return s; }
    static long mix(long i) { return i * 31 ^ (i >>> 7); }
    static String where(Thread t) {
        StringBuilder b = new StringBuilder();
        for (StackTraceElement e : t.getStackTrace()) b.append(e.getClassName() + "." + e.getMethodName() + ":" + e.getLineNumber() + " ");
        return b.toString();
    }
    public static void main(String[] a) throws Exception {
        for (int i = 0; i < 20000; i++) inner(20); // until it is compiled
        warm = false;
        Thread parked = new Thread(() -> inner(40), "parked");
        Thread spinner = new Thread(() -> { while (true) sink += spin(100000); }, "spinner");
        spinner.setDaemon(true);
        parked.start();
        spinner.start();
        Thread.sleep(1000);
        System.out.println(where(parked));
        Thread.sleep(1000000);
    }
}
"""
    )
subprocess.run(["javac", "--release", "11", "Deep.java"], check=True, stderr=subprocess.DEVNULL)


def rows(*args):
    r = live.dwell("core", "--json", *args, timeout=60)
    live.check(r.returncode == 0, f"core {args}", r.stderr)
    return [json.loads(x) for x in r.stdout.splitlines()]


def named(frames):
    """As Throwable has them: without hidden frames, which lambdas and Thread.run() have."""
    all_ = [f"{x['function']}:{x['line']}" for f in frames for x in f.get("functions", ()) if x["line"]]
    return [x for x in all_ if "$$Lambda" not in x and ".Thread.runWith:" not in x]


def look(java):
    p = subprocess.Popen([java, "-Xmx64m", "-cp", ".", "Deep"], stdout=subprocess.PIPE, text=True)
    try:
        told = p.stdout.readline().split()
        tids = {}
        for t in os.listdir(f"/proc/{p.pid}/task"):
            with open(f"/proc/{p.pid}/task/{t}/comm", encoding="ascii", errors="replace") as f:
                tids[f.read().strip()] = int(t)
        live.dwell("core", "--save", p.pid, "java.core", timeout=100)
        for what in (("-p", p.pid), ("java.core",)):
            frames = rows(*what, "-c", f"0t{tids['parked']}::jstack")
            got = named(frames)
            want = [x for x in told if ":-" not in x]  # native methods and hidden classes have no line
            live.check(
                got == want and sum(x.startswith("Deep.inner:") for x in got) == 41,
                f"{what}: the frames that the JVM tells",
                (want, frames),
            )
            kinds = {x["kind"] for x in frames}
            live.check(
                {"C1", "C2"} & kinds and {"system", "stub"} <= kinds,
                f"{what}: compiled code, native frames and stubs",
                kinds,
            )
            live.check(
                frames[-1]["kind"] == "system" and "libc" in json.dumps(frames[-1]),
                "up to the thread's beginning",
                frames[-3:],
            )
            text = live.dwell("core", *what, "-c", f"0t{tids['parked']}::jstack -j -n 0t30").stdout
            example = live.dwell("core", *what, "-c", "::walk thread | ::jstack -j -n 5").stdout  # of its help
            live.check("java.lang.Thread.run" in example, "the example of ::jstack", example)
            live.check(re.search(r"^\w{16} Deep\.inner at Deep\.java:8", text, re.M), f"{what}: as text", text)
            live.check("libjvm" not in text and "goes on: more frames than are shown" in text, "-j and -n", text)
            spin = rows(*what, "-c", f"0t{tids['spinner']}::jstack")
            live.check(
                any(x.startswith(("Deep.spin:", "Deep.mix:")) for x in named(spin)[:2])
                and named(spin)[-1].startswith("java.lang.Thread.run:"),
                f"{what}: a thread that runs",
                spin,
            )
    finally:
        p.kill()
        p.wait()
    os.truncate("java.core", os.path.getsize("java.core") // 2)
    r = live.dwell("core", "java.core", "-c", "::jstack", timeout=60)
    live.check(r.returncode in (0, 1), "half a core ends in order", r)
    os.unlink("java.core")


for one in JAVAS:
    look(one)
sleeper = subprocess.Popen(["sleep", "1000"])
r = live.dwell("core", "-p", sleeper.pid, "-c", "::jstack")
live.check(r.returncode == 1 and "there is no JVM in this process" in r.stderr, "no JVM", r.stderr)
r = live.dwell("core", "-p", sleeper.pid, "-c", "::jstack -x")
live.check(r.returncode == 1 and "unexpected '-x'" in r.stderr, "wrong use", r.stderr)
sleeper.kill()
sleeper.wait()
live.done()
