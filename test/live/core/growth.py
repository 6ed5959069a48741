# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
# @long: a core of Node is written
"""dwell core on Node: what has become more since an older core, as many as the script made and dropped between them."""
import json
import os
import platform
import shutil
import signal
import subprocess
import time
import live

node = shutil.which("node")
if platform.machine() != "x86_64" or not node or not shutil.which("gcore"):
    print("# no node or gcore here")
    raise SystemExit(77)
os.chdir(live.WORK)
with open("plant.js", "w", encoding="utf-8") as f:
    f.write(
        """
"use strict";
const fs = require("fs");
class Grows { constructor(i) { this.id = i; this.more = [i]; } }
class Shrinks { constructor(i) { this.id = i; } }
class Comes { constructor() { this.late = 1; } }
class Entry { constructor(i) { this.value = i; this.data = new Array(20).fill(i); } }
class Cache { constructor() { this.entries = []; } }
class Service { constructor() { this.cache = new Cache(); } }
class Stays { constructor() { this.still = 1; } }
globalThis.keep = { g: [], s: [], c: [], t: [], service: new Service() };
for (let i = 0; i < 100; i++) keep.service.cache.entries.push(new Entry(i));
for (let i = 0; i < 1000; i++) keep.g.push(new Grows(i));
for (let i = 0; i < 700; i++) keep.s.push(new Shrinks(i));
for (let i = 0; i < 300; i++) keep.t.push(new Stays());
process.on("SIGUSR2", () => {
  for (let i = 0; i < 2500; i++) keep.g.push(new Grows(i));
  for (let i = 0; i < 50; i++) keep.c.push(new Comes());
  for (let i = 0; i < 9000; i++) keep.service.cache.entries.push(new Entry(i));
  keep.s = [];
  gc(); gc(); gc();
  fs.writeFileSync("grown", "1");
});
setTimeout(() => { gc(); gc(); fs.writeFileSync("ready", "1"); }, 10);
setInterval(() => {}, 1e6);
"""
    )


def wait(name):
    while not os.path.exists(name) and p.poll() is None:
        time.sleep(0.05)


p = subprocess.Popen([node, "--expose-gc", "plant.js"])
wait("ready")
subprocess.run(["gcore", "-o", "old", str(p.pid)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
old = f"old.{p.pid}"
p.send_signal(signal.SIGUSR2)
wait("grown")
time.sleep(0.2)
r = live.dwell("core", "--json", "-p", p.pid, "-c", f"::findjsobjects -s {old}", timeout=60)
rows = [json.loads(l) for l in r.stdout.splitlines()]
found = {x["constructor"]: x for x in rows if x["names"] in ("id, more", "id", "late", "still")}
live.check(
    found.get("Grows", {}).get("more") == 2500 and found["Grows"]["count"] == 3500,
    "those that were made",
    r.stderr + str(found.get("Grows")),
)
live.check(found["Comes"]["more"] == 50 and found["Comes"]["count"] == 50, "those of a new kind", found.get("Comes"))
live.check("Stays" not in found, "those that stay are not shown", found.get("Stays"))
# A word that only looks like a pointer may keep one of them.
live.check("Shrinks" in found and -700 <= found["Shrinks"]["more"] <= -690, "those that went", found.get("Shrinks"))
live.check(
    [x["more_bytes"] for x in rows] == sorted((x["more_bytes"] for x in rows), reverse=True),
    "the largest growth first",
    "",
)
r = live.dwell(
    "core",
    "-p",
    p.pid,
    "-c",
    f"::findjsobjects -s {old} -c Grows",
    "-c",
    f"::findjsobjects -s {old} -c Grows | ::jsprint -d 0",
    timeout=60,
)
lines = r.stdout.splitlines()
live.check(
    len(lines) == 3 and "+2500" in lines[1] and lines[2].startswith("Grows {"),
    "one constructor; a pipeline",
    r.stdout + r.stderr,
)
r = live.dwell(
    "core",
    "-p",
    p.pid,
    "-c",
    "::findjsobjects -s /nothing",
    "-c",
    "::findjsobjects -s plant.js",
    "-c",
    f"8::findjsobjects -s {old}",
    "-c",
    "::findjsobjects -s",
    timeout=60,
)
live.check(
    r.returncode == 1
    and "/nothing: No such file" in r.stderr
    and "plant.js: " in r.stderr
    and "-s compares" in r.stderr
    and "unexpected '-s'" in r.stderr,
    "wrong use",
    r.stderr,
)
# The leak is named first: where the objects are, and through which way they are kept.
r = live.dwell("core", "--json", "-p", p.pid, "-c", f"::jsretained -s {old}", timeout=60)
rows = [json.loads(l) for l in r.stdout.splitlines()]
first = rows[0] if rows else {}
live.same(first.get("path"), "globalThis.keep.service.cache.entries[]", "the way of the leak")
live.check(
    first.get("constructor") == "Entry" and first["more_bytes"] > 9000 * 20 * 8 and 9000 <= first["more"] <= 9100,
    "what is kept, how many, their bytes with what they have",
    r.stderr + str(rows[:3]),
)
live.check(
    [x["more_bytes"] for x in rows] == sorted((x["more_bytes"] for x in rows), reverse=True) and len(rows) <= 20,
    "the largest growth first",
    "",
)
for want in ("globalThis.keep.g[]",):
    live.check(want in [x["path"] for x in rows], want, str(rows))
r = live.dwell(
    "core",
    "-p",
    p.pid,
    "-c",
    f"::jsretained -s {old} -n 1 | ::jsprint -d 0",
    "-c",
    f"::jsretained -s {old} -n 2",
    timeout=60,
)
lines = r.stdout.splitlines()
live.check(
    lines[0].startswith("Entry {")
    and len(lines) == 4
    and lines[2].endswith("Entry: globalThis.keep.service.cache.entries[]"),
    "a pipeline; text",
    r.stdout + r.stderr,
)
r = live.dwell(
    "core", "-p", p.pid, "-c", "::jsretained -s /nothing", "-c", f"8::jsretained -s {old}", "-c", "::jsretained -s"
)
live.check(
    r.returncode == 1
    and "/nothing: No such file" in r.stderr
    and "takes no address" in r.stderr
    and "unexpected '-s'" in r.stderr,
    "wrong use of it",
    r.stderr,
)
p.kill()
p.wait()
live.done()
