# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""dwell replay --waits: where the threads of a recorded program waited, and who or what ended each wait: futexes, pipes, socketpairs, eventfds, children,
signals, times."""
import json
import os
import shutil
import subprocess
import sys

import live

TRACE, C, PROGRAM = (os.path.join(live.WORK, x) for x in ("trace", "x.c", "xwaits"))
SOURCE = r"""
#include <pthread.h>
#include <unistd.h>
#include <sys/wait.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <sys/prctl.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int p[2], ev, sv[2];
static void ms(int n) { struct timespec t = { 0, n * 1000000L }; nanosleep(&t, 0); }
static void h(int s) { (void)s; }
static void *holder(void *a) { prctl(PR_SET_NAME, "holder"); pthread_mutex_lock(&m); ms(60); pthread_mutex_unlock(&m); return a; }
static void *writer(void *a) { prctl(PR_SET_NAME, "writer"); ms(40); write(p[1], "x", 1); ms(20); uint64_t v = 1; write(ev, &v, 8); ms(20); write(sv[1], "y", 1); return a; }
int main(void) {
	pthread_t t[2]; char c; uint64_t v;
	pipe(p); ev = eventfd(0, 0); socketpair(AF_UNIX, SOCK_STREAM, 0, sv);
	pthread_create(t, 0, holder, 0); ms(10); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_join(t[0], 0);
	pthread_create(t + 1, 0, writer, 0);
	read(p[0], &c, 1); struct pollfd f = { ev, POLLIN, 0 }; poll(&f, 1, -1); read(ev, &v, 8); read(sv[0], &c, 1); pthread_join(t[1], 0);
	pid_t k = fork();
	if (!k) { prctl(PR_SET_NAME, "kid"); ms(30); _exit(3); }
	waitpid(k, 0, 0);
	k = fork();
	if (!k) { prctl(PR_SET_NAME, "closer"); close(p[0]); ms(25); _exit(0); }
	close(p[1]); read(p[0], &c, 1); waitpid(k, 0, 0);
	signal(SIGUSR1, h);
	k = fork();
	if (!k) { prctl(PR_SET_NAME, "killer"); ms(35); kill(getppid(), SIGUSR1); ms(5); _exit(0); }
	pause(); waitpid(k, 0, 0);
	poll(0, 0, 15);
	return 0;
}
"""
# Call, thing, how it ended, whose thread did it, least ms.
EXPECTED = (
    ("futex", "futex", "wake", "holder", 40),
    ("read", "pipe", "write", "writer", 40),
    ("poll", "eventfd", "write", "writer", 18),
    ("read", "socketpair", "write", "writer", 18),
    ("wait4", "child", "end", "kid", 28),
    ("read", "pipe", "close", "closer", 23),
    ("pause", None, "signal", "killer", 33),
    ("poll", None, "time", None, 15),
    ("clock_nanosleep", None, "time", None, 10),
)


def run(*args):
    return subprocess.run(
        [live.DWELL, *args], capture_output=True, timeout=60, check=False, stdin=subprocess.DEVNULL, text=True
    )


def rows():
    p = run("replay", "--waits", "--json", TRACE)
    live.check(p.returncode == 0 and not p.stderr, "waits as JSON", p)
    return [json.loads(x) for x in p.stdout.splitlines()]


def main():
    with open(C, "w", encoding="ascii") as f:
        f.write(SOURCE)
    subprocess.run(["gcc", "-O1", "-w", "-pthread", "-o", PROGRAM, C], check=True)
    r = run("rec", "-q", "-o", TRACE, "--", PROGRAM)
    live.check(r.returncode == 0 and not r.stderr, "recorded", r)
    all_rows = rows()
    found = {(x["call"], x["on"], x["until"], x["by_thread"]): x for x in all_rows if x["thread"] == "xwaits"}
    for *key, least in EXPECTED:
        x = found.get(tuple(key))
        live.check(x and least * 1e6 <= x["ns"] < least * 1e6 + 500e6, f"{key}: at least {least} ms", all_rows)
    live.check(
        [x["count"] for x in all_rows if x["thread"] == "writer" and x["until"] == "time"] == [3],
        "waits are added up",
        all_rows,
    )
    live.check(found["pause", None, "signal", "killer"]["signal"] == 10, "which signal", found)
    p = run("replay", "--waits", TRACE)
    live.check("UNTIL" in p.stdout and "futex call of holder/" in p.stdout, "waits as text", p)
    r = run("rec", "-q", "-o", TRACE + "2", "--", "sh", "-c", "(sleep 0.1; echo a) | cat")
    p = run("replay", "--waits", TRACE + "2")
    live.check(
        r.stdout == "a\n" and "write of sh/" in p.stdout and "end of sleep/" in p.stdout, "a pipeline of the shell", p
    )
    run("rec", "-q", "-o", TRACE + "3", "--", "true")
    p = run("replay", "--waits", TRACE + "3")
    live.check(p.returncode == 0 and "nobody waited" in p.stdout, "no waits", p)
    p = run("replay", "--waits", C)
    live.check(p.returncode == 1 and "no recording of" in p.stderr, "no recording", p)


if shutil.which("gcc"):
    main()
sys.exit(live.failures > 0)
