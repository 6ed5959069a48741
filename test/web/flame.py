#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flame graphs in a browser: what is drawn where, zoom, search, keyboard, dark and light, narrow windows, and that large
ones stay usable. usage: flame.py DWELL. TAP; skipped without Chromium."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import CHROMIUM, Browser, distance  # noqa: E402
from single import READY, state  # noqa: E402
from tap import check, done, same, skip  # noqa: E402

STACKS = "main;read;vfs_read_[k] 30\nmain;libc.so.6`memcpy 50\nmain;work;libc.so.6`memcpy 10\nmain 10\n"


def draw(dwell, folder, name, text, *args):
    path = os.path.join(folder, name)
    subprocess.run([dwell, "flame", "-o", path, "--title", "Test", *args, "-"], input=text, text=True, check=True)
    return "file://" + path


def canvas(b):
    """Left, top, width and height of the picture."""
    return b.eval(
        "(() => { const r = document.querySelector('canvas').getBoundingClientRect(); "
        "return [r.x, r.y, r.width, r.height]; })()"
    )


def spot(b, share, row):
    """The point in the window at a share of the width, in a row from below."""
    x, y, w, h = canvas(b)
    return x + share * w, y + h - 18 * row - 9


def page(dwell, folder):
    url = draw(dwell, folder, "a.html", STACKS)
    with Browser() as b:
        b.open(url, READY)
        same(b.eval("document.title"), "Test", "the page has its title")
        same(state(b)["nodes"], 6, "all stacks are there")
        picture = b.screenshot()
        at = lambda share, row: picture.at(*map(round, spot(b, share, row)))
        check(
            at(0.3, 1) != at(0.75, 1) and at(0.995, 1) == at(0.5, 4),
            "functions have places, nothing is where none is",
            [at(0.3, 1), at(0.75, 1), at(0.995, 1), at(0.5, 4)],
        )
        b.mouse(*spot(b, 0.2, 1))
        b.settle()
        tip = b.eval("document.querySelector('.tip').innerText")
        check(
            tip.startswith("memcpy") and "50 samples, 50.00 %" in tip and "libc.so.6" in tip,
            "the pointer tells what is there",
            tip,
        )
        b.click(*spot(b, 0.6, 1))
        same(state(b)["zoomed"], "read", "a click shows a frame at full width")
        b.mouse(*spot(b, 0.05, 2))
        b.settle()
        check("vfs_read" in b.eval("document.querySelector('.tip').innerText"), "what stands on it is as wide")
        check("x=" in b.eval("location.hash"), "the address keeps it")
        b.eval("window.dwell.old = true; location.reload()")
        b.wait(READY + " && !window.dwell.old")
        same(state(b)["zoomed"], "read", "and brings it back")
        b.key("Escape")
        same(state(b)["zoomed"], None, "Escape shows everything")
        b.key("/")
        b.type("memc.y")
        check(state(b)["found"].startswith("60.00 %"), "search tells the share of all that was found", state(b))
        b.key("Escape")
        for key, name in [("ArrowUp", "main"), ("ArrowUp", "memcpy"), ("ArrowRight", "read"), ("ArrowDown", "main")]:
            b.key(key)
            same(state(b)["selected"], name, f"{key}: {name}")
        b.key("ArrowUp")
        b.key("3")
        same(state(b)["mode"], "sandwich", "callers and callees of the selected function")
        b.key("2")
        same(state(b)["mode"], "leaves", "stacks from their leaves")
        b.key("4")
        rows = b.eval("[...document.querySelectorAll('tbody tr')].map((r) => r.innerText.replace(/\\t/g, '|'))")
        check(
            rows[0].startswith("memcpy|libc.so.6|60 samples|60.00 %|60 samples") and len(rows) == 5,
            "the table has the same as text",
            rows,
        )
        same(b.errors, [], "no errors, nothing is loaded from elsewhere")
    return url


def looks(dwell, folder, url):
    grids = {}
    for dark in (False, True):
        for width in (1280, 400):
            with Browser(width, 700, dark) as b:
                b.open(url, READY)
                grids[dark, width] = b.screenshot().thumbnail(20, 10)
                over = b.eval("document.documentElement.scrollWidth > innerWidth")
                check(not over, f"{width} px, {'dark' if dark else 'light'}: nothing is wider than the window")
    check(
        distance(grids[False, 1280], grids[True, 1280]) > 60,
        "dark is dark",
        distance(grids[False, 1280], grids[True, 1280]),
    )
    with Browser(1280, 700) as b:
        again = draw(dwell, folder, "again.html", STACKS)
        b.open(again, READY)
        check(
            distance(b.screenshot().thumbnail(20, 10), grids[False, 1280]) < 1, "the same stacks give the same picture"
        )
        b.key("d")
        check(distance(b.screenshot().thumbnail(20, 10), grids[True, 1280]) < 3, "d: dark by hand")
        other = draw(dwell, folder, "other.html", STACKS.replace("50", "5").replace("read", "write"))
        b.open(other, READY)
        check(distance(b.screenshot().thumbnail(20, 10), grids[False, 1280]) > 1, "others give another one")


