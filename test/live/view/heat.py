# SPDX-License-Identifier: Apache-2.0
"""dwell heat: cells are where the values and times of the recording put them."""
import base64
import json
import os
import re
import sqlite3
import subprocess
import xml.etree.ElementTree as ET
import zlib
from live import DWELL, WORK, check, done, dwell, same


def path(name):
    return os.path.join(WORK, name)


def heat(*args):
    return subprocess.run([DWELL, "heat", *args], capture_output=True, text=True, timeout=60)


def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:
            return value, at


def cells(html):
    """The head of a page, and {key: {(column, row): count}}."""
    head = json.loads(re.search(r'id="meta">(.*?)</script>', html, re.S).group(1))
    data = zlib.decompress(base64.b64decode(re.search(r'id="cells">(.*?)</script>', html, re.S).group(1)))
    at, planes = 0, {}
    for key in head["keys"]:
        n, at = number(data, at)
        index, plane = 0, planes.setdefault(key, {})
        for _ in range(n):
            step, at = number(data, at)
            count, at = number(data, at)
            index += step
            plane[divmod(index, head["rows"])] = count
    same(at, len(data), f"{head['title']}: all bytes of the cells are of cells")
    return head, planes


with open(path("load.sh"), "w") as f:
    f.write("sleep 0.05\nsleep 0.05\nsleep 0.3\n")
r = dwell(
    "--record",
    path("r.dwell"),
    "-qn",
    """
    tracker nap { threshold = 1s; }
    syscall::clock_nanosleep:entry /progenyof($target)/ { begin(nap); self->t = timestamp; trace(execname); }
    syscall::clock_nanosleep:return /self->t/ { end(nap); @nap_ns["a \\"key\\"", execname] = hist(timestamp - self->t); }
    """,
    "-c",
    "sh " + path("load.sh"),
)
same(r.returncode, 0, "a recording")
has_pages = heat("--by", "nap", "--html", path("r.dwell")).returncode == 0

