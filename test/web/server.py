# SPDX-License-Identifier: Apache-2.0
"""dwell serve for tests of the page, a load for it, browsers that show it, and what tests do with its elements."""
import contextlib
import json
import os
import re
import signal
import subprocess
import urllib.error
import urllib.request

from browser import CHROMIUM, Browser
from tap import same, skip

PAGE = "window.dwell !== undefined && document.querySelector('.gallery button') !== null"
# Something that computes, calls and reads, on every CPU.
LOAD = "while :; do dd if=/dev/zero of=/dev/null bs=4096 count=2000 2>/dev/null; done"


def need_browser_and_root():
    if not CHROMIUM:
        skip("needs chromium")
    if os.geteuid() != 0:
        skip("needs root")


class Server:
    """with Server(dwell) as s: s.url is the address with its token, s.base without it."""

    def __init__(self, dwell, *args, **kw):
        """kw: of subprocess.Popen()."""
        self.process = subprocess.Popen(
            [dwell, "serve", *args],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            stdin=subprocess.DEVNULL,
            **kw,
        )
        self.url = self.process.stdout.readline().strip()
        self.base = self.url.split("?")[0]
        self.port = re.search(r":(\d+)/", self.url).group(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(20)

    def get(self, path):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", headers={"Authorization": "Bearer " + self.url.split("=")[1]}
        )
        with urllib.request.urlopen(request) as r:
            return r.read()


@contextlib.contextmanager
def running(*argv):
    """A load while the block runs; it ends with all that it has started."""
    load = subprocess.Popen(argv, start_new_session=True)
    try:
        yield
    finally:
        os.killpg(load.pid, 9)
        load.wait()


def need_page(server):
    """One that is there and does not work is no reason to skip."""
    try:
        server.get("/")
    except urllib.error.HTTPError as e:
        if e.code != 404:
            raise
        skip("built without the page")


@contextlib.contextmanager
def page(server, view="", ready="window.dwell !== undefined", **kw):
    """A browser that shows the page; skipped where there is none. When the block has ended, nothing has gone wrong in it. kw: of Browser()."""
    need_page(server)
    with Browser(**kw) as b:
        b.open(server.url + view, ready)
        yield b
        same(
            [e for e in b.errors if not e.startswith(f"asks for {server.base}")],
            [],
            "no errors, and nothing is asked of anybody else",
        )


def write(b, program):
    b.eval("(() => { const a = document.querySelector('textarea'); a.focus(); a.select(); })()")
    b.type(program)


def button(b, text):
    x, y = b.eval(
        f"(() => {{ const e = [...document.querySelectorAll('button')].find((e) => e.textContent === {json.dumps(text)} && e.offsetParent);"
        "e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
    )
    b.click(x, y)


def text_of(b, selector):
    return b.eval(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.innerText).join('\\n')")


def drag(b, selector, n, x0, y0, x1, y1):
    """In the n-th canvas of selector, from a point to another; parts of its width and height."""
    b.eval(f"document.querySelectorAll({json.dumps(selector)})[{n}].scrollIntoView({{block: 'center'}})")
    x, y, w, h = b.eval(
        f"(() => {{ const r = document.querySelectorAll({json.dumps(selector)})[{n}].getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; }})()"
    )
    b.mouse(x + x0 * w, y + y0 * h)
    b.mouse(x + x0 * w, y + y0 * h, "mousePressed", button="left", clickCount=1)
    b.mouse(x + x1 * w, y + y1 * h, button="left")
    b.mouse(x + x1 * w, y + y1 * h, "mouseReleased", button="left", clickCount=1)
    b.settle()


def painted(b, selector):
    """How many pixels of a canvas are not empty."""
    return b.eval(
        f"(() => {{ const c = document.querySelector({json.dumps(selector)}); if (!c || !c.width || !c.height) return 0;"
        "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; })()"
    )
