#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Heat maps in a browser: cells where they belong, keys highlighted, isolated and excluded, zoom, table, dark and light, narrow
windows. usage: heat.py DWELL. TAP; skipped without Chromium, or where no recording can be made."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import CHROMIUM, Browser  # noqa: E402
from single import READY, narrow, state  # noqa: E402
from tap import check, done, same, skip  # noqa: E402

PROGRAM = """
syscall:::entry /progenyof($target)/ { self->t = timestamp; }
syscall:::return /self->t/ { @lat_ns[probefunc] = hist(timestamp - self->t); self->t = 0; }
"""


def press(b, text):
    b.eval(f"[...document.querySelectorAll('button')].find((e) => e.textContent.startsWith('{text}')).click()")
    b.settle()


def hottest(b):
    """The middle of the cell with most events, in the window; its count."""
    return b.eval(
        """(() => { const p = window.dwell.page, v = p.view, h = p.head, r = v.canvas.getBoundingClientRect();
        let best = [0, 0, 0]; for (let c = 0; c < h.columns; c++) for (let w = 0; w < h.rows; w++) {
            const n = v.cells.count({ column: c, row: w }); if (n > best[2]) best = [c, w, n]; }
        return [r.x + v.frame.x(best[0] + 0.5), r.y + 8 + v.frame.height * (1 - (best[1] + 0.5) / h.rows), best[2]]; })()"""
    )


def page(url):
    with Browser() as b:
        b.open(url, READY)
        s = state(b)
        check(s["total"] > 100 and len(s["keys"]) > 3, "the page has events and keys", s)
        # The median's line may go through the middle of the fullest cell, and would hide its colours.
        b.eval("window.dwell.page.view.lines = false; window.dwell.page.view.redraw()")
        b.settle()
        x, y, most = hottest(b)
        hot, ground = b.screenshot().at(round(x), round(y)), b.screenshot().at(2, 2)
        check(hot != ground, "the fullest cell has a colour", (hot, ground))
        b.mouse(x, y)
        b.settle()
        tip = b.eval("document.querySelector('.tip').innerText")
        check(f"{most:,} event" in tip and " to " in tip and "UTC" in tip, "the pointer tells what is there", tip)
        b.click(x, y)
        details = b.eval("document.querySelector('.beside').innerText")
        check(s["keys"][0] in details and state(b)["picked"] is not None, "a click keeps it, with its keys", details)
        for scale in ("linear", "log", "rank"):
            press(b, scale)
            same(state(b)["scale"], scale, f"colours: {scale}")
        total = b.eval("window.dwell.page.view.cells.counts.reduce((a, b) => a + b, 0)")
        hot = b.screenshot().at(round(x), round(y))
        b.eval("document.querySelector('.keys button').click()")
        b.settle()
        hued = b.screenshot().at(round(x), round(y))
        check(hued != hot, "a highlighted key has a colour of its own", (hued, hot))
        press(b, "isolate")
        alone = b.eval("window.dwell.page.view.cells.counts.reduce((a, b) => a + b, 0)")
        press(b, "exclude")
        rest = b.eval("window.dwell.page.view.cells.counts.reduce((a, b) => a + b, 0)")
        check(0 < alone < total and alone + rest == total, "isolated and excluded add up to all", (alone, rest, total))
        b.key("Escape")
        same(state(b)["selected"], [], "Escape shows everything")
        if s["columns"] > 1:
            left, width = b.eval(
                "(() => { const v = window.dwell.page.view, r = v.canvas.getBoundingClientRect(); return [r.x + 76, v.frame.width]; })()"
            )
            b.mouse(left + 2, y)
            b.mouse(left + 2, y, "mousePressed", button="left", clickCount=1)
            b.mouse(left + width / s["columns"] / 2 + 8, y, "mouseMoved", button="left", buttons=1)
            b.mouse(left + width / s["columns"] / 2 + 8, y, "mouseReleased", button="left", clickCount=1)
            b.settle()
            same(state(b)["range"], [0, 1], "dragging shows a stretch of time")
            b.key("Escape")
        b.key("t")
        rows = b.eval("document.querySelectorAll('tbody tr').length")
        check(1 <= rows <= s["columns"], "the table has columns as text", rows)
        same(b.errors, [], "no errors, nothing is loaded from elsewhere")
    narrow(url)


