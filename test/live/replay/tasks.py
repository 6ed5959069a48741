# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell rec, dwell replay: process trees and threads. Each is recorded once and replayed several times; output and status of all tasks are equal
byte for byte, though who ran when was chance."""
import os
import shutil
import struct
import subprocess
import sys
import zlib

import live
import traces

PYTHON = os.path.realpath(sys.executable)
TRACE = os.path.join(live.WORK, "trace")
RACE = """
import ctypes, threading, queue, random, os
q, n = queue.Queue(), [0]
def f(i):
    for j in range(60):
        q.put((i, random.random())); n[0] ^= hash((i, j, n[0])); os.sched_yield() if j % 7 == i else None
t = [threading.Thread(target=f, args=(i,)) for i in range(6)]
[x.start() for x in t]; got = [q.get() for _ in range(360)]; [x.join() for x in t]
print(hash(tuple(got)), n, [i for i, _ in got][:40], t[0].native_id)
"""
CHILDREN = """
import ctypes, mmap, os, signal, socket, subprocess, time
m = mmap.mmap(-1, 4096)
r, w = os.pipe(); a, b = socket.socketpair()
signal.signal(signal.SIGCHLD, lambda *x: os.write(1, b"child %d\\n" % time.time_ns()))
for i in range(3):
    if not os.fork():
        m[i] = 65 + i; os.write(w, b"%d." % os.getpid()); b.send(os.urandom(4)); os._exit(i)
