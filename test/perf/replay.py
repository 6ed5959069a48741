#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording and replaying cost: `dwell rec` and `dwell replay` beside the program alone, in turn, on one CPU.
usage: replay.py DWELL [ROUNDS [WORD]]   WORD: only loads with it in their names

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
# The kinds of rr's table (doc/measured.md): a copy of many files, JavaScript that computes, pages that are parsed, a server of files with its client.
COPY = "cp -a /usr/include $(mktemp -d -p %s)"
SCRIPT = """
class T { constructor(l, r) { this.l = l; this.r = r; } sum() { return this.l ? 1 + this.l.sum() + this.r.sum() : 1; } }
const make = d => d ? new T(make(d - 1), make(d - 1)) : new T();
let n = 0, x = new Float64Array(4096), words = new Map();
for (let i = 0; i < 14; i++) n += make(15).sum();
for (let i = 0; i < 1500; i++) for (let k = 0; k < 4096; k++) x[k] = Math.sin(x[(k * 7 + i) & 4095] + k);
for (let i = 0; i < 400000; i++) { const w = 'w' + (i * 7919 % 5000); words.set(w, (words.get(w) || 0) + 1); }
console.log(n, x[1], words.size, 'aXbXc'.repeat(20000).replace(/X[bc]/g, m => m.toLowerCase()).length);
"""
PAGES = """
import html.parser
class P(html.parser.HTMLParser):
    n = 0
    def handle_starttag(self, tag, attrs): self.n += len(attrs) + 1
    def handle_data(self, data): self.n += len(data.split())
text = "".join(f"<div class='c{i % 7}' id=i{i}><p>some &amp; words <a href='/{i}'>link {i}</a></p><br></div>" for i in range(6000))
for i in range(3):
    p = P(); p.feed(text); print(p.n)
"""
SERVER = """
import os, socket, threading
names = [os.path.join("/usr/include", x) for x in sorted(os.listdir("/usr/include")) if x.endswith(".h")]
s = socket.create_server(("127.0.0.1", 0))
def serve():
    while True:
        c = s.accept()[0]
        for line in c.makefile("rb"):
            name = line[:-1].decode()
            if os.stat(name).st_size >= 0:
                with open(name, "rb") as f:
                    data = f.read()
                c.sendall(b"%d\\n" % len(data) + data)
        c.close()
threading.Thread(target=serve, daemon=True).start()
if not os.fork():
    n = 0
    with socket.create_connection(s.getsockname()) as c:
        f = c.makefile("rb")
        for i in range(5000):
            c.sendall(names[i % len(names)].encode() + b"\\n")
            n += len(f.read(int(f.readline())))
    print(n, flush=True)
    os._exit(0)
os.wait()
os._exit(0)
"""
LOADS = {
    "sqlite3, 200,000 rows": ["sqlite3", ":memory:", ROWS],
    "find /usr/share": ["find", "/usr/share"],
    "make -j8, 8 files": ["sh", "-c", MAKE],
    "node, sort and 8 tasks": ["node", "-e", NODE],
    "python3, 4 threads": [os.path.realpath(sys.executable), "-c", PYTHON],
    "true": ["true"],
    "cp -a /usr/include": ["sh", "-c", COPY],
    "node, JavaScript that computes": ["node", "-e", SCRIPT],
    "python3, pages parsed": [os.path.realpath(sys.executable), "-c", PAGES],
    "python3, a server of files and its client": [os.path.realpath(sys.executable), "-c", SERVER],
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
            if not shutil.which(command[0]) or (len(sys.argv) > 3 and sys.argv[3] not in name):
                continue
            command = [x.replace("%s", d) if x == COPY else x for x in command]
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
