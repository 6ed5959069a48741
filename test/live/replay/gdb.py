# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
"""dwell replay --gdb: gdb itself, forwards and backwards: breakpoints, watchpoints, steps, threads, faults, what system calls wrote, new programs. Its
connection is a pipe, a port of this machine only, a socket."""
import os
import random
import re
import shutil
import subprocess
import sys

import live

WORK = live.WORK
SOURCES = {
    "items": r"""
#include <stdio.h>
#include <unistd.h>
struct item { int id; long field; };
static struct item it;
int calls;
__attribute__((noinline)) int add(int a, int b)
{
	calls++;
	return a + b;
}
__attribute__((noinline)) void set(long v)
{
	it.field = v;
}
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 10; i++) {
		sum = add(sum, i);
		if (i % 3 == 0)
			set(i);
		if (i == 5)
			getppid();
	}
	printf("%d %ld\n", sum, it.field);
	return 0;
}
""",
    "threads": r"""
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static long shared; static char line[32];
__attribute__((noinline)) void bump(long n) { shared += n; }
static void *work(void *a) { for (int i = 0; i < 20; i++) { usleep(100); bump((long)a); } return NULL; }
int main(int argc, char **argv)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++) pthread_create(t + i, 0, work, (void *)(i + 1));
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	if (read(0, line, 5) < 0) return 1;
	printf("%ld %s\n", shared, line);
	fflush(stdout);
	if (argc > 1) *(volatile char *)(long)(strlen(argv[1]) - 1) = 1;
	return 0;
}
""",
    "long": r"""
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static long field, work, rounds = 240, spins = 6000000; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) void set(long v) { field = v; }
static void *turns(void *a)
{
	for (long i = 0; i < rounds; i++) {
		for (volatile long k = 0; k < spins; k++) ;
		pthread_mutex_lock(&m);
		work++;
		if (i % 80 == 40) set(work);
		pthread_mutex_unlock(&m);
		if (a) usleep(1); else getppid();
	}
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	if (argc > 1) spins = 1500000;
	turns(NULL);
	if (argc > 1) rounds = 100;
	for (long i = 0; argc > 1 && i < 2; i++) pthread_create(t + i, 0, turns, (void *)1);
	for (int i = 0; argc > 1 && i < 2; i++) pthread_join(t[i], 0);
	if (argc > 1 && fork() == 0) { turns(NULL); return 3; }
	wait(NULL);
	printf("%ld %ld\n", work, field);
	return 0;
}
""",
    "pages": r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
static struct { char before[100]; long word; char after[4000]; } *page; static char from[400]; static volatile long sum;
static void on_fault(int s, siginfo_t *i, void *c) { mprotect(page, 4096, PROT_READ | PROT_WRITE); }
int main(void)
{
	struct sigaction a = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	int fd[2];
	sigaction(SIGSEGV, &a, NULL);
	page = mmap((void *)0x30000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	page->word = 1;
	for (int i = 0; i < 200; i++) page->after[i] = i; /* its neighbours */
	memset(from, 2, sizeof(from));
	memcpy((char *)page + 50, from, 300);
	mprotect(page, 4096, PROT_READ);
	page->word = 3; /* faults, and again after the handler */
	mprotect(page, 4096, PROT_NONE);
	page->word = 4;
	munmap(page, 4096);
	mmap((void *)0x30000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	page->word = 5;
	*(short *)((char *)&page->word + 7) = 0x600; /* its last byte stays */
	*(int *)((char *)&page->word - 2) = 0x70000;
	if (pipe(fd) || write(fd[1], "12345678", 8) != 8 || read(fd[0], &page->word, 8) != 8) return 1;
	if (fork() == 0) { page->word = 9; _exit(0); }
	wait(NULL);
	sum = page->word;
	sum = *(int *)((char *)&page->word - 3);
	sum = page->after[0];
	page->word = 10;
	printf("%ld\n", page->word);
	return 0;
}
""",
    "near": r"""
static struct { volatile long field, near; } page __attribute__((aligned(4096)));
int main(void)
{
	page.field = 1;
	for (long i = 0; i < 3000; i++) page.near = i;
	page.field = 2;
	return 0;
}
""",
    "far": r"""
#include <stdio.h>
#include <unistd.h>
static struct { long field; char room[4088]; } page __attribute__((aligned(4096)));
static volatile long work;
int main(void)
{
	for (long i = 0; i < 1000; i++) {
		for (long k = 0; k < 2000000; k++) work = k;
		if (i == 5 || i == 300) page.field = 7;
		getppid();
	}
	printf("%ld\n", page.field);
	return 0;
}
""",
}
ENVIRONMENT = {}  # of the replay
START = ["set pagination off", "set confirm off", "set debuginfod enabled off", "set width 0"]


def trace(name):
    return os.path.join(WORK, name + ".trace")


def gdb(name, commands, target=None):
    """What gdb says to each of the commands, after a line with the command."""
    env = " ".join(f"{k}={v}" for k, v in ENVIRONMENT.items())
    target = target or f"target extended-remote | env {env} {live.DWELL} replay --gdb - {trace(name)}"
    args = ["gdb", "-q", "-nx", "-batch", os.path.join(WORK, name)]
    for c in [*START, target, *commands]:
        args += ["-ex", f"echo \\n<{c}>\\n", "-ex", c]
    p = subprocess.run(
        args,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=100,
        check=False,
        stdin=subprocess.DEVNULL,
        text=True,
        cwd=WORK,
    )
    text = p.stdout.split(f"<{target}>", 1)[-1]
    return [x.split(">\n", 1)[-1] for x in re.split(r"\n<", text)[1:]], p


def build():
    for name, text in SOURCES.items():
        c = os.path.join(WORK, name + ".c")
        with open(c, "w", encoding="ascii") as f:
            f.write(text.lstrip())
        subprocess.run(
            ["gcc", "-g", "-O0" if name == "items" else "-O1", "-pthread", "-o", os.path.join(WORK, name), c],
            check=True,
        )


def record(name, *command, text=""):
    return subprocess.run(
        [live.DWELL, "rec", "-q", "-o", trace(name), "--", *command],
        input=text,
        capture_output=True,
        timeout=60,
        check=False,
        text=True,
    )


def says(name, steps, what):
    """steps: commands, each with a pattern that its answer must have."""
    out, p = gdb(name, [c for c, _ in steps])
    bad = [f"{c}: {o}" for (c, want), o in zip(steps, out + [""] * len(steps)) if not re.search(want, o, re.S)]
    live.check(len(out) == len(steps) and not bad, what, f"{bad} {p.stdout if len(out) != len(steps) else ''}")


def forwards():
    says(
        "items",
        [
            ("info registers rip", "0x7f"),
            ("break add", "Breakpoint 1"),
            ("continue", r"add \(a=0, b=0\)"),
            ("continue", r"add \(a=0, b=1\)"),
            ("finish", "Value returned is .* = 1"),
            ("print sum", "= 0"),
            ("next", "i % 3"),
            ("step", "i == 5"),
            ("delete", ""),
            ("watch it.field", "Hardware watchpoint"),
            ("continue", "Old value = 0\nNew value = 3"),
            ("bt", r"set \(v=3\).*main \(\)"),
            ("continue", "New value = 6"),
            ("print it", r"\{id = 0, field = 6\}"),
            ("info threads", "Thread [0-9]+ .items."),
            ("print $xmm0", "="),
            ("set var calls = 3", "Cannot access memory"),
            ("print calls", "= 7"),
            ("print $sp = 1", "Could not write"),
            ("delete", ""),
            ("continue", "45 9\n.*No more reverse-execution history"),
            ("monitor when", "after [0-9]+ system calls"),
            ("reverse-continue", "No more reverse-execution history"),
            ("info registers rip", "0x7f"),
        ],
        "forwards",
    )


def anew():
    """gdb's run: from the start once more, out of the middle and from the end, with the breakpoints that gdb has then."""
    says(
        "items",
        [
            ("break add", "Breakpoint 1"),
            ("continue", "a=0, b=0"),
            ("continue", "a=0, b=1"),
            ("run", r"add \(a=0, b=0\)"),
            ("print calls", "= 0"),
            ("continue", "a=0, b=1"),
            ("reverse-continue", "a=0, b=0"),
            ("delete", ""),
            ("continue", "No more reverse-execution history"),
            ("break set", "Breakpoint 2"),
            ("run", r"set \(v=0\)"),
            ("print calls", "= 1"),
            ("start", "Temporary breakpoint 3, main"),
            ("kill", "killed"),
        ],
        "run",
    )


def backwards():
    says(
        "items",
        [
            ("break set if v == 9", "Breakpoint 1"),
            ("continue", r"set \(v=9\)"),
            ("finish", "main"),
            ("watch it.field", "Hardware"),
            ("reverse-continue", "Old value = 9\nNew value = 6"),
            ("bt", r"set \(v=9\)"),
            ("reverse-continue", r"Breakpoint 1, set \(v=9\)"),
            ("reverse-continue", "Old value = 6\nNew value = 3"),
            ("reverse-continue", "Old value = 3\nNew value = 0"),
            ("delete", ""),
            ("reverse-finish", "main .*set"),
            ("reverse-next", r"set\(i\)"),
            ("reverse-next", "i % 3"),
            ("print i", "= 3"),
            ("reverse-stepi", "main|i % 3|sum"),
            ("stepi", "i % 3"),
            ("break add", ""),
            ("continue", r"add \(a=6, b=4\)"),
            ("continue", r"add \(a=10, b=5\)"),
            ("reverse-continue", r"add \(a=6, b=4\)"),
            ("reverse-stepi", "add|0x"),
            ("stepi", "add|0x|calls"),
            ("reverse-continue", r"add \(a=3, b=3\)"),
            ("reverse-continue", r"add \(a=1, b=2\)"),
            ("continue 7", r"add \(a=36, b=9\)"),
            ("print i", "= 9|No symbol"),
            ("reverse-finish", "main .*sum = add"),
        ],
        "backwards: the same places, whichever way",
    )


def faults():
    says(
        "threads",
        [
            ("break bump", ""),
            ("continue", r"hit Breakpoint 1, bump \(n="),
            ("info threads", r"(?s)Thread \d+ .*Thread \d+ .*\* |\* .*Thread \d+ .*Thread \d+ "),
            ("delete", ""),
            ("continue", "(?s)60 hello.*SIGSEGV|SIGSEGV.*60 hello"),
            ("bt 1", "main"),
            ("watch line[0]", "Hardware"),
            ("reverse-continue", r"(?s)Old value = 104 'h'.*New value = 0.*read"),
            ("delete", ""),
            ("watch shared", "Hardware"),
            ("reverse-continue", "Old value = 60\nNew value = 5[89]"),
            ("bt 1", r"bump \(n="),
            ("thread apply all bt 1", "(?s)Thread .*Thread "),
            ("reverse-continue", "Old value = 5[89]"),
            ("delete", ""),
            ("continue", "SIGSEGV"),
            ("reverse-stepi", "strlen"),
            ("stepi", "main"),
            ("stepi", "SIGSEGV"),
        ],
        "threads, a fault, what read(2) wrote",
    )


def same_page():
    """Writers of a word, and of its neighbours, in a page that the program protects, unmaps and copies itself."""
    live.check(record("near", os.path.join(WORK, "near")).returncode == 0, "recorded, with a neighbour")
    live.check(record("pages", os.path.join(WORK, "pages")).stdout == "10\n", "recorded, with a page of its own")
    first, copied, read_in = "1", "144680345676153346", "4050765991979987505"
    p = gdb("pages", ["break main", "continue", "watch *(long *)0x30000068", *["continue"] * 14])[1]
    live.same(
        re.findall("New value = (.*)", p.stdout),
        [first, copied, "3", "4", "5", "7", read_in, "10"],
        "each value that the word had",
    )
    says(
        "near",
        [
            ("break *main", "Breakpoint 1"),
            ("continue", "Breakpoint 1"),
            ("watch page.field", "Hardware watchpoint 2"),
            ("continue", "Old value = 0\nNew value = 1"),
            ("continue", "Old value = 1\nNew value = 2"),
            ("print page.near", "= 2999"),
            ("reverse-continue", "Old value = 2\nNew value = 1"),
            ("print page.near", "= 2999"),
            ("reverse-continue", "Old value = 1\nNew value = 0|Breakpoint 1"),
        ],
        "the instruction under a breakpoint writes",
    )
    p = gdb("pages", ["break main", "continue", "awatch *(long *)0x30000068", *["continue"] * 16])[1]
    live.same(
        re.findall(r"(?:^V|New v)alue = (\S+)", p.stdout, re.M),
        [first, copied, "3", "4", "5", "5", "7", read_in, read_in, read_in, "10"],
        "each access to it",
    )


def programs():
    r = record("execs", "sh", "-c", f"echo first; exec {WORK}/items")
    shutil.copy("/bin/sh", os.path.join(WORK, "execs"))
    says(
        "execs",
        [
            ("catch exec", "Catchpoint"),
            ("continue", "(?s)first.*is executing new program: .*items"),
            ("break set", "Breakpoint 2"),
            ("continue", r"set \(v=0\)"),
            ("continue", r"set \(v=3\)"),
            ("reverse-continue", r"set \(v=0\)"),
        ],
        "a new program",
    )
    live.check(r.stdout == "first\n45 9\n", "was recorded", r)


def connections():
    for where in ("0", os.path.join(WORK, "socket")):
        p = subprocess.Popen([live.DWELL, "replay", "--gdb", where, trace("items")], stderr=subprocess.PIPE, text=True)
        line = p.stderr.readline()
        target = line.split("waits for gdb: ")[-1].strip()
        if where == "0":
            port = int(target.rsplit(":", 1)[-1])
            with open("/proc/net/tcp", encoding="ascii") as f:
                listens = [x.split()[1] for x in f if x.split()[3] == "0A" and x.split()[1].endswith(f":{port:04X}")]
            live.check(listens == [f"0100007F:{port:04X}"], "the port is this machine's only", listens)
        else:
            live.check(os.stat(where).st_mode & 0o77 == 0, "the socket is its owner's only")
        out, q = gdb("items", ["break add", "continue", "kill"], target)
        live.check("add (a=0, b=0)" in out[1] and p.wait(20) == 0, f"gdb connects: {target}", f"{out} {q.stdout}")
    for where, reason in (("99999", "takes a port"), ("x", "takes a port"), ("/nowhere/at/all", "cannot listen at")):
        p = subprocess.run(
            [live.DWELL, "replay", "--gdb", where, trace("items")],
            capture_output=True,
            timeout=20,
            check=False,
            text=True,
        )
        live.check(p.returncode == 1 and reason in p.stderr, f"refused: {where}", p)


def timed(command):
    """It, and after it how long it took."""
    return [
        (
            f"python import time; t = time.time(); gdb.execute({command!r}); print('took', time.time() - t)",
            "took [0-9.]+",
        )
    ]


def long_run(name, reads, writers):
    """Back from the end, through all that wrote the field, and forwards to the same values."""
    back = [
        ("reverse-continue", f"Old value = {b}\nNew value = {a}\n") for a, b in zip(writers[-2::-1], writers[:0:-1])
    ]
    forth = [("continue", f"Old value = {a}\nNew value = {b}\n") for a, b in zip(writers[1:], writers[2:])]
    says(
        name,
        [
            ("break main", ""),
            ("continue", "main"),
            ("delete", ""),
            ("continue", f"{reads}.*No more reverse"),
            ("monitor checkpoint", "checkpoint 1: after"),
            ("watch field", "Hardware"),
            *back,
            ("monitor checkpoint", "checkpoint 2"),
            ("reverse-continue", "No more reverse"),
            ("monitor restart 2", "stepi or continue"),
            ("stepi", "set"),
            ("print field", "= 0"),
            ("continue", f"New value = {writers[1]}"),
            *forth,
            ("delete", ""),
            ("break set", ""),
            *[("reverse-continue", "Breakpoint [0-9]+, set")] * (len(writers) - 1),
            ("reverse-continue", "No more reverse"),
            ("monitor restart 1", "continue"),
            ("continue", ""),
            ("print field", f"= {writers[-1]}"),
            ("reverse-stepi", ""),
            ("stepi", ""),
            ("print work", f"= {reads.split()[0]}"),
            ("monitor restart 3", "no such checkpoint"),
        ],
        f"{name}: checkpoints on the way back",
    )


def back_from_end():
    out, p = gdb(
        "long",
        ["break main", "continue", "delete", timed("continue")[0][0], "watch field", timed("reverse-continue")[0][0]],
    )
    took = [float(x) for x in re.findall("took ([0-9.]+)", "".join(out))]
    quick = len(took) == 2 and took[1] < took[0]
    yield quick, "back from the end takes less than to there", f"{took} {p.stdout if len(took) != 2 else ''}"


def checkpoints(again):
    """again: what differs is not tried once more."""
    if not again:
        live.check(record("long", os.path.join(WORK, "long")).stdout == "240 201\n", "recorded, for a while")
    long_run("long", "240 201", [0, 41, 121, 201])
    if again:
        return
    live.attempts("the times of the way back", back_from_end)
    shutil.copy(os.path.join(WORK, "long"), os.path.join(WORK, "crowd"))
    r = record("crowd", os.path.join(WORK, "crowd"), "x")
    total, last = (int(x) for x in r.stdout.split())
    live.check(total == 440 and last > 240, "recorded, with threads and a child", r)
    out, p = gdb("crowd", ["break main", "continue", "watch field", *["continue"] * 9])
    writers = [0] + [int(x) for x in re.findall("New value = ([0-9]+)", "".join(out))]
    live.check(len(writers) == 6 and writers[-1] == last, "found forwards", f"{writers} {p.stdout}")
    long_run("crowd", f"440 {last}", writers)


def far_writer():
    out, p = gdb(
        "far",
        [
            *["break main", "continue", "delete", timed("continue")[0][0], "watch page.field"],
            *[timed("reverse-continue")[0][0], "print i"] * 2,
        ],
    )
    text = "".join(out)
    took = [float(x) for x in re.findall("took ([0-9.]+)", text)]
    found = "Old value = 7\nNew value = 0" in text and "= 5\n" in text and "No more reverse" in text
    yield found, "the far writer is found", p
    quick = len(took) == 3 and took[1] < took[0] / 2 and took[2] < took[0] / 2
    yield quick, "without running all of it again", took


def far():
    """Who wrote a word long ago, where nothing wrote to its page since but the same value once."""
    live.check(record("far", os.path.join(WORK, "far")).stdout == "7\n", "recorded, for longer")
    live.attempts("the times of far", far_writer)


PACKETS = (
    b"? g p10 pffffffff m0,10 m7fffffffe000,ffffffffffff m, qSupported qXfer:features:read:target.xml:ffffffffffff,ffffffff qXfer:auxv:read:: Z0,0,1 Z2,0,0 Z4,ffffffffffffffff,8 Z2,7ffffffffff8,8"
    b" Z2,555555558041,20 z2,1,2 z Z Z9,1,1 vCont;s:5 vCont;c vCont; s c bs bc Hg999 Hg-1 H T1 T qC qfThreadInfo qsThreadInfo qThreadExtraInfo,zz qRcmd,7 qRcmd,7768656e R00 G00 X0,0: !"
).split()


def strangers():
    """Whoever connects may send anything: it ends in order."""
    bad = []
    for seed in range(12):
        r, data = random.Random(seed), b"+"
        for _ in range(40):
            p = r.choice(PACKETS) + (bytes([r.randrange(256)]) if r.random() < 0.1 else b"")
            data += b"$" + p + b"#%02x" % (sum(p) & 255) if r.random() < 0.95 else p
        p = subprocess.run(
            [live.DWELL, "replay", "--gdb", "-", trace("items")],
            input=data,
            capture_output=True,
            timeout=60,
            check=False,
        )
        bad += [(seed, p.returncode, p.stderr)] if p.returncode or p.stderr else []
    live.check(not bad, "packets of strangers", bad)


if not shutil.which("gdb") or not shutil.which("gcc"):
    print("# skip: no gdb, or no gcc")
    sys.exit(77)
build()
live.check(record("items", os.path.join(WORK, "items")).stdout == "45 9\n", "recorded")
live.check(
    record("threads", os.path.join(WORK, "threads"), "x", text="hello").stdout == "60 hello\n", "recorded, with threads"
)
anew()
programs()
connections()
strangers()
for ENVIRONMENT in ({}, live.no_debug_registers()):
    forwards()
    backwards()
    faults()
    same_page()
    checkpoints(ENVIRONMENT)
ENVIRONMENT = {}
far()
sys.exit(live.failures > 0)
