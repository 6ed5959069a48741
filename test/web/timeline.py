#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Timelines in a browser: intervals where they belong, what the pointer tells, zoom and pan by mouse, wheel and keys, search,
table, dark and light, narrow windows. usage: timeline.py DWELL. TAP; skipped without Chromium, or where no recording can be made."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import CHROMIUM, Browser  # noqa: E402
from single import READY, narrow, state  # noqa: E402
from tap import check, done, same, skip  # noqa: E402

LONGEST = """(() => { const p = window.dwell.page, v = p.view; let best = null;
    p.rows.forEach((r, row) => { for (let i = 0; i < r.n; i++) if (p.head.kinds[r.kind[i]].name === "time" && (!best || r.to[i] - r.from[i] > best.ns))
        best = { row, item: i, ns: r.to[i] - r.from[i] }; });
    const r = p.rows[best.row], b = v.canvas.getBoundingClientRect();
    return { ...best, x: b.x + v.x((r.from[best.item] + r.to[best.item]) / 2), y: b.y + v.rowY(best.row), label: r.label }; })()"""


def wheel(b, x, y, dx, dy, modifiers=0):
    b.mouse(x, y, "mouseWheel", deltaX=dx, deltaY=dy, modifiers=modifiers)
    b.settle()
    b.settle()


def drag(b, x0, y, x1, modifiers=0):
    b.mouse(x0, y)
    b.mouse(x0, y, "mousePressed", button="left", clickCount=1, modifiers=modifiers)
    b.mouse(x1, y, "mouseMoved", button="left", buttons=1, modifiers=modifiers)
    b.mouse(x1, y, "mouseReleased", button="left", clickCount=1, modifiers=modifiers)
    b.settle()


def page(url):
    with Browser() as b:
        b.open(url, READY)
        s, nap = state(b), b.eval(LONGEST)
        length = s["range"][1]
        check(
            "threads" in s["groups"] and any(r.startswith("sleep ") for r in s["rows"]), "threads have rows", s["rows"]
        )
        x, y = round(nap["x"]), round(nap["y"])
        picture = b.screenshot()
        check(picture.at(x, y) != picture.at(2, 2), "the sleep has a colour", picture.at(x, y))
        b.mouse(x, y)
        b.settle()
        tip = b.eval("document.querySelector('.tip').innerText")
        check(
            "sleeps for a time" in tip and "nanosleep" in tip and "ms" in tip,
            "the pointer tells what it is, and where it waits",
            tip,
        )
        b.click(x, y)
        same(state(b)["picked"], {"row": nap["row"], "item": nap["item"]}, "a click chooses it")
        side = b.eval("document.querySelector('.beside').innerText")
        check("do_nanosleep" in side and "%" in side and nap["label"] in side, "details and sums of the row", side)
        wheel(b, x, y, 0, -100, modifiers=2)
        r = state(b)["range"]
        check(0.7 * length < r[1] - r[0] < 0.9 * length, "Ctrl and wheel zoom", r)
        b.eval("window.dwell.page.view.zoom(%d, %d)" % (length * 0.25, length * 0.75))
        wheel(b, x, y, 100, 0)
        r = state(b)["range"]
        check(r[0] > length * 0.26 and abs(r[1] - r[0] - length / 2) < 2, "the wheel sideways moves along", r)
        drag(b, 500, y, 400)
        check(state(b)["range"][0] > r[0], "dragging moves along", state(b)["range"])
        b.key("Escape")
        same(state(b)["range"], [0, length], "Escape shows everything")
        top = b.eval("document.querySelector('canvas').getBoundingClientRect().y") + 10
        drag(b, 400, top, 600)
        r = state(b)["range"]
        check(0 < r[0] and r[1] < length, "dragging over the axis zooms to a stretch", r)
        for key, moved in (
            ("+", lambda q: q[1] - q[0] < r[1] - r[0]),
            ("-", lambda q: q[1] - q[0] > (r[1] - r[0]) * 0.9),
            ("ArrowRight", lambda q: q[0] > r[0]),
        ):
            b.key(key)
            check(moved(state(b)["range"]), f"key {key}", state(b)["range"])
        b.key("Escape")
        b.key("ArrowDown")
        first = state(b)["picked"]
        b.key("n")
        check(
            first["item"] == -1 and state(b)["picked"] == {"row": first["row"], "item": 0},
            "rows and intervals by keys",
            state(b)["picked"],
        )
        b.key("/")
        b.type("nanosleep")
        s = state(b)
        check(
            0 < len(s["visible"]) < len(s["rows"]) and nap["row"] in s["visible"] and "intervals" in s["found"],
            "searching finds functions",
            s["found"],
        )
        b.key("Escape")
        same(len(state(b)["visible"]), len(s["rows"]), "and Escape ends it")
        b.key("t")
        cells = b.eval("[...document.querySelectorAll('tbody tr')].map((r) => r.innerText)")
        check(
            len(cells) == len(s["rows"]) and any(c.startswith(nap["label"]) for c in cells),
            "the table has every row",
            cells[:5],
        )
        b.key("t")
        b.key("?")
        check(b.eval("document.querySelector('dialog').open"), "help")
        b.key("Escape")
        same(b.errors, [], "no errors, nothing is loaded from elsewhere")
    narrow(url)


def processes(url):
    with Browser() as b:
        b.open(url, READY)
        s = state(b)
        sleep = next(i for i, r in enumerate(s["rows"]) if r.startswith("sleep"))
        check(
            b.eval(f"window.dwell.page.rows[{sleep}].depth > 0") and set(s["groups"]) == {"processes"},
            "a tree of processes",
            s["rows"],
        )
        b.eval(f"window.dwell.page.view.pick({{ row: {sleep}, item: 0 }})")
        side = b.eval("document.querySelector('.beside').innerText")
        check("process" in side and "lived" in side, "what a process was", side)
        same(b.errors, [], "no errors")


def main():
    dwell = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="dwell-timeline-") as folder:
        recording, out, tree = (os.path.join(folder, n) for n in ("r.dwell", "r.html", "p.html"))
        with open(os.path.join(folder, "load.sh"), "w") as f:
            f.write("ls -lR /etc\nsleep 0.2\nls / | cat\nsleep 0.1\n")
        if (
            not CHROMIUM
            or os.geteuid()
            or subprocess.run(
                [dwell, "timeline", "--record", recording, "-o", out, "-c", f"sh {folder}/load.sh"],
                timeout=60,
                stdout=subprocess.DEVNULL,
            ).returncode
            or subprocess.run([dwell, "timeline", "--processes", "-o", tree, recording]).returncode
        ):
            skip("needs chromium, root and pages")
        page("file://" + out)
        processes("file://" + tree)
    done()


if __name__ == "__main__":
    main()
