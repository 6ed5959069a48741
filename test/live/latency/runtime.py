# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""dwell latency --runtime: which function of JavaScript or Python asked for each wait."""
import json
import os
import platform
import re
import shutil
import sys
import live

NODE = shutil.which("node")
if platform.machine() != "x86_64" or not NODE:
    print("# no node here, or user stacks are not walked as on x86-64")
    raise SystemExit(77)
FILE, JS, PY = (os.path.join(live.WORK, n) for n in ("mailbox.log", "mailbox.js", "mailbox.py"))
with open(JS, "w", encoding="utf-8") as f:
    f.write(f"""const fs = require("fs"), fd = fs.openSync({FILE!r}, "w");
function save(n) {{ fs.writeSync(fd, "x"); fs.fsyncSync(fd); }}
function deliver() {{ for (let i = 0; i < 100; i++) save(i); }}
setTimeout(deliver, 500); setTimeout(() => {{}}, 2500);
""")
with open(PY, "w", encoding="utf-8") as f:
    f.write(f"""import os, time
def save(f): f.write("x"); f.flush(); os.fsync(f.fileno())
time.sleep(0.5)
with open({FILE!r}, "w") as f:
    for i in range(100): save(f)
time.sleep(2)
""")

for command, place in ((NODE, JS), f"save at {JS}:2:46"), ((os.path.realpath(sys.executable), PY), f"save at {PY}:2"):
    r = live.dwell("latency", "--runtime", "--over", "1us", "--json", "--", *command)
    if "needs Linux 6.16" in r.stderr:
        print("# the kernel does not tell when a thread goes on")
        raise SystemExit(77)
    tables = [json.loads(l) for l in r.stdout.splitlines() if l.startswith("{")]
    causes = [c for t in tables for c in t["causes"]]
    who = [(s["frames"], s["count"]) for c in causes if c["cause"].startswith("fsync") for s in c["stacks"]]
    live.check(command[0] != NODE or any(s["frames"] == [] for c in causes for s in c["stacks"]), "waits that no function of a runtime asked for", causes)
    live.check(sum(n for frames, n in who) >= 100, f"{command[0]}: the flushes have causes", r.stdout[:2000] + r.stderr)
    live.check(all(frames == [place] for frames, n in who), f"{command[0]}: and who asked for them", who)
    r = live.dwell("latency", "--runtime", "--", *command)
    live.check(re.search(rf"^fsync: .*\n +[\d.]+ \w+ +\d+ {re.escape(place)[:50]}", r.stdout, re.M), f"{command[0]}: as text", r.stdout)
live.done()
