#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How soon the page of `dwell serve` is usable after the server was started, and the server's memory: at rest, after it was asked for types, and
with 50 viewers of the live view. usage: page.py --dwell BIN [--times N]. Needs root; the page's times need Chromium, which runs already."""
import argparse
import http.client
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "web"))
from browser import CHROMIUM, Browser  # noqa: E402

VIEWERS, WATCHED_S = 50, 15
# Connected, and all controls of the live view are there.
USABLE = "document.querySelector('.connection')?.textContent === 'connected' && document.querySelectorAll('.trackers canvas').length > 5"


class Server:
    def __init__(self, dwell):
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [dwell, "serve"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True
        )
        self.url = self.process.stdout.readline().strip()
        self.port, self.token = re.search(r":(\d+)/\?token=(\w+)", self.url).groups()

    def open(self, path, method="GET", body=None):
        c = http.client.HTTPConnection("127.0.0.1", int(self.port), timeout=60)
        c.request(method, path, body, {"Authorization": "Bearer " + self.token, "Content-Type": "application/json"})
        return c.getresponse()

    def ask(self, path, method="GET", body=None):
        with self.open(path, method, body) as r:
            return r.read()

    def memory(self):
        return json.loads(self.ask("/api/v1/status"))["memory_kib"] / 1024

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


def answers(dwell):
    """From the start of the process to the last byte of the page and its state."""
    s = Server(dwell)
    for path in ("/", "/app.js", "/app.css", "/api/v1/status"):
        s.ask(path)
    took = time.monotonic() - s.began
    s.stop()
    return took


def usable(dwell, b):
    s = Server(dwell)
    b.call("Page.navigate", url=s.url)
    while True:
        try:
            if b.eval(USABLE):
                break
        except RuntimeError:
            pass  # between two pages
        time.sleep(0.005)
    took = time.monotonic() - s.began
    s.stop()
    b.open("about:blank")
    return took


def empty(b):
    """What the browser itself takes for a document with nothing in it."""
    began = time.monotonic()
    b.call("Page.navigate", url="data:text/html,<title>nothing</title>")
    while b.eval("document.title + document.readyState") != "nothingcomplete":
        time.sleep(0.005)
    took = time.monotonic() - began
    b.open("about:blank")
    return took


def shown(what, all_times):
    print(
        f"{what}: median {statistics.median(all_times):.3f} s, {min(all_times):.3f} to {max(all_times):.3f} s of {len(all_times)}"
    )


def memory(dwell):
    s = Server(dwell)
    rest = s.memory()
    began = time.monotonic()
    s.ask("/api/v1/types?match=task")
    first = time.monotonic() - began
    began = time.monotonic()
    s.ask("/api/v1/types?match=")
    print(
        f"types by how they begin: {1000 * first:.1f} ms the first time, {1000 * (time.monotonic() - began):.1f} ms for all of them"
    )
    typed = s.memory()
    run = json.loads(s.ask("/api/v1/overview", "POST", "{}"))["run"]
    viewers = [s.open(f"/api/v1/events?runs={run}") for _ in range(VIEWERS)]
    time.sleep(WATCHED_S)
    print(
        f"server: {rest:.1f} MiB at rest, {typed:.1f} MiB with the names of all types, {s.memory():.1f} MiB with {VIEWERS} viewers of the live view who do not read"
    )
    for v in viewers:
        v.close()
    s.stop()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--dwell", required=True)
    ap.add_argument("--times", type=int, default=7)
    a = ap.parse_args()
    if os.geteuid() != 0:
        sys.exit("page.py needs root")
    shown("all of the page answered", [answers(a.dwell) for _ in range(a.times)])
    if CHROMIUM:
        with Browser() as b:
            shown("an empty page in the browser", [empty(b) for _ in range(a.times)])
            shown("page usable in the browser", [usable(a.dwell, b) for _ in range(a.times)])
    memory(a.dwell)


if __name__ == "__main__":
    main()
