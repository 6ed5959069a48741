# SPDX-License-Identifier: Apache-2.0
# @timeout: 200
"""Ten kinds of questions, each asked while a program runs and of a recording of it: the same counts and lines, and lines of printf() in the same order. What
the program does is decided by itself alone."""
import os
import re
import shutil
import subprocess
import sys

import live

HERE = os.path.dirname(os.path.abspath(__file__))
TRACE, C, PROGRAM, OTHER, DATA = (os.path.join(live.WORK, x) for x in ("trace", "x.c", "xten", "xother", "data"))
SOURCE = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <sys/sdt.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) void sorted(int n) { int *v = malloc(n * sizeof(int)); for (int i = 0; i < n; i++) v[i] = (i * 7) % n; qsort(v, n, sizeof(int), compare); free(v); }
__attribute__((noinline)) void few(void) { sorted(5); }
__attribute__((noinline)) void many(void) { sorted(50); sorted(100); }
static void files(const char *dir) {
	static const char *const names[] = { "data", "none", "data/below", "data", "gone" };
	char path[300], buf[4096];
	for (int i = 0; i < 5; i++) {
		strcpy(path, dir); strcat(path, "/"); strcat(path, names[i]);
		int fd = open(path, O_RDONLY);
		for (int n = 1; n <= 4096; n *= 2) if (read(fd, buf, n) <= 0) break;
		close(fd);
		DTRACE_PROBE2(ten, file, i, names[i]);
	}
}
static void sleeps(void) {
	static const int ms[] = { 5, 5, 40, 150 };
	for (int i = 0; i < 4; i++) { struct timespec t = { 0, ms[i] * 1000000 }; nanosleep(&t, 0); }
}
static void *thread(void *a) { sorted(20); getppid(); return a; }
int main(int argc, char **argv) {
	pthread_t t;
	for (int i = 0; i < 4; i++) { files(argv[1]); few(); many(); }
	sleeps();
	for (int i = 0; i < 2; i++) { pthread_create(&t, 0, thread, 0); pthread_join(t, 0); }
	for (int i = 0; i < 3; i++) {
		pid_t p = fork();
		if (p == 0) { if (i == 0) _exit(7); execl(argv[2], argv[2], i == 1 ? argv[1] : "/nonexistent", (char *)0); }
		waitpid(p, 0, 0);
	}
	return 0;
}
"""
# A recorded program has no rseq(2).
US = '/execname == "xten" || execname == "xother"/'
SCRIPTS = {
    "system calls by error": "syscall:::return " + US[:-1].replace("/", "/(", 1) + ') && probefunc != "rseq"/ { @[execname, probefunc, errno] = count(); }',
    "a library's function": "pid$target:libc:qsort:entry { @n[arg1, arg2] = count(); self->n = arg1; } pid$target:libc:qsort:return { @r[self->n] = count(); }"
    " pid$target:libc:malloc:entry { @m = quantize(arg0); } pid$target:xten:compare:return { @c[(int)arg1] = count(); }",
    "user stacks": "pid$target:xten:sorted:entry { @[ustack()] = sum(arg0); } syscall::getppid:entry /pid == $target/ { @s[ustack(6)] = count(); }",
    "sizes of reads": 'syscall::read:return /execname == "xten"/ { @ = quantize(arg0); @l = lquantize(arg0, -10, 100, 10); @a = avg(arg0); }',
    "times of calls": 'syscall::clock_nanosleep:entry /execname == "xten"/ { self->t = timestamp; } syscall::clock_nanosleep:return /self->t/'
    " { this->d = (timestamp - self->t) / 1000000; @[this->d < 5 ? 0 : this->d < 40 ? 5 : this->d < 150 ? 40 : 150] = count(); self->t = 0; }",
    "paths": "syscall::openat:entry " + US + " { self->p = arg1; } syscall::openat:return /self->p/ { @[copyinstr(self->p), errno] = count(); self->p = 0; }",
    "static probes": "ten$target:::file { @[arg0, copyinstr(arg1)] = count(); } ten$target:xten::file { @f[probefunc] = count(); }",
    "speculations": "#pragma D option nspec=400\nsyscall::openat:entry " + US + ' { self->s = speculation(); speculate(self->s); self->p = arg1; printf("flags %d", arg2); }'
    ' syscall::openat:return /self->s/ { speculate(self->s); printf(" error %d %s\\n", errno, basename(copyinstr(self->p))); }'
    " syscall::openat:return /self->s && errno/ { commit(self->s); self->s = 0; bad++; } syscall::openat:return /self->s/ { discard(self->s); self->s = 0; good++; }"
    ' END { printf("%d %d\\n", bad, good); }',
    "order of lines": 'pid$target:xten:main:entry { self->on = 1; } syscall::openat:return, syscall::read:return, syscall::close:return /self->on/ { printf("%s %d %d\\n", probefunc, arg1, ++n); }'
    ' pid$target:xten:sorted:entry { printf("sorted %d\\n", arg0); } ten$target:::file { printf("file %d\\n", arg0); }',
    "programs and their children": 'syscall::wait4:entry /progenyof($target)/ { @p[execname, ppid == $target] = count(); } syscall::execve:return /execname == "xother"/ { @e = count(); } syscall::clone:return, syscall::fork:return, syscall::vfork:return /execname == "xten" && arg1 > 0/ { @f[probefunc] = count(); }'
    " syscall::exit_group:entry " + US + " { @x[execname, arg0, pid == $target] = count(); } syscall::wait4:return /execname == \"xten\"/ { @w[arg1 > 0] = count(); }",
}


def run(*args):
    return subprocess.run(
        [live.DWELL, *args], capture_output=True, timeout=100, check=False, stdin=subprocess.DEVNULL, text=True
    )


def lines(text):
    return [re.sub(r"\s+", " ", x).strip() for x in text.splitlines() if x.strip()]


def ask(name, text):
    script = os.path.join(live.WORK, "x.d")
    with open(script, "w", encoding="ascii") as f:
        f.write(text)
    then = run("-q", "-s", script, "-c", f"{PROGRAM} {live.WORK} {OTHER}")
    now = run("replay", "-q", "-s", script, TRACE)
    a, b = lines(then.stdout), lines(now.stdout)
    live.check(
        a == b and len(a) > 2 and then.returncode == now.returncode == 0,
        f"{name}: as live",
        f"{then.stderr}{now.stderr}\nlive only {[x for x in a if x not in b][:9]}, replay only {[x for x in b if x not in a][:9]}, {len(a)} and {len(b)} lines",
    )


def main():
    with open(C, "w", encoding="ascii") as f:
        f.write(SOURCE)
    with open(DATA, "wb") as f:
        f.write(bytes(3000))
    shutil.copy(shutil.which("cat"), OTHER)
    subprocess.run(
        ["gcc", "-I", os.path.join(HERE, "../../../include"), "-O1", "-g", "-fno-optimize-sibling-calls", "-pthread"]
        + ["-o", PROGRAM, C],
        check=True,
    )
    r = run("rec", "-q", "-o", TRACE, "--", PROGRAM, live.WORK, OTHER)
    live.check(r.returncode == 0 and "nonexistent" in r.stderr, "recorded", r)
    for name, text in SCRIPTS.items():
        ask(name, text)


if shutil.which("gcc"):
    main()
sys.exit(live.failures > 0)
