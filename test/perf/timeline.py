#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`dwell timeline` with 1,000,000 intervals: time to build the page, its size, and how long Chromium takes for a frame while
zooming and panning. usage: timeline.py --dwell BIN [--intervals N]

A small recording is made and filled up: 40 threads that run, wait and wait for a CPU, so that each event is three intervals."""
import argparse
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "web"))
from browser import CHROMIUM, Browser  # noqa: E402

THREADS = 40


def fill(path, intervals):
    db = sqlite3.connect(path)
    begin = int(db.execute("SELECT value FROM meta WHERE key = 'begun_monotonic_ns'").fetchone()[0])
    tracker = db.execute("SELECT id FROM tracker WHERE name = 'state'").fetchone()[0]
    number = db.execute("SELECT max(id) FROM slow").fetchone()[0]
    stacks = [s for s, in db.execute("SELECT DISTINCT stack FROM slow_attr WHERE name = 'stack'")] or [None]
    r, now, slow, attrs = random.Random(1), [begin] * THREADS, [], []
    for i in range(intervals // 3):
        t = i % THREADS
        start = now[t] + r.randrange(2000, 400000)
        delay = r.randrange(3000, 300000)
        now[t], number = start + delay, number + 1
        slow.append(
            (
                number,
                number,
                tracker,
                start,
                delay,
                start + delay,
                "normal",
                0,
                1,
                4000 + t // 4,
                4000 + t,
                0,
                0,
                0,
                i % 2,
                f"worker{t // 4}",
                "",
                "",
                None,
            )
        )
        attrs += [
            (number, 0, "state", 1, None, None),
            (number, 1, "woken", start + delay // 2, None, None),
            (number, 2, "waker_tid", 4000, None, None),
            (number, 3, "waker_comm", None, "waker", None),
            (number, 4, "stack", None, None, r.choice(stacks)),
        ]
    db.executemany(f"INSERT INTO slow VALUES ({','.join('?' * 19)})", slow)
    db.executemany("INSERT INTO slow_attr VALUES (?, ?, ?, ?, ?, ?)", attrs)
    db.execute("UPDATE row SET ts = ? WHERE kind = 5", (max(now),))
    db.commit()


FRAMES = """(async () => {
    const v = window.dwell.page.view, length = window.dwell.page.head.length, zoom = [], pan = [];
    for (let i = 0; i < 30; i++) { v.zoom(length * 0.02 * i / 2, length * (1 - 0.02 * i)); v.draw(); zoom.push(v.drawn); await new Promise(requestAnimationFrame); }
    for (let i = 0; i < 30; i++) { v.zoom(length * 0.015 * i, length * (0.5 + 0.015 * i)); v.draw(); pan.push(v.drawn); await new Promise(requestAnimationFrame); }
    const whole = []; for (let i = 0; i < 15; i++) { v.zoom(0, length); v.draw(); whole.push(v.drawn); await new Promise(requestAnimationFrame); }
    const median = (a) => a.sort((x, y) => x - y)[a.length >> 1];
    return [median(zoom), median(pan), median(whole)]; })()"""


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--dwell", required=True)
    ap.add_argument("--intervals", type=int, default=1000000)
    a = ap.parse_args()
    with tempfile.TemporaryDirectory(prefix="dwell-timeline-") as d:
        recording, page = os.path.join(d, "r.dwell"), os.path.join(d, "r.html")
        subprocess.run(
            [a.dwell, "timeline", "-c", "ls -lR /etc", "--record", recording, "--text", "-o", "/dev/null"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        fill(recording, a.intervals)
        began = time.monotonic()
        p = subprocess.Popen([a.dwell, "timeline", "-o", page, recording])
        _, status, usage = os.wait4(p.pid, 0)
        if status:
            sys.exit("dwell timeline failed")
        print(
            f"page of {a.intervals} intervals: {time.monotonic() - began:.2f} s, {usage.ru_maxrss / 1e3:.0f} MB, {os.path.getsize(page) / 1e6:.1f} MB of HTML"
        )
        began = time.monotonic()
        subprocess.run([a.dwell, "timeline", "-o", os.path.join(d, "r.svg"), recording], check=True)
        print(f"SVG: {time.monotonic() - began:.2f} s, {os.path.getsize(os.path.join(d, 'r.svg')) / 1e6:.2f} MB")
        if not CHROMIUM:
            return
        with Browser() as b:
            began = time.monotonic()
            b.open("file://" + page, "window.dwell !== undefined")
            print(f"opened in {time.monotonic() - began:.2f} s, {b.eval('window.dwell.state().items')} intervals")
            print(
                "frame, median: zooming {:.1f} ms, panning over half {:.1f} ms, all {:.1f} ms".format(*b.eval(FRAMES))
            )


if __name__ == "__main__":
    main()
