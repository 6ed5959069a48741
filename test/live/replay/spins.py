# SPDX-License-Identifier: Apache-2.0
# @timeout: 150
# @long: loops that are waited for
"""dwell rec, dwell replay: loops that wait for another thread, or for a handler, and make no system call. They end, and replays are equal, by a
breakpoint where nothing but others can end the loop, else by the memory as it was; a loop that nobody ends is told."""
import os
import shutil
import signal
import struct
import subprocess
import sys

import live
import traces

TRACE, C, PROGRAM, NODE = (os.path.join(live.WORK, x) for x in ("trace", "spin.c", "spin", "spin.js"))
STATE, SPOT = 5, 13
SOURCE = r"""
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
static atomic_int flag; static volatile long counted; static volatile unsigned long work; static volatile sig_atomic_t got;
static pthread_spinlock_t spin; static atomic_flag lock = ATOMIC_FLAG_INIT; static unsigned long sum; static int kind;
static void handler(int s) { got = s; }
static void *waits(void *a) { atomic_store(&flag, 1); while (atomic_load(&flag) != 2) ; return a; }
static void *counts(void *a) { while (!atomic_load(&flag)) counted++; return a; }
static void *reads(void *a) { unsigned long n; if (read(*(int *)a, &n, sizeof(n)) != sizeof(n)) abort(); sum = n; atomic_store(&flag, 1); return a; }
static void *later(void *a) { usleep(60000); atomic_store(&flag, 1); return a; }
static void take(void) { if (kind) pthread_spin_lock(&spin); else while (atomic_flag_test_and_set(&lock)) ; }
static void leave(void) { if (kind) pthread_spin_unlock(&spin); else atomic_flag_clear(&lock); }
static void *locks(void *a) {
	for (int i = 0; i < 20; i++) {
		atomic_fetch_add(&flag, 1);
		take();
		sum = sum * 31 + (unsigned long)a;
		leave();
		usleep(10);
	}
	return a;
}
int main(int argc, char **argv) {
	pthread_t t[3]; struct timespec now; (void)argc; kind = argv[1][0] == 'p';
	signal(SIGALRM, handler); signal(SIGINT, handler); pthread_spin_init(&spin, 0);
	if (!strcmp(argv[1], "flag")) { pthread_create(t, 0, waits, 0); while (!atomic_load(&flag)) ; atomic_store(&flag, 2); pthread_join(*t, 0); }
	if (!strcmp(argv[1], "count")) { pthread_create(t, 0, counts, 0); while (!counted) ; atomic_store(&flag, 1); pthread_join(*t, 0); }
	if (strstr(argv[1], "lock")) { /* the first that wants it waits in vain, until this thread runs again */
		take();
		for (long i = 0; i < 3; i++) pthread_create(t + i, 0, locks, (void *)i);
		while (!atomic_load(&flag)) usleep(10);
		leave();
		for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	}
	if (!strcmp(argv[1], "reads")) { /* its read(2) ends while the first thread goes round */
		int fd = timerfd_create(CLOCK_MONOTONIC, 0);
		struct itimerspec when = { .it_value = { 0, 60000000 } };
		timerfd_settime(fd, 0, &when, 0);
		pthread_create(t, 0, reads, &fd);
		usleep(1000);
		while (!atomic_load(&flag)) ;
		pthread_join(*t, 0);
	}
	if (!strcmp(argv[1], "made")) { /* mov (%rdi),%eax; test %eax,%eax; je -6; ret: written after the last stop before the loop */
		static const unsigned char loop[] = { 0x8b, 0x07, 0x85, 0xc0, 0x74, 0xfa, 0xc3 };
		unsigned char *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		pthread_create(t, 0, later, 0);
		usleep(1000);
		memcpy(code, loop, sizeof(loop));
		((void (*)(atomic_int *))code)(&flag);
		pthread_join(*t, 0);
	}
	if (!strcmp(argv[1], "wait")) { ualarm(20000, 0); while (!got) ; }
	if (!strcmp(argv[1], "work")) { ualarm(30000, 0); while (!got) work = work * 3 + 1; }
	if (!strcmp(argv[1], "large")) {
		char *m = malloc(300u << 20);
		memset(m, 1, 300u << 20);
		ualarm(1000, 0);
		for (unsigned long i = 0; i < 800000000; i++) work = work * 3 + (unsigned long)m[i % 100];
		write(2, "", 0);
	}
	if (!strcmp(argv[1], "ever")) while (!got) ;
	clock_gettime(CLOCK_REALTIME, &now);
	printf("%d %d %lu %lu %ld %ld\n", atomic_load(&flag), got, sum, work, counted, now.tv_nsec);
	return got;
}
"""
# The worker waits for the first thread in code that V8 compiles as it runs, and so does the first thread for the worker.
WORKER = """
const { Worker, isMainThread, workerData } = require('worker_threads');
const s = isMainThread ? new Int32Array(new SharedArrayBuffer(8)) : workerData;
if (isMainThread) {
  new Worker(__filename, { workerData: s }).on('exit', () => console.log(s, Date.now()));
  setTimeout(() => { Atomics.store(s, 0, 1); while (Atomics.load(s, 1) === 0) ; console.log(Math.random()); }, 50);
} else { while (Atomics.load(s, 0) === 0) ; Atomics.store(s, 1, 1); }
"""


