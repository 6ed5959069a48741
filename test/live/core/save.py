# SPDX-License-Identifier: Apache-2.0
# @timeout: 200
"""dwell core --save: a packed core answers as the process does, is smaller than gcore's, opens in gdb when it is unpacked; a core from a
pipe; what is refused; a full disk; damaged files."""
import json
import os
import platform
import random
import shutil
import subprocess
import time
import live

if platform.machine() != "x86_64" or not shutil.which("node"):
    print("# no node here")
    raise SystemExit(77)
os.chdir(live.WORK)
with open("leak.js", "w", encoding="ascii") as f:
    f.write(
        """class Conn { constructor(i) { this.id = i; this.host = "host" + i; } }
const all = []; for (let i = 0; i < 5000; i++) all.push(new Conn(i));
console.log("ready"); setInterval(() => all.length, 1000);
"""
    )
p = subprocess.Popen(["node", "leak.js"], stdout=subprocess.PIPE, text=True)
p.stdout.readline()
time.sleep(2)  # it waits for its timer then


def core(*args, **kw):
    return live.dwell("core", *args, timeout=60, **kw)


def counted(*args):
    rows = [json.loads(l) for l in core("--json", *args, "-c", "::findjsobjects -c Conn").stdout.splitlines()]
    return sum(r.get("count", r.get("objects", 0)) for r in rows), len(rows)


def stack(*args):
    return [json.loads(l).get("name") for l in core("--json", *args, "-c", "::stack").stdout.splitlines()]


alive = counted("-p", p.pid)
began = time.monotonic()
r = core("--save", p.pid, "saved")
took = time.monotonic() - began
live.check(r.returncode == 0 and "stood still for" in r.stdout, "saved", r.stdout + r.stderr)
live.same(os.stat("saved").st_mode & 0o7777, 0o600, "for its owner alone")
live.same(counted("saved"), alive, "as many objects as alive")
live.check(alive[0] >= 5000 or alive[1] >= 1, "the objects are there", alive)
r = core("saved", "-c", "::findjsobjects -c Conn | ::jsprint")
live.same(
    (r.stdout.count('Conn { id:'), 'Conn { id: 4999, host: "host4999" }' in r.stdout), (5000, True), "each object"
)
live.check("same build" in core("saved", "-c", "::status").stdout, "the program is compared with its build id")
live.same(stack("saved"), stack("-p", p.pid), "the same stack")
if shutil.which("gcore"):
    began = time.monotonic()
    subprocess.run(
        ["gcore", "-o", "gcore", str(p.pid)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    by_gcore = time.monotonic() - began
    full = f"gcore.{p.pid}"
    print(
        f"# saved: {os.path.getsize('saved')} bytes, {took:.2f} s; gcore: {os.path.getsize(full)} bytes, {by_gcore:.2f} s"
    )
    live.check(os.path.getsize("saved") * 4 < os.path.getsize(full), "a fraction of gcore's", os.path.getsize("saved"))
    with open(full, "rb") as f:
        r = core("--save", "-", "piped", stdin=f)
    live.check(r.returncode == 0 and "stood" not in r.stdout, "out of a pipe", r.stdout + r.stderr)
    live.same(counted("piped"), counted(full), "the same objects")
    live.same(
        subprocess.run("zstd -dcq piped | cmp - " + full, shell=True, check=False).returncode
        if shutil.which("zstd")
        else 0,
        0,
        "unpacked by zstd: the same bytes",
    )
    os.unlink("piped")
    os.unlink(full)
if shutil.which("zstd") and shutil.which("gdb"):
    subprocess.run(["zstd", "-dqf", "saved", "-o", "unpacked"], check=True)
    r = subprocess.run(
        ["gdb", "-q", "-batch", "-nx", "-ex", "bt 3", os.path.realpath(shutil.which("node")), "unpacked"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    live.check("#0" in r.stdout and "epoll" in r.stdout, "gdb opens it", r.stdout[-500:] + r.stderr[-500:])
    os.unlink("unpacked")

r = core("--save", p.pid, "saved")
live.check(r.returncode == 1 and "exists; it is not overwritten" in r.stderr, "an older file stays", r.stderr)
for args, code, words in (
    (["--save", "x", "new"], 2, "'x' is no process"),
    (["--save", "4194304", "new"], 1, "no such process"),
    (["--save", p.pid], 2, "one new file"),
    (["--save", p.pid, "/nothing/new"], 1, "No such file"),
    (["--save", p.pid, "new", "-c", "::status"], 2, ""),
):
    r = core(*args)
    live.check(
        r.returncode == code and words in r.stderr and not os.path.exists("new"),
        f"core {args}",
        f"{r.returncode} {r.stderr}",
    )
with open("leak.js", "rb") as f:
    r = core("--save", "-", "new", stdin=f)
live.check(
    r.returncode == 1 and "no core file" in r.stderr and not os.path.exists("new"), "no core in the pipe", r.stderr
)
os.mkdir("full")
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "full"], check=False).returncode == 0:
    r = core("--save", p.pid, "full/new")
    live.check(
        r.returncode == 1 and "No space left" in r.stderr and not os.listdir("full"),
        "a full disk: no half file",
        r.stderr,
    )
    subprocess.run(["umount", "full"], check=True)
with open(f"/proc/{p.pid}/stat", encoding="ascii") as f:
    live.same(f.read().split(")")[1].split()[0], "S", "the process goes on")
p.kill()
p.wait()

with open("saved", "rb") as f:
    good = f.read()
seed = random.Random(7)
for i in range(12):
    bad = bytearray(good)
    if i < 3:
        bad = bad[: len(bad) * (i + 1) // 4]
    elif i < 8:
        for _ in range(6):
            bad[seed.randrange(len(bad) - 4000, len(bad))] = seed.randrange(256)
    else:
        for _ in range(40):
            bad[seed.randrange(len(bad))] = seed.randrange(256)
    with open("bad", "wb") as f:
        f.write(bad)
    r = core("bad", "-c", "::status", "-c", "::stack")
    live.check(r.returncode in (0, 1), f"damaged {i}", f"{r.returncode} {r.stderr}")
    live.check(i > 2 or "it is cut" in r.stderr, f"cut {i}", r.stderr)
live.done()
