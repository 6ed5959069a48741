# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""jstack() of a Node server under load, with HTTP clients and a PostgreSQL, while the collector moves objects: each stack of a flush
is what V8 says of it at the moment. NODES: further binaries, separated by colons."""
import json
import os
import platform
import re
import shutil
import subprocess
import time
import live
import orders

NODES = [n for n in [shutil.which("node")] + os.environ.get("NODES", "").split(":") if n]
if platform.machine() != "x86_64" or not NODES or orders.missing():
    print("# no node or PostgreSQL here, or user stacks are not walked as on x86-64", orders.missing())
    raise SystemExit(77)
CLIENTS, EACH = 8, 25
OUT = os.path.join(live.WORK, "seen")
LOG = os.path.join(live.WORK, "orders.log")
PROGRAM = 'syscall::fsync:entry /pid == $target/ { jstack(100); printf("\\n"); } BEGIN { printf("begun\\n"); }'


def told(line):
    """Frames of Error.stack as jstack() has them: those that wait for a promise are not on the stack."""
    found = []
    for frame in json.loads(line):
        m = re.fullmatch(r"\s*at (?:(.*) \((.*)\)|(.*))", frame)
        name, place = m.group(1) or "(anonymous)", m.group(2) or m.group(3)
        if not name.startswith("async "):
            found.append(f"{re.sub('^new ', '', name).split('.')[-1]} at {place}")
    return found


def javascript(stack):
    """Without note() itself, and the builtins."""
    frames = [l.removesuffix(" [inlined]") for l in stack if " at " in l]
    return frames[next(i for i, l in enumerate(frames) if l.startswith("note at ")) + 1 :]


with orders.database() as path:
    for node in NODES:
        with orders.server(node, path, LOG, "--gc-interval=500", "--stress-compaction") as (p, port):
            seen = open(OUT, "w+", encoding="utf-8", errors="surrogateescape")
            d = subprocess.Popen(
                [live.DWELL, "-x", "switchrate=20ms", "-qn", PROGRAM, "-p", str(p.pid)],
                stdout=seen,
                stderr=subprocess.PIPE,
                text=True,
            )
            while not os.path.getsize(OUT):
                time.sleep(0.05)
            took, wrong = orders.clients(port, CLIENTS, EACH)
            live.check(not wrong, f"{node}: the server answers right", wrong[:3])
            time.sleep(0.3)
            d.send_signal(2)
            err = d.communicate(timeout=60)[1]
            seen.seek(0)
            out = seen.read()
            seen.close()
        got = [[l.strip() for l in s.splitlines() if l.strip()] for s in re.split(r"\n\s*\n", out) if "note at" in s]
        with open(LOG, encoding="utf-8") as f:
            want = [told(line) for line in f]
        live.check(len(want) == CLIENTS * EACH, f"{node}: the load", len(want))
        live.same(len(got), len(want), f"{node}: every stack came {err}")
        bad = [(javascript(g), w) for g, w in zip(got, want) if javascript(g) != w]
        live.check(not bad, f"{node}: what V8 says of itself", (len(bad), bad[:3]))
        live.check(
            all(re.search("`_start|clone", s[-1]) for s in got),
            f"{node}: whole to the thread's start",
            [s[-1] for s in got][:3],
        )
live.done()
