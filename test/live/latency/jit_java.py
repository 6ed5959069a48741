# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""Functions that HotSpot compiles: as many as the JVM counts itself, by both compilers, by name. JAVAS: further JVMs, separated
by colons."""
import os
import re
import shutil
import subprocess
import jvms
import live

JAVAS = jvms.homes()
if not JAVAS or not shutil.which("javac"):
    print("# no JVM and its compiler here")
    raise SystemExit(77)
os.chdir(live.WORK)
with open("Hot.java", "w", encoding="utf-8") as f:
    f.write(
        '''public class Hot {
  static volatile long sum;
  static int hot(int n) { int s = 0; for (int i = 0; i < 1000; i++) s += i * n % 7; return s; }
  public static void main(String[] a) throws Exception {
    Thread.sleep(500);
    for (long end = System.currentTimeMillis() + 1000; System.currentTimeMillis() < end; ) sum += hot(3);
  }
}
'''
    )
subprocess.run(["javac", "Hot.java"], check=True)
for home in JAVAS:
    what = os.path.basename(home)
    r = live.dwell(
        "latency",
        "--over",
        "1us",
        "--all",
        "--stacks",
        "jit",
        "--",
        home + "/bin/java",
        "-XX:+CITime",
        "-Xmx64m",
        "Hot",
    )
    got = re.findall(r"^slow jit +.*\n  compiler +(C[12])\n  method +(\S+)$", r.stdout, re.M)
    told = re.search(r"Total compiled methods +: +(\d+) methods", r.stdout)
    late = 5 if "may have run past probes" in r.stderr else 1  # the JVM begins to compile as it maps its library
    live.check(
        told and int(told[1]) > 5 and -late <= len(got) - int(told[1]) <= 1,
        f"{what}: as many as the JVM counts",
        (len(got), told and told[0], r.stderr),
    )
    live.check({("C1", "Hot.hot"), ("C2", "Hot.hot")} <= set(got), f"{what}: by both compilers", sorted(set(got)))
    live.check("for the compiler C2" in r.stdout.replace("\n    ", " "), f"{what}: as sentences", r.stdout[:900])
r = live.dwell("latency", "jit")
live.check(r.returncode == 2 and "one process" in r.stderr, "without a process it is refused", r.stderr)
live.done()
