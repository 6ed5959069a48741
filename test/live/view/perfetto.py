# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""dwell export --format perfetto: the trace is read back by the numbers of Perfetto's published fields, and by protoc; what it tells
is compared with the trace events of the same recording (--format chrome) and with what the load did."""
import collections
import json
import os
import re
import subprocess
from protobuf import message
from live import DWELL, TRIGGER, WORK, check, done, dwell, same

HERE = os.path.dirname(os.path.abspath(__file__))
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def path(name):
    return os.path.join(WORK, name)


def export(kind, name):
    return subprocess.run(
        [DWELL, "export", "--format", kind, path(name)], capture_output=True, timeout=60, check=True
    ).stdout


def first(m, field, default=None):
    return m[field][0] if m[field] else default


class Trace:
    """Tracks by number, events with their names, switches by CPU."""

    def __init__(self, data):
        self.tracks, self.events, self.switches = {}, [], collections.defaultdict(list)
        self.texts = collections.defaultdict(dict)
        self.clock, self.samples = None, []
        for p in map(message, message(data)[1]):
            for interned in map(message, p[12]):
                for field in interned:
                    for m in map(message, interned[field]):
                        assert m[1][0] not in self.texts[field], "a number is given twice"
                        self.texts[field][m[1][0]] = m
            for t in map(message, p[60]):
                self.tracks.setdefault(t[1][0], t)
            for e in map(message, p[11]):
                self.events.append((first(p, 8), e))
            for m in map(message, p[66]):
                self.samples.append((p[8][0], m))
            for b in map(message, p[1]):
                self.switches[first(b, 1, 0)] += [(e[1][0], message(e[4][0])) for e in map(message, b[2])]
            if p[6]:
                self.clock = message(p[6][0])

    def text(self, field, iid):
        return self.texts[field][iid][2][0].decode()

    def name(self, e):
        return self.text(2, e[10][0]) if e[10] else ""

    def category(self, e):
        return self.text(1, e[3][0]) if e[3] else ""

    def stack(self, e):
        frames = self.texts[7][e[56][0]][2] if e[56] else []
        return [self.text(5, self.texts[6][f][2][0]) for f in frames]

    def frames(self, callstack):
        """Functions with their modules, the outermost first; each frame has a mapping."""
        out = []
        for f in (self.texts[6][i] for i in self.texts[7][callstack][2]):
            path = self.texts[19][f[3][0]][7]
            out.append((self.text(5, f[2][0]), self.text(17, path[0]) if path else ""))
        return out

    def tid(self, e):
        t = self.tracks[e[11][0]]
        return first(message(t[4][0]), 2) if t[4] else None


def check_slices(t, what):
    """Each slice ends, in the order of a stack, on a track that is described; times do not go back."""
    bad, stacks = [], collections.defaultdict(int)
    for at, e in sorted(
        ((at, e) for at, e in t.events if e[9][0] in (BEGIN, END)), key=lambda x: (x[0], x[1][9][0] == BEGIN)
    ):
        track = e[11][0]
        stacks[track] += 1 if e[9][0] == BEGIN else -1
        if track not in t.tracks or not 0 <= stacks[track] <= 1 or (e[9][0] == BEGIN and not t.name(e)):
            bad.append((at, dict(e)))
    check(not bad and not any(stacks.values()), what, bad[:3])


def check_protoc(data, what):
    """A decoder that somebody else wrote: no field is unknown to it."""
    p = subprocess.run(
        ["protoc", "-I", HERE, "--decode=Trace", "perfetto.proto"],
        input=data,
        capture_output=True,
        timeout=60,
        check=False,
    )
    text = p.stdout.decode("utf-8", "replace")
    unknown = re.findall(r"^ *\d+(?::.*| \{)$", text, re.M)
    check(p.returncode == 0 and not unknown and text.count("\npacket {") > 10, what, (p.stderr, unknown[:3]))


with open(path("load.sh"), "w") as f:
    f.write(f"{TRIGGER} spin 300\nsleep 0.01\nsleep 0.02\n")
r = subprocess.run(
    [DWELL, "timeline", "--record", path("t.dwell"), "--text", "-c", "sh " + path("load.sh")],
    capture_output=True,
    text=True,
    timeout=60,
)
same(r.returncode, 0, "a recording of dwell timeline")
data = export("perfetto", "t.dwell")
chrome = json.loads(export("chrome", "t.dwell"))["traceEvents"]
t = Trace(data)
check_protoc(data, "protoc reads it, without an unknown field")
check_slices(t, "slices: each has its end, on a track that is described")
same(
    [first(c, 1) for c in map(message, t.clock[1])] + t.clock[2],
    [3, 6, 1, 3],
    "times are of CLOCK_MONOTONIC, and of the day",
)

# Who was on which CPU.
broken, on_cpu = [], collections.Counter()
for cpu, switches in t.switches.items():
    for (at, s), (later, after) in zip(switches, switches[1:]):
        if later < at or s[6][0] != after[2][0]:
            broken.append((cpu, at))
        on_cpu[s[6][0]] += later - at
check(t.switches and not broken, "switches: in order, each from the thread that the last one went to", broken[:3])
spins = {e["tid"] for e in chrome if e["name"] == "thread_name" and e["args"]["name"].startswith("trigger ")}
told = sum(e["dur"] for e in chrome if e["ph"] == "X" and e.get("cat") == "running" and e["tid"] in spins)
ran = sum(on_cpu[tid] for tid in spins) / 1000
check(
    told > 1e4 and abs(ran - told) < 0.02 * told, "switches: as much time on CPUs as the trace events say", (ran, told)
)
names = {first(message(x[4][0]), 2): first(message(x[4][0]), 5, b"").decode() for x in t.tracks.values() if x[4]}
check(spins and all(names.get(tid) == "trigger" for tid in spins), "threads have names", names)

# Waits.
naps = [(at, e) for at, e in t.events if e[9][0] == BEGIN and t.category(e) == "time"]
check(
    len(naps) >= 2 and all(any("nanosleep" in f for f in t.stack(e)) for _, e in naps),
    "waits: causes and stacks",
    naps[:1],
)
check(
    all("start" in t.stack(e)[0] or "0x" in t.stack(e)[0] for _, e in naps),
    "stacks: the outermost frame first",
    [t.stack(e) for _, e in naps[:1]],
)
sources = {e[47][0]: at for at, e in t.events if e[47]}
ends = {e[48][0]: at for at, e in t.events if e[48]}
check(sources and sources == ends, "wake-ups: an arrow from the waker, at the same time", (sources, ends))
wakers = {t.tid(e) for _, e in t.events if e[47]}
check(wakers and None not in wakers, "wake-ups: on the waker's thread", wakers)
counters = [e[30][0] for _, e in t.events if e[9][0] == COUNTER]
check(counters and max(counters) < 10000 and min(counters) == 0, "counters: threads, never below none", counters[:20])

# What a program recorded: spans that overlap, events with values.
with open(path("naps.sh"), "w") as f:
    f.write("sleep 0.02 &\nsleep 0.02 &\nwait\n")
r = dwell(
    "--record",
    path("r.dwell"),
    "-qn",
    """
    syscall::clock_nanosleep:entry /progenyof($target)/ { trace(execname); self->t = timestamp; }
    syscall::clock_nanosleep:return /self->t/ { span("sleeps", "nap, \\"short\\"", self->t, timestamp - self->t); }
    """,
    "-c",
    "sh " + path("naps.sh"),
)
same(r.returncode, 0, "a recording of a program")
data = export("perfetto", "r.dwell")
t = Trace(data)
check_protoc(data, "protoc reads it, too")
check_slices(t, "slices: what overlaps is on tracks of its own")
spans = [e for _, e in t.events if e[9][0] == BEGIN and t.name(e) == 'nap, "short"']
same(len(spans), 2, "spans")
parents = {first(t.tracks[first(t.tracks[e[11][0]], 5)], 2) for e in spans}
same(parents, {b"sleeps"}, "spans: below the track of their lane")
values = [message(a).get(6) for _, e in t.events if t.name(e) == "syscall:vmlinux:clock_nanosleep:entry" for a in e[4]]
same(values, [[b"sleep"], [b"sleep"]], "events: their values")

# Everything: samples of the CPUs, system calls and requests beside the states of threads.
r = dwell("record", "-o", path("all.dwell"), "-c", "sh " + path("load.sh"), timeout=60)
same(r.returncode, 0, "a recording of everything: " + r.stderr)
data = export("perfetto", "all.dwell")
t = Trace(data)
check_protoc(data, "protoc reads samples, too")
check_slices(t, "slices: system calls are on tracks of their own")
folded = dwell("export", "--format", "folded", "--by", "on_cpu_samples", path("all.dwell")).stdout
counted = sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines())
same(len(t.samples), counted, "samples: as many as the flame graph has")
known = {(first(message(x[4][0]), 1), first(message(x[4][0]), 2)) for x in t.tracks.values() if x[4]}
check(counted and {(m[2][0], m[3][0]) for _, m in t.samples} <= known, "samples: of threads that are described", known)
spins = [frames for frames in (t.frames(m[4][0]) for _, m in t.samples) if any(f[1] == "trigger" for f in frames)]
check(
    len(spins) > counted // 4 and all(f[0] for frames in spins for f in frames),
    "samples: functions of the program, with their module",
    spins[:2],
)
calls = [t.name(e) for _, e in t.events if e[9][0] == BEGIN and t.category(e) == "slow"]
check(calls.count("syscall") >= 2, "system calls: the sleeps at least", collections.Counter(calls))
told = dwell("report", path("all.dwell")).stdout
check(
    re.search(r"^CPU counters: .*; CPU frequency: ", told, re.M),
    "the recording tells which counters there are",
    told[-600:],
)

# Counters by CPU, here of the kernel's.
r = dwell(
    "--record",
    path("c.dwell"),
    "-qn",
    "#pragma D option aggrate=200ms\ncpc:::context-switches-all-5 { @by_cpu_switches[cpu] = sum(5); }",
    "-c",
    "sh " + path("load.sh"),
)
same(r.returncode, 0, "a recording of a counter: " + r.stderr)
data = export("perfetto", "c.dwell")
t = Trace(data)
check_protoc(data, "protoc reads counters, too")
gained = collections.Counter()
for cpu, n in re.findall(r"^ +(\d+) +(\d+)$", dwell("report", path("c.dwell")).stdout, re.M):
    gained[f"CPU {cpu} switches"] += int(n)
counters, last = collections.defaultdict(list), {}
for at, e in t.events:
    track = t.tracks[e[11][0]]
    if e[9][0] == COUNTER:
        counters[track[2][0].decode()].append((at, e[30][0]))
        same(message(track[8][0])[6], [b"per second"], "counters: their unit")
check(
    set(gained) == set(counters) and all(len(v) > 1 for v in counters.values()),
    "counters: a track a CPU",
    (gained, counters),
)
for name, values in counters.items():
    told = sum(value * (then - at) / 1e9 for (at, value), (then, _) in zip(values, values[1:]))
    check(told <= gained[name] * 1.01 + 1, "counters: not more than was counted", (name, told, gained))

r = subprocess.run(
    [DWELL, "export", "--format", "perfetto", "-o", path("not-made"), "/etc/passwd"],
    capture_output=True,
    timeout=60,
    check=False,
)
check(
    r.returncode == 1 and b"no recording" in r.stderr and not os.path.exists(path("not-made")), "no recording", r.stderr
)
with open("/dev/full", "wb") as full:
    r = subprocess.run(
        [DWELL, "export", "--format", "perfetto", path("t.dwell")],
        stdout=full,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
check(r.returncode == 1 and b"No space left" in r.stderr, "a full disk", r.stderr)
done()
