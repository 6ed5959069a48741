# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell latency diff: of threads whose sleeps are known one becomes longer, one comes, one goes, one does nearly nothing, one stays as
it is; of a recording that is still made, of stretches of different lengths, too short ones and empty ones; as text and JSON."""
import contextlib
import ctypes
import json
import os
import random
import re
import signal
import subprocess
import threading
import time

import live

os.chdir(live.WORK)
F = "known.dwell"
FIRST, SECOND = 24, 20  # seconds
PR_SET_NAME = 15
now, ended = "first", False


def sleeper(name, times, seed):
    ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode())
    with contextlib.suppress(OSError):
        os.sched_setscheduler(
            0, os.SCHED_FIFO, os.sched_param(1)
        )  # so that they sleep as long as they want, whatever else runs here
    draw = random.Random(seed)
    while not ended:
        t = times[now]
        time.sleep(t * draw.lognormvariate(0, 0.3) if t else 0.2)
        # what sleeps for nothing to happen is too long to be one of its events


program = (
    f"syscall::clock_nanosleep:entry /pid == {os.getpid()}/ {{ self->t = timestamp; }} "
    "syscall::clock_nanosleep:return /self->t && timestamp - self->t < 150000000/ { @slept[timestamp / 1000000000, execname] = hist(timestamp - self->t); } "
    "syscall::clock_nanosleep:return { self->t = 0; } "
    f"tracker nap {{ threshold = 1h; }} syscall::clock_nanosleep:entry /pid == {os.getpid()} && execname == \"shifted\"/ {{ begin(nap); }} "
    "syscall::clock_nanosleep:return { end(nap); }"
)
p = subprocess.Popen(
    [live.DWELL, "-q", "--record", F, "-n", program], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
)
threads = [
    threading.Thread(target=sleeper, args=a, daemon=True)
    for a in (
        ("shifted", {"first": 0.004, "second": 0.008}, 1),
        ("steady", {"first": 0.004, "second": 0.004}, 2),
        ("goes", {"first": 0.005, "second": 0}, 3),
        ("comes", {"first": 0, "second": 0.005}, 4),
    )
]
time.sleep(2)
begun = time.clock_gettime(time.CLOCK_MONOTONIC)
for t in threads:
    t.start()
rare = threading.Thread(
    target=lambda: (
        ctypes.CDLL(None).prctl(PR_SET_NAME, b"rare"),
        [time.sleep(0.01) or threading.Event().wait(2) for _ in range(18)],
    ),
    daemon=True,
)
rare.start()
time.sleep(FIRST)
now = "second"
middle = time.clock_gettime(time.CLOCK_MONOTONIC)
time.sleep(SECOND + 2)


def latency(*args, code=0):
    r = live.dwell("latency", *args)
    live.check(r.returncode == code, "dwell latency " + " ".join(map(str, args)), r.stderr + r.stdout[-500:])
    return r


def objects(*args):
    lines = [json.loads(line) for line in latency("diff", "--json", *args).stdout.splitlines()]
    live.check(
        [o["type"] for o in lines] == ["diff"] * (len(lines) - 1) + ["diff-summary"],
        "a line for each, and a last one",
        lines[-1:],
    )
    return {o["key"] or o["source"]: o for o in lines[:-1]}, lines[-1]


first = json.loads(live.dwell("report", "-l", "--json", F).stdout)["begun"] / 1e9


def at(t):
    return f"{max(0, round((t - first) * 1000))}ms"


A = ("--from", at(begun + 1), "--to", at(middle - 1))
B = ("--from", at(middle + 1), "--to", at(middle + 1 + SECOND))

# of the process that still records
o, end = objects(*A, p.pid, *B, p.pid)
live.check(p.poll() is None and o["shifted"]["changed"], "of a process that records", o.get("shifted"))
ended = True
p.send_signal(signal.SIGINT)
_, messages = p.communicate()
live.check(p.returncode == 0, "recorded", messages)

o, end = objects(*A, F, *B, F)
s = o["shifted"]
live.check(
    s["changed"]
    and s["octaves"]["p50"]["changed"]
    and 0.6 < s["octaves"]["p50"]["value"] < 1.2
    and s["in"] == "both"
    and s["not_judged"] is None,
    "twice as long",
    s,
)
live.check(
    s["octaves"]["p50"]["low"] < s["octaves"]["p50"]["value"] < s["octaves"]["p50"]["high"] and s["p"] < 0.01,
    "with an interval",
    s,
)
live.check(
    s["kind"] == "aggregation" and o["nap"]["kind"] == "tracker" and o["nap"]["changed"],
    "of an aggregation and a tracker",
    o["nap"],
)
steady = o["steady"]
live.check(
    abs(steady["octaves"]["p50"]["value"]) < s["octaves"]["p50"]["value"] / 2, "one that is nearly as before", steady
)
live.check(steady["changed"] or 0.04 < steady["octaves"]["visible"] < 2, "what would have been seen in it", steady)
live.check(
    o["goes"]["in"] == "a"
    and o["goes"]["rate_changed"]
    and not o["goes"]["changed"]
    and o["goes"]["octaves"]["rate"]["low"] is None,
    "one that goes",
    o["goes"],
)
live.check(
    o["comes"]["in"] == "b" and o["comes"]["rate_changed"] and o["comes"]["octaves"]["rate"]["high"] is None,
    "one that comes",
    o["comes"],
)
live.check(
    o["rare"]["not_judged"] == "few-events"
    and not o["rare"]["changed"]
    and o["rare"]["octaves"]["p50"] is None
    and o["rare"]["count_a"] > 0,
    "too few events",
    o["rare"],
)
live.check(
    end["seconds_a"] in (FIRST - 3, FIRST - 2) and end["seconds_b"] in (SECOND - 1, SECOND),
    "stretches of different lengths",
    end,
)
live.check(
    end["changed"] == sum(v["changed"] or v["rate_changed"] for v in o.values())
    and end["compared"] == len(o)
    and 0 < end["judged"] < len(o)
    and end["alpha"] == 0.05,
    "the sum",
    end,
)

text = latency("diff", *A, F, *B, F).stdout
lines = text.splitlines()
live.check(
    "gone*" in text and "new*" in text and "p50 larger" in text or "p90 larger" in text and "95% confidence" in text,
    "in words",
    text,
)
live.check(
    max(map(len, lines)) <= 80 and re.search("nothing else differs: changes below [0-9]+% would", text),
    "what would not be seen",
    text,
)
live.check((end["only_a"], end["only_b"]) == (0, 0), "what only one side has", end)
live.check(any("had too few events or seconds" in line for line in lines), "how many are not judged", text)
everything = latency("diff", "--all", *A, F, *B, F).stdout
live.check(
    "at least 40 of each are needed" in everything and "no change found; one of less than" in everything,
    "each that has not changed",
    everything,
)

# too short, empty, the same
short, end = objects("--from", at(begun + 1), "--to", at(begun + 4), F, *B, F)
live.check(
    all(v["not_judged"] and not v["changed"] for v in short.values())
    and short["shifted"]["not_judged"] == "few-seconds"
    and end["visible_most"] is None,
    "too few seconds",
    short.get("shifted"),
)
text = latency("diff", "--all", "--from", at(begun + 1), "--to", at(begun + 4), F, *B, F).stdout
live.check(re.search("not judged: [23] s and (19|20) s, at least 8 s of each are needed", text), "in words", text)
self, last = objects(F, F)
end = last
live.check(
    end["changed"] == 0 and all(v["p"] in (1, None) for v in self.values()), "it does not differ from itself", self
)
text = latency("diff", F, F).stdout
live.check(text.startswith(f"0 of {len(self)} changed") and "nothing differs: changes below" in text, "in words", text)
r = latency("diff", *A, F, "--from", "2h", F, code=1)
live.check("nothing between" in r.stderr and "known.dwell: nothing to compare" in r.stderr, "an empty side", r.stderr)
r = latency("diff", "--from", "3100ms", "--to", "3900ms", F, F, code=1)
live.check("no whole second" in r.stderr, "less than a second", r.stderr)
few, end = objects("--keys", "1", F, F)
live.check(
    end["left_out"] == len(self) - 2
    and set(few) == {"nap", max((k for k in self if k != "nap"), key=lambda k: self[k]["count_a"])},
    "the largest keys of each source",
    few,
)
live.dwell("--record", "empty.dwell", "-n", "BEGIN { exit(0); }")
for args in (("empty.dwell", F), (F, "empty.dwell")):
    r = latency("diff", *args, code=1)
    live.check("empty.dwell" in r.stderr and "no histograms" in r.stderr, "a recording without any", r.stderr)
for args, why in (
    (("--min", "x", F, F), "--min"),
    (("--keys", "0", F, F), "--keys"),
    ((F,), "latency diff"),
    ((F, F, F), "latency diff"),
    ((F, F, "--to", "3s"), "latency diff"),
):
    live.check(why in latency("diff", *args, code=2).stderr, f"says {why}")
rest, end = objects(*B, F)
s = rest["shifted"]
live.check(
    s["changed"]
    and s["quantiles"]["p50"][0] < s["quantiles"]["p50"][1]
    and rest["comes"]["count_a"] < rest["comes"]["count_b"],
    "a stretch and the rest",
    s,
)
live.check(
    s["count_a"] + s["count_b"] == self["shifted"]["count_a"]
    and end["seconds_a"] + end["seconds_b"] == last["seconds_a"],
    "which together are all",
    (end, last),
)
r = latency("diff", "--from", "0s", F, code=1)
live.check("nothing is left" in r.stderr, "all of it has no rest", r.stderr)
r = latency("diff", os.getpid(), F, code=1)
live.check("records nothing" in r.stderr, "a process that does not record", r.stderr)
live.done()
