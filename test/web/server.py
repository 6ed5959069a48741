# SPDX-License-Identifier: Apache-2.0
"""dwell serve for tests of the page, and what they do with its elements."""
import json
import re
import signal
import subprocess

PAGE = "window.dwell !== undefined && document.querySelector('.gallery button') !== null"
# Something that computes, calls and reads, on every CPU.
LOAD = "while :; do dd if=/dev/zero of=/dev/null bs=4096 count=2000 2>/dev/null; done"


class Server:
    def __init__(self, dwell, *args, **kw):
        """kw: of subprocess.Popen()."""
        self.process = subprocess.Popen([dwell, "serve", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        stdin=subprocess.DEVNULL, **kw)
        self.url = self.process.stdout.readline().strip()
        self.port = re.search(r":(\d+)/", self.url).group(1)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(20)


def write(b, program):
    b.eval("(() => { const a = document.querySelector('textarea'); a.focus(); a.select(); })()")
    b.type(program)


def button(b, text):
    x, y = b.eval(f"(() => {{ const e = [...document.querySelectorAll('button')].find((e) => e.textContent === {json.dumps(text)} && e.offsetParent);"
                  "e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()")
    b.click(x, y)


def text_of(b, selector):
    return b.eval(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.innerText).join('\\n')")


def drag(b, selector, n, x0, y0, x1, y1):
    """In the n-th canvas of selector, from a point to another; parts of its width and height."""
    b.eval(f"document.querySelectorAll({json.dumps(selector)})[{n}].scrollIntoView({{block: 'center'}})")
    x, y, w, h = b.eval(f"(() => {{ const r = document.querySelectorAll({json.dumps(selector)})[{n}].getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; }})()")
    b.mouse(x + x0 * w, y + y0 * h)
    b.mouse(x + x0 * w, y + y0 * h, "mousePressed", button="left", clickCount=1)
    b.mouse(x + x1 * w, y + y1 * h, button="left")
    b.mouse(x + x1 * w, y + y1 * h, "mouseReleased", button="left", clickCount=1)
    b.settle()


def painted(b, selector):
    """How many pixels of a canvas are not empty."""
    return b.eval(f"(() => {{ const c = document.querySelector({json.dumps(selector)}); if (!c || !c.width || !c.height) return 0;"
                  "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; })()")
