# SPDX-License-Identifier: Apache-2.0
"""Memory reclaim of a cgroup at its limit. dwell sees as many reclaims as the kernel begins. They are as long as the
kernel's own account of the thread tells (delay accounting, by netlink after each write). They are no longer than the write
that did it. The cause has their name."""
import contextlib
import json
import os
import re

import live

WRITER = r"""
import os, socket, struct, sys, time

# What the kernel notes of a thread's delays. Source: linux/taskstats.h, linux/genetlink.h.
def ask(family, command, kind, value):
    attr = struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)
    netlink.send(struct.pack("=IHHII", 20 + len(attr), family, 1, 1, 0) + struct.pack("=BBH", command, 1, 0) + attr)
    answer = netlink.recv(8192)
    length, what = struct.unpack_from("=IH", answer)
    if what == 2: # an error
        sys.exit("truth: none: " + os.strerror(-struct.unpack_from("=i", answer, 16)[0]))
    return attrs(answer[20:length])

def attrs(data):
    found = {}
    while len(data) >= 4:
        n, kind = struct.unpack_from("=HH", data)
        found[kind & 0x3fff] = data[4:n]
        data = data[(n + 3) & ~3:]
    return found

# Of reclaim: how often, how many ns.
def delays():
    stats = attrs(ask(taskstats, 1, 1, struct.pack("=I", os.getpid()))[4])[3]
    return struct.unpack_from("=QQ", stats, 312)

netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
netlink.bind((0, 0))
taskstats = struct.unpack_from("=H", ask(16, 3, 2, b"TASKSTATS\0")[1])[0]
with open(sys.argv[1] + "/cgroup.procs", "w") as f:
    f.write(str(os.getpid()))
f = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT)
before = delays()
lines = open("truths", "w")
for i in range(80):
    start = time.monotonic_ns()
    os.pwrite(f, b"x" * (1 << 20), i << 20)
    ns = time.monotonic_ns() - start
    now = delays()
    print(start, ns, now[0] - before[0], now[1] - before[1], file=lines)
    before = now
os.ftruncate(f, 0)
with open(os.path.dirname(sys.argv[1]) + "/cgroup.procs", "w") as f:
    f.write(str(os.getpid()))
"""
LIMIT = 20 << 20


@contextlib.contextmanager
def accounting():
    """The kernel keeps account of the delays of threads that begin from now on."""
    knob = "/proc/sys/kernel/task_delayacct"
    with open(knob) as f:
        before = f.read()
    with open(knob, "w") as f:
        f.write("1")
    try:
        yield
    finally:
        with open(knob, "w") as f:
            f.write(before)


os.chdir(live.WORK)
with open("writer.py", "w", encoding="utf-8") as f:
    f.write(WRITER)
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "../../../dlib/latency/reclaim.d"), encoding="utf-8") as f:
    text = re.sub(r"limit = \d+", "limit = 100000", re.sub(r"threshold = \w+", "threshold = 0", f.read()))
with open("reclaim.d", "w", encoding="utf-8") as f:
    f.write(text)
with live.cgroup("memory", {"memory.limit_in_bytes": LIMIT}, {"memory.max": LIMIT}) as group, accounting():
    if group:
        command = f"python3 writer.py {group} data"
        begun = 'sdt:vmscan::mm_vmscan_memcg_reclaim_begin /pid == $target/ { @ = count(); } END { printa("begun %@d\\n", @); }'
        r = live.dwell("--json", "-s", "reclaim.d", "-n", begun, "-c", command, timeout=60)
        with open("truths", encoding="ascii") as f:
            truths = [tuple(map(int, l.split())) for l in f]
        rows = [json.loads(l) for l in r.stdout.splitlines() if l.startswith("{")]
        slow = [a for o in rows if o["type"] == "event" for a in o.get("output", ()) if a["action"] == "slow"]
        own = [
            s
            for s in slow
            if s["opener"]["comm"] == "python3" and s["attributes"]["reclaim"] == "reclaim of a memory cgroup"
        ]
        begun = re.search(r"begun (\d+)", r.stdout)
        live.check(
            r.returncode == 0 and len(truths) == 80 and begun, "a writer at its limit", r.stdout[-1500:] + r.stderr
        )
        live.check(
            len(own) == int(begun[1]) > 10 if begun else False,
            "as many as the kernel began",
            (len(own), begun and begun[0]),
        )
        writes = [
            ([s["delay"] for s in own if t <= s["start"] and s["start"] + s["delay"] <= t + ns], ns, times, took)
            for t, ns, times, took in truths
        ]
        live.check(sum(len(w[0]) for w in writes) >= 0.9 * len(own), "each within a write", len(own))
        live.check(all(sum(delays) <= ns for delays, ns, _, _ in writes), "no longer than the writes", writes)
        # The account has the rounds of a reclaim: do_try_to_free_pages() begins again where it found too little.
        wrong = [w for w in writes if len(w[0]) > w[2] or bool(w[0]) != bool(w[2])]
        live.check(not wrong, "in those writes of which the kernel's account has some, and not more", wrong[:5])
        wrong = [w for w in writes if abs(sum(w[0]) - w[3]) > max(0.05 * w[3], 50000)]
        print(
            f"# {len(own)} times, {sum(map(sum, (w[0] for w in writes))) / 1e6:.3f} ms; the kernel's account: {sum(w[2] for w in writes)} times, "
            f"{sum(w[3] for w in writes) / 1e6:.3f} ms"
        )
        live.check(
            len(wrong) <= len(writes) // 20, "as long as the kernel's account has it, within 5 % or 50 us", wrong[:5]
        )
        r = live.dwell("latency", "reclaim", "--over", "1us", "--json", "-c", command, timeout=60)
        told = [json.loads(l) for l in r.stdout.splitlines() if '"latency-slow"' in l]
        live.check(
            told and all(e["class"] == "memory" and "reclaim" in e["cause"] for e in told),
            "its cause",
            r.stdout[:800] + r.stderr,
        )
live.done()