def large(url):
    """A million cells, recoloured: what it takes is told; only what no machine takes is an error."""
    with Browser() as b:
        b.open(url, READY)
        times = b.eval(
            """(async () => {
            const h = window.dwell.page.head, v = window.dwell.page.view, n = 1000;
            h.columns = h.rows = n; h.edges = Array.from({ length: n + 1 }, (_, i) => i); h.lost = []; h.p50 = []; h.p99 = [];
            const index = Uint32Array.from({ length: n * n }, (_, i) => i), all = [];
            const plane = (key, index, of) => { const count = Float64Array.from(index, of); return { key, total: count.reduce((a, b) => a + b), index, count }; };
            v.cells.planes.splice(0, v.cells.planes.length, plane("a", index, (i) => 1 + (i * 7919) % 1000));
            v.zoom(0, n);
            v.cells.load(); v.paint();
            for (let i = 0; i < 7; i++) { v.cells.scale = i % 2 ? "rank" : "log"; v.paint(); all.push(v.drawn); await new Promise(requestAnimationFrame); }
            const some = index.filter((i) => i % 3 === 0), hued = [];
            v.cells.planes.push(plane("b", some, (i) => 1 + i % 50));
            v.cells.selected.add(1);
            v.cells.load(); v.paint();
            for (let i = 0; i < 7; i++) { v.cells.scale = i % 2 ? "rank" : "log"; v.paint(); hued.push(v.drawn); await new Promise(requestAnimationFrame); }
            v.cells.selecting = "isolate";
            const alone = [];
            for (let i = 0; i < 7; i++) {
                const began = performance.now();
                v.recount();
                alone.push(performance.now() - began);
                await new Promise(requestAnimationFrame);
            }
            const isolated = alone.sort((a, b) => a - b)[3], image = v.picture.getContext("2d").getImageData(0, 0, n, n).data;
            const at = (i) => [...image.slice(4 * ((n - 1 - i % n) * n + Math.floor(i / n)), 4 * ((n - 1 - i % n) * n + Math.floor(i / n)) + 4)];
            return { all: all.sort((a, b) => a - b), hued: hued.sort((a, b) => a - b), isolated, colours: [at(0), at(1), at(3)] }; })()"""
        )
        print(
            f"# 1,000,000 cells recoloured in {times['all'][3]:.0f} ms, with the hue of a key in {times['hued'][3]:.0f} ms, isolated in {times['isolated']:.0f} ms"
        )
        check(
            times["all"][-1] < 5000 and times["hued"][-1] < 5000 and not b.errors, "a million cells", (times, b.errors)
        )
        check(
            times["colours"][1] == [0, 0, 0, 0]
            and times["colours"][0][3] > 0
            and times["colours"][0][:3] != [128, 132, 140],
            "isolated: the others have gone, the key has its colour",
            times["colours"],
        )


def main():
    dwell = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="dwell-heat-") as folder:
        recording, out = os.path.join(folder, "r.dwell"), os.path.join(folder, "r.html")
        with open(os.path.join(folder, "load.sh"), "w") as f:
            f.write("for i in 1 2 3; do ls -lR /etc; sleep 0.5; done > /dev/null 2>&1\n")
        if (
            not CHROMIUM
            or os.geteuid()
            or subprocess.run(
                [dwell, "--record", recording, "-o", "/dev/null", "-qn", PROGRAM, "-c", f"sh {folder}/load.sh"],
                timeout=60,
            ).returncode
            or subprocess.run([dwell, "heat", "-o", out, recording]).returncode
        ):
            skip("needs chromium, root and pages")
        page("file://" + out)
        large("file://" + out)
    done()


if __name__ == "__main__":
    main()
