# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""dwell core on Node: texts that are there several times, as many as the script has planted."""
import json
import os
import platform
import shutil
import subprocess
import time
import live

NODES = [n for n in [shutil.which("node")] + os.environ.get("NODES", "").split(":") if n]
if platform.machine() != "x86_64" or not NODES:
    print("# no node here")
    raise SystemExit(77)
os.chdir(live.WORK)
with open("plant.js", "w", encoding="utf-8") as f:
    f.write(
        """
const fs = require("fs"), keep = [];
for (let i = 0; i < 500; i++) keep.push(Buffer.from("same text, " + "again and ".repeat(4)).toString());
for (let i = 0; i < 40; i++) keep.push(Buffer.from("zwei \\u00e4\\u20ac " + "x".repeat(200)).toString());
for (let i = 0; i < 300; i++) keep.push(Buffer.from("once " + i + "y".repeat(100)).toString());
let put = keep[0]; for (let i = 0; i < 50; i++) { put = put + keep[1]; keep.push(put); }
globalThis.keep = keep;
fs.writeFileSync("ready", "1");
setInterval(() => {}, 1e6);
"""
    )


def rows(pid, *lines):
    r = live.dwell("core", "--json", "-p", pid, *(a for l in lines for a in ("-c", l)))
    return [json.loads(l) for l in r.stdout.splitlines()]


for node in NODES:
    if os.path.exists("ready"):
        os.unlink("ready")
    p = subprocess.Popen([node, "plant.js"])
    while not os.path.exists("ready") and p.poll() is None:
        time.sleep(0.05)
    found = {x["text"]: x for x in rows(p.pid, "::jsstrings -n 0t100000")}
    same = found.get("same text, " + "again and " * 4)
    # Strings lie on multiples of eight bytes: a map, a hash and a length before the characters. What made them may be left, too.
    live.check(
        same
        and 500 <= same["copies"] <= 502
        and same["bytes"] == same["copies"] * ((16 + 51 + 7) // 8 * 8)
        and same["units"] == 51,
        "as many as were planted",
        same,
    )
    live.check(
        same and same["wasted"] == same["bytes"] - same["bytes"] // same["copies"], "all but one are a waste", same
    )
    wide = next((x for t, x in found.items() if t.startswith("zwei \u00e4\u20ac xx")), None)
    live.check(wide and 40 <= wide["copies"] <= 41 and wide["units"] == 208, "of two bytes a character", wide)
    live.check(
        not [t for t in found if t.startswith("once ")],
        "none that is there once",
        [t for t in found if t.startswith("once ")][:2],
    )
    r = live.dwell(
        "core",
        "-p",
        p.pid,
        "-c",
        "::jsstrings -n 1",
        "-c",
        "::jsstrings -n 1 | ::jsprint",
        "-c",
        "::jsstrings -n",
        "-c",
        "::jsstrings x",
    )
    lines = r.stdout.splitlines()
    live.check(
        lines[0].split() == ["STRING", "COPIES", "BYTES", "WASTED", "TEXT"]
        and len(lines) == 3
        and '"same text' in lines[2],
        "rows, and a pipeline",
        r.stdout,
    )
    live.check(
        r.returncode == 1 and "wants a number" in r.stderr and "unexpected 'x'" in r.stderr, "wrong use", r.stderr
    )
    p.kill()
    p.wait()
live.done()
