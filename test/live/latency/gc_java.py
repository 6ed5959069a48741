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
  static void churn(int rounds) {
    Random r = new Random(1);
    for (int i = 0; i < rounds; i++) { keep[i < 8000 ? i : r.nextInt(8000)] = new byte[1000 + r.nextInt(4000)]; if (i % 100 == 0) work(); }
  }
  public static void main(String[] a) throws Exception {
    int rounds = Integer.parseInt(a[0]);
    Thread[] t = new Thread[2];
    for (int i = 0; i < 2; i++) { t[i] = new Thread(() -> churn(rounds), "churn-" + i); t[i].start(); }
    for (Thread x : t) x.join();
    System.gc(); Thread.sleep(300);
  }
}
'''
    )
subprocess.run(["javac", "Churn.java"], check=True)
# When it was written, by the clock that dwell has, and how long it was.
PAUSE = re.compile(r"^\[(\d+)ns\] GC\(\d+\) Pause .* ([\d.]+)ms$", re.M)
STOP = re.compile(r'^\[(\d+)ns\] Safepoint "\w+".* Total: +(\d+) ns', re.M)
ROUNDS = 20000  # of each thread: as many collections on a busy machine as on another
COLLECTORS = {
    "G1": ("G1 Young Generation", "G1 Evacuation Pause"),
    "Parallel": ("PS Scavenge", "Allocation Failure"),
    "Serial": ("Copy", "Allocation Failure"),
}


def longest(causes, comm, idle):
    """The longest wait of a thread, of those that are idle or of the others, in ns."""
    return max([0] + [c["max_ns"] for c in causes if c["comm"] == comm and (c["class"] == "idle") is idle])


def lines(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def java(home, collector, rounds=ROUNDS // 2):
    return [
        "--",
        home + "/bin/java",
        "-Xmx64m",
        f"-XX:+Use{collector}GC",
        "-Xlog:gc:file=gc.log:timenanos",
        "-Xlog:safepoint:file=safepoint.log:timenanos",
        "Churn",
        rounds,
    ]


def measure(home, collector):
    """What is seen, and what the JVM says, of one run: the text, events by tracker, pauses and stops as (end, ms)."""
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
        *java(home, collector, ROUNDS),
        timeout=PATIENCE,
    )
    got = live.dwell("latency", "--json", "rec.dwell", timeout=PATIENCE)
    events = [json.loads(l) for l in got.stdout.splitlines() if '"latency-slow"' in l]
    pauses = [(int(at), float(ms)) for at, ms in PAUSE.findall(lines("gc.log"))]
    stops = [(int(at), int(ns) / 1e6) for at, ns in STOP.findall(lines("safepoint.log"))]
    return r.stdout, {t: [e for e in events if e["tracker"] == t] for t in ("gc", "safepoint")}, pauses, stops


def compare(events, said):
    """The share of the JVM's total that the events have, without those of which it is known that they were held up; and what the
    JVM says that no event has, and the other way. An event has one of its pauses or more: those that ended in it, or soon after.
    """
    rows, rest = [], sorted(said)
    events = sorted(events, key=lambda e: e["start"])
    for e, after in zip(events, events[1:] + [None]):
        of = [ms for at, ms in rest if e["start"] < at and (not after or at < after["start"])]
        rest = [(at, ms) for at, ms in rest if not (e["start"] < at and (not after or at < after["start"]))]
        rows.append((e["delay_ns"] / 1e6, sum(of)) if of else (e["delay_ns"] / 1e6, None))
    paired = [r for r in rows if r[1] is not None]
    paired.sort(key=lambda r: abs(r[0] - r[1]))
    kept = paired[: len(paired) - (len(paired) + HELD_UP - 1) // HELD_UP]
    share = sum(r[0] for r in kept) / sum(r[1] for r in kept) if kept else 0
    return share, len(rest), len(rows) - len(paired)


PATIENCE = 60  # seconds, for a run on a busy machine
# A pause begins and ends some code before and after what the JVM measures. Where the kernel lets another thread run just there, it is
# longer for one of the two. Those are few: one of this many, of the worst, is left out, and all must be there.
HELD_UP = 8
TRIES = 3
for home in JAVAS:
    for collector, (name, reason) in COLLECTORS.items():
        what = f"{os.path.basename(home)} {collector}"
        for _ in range(TRIES):
            text, seen, pauses, stops = measure(home, collector)
            gc, stop = compare(seen["gc"], pauses), compare(seen["safepoint"], stops)
            if all(0.98 <= c[0] <= 1.02 for c in (gc, stop)):
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
            len(pauses) > 5 and 0.98 <= gc[0] <= 1.02 and gc[1:] == (0, 0),
            f"{what}: all pauses of -Xlog:gc, and a total within 2 % of theirs",
            (gc, len(seen["gc"]), pauses),
        )
        live.check(
            0.98 <= stop[0] <= 1.02 and max(stop[1:]) <= 1,
            f"{what}: all stops of -Xlog:safepoint, and a total within 2 % of theirs",
            (stop, len(seen["safepoint"]), stops),
        )
        print(
            f"# {what}: {gc[0]:.4f} of -Xlog:gc, {stop[0]:.4f} of -Xlog:safepoint, {len(pauses)} pauses, {len(stops)} stops"
        )
        sentences = {e["sentence"].split(" for ", 1)[1] for e in seen["gc"] + seen["safepoint"]}
        live.check(
            f"the collector ({name})" in sentences
            and any(re.match(r"all threads of Java to stop, and for \w*(Collect|GC)\w+", s) for s in sentences),
            f"{what}: as sentences",
            sentences,
        )

r = live.dwell("timeline", "--gc", "--json", *java(JAVAS[0], "G1"), timeout=PATIENCE)
picture = json.loads(r.stdout[r.stdout.index('{"') :])
live.check({"gc", "safepoint"} <= {row["label"] for row in picture["rows"]}, "timeline --gc has lanes", picture["rows"])
texts = zlib.decompress(base64.b64decode(picture["texts"])).decode("utf-8", "replace")
live.check(
    "collection G1 Young Generation, reason G1 " in texts and "operation G1CollectForAllocation" in texts,
    "whose spans say which and why",
    sorted(set(re.findall("(?:collection|operation) [^\n]{1,60}", texts)))[:20],
)
r = live.dwell("why", "--over", "1us", "--by", "thread", "--json", *java(JAVAS[0], "G1"), timeout=PATIENCE)
if "6.16" not in r.stderr:
    causes = [c for line in r.stdout.splitlines() if line.startswith("{") for c in json.loads(line)["causes"]]
    words = {c["cause"]: c["class"] for c in causes}
    live.check(
        {words.get("garbage collection (stopped for it)"), words.get("garbage collection or other safepoint")}
        == {"memory"},
        "who is stopped for a collection has that cause",
        words,
    )
    # They wait from the start to the end. The first wait of one may begin before dwell knows the JVM's functions: then its cause is
    # another. On a slow machine that is the longest one.
    idle = [longest(causes, comm, True) > longest(causes, comm, False) for comm in ("Finalizer", "Common-Cleaner")]
    live.check(any(idle), "threads that have nothing to do to the end are idle", causes)
r = live.dwell("heat", "--tracker", "gc", "-o", "gc.svg", *java(JAVAS[0], "G1"), timeout=PATIENCE)
live.check(os.path.exists("gc.svg") and "<svg" in lines("gc.svg"), "a heat map of collections", r.stderr)
r = live.dwell("latency", "safepoint")
live.check(r.returncode == 2 and "one process" in r.stderr, "without a process it is refused", r.stderr)
live.done()
