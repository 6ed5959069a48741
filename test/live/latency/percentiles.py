# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell latency profile and diff: percentiles of a recording with known waits; a shift is found, its absence too."""
# @timeout: 120
import json
import os
import random
import signal
import subprocess
import threading
import time

import live

os.chdir(live.WORK)
F = "waits.dwell"
SECONDS = 11
program = (
    f"tracker nap {{ threshold = 1h; }} syscall::clock_nanosleep:entry /pid == {os.getpid()}/ {{ begin(nap); self->t = timestamp; }} "
    f"syscall::clock_nanosleep:return /pid == {os.getpid()} && self->t/ {{ end(nap); "
    "@slept[cpu >= 0] = hist(timestamp - self->t); self->t = 0; }"
)
p = subprocess.Popen(
    [live.DWELL, "-q", "--record", F, "-n", program], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
)
scale, ended = 0.004, False


def sleeper(seed):
    draw = random.Random(seed)
    while not ended:
        time.sleep(scale * draw.uniform(0.5, 1.5))


threads = [threading.Thread(target=sleeper, args=(i,), daemon=True) for i in range(4)]
for t in threads:
    t.start()
time.sleep(1)
marks = []
for scale in (0.004, 0.004, 0.012):
    time.sleep(0.5)
    begun = time.clock_gettime(time.CLOCK_MONOTONIC)
    time.sleep(SECONDS)
    marks.append((begun, time.clock_gettime(time.CLOCK_MONOTONIC)))
ended = True
p.send_signal(signal.SIGINT)
_, messages = p.communicate()
live.check(p.returncode == 0, "recorded", messages)


def latency(*args, code=0):
    r = live.dwell("latency", *args)
    live.check(r.returncode == code, "dwell latency " + " ".join(args), r.stderr + r.stdout[-500:])
    return r


def objects(*args):
    return [json.loads(l) for l in latency(*args, "--json").stdout.splitlines()]


all_of_it = objects("profile", F)
nap = [o for o in all_of_it if o["source"] == "nap"]
live.check(
    nap and nap[0]["count"] > 2000 and sum(nap[0]["buckets"].values()) == nap[0]["count"],
    "all naps are counted",
    str(nap)[:300],
)
live.check(
    nap[0]["p50"] <= nap[0]["p90"] <= nap[0]["p99"] <= nap[0]["p99.9"] <= nap[0]["max"], "in order", str(nap)[:300]
)
slept = [o for o in all_of_it if o["source"] == "slept"]
live.check(
    slept and slept[0]["key"] == "1" and abs(slept[0]["count"] - nap[0]["count"]) <= 8 and slept[0]["max"] is None,
    "the aggregation has the same naps",
    str(slept)[:300] + str(nap)[:300],
)

first = json.loads(live.dwell("report", "-l", "--json", F).stdout)["begun"] / 1e9
at = [[f"{round((t - first) * 1000)}ms" for t in m] for m in marks]
for i, (low, high) in ((0, (2, 12)), (2, (6, 36))):
    part = objects(
        "profile",
        "--from",
        f"{round((marks[i][0] - first) * 1000)}ms",
        "--to",
        f"{round((marks[i][1] - first) * 1000)}ms",
        F,
    )
    p50 = [o["p50"] for o in part if o["source"] == "nap"][0]
    live.check(low * 1e6 <= p50 <= high * 1e6, f"the median of stretch {i}", str(p50))
text = latency("profile", "--hist", F).stdout
live.check(
    "p99.9" in text and "|@" in text and max(map(len, text.splitlines())) <= 80,
    "as text in 80 columns",
    "\n".join(l for l in text.splitlines() if len(l) > 79),
)


def pairs(*args):
    return [o for o in objects("diff", *args) if o["type"] == "diff"]


same = pairs("--from", at[0][0], "--to", at[0][1], F, "--from", at[1][0], "--to", at[1][1], F)
other = pairs("--from", at[0][0], "--to", at[0][1], F, "--from", at[2][0], "--to", at[2][1], F)
one = [o for o in other if o["source"] == "nap"][0]
live.check(
    one["changed"]
    and one["rate_changed"]
    and one["octaves"]["p50"]["value"] > 0.5
    and one["auc"] > 0.6
    and one["w1"] > 0.5,
    "three times as long is found",
    str(one),
)
live.check(
    all(
        abs(o["octaves"]["p50"]["value"]) < abs(one["octaves"]["p50"]["value"]) / 2 for o in same if o["octaves"]["p50"]
    ),
    "the same is no such difference",
    str(same),
)
text = latency("diff", "--from", at[0][0], "--to", at[0][1], F, "--from", at[2][0], "--to", at[2][1], F).stdout
live.check(
    "larger" in text
    and "95% confidence" in text
    and "2 of 2 changed" in text
    and max(map(len, text.splitlines())) <= 80,
    "in words",
    text,
)
self = latency("diff", "--all", F, F).stdout
live.check("0 of 2 changed" in self and "+0%" in self, "a recording does not differ from itself", self)

live.check("Usage" in latency("profile", "--help").stdout and "Usage" in latency("diff", "--help").stdout, "usage")
live.check(
    "two recordings are compared" in latency("diff", F, code=2).stderr and latency("diff", F, F, F, code=2).stderr,
    "two recordings",
)
for args, why in (
    (("profile", "/no/such"), "No such file"),
    (("profile", "--from", "x", F), "no time"),
    (("profile", "--from", "2h", F), "nothing between"),
    (("profile", "--keys", "0", F), "--keys"),
    (("diff", F, "/no/such"), "No such file"),
    (("diff", "--min", "x", F, F), "--min"),
):
    r = latency(*args, code=2 if "--" in why else 1)
    live.check(why in r.stderr, f"says {why}", r.stderr)
live.dwell("--record", "empty.dwell", "-n", "BEGIN { exit(0); }")
live.check("no histograms" in latency("profile", "empty.dwell", code=1).stderr, "nothing to profile")
r = subprocess.run(
    [
        "su",
        "-s",
        "/bin/sh",
        "nobody",
        "-c",
        f"cp /dev/null /dev/null; {live.DWELL} latency diff {live.WORK}/{F} {live.WORK}/{F}",
    ],
    capture_output=True,
    text=True,
)
live.check(r.returncode == 1 and "Permission denied" in r.stderr, "a file that one may not read", r.stderr)
live.done()
