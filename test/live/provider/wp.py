# SPDX-License-Identifier: Apache-2.0
"""Watchpoints: how often, where, old and new values; of a process, of its threads, of the kernel; what is
refused."""
import os
import platform
import subprocess
import sys
import live

T = live.TRIGGER


def run(program, command):
    r = live.dwell("-qn", program, "-c", f"{T} {command}")
    if (
        "No such device" in r.stderr
        or "Operation not supported" in r.stderr
        or "do not fire on this machine" in r.stderr
    ):
        print("no breakpoints on this machine: " + r.stderr)
        sys.exit(77)
    return r


r = run(
    'wp$target:a.out:watched:w8 { printf("%d %d %d ", arg3, arg2, arg0 % 8); ufunc(arg1); printf("\\n"); }', "watch 5"
)
live.same(
    [" ".join(x.split()) for x in r.stdout.split("\n") if x],
    [f"{i} {i + 1} 0 trigger`watch_store" for i in range(5)],
    "each write, with old and new value",
)

r = run(
    'wp$target:trigger:watched:rw /arg3 == arg2/ { @[ufunc(arg1), "read"] = count(); } '
    'wp$target:trigger:watched:rw /arg3 != arg2/ { @[ufunc(arg1), "write"] = count(); }',
    "watch 1000",
)
rows = sorted(" ".join(x.split()) for x in r.stdout.split("\n") if x)
live.same(rows, ["trigger`watch_load read 1000", "trigger`watch_store write 1000"], "reads and writes of two clauses")

r = run('wp$target:a.out:watched:w { @[tid] = count(); }', "watch 900 0 3")
live.same(sorted(int(x.split()[1]) for x in r.stdout.split("\n") if x), [300, 300, 300], "threads that come later")

r = run('wp$target:a.out:watch_store:x { printf("%d ", arg0 == arg1); @ = count(); }', "watch 4")
live.same(r.stdout.split(), ["1", "1", "1", "1", "4"], "execution of an address")

r = run('wp$target:a.out:watched_bytes:w1 { @ = count(); }', "watch 4")
live.same(r.stdout.split(), [], "byte 0 of an array of which another byte changes")

r = live.dwell("-lvn", 'wp$target:a.out:watched:w8', "-c", f"{T} watch 1")
live.check("args[2]: uint64_t" in r.stdout, "typed arguments", r.stdout + r.stderr)

# the limit: the kernel refuses the fifth, and the message says so
names = "".join('wp$target::0x%x:w8 { @[%d] = count(); }' % (0x1000 + 8 * i, i) for i in range(5))
r = run(names, "watch 1")
if platform.machine() == "x86_64":
    live.check(
        r.returncode == 1 and "all breakpoints of the CPU are in use, x86-64 has 4" in r.stderr,
        "five are too many",
        r.stderr,
    )
names = "".join('wp$target::0x%x:w8 { @[%d] = count(); }' % (0x1000 + 8 * i, i) for i in range(17))
r = run(names, "watch 1")
live.check(r.returncode == 1 and "more than 16 watchpoints" in r.stderr, "more than a session can have", r.stderr)

for name, words in (
    ("wp$target:a.out:watched:w3", "1, 2, 4 or 8 bytes long"),
    ("wp$target:a.out:watched:w16", "1, 2, 4 or 8 bytes long"),
    ("wp$target:a.out:watched:q", "a watchpoint's name is r, w, rw or x"),
    ("wp$target:a.out:watch_store:x8", "is x, without a number"),
    ("wp$target:a.out:watched_bytes:w", "the variable does not tell"),
    ("wp$target:a.out:no_such:w8", "no variable no_such in a.out"),
    ("wp$target::0x1001:w8", "needs an address that is a multiple of it"),
    ("wp$target::0xffffffff81000000:w8", "is no address of a process"),
    ("wp::0x1000:w8", "is no address of the kernel"),
    ("wp::no_such_variable:w8", "lists no symbol no_such_variable"),
    ("wp:::", "watchpoints exist when they are named"),
):
    r = run(name + "{}", "watch 1")
    live.check(r.returncode == 1 and words in r.stderr, "refused: " + name, r.stderr)
if platform.machine() == "x86_64":
    r = run("wp$target:a.out:watched:r8{}", "watch 1")
    live.check("cannot watch reads alone: rw8" in r.stderr, "reads alone", r.stderr)

# memory of the kernel: the score that a process writes through /proc
child = subprocess.Popen(
    [
        sys.executable,
        "-c",
        "import sys, os\nfor line in sys.stdin:\n"
        "  if line.strip(): open('/proc/self/oom_score_adj', 'w').write(line)\n"
        "  os.getppid()\n  print('done', flush=True)\n",
    ],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    text=True,
)


def ask(what):
    child.stdin.write(what + "\n")
    child.stdin.flush()
    child.stdout.readline()


p = subprocess.Popen(
    [
        live.DWELL,
        "-qn",
        'BEGIN { printf("go\\n"); } syscall::getppid:entry /pid == $1/ '
        '{ printf("%x\\n", (uint64_t)&curthread->signal->oom_score_adj); exit(0); }',
        str(child.pid),
    ],
    stdout=subprocess.PIPE,
    text=True,
)
p.stdout.readline()
addr = ""
while not addr:
    ask("")
    try:
        addr = p.communicate(timeout=0.3)[0].strip()
    except subprocess.TimeoutExpired:
        pass
ask("100")
p = subprocess.Popen(
    [
        live.DWELL,
        "-qn",
        f'BEGIN {{ printf("go\\n"); }} wp::0x{addr}:w2 {{ '
        'printf("%d %d %d\\n", arg3, arg2, pid == $1 && (int64_t)arg1 < 0); } wp::0x'
        + addr
        + ':w2 /arg2 == 400/ { exit(0); }',
        str(child.pid),
    ],
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    text=True,
)
p.stdout.readline()
while p.poll() is None:
    for v in (200, 300, 400):
        ask(str(v))
    try:
        p.wait(0.3)
    except subprocess.TimeoutExpired:
        ask("100")
out, err = p.communicate()
got = out.split("\n")
live.check(
    "200 300 1" in got and "300 400 1" in got and got[0].startswith("100 "), "a variable of the kernel", out + err
)
child.stdin.close()
child.wait()
live.done()
