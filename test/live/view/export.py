# SPDX-License-Identifier: Apache-2.0
"""dwell export: what other programs open is read back here by what their formats say."""
import csv
import gzip
import io
import json
import os
import subprocess
from protobuf import message, packed
from live import DWELL, TRIGGER, WORK, busy_cpus, check, done, dwell, same


def path(name):
    return os.path.join(WORK, name)


def export(*args, text=None):
    return subprocess.run([DWELL, "export", *args], input=text, capture_output=True, timeout=60)


def read_pprof(data):
    """{stack, leaf first: values}, [(type, unit)]. Source: profile.proto of pprof."""
    p = message(gzip.decompress(data))
    strings = [s.decode() for s in p[6]]
    assert strings[0] == ""
    functions = {}
    for f in map(message, p[5]):
        assert f[1][0] > 0
        functions[f[1][0]] = strings[f[2][0]]
    locations = {}
    for loc in map(message, p[4]):
        assert loc[1][0] > 0
        locations[loc[1][0]] = functions[message(loc[4][0])[1][0]]
    types = [(strings[t[1][0]], strings[t[2][0]]) for t in map(message, p[1])]
    samples = {}
    for s in map(message, p[2]):
        values = packed(s[2][0])
        assert len(values) == len(types)
        samples[tuple(locations[i] for i in packed(s[1][0]))] = values
    return samples, types


def check_speedscope(s, what):
    """What its schema asks for."""
    frames = s["shared"]["frames"]
    ok = s["$schema"] == "https://www.speedscope.app/file-format-schema.json" and all(
        isinstance(f["name"], str) for f in frames
    )
    for p in s["profiles"]:
        ok &= p["type"] == "sampled" and p["unit"] in (
            "none",
            "nanoseconds",
            "microseconds",
            "milliseconds",
            "seconds",
            "bytes",
        )
        ok &= len(p["samples"]) == len(p["weights"]) and all(0 <= i < len(frames) for x in p["samples"] for i in x)
        ok &= p["startValue"] == 0 and p["endValue"] == sum(p["weights"]) and isinstance(p["name"], str)
    check(ok, what, str(s)[:500])


def check_chrome(t, what):
    """Names and numbers of all events; pairs of asynchronous ones; those of a thread with a length do not overlap."""
    bad, open_ids, ends = [], {}, {}
    for e in sorted(t["traceEvents"], key=lambda e: e["ts"]):
        if not isinstance(e["name"], str) or not all(isinstance(e[k], int) for k in ("pid", "tid")) or e["ts"] < 0:
            bad.append(e)
        elif e["ph"] == "b":
            open_ids[e["cat"], e["id"]] = e
        elif e["ph"] == "e":
            if open_ids.pop((e["cat"], e["id"]), {}).get("name") != e["name"]:
                bad.append(e)
        elif e["ph"] == "i":
            if e["s"] not in ("t", "p", "g"):
                bad.append(e)
        elif e["ph"] == "X":
            if e["ts"] < ends.get((e["pid"], e["tid"]), 0) - 0.0005 or e["dur"] < 0:
                bad.append(e)
            ends[e["pid"], e["tid"]] = e["ts"] + e["dur"]
        elif e["ph"] != "M" or not isinstance(e["args"]["name"], str):
            bad.append(e)
    check(not bad and not open_ids, what, (bad[:3], open_ids))


FOLDED = "main;read;vfs_read_[k] 30\nmain;libc.so.6`memcpy 60\nmain 10\n"

# -- stacks --
r = export("--format", "folded", "-", text=FOLDED.encode())
same(
    r.stdout.decode(),
    "main 10\nmain;libc.so.6`memcpy 60\nmain;read;vfs_read_[k] 30\n",
    "folded: in order, the same stacks",
)

samples, types = read_pprof(export("--format", "pprof", "-", text=FOLDED.encode()).stdout)
same(
    samples,
    {("main",): [10], ("memcpy", "main"): [60], ("vfs_read", "read", "main"): [30]},
    "pprof: stacks, leaf first",
)
same(types, [("samples", "count")], "pprof: what is counted")

