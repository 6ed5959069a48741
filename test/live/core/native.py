# SPDX-License-Identifier: Apache-2.0
"""dwell core: a core of the kernel, one of gcore, and a process that lives; threads and stacks as gdb has them; cores that are cut, sparse,
of another program; commands by option, from a script, as JSON; what is refused."""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time
import live

SOURCE = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static char marked[64] = "marked by the test";
__attribute__((noinline)) static void inner(int n) { if (n) { inner(n - 1); __asm__ volatile("" ::: "memory"); return; }
  printf("%p\n", (void *)marked); fflush(stdout); char *a = getenv("CRASH"); if (a) *(volatile int *)16 = 1; for (;;) pause(); }
static volatile int up;
static void *waits(void *p) { (void)p; up = 1; for (;;) sleep(1000); }
int main(void) { pthread_t t; pthread_create(&t, NULL, waits, NULL); while (!up) ; inner(5); return 0; }
"""
os.chdir(live.WORK)
with open("p.c", "w", encoding="ascii") as f:
    f.write(SOURCE)
subprocess.run(["cc", "-O1", "-fomit-frame-pointer", "-Wl,--build-id", "-pthread", "-o", "p", "p.c"], check=True)
PROGRAM = os.path.join(live.WORK, "p")


def start(**kw):
    p = subprocess.Popen([PROGRAM], stdout=subprocess.PIPE, text=True, **kw)
    return p, int(p.stdout.readline(), 16)


def core(*args, **kw):
    return live.dwell("core", *args, **kw)


def rows(*args):
    return [json.loads(l) for l in core("--json", *args).stdout.splitlines()]


def names(stack):
    return [x.get("name") for x in stack]


def judge(what, args, pid):
    """Status, threads and stacks of the program."""
    s = rows(*args, "-c", "::status")[0]
    live.same(
        (s["pid"], s["comm"], s["threads"], s["program"], s["program_state"]),
        (pid, "p", 2, PROGRAM, "same build"),
        f"{what}: status",
    )
    stacks = {}
    for x in rows(*args, "-c", "::walk thread | ::stack"):
        stacks.setdefault(x["tid"], []).append(x)
    live.same(len(stacks), 2, f"{what}: two stacks")
    got = names(stacks[pid])
    live.check(
        got.count("inner") == 6 and got[got.index("main") - 1] == "inner", f"{what}: frames without frame pointers", got
    )
    other = [names(v) for k, v in stacks.items() if k != pid][0]
    live.check("waits" in other, f"{what}: the other thread", other)
    live.check(any(x.get("file", "").endswith("libc.so.6") for x in stacks[pid]), f"{what}: files", stacks[pid])


p, at = start()
judge("alive", ["-p", p.pid], p.pid)
r = core("-p", p.pid, "-c", f"{at:x}::whatis", "-c", "::mappings ! grep -c rw-")
live.check(
    f"{at:x} is p`marked+0x0" in r.stdout and int(r.stdout.split()[-1]) > 3,
    "a variable's name; a program of the shell",
    r.stdout + r.stderr,
)
r = core("-p", p.pid, "--no-stop", "-c", "::status", "-c", "::threads", "-c", "::stack")
live.check(
    "alive, running" in r.stdout and "leave --no-stop out" in r.stderr and r.returncode == 1,
    "--no-stop: no registers",
    r.stdout + r.stderr,
)
for _ in range(100):  # sleeping again, not stopped
    with open(f"/proc/{p.pid}/stat", encoding="ascii") as f:
        state = f.read().split(")")[1].split()[0]
    if state == "S":
        break
    time.sleep(0.05)
live.same(state, "S", "it goes on when dwell has ended")
held = subprocess.Popen(
    [live.DWELL, "core", "--stop", "-p", str(p.pid)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
)
held.stdin.write("::status\n")
held.stdin.flush()
live.check("process" in held.stdout.readline(), "commands from standard input", "")
r = core("-p", p.pid, "-c", "::status")
live.check(r.returncode == 1 and "somebody else traces them" in r.stderr, "one that is traced", r.stderr)
held.kill()
held.wait()
for _ in range(100):
    with open(f"/proc/{p.pid}/stat", encoding="ascii") as f:
        state = f.read().split(")")[1].split()[0]
    if state == "S":
        break
    time.sleep(0.05)
live.same(state, "S", "it goes on when dwell is killed")
held = subprocess.Popen(
    [live.DWELL, "core", "-p", str(p.pid)],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    text=True,
)
held.stdin.write("::status\n")
held.stdin.flush()
said = held.stdout.readline() + held.stdout.readline()
with open(f"/proc/{p.pid}/stat", encoding="ascii") as f:
    state = f.read().split(")")[1].split()[0]
live.check(
    "a copy of its memory" in said and state == "S", "lines of standard input see a copy; it goes on", (said, state)
)
out, err = held.communicate("::stack\n")
live.check("inner" in out and "main" in out and "stood still for" in err, "stacks of the copy", (out, err))
judge("copied", ["--copy", "-p", p.pid], p.pid)

cores = []
if shutil.which("gcore"):
    subprocess.run(
        ["gcore", "-o", "gcore", str(p.pid)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    cores.append(("gcore", f"gcore.{p.pid}", p.pid))
p.kill()
p.wait()
with open("/proc/sys/kernel/core_pattern", encoding="ascii") as f:
    pattern = f.read().strip()
if pattern == "core":
    p, _ = start(
        env=dict(os.environ, CRASH="1"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2),
    )
    live.same(p.wait(), -signal.SIGSEGV, "it crashes")
    file = next(n for n in os.listdir(".") if re.fullmatch(r"core(\.\d+)?", n))
    cores.append(("the kernel's core", file, p.pid))
    r = core(file, "-c", "::status")
    live.check("SIGSEGV" in r.stdout and "at address 10\n" in r.stdout, "what it died of", r.stdout)
for what, file, pid in cores:
    judge(what, [file], pid)
    with open("script", "w", encoding="ascii") as f:
        f.write("# a comment\n\n::status\n::threads\n$q\n::nothing\n")
    with open("script", encoding="ascii") as f:
        r = core(file, stdin=f)
    live.check(r.returncode == 0 and "THREAD" in r.stdout and not r.stderr, f"{what}: a script", r.stdout + r.stderr)
    size = os.path.getsize(file)
    shutil.copy(file, "cut")
    os.truncate("cut", size // 2)
    r = core("cut", "-c", "::status", "-c", "::stack")
    live.check("bytes too short" in r.stdout, f"{what}: cut", r.stdout + r.stderr)
    # A core of 30 GB whose last part is a hole.
    subprocess.run(["cp", "--sparse=always", file, "big"], check=True)
    os.truncate("big", 30 << 30)
    r = core("big", "-c", "::stack")
    live.check(r.stdout.count("`inner+") == 6, f"{what}: 30 GB with holes", r.stdout + r.stderr)
    os.unlink("big")
    os.rename("p", "elsewhere")
    r = core(file, "-c", "::status")
    live.check("cannot be opened" in r.stdout, f"{what}: without the program", r.stdout)
    r = core(file, "elsewhere", "-c", "::stack")
    live.check(r.stdout.count("`inner+") == 6, f"{what}: the program elsewhere", r.stdout + r.stderr)
    r = core(file, "/bin/true", "-c", "::stack")
    live.check(r.returncode == 1 and "another build" in r.stderr, f"{what}: another program", r.stderr)
    shutil.copy("/bin/true", "p")
    r = core(file, "-c", "::status", "-c", "::stack")
    live.check(
        "another build, not used" in r.stdout and "inner" not in r.stdout, f"{what}: the program was replaced", r.stdout
    )
    os.unlink("p")
    os.rename("elsewhere", "p")

for args, code, words in (
    (["/nothing"], 1, "No such file"),
    (["p.c"], 1, "no ELF file"),
    ([PROGRAM], 1, "no core file but a program"),
    (["/"], 1, ""),
    ([], 2, "a core file, -p PID, or -k"),
    (["-p", "0"], 2, "'0' is no process"),
    (["-p", "4194304"], 1, "no such process"),
    (["-p", "2"], 1, ""),
    (["-p", "1", "x"], 2, "'x'"),
    (["a", "b", "c"], 2, "'c'"),
    (["-p", os.getpid(), "--no-stop", "-c", "::nothing"], 1, "no command ::nothing"),
):
    r = core(*args)
    live.check(r.returncode == code and words in r.stderr and r.stderr, f"core {args}", f"{r.returncode} {r.stderr}")
r = subprocess.run(
    ["setpriv", "--reuid", "65534", "--clear-groups", live.DWELL, "core", "-p", "1", "-c", "::status"],
    capture_output=True,
    text=True,
    timeout=20,
    check=False,
)
live.check(r.returncode == 1 and "root" in r.stderr, "others may not look", r.stderr)

# The example of each command's help, as it stands there.
p, _ = start()
for line in core("-p", p.pid, "-c", "::dcmds").stdout.splitlines():
    r = core("-p", p.pid, "-c", "::help " + line.split()[0][2:])
    example = re.search(r"^Example: (.*)", r.stdout, re.M)
    if (
        example
        and not re.search("js|jstack|pystack|nodebuffer|findf|heaps", line)
        and "task" not in example[1]
        and line.split()[0] not in ("::ps", "::stacks")
    ):
        r = core("-p", p.pid, "-c", example[1])
        live.check(r.returncode == 0 and r.stdout, f"example {example[1]}", r.stdout + r.stderr)
p.kill()
p.wait()
live.done()