# -- values --
r = heat("--by", "nap", path("r.dwell"))
root = ET.fromstring(r.stdout)
texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
check(texts[0] == "nap · r.dwell" and texts[1].startswith("3 events"), "SVG: title and what it is made of", texts[:2])
check(any(t and t.endswith(" ms") for t in texts) and "median" in texts, "SVG: axis in time, percentiles", texts)
same(len(list(root.iter("{http://www.w3.org/2000/svg}image"))), 2, "SVG: cells for light and for dark")
if has_pages:
    for by, keys in (("nap", 1), ("@nap_ns", 1)):
        head, planes = cells(heat("--by", by, "--html", path("r.dwell")).stdout)
        counts = {}
        for plane in planes.values():
            for (column, row), n in plane.items():
                for value in (5e7, 3e8):
                    if head["edges"][row] <= value * 1.2 and head["edges"][row + 1] >= value:
                        counts[value] = counts.get(value, 0) + n
        check(
            counts.get(5e7, 0) == 2 and counts.get(3e8, 0) == 1,
            f"{by}: each nap is in the row of its length",
            (head["edges"], planes),
        )
        same((head["unit"], head["total"]), ("ns", 3), f"{by}: unit and number")
    same(head["keys"], ['a "key", sleep'], "keys have names")
    head, planes = cells(heat("--by", "nap", "--linear", "--rows", "50", "--html", path("r.dwell")).stdout)
    check(
        head["rows"] == 50
        and head["edges"][0] == 0
        and head["edges"][1] * 50 == head["edges"][50]
        and head["edges"][50] > 3e8,
        "--linear: equal rows from 0",
        head["edges"][:3],
    )

    # -- places in a period: by the events' own times, which the file has --
    db = sqlite3.connect(path("r.dwell"))
    off = int(db.execute("SELECT value FROM meta WHERE key = 'wall_off_ns'").fetchone()[0])
    times = [ts + off for ts, in db.execute("SELECT ts FROM row WHERE kind = 0 AND length(data) > 16")]
    for period, rows in ((1000000000, 100), (10000000, 10)):
        head, planes = cells(
            heat("--offset", f"{period // 1000000}ms", "--rows", str(rows), "--html", path("r.dwell")).stdout
        )
        first = min(times) // period
        want = {}
        for t in times:
            at = (t // period - first, t % period * rows // period)
            want[at] = want.get(at, 0) + 1
        same(planes, {"sleep": want}, f"--offset {period // 1000000}ms: columns and rows by the events' own times")
        check(
            head["step"] == period / 1e6 and abs(head["begin"] - first * period / 1e6) < 0.01,
            "columns begin with the wall clock's periods",
            (head["step"], head["begin"]),
        )
ET.fromstring(heat("--offset", "1s", path("r.dwell")).stdout)

# -- wrong use --
r = heat(path("r.dwell"))
check(r.returncode == 1 and "nap, @nap_ns; choose one with --by" in r.stderr, "several to choose from", r.stderr)
r = heat("--by", "x", path("r.dwell"))
check(r.returncode == 1 and "there is no 'x'" in r.stderr, "one that is not there", r.stderr)
r = heat("--by", "nap", "--from", "1h", path("r.dwell"))
check(r.returncode == 1 and "nothing was recorded" in r.stderr, "a time when nothing was", r.stderr)
r = heat("--offset", "1us", "--step", "10us", path("r.dwell"))
check(r.returncode == 1 and "columns are too many" in r.stderr, "more columns than can be drawn", r.stderr)
if has_pages:
    head, planes = cells(heat("--offset", "20us", "--rows", "5", "--html", path("r.dwell")).stdout)
    step = round(head["step"] * 1e6)
    check(
        head["columns"] <= 2000 and step % 20000 == 0 and step > 20000,
        "of a short period a column has several",
        (head["columns"], step),
    )
    same(
        {row: sum(n for (c, r), n in planes["sleep"].items() if r == row) for row in {r for c, r in planes["sleep"]}},
        {row: sum(t % 20000 * 5 // 20000 == row for t in times) for row in {t % 20000 * 5 // 20000 for t in times}},
        "and events are where in the period they were",
    )

# -- keys, and spans painted over the time that they took --
r = dwell(
    "--record",
    path("k.dwell"),
    "-qn",
    """
    syscall::clock_nanosleep:entry /progenyof($target)/ { self->t = timestamp; }
    syscall::clock_nanosleep:return /self->t/ { @nap_ns[timestamp - self->t > 200000000 ? "long" : "short"] = hist(timestamp - self->t);
        span("naps", timestamp - self->t > 200000000 ? "long" : "short", self->t, timestamp - self->t); span("other", "x", self->t, 1); }
    """,
    "-c",
    "sh " + path("load.sh"),
)
same(r.returncode, 0, "a recording with keys and spans")
svg = heat("--by-key", path("k.dwell"))
root = ET.fromstring(svg.stdout)
texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
check(
    any(t.startswith("short, 66.7 %") for t in texts) and any(t.startswith("long, 33.3 %") for t in texts),
    "--by-key: what the colours are",
    texts,
)
same(len(list(root.iter("{http://www.w3.org/2000/svg}image"))), 1, "--by-key: one picture for light and dark")
for option, total in (("--isolate", "1 event"), ("--exclude", "2 event"), ("--highlight", "3 event")):
    r = heat(option, "long", path("k.dwell"))
    check(f">{total}" in r.stdout, f"{option}: how many are left", (r.stderr, r.stdout[1500:2200]))
r = heat("--isolate", "none", path("k.dwell"))
check(
    r.returncode == 1 and "there is no key 'none'; there are: " in r.stderr and "short" in r.stderr,
    "a key that is not there",
    r.stderr,
)
r = heat("--offset", "1s", "--by", "nap", path("k.dwell"))
check(
    r.returncode == 1 and "no lane 'nap'" in r.stderr and "naps, other" in r.stderr,
    "a lane that is not there",
    r.stderr,
)
if has_pages:
    head, planes = cells(heat("--offset", "100ms", "--rows", "10", "--by", "naps", "--html", path("k.dwell")).stdout)
    took = {key: sum(plane.values()) for key, plane in planes.items()}
    check(
        1e8 <= took["short"] < 1.5e8 and 3e8 <= took["long"] < 3.6e8,
        "--by LANE: cells have the time of its spans",
        took,
    )
    check(
        all(0 < n <= 10000001 for plane in planes.values() for n in plane.values())
        and sum(n == 10000000 for n in planes["long"].values()) >= 25,
        "no cell has more than it is long, and those in the middle of a span are full",
        sorted(planes["long"].values()),
    )
    same((head["counted"], head["chosen"]), ("ns", []), "what is counted is time")
dwell("--record", path("n.dwell"), "-qn", "BEGIN { @ = count(); exit(0); }")
r = heat(path("n.dwell"))
check(r.returncode == 1 and "no distributions" in r.stderr, "a recording without distributions", r.stderr)
# Recorded by itself: a tracker, a command, a program.
for args in [
    ["--for", "1s"],
    ["--tracker", "offcpu", "--", "sleep", "1"],
    ["-n", "tick-10ms { @x = hist(1000); }", "--for", "1s"],
]:
    r = heat("--json", *args)
    check(r.returncode == 0 and json.loads(r.stdout), f"heat {' '.join(args)}: records by itself", r.stderr)
for args, says in [
    (["--tracker", "nosuch"], "no 'nosuch'"),
    (["--tracker", "block", "-n", "BEGIN { }"], "choose one"),
    (["-p", "x", "--for", "1s"], "invalid pid: x"),
]:
    r = heat(*args)
    check(r.returncode == 2 and says in r.stderr, f"heat {' '.join(args)}: refused", r.stderr)
for args in [
    [],
    ["--rows", "0", "x"],
    ["--rows", "161", "x"],
    ["--offset", "1s", "--linear", "x"],
    ["--svg", "--html", "x"],
    ["--step", "x", "x"],
    ["--isolate", "a", "--exclude", "b", "x"],
    ["--offset", "1s", "--step", "1500ms", "x"],
    ["x", "y"],
]:
    same(heat(*args).returncode, 2, f"heat {' '.join(args)}: usage")
done()
