# SPDX-License-Identifier: Apache-2.0
# @timeout: 150
"""dwell rec --check: checksums of all memory. A value that comes from the processor, and that no system call ever sees, is found at the call behind it. And
the time-stamp counter is recorded, whether the machine lets it fault or not."""
import os
import re
import shutil
import subprocess
import sys

import live

TRACE, C, PROGRAM = (os.path.join(live.WORK, x) for x in ("trace", "x.c", "program"))
SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <x86intrin.h>
static volatile unsigned long kept[1024];
int main(int argc, char **argv) {
	int at = argc > 1 ? atoi(argv[1]) : -1;
	for (int i = 0; i < 20; i++) {
		if (i == at) { unsigned long v; unsigned char ok; do __asm__ volatile("rdrand %0; setc %1" : "=r"(v), "=qm"(ok)); while (!ok); kept[700] = v; v = 0; }
		write(1, ".", 1);
	}
	unsigned aux; unsigned long long a = __rdtsc(), b = __rdtscp(&aux);
	printf("%llu %llu\n", a, b - a);
	return !(a && b > a);
}
"""


def run(*args):
    return subprocess.run(
        [live.DWELL, *args], capture_output=True, timeout=100, check=False, stdin=subprocess.DEVNULL, text=True
    )


def both(check, *command):
    r = run("rec", "-q", "-o", TRACE, *check, "--", *command)
    p = run("replay", TRACE)
    return r, p


def main():
    with open(C, "w", encoding="ascii") as f:
        f.write(SOURCE)
    subprocess.run(["gcc", "-O1", "-o", PROGRAM, C], check=True)
    for check in ([], ["--check", "1"], ["--check", "7"]):
        r, p = both(check, PROGRAM)
        live.check(
            r.returncode == p.returncode == 0 and r.stdout == p.stdout and not p.stderr,
            f"the counter is recorded, memory is the same: {check}",
            (r, p),
        )
    if b" rdrand" in open("/proc/cpuinfo", "rb").read():
        r, p = both([], PROGRAM, "11")
        live.check(p.returncode == 0 and p.stdout == r.stdout, "without checksums nobody sees it", (r, p))
        r, p = both(["--check", "1"], PROGRAM, "11")
        found = re.search(
            r"at system call (\d+) \(write\): its memory has the checksum [0-9a-f]{16}, recorded [0-9a-f]{16}", p.stderr
        )
        live.check(p.returncode == 1 and found and p.stdout == "." * 11, "found at the very next call", (r, p))
        r, p = both(["--check", "5"], PROGRAM, "11")
        late = re.search(r"at system call (\d+) \(", p.stderr)
        live.check(
            found and late and int(found[1]) <= int(late[1]) < int(found[1]) + 5,
            "with every fifth call: at most four calls later",
            p,
        )
    r, p = both(["--check", "50"], sys.executable, "-c", "import json; print(len(json.dumps(list(range(1000)))))")
    live.check(r.stdout == p.stdout == "4890\n" and p.returncode == 0, "python", (r, p))
    r, p = both(["--check", "20"], "sh", "-c", "for i in 1 2 3; do (echo $i; ls / | wc -l) & done; wait")
    live.check(r.stdout == p.stdout and p.returncode == 0, "processes", (r, p))
    for bad in ("0", "x", "-1"):
        r = run("rec", "--check", bad, "--", "true")
        live.check(r.returncode != 0 and "--check" in r.stderr, f"refused: --check {bad}", r)


if shutil.which("gcc"):
    main()
sys.exit(live.failures > 0)
