# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell rec, dwell replay: programs that signal their process group, which the recorder belongs to; that limit their stack while they run; that touch a
mapping after the end of its file; that write to their own memory by /proc/self/mem."""
import os
import shutil
import signal
import subprocess
import sys
import time

import live

TRACE = os.path.join(live.WORK, "trace")
CODE = r"""
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static sigjmp_buf back;
static volatile int got, depth;
static const char *where;
static const char fixed[] = "read only";
static void say(const char *what, long n)
{
	char line[99];
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	if (write(1, line, (size_t)snprintf(line, sizeof(line), "%s %ld %ld\n", what, n, t.tv_nsec)) < 0) exit(9);
}
static void on_fault(int s, siginfo_t *i, void *c) { got = s; where = i->si_addr; siglongjmp(back, 1); }
static void catch(int s)
{
	struct sigaction a = { .sa_flags = SA_SIGINFO | SA_ONSTACK };
	a.sa_sigaction = on_fault;
	sigaction(s, &a, 0);
}
static void on_own(int s) { got = s; }
static int group(const char *how)
{
	signal(SIGUSR1, on_own);
	signal(SIGTERM, on_own);
	kill(0, SIGUSR1);
	kill(-getpgrp(), SIGTERM);
	say("alive", got);
	if (how) kill(0, SIGABRT);
	return 0;
}
static __attribute__((noinline)) int deep(int n) { volatile char room[300]; depth = n; room[0] = (char)n; return deep(n + 1) + room[0]; }
static int limit_to(long n)
{
	struct rlimit r;
	getrlimit(RLIMIT_STACK, &r);
	r.rlim_cur = (rlim_t)n;
	return setrlimit(RLIMIT_STACK, &r);
}
static int stack(void)
{
	static char own[65536];
	const stack_t s = { .ss_sp = own, .ss_size = sizeof(own) };
	int status, *shared = mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!fork()) {
		limit_to(500000);
		catch(SIGILL);
		*shared = 0;
		for (depth = 0;; deep(0)) ;
	}
	wait(&status);
	say("child", WTERMSIG(status));
	sigaltstack(&s, 0);
	catch(SIGSEGV);
	for (long n = 300000; n < 2000000; n *= 2) {
		limit_to(n);
		if (!sigsetjmp(back, 1)) deep(0);
		say("depth", depth);
	}
	return 0;
}
static void touch(const char *p)
{
	got = 0;
	if (!sigsetjmp(back, 1)) say("read", *(volatile char *)p);
	else say(where == p ? "there" : "elsewhere", got);
}
static int file(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *p, *q;
	catch(SIGBUS);
	catch(SIGSEGV);
	if (write(fd, "abc", 3) != 3) return 3;
	p = mmap(0, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	q = mmap(0, 8192, PROT_READ, MAP_PRIVATE, fd, 4096);
	touch(p), touch(p + 4095), touch(p + 4096), touch(p + 3 * 4096), touch(q + 4100);
	p[1] = 'B';
	mprotect(p + 4096, 4096, PROT_NONE);
	touch(p + 4096), touch(p + 1);
	munmap(p + 8192, 4096);
	touch(p + 8192);
	return 0;
}
static int memory(const char *other)
{
	char text[32] = "my own";
	int fd = open("/proc/self/mem", O_RDWR);
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	snprintf(text + 16, 16, "%d", (int)t.tv_nsec % 100000 + 100000);
	if (pwrite(fd, text + 16, 6, (off_t)(long)fixed) != 6) return 3;
	lseek(fd, (off_t)(long)text, SEEK_SET);
	if (write(fd, "you", 3) != 3 || write(fd, "s!", 2) != 2) return 4;
	say(fixed, (long)strlen(text));
	say(text, pread(fd, text, 3, (off_t)(long)fixed));
	say(text, 0);
	if (other) {
		int p[2], n = 7;
		char name[64];
		pid_t child;
		if (pipe(p)) return 5;
		child = fork();
		if (!child) { read(p[0], text, 1); say("child", n); _exit(0); }
		snprintf(name, sizeof(name), "/proc/%d/mem", (int)child);
		fd = open(name, O_RDWR);
		pwrite(fd, &child, sizeof(n), (off_t)(long)&n);
		write(p[1], "x", 1);
		wait(0);
		say("never", 0);
	}
	return 0;
}
int main(int argc, char **argv)
{
	const char *arg = argv[2];
	switch (argv[1][0]) {
	case 'g': return group(arg);
	case 's': return stack();
	case 'f': return file(arg);
	default: return memory(arg);
	}
}
"""


def run(*args):
    return subprocess.run(
        [live.DWELL, *args],
        capture_output=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
        cwd=live.WORK,
        start_new_session=True,
    )


def replays(what, status, *command):
    r = run("rec", "-q", "-o", TRACE, "--", "./edges", *command)
    live.check(r.returncode == status and r.stdout and not r.stderr, f"{what}: recorded", r)
    for i in range(3):
        p = run("replay", TRACE)
        live.check(
            (p.returncode, p.stdout, p.stderr) == (status, r.stdout, b""), f"{what}: replay {i + 1}", f"{r.stdout} {p}"
        )
    return [x.rsplit(" ", 1)[0] for x in r.stdout.decode().splitlines()]


def ended():
    """A signal that is not of the program ends the recorder, and the program with it."""
    with subprocess.Popen(
        [live.DWELL, "rec", "-q", "-o", TRACE, "--", "sh", "-c", "kill -CONT 0; echo $$; exec sleep 50"],
        stdout=subprocess.PIPE,
        start_new_session=True,
        cwd=live.WORK,
    ) as p:
        pid = int(p.stdout.readline())
        p.send_signal(signal.SIGTERM)
        live.check(p.wait(20) == -signal.SIGTERM, "a signal of somebody else ends the recorder", p.returncode)
    for _ in range(500):
        if not os.path.exists(f"/proc/{pid}"):
            break
        time.sleep(0.01)
    live.check(not os.path.exists(f"/proc/{pid}"), "and the program")


if not shutil.which("gcc"):
    print("# skip: no gcc")
    sys.exit(0)
with open(os.path.join(live.WORK, "edges.c"), "w", encoding="ascii") as f:
    f.write(CODE)
subprocess.run(["gcc", "-O0", "-w", "-o", "edges", "edges.c"], cwd=live.WORK, check=True)
r = replays("signals to the group", 0, "g")
live.check(r == [f"alive {int(signal.SIGTERM)}"], "handlers run", r)
replays("a signal to the group that ends all", -signal.SIGABRT, "g", "x")
ended()
r = replays("limits of the stack", 0, "s")
at = [int(x.split()[1]) for x in r if x.startswith("depth")]
live.check(
    r[0] == f"child {int(signal.SIGSEGV)}" and len(at) == 3 and at[0] < at[1] < at[2], "each is as deep as allowed", r
)
r = replays("a mapping longer than its file", 0, "f", "short")
live.check(
    r
    == ["read 97", "read 0"]
    + [f"there {int(signal.SIGBUS)}"] * 3
    + [f"there {int(signal.SIGSEGV)}", "read 66", f"there {int(signal.SIGSEGV)}"],
    "faults are those of the file's end",
    r,
)
r = replays("/proc/self/mem", 0, "m")
live.check(
    len(r) == 3 and r[0].endswith("nly 6") and r[1][3:] == "s!n 3" and r[2][3:] == "s!n 0", "memory is written", r
)
r = run("rec", "-q", "-o", TRACE, "--", "./edges", "m", "x")
live.check(
    r.returncode == 1 and b"/mem cannot be recorded" in r.stderr and b"never" not in r.stdout,
    "the memory of another process is refused",
    r,
)
p = run("replay", TRACE)
live.check(p.returncode == 1 and p.stdout == r.stdout and b"ends before the program" in p.stderr, "until then", p)
sys.exit(live.failures > 0)
