# SPDX-License-Identifier: Apache-2.0
# @timeout: 90
"""dwell timeline: threads do in the picture what they did; processes are where they were made."""
import base64
import json
import os
import re
import signal
import sqlite3
import subprocess
import time
import xml.etree.ElementTree as ET
import zlib
import live
from live import DWELL, WORK, check, done, dwell, same


def path(name):
    return os.path.join(WORK, name)


def timeline(*args):
    return subprocess.run([DWELL, "timeline", *args], capture_output=True, text=True, timeout=90)


class Numbers:
    def __init__(self, html, part):
        self.data = zlib.decompress(base64.b64decode(re.search(rf'id="{part}">(.*?)</script>', html, re.S).group(1)))
        self.at = 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            value |= (byte & 127) << shift
            shift, self.at = shift + 7, self.at + 1
            if byte < 128:
                return value

    def text(self):
        n = self.number()
        self.at += n
        return self.data[self.at - n : self.at].decode()


def page(html):
    """Head; rows: (row, [(from, to, kind, words, stack, by, cpu)]), ns."""
    head = json.loads(re.search(r'id="meta">(.*?)</script>', html, re.S).group(1))
    t = Numbers(html, "texts")
    texts = [(t.number(), t.text(), t.text())[1:] for _ in range(t.number())]
    r, rows = Numbers(html, "intervals"), []
    for row in head["rows"]:
        at, items = 0, []
        for _ in range(r.number()):
            start = at + r.number()
            at = start + r.number()
            kind, cpu, words, by = r.number() >> 3, r.number(), r.number(), r.number()
            items.append((start, at, head["kinds"][kind]["name"], *texts[words], texts[by][0], cpu - 1))
        rows.append((row, items))
    same(r.at, len(r.data), "all bytes of the rows are of rows")
    return head, rows


def running_at_once(rows):
    """Two threads that run on one CPU at the same time, as the picture has it."""
    ran = sorted(
        (i[6], i[0], i[1], row["label"])
        for row, items in rows
        if row["group"] == "threads"
        for i in items
        if i[2] == "running" and i[6] >= 0
    )
    return len(ran), [(a, b) for a, b in zip(ran, ran[1:]) if a[0] == b[0] and b[1] < a[2]]


LOAD = """
import ctypes, os, threading, time
c = ctypes.CDLL(None)
lock = ctypes.create_string_buffer(64) # a mutex of pthreads: Python's own locks are semaphores
r, w = os.pipe()
def reader(): os.read(r, 1)
def locked():
    c.pthread_mutex_lock(lock)
    c.pthread_mutex_unlock(lock)
c.pthread_mutex_lock(lock)
all = [threading.Thread(target=f) for f in (reader, locked)]
for t in all: t.start()
time.sleep(0.1)
end = time.monotonic() + 0.1
while time.monotonic() < end: pass
os.write(w, b"x")
c.pthread_mutex_unlock(lock)
for t in all: t.join()
if os.fork() == 0: os._exit(7)
os.wait()
"""
with open(path("load.py"), "w") as f:
    f.write(LOAD)
