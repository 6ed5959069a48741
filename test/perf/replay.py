#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording and replaying cost: `dwell rec` and `dwell replay` beside the program alone, in turn, on one CPU.
usage: replay.py DWELL [ROUNDS]

Loads: sqlite3 with 200,000 rows and an index in memory (computes), find over /usr/share (system calls), make with gcc (processes), node and
python3 (threads). The least time of all rounds counts, of the clock and of the CPU: on a busy machine the clock tells mostly who got the CPU. The recording's
size is that of its file."""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROWS = (
    "create table t(a,b); with recursive c(x) as (values(1) union all select x+1 from c where x<200000) insert into t "
    "select x, random() from c; create index i on t(b); select sum(b%1000), count(*) from t;"
)
MAKE = (
    "cd $(mktemp -d) && for i in 1 2 3 4 5 6 7 8; do printf '#include <stdio.h>\\n#include <stdlib.h>\\nint f%d(int x){return printf(\"%%d\",x)+rand();}\\n' $i > f$i.c; done && "
    "printf 'f.a: f1.o f2.o f3.o f4.o f5.o f6.o f7.o f8.o\\n\\tar rcs f.a $^\\n' > Makefile && make -j8 CC=gcc && rm -r $PWD"
)
NODE = "let a=[];for(let i=0;i<400000;i++)a.push(Math.random());a.sort();const c=require('crypto');for(let i=0;i<8;i++)c.pbkdf2('a','b',20000,64,'sha512',()=>{})"
PYTHON = "import concurrent.futures as c, json\nprint(sum(c.ThreadPoolExecutor(4).map(lambda x: len(json.dumps(list(range(x)))), range(1500))))"
LOADS = {
    "sqlite3, 200,000 rows": ["sqlite3", ":memory:", ROWS],
    "find /usr/share": ["find", "/usr/share"],
    "make -j8, 8 files": ["sh", "-c", MAKE],
    "node, sort and 8 tasks": ["node", "-e", NODE],
    "python3, 4 threads": [os.path.realpath(sys.executable), "-c", PYTHON],
    "true": ["true"],
}


def took(command):
    """Seconds by the clock, and of the CPU by all its processes."""
    begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - begun, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    program, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as d:
        trace = f"{d}/trace"
        for name, command in LOADS.items():
            if not shutil.which(command[0]):
                continue
            least = [(float("inf"), float("inf"))] * 3
            for _ in range(rounds):
                for i, c in enumerate(
                    (command, [program, "rec", "-q", "-o", trace, "--", *command], [program, "replay", trace])
                ):
                    least[i] = tuple(map(min, least[i], took(c)))
            print(
                f"{name}: "
                + ", ".join(
                    f"{what} {wall:.3f} s ({wall / least[0][0]:.1f} times), CPU {cpu:.3f} s ({cpu / least[0][1]:.1f})"
                    for what, (wall, cpu) in zip(("alone", "recorded", "replayed"), least)
                )
                + f", {os.path.getsize(trace) / 1e6:.1f} MB",
                flush=True,
            )


main()
