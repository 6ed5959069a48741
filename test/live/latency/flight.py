# SPDX-License-Identifier: Apache-2.0
# @alone: it looks at what a CPU did
# @timeout: 180
"""The flight recorder against a truth: a real-time thread takes a CPU while another wants to go on. Live, recorded, exported;
programs with trackers and kinds of their own; what was overwritten or not read is said; wrong use, Ctrl-C, a full disk."""
import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import time

import live

os.chdir(live.WORK)
TRUTH = os.path.join(os.path.dirname(live.TRIGGER), "truth")
CPU = max(os.sched_getaffinity(0))
FIFO = "sh fifo.sh"
with open("fifo.sh", "w", encoding="utf-8") as script:
    script.write(f"exec {TRUTH} fifo 60 {CPU} 3 >told\n")
TOLD = 3000000  # ns: the machine is busy, and the program looks at the clock a little before or after


def latency(*args, **kw):
    return live.dwell("latency", *args, **kw)


def truths():
    """What the injector told into a file of its own: a long line of dwell's is not written at once."""
    with open("told", encoding="utf-8") as f:
        return [{k: int(v) for k, v in (w.split("=") for w in line.split()[1:])} for line in f]


def flights(text):
    found = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return [o for o in found if o["type"] == "latency-slow" and "flight" in o]


def near(a, b):
    return abs(a - b) <= TOLD


# -- live: the waiter, the hog, the CPU, the times

r = latency("wakeup", "--flight", "100ms", "--over", "20ms", "--json", "--record", "r.dwell", "-c", FIFO, timeout=60)
told, slow = truths(), flights(r.stdout)
live.check(r.returncode == 0 and len(told) == 3, "the injector tells three waits", r.stdout[:500] + r.stderr)
right = 0
for t in told:
    mine = [s for s in slow if s["tid"] == t["tid"] and near(s["start"] + s["delay_ns"], t["start"] + t["ns"])]
    if not mine:
        continue
    s, f = mine[0], mine[0]["flight"]
    end = s["start"] + s["delay_ns"]
    switches = [e for e in f["events"] if e["kind"] == "switch" and e["cpu"] == CPU]
    hog = [e for e in switches if e["id"] == t["holder"]]
    right += (
        f["end_cpu"] == CPU
        and f["to"] == end
        and f["from"] == s["start"] - 100000000
        and f["covered"] < s["start"]
        and
        # it got the CPU before the wait began, and the waiter had it at the very end
        bool(hog)
        and hog[0]["time"] < s["start"]
        and switches[-1]["id"] == t["tid"]
        and switches[-1]["time"] == end
        and [e["time"] for e in f["events"] if e["kind"] == "wake" and e["id"] == t["tid"]][-1] == s["start"]
        and
        # all of the wait, but for what others had in between
        f["shares"][0]["tid"] == t["holder"]
        and f["shares"][0]["ns"] >= 0.8 * s["delay_ns"]
        and sum(x["ns"] for x in f["shares"]) <= s["delay_ns"]
        and f"while CPU {CPU} was held by hog {t['holder']} for " in s["sentence"]
        and f["events"] == sorted(f["events"], key=lambda e: e["time"])
    )
live.check(
    right >= 2, f"who had the CPU, on which, from when to when ({right} of 3)", f"{told}\n{json.dumps(slow)[:6000]}"
)

# -- from the recording

text = live.dwell("report", "r.dwell").stdout
whole = live.dwell("report", "-v", "r.dwell").stdout
lines = [json.loads(line) for line in live.dwell("report", "--json", "r.dwell").stdout.splitlines()]
again = [o["flight"] for o in lines if o["type"] == "flight"]
live.check(
    [f for f in again if f["tid"] == told[0]["tid"]] == [s["flight"] for s in slow if s["tid"] == told[0]["tid"]],
    "the recording has the same",
    again[:1],
)
live.check(
    "flight recorder: " in text
    and re.search(r"truth \d+ is woken up by an interrupt under hog \d+\n", text)
    and re.search(r"\d+ more: -v", text)
    and "more: -v" not in whole
    and len(whole.splitlines()) > len(text.splitlines()),
    "as text: few lines, or all",
    text[:3000],
)
with sqlite3.connect("r.dwell") as db:
    rows = db.execute(
        "SELECT count(*), min(pos), count(DISTINCT kind) FROM flight_event JOIN flight ON flight.id = flight"
        " JOIN slow ON slow.id = flight.slow WHERE tid = ? AND ts <= \"to\"",
        (told[0]["tid"],),
    ).fetchone()
