# SPDX-License-Identifier: Apache-2.0
# @timeout: 200
# @long: a core of Node is written
"""dwell core on a core of Node of 30 GB, of which 30 GB are a hole, memory that was 0: the same objects, holders and ways as in the core
without it, at about the same CPU time and memory."""
import json
import os
import platform
import shutil
import struct
import subprocess
import live

if platform.machine() != "x86_64" or not shutil.which("node") or not shutil.which("gcore"):
    print("# no node or gcore here")
    raise SystemExit(77)
os.chdir(live.WORK)
with open("plant.js", "w", encoding="ascii") as f:
    f.write(
        """class Conn { constructor(i) { this.id = i; } }
globalThis.list = []; for (let i = 0; i < 50000; i++) list.push(new Conn(i));
console.log("ready"); setInterval(() => {}, 1e6);
"""
    )
p = subprocess.Popen(["node", "plant.js"], stdout=subprocess.PIPE, text=True)
p.stdout.readline()
subprocess.run(["gcore", "-o", "core", str(p.pid)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
p.kill()
p.wait()
small = f"core.{p.pid}"
subprocess.run(["cp", "--sparse=always", small, "big"], check=True)
HOLE = 30 << 30
with open("big", "r+b") as f:
    head = bytearray(f.read(64))
    at, n = struct.unpack_from("<Q", head, 32)[0], struct.unpack_from("<H", head, 56)[0]
    f.seek(at)
    headers = f.read(56 * n)
    end = (f.seek(0, 2) + 4095) // 4096 * 4096
    place = 0x10000000000  # where Linux maps nothing by itself
    f.seek(end)
    f.write(headers + struct.pack("<IIQQQQQQ", 1, 6, end + (1 << 20), place, 0, HOLE, HOLE, 4096))
    struct.pack_into("<Q", head, 32, end)
    struct.pack_into("<H", head, 56, n + 1)
    f.seek(0)
    f.write(head)
os.truncate("big", end + (1 << 20) + HOLE)
live.check(os.stat("big").st_blocks * 512 < 2 << 30 and os.path.getsize("big") > 30 << 30, "a file with a hole", "")


def run(name, *lines):
    """What the lines print, CPU seconds and the peak of memory in KiB."""
    args = [x for l in lines for x in ("-c", l)]
    with open("out", "w", encoding="utf-8") as out, open("err", "w", encoding="utf-8") as err:
        q = subprocess.Popen([live.DWELL, "core", "--json", name, *args], stdout=out, stderr=err)
        _, status, used = os.wait4(q.pid, 0)
    with open("out", encoding="utf-8") as out, open("err", encoding="utf-8") as err:
        text, said = out.read(), err.read()
    live.check(status == 0, f"{name} {lines[0]}", said)
    return text, used.ru_utime + used.ru_stime, used.ru_maxrss


first = json.loads(run(small, "::findjsobjects -c Conn")[0].splitlines()[0])
lines = (
    "::findjsobjects",
    f"{first['object']}::findjsobjects -r",
    f"{first['object']}::jspath",
    f"{first['object']}::jsroots",
)
a, b = run(small, *lines), run("big", *lines)
print(f"# CPU {a[1]:.2f} s and {b[1]:.2f} s, memory {a[2]} KiB and {b[2]} KiB")
live.check(first["count"] == 50000 and "list" in a[0], "the objects", first)
live.same(b[0], a[0], "the same answers")
refs = [r for r in map(json.loads, a[0].splitlines()) if "holder" in r]
live.check(
    any(r["constructor"] == "Array" and 0 <= r.get("index", -1) < 50000 for r in refs),
    "a holder is the long array",
    refs,
)
live.check(b[1] < 3 * a[1] + 1, "about the same CPU time", f"{a[1]} {b[1]}")
live.check(b[2] < 1.5 * a[2], "about the same memory", f"{a[2]} {b[2]}")
live.done()