python = os.path.realpath("/usr/bin/python3")
r = timeline("--record", path("r.dwell"), "--svg", "-o", path("r.svg"), "--", python, path("load.py"))
said = re.sub(
    r"^dwell: \d+ dynamic variable drops?\n", "", r.stderr, flags=re.M
)  # of a machine that does other things, too
dropped = said != r.stderr
same((r.returncode, said), (0, ""), "recording a command")
out = timeline("--html", path("r.dwell"))
has_pages = out.returncode == 0
if has_pages:
    head, rows = page(out.stdout)
    threads = [(row, items) for row, items in rows if row["group"] == "threads"]
    main = next(items for row, items in threads if row["tid"] == row["pid"] and len(items) > 20)
    for row, items in threads:
        gaps = [b[0] - a[1] for a, b in zip(items, items[1:])]
        check(not any(gaps) or dropped, f"{row['label']}: all of its time is known", gaps)
    nap = max(main, key=lambda i: (i[1] - i[0]) * (i[2] == "time"))
    check(
        nap[2] == "time" and 9.9e7 < nap[1] - nap[0] < 2e8 and "sleep" in nap[3] and "nanosleep" in nap[4],
        "the sleep has its length, cause and stack",
        nap,
    )
    ran = sum(i[1] - i[0] for i in main if i[2] in ("running", "cpu") and i[0] >= nap[1])
    check(ran > 0.99e8, "spinning is running (or waiting for a CPU)", ran)
    waits = {i[2]: i for row, items in threads if row["tid"] != row["pid"] for i in items if i[1] - i[0] > 1.5e8}
    check("lock" in waits and "futex" in waits["lock"][3], "a lock is a wait for a lock", waits)
    check("ipc" in waits and "pipe" in waits["ipc"][4], "reading from a pipe is one for another program", waits)
    check(all("python" in w[5] for w in waits.values()), "who woke them up is the main thread", waits)
    same(head["states"], True, "states are complete")
    cpus = {row["label"]: items for row, items in rows if row["group"] == "cpus"}
    ran = sum(i[1] - i[0] for row, items in threads for i in items if i[2] == "running")
    on_cpus = sum(i[1] - i[0] for items in cpus.values() for i in items)
    check(
        cpus and all(re.fullmatch(r"CPU \d+", label) for label in cpus) and 0.98 * ran < on_cpus <= ran,
        "rows of CPUs have what threads ran",
        (list(cpus), ran, on_cpus),
    )
    check(all(a[1] <= b[0] for items in cpus.values() for a, b in zip(items, items[1:])), "one thread at a time")
    spun = max((i for items in cpus.values() for i in items), key=lambda i: i[1] - i[0])
    check("python" in spun[3] and spun[2] == "thread", "by their names", spun)
    check(
        0 < head["lead"] and min(items[0][0] for row, items in rows) < 1e6,
        "the picture begins with what was seen first",
        head["lead"],
    )
    check(head["length"] < 1e9 + head["lead"] + nap[1], "and ends when the command has", (head["length"], nap))
    n, twice = running_at_once(rows)
    check(n > 20 and not twice, "a CPU runs one thread at a time", (n, twice[:3]))
root = ET.parse(path("r.svg")).getroot()
titles = [t.text for t in root.iter("{http://www.w3.org/2000/svg}title")]
check(any("lock" in t for t in titles) and len(titles) < 10000, "SVG: rectangles say what they are", titles[:10])
text = timeline("--text", path("r.dwell")).stdout
line = next((l for l in text.splitlines() if re.match(r" +\S+ \d+ .*futex \(lock", l)), "")
check("RUN %" in text and line, "a table", text)

# -- processes --
tree = timeline("--processes", "--text", path("r.dwell")).stdout
lines = tree.splitlines()
parent = next((i for i, l in enumerate(lines) if re.search(r" python\S* \d+$", l)), -1)
child = next((l for l in lines if l.endswith("exit 7")), "")
check(
    parent > 0 and child and len(child) - len(child.split("  ")[-1].lstrip()) > 0,
    "the tree has the child's exit code",
    tree,
)
check(lines.index(child) > parent if child else False, "the child is below its parent", tree)
same(timeline("--processes", path("r.dwell")).stdout, tree, "a pipe gets the table")
with open(path("plain.svg"), "w", encoding="utf-8") as f:
    subprocess.run([DWELL, "timeline", "--processes", path("r.dwell")], stdout=f, timeout=90, check=True)
same(open(path("plain.svg"), encoding="utf-8").read(5), "<?xml", "a file gets the picture")

# -- ranges, wrong input --
r = timeline("--from", "1h", path("r.dwell"))
check(r.returncode == 1 and "nothing was recorded in this time" in r.stderr, "a time without anything", r.stderr)
r = timeline(path("none.dwell"))
check(r.returncode == 1 and "none.dwell" in r.stderr, "no such file", r.stderr)
same(dwell("--record", path("e.dwell"), "-qn", "BEGIN { exit(0); }").returncode, 0, "a recording without slow events")
r = timeline(path("e.dwell"))
check(r.returncode == 1 and "no slow events and no spans" in r.stderr, "says what is missing", r.stderr)
for wrong in (["--html", "--svg", "x"], [], ["--pid", "0", "x"], ["--from", "soon", "x"], ["--"], ["x", "--for", "1s"]):
    same(timeline(*wrong).returncode, 2, f"wrong usage: {wrong}")