live.check(rows[0] >= 10 and rows[1] == 0 and rows[2] >= 2, "tables that SQL can ask", rows)
chrome = json.loads(live.dwell("export", "--format", "chrome", "r.dwell").stdout)["traceEvents"]
runs = [e for e in chrome if e["ph"] == "X" and e["name"].split()[-1] in {str(t["holder"]) for t in told}]
live.check(
    sum(e["dur"] for e in runs) >= 0.5 * 60000 * right and all(e["tid"] == CPU for e in runs if e["dur"] > 30000),
    "lanes by CPU in Chrome's format",
    runs,
)

# -- locks: who had them, and what those waited for


def by_thread(tracker, over, command, *more):
    """Slow events by their threads' numbers, and what the injector told of them."""
    r = latency(tracker, "--flight", "400ms", "--over", over, "--json", *more, "-c", command, timeout=60)
    words = [
        dict(w.split("=") for w in line.split()[1:]) for line in r.stdout.splitlines() if line.startswith("truth ")
    ]
    live.check(r.returncode == 0 and words, command, r.stdout[:500] + r.stderr)
    return {s["tid"]: s for s in flights(r.stdout)}, [{k: int(v) for k, v in w.items()} for w in words]


# The holder's wait and that of the last one are no slow events: the flight recorder alone knows of them.
slow, told = by_thread("futex", "200ms", f"{TRUTH} futexes 300")
waiter, last = told[0], told[1]["last"]
s = slow.get(waiter["tid"], {"chain": [], "sentence": "none"})
live.check(
    [x["tid"] for x in s["chain"]] == [waiter["holder"], last] and all(x["inferred"] for x in s["chain"]),
    "futexes: a chain of three",
    s,
)
for x in s["chain"]:
    live.check(abs(x["overlap_ns"] - 200e6) < 0.1 * 200e6, "as long as each waited", s["sentence"])
live.check(s["sentence"].endswith("ms for an interrupt (inferred)"), "the last one sleeps", s["sentence"])

with live.SlowFile(64) as slowfile:
    slowfile.delay(150)
    for page, (kind, lock) in enumerate((("mutex", "mutex"), ("rwsem", "rwsem"))):
        slow, told = by_thread("offcpu", "60ms", f"{TRUTH} {kind} {slowfile.path} {10 * page + 3} 1")
        t = told[0]
        s = slow.get(t["tid"], {"flight": {"events": []}, "chain": [], "sentence": "none"})
        events = s["flight"]["events"]
        locks = [e for e in events if e["kind"] == "lock" and e["id"] == t["tid"] and not e["info"] & 1]
        holders = [
            e
            for e in events
            if e["kind"] == "holder" and any(e["time"] == x["time"] and e["cpu"] == x["cpu"] for x in locks)
        ]
        live.check(
            holders and all(e["id"] == t["holder"] and e["text"] == "holder" for e in holders),
            f"{kind}: who had it when the wait began",
            (t, locks, events[:5]),
        )
        live.check(
            f"held by holder {t['holder']}, which waited " in s["sentence"],
            f"{kind}: and what for that one waited",
            s["sentence"],
        )
        live.check(
            s["chain"] and s["chain"][0]["tid"] == t["holder"] and s["chain"][0]["evidence"] == "lock owner",
            f"{kind}: the link",
            s["chain"],
        )

# -- text

r = latency("--flight", "20ms", "-c", "true", timeout=60)
live.check(
    r.returncode == 0 and "\nlock " in r.stdout and not r.stderr,
    "with the default set, whose programs have variables of their own",
    r.stdout + r.stderr,
)
r = latency("wakeup", "--flight", "50ms", "--over", "20ms", "--comm", "truth", "-c", FIFO, timeout=60)
live.check(
    re.search(rf"CPU {CPU} meanwhile: hog \d+ \d+\.\d ms", r.stdout)
    and re.search(rf"-\d+(\.\d+)? ms  CPU {CPU}  +hog \d+ gets the CPU from ", r.stdout)
    and "flight recorder: 0 events" not in r.stdout,
    "live, as text",
    r.stdout + r.stderr,
)

# -- programs of one's own

