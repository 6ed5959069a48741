# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
"""Collections and safepoints of HotSpot: as long in sum as -Xlog says, with collector and reason; lanes of the timeline; causes
of the waits of those that are stopped. JAVAS: further JVMs, separated by colons."""
import base64
import json
import os
import re
import shutil
import subprocess
import zlib
import jvms
import live

JAVAS = jvms.homes()
if not JAVAS or not shutil.which("javac"):
    print("# no JVM and its compiler here")
    raise SystemExit(77)
os.chdir(live.WORK)
with open("Churn.java", "w", encoding="utf-8") as f:
    f.write(
        '''import java.util.*;
public class Churn {
  static byte[][] keep = new byte[8000][]; static volatile long sum;
  static void work() { for (int i = 0; i < 20000; i++) sum += i * 31 % 7; }
  static void churn(long end) {
    Random r = new Random(1);
    for (int i = 0; System.currentTimeMillis() < end; i++) { keep[i < 8000 ? i : r.nextInt(8000)] = new byte[1000 + r.nextInt(4000)]; if (i % 100 == 0) work(); }
  }
  public static void main(String[] a) throws Exception {
    Thread.sleep(300); long end = System.currentTimeMillis() + Long.parseLong(a[0]);
    Thread[] t = new Thread[2];
    for (int i = 0; i < 2; i++) { t[i] = new Thread(() -> churn(end), "churn-" + i); t[i].start(); }
    for (Thread x : t) x.join();
    System.gc(); Thread.sleep(300);
  }
}
'''
    )
subprocess.run(["javac", "Churn.java"], check=True)
PAUSE, STOP = re.compile(r"GC\(\d+\) Pause .* ([\d.]+)ms$", re.M), re.compile(
    r'Safepoint "\w+".* Total: +(\d+) ns', re.M
)
COLLECTORS = {
    "G1": ("G1 Young Generation", "G1 Evacuation Pause"),
    "Parallel": ("PS Scavenge", "Allocation Failure"),
    "Serial": ("Copy", "Allocation Failure"),
}


def lines(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def java(home, collector):
    return [
        "--",
        home + "/bin/java",
        "-Xmx64m",
        f"-XX:+Use{collector}GC",
        "-Xlog:gc:file=gc.log",
        "-Xlog:safepoint:file=safepoint.log",
        "Churn",
        "1500",
    ]


def measure(home, collector):
    """What is seen, and what the JVM says, of one run: the text, events by tracker, milliseconds of pauses, of stops."""
    if os.path.exists("rec.dwell"):
        os.unlink("rec.dwell")
    r = live.dwell(
        "latency",
        "--over",
        "1us",
        "--all",
        "--stacks",
        "--record",
        "rec.dwell",
        "gc",
        "safepoint",
        *java(home, collector),
    )
    events = [
        json.loads(l) for l in live.dwell("latency", "--json", "rec.dwell").stdout.splitlines() if '"latency-slow"' in l
    ]
    pauses, stops = [float(p) for p in PAUSE.findall(lines("gc.log"))], [
        int(ns) / 1e6 for ns in STOP.findall(lines("safepoint.log"))
    ]
    return r.stdout, {t: [e for e in events if e["tracker"] == t] for t in ("gc", "safepoint")}, pauses, stops


def total(events):
    return sum(e["delay_ns"] for e in events) / 1e6


# A pause begins and ends some code before and after what the JVM measures: a busy machine may let others run there.
TRIES = 5
for home in JAVAS:
    for collector, (name, reason) in COLLECTORS.items():
        what = f"{os.path.basename(home)} {collector}"
        for _ in range(TRIES):
            text, seen, pauses, stops = measure(home, collector)
            shares = total(seen["gc"]) / sum(pauses), total(seen["safepoint"]) / sum(stops)
            if max(shares) <= 1.02:
                break
        got = re.findall(r"^slow gc +.* VM Thread .*\n  collection +(.*)\n  reason +(.*)\n  asker +(.*)$", text, re.M)
        live.check(
            (name, reason) in {g[:2] for g in got} and any(g[1] == "System.gc()" and g[2] == "java" for g in got),
            f"{what}: collectors, reasons, who asked",
            sorted(set(got)),
        )
        live.check(
            any(g[2].startswith("churn-") for g in got), f"{what}: threads that asked, by name", sorted(set(got))
        )
        live.check(
            len(pauses) > 5 and 0.98 <= shares[0] <= 1.02,
            f"{what}: the total is within 2 % of -Xlog:gc",
            (shares, len(seen["gc"]), len(pauses)),
        )
        live.check(
            abs(len(seen["safepoint"]) - len(stops)) <= 1 and 0.98 <= shares[1] <= 1.02,
            f"{what}: the total is within 2 % of -Xlog:safepoint",
            (shares, len(seen["safepoint"]), len(stops)),
        )
        print(
            f"# {what}: {shares[0]:.4f} of -Xlog:gc, {shares[1]:.4f} of -Xlog:safepoint, {len(stops)} stops, {sum(stops):.1f} ms"
        )
        sentences = {e["sentence"].split(" for ", 1)[1] for e in seen["gc"] + seen["safepoint"]}
        live.check(
            f"the collector ({name})" in sentences
            and any(re.match(r"all threads of Java to stop, and for \w*(Collect|GC)\w+", s) for s in sentences),
            f"{what}: as sentences",
            sentences,
        )

r = live.dwell("timeline", "--gc", "--json", *java(JAVAS[0], "G1"))
picture = json.loads(r.stdout[r.stdout.index('{"') :])
live.check({"gc", "safepoint"} <= {row["label"] for row in picture["rows"]}, "timeline --gc has lanes", picture["rows"])
texts = zlib.decompress(base64.b64decode(picture["texts"])).decode("utf-8", "replace")
live.check(
    "collection G1 Young Generation, reason G1 " in texts and "operation G1CollectForAllocation" in texts,
    "whose spans say which and why",
    sorted(set(re.findall("(?:collection|operation) [^\n]{1,60}", texts)))[:20],
)
r = live.dwell("why", "--over", "1us", "--by", "thread", "--json", *java(JAVAS[0], "G1"))
if "6.16" not in r.stderr:
    causes = [c for line in r.stdout.splitlines() if line.startswith("{") for c in json.loads(line)["causes"]]
    words = {c["cause"]: c["class"] for c in causes}
    live.check(
        {words.get("garbage collection (stopped for it)"), words.get("garbage collection or other safepoint")}
        == {"memory"},
        "who is stopped for a collection has that cause",
        words,
    )
    longest = {
        c["comm"]: max([0] + [d["max_ns"] for d in causes if d["comm"] == c["comm"] and d["class"] != "idle"])
        for c in causes
    }
    live.check(
        "Finalizer" in longest and max(longest["Finalizer"], longest.get("Common-Cleaner", 0)) < 5e8,
        "threads that have nothing to do to the end are idle",
        longest,
    )
r = live.dwell("heat", "--tracker", "gc", "-o", "gc.svg", *java(JAVAS[0], "G1"))
live.check(os.path.exists("gc.svg") and "<svg" in lines("gc.svg"), "a heat map of collections", r.stderr)
r = live.dwell("latency", "safepoint")
live.check(r.returncode == 2 and "one process" in r.stderr, "without a process it is refused", r.stderr)
live.done()
