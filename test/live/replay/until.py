# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell rec --chaos, --seed, --until-fail: schedules by chance, whose seed is told, until a run fails; that run's recording is kept, and replays."""
import os
import re
import shutil
import signal
import subprocess
import sys

import live

TRACE, C, PROGRAM = (os.path.join(live.WORK, x) for x in ("trace", "race.c", "race"))
# Each thread reads, calls, writes: what another one wrote between is lost.
SOURCE = r"""
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile int n;
static void *add(void *a) { for (int i = 0; i < 5; i++) { int v = n; getppid(); n = v + 1; } return a; }
int main(void) {
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(t + i, 0, add, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	printf("%d\n", n);
	return n != 10;
}
"""


def run(*args):
    return subprocess.run(
        [live.DWELL, *args], capture_output=True, timeout=100, check=False, stdin=subprocess.DEVNULL, text=True
    )


def rec(*args):
    if os.path.exists(TRACE):
        os.unlink(TRACE)
    return run("rec", "-q", "-o", TRACE, *args)


def race():
    with open(C, "w", encoding="ascii") as f:
        f.write(SOURCE)
    subprocess.run(["gcc", "-O2", "-pthread", "-o", PROGRAM, C], check=True)
    p = rec("--chaos", "--until-fail", "300", "--", PROGRAM)
    told = re.search(
        r"run (\d+) of 300 failed with exit status 1 \(--seed (\d+)\); its recording is " + re.escape(TRACE), p.stderr
    )
    live.check(p.returncode == 1 and told, "a lost write is found", f"{p.returncode} {p.stderr}")
    last = p.stdout.splitlines()[-1]
    for _ in range(3):
        q = run("replay", TRACE)
        live.check((q.returncode, q.stdout) == (1, last + "\n") and last != "10", "and replays", q)
    seen = {rec("--seed", str(i), PROGRAM).stdout for i in range(1, 41)}
    live.check(len(seen) > 1, "seeds make a difference", seen)
    p = rec("--seed", "5", PROGRAM)
    live.check("rec: --seed 5" in p.stderr and os.path.exists(TRACE), "a seed is told", p.stderr)


def ends():
    p = rec("--until-fail", "3", "--", "sh", "-c", "echo x")
    live.check(
        p.returncode == 0
        and p.stdout == "x\n" * 3
        and "none of 3 runs failed" in p.stderr
        and not os.path.exists(TRACE),
        "no run fails",
        p,
    )
    p = rec("--until-fail", "3", "--", "sh", "-c", "echo y; exit 7")
    live.check(
        p.returncode == 7
        and p.stdout == "y\n"
        and "run 1 of 3 failed with exit status 7;" in p.stderr
        and run("replay", TRACE).returncode == 7,
        "the first run fails",
        p,
    )
    p = rec("--until-fail", "3", "--", "sh", "-c", "kill -9 $$")
    live.check(p.returncode == -signal.SIGKILL and "failed with signal 9;" in p.stderr, "a run ends by a signal", p)
    p = rec("--until-fail", "3", "--", "sh", "-c", "unshare -m true")
    live.check(
        p.returncode == 1
        and "the system call unshare cannot be recorded" in p.stderr
        and "failed with" not in p.stderr,
        "what cannot be recorded is no failure",
        p,
    )
    for words in (["--seed", "0"], ["--seed", "x"], ["--until-fail", "0"], ["--until-fail"]):
        live.check(rec(*words, "true").returncode == 2, f"refused: {words}")


if shutil.which("gcc"):
    race()
ends()
sys.exit(live.failures > 0)
