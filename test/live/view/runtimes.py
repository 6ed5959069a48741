# SPDX-License-Identifier: Apache-2.0
# @timeout: 180
"""Views show functions of language runtimes in stacks, with colours of their own, without an option: flame graphs of CPU and
of waits, slow events, the timeline, `dwell why --stacks`."""
import base64
import json
import os
import platform
import re
import shutil
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
# Each works, and asks for a flush, in a function of its own, for two seconds, after dwell has met it, and lives on until the keys are read.
JS, PY = os.path.join(live.WORK, "app.js"), os.path.join(live.WORK, "app.py")
with open(JS, "w", encoding="utf-8") as f:
    f.write(f'''const fs = require("fs"), fd = fs.openSync({FILE!r}, "w"), end = Date.now() + 2500;
function save(n) {{ fs.writeSync(fd, `message ${{n}}\\n`); fs.fsyncSync(fd); }}
function compute() {{ let s = 0; for (let i = 0; i < 3e6; i++) s += Math.sqrt(i); return s; }}
function tick() {{ compute(); for (let i = 0; i < 5; i++) save(i); if (Date.now() < end) setTimeout(tick, 5); }}
setTimeout(tick, 500); setTimeout(() => {{}}, 6000);
''')
with open(PY, "w", encoding="utf-8") as f:
    f.write(f'''import os, time
def save(f): f.write("message"); f.flush(); os.fsync(f.fileno())
def compute(): return sum(i * i for i in range(200000))
def tick(f): compute(); [save(f) for _ in range(5)]
time.sleep(0.5); end = time.time() + 2.5
with open({FILE!r}, "w") as f:
    while time.time() < end: tick(f)
time.sleep(3)
''')
PYTHON = os.path.realpath(sys.executable)


def frames(path):
    """What the pictures say of each frame: its first line, and what kind it is."""
    with open(path, encoding="utf-8") as f:
        area = ET.fromstring(f.read()).find(f"{SVG}svg")
    titles = [g.find(f"{SVG}title").text for g in area]
    return {t.split("\n")[0]: t for t in titles}


for command, kind, file in [(f"{NODE} {JS}", "JavaScript", JS), (f"{PYTHON} {PY}", "Python", PY)]:
    for what, function in ("--on-cpu", "compute"), ("--off-cpu", "save"):
        svg = os.path.join(live.WORK, f"{kind}{what}.svg")
        r = live.dwell("flame", what, "-o", svg, "--", *command.split())
        got = frames(svg) if os.path.exists(svg) else {}
        live.check(function in got and kind in got[function] and file in got[function],
                   f"flame {what}: {kind}'s functions, of which file, of which kind", (r.stderr, list(got.items())[:60]))
        live.check("tick" in got and any(re.match("_start|main|__libc_start", n) for n in got),
                   f"flame {what}: {kind}'s callers, and native ones", list(got))
    r = live.dwell("latency", "--over", "1us", "--stacks", "fsync", "--", *command.split())
    live.check(f"save at {file}:2" in r.stdout, f"slow events: {kind}'s functions", r.stdout[:3000] + r.stderr)
    r = live.dwell("why", "--stacks", "--", *command.split())
    live.check(f"save at {file}:2" in r.stdout, f"dwell why --stacks: {kind}'s functions", r.stdout[:3000] + r.stderr)
    r = live.dwell("timeline", "--json", "--", *command.split())
    texts = zlib.decompress(base64.b64decode(json.loads(r.stdout)["texts"])).decode("utf-8", "replace")
    live.check(f"save at {file}:2" in texts, f"timeline: {kind}'s functions", texts[:3000] + r.stderr)
live.done()
