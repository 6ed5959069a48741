# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
"""D over a recording that asks about functions: the program runs again, with breakpoints. Ten scripts give the same lines by uprobes of the kernel while the
program runs and over a recording of it: entries, returns, offsets, arguments, memory, stacks, threads."""
import os
import re
import shutil
import subprocess
import sys

import live

HERE = os.path.dirname(os.path.abspath(__file__))
TRACE, C, PROGRAM = (os.path.join(live.WORK, x) for x in ("trace", "x.c", "xfunctions"))
SOURCE = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/sdt.h>
struct item { int id; char name[16]; };
__attribute__((noinline)) int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
__attribute__((noinline)) size_t work(struct item *i, const char *text) { i->id++; return strlen(text) + (size_t)i->id; }
static long total;
__attribute__((noinline)) void bump(long n) { total += n; }
__attribute__((noinline)) void *thread(void *a) { for (int k = 0; k < 5; k++) fact(k); return a; }
int main(void) {
	struct item it = { 5, "abc" };
	size_t n = 0;
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(t + i, 0, thread, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	for (int i = 0; i < 100; i++) { char b[32]; snprintf(b, sizeof(b), "text %d", i); n += work(&it, b); free(malloc((size_t)i * 10)); if (i % 10 == 0) getppid(); DTRACE_PROBE1(mine, step, i); bump(i); }
	printf("%zu %d %ld\n", n, fact(10), total);
	fflush(stdout);
	if (fork() == 0) _exit(fact(3));
	return 0;
}
"""
BURN = r"""
#include <stdio.h>
#include <unistd.h>
static volatile unsigned long x;
__attribute__((noinline)) void one(long n) { for (long i = 0; i < n; i++) x = x * 3 + 1; }
__attribute__((noinline)) void three(long n) { for (long i = 0; i < 3 * n; i++) x = x * 3 + 1; }
int main(void) { for (int i = 0; i < 200; i++) { one(200000); getppid(); three(200000); } printf("%lu\n", x); return 0; }
"""
P = "pid$target:xfunctions:"
SCRIPTS = {
    "entries by argument": P + "fact:entry { @[probefunc, arg0] = count(); }",
    "values of returns": P + "fact:return, " + P + "work:return { @[probefunc, arg1] = count(); }",
    "texts of the program": P + "work:entry { @[copyinstr(arg1)] = count(); }",
    "its memory": P + "work:entry { @[*(int *)copyin(arg0, 4), stringof((char *)copyin(arg0 + 4, 16))] = count(); }",
    "threads' variables": P
    + "work:entry { self->t = arg1; self->from = timestamp; } "
    + P
    + "work:return /self->t && timestamp >= self->from/ { @ = count(); @s = sum(arg1); self->t = 0; }",
    "a library": P
    + "main:entry { self->on = 1; } pid$target:libc:malloc:entry /self->on/ { @ = quantize(arg0); @c = count(); } "
    + P
    + "main:return { self->on = 0; }",
    "each instruction": P + "fact: { @[probename] = count(); }",
    "stacks": P
    + "fact:entry /arg0 < 3/ { @[ustack(4)] = count(); } "
    + P
    + "thread:entry { @t[ustack(1)] = count(); }",
    "static probes of the command": "mine$target:::step { @[arg0 % 10, pid == $target] = count(); } mine$target:xfunctions:main:step /arg0 < 3/ { printf(\"%d\\n\", arg0); }",
    "static probes": "mine*:::step /execname == \"xfunctions\"/ { @[arg0 % 10] = count(); }",
    "a function that begins with an operand relative to rip": P + "bump:entry { @ = sum(arg0); }",
    "lines": P
    + "work:entry { printf(\"%s %d %d\\n\", probefunc, ++n, pid == $target); } END { printf(\"%d\\n\", n); }",
    "calls within functions": P
    + "main:entry { self->in = 1; } syscall::getppid:entry /self->in && pid == $target/ { @[execname, probefunc] = count(); } "
    + P
    + "fact:entry /self->in/ { depth++; } "
    + P
    + "fact:return /self->in/ { depth--; } END { printf(\"depth %d\\n\", depth); }",
}


def run(*args):
    return subprocess.run(
        [live.DWELL, *args], capture_output=True, timeout=100, check=False, stdin=subprocess.DEVNULL, text=True
    )


def lines(text, output):
    text = text.replace(output, "")
    return sorted(re.sub(r"\s+", " ", x).strip() for x in text.splitlines() if x.strip())


def main():
    with open(C, "w", encoding="ascii") as f:
        f.write(SOURCE)
    subprocess.run(
        [
            "gcc",
            "-I",
            os.path.join(HERE, "../../../include"),
            "-O1",
            "-g",
            "-fno-optimize-sibling-calls",
            "-pthread",
            "-o",
            PROGRAM,
            C,
        ],
        check=True,
    )
    r = run("rec", "-q", "-o", TRACE, "--", PROGRAM)
    live.check(r.returncode == 0 and not r.stderr, "recorded", r)
    for name, text in SCRIPTS.items():
        script = os.path.join(live.WORK, "x.d")
        with open(script, "w", encoding="ascii") as f:
            f.write(text)
        then, now = run("-q", "-s", script, "-c", PROGRAM), run("replay", "-q", "-s", script, TRACE)
        live.check(
            lines(then.stdout, r.stdout) == lines(now.stdout, r.stdout) and len(now.stdout) > 3,
            f"{name}: as live",
            f"{then.stderr} {now.stderr}\n{sorted(set(lines(then.stdout, r.stdout)) ^ set(lines(now.stdout, r.stdout)))[:20]}",
        )
        live.check("times of functions are estimated" in now.stderr, f"{name}: that times are estimated is said", now)
    burn = os.path.join(live.WORK, "xburn")
    with open(C, "w", encoding="ascii") as f:
        f.write(BURN)
    subprocess.run(["gcc", "-O1", "-g", "-o", burn, C], check=True)
    run("rec", "-q", "-o", TRACE + "3", "--", burn)
    p = run(
        "replay",
        "-q",
        "-n",
        "profile-997 /execname == \"xburn\"/ { @[ustack(1)] = count(); @n[\"\"] = count(); } profile-97 { @slow[\"\"] = count(); }",
        TRACE + "3",
    )
    n = {x: sum(int(k) for k in re.findall(r"`" + x + r"\S*\s+(\d+)", p.stdout)) for x in ("one", "three")}
    rest = [int(x) for x in re.findall(r"^\s+(\d+)$", p.stdout, re.M)][-2:]
    live.check(n["three"] > 1.5 * n["one"] > 15 and rest[1] < rest[0] / 4, "samples are where the work is", p)
    live.check("that is no CPU time of" in p.stderr, "and it is said what they are", p)
    p = run("replay", "-q", "-n", P + "work:entry { @ = count(); exit(3); }", TRACE)
    live.check(p.returncode == 3, "exit()", p)
    for text, reason in (
        (P + "nothing:entry { }", "failed to lookup 'nothing' in module 'xfunctions'"),
        ("pid1:libc:malloc:entry { }", "process 1 is none of the recording's"),
        (P + "work:entry { trace(vtimestamp); }", "it has no CPU times"),
    ):
        p = run("replay", "-n", text, TRACE)
        live.check(p.returncode == 1 and reason in p.stderr and not p.stdout, f"refused: {text}", p)
    r2 = run("rec", "-q", "-o", TRACE + "2", "--", "sh", "-c", f"{PROGRAM}; {PROGRAM}; true")
    p = run("replay", "-q", "-x", "usdtfiles=" + PROGRAM, "-n", "mine*:::step { @ = count(); }", TRACE + "2")
    live.check(
        r2.returncode == 0 and p.stdout.split() == ["200"], "static probes of a program that was gone at the end", p
    )
    if shutil.which("node"):  # it passes on what the stub of logged calls leaves in rcx
        run("rec", "-q", "-o", TRACE + "4", "--", "node", "-e", "require('fs').readdirSync('/usr/lib').length")
        p = run(
            "replay",
            "-q",
            "-n",
            "pid$target:node:main:entry { @ = count(); } profile-499 { @n = count(); }",
            TRACE + "4",
        )
        live.check(p.returncode == 0 and p.stdout.split()[:1] == ["1"] and len(p.stdout.split()) == 2, "node", p)
    p = run("replay", TRACE)
    live.check(p.stdout == r.stdout and p.returncode == 0, "and a replay that nobody asks is as before", p)


if shutil.which("gcc"):
    main()
sys.exit(live.failures > 0)