OWN = """tracker t { threshold = 1ms; }
syscall::lseek:entry /pid == $target && arg2 == 0/ { flight("mine", arg1, 70000, "hello, flight recorder"); begin(t); }
syscall::lseek:entry /pid == $target && arg2 == 1/ { flight("mine", -1, 6, ""); end(t); }
latency:t::slow { slow("n", 5); }
"""
r = live.dwell("-qv", "-x", "flight=1s", "-n", OWN, "-c", f"{live.TRIGGER} track b7 s3000 e7")
# 16 bits of the second number, 16 bytes of the text
live.check(
    r.returncode == 0
    and re.search(r"slow t .*\n +n +5\n +flight recorder: ", r.stdout)
    and re.search(rf"ms  CPU \d+ +mine 7 {70000 % 65536} hello, flight r", r.stdout)
    and re.search(r" 0 ns  CPU \d+ +mine 4294967295 6 ?\n", r.stdout),
    "kinds of one's own",
    r.stdout[-3000:] + r.stderr,
)
live.check("matched" not in r.stderr and "flight.d" not in r.stderr, "dwell's own program is not announced", r.stderr)
r = live.dwell("-q", "-x", "flight=60s", "-x", "flightsize=16k", "-n", OWN, "-c", f"{live.TRIGGER} track b7 s300000 e7")
m = re.search(r"(\d+) events, 60\.\d s before the end, of which it covers the last (\S+ \S+)", r.stdout)
live.check(m and 0 < int(m[1]) <= 2 * 512 and m[2] != "0 ns", "what is covered is said", r.stdout + r.stderr)
r = live.dwell("-q", "-x", "flight=10ms", "-n", OWN, "-c", f"{live.TRIGGER} track " + "b1 s1200 e1 " * 60)
read = len(re.findall(r"flight recorder: \d+ events", r.stdout))
skipped = r.stdout.count("not read, there were too many slow events in this second")
live.check(
    10 <= read <= 30 and read + skipped == 60, "ten a second are read, the others say so", (read, skipped, r.stderr)
)

# -- wrong use

for value, says in (
    ("0", "is no time"),
    ("1h", "the flight recorder looks back for 1ms to 60s"),
    ("999us", "looks back for 1ms to 60s"),
    ("soon", "is no time"),
    ("-5ms", "is no time"),
):
    r = latency("--flight=" + value)
    live.check(r.returncode == 2 and says in r.stderr and not r.stdout, f"--flight {value}", r.stderr)
for option, says in (
    ("flight=0", "looks back for 1ms to 60s"),
    ("flight=61s", "looks back for 1ms to 60s"),
    ("flightsize=1", "from 16k to 64m"),
):
    r = live.dwell("-x", option, "-n", "BEGIN { exit(0); }")
    live.check(r.returncode and says in r.stderr, option, r.stderr)
r = live.dwell("-x", "flight=1s", "-n", "BEGIN { exit(0); }")
live.check(r.returncode == 1 and "no clause of a tracker calls slow()" in r.stderr, "nothing that is slow", r.stderr)
r = live.dwell("-n", 'BEGIN { flight("a", 1, 2, "b"); exit(0); }')
live.check(r.returncode and "-x flight=TIME tells how long it looks back" in r.stderr, "flight() alone", r.stderr)

# -- ended in the middle; two at once

first = subprocess.Popen(
    [live.DWELL, "latency", "wakeup", "--flight", "200ms", "--over", "5ms", "--record", "c.dwell"],
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    text=True,
)
time.sleep(1.5)
r = latency("wakeup", "--flight", "30ms", "--over", "20ms", "--json", "-c", FIFO, timeout=60)
live.check(
    any(s["tid"] == t["tid"] for t in truths() for s in flights(r.stdout)), "two at once", r.stdout[:500] + r.stderr
)
first.send_signal(signal.SIGINT)
out, err = first.communicate(timeout=30)
r = live.dwell("report", "c.dwell")
live.check(
    first.returncode == 0
    and "flight recorder: " in out
    and "flight recorder: " in r.stdout
    and r.returncode == 0
    and "was not ended" not in r.stderr,
    "Ctrl-C",
    (first.returncode, err, r.stderr),
)

os.makedirs("small", exist_ok=True)
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", "small"]).returncode == 0:
    try:
        p = subprocess.Popen(
            [
                live.DWELL,
                "latency",
                "wakeup",
                "--flight",
                "200ms",
                "--over",
                "50us",
                "--idle",
                "--record",
                "small/f.dwell",
                "-c",
                f"{TRUTH} fifo 30 {CPU} 60",
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        time.sleep(2)
        with open("small/filler", "wb", buffering=0) as f, contextlib.suppress(OSError):
            while True:
                f.write(b"x" * 4096)
        out, err = p.communicate(timeout=60)
        live.check(
            p.returncode == 1 and "not continued" in err and "flight recorder: " in out,
            "a full disk: the run goes on",
            err,
        )
        again = live.dwell("report", "small/f.dwell")
        live.check("flight recorder: " in again.stdout, "and what was written is there", again.stderr)
    finally:
        subprocess.run(["umount", "-l", "small"])

live.done()
