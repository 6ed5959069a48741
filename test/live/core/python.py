# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""::pystack: frames and variables of Python's threads are those that the interpreter tells of itself at the same moment: alive, from a core of
gcore, from a packed one; a process without an interpreter, another version, a damaged core. PYTHONS: further binaries, separated by colons."""
import glob
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import live

if platform.machine() != "x86_64":
    print("# frames of Python are read on x86-64")
    raise SystemExit(77)
os.chdir(live.WORK)
APP = r'''
import json, os, sys, threading, time
class Shop:
    def sell(self, item, deep):
        if deep:
            return self.sell(item, deep - 1)
        items, one, empty, nothing, pair = [1, "two", 3.5, None, True, 7], (4,), [], {}, {"a": 1}
        nested = [[1, [2, [3]]], (b"by\x00", False)]
        zero, negative, edge, large, wide, small = 0, -5, 2**30, 12345678901234567890123456, -(2**61), 5e-324
        quote, both, long, green = "it's", "it's \"both\"", "x" * 150, "gr\u00fcn \u4e2d \U0001F600"
        def inner():
            return items, negative
        return inner, wait()
def wait():
    here.set()
    time.sleep(100)
def generated():
    yield lambda: (here.set(), time.sleep(100))
here = threading.Event()
def tell():
    here.wait()
    time.sleep(0.3)
    out = []
    for t in threading.enumerate():
        f = sys._current_frames()[t.ident]
        if t is threading.current_thread():
            continue
        frames = []
        while f:
            frames.append([f.f_code.co_qualname, f.f_code.co_filename, f.f_lineno, {k: repr(v) for k, v in f.f_locals.items() if f.f_code.co_flags & 1}])
            f = f.f_back
        out.append([t.native_id, frames])
    print(json.dumps(out), flush=True)
    time.sleep(100)
threading.Thread(target=tell, daemon=True).start()
threading.Thread(target=lambda: time.sleep(100), daemon=True).start()
Shop().sell("tea", 40)
'''
with open("app.py", "w", encoding="utf-8") as f:
    f.write(APP)


def core(*args):
    return live.dwell("core", *args, timeout=60)


def shown(value):
    """The repr() of the program as ::pystack shows it: large ones are cut, and others are told by their type."""
    if re.match(r"<(function|\S+\.Shop|__main__\.Shop)", value):
        return "<"
    if value == '{\'a\': 1}':
        return "{... 1 in all}"
    value = value.replace("[1, 'two', 3.5, None, True, 7]", "[1, 'two', 3.5, None, True, ... 6 in all]")
    value = value.replace("[[1, [2, [3]]], (b'by\\x00', False)]", "[[1, [... 2 in all]], (b'by\\x00', False)]")
    value = value.replace("'" + "x" * 150 + "'", "'" + "x" * 100 + "...'")
    return value.replace("'it\\'s \"both\"'", "'it's \"both\"'")


def compare(what, want, *args):
    for tid, frames in want:
        rows = [json.loads(l) for l in core("--json", *args, "-c", f"0t{tid}::pystack -l").stdout.splitlines()]
        live.same(
            [(r["function"], r["file"], r["line"]) for r in rows],
            [(q, f, l) for q, f, l, _ in frames],
            f"{what}: functions, files and lines",
        )
        for r, (name, _, _, variables) in zip(rows, frames):
            if name in ("Shop.sell", "wait") and variables:
                got = {k: "<" if v.startswith("<") else v for k, v in r["locals"].items()}
                live.same(got, {k: shown(v) for k, v in variables.items()}, f"{what}: variables of {name}")
                if len(variables) > 5:
                    break


PYTHONS = [p for p in os.environ.get("PYTHONS", "").split(":") if p]
for python in [os.path.realpath(sys.executable)] + sorted(glob.glob("/usr/bin/python3.*[0-9]")) + PYTHONS:
    version = subprocess.run(
        [python, "-c", "import sys; print('%d.%02d' % sys.version_info[:2])"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    p = subprocess.Popen([python, "app.py"], stdout=subprocess.PIPE, text=True)
    try:
        if version < "3.11":
            r = core("-p", p.pid, "-c", "::pystack")
            live.check(r.returncode == 1 and "older than 3.11" in r.stderr, f"{version} is refused", r.stderr)
            continue
        want = json.loads(p.stdout.readline())
        live.check(max(len(f) for _, f in want) > 40, f"{version}: there is a stack", want)
        compare(f"{version}, alive", want, "-p", p.pid)
        text = core("-p", p.pid, "-c", "::pystack -n 1 -l").stdout
        live.check(
            re.search(r"^thread [0-9a-f]+ \(\d+\):\n[0-9a-f]{16} wait at .*app\.py:\d+\n$", text),
            f"{version}: as text",
            text,
        )
        r = core("-p", p.pid, "-c", "::walk thread | ::pystack ! grep -c Thread._bootstrap")
        live.check(int(r.stdout) >= 2, f"{version}: all threads", r.stdout + r.stderr)
        r = core("--save", p.pid, f"packed.{p.pid}")
        live.same(r.returncode, 0, "saved")
        compare(f"{version}, packed", want, f"packed.{p.pid}")
        if shutil.which("gcore"):
            subprocess.run(
                ["gcore", "-o", "gcore", str(p.pid)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            compare(f"{version}, gcore", want, f"gcore.{p.pid}")
            with open(f"gcore.{p.pid}", "rb") as f:
                data = bytearray(f.read())
            seed = random.Random(version)
            for _ in range(20000):  # after the head and the notes
                data[seed.randrange(65536, len(data))] = seed.randrange(256)
            with open("bad", "wb") as f:
                f.write(data)
            r = core("bad", "-c", "::walk thread | ::pystack -l")
            live.check(
                r.returncode in (0, 1) and len(r.stdout) < 1 << 22,
                f"{version}, damaged: it ends",
                (r.returncode, r.stderr[-300:]),
            )
    finally:
        p.kill()
        p.wait()
q = subprocess.Popen(["sleep", "60"])
r = core("-p", q.pid, "-c", "::pystack")
live.check(r.returncode == 1 and "no CPython" in r.stderr, "no interpreter", r.stderr)
q.kill()
q.wait()
live.done()
