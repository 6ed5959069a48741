# SPDX-License-Identifier: Apache-2.0
# @timeout: 300
# @long: JVMs and Node in every view
"""Views show functions of language runtimes in stacks, with colours of their own, without an option: flame graphs of CPU and
of waits, slow events, the timeline, `dwell why --stacks`."""
import base64
import concurrent.futures
import glob
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
import zlib
import live

NODE = shutil.which("node")
if platform.machine() != "x86_64" or not NODE:
    print("# no node here, or user stacks are not walked as on x86-64")
    raise SystemExit(77)

SVG = "{http://www.w3.org/2000/svg}"
FILE = os.path.join(live.WORK, "messages.log")
JAVAC, JAVAS = shutil.which("javac"), sorted(
    {os.path.realpath(h) + "/bin/java" for h in glob.glob("/usr/lib/jvm/*") if os.path.exists(h + "/bin/java")}
)
# After dwell has met it, each works and asks for a flush, in a function of its own, for two seconds. It lives on until the keys
# are read.
JS, PY = os.path.join(live.WORK, "app.js"), os.path.join(live.WORK, "app.py")
with open(JS, "w", encoding="utf-8") as f:
    f.write(
        f'''const fs = require("fs"), fd = fs.openSync({FILE!r}, "w"), end = Date.now() + 2500;
function save(n) {{ fs.writeSync(fd, `message ${{n}}\\n`); fs.fsyncSync(fd); }}
function compute() {{ let s = 0; for (let i = 0; i < 3e6; i++) s += Math.sqrt(i); return s; }}
function tick() {{ compute(); for (let i = 0; i < 5; i++) save(i); if (Date.now() < end) setTimeout(tick, 5); }}
setTimeout(tick, 500); setTimeout(() => {{}}, 6000);
'''
    )
with open(PY, "w", encoding="utf-8") as f:
    f.write(
        f'''import os, time
def save(f): f.write("message"); f.flush(); os.fsync(f.fileno())
def compute(): return sum(i * i for i in range(200000))
def tick(f): compute(); [save(f) for _ in range(5)]
time.sleep(0.5); end = time.time() + 2.5
with open({FILE!r}, "w") as f:
    while time.time() < end: tick(f)
time.sleep(3)
'''
    )
PYTHON = os.path.realpath(sys.executable)
JAVA = os.path.join(live.WORK, "App.java")
with open(JAVA, "w", encoding="utf-8") as f:
    f.write(
        f'''import java.io.*; import java.nio.charset.*;
public class App {{ static volatile double sum; static final byte[] TEXT = "message".getBytes();
static void save(RandomAccessFile f) throws IOException {{ f.write(TEXT); f.getFD().sync(); }}
static void compute() {{ double s = 0; for (int i = 0; i < 3000000; i++) s += Math.sqrt(i); sum += s; }}
static void tick(RandomAccessFile f) throws IOException {{ compute(); for (int i = 0; i < 5; i++) save(f); }}
public static void main(String[] a) throws Exception {{
    Thread.sleep(500); long end = System.currentTimeMillis() + 2500;
    try (RandomAccessFile f = new RandomAccessFile("{FILE}", "rw")) {{ while (System.currentTimeMillis() < end) tick(f); }}
    Thread.sleep(3000);
}} }}
'''
    )
if JAVAC:
    subprocess.run([JAVAC, "-d", live.WORK, JAVA], check=True)


def frames(path):
    """What the pictures say of each function: its name, and what kinds it has where."""
    with open(path, encoding="utf-8") as f:
        area = ET.fromstring(f.read()).find(f"{SVG}svg")
    titles = [g.find(f"{SVG}title").text for g in area]
    got = {}
    for t in titles:
        got[t.split("\n")[0]] = got.get(t.split("\n")[0], "") + t + "\n"
    return got


PROGRAMS = [(f"{NODE} {JS}", "JavaScript", "", JS, 2), (f"{PYTHON} {PY}", "Python", "", PY, 2)]
PROGRAMS += [(f"{java} -Xmx64m -cp {live.WORK} App", "Java", "App.", "App.java", 3) for java in JAVAS if JAVAC]


def views(command, kind, of, file, line):
    """One program, in every view."""
    for what, function in ("--on-cpu", "compute"), ("--off-cpu", "save"):
        svg = os.path.join(live.WORK, f"{kind}{what}.svg")
        r = live.dwell("flame", what, "-o", svg, "--", *command.split())
        got = frames(svg) if os.path.exists(svg) else {}
        live.check(
            kind in got.get(of + function, "") and file in got[of + function],
            f"flame {what}: {kind}'s functions, of which file, of which kind",
            (r.stderr, list(got.items())[:60]),
        )
        live.check(
            of + "tick" in got and any(re.match("_start|main|__libc_start|clone3", n) for n in got),
            f"flame {what}: {kind}'s callers, and native ones",
            list(got),
        )
        if kind == "Java" and what == "--on-cpu":
            live.check(
                "Java, compiled by C2" in got.get("App.compute", "") and "Java, interpreted" in got.get("App.main", ""),
                "each by the compiler that made it",
                got.get("App.compute"),
            )
            live.check(
                not any(n.startswith("[Java") for n in got),
                "none without a name",
                [n for n in got if n.startswith("[")],
            )
        if kind == "Java" and what == "--off-cpu":
            live.check(
                not re.search(r"\n[\d.]+ s, ", got.get("Finalizer", "") + got.get("Common-Cleaner", "")),
                "what threads waited for to the end is left out",
                (got.get("Finalizer"), got.get("Common-Cleaner")),
            )
    r = live.dwell("latency", "--over", "1us", "--stacks", "fsync", "--", *command.split())
    live.check(f"{of}save at {file}:{line}" in r.stdout, f"slow events: {kind}'s functions", r.stdout[:3000] + r.stderr)
    r = live.dwell("why", "--stacks", "--", *command.split())
    live.check(
        f"{of}save at {file}:{line}" in r.stdout, f"dwell why --stacks: {kind}'s functions", r.stdout[:3000] + r.stderr
    )
    r = live.dwell("timeline", "--json", "--", *command.split())
    texts = zlib.decompress(base64.b64decode(json.loads(r.stdout)["texts"])).decode("utf-8", "replace")
    live.check(f"{of}save at {file}:{line}" in texts, f"timeline: {kind}'s functions", texts[:3000] + r.stderr)


# Most of a run is waiting, so two go on at a time.
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for run in [pool.submit(views, *p) for p in PROGRAMS]:
        run.result()
live.done()
