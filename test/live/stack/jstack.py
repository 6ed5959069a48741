# SPDX-License-Identifier: Apache-2.0
"""jstack(): Python's frames between the native ones, as the interpreter itself tells of them at the same moment; from a
stripped interpreter, in threads, from generators and callbacks of C code; names escaped; unknown versions refused."""
import glob
import os
import platform
import re
import subprocess
import sys
import live

if platform.machine() != "x86_64":
    print("# user stacks are walked by tables on x86-64 and arm64, this was written for the first")
    raise SystemExit(77)

TOLD = os.path.join(live.WORK, "told.txt")
SCRIPT = os.path.join(live.WORK, "jstack-target.py")
with open(SCRIPT, "w") as f:
    f.write(
        f'''import os, sys, threading, time
told = open({TOLD!r}, "w", encoding="utf-8")
def tell():
    f = sys._getframe(1)
    lines = []
    while f:
        lines.append("%s at %s:%d" % (f.f_code.co_qualname, f.f_code.co_filename, f.f_lineno))
        f = f.f_back
    told.write("\\n".join(lines) + "\\n\\n")
    told.flush()
class Store:
    def save(self, n):
        if n:
            return self.save(n - 1)
        tell(); os.getppid()
def generate():
    Store().save(2); yield 1
class \u041a\u043b\u044e\u0447:
    def __getattr__(self, name):
        return list(generate())
def key(x):
    return (lambda: \u041a\u043b\u044e\u0447().x)()
def main():
    sorted([1], key=key)
    exec(made, globals())
def deep(n):
    if n:
        deep(n - 1)
    else:
        tell(); os.getppid()
made = compile("def f():\\n\\n  tell(); os.getppid()\\nf()", "a.py", "exec")
time.sleep(0.3)
main()
t = threading.Thread(target=main); t.start(); t.join()
deep(30)
time.sleep(0.5)
'''
    )


def stacks(text):
    return [[l.strip() for l in b.splitlines() if l.strip()] for b in re.split(r"\n\s*\n", text) if b.strip()]


def run(python, program, *options):
    return live.dwell("-q", *options, "-n", program, "-c", f"{python} {SCRIPT}")


def version(python):
    r = subprocess.run(
        [python, "-c", "import sys; print(*sys.version_info[:2], sys.implementation.name)"],
        capture_output=True,
        text=True,
        check=False,
    )
    v = r.stdout.split()
    return (int(v[0]), int(v[1])) if len(v) == 3 and v[2] == "cpython" else None


PROGRAM = "syscall::getppid:entry /pid == $target/ { jstack(100); }"
found = {}
for p in [os.path.realpath(sys.executable)] + sorted(glob.glob("/usr/bin/python3.*[0-9]")):
    found.setdefault(version(p), p)
found.pop(None, None)
known = [v for v in found if (3, 11) <= v <= (3, 13)]
for v in known:
    rec = os.path.join(live.WORK, f"{v[1]}.dwell")
    r = run(found[v], PROGRAM, "--record", rec)
    with open(TOLD, encoding="utf-8") as f:
        told = stacks(f.read())
    got = stacks(r.stdout)
    live.same(len(got), len(told), f"{v}: every stack came")
    for g, t in zip(got, told):
        live.same("\n".join(l for l in g if " at " in l), "\n".join(t), f"{v}: what Python says of itself")
        live.check("getppid" in g[0] and re.search("_start|clone", g[-1]), f"{v}: whole to the thread's start", g)
    live.check(any("PyEval_EvalCode" in l for l in got[0]), f"{v}: native frames between", got[0])
    live.check(not any("_PyEval_EvalFrameDefault" in l for g in got for l in g), f"{v}: the loop is replaced", got)
    r = live.dwell("report", rec)
    live.check("key at " + SCRIPT in r.stdout, f"{v}: a recording keeps the names", r.stdout[:2000] + r.stderr)

if known:
    python = found[known[0]]
    r = run(
        python,
        "syscall::getppid:entry /pid == $target/ { @[jstack(6)] = count(); ustack(100); ustack(100, 512);"
        " jstack(100, 0); }",
        "-x",
        "aggrate=50ms",
    )
    got = stacks(r.stdout)
    plain, named, zero = got[:3]
    live.check(
        not any(" at " in l or "[" in l for l in plain + zero), "ustack(), and jstack() of size 0, are native", got
    )
    live.check(any(" at " in l for l in named), "ustack() with a size is jstack()", got)
    keys = [s for s in got if s[-1].isdigit()]
    live.check(any("Store.save at " in l for s in keys for l in s), "as a key", keys)
    live.same(max(len(s) for s in keys), 7, "no more frames than asked for, and a count")
    with open(SCRIPT, "w") as f:
        f.write(
            'import os, time, _thread\ntime.sleep(0.3)\n'
            'exec(compile("os.getppid()\\ntime.sleep(0.8)", "a\\x1b[31m\\n\\u202eb", "exec"))\n'
            "def f():\n while 1: os.getpgid(0)\n_thread.start_new_thread(f, ())\ntime.sleep(0.1)\nos._exit(0)\n"
        )
    r = run(python, PROGRAM + " syscall::getpgid:entry /pid == $target/ { @[jstack(100)] = count(); }")
    live.check("<module> at a\\x1b[31m\\x0a\\u202eb:1" in r.stdout, "text of the target is escaped", ascii(r.stdout))
    live.check(
        "f at " in r.stdout or "[Python function: the process is gone" in r.stdout,
        "the target exits meanwhile",
        r.stdout[:2000] + r.stderr,
    )
for v in found:
    if v not in known and v >= (3, 8):
        r = run(found[v], PROGRAM)
        live.check("[Python frames: version " in r.stdout, f"{v} is refused with the reason", r.stdout[:1000])
live.check(found, "there is a Python", found)
live.done()
