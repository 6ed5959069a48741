# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""Names of strangers on a terminal: symbols, names of threads, modules and probes with escape sequences are shown and not obeyed."""
import os
import pty
import re
import select
import subprocess
import time

import live

ESC = b"\x1b"
SOURCE = """
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/mman.h>
#include <string.h>
#include <unistd.h>
#include <stdlib.h>
#include <time.h>
volatile unsigned long x;
__attribute__((noinline)) void evilXXXXname(long n) { while (n--) x++; }
int main(int argc, char **argv)
{
	time_t end = time(NULL) + atoi(argv[1]);
	prctl(PR_SET_NAME, "\\033]0;owned\\007\\302\\233m");
	while (time(NULL) < end) {
		struct timespec ts = { 0, 2000000 };
		evilXXXXname(3000000);
		getppid();
		nanosleep(&ts, NULL);
	}
}
"""
with open("evil.c", "w", encoding="ascii") as f:
    f.write(SOURCE)
if subprocess.run(
    ["cc", "-O1", "-fno-omit-frame-pointer", "-o", "evil", "evil.c"], stderr=subprocess.DEVNULL
).returncode:
    print("# no compiler here")
    raise SystemExit(77)
data = open("evil", "rb").read()
open("evil", "wb").write(data.replace(b"evilXXXXname", b"evil\x1b[2Jname"))


def on_terminal(*args, timeout=60):
    """What a terminal gets: standard output and standard error."""
    ours, theirs = pty.openpty()
    p = subprocess.Popen([live.DWELL, *map(str, args)], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
    os.close(theirs)
    out, end = b"", time.monotonic() + timeout
    while time.monotonic() < end:
        try:
            if select.select([ours], [], [], 1)[0]:
                got = os.read(ours, 65536)
                if not got:
                    break
                out += got
            elif p.poll() is not None:
                break
        except OSError:
            break
    p.kill()
    p.wait()
    os.close(ours)
    return out


def harmless(out, what, *wanted):
    bad = re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]", out)
    live.check(
        not bad,
        f"{what}: nothing for the terminal to obey",
        repr(out[max(bad.start() - 200, 0) : bad.end() + 100]) if bad else "",
    )
    for w in wanted:
        live.check(w in out, f"{what}: {w.decode()} is shown", out[-1500:].decode(errors="replace"))


NAME, COMM = rb"evil\033[2Jname", rb"\033]0;owned\007\302\233m"
PROGRAM = "profile-499 /pid == $target && arg1/ { @[execname, ufunc(arg1), ustack(3)] = count(); }"
harmless(on_terminal("-qn", PROGRAM, "-c", "./evil 1"), "keys", NAME, COMM)
harmless(
    on_terminal(
        "-qn",
        "syscall::getppid:entry /pid == $target/ { trace(execname); ustack(); usym(ucaller); exit(0); }",
        "-c",
        "./evil 1",
    ),
    "trace()",
    COMM,
)
harmless(on_terminal("-ln", "pid$target:a.out:evil*:entry", "-c", "./evil 1"), "-l", NAME)
harmless(on_terminal("-n", "pid$target:a.out:evil*:entry { exit(0); }", "-c", "./evil 1"), "FUNCTION:NAME", NAME)
harmless(
    on_terminal("-n", "pid$target:a.out:no\x1b[2J:entry { exit(0); }", "-c", "./evil 1"),
    "messages",
    rb'near "\x1b"',
    rb"no?[2J:entry",
)
harmless(on_terminal("--json", "-n", PROGRAM, "-c", "./evil 1"), "JSON", rb"\u001b[2J", rb"\u009b")
SLOW = (
    "tracker t { threshold = 1ns; } syscall::getppid:entry /pid == $target/ { begin(t); } syscall::getppid:return /pid == $target/ { end(t); } "
    "latency:t::slow { slow(); } tick-1s { exit(0); }"
)
harmless(on_terminal("-qn", SLOW, "-c", "./evil 2"), "slow()", COMM)
live.dwell("-q", "--record", "rec", "-n", SLOW + PROGRAM, "-c", "./evil 2", timeout=60)
harmless(on_terminal("report", "rec"), "report", COMM, NAME)
harmless(on_terminal("report", "--table", "slow", "rec"), "report --table slow", rb"]0;owned")
harmless(on_terminal("latency", "rec"), "latency of a recording", rb"]0;owned")
harmless(on_terminal("latency", "--for", "2s", "--threshold", "1us", "-c", "./evil 2"), "latency -c")
harmless(on_terminal("latency", "why", "--for", "2s", "-c", "./evil 2"), "latency why -c")
harmless(on_terminal("export", "--format", "folded", "rec"), "export")

# What the program prints by its own format is the program's, and a file gets what dtrace writes.
out = on_terminal(
    "-qn", 'syscall::getppid:entry /pid == $target/ { printf("%s\\033[1m", execname); exit(0); }', "-c", "./evil 1"
)
live.check(b"\x1b]0;owned" in out and b"\x1b[1m" in out, "printf() is the program's own", repr(out))
r = subprocess.run([live.DWELL, "-qn", PROGRAM, "-c", "./evil 1"], capture_output=True, check=False, timeout=60)
live.check(
    b"\x1b]0;owned" in r.stdout and NAME in r.stdout and b"\x1b[2J" not in r.stdout,
    "a file gets strings as dtrace writes them, and names with escapes",
    repr(r.stdout[-400:]),
)
live.done()