s = json.loads(export("--format", "speedscope", "-", text=FOLDED.encode()).stdout)
check_speedscope(s, "speedscope: as its schema says")
names = [f["name"] for f in s["shared"]["frames"]]
same(
    sorted(([names[i] for i in x], w) for x, w in zip(s["profiles"][0]["samples"], s["profiles"][0]["weights"])),
    [(["main"], 10), (["main", "memcpy"], 60), (["main", "read", "vfs_read"], 30)],
    "speedscope: stacks, root first",
)

odd = export("--format", "speedscope", "-", text=b'a\xff"\\\x01;b 1\n')
check_speedscope(json.loads(odd.stdout), "speedscope: names that are no text")

# -- a recording --
with open(path("load.sh"), "w") as f:
    f.write(f"{TRIGGER} spin 300\nsleep 0.01\nsleep 0.02\n")
with busy_cpus():
    r = dwell(
        "--record",
        path("r.dwell"),
        "-qn",
        """
        profile-199 /progenyof($target)/ { @cpu_ns[execname, ustack(), stack()] = sum(1000); }
        syscall::clock_nanosleep:entry /progenyof($target)/ { trace(execname); stack(); self->t = timestamp; }
        syscall::clock_nanosleep:return /self->t/ { span("sleeps", "nap, \\"short\\"", self->t, timestamp - self->t);
            @naps["a,b\\"c", tid > 0] = quantize(timestamp - self->t); @n[execname] = count(); @m[execname] = avg(7); }
        """,
        "-c",
        "sh " + path("load.sh"),
    )
same(r.returncode, 0, "a recording")

samples, types = read_pprof(export("--format", "pprof", "--by", "@cpu_ns", path("r.dwell")).stdout)
same(types, [("time", "nanoseconds"), ("events", "count")], "pprof: sums, and how many there were")
check(
    samples and all(v[0] == 1000 * v[1] and stack[-1] in ("sh", "trigger", "sleep") for stack, v in samples.items()),
    "pprof: both numbers of each stack",
    list(samples.items())[:3],
)
s = json.loads(export("--format", "speedscope", "--by", "@cpu_ns", "--per-thread", path("r.dwell")).stdout)
check_speedscope(s, "speedscope: a profile per thread")
check(
    "trigger" in [p["name"] for p in s["profiles"]] and s["profiles"][0]["unit"] == "nanoseconds",
    "speedscope: their names and unit",
    [p["name"] for p in s["profiles"]],
)

t = json.loads(export("--format", "chrome", path("r.dwell")).stdout)
check_chrome(t, "chrome: pairs, names, numbers")
events = t["traceEvents"]
naps = [e for e in events if e["ph"] in "be" and e["cat"] == "span"]
check(
    len(naps) >= 4 and naps[0]["name"] == 'nap, "short"' and 5000 < naps[1]["ts"] - naps[0]["ts"] < 5e6,
    "chrome: spans with their times",
    naps[:2],
)
lanes = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name" and e["pid"] == naps[0]["pid"]}
same(lanes, {naps[0]["tid"]: "sleeps"}, "chrome: lanes have names")
check(
    any(
        e["ph"] == "i" and e["name"] == "syscall:vmlinux:clock_nanosleep:entry" and "do_syscall_64" in str(e["args"])
        for e in events
    ),
    "chrome: events with their values and stacks",
    [e for e in events if e["ph"] == "i"][:2],
)

rows = list(csv.reader(io.StringIO(export("--format", "csv", "--by", "@n", path("r.dwell")).stdout.decode())))
same(rows, [["key1", "count"], ["sleep", "2"]], "csv: counts")
rows = list(csv.reader(io.StringIO(export("--format", "csv", "--by", "m", path("r.dwell")).stdout.decode())))
same(rows, [["key1", "count", "avg"], ["sleep", "2", "7"]], "csv: other values")
rows = list(csv.reader(io.StringIO(export("--format", "csv", "--by", "@naps", path("r.dwell")).stdout.decode())))
check(
    rows[0] == ["key1", "key2", "from", "to", "count"]
    and rows[1][:2] == ['a,b"c', "1"]
    and int(rows[1][3]) == 2 * int(rows[1][2]),
    "csv: distributions by bucket, quoted keys",
    rows,
)
rows = list(csv.reader(io.StringIO(export("--format", "csv", "--by", "events", path("r.dwell")).stdout.decode())))
check(
    len(rows) >= 3
    and rows[1][2] == "syscall"
    and rows[1][5] == "entry"
    and rows[1][6] == "sleep"
    and "`do_syscall_64;" in rows[1][7],
    "csv: events",
    rows[:2],
)

