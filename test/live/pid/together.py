# SPDX-License-Identifier: Apache-2.0
"""Probes of a running process come into force together, as in DTrace: no clause of a program that can end the run or
change the machine (exit(), -w) runs while others of its probes are still being attached."""
import subprocess

import live

PROGRAM = """
syscall::getppid:entry /pid == $1/ { calls++; }
pid$1::chain_a:entry { entries++; }
syscall::getppid:return /pid == $1 && calls == 1000/ { printf("%d %d\\n", calls, entries); exit(0); }
tick-20s { printf("no calls\\n"); exit(1); }
"""
p = subprocess.Popen([live.TRIGGER, "chain", "1000000000"])
try:
    for _ in range(3):
        r = live.dwell("-qn", PROGRAM, p.pid, timeout=60)
        counts = [int(w) for w in r.stdout.split()] if r.returncode == 0 else []
        # The first call may be of a chain whose chain_a came before.
        live.check(
            len(counts) == 2 and counts[0] - counts[1] in (0, 1),
            "calls and entries of their callers are equal",
            f"{r.returncode} {r.stdout} {r.stderr}",
        )
finally:
    p.kill()
    p.wait()
live.done()
