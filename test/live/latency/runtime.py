# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell latency --runtime: which function of JavaScript, Python (also through a C extension) or Java asked for each wait. JAVAS: further JVMs,
separated by colons."""
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import jvms
import live

NODE = shutil.which("node")
if platform.machine() != "x86_64" or not NODE:
    print("# no node here, or user stacks are not walked as on x86-64")
    raise SystemExit(77)
FILE, JS, PY = (os.path.join(live.WORK, n) for n in ("mailbox.log", "mailbox.js", "mailbox.py"))
with open(JS, "w", encoding="utf-8") as f:
    f.write(
        f"""const fs = require("fs"), fd = fs.openSync({FILE!r}, "w");
function save(n) {{ fs.writeSync(fd, "x"); fs.fsyncSync(fd); }}
function deliver() {{ for (let i = 0; i < 100; i++) save(i); }}
setTimeout(deliver, 500); setTimeout(() => {{}}, 2500);
"""
    )
with open(PY, "w", encoding="utf-8") as f:
    f.write(
        f"""import os, time
def save(f): f.write("x"); f.flush(); os.fsync(f.fileno())
time.sleep(0.5)
with open({FILE!r}, "w") as f:
    for i in range(100): save(f)
time.sleep(2)
"""
    )

for command, place in ((NODE, JS), f"save at {JS}:2:46"), ((os.path.realpath(sys.executable), PY), f"save at {PY}:2"):
    r = live.dwell("latency", "--runtime", "--over", "1us", "--json", "--", *command)
    if "needs Linux 6.16" in r.stderr:
        print("# the kernel does not tell when a thread goes on")
        raise SystemExit(77)
    tables = [json.loads(l) for l in r.stdout.splitlines() if l.startswith("{")]
    causes = [c for t in tables for c in t["causes"]]
    who = [(s["frames"], s["count"]) for c in causes if c["cause"].startswith("fsync") for s in c["stacks"]]
    live.check(
        command[0] != NODE or any(s["frames"] == [] for c in causes for s in c["stacks"]),
        "waits that no function of a runtime asked for",
        causes,
    )
    live.check(sum(n for frames, n in who) >= 100, f"{command[0]}: the flushes have causes", r.stdout[:2000] + r.stderr)
    live.check(all(frames == [place] for frames, n in who), f"{command[0]}: and who asked for them", who)
    r = live.dwell("latency", "--runtime", "--", *command)
    live.check(
        re.search(rf"^fsync: .*\n +[\d.]+ \w+ +\d+ {re.escape(place)[:50]}", r.stdout, re.M),
        f"{command[0]}: as text",
        r.stdout,
    )

# A C extension between: sqlite3 flushes when Python commits.
with open(PY, "w", encoding="utf-8") as f:
    f.write(
        f"""import sqlite3, time
db = sqlite3.connect({FILE + ".db"!r}); db.execute("create table if not exists t (n)")
def save(n):
    db.execute("insert into t values (?)", (n,))
    db.commit()
time.sleep(0.5)
for i in range(50): save(i)
time.sleep(1)
"""
    )
r = live.dwell("latency", "--runtime", "--over", "1us", "--json", "--", "/usr/bin/python3", PY)
stacks = [
    (c["cause"], s["frames"], s["count"])
    for l in r.stdout.splitlines()
    if l.startswith("{")
    for c in json.loads(l)["causes"]
    for s in c["stacks"]
]
flushes = [s for s in stacks if "sync" in s[0] and s[1]]
live.check(
    sum(n for _, frames, n in flushes if frames == [f"save at {PY}:5"]) >= 50,
    "through a C extension",
    flushes or r.stdout + r.stderr,
)

STORE = """import java.io.*; import java.util.*; import java.util.concurrent.*;
public class Store {
  static final Map<Integer, byte[]> cache = new HashMap<>(); static RandomAccessFile log;
  static synchronized void save(int n) throws IOException {
    log.writeBytes("message " + n);
    log.getFD().sync();
  }
  static void handle(int n) {
    try { synchronized (cache) {
        cache.put(n % 200, new byte[100_000]);
      }
      save(n);
    } catch (IOException e) { throw new UncheckedIOException(e); }
  }
  public static void main(String[] args) throws Exception {
    log = new RandomAccessFile(args[0], "rw"); ExecutorService pool = Executors.newFixedThreadPool(4); Thread.sleep(1000);
    for (int i = 0; i < 400; i++) { int n = i; pool.submit(() -> handle(n)); }
    pool.shutdown(); pool.awaitTermination(1, TimeUnit.MINUTES);
  }
}"""
if jvms.homes() and shutil.which("javac"):
    with open(os.path.join(live.WORK, "Store.java"), "w", encoding="utf-8") as f:
        f.write(STORE)
    subprocess.run(["javac", "-d", live.WORK, os.path.join(live.WORK, "Store.java")], check=True)
for java in jvms.homes() if shutil.which("javac") else ():
    r = live.dwell(
        "latency",
        "--runtime",
        "--json",
        "--",
        os.path.join(java, "bin/java"),
        "-Xmx24m",
        "-cp",
        live.WORK,
        "Store",
        FILE,
        timeout=60,
    )
    told = {}
    for c in [c for l in r.stdout.splitlines() if l.startswith("{") for c in json.loads(l)["causes"]]:
        for s in c["stacks"]:
            key = c["cause"].split(":")[0].split(" (")[0], s["frames"][0] if s["frames"] else ""
            told[key] = told.get(key, 0) + s["count"]
    live.check(told.get(("fsync", "Store.save at Store.java:6"), 0) >= 400, f"{java}: the flushes of a pool", told)
    live.check(
        sum(n for (cause, frame), n in told.items() if cause == "futex" and frame.startswith("Store.save at")) >= 50,
        f"{java}: its monitor",
        told,
    )
    live.check(
        sum(
            n
            for (cause, frame), n in told.items()
            if cause == "garbage collection" and frame.startswith("Store.handle at")
        )
        >= 5,
        f"{java}: a full heap",
        told,
    )
live.done()
