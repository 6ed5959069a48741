# SPDX-License-Identifier: Apache-2.0
# @timeout: 400
"""jstack() over a recording: the same stacks of Python, JavaScript and Java, as often, as while the program runs; in threads, at system calls that the program
logged itself, at functions, as keys and in records."""
import os
import re
import shutil
import subprocess
import sys

import live

PYTHON = """import os, threading, time
def inner(n):
    os.getppid()
    if n:
        inner(n - 1)
def outer(n): inner(n)
class Store:
    def save(self, n):
        sorted([3, 1], key=lambda x: outer(n) or x)
time.sleep(0.4)
for i in range(8): Store().save(i)
t = threading.Thread(target=outer, args=(2,)); t.start(); t.join()
code = compile("def made(): outer(1)\\nmade()", "made.py", "exec")
exec(code)
time.sleep(2)
"""
NODE = """const fs = require('fs');
function leaf(n) { fs.accessSync(__filename); }
function mid(n) { for (let i = 0; i < n; i++) leaf(i); }
class Runner { run() { mid(30); } }
setTimeout(() => { new Runner().run(); mid(3); setTimeout(() => process.exit(0), 2000); }, 600);
"""
JAVA = """public class Asked {
    static void deep(int n) throws Exception { if (n > 0) deep(n - 1); else new java.io.File("/etc/asked").exists(); }
    public static void main(String[] args) throws Exception { Thread.sleep(1000); for (int i = 0; i < 20; i++) deep(i % 3); Thread.sleep(2000); }
}
"""
MINE = 'pid == $target && strstr(copyinstr(arg0), "asked.js") != NULL'
ASKED = {
    "python": [
        "syscall::getppid:entry /pid == $target/ { @[jstack(100)] = count(); }",
        "syscall::getppid:entry /pid == $target && ++n % 7 == 0/ { jstack(8); ustack(30, 512); ustack(5); }",
        "pid$target::os_getppid:entry { @[jstack(20)] = count(); }",
    ],
    "node": [
        f"syscall::access:entry /{MINE}/ {{ @[jstack(100)] = count(); }}",
        f"syscall::access:entry /{MINE} && ++n % 11 == 0/ {{ jstack(12); }}",
    ],
    "java": [
        "syscall::newfstatat:entry, syscall::stat:entry /pid == $target/ { self->p = probefunc == \"stat\" ? arg0 : arg1; }"
        " syscall::newfstatat:entry, syscall::stat:entry /self->p && strstr(copyinstr(self->p), \"/etc/asked\") != NULL/ { @[jstack(30)] = count(); self->p = 0; }"
    ],
}


def run(*args):
    return subprocess.run(
        [live.DWELL, *args], capture_output=True, timeout=150, check=False, stdin=subprocess.DEVNULL, text=True
    )


def stacks(text):
    return sorted(
        "\n".join(x.strip() for x in block.splitlines() if x.strip())
        for block in re.split(r"\n\s*\n", text)
        if block.strip()
    )


def compare(name, command):
    trace = os.path.join(live.WORK, name + ".trace")
    r = run("rec", "-q", "-o", trace, "--", *command)
    live.check(r.returncode == 0, f"{name}: recorded", r)
    for i, text in enumerate(ASKED[name]):
        # the running process's names are read while it is there
        then = run("-q", "-x", "aggrate=20ms", "-n", text, "-c", " ".join(command))
        now = run("replay", "-q", "-n", text, trace)
        a, b = stacks(then.stdout), stacks(now.stdout)
        live.check(
            a == b and " at " in now.stdout and now.returncode == 0,
            f"{name}: as live: {i}",
            f"{then.stderr}{now.stderr}\nlive only {[x for x in a if x not in b][:2]}\nreplay only {[x for x in b if x not in a][:2]}\n{len(a)} and {len(b)} stacks",
        )
        live.check("[anon]" not in now.stdout and "cut here" not in now.stdout, f"{name}: whole stacks: {i}", now)
    kept = os.path.join(live.WORK, name + ".dwell")
    r = run("replay", "-q", "--record", kept, "-n", ASKED[name][0], trace)
    shown = run("report", kept)
    live.check(stacks(r.stdout) and " at " in shown.stdout, f"{name}: a recording of it has the names", shown)


def path(name, text):
    at = os.path.join(live.WORK, name)
    with open(at, "w", encoding="ascii") as f:
        f.write(text)
    return at


PYTHON_EXE = os.path.realpath(sys.executable)
if (3, 11) <= sys.version_info[:2] <= (3, 13):
    compare("python", [PYTHON_EXE, path("asked.py", PYTHON)])
if shutil.which("node"):
    compare("node", [os.path.realpath(shutil.which("node")), path("asked.js", NODE)])
# Its own file of counters is mapped for writing, which cannot be recorded.
if shutil.which("java") and shutil.which("javac"):
    subprocess.run(["javac", "-d", live.WORK, path("Asked.java", JAVA)], check=True)
    compare("java", ["java", "-XX:-UsePerfData", "-Xint", "-cp", live.WORK, "Asked"])
sys.exit(live.failures > 0)