# -- spans and trackers of one's own --
r = dwell(
    "--record",
    path("s.dwell"),
    "-qn",
    """
    tracker nap () { threshold = 1ms; }
    syscall::clock_nanosleep:entry /progenyof($target)/ { begin(nap); self->t = timestamp; }
    syscall::clock_nanosleep:return /self->t/ { end(nap); span("naps", execname, self->t, timestamp - self->t); }
    latency:nap::slow { slow("what", "a nap"); }
    """,
    "-c",
    "sleep 0.05",
)
same(r.returncode, 0, "a recording with spans")
if has_pages:
    head, rows = page(timeline("--html", path("s.dwell")).stdout)
    same(
        [(row["group"], row["label"], len(items)) for row, items in rows],
        [("spans", "naps", 1), ("requests", "nap", 1)],
        "lanes of spans and slow events",
    )
    check(
        head["states"] is False and "a nap" in rows[1][1][0][3] and rows[0][1][0][3] == "sleep",
        "with their words",
        rows,
    )

# -- losses, and what dwell does itself --
SWITCHES = """
import os, time
a, b = os.pipe(), os.pipe()
if os.fork() == 0:
    os.close(a[1])
    while os.read(a[0], 1): os.write(b[1], b"x")
def turns(n, nap):
    for i in range(n):
        os.write(a[1], b"x"); os.read(b[0], 1); time.sleep(nap)
turns(500, 0.005)
for i in range(30000): os.write(a[1], b"x"); os.read(b[0], 1)
turns(500, 0.005)
"""
with open(path("switches.py"), "w") as f:
    f.write(SWITCHES)
threads_d = os.path.join(os.path.dirname(DWELL), "dlib", "timeline", "threads.d")
dwell(
    "--record",
    path("l.dwell"),
    "-q",
    "-x",
    "bufsize=16k",
    "-x",
    "switchrate=2hz",
    "-s",
    threads_d,
    "-c",
    f"{python} {path('switches.py')}",
    timeout=90,
)
if has_pages:
    head, rows = page(timeline("--html", path("l.dwell")).stdout)
    n, twice = running_at_once(rows)
    check(
        head["lost"] > 1000 and n > 100 and not twice,
        "a CPU runs one thread at a time, whatever was lost",
        (head["lost"], n, twice[:3]),
    )
    check(
        any(row["label"] == "losses" and any("events lost" in i[3] for i in items) for row, items in rows),
        "losses have a lane",
        [r["label"] for r, _ in rows],
    )
r = dwell(
    "--record",
    path("d.dwell"),
    "-q",
    "-x",
    "maxcpu=0.01%",
    "-n",
    "syscall:::entry { @[execname, probefunc, ustack(), stack()] = count(); }",
    "-n",
    """
    tick-1s { span("ticks", "tick", timestamp - 1000000, 1000000); } tick-5s { exit(0); }""",
    "-c",
    live.TRIGGER + " rate 200000 5000",
    timeout=60,
)
check("detached" in r.stderr, "a program is too dear", r.stderr[:300])
if has_pages:
    head, rows = page(timeline("--html", path("d.dwell")).stdout)
    mine = [items for row, items in rows if row["label"] == "dwell"]
    check(
        mine and "maxcpu: detached syscall" in mine[0][-1][3] and mine[0][-1][1] >= head["length"] * 0.99,
        "what dwell stopped is a lane's, to the end",
        (mine, head["length"]),
    )

# -- killed --
p = subprocess.Popen(
    [DWELL, "timeline", "--record", path("k.dwell"), "--text", "-p", str(os.getpid())],
    stdout=subprocess.DEVNULL,
    stderr=subprocess.DEVNULL,
)
for _ in range(400):
    time.sleep(0.05)
    try:
        n = (
            sqlite3.connect(f"file:{path('k.dwell')}?mode=ro", uri=True)
            .execute("SELECT count(*) FROM slow")
            .fetchone()[0]
        )
    except sqlite3.Error:
        n = 0
    if n > 20:
        break
p.send_signal(signal.SIGKILL)
p.wait()
r = timeline("--text", path("k.dwell"))
check(
    n > 20 and r.returncode == 0 and "THREAD" in r.stdout,
    "a recording that was killed can be drawn",
    (n, r.stdout, r.stderr),
)
done()
