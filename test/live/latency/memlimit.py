# SPDX-License-Identifier: Apache-2.0
"""Memory reclaim of a cgroup at its limit: as many as the kernel begins, no longer than who had to do it was held up, and called by its
name."""
import contextlib
import json
import os
import re

import live

WRITER = r"""
import os, sys, time
with open(sys.argv[1] + "/cgroup.procs", "w") as f:
    f.write(str(os.getpid()))
f = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT)
for i in range(80):
    start = time.monotonic_ns()
    os.pwrite(f, b"x" * (1 << 20), i << 20)
    print("truth", start, time.monotonic_ns() - start)
os.ftruncate(f, 0)
with open(os.path.dirname(sys.argv[1]) + "/cgroup.procs", "w") as f:
    f.write(str(os.getpid()))
"""
LIMIT = 20 << 20


@contextlib.contextmanager
def memory_limit():
    """A memory cgroup of version 1 or 2 with this limit; None: not possible here."""
    base = "/sys/fs/cgroup/memory" if os.path.isdir("/sys/fs/cgroup/memory") else "/sys/fs/cgroup"
    path = base + f"/dwell-test-{os.getpid()}"
    try:
        os.mkdir(path)
        name = "memory.limit_in_bytes" if os.path.exists(path + "/memory.limit_in_bytes") else "memory.max"
        with open(f"{path}/{name}", "w") as f:
            f.write(str(LIMIT))
        yield path
    except OSError as e:
        print(f"# no memory limit here: {e}")
        yield None
    finally:
        with contextlib.suppress(OSError):
            os.rmdir(path)


os.chdir(live.WORK)
with open("writer.py", "w", encoding="utf-8") as f:
    f.write(WRITER)
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "../../../dlib/latency/reclaim.d"), encoding="utf-8") as f:
    text = re.sub(r"limit = \d+", "limit = 100000", re.sub(r"threshold = \w+", "threshold = 0", f.read()))
with open("reclaim.d", "w", encoding="utf-8") as f:
    f.write(text)
with memory_limit() as group:
    if group:
        command = f"python3 writer.py {group} data"
        begun = 'sdt:vmscan::mm_vmscan_memcg_reclaim_begin /pid == $target/ { @ = count(); } END { printa("begun %@d\\n", @); }'
        r = live.dwell("--json", "-s", "reclaim.d", "-n", begun, "-c", command, timeout=60)
        truths = [tuple(map(int, l.split()[1:])) for l in r.stdout.splitlines() if l.startswith("truth ")]
        rows = [json.loads(l) for l in r.stdout.splitlines() if l.startswith("{")]
        slow = [a for o in rows if o["type"] == "event" for a in o.get("output", ()) if a["action"] == "slow"]
        own = [s for s in slow if s["opener"]["comm"] == "python3" and s["attributes"]["reclaim"] == "reclaim of a memory cgroup"]
        begun = re.search(r"begun (\d+)", r.stdout)
        live.check(r.returncode == 0 and len(truths) == 80 and begun, "a writer at its limit", r.stdout[-1500:] + r.stderr)
        live.check(len(own) == int(begun[1]) > 10 if begun else False, "as many as the kernel began", (len(own), begun and begun[0]))
        inside = [s for s in own if any(t <= s["start"] and s["start"] + s["delay"] <= t + ns for t, ns in truths)]
        live.check(len(inside) >= 0.9 * len(own), "each within a write", (len(inside), len(own)))
        live.check(0 < sum(s["delay"] for s in inside) <= sum(ns for _, ns in truths), "no longer than the writes")
        r = live.dwell("latency", "reclaim", "--over", "1us", "--json", "-c", command, timeout=60)
        told = [json.loads(l) for l in r.stdout.splitlines() if '"latency-slow"' in l]
        live.check(told and all(e["class"] == "memory" and "reclaim" in e["cause"] for e in told), "its cause", r.stdout[:800] + r.stderr)
live.done()
