#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Distributions in a browser: curves, what the pointer tells, show and hide, keys, dark and light, narrow windows. usage: hist.py
DWELL. TAP; skipped without Chromium, or where no recording can be made."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import CHROMIUM, Browser  # noqa: E402
from single import READY, narrow, state  # noqa: E402
from tap import check, done, same, skip  # noqa: E402

PROGRAM = 'BEGIN { for (i = 1; i <= 1000; i++) { @v_us["one"] = hist(i); @v_us["three"] = hist(3 * i); } exit(0); }'


def page(url):
    with Browser() as b:
        b.open(url, READY)
        s = state(b)
        same([v["name"] for v in s["series"]], ["one", "three"], "two distributions")
        x, y = b.eval(
            "(() => { const r = document.querySelector('canvas').getBoundingClientRect(), p = window.dwell.page; return [r.x + p.x(p.state().rows - 3.5), r.y + 60]; })()"
        )
        b.mouse(x, y)
        b.settle()
        tip = b.eval("document.querySelector('.tip').innerText")
        check("three:" in tip and "%" in tip and "ms" in tip, "the pointer tells the shares", tip)
        table = b.eval("document.querySelector('table').innerText")
        check("±" in table and "×" in table and "fewer" in table, "percentiles, their errors, what differs", table)
        before = b.screenshot().thumbnail(40, 20)
        b.eval("document.querySelectorAll('td button')[1].click()")
        b.settle()
        check(state(b)["off"] == [1] and b.screenshot().thumbnail(40, 20) != before, "a name hides its curve")
        b.key("s")
        same(state(b)["shows"], "sum", "s: what is not larger")
        b.key("ArrowRight")
        check(state(b)["row"] >= 0, "rows by keys")
        same(b.errors, [], "no errors, nothing is loaded from elsewhere")
    narrow(url)


def main():
    dwell = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="dwell-hist-") as folder:
        out = os.path.join(folder, "r.html")
        if (
            not CHROMIUM
            or os.geteuid()
            or subprocess.run([dwell, "hist", "-n", PROGRAM, "--keys", "2", "-o", out], timeout=60).returncode
        ):
            skip("needs chromium, root and pages")
        page("file://" + out)
    done()


if __name__ == "__main__":
    main()