print([os.wait3(0)[:2] for _ in range(3)], os.read(r, 99), a.recv(99), m[:4])
print(subprocess.run("date +%N; kill -9 $$", shell=True, capture_output=True), os.popen("echo $$").read())
"""
# Threads whose waits end while another one writes.
PRINTS = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static void *run(void *arg)
{
	for (int i = 0; i < 300; i++) {
		struct timespec t = { 0, (long)(random() % 30000) };
		char line[64];
		nanosleep(&t, NULL);
		if (write(1, line, (size_t)snprintf(line, sizeof(line), "%ld %d\n", (long)arg, i)) < 0)
			return NULL;
	}
	return NULL;
}
int main(void)
{
	pthread_t t[4];
	for (long i = 0; i < 4; i++) pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
}
"""
# poll(2) is interrupted by SIGCHLD, which is ignored, and goes on as restart_syscall(2). Then handlers whose frames have no room: SIGSEGV's on a stack of its
# own runs in the place of SIGILL's, and without one the program ends.
FRAMES = r"""
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static sigjmp_buf back;
static char stack[65536];
static void on_fault(int s) { char c = '0' + s % 10; write(1, &c, 1); siglongjmp(back, 1); }
static int deep(int n) { volatile char room[512]; room[0] = (char)n; return deep(n + 1) + room[0]; }
int main(void)
{
	int p[2];
	struct pollfd f;
	struct sigaction a = { .sa_handler = on_fault, .sa_flags = SA_ONSTACK };
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	if (pipe(p)) return 1;
	if (!fork()) {
		struct timespec t = { 0, 50000000 };
		if (!fork()) { nanosleep(&t, 0); write(p[1], "x", 1); _exit(0); }
		_exit(0);
	}
	f = (struct pollfd){ .fd = p[0], .events = POLLIN };
	printf("%d", poll(&f, 1, 5000));
	printf(" %d\n", f.revents);
	fflush(stdout);
	sigaltstack(&own, 0);
	sigaction(SIGSEGV, &a, 0);
	if (!sigsetjmp(back, 1)) deep(0);
	a.sa_flags = 0;
	sigaction(SIGILL, &a, 0);
	if (!sigsetjmp(back, 1)) __asm__ volatile("xor %%esp, %%esp; ud2" ::: "memory");
	sigaction(SIGSEGV, &a, 0);
	return deep(0);
}
"""
# The program is executed by another thread than the first.
EXECUTES = """
import os, threading, time
threading.Thread(target=lambda: time.sleep(9)).start()
threading.Thread(target=lambda: os.execvp("sh", ["sh", "-c", "echo $$; date +%N; exit 7"])).start()
time.sleep(5)
"""
# The first thread ends before the others.
FIRST = """
import ctypes, os, threading, time
def f(): time.sleep(0.02); os.write(1, b"after %d\\n" % os.getpid()); os._exit(4)
threading.Thread(target=f).start()
ctypes.CDLL(None).pthread_exit(None)
"""
# A thread ends with a robust mutex: the kernel marks it (EOWNERDEAD, 130).
ROBUST = """
import ctypes, os, threading, time
c, a, m = ctypes.CDLL(None), ctypes.create_string_buffer(8), ctypes.create_string_buffer(64)
c.pthread_mutexattr_init(a); c.pthread_mutexattr_setrobust(a, 1); c.pthread_mutex_init(m, a)
def f(): c.pthread_mutex_lock(m); c.syscall(60, 0)
threading.Thread(target=f, daemon=True).start()
time.sleep(0.02); os.write(1, b"%d %s" % (c.pthread_mutex_lock(m), m.raw[:12].hex().encode())); os._exit(0)
"""
COMPUTES = """
class T { constructor(l, r) { this.l = l; this.r = r; } sum() { return this.l ? 1 + this.l.sum() + this.r.sum() : 1; } }
const make = d => d ? new T(make(d - 1), make(d - 1)) : new T();
let n = 0, x = new Float64Array(4096), words = new Map();
for (let i = 0; i < 14; i++) n += make(15).sum();
for (let i = 0; i < 1500; i++) for (let k = 0; k < 4096; k++) x[k] = Math.sin(x[(k * 7 + i) & 4095] + k);
for (let i = 0; i < 400000; i++) { const w = 'w' + (i * 7919 % 5000); words.set(w, (words.get(w) || 0) + 1); }
console.log(n, x[1], words.size, Math.random());
"""
# Both ends of a pseudo-terminal, with its window, its modes, and the signal of a typed Ctrl-C.
PTY = """
import fcntl, os, pty, signal, struct, termios, tty
pid, fd = pty.fork()
if not pid:
    signal.signal(signal.SIGINT, lambda *a: (os.write(1, b"interrupted\\n"), os._exit(5)))
    os.write(1, ("%s %s %s\\n" % (os.ttyname(0), os.get_terminal_size(0), os.tcgetpgrp(0) == os.getpid())).encode())
    a = termios.tcgetattr(0); a[3] &= ~termios.ECHO; termios.tcsetattr(0, termios.TCSANOW, a)
    os.write(1, os.urandom(4).hex().encode() + b" ready\\n")
    os.write(1, os.read(0, 100))
    while True: signal.pause()
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 99, 0, 0))
out = b""
while b"ready" not in out: out += os.read(fd, 100)
os.write(fd, b"typed\\n")
while b"typed" not in out: out += os.read(fd, 100)
os.write(fd, b"\\x03")
try:
    while True: out += os.read(fd, 100)
except OSError as e:
    print(e.errno, out, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
MAKE = "cd %s; printf 'all: a.o b.o c.o\\n\\tar rcs f.a $^\\n\\tar t f.a\\n' > Makefile; for i in a b c; do echo \"int $i(void){return 1;}\" > $i.c; done; make -j3 CC=gcc"
PROGRAMS = [
    ("a pipeline", 2, ["sh", "-c", "seq 2000 | sort -R | head -3; echo $? $$"], 0),
    ("a pipe that breaks", 2, ["sh", "-c", "yes | head -1000 | md5sum"], 0),
    (
        "processes in the background",
        3,
        ["sh", "-c", "for i in 2 1; do (sleep 0.0$i; echo $i; date +%N) & done; wait; exit 3"],
        3,
    ),
    ("a child that a signal ends", 2, ["sh", "-c", "sleep 9 & kill $!; wait $!; echo $?; kill -TERM $$"], -15),
    ("a process that outlives the command", 3, ["sh", "-c", "(sleep 0.05; date +%N) & exit 6"], 6),
    ("python3: children, pipes, sockets, shared memory, SIGCHLD", 3, [PYTHON, "-c", CHILDREN], 0),
    ("python3: threads in a race", 10, [PYTHON, "-c", RACE], 0),
    ("threads that print", 2, [os.path.join(live.WORK, "prints")], 0),
    ("a poll that goes on, handlers without room", 2, [os.path.join(live.WORK, "frames")], -11),
    ("a thread that executes", 2, [PYTHON, "-c", EXECUTES], 7),
    ("a first thread that ends first", 2, [PYTHON, "-c", FIRST], 4),
    ("a robust mutex", 2, [PYTHON, "-c", ROBUST], 0),
    ("a pseudo-terminal", 3, [PYTHON, "-c", PTY], 0),
    ("make -j3, gcc", 1, ["sh", "-c", MAKE % live.WORK], 0),
    ("node: computes, and threads collect its memory", 4, ["node", "-e", COMPUTES], 0),
    (
        "node: threads, a child",
        2,
        [
            "node",
            "-e",
            "const c=require('crypto');for(let i=0;i<4;i++)c.pbkdf2('a','b',900,64,'sha512',(e,k)=>console.log(i,k.toString('hex'),Math.random()));"
            "require('child_process').exec('date +%N',(e,o)=>console.log(o))",
        ],
        0,
    ),
]

with open(os.path.join(live.WORK, "prints.c"), "w", encoding="ascii") as f:
    f.write(PRINTS)
with open(os.path.join(live.WORK, "frames.c"), "w", encoding="ascii") as f:
    f.write(FRAMES)
if shutil.which("gcc"):
    subprocess.run(["gcc", "-O1", "-pthread", "-o", "prints", "prints.c"], cwd=live.WORK, check=True)
    subprocess.run(["gcc", "-O0", "-w", "-o", "frames", "frames.c"], cwd=live.WORK, check=True)


def run(*args):
    return subprocess.run([live.DWELL, *args], capture_output=True, timeout=100, check=False, stdin=subprocess.DEVNULL)


def replays(name, times, command, status):
    if not shutil.which(command[0]) or (name.startswith("make") and not (shutil.which("make") and shutil.which("gcc"))):
        return
    r = run("rec", "-q", "-o", TRACE, "--", *command)
    live.check(
        r.returncode == status and b"dwell" not in r.stderr and r.stdout,
        f"{name}: recorded, status {status}",
        f"{r.returncode} {r.stderr}",
    )
    for i in range(times):
        p = run("replay", TRACE)
        if (p.stdout, p.stderr, p.returncode) != (r.stdout, r.stderr, r.returncode):
            live.check(
                False, f"{name}: replay {i + 1}", f"{p.returncode} {p.stderr}\n{r.stdout[:500]}\n{p.stdout[:500]}"
            )
            return
    live.check(True, f"{name}: {times} replays are equal")


def switched(raw, change):
    """Events of a block, each as change(kind, payload) gives it."""
    at, out = 0, b""
    while at < len(raw):
        size, kind = struct.unpack_from("<II", raw, at)
        data = change(kind, raw[at + 8 : at + 8 + size])
        out += struct.pack("<II", len(data), kind) + data
        at += 8 + size
    return out


def hostile():
    """Traces with tasks that are not there, made twice, or that end calls they did not begin."""
    run("rec", "-q", "-o", TRACE, "--", "sh", "-c", "(echo a) & echo b; wait")
    with open(TRACE, "rb") as f:
        data = f.read()
    for name, kind, change, word in (
        ("a task that is not there", 9, lambda p: struct.pack("<II", 77, 0), b"a task that nobody made: 77"),
        ("a task made twice", 11, lambda p: struct.pack("<II", 0, 1), b"makes a task that it cannot make: 0"),
        ("a call that did not begin", 4, lambda p: p[:-1] + b"\1", b"the trace is damaged"),
    ):
        at, out = 72, data[:72]
        while at < len(data):
            raw, at = traces.unpacked(data, at)
            raw = switched(raw, lambda k, p: change(p) if k == kind else p)
            new = zlib.compress(raw, 1)
            out += struct.pack("<4I", 0x6B6C6264, len(raw), len(new), zlib.crc32(new)) + new
        with open(TRACE, "wb") as f:
            f.write(out)
        p = run("replay", TRACE)
        live.check(p.returncode == 1 and word in p.stderr, f"hostile: {name}", p)


for row in PROGRAMS:
    replays(*row)
hostile()
sys.exit(live.failures > 0)
