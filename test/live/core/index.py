# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell core --index: what a search finds is kept beside the core, is read by the next start, and gives the same answers. One that is damaged, of
another core, another user's, or that others can write, is told of and not used."""
import json
import os
import platform
import shutil
import stat
import struct
import subprocess
import live

if platform.machine() != "x86_64" or not shutil.which("node"):
    print("# no node here")
    raise SystemExit(77)
os.chdir(live.WORK)
with open("plant.js", "w", encoding="ascii") as f:
    f.write(
        """class Conn { constructor(i) { this.id = i; this.tags = [i]; } }
globalThis.list = []; for (let i = 0; i < 3000; i++) list.push(new Conn(i));
console.log("ready"); setInterval(() => {}, 1e6);
"""
    )
p = subprocess.Popen(["node", "plant.js"], stdout=subprocess.PIPE, text=True)
p.stdout.readline()
live.dwell("core", "--save", p.pid, "node.core", timeout=60)
INDEX = "node.core.dwell-index"
HEAD = 88  # bytes, core/jsheap/index.h


def ask(*args):
    r = live.dwell("core", "--json", *args, timeout=60)
    live.same(r.returncode, 0, "it ends well")
    return [json.loads(x) for x in r.stdout.splitlines()], r.stderr


def look(*options):
    """What three commands print, and the messages."""
    lines = ("::findjsobjects -c Conn", f"{AT}::findjsobjects -r", f"{AT}::jspath")
    rows, said = ask(*options, "node.core", *(a for x in lines for a in ("-c", x)))
    return rows[:1], rows[1:], said


def words(path):
    with open(path, "rb") as f:
        data = f.read()
    return list(struct.unpack(f"<{len(data) // 8}Q", data))


def write(path, w):
    """With the checksum that fits."""
    total, mask = 0, (1 << 64) - 1
    head = w[:11]
    head[3] = 0
    for x in w[11:] + head:
        total = (total ^ x) * 0x9E3779B97F4A7C15 & mask
        total ^= total >> 32
    w[3] = total
    with open(path, "r+b") as f:
        f.write(struct.pack(f"<{len(w)}Q", *w))


AT = ask("node.core", "-c", "::findjsobjects -c Conn")[0][0]["object"]
try:
    plain = look()
    live.check(not os.path.exists(INDEX), "nothing is written unasked", os.listdir("."))
    live.check(plain[0][0]["count"] == 3000 and plain[2] == "", "the planted objects", plain)
    kept = look("--index")
    live.same(kept, plain, "the same while the index is written")
    st = os.stat(INDEX)
    live.same((stat.S_IMODE(st.st_mode), st.st_uid), (0o600, os.geteuid()), "it is the user's alone")
    live.same([x for x in os.listdir(".") if x.startswith(INDEX)], [INDEX], "no part is left")
    live.same(look(), plain, "the same with the index")
    good = words(INDEX)
    # The bytes of the map that has 3,000 objects: a count that only the index has shows that it is read.
    map_at = next(
        i
        for i in range(11, len(good) - 4)
        if good[i + 2] == 3000 and good[i + 3] == plain[0][0]["bytes"] and good[i] & 1
    )
    changed = list(good)
    changed[map_at + 3] += 8000
    write(INDEX, changed)
    live.same(look()[0][0]["bytes"], plain[0][0]["bytes"] + 8000, "the index is what answers")
    with open(INDEX, "r+b") as f:
        f.seek(HEAD + 500)
        f.write(b"\xff")
    rows, more, said = look()
    live.same((rows, more), plain[:2], "a damaged one is not used")
    live.check("damaged: it is not used" in said, "and that is told", said)
    rows, more, said = look("--index")
    live.check("a new one is written" in said and rows == plain[0], "and made again when it is to be kept", said)
    live.same(words(INDEX), good, "as it was")
    for mode, uid in ((0o622, os.geteuid()), (0o600, 65533)):
        os.chmod(INDEX, mode)
        os.chown(INDEX, uid, -1)
        rows, more, said = look()
        live.check("it is not used" in said and rows == plain[0], f"mode {mode:o}, user {uid}", said)
    os.chmod(INDEX, 0o600)
    os.chown(INDEX, os.geteuid(), -1)
    os.rename(INDEX, "other")
    os.symlink("other", INDEX)
    rows, more, said = look()
    live.check("cannot be opened" in said and rows == plain[0], "a symbolic link is not followed", said)
    os.rename("other", INDEX)
    os.utime("node.core", (1, 1))
    rows, more, said = look()
    live.check("another core" in said and (rows, more) == plain[:2], "the core was changed", said)
    r = live.dwell("core", "--index", "-p", p.pid, "-c", "::status")
    live.check(r.returncode == 1 and "of a core file only" in r.stderr, "a process has none", r.stderr)
    r = live.dwell("core", "--index", "-k", "-c", "::status")
    live.check(r.returncode == 1 and "of a core file only" in r.stderr, "nor has the kernel", r.stderr)
finally:
    p.kill()
    p.wait()
live.done()