def narrow(dwell, folder):
    """Wide frames behind ones of less than a pixel, in the same pixel."""
    url = draw(dwell, folder, "narrow.html", "a;" + ";".join("bcdef") + " 1\n" + "b;" + ";".join("ghijk") + " 100000\n")
    with Browser() as b:
        b.open(url, READY)
        picture = b.screenshot()
        ground = picture.at(*map(round, spot(b, 0.5, 12)))
        check(
            all(picture.at(*map(round, spot(b, 0.5, row))) != ground for row in range(6)),
            "wide frames behind narrow ones are drawn",
        )


def differential(dwell, folder):
    url = draw(dwell, folder, "diff.html", "a;gone 50 0\na;new 0 500\na;same 50 500\n")
    with Browser() as b:
        b.open(url, READY)
        picture = b.screenshot()
        red, _, blue = picture.at(*map(round, spot(b, 0.4, 1)))
        check(red > blue + 40, "what is new is red", (red, blue))
        red, _, blue = picture.at(*map(round, spot(b, 0.1, 1)))
        check(blue > red + 40, "what vanished is there, and blue", (red, blue))
        b.mouse(*spot(b, 0.1, 1))
        b.settle()
        check(
            "after: 0 samples, 0.00 % (−50.00 %)" in b.eval("document.querySelector('.tip').innerText"),
            "both sides are told",
            b.eval("document.querySelector('.tip').innerText"),
        )


def svg(dwell, folder):
    url = draw(dwell, folder, "a.svg", STACKS)
    with Browser() as b:
        b.open(url)
        texts = "[...document.querySelectorAll('#f text')].map((t) => t.textContent).filter((t) => t)"
        same(sorted(b.eval(texts)), ["main", "memcpy", "memcpy", "read", "vfs_read", "work"], "SVG: frames have labels")
        shown = "[...document.querySelectorAll('#f g')].filter((g) => g.style.display !== 'none').map((g) => g.querySelector('title').textContent.split('\\n')[0])"
        b.eval(
            "[...document.querySelectorAll('#f g')].find((g) => g.textContent.startsWith('read')).dispatchEvent(new MouseEvent('click'))"
        )
        same(sorted(b.eval(shown)), ["main", "read", "vfs_read"], "SVG: a click shows a frame and what it stands on")
        same(
            b.eval("document.querySelectorAll('#f g rect')[0].getAttribute('width')"), "100.0000%", "SVG: at full width"
        )
        b.key("Escape")
        same(len(b.eval(shown)), 6, "SVG: Escape shows everything")
        b.open(url + "?s=memcpy")
        check("60.00 %" in b.eval("document.documentElement.textContent"), "SVG: search by the address, with its share")
        b.key("ArrowUp")
        check("main" in b.eval("document.getElementById('d').textContent"), "SVG: the keyboard tells what is selected")
        same(b.errors, [], "SVG: no errors")
    with Browser(400, 500, True) as b:
        b.open(url)
        check(b.screenshot().at(2, 2) == (0x14, 0x16, 0x1A), "SVG: dark", b.screenshot().at(2, 2))
        check(not b.eval("document.documentElement.clientWidth > innerWidth"), "SVG: as wide as the window")


def large(dwell, folder):
    """200,000 stacks. Times are told; only what no machine takes that long for is an error."""
    lines = []
    for i in range(200000):
        lines.append(
            f"p;{';'.join(f'f{(i >> s) & 1023}_{s}' for s in (16, 12, 9, 6, 3))};leaf{i % 5000}_{i // 5000} {1 + i % 7}\n"
        )
    url = draw(dwell, folder, "large.html", "".join(lines))
    with Browser() as b:
        b.open(url, READY)
        check(state(b)["nodes"] > 200000, "200,000 stacks are drawn", state(b))
        drawn = []
        for share in (0.5, 0.3, 0.7):
            b.click(*spot(b, share, 3))
            drawn.append(state(b)["drawn"])
            b.key("Escape")
            drawn.append(state(b)["drawn"])
        loaded = b.eval("window.dwell.loaded")
        print(f"# 200,000 stacks: loaded in {loaded:.0f} ms, drawn in {sorted(drawn)[len(drawn) // 2]:.1f} ms")
        check(max(drawn) < 5000 and loaded < 60000, "and zoomed")
        same(b.errors, [], "no errors")


def main():
    dwell = os.path.abspath(sys.argv[1])
    if not CHROMIUM:
        skip("needs chromium")
    with tempfile.TemporaryDirectory(prefix="dwell-flame-") as folder:
        if subprocess.run([dwell, "flame", "--html", "-"], input="a 1\n", text=True, capture_output=True).returncode:
            skip("built without pages")
        url = page(dwell, folder)
        looks(dwell, folder, url)
        narrow(dwell, folder)
        differential(dwell, folder)
        svg(dwell, folder)
        large(dwell, folder)
    done()


if __name__ == "__main__":
    main()