same(len({len(r) for r in rows}), 1, "csv: all lines have as many fields")
same(rows[0][5:8], ["name", "value1", "value2"], "csv: their names")
r = dwell(
    "--record",
    path("ragged.dwell"),
    "-qn",
    'BEGIN { trace("a,b"); @[""] = count(); @x["", 1] = sum(2); } BEGIN { trace(1); trace(2); trace("3"); } BEGIN { exit(0); }',
)
rows = list(csv.reader(io.StringIO(export("--format", "csv", "--by", "events", path("ragged.dwell")).stdout.decode())))
same(
    [r[6:] for r in rows[:3]],
    [["value1", "value2", "value3"], ["a,b", "", ""], ["1", "2", "3"]],
    "csv: events with fewer values have empty fields",
)
rows = list(csv.reader(io.StringIO(export("--format", "csv", "--by", "@x", path("ragged.dwell")).stdout.decode())))
same(rows, [["key1", "key2", "count", "sum"], ["", "1", "1", "2"]], "csv: an empty key is a field")

# -- states of threads --
r = subprocess.run(
    [DWELL, "timeline", "--record", path("t.dwell"), "--text", "-c", "sh " + path("load.sh")],
    capture_output=True,
    text=True,
    timeout=60,
)
same(r.returncode, 0, "a recording of dwell timeline")
t = json.loads(export("--format", "chrome", path("t.dwell")).stdout)
check_chrome(t, "chrome: states of threads do not overlap")
events = t["traceEvents"]
pids = {e["args"]["name"]: e["pid"] for e in events if e["name"] == "process_name"}
states = [e for e in events if e["ph"] == "X" and e["pid"] != pids["CPUs"]]
naps = [e for e in states if e["cat"] == "time"]
check(
    len(naps) >= 2 and all("nanosleep" in e["args"]["stack"] for e in naps) and sum(e["dur"] for e in naps) > 3e4,
    "chrome: waits with causes and stacks",
    naps[:2],
)
ran = [e for e in states if e["cat"] == "running"]
check(sum(e["dur"] for e in ran) > 1e4 and all(e["args"]["cpu"] >= 0 for e in ran), "chrome: running, where", ran[:2])
check(
    {e["args"]["name"] for e in events if e["name"] == "thread_name" and e["pid"] == pids["CPUs"]}
    <= {f"CPU {n}" for n in range(4096)}
    and any(e["name"].startswith("trigger ") for e in events if e["ph"] == "X" and e["pid"] == pids["CPUs"]),
    "chrome: who was on which CPU",
    pids,
)
check(
    not [e for e in events if e["ph"] == "b" and e["name"] in ("state", "life")], "chrome: states are not there twice"
)

# -- wrong use --
r = export("--format", "csv", path("r.dwell"))
check(
    r.returncode == 1 and b"@cpu_ns, @naps, @n, @m; choose one with --by" in r.stderr,
    "csv: several to choose from",
    r.stderr,
)
r = export("--format", "csv", "--by", "@x", path("r.dwell"))
check(r.returncode == 1 and b"no aggregation '@x'" in r.stderr, "csv: one that is not there", r.stderr)
r = export("--format", "chrome", "-o", path("not-made"), "/etc/passwd")
check(
    r.returncode == 1 and b"no recording" in r.stderr and not os.path.exists(path("not-made")), "no recording", r.stderr
)
for args in [
    [],
    ["-"],
    ["--format", "tiff", "-"],
    ["--format", "csv", "--from", "1s", path("r.dwell")],
    ["--format", "folded", "a", "b"],
]:
    same(export(*args, text=b"").returncode, 2, f"export {' '.join(map(os.path.basename, args))}: usage")
done()