def run(*args):
    return subprocess.run([live.DWELL, *args], capture_output=True, timeout=100, check=False, stdin=subprocess.DEVNULL)


def interrupted():
    """Places where the recording says that a thread was interrupted: loops that wait, computations."""
    with open(TRACE, "rb") as f:
        data = f.read()
    at, spots, states = 72, 0, 0
    while at < len(data):
        raw, at = traces.unpacked(data, at)
        p, mems = 0, 0
        while p < len(raw):
            size, kind = struct.unpack_from("<II", raw, p)
            spots += kind == SPOT
            mems = mems + 1 if kind == 3 else 0 if kind != STATE else mems
            if kind == STATE:  # registers, where, signal, fault: interrupted in the middle has no signal, and memory
                states += mems > 1 and struct.unpack_from("<I", raw, p + 8 + 27 * 8 + 8)[0] == 0
                mems = 0
            p += 8 + size
    return spots, states


def replays(name, command, status, by):
    r = run("rec", "-q", "-o", TRACE, "--", *command)
    spots, states = interrupted()
    live.check(
        r.returncode == status and b"dwell" not in r.stderr and r.stdout,
        f"{name}: recorded",
        f"{r.returncode} {r.stderr}",
    )
    live.check(
        by is None or (spots if by == SPOT else states), f"{name}: interrupted", f"{spots} waits, {states} computations"
    )
    for i in range(3):
        p = run("replay", TRACE)
        if (p.stdout, p.stderr, p.returncode) != (r.stdout, r.stderr, r.returncode):
            live.check(
                False, f"{name}: replay {i + 1}", f"{p.returncode} {p.stderr}\n{r.stdout[:500]}\n{p.stdout[:500]}"
            )
            return
    live.check(True, f"{name}: replays are equal")


def told():
    """Nobody can end it but the one who reads the message."""
    p = subprocess.Popen(
        [live.DWELL, "rec", "-q", "-o", TRACE, "--", PROGRAM, "ever"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    line = p.stderr.readline()
    live.check(
        "goes round in a loop at 0x" in line and "for ever unless a signal" in line,
        "a loop that nobody ends is told",
        line,
    )
    os.kill(int(line.split("thread ")[1].split()[0]), signal.SIGINT)
    out = p.communicate(timeout=60)[0]
    q = run("replay", TRACE)
    live.check(
        (p.returncode, q.returncode, q.stdout.decode()) == (signal.SIGINT, signal.SIGINT, out) and out,
        "and a handler ends it, in the replay too",
        f"{p.returncode} {out} {q}",
    )


def large():
    """Too much memory to be interrupted: the handler waits, and a message says so."""
    r = run("rec", "-q", "-o", TRACE, "--", PROGRAM, "large")
    p = run("replay", TRACE)
    live.check(
        r.returncode == signal.SIGALRM
        and b"a signal's handler waits; to interrupt it would record its memory of 3" in r.stderr
        and r.stderr.count(b"dwell") == 1,
        "a computation with much memory goes on",
        r,
    )
    live.check(
        (p.returncode, p.stdout, p.stderr) == (r.returncode, r.stdout, b"") and interrupted() == (0, 0),
        "and replays",
        p,
    )


def main():
    if shutil.which("gcc"):
        with open(C, "w", encoding="ascii") as f:
            f.write(SOURCE)
        subprocess.run(["gcc", "-O2", "-pthread", "-o", PROGRAM, C], check=True)
        replays("an atomic flag", [PROGRAM, "flag"], 0, SPOT)
        replays("a loop that counts", [PROGRAM, "count"], 0, STATE)
        replays("a spin lock of its own", [PROGRAM, "lock"], 0, SPOT)
        replays("pthread_spin_lock()", [PROGRAM, "plock"], 0, SPOT)
        replays("a call of another thread that ends meanwhile", [PROGRAM, "reads"], 0, SPOT)
        replays("a loop in code that is made just before", [PROGRAM, "made"], 0, SPOT)
        replays("a handler that a loop waits for", [PROGRAM, "wait"], signal.SIGALRM, SPOT)
        replays("a handler that ends a computation", [PROGRAM, "work"], signal.SIGALRM, STATE)
        told()
        large()
    if shutil.which("openssl"):
        replays("openssl speed", ["openssl", "speed", "-seconds", "1", "-bytes", "64", "sha256"], 0, None)
    if shutil.which("node"):
        with open(NODE, "w", encoding="ascii") as f:
            f.write(WORKER)
        replays("node: Atomics.load() in a loop", ["node", NODE], 0, None)


main()
sys.exit(live.failures > 0)
