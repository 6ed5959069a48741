#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the page of dwell serve and the pictures of dwell look like, compared with test/web/reference/*.png: views of a stored recording,
with Debian's Chromium and one font. usage: references.py DWELL OUT [--refresh [NAME…]]; OUT: a folder for what differs; --refresh: stores what is
seen in place of the references: look at each. TAP; skipped without Chromium, the font or root."""
import glob
import lzma
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import CHROMIUM, Browser  # noqa: E402
from pictures import DRAWN, SERIES  # noqa: E402
from pixels import compare, small  # noqa: E402
from server import PAGE, Server, button, drag, write  # noqa: E402
from tap import check, done, skip  # noqa: E402

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference")
FONTS = "/usr/share/fonts/truetype/dejavu"
BYTES_MAX = 60000
RECORDED = "#recording/r1?by=offcpu&flame=off_cpu_ns"
SHOWN = (
    "window.dwell?.recording?.heat && !document.querySelector('.recording-body').hidden && document.querySelector('.recording-body > .recording-part > .flame-host canvas') !== null && "
    "document.querySelector('.recording-body .slow tbody tr') !== null"
)
# What is not the same on two machines, and what moves by itself.
STILL = """(() => { const s = new CSSStyleSheet(); s.replaceSync(`* { animation: none !important; transition: none !important; caret-color: transparent !important }
    .head > .muted, .connection { display: none } %s`); document.adoptedStyleSheets = [s]; })()"""
FONTCONFIG = f"""<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>{FONTS}</dir><cachedir>%s</cachedir>
<match target="pattern"><test name="family" compare="contains"><string>mono</string></test><edit name="family" mode="assign" binding="strong"><string>DejaVu Sans Mono</string></edit></match>
<match target="pattern"><test name="family" compare="not_eq" qual="all"><string>DejaVu Sans Mono</string></test><edit name="family" mode="assign" binding="strong"><string>DejaVu Sans</string></edit></match>
<match target="pattern"><edit name="hintstyle" mode="assign"><const>hintnone</const></edit><edit name="rgba" mode="assign"><const>none</const></edit></match></fontconfig>"""


class Looker:
    """Takes pictures, and compares or stores them."""

    def __init__(self, out, refresh, only):
        self.out, self.refresh, self.only = out, refresh, only
        self.judge = Browser(width=200, height=200)

    def look(self, b, name):
        b.eval(STILL % "")
        b.mouse(2, 2)
        b.settle()
        path = os.path.join(HERE, name + ".png")
        got = b.screenshot(os.path.join(self.out, name + ".png"))
        if self.refresh and (not self.only or name in self.only):
            data = small(got)
            with open(path, "wb") as f:
                f.write(data)
        with open(path, "rb") as f:
            reference = f.read()
        with open(os.path.join(self.out, name + ".png"), "rb") as f:
            differs = compare(self.judge, reference, f.read(), os.path.join(self.out, name + "-difference.png"))
        check(not differs, name, differs)
        check(len(reference) <= BYTES_MAX, f"{name}: {len(reference)} bytes", f"at most {BYTES_MAX}")


def to_top(b, selector):
    b.eval(f"document.querySelector({selector!r}).scrollIntoView({{ block: 'start' }})")
    b.settle()


def recording(look, base):
    for width, dark in ((1280, False), (1280, True), (400, False)):
        with Browser(width=width, height=900, dark=dark) as b:
            b.open(base + RECORDED, SHOWN)
            look(b, f"recording-{width}{'-dark' if dark else ''}")
            to_top(b, ".recording-body > .recording-part > .flame-host")
            if not dark:
                look(b, f"stacks-{width}")
            if width == 1280:
                drag(b, ".map canvas", 0, 0.52, 0.05, 0.72, 0.9)
                b.wait(
                    "document.querySelector('.recording-body .keys-table tbody tr') !== null && document.querySelector('.detail-pane .flame canvas') !== null && "
                    "document.querySelector('.detail-pane .slow-box tbody tr') !== null && window.dwell.recording.range.comparison.done"
                )
                to_top(b, ".recording-body .detail-pane")
                if dark:
                    button(b, "the time before")
                    b.wait(
                        "document.querySelectorAll('.detail-pane .slow-box .changes tbody tr').length > 1 && window.dwell.recording.range.comparison.done"
                    )
                    to_top(b, ".recording-body .detail-pane")
                look(b, "compared-dark" if dark else "range")


def tabs(look, base):
    """Views of the recording that fill the page."""
    for width, dark in ((1280, False), (1280, True), (400, False)):
        with Browser(width=width, height=900, dark=dark) as b:
            for name, view, ready in (
                ("timeline", "timeline", DRAWN),
                ("hist", "hist?by=@by_offcpu_ns&keys=1", SERIES),
            ):
                if dark and name == "timeline" or width == 400 and name == "hist":
                    continue
                b.open(base + "#recording/r1/" + view, ready)
                if width == 400:
                    to_top(b, ".tab")
                look(b, f"tab-{name}-{width}{'-dark' if dark else ''}")


def program(look, base):
    with Browser(width=1280, height=700) as b:
        b.open(base + "#program", PAGE)
        b.eval(
            "(() => { const e = document.querySelector('.side input[type=search]'); e.value = 'statsnoop'; e.dispatchEvent(new Event('input')); })()"
        )
        write(b, "syscall::read:entry\n/execname == \"dd\"/\n{\n\t@sizes[probefunc] = quantize(nosuch);\n}\n")
        b.wait("document.querySelector('.problems li') !== null && document.querySelector('.marks mark') !== null")
        look(b, "editor-mistake")
        b.eval("document.querySelector('.head button:last-child').click()")
        look(b, "help")
    with Browser(width=400, height=700, dark=True) as b:
        b.open(base + "#program", PAGE)
        b.eval(
            "(() => { const e = document.querySelector('.side input[type=search]'); e.value = 'statsnoop'; e.dispatchEvent(new Event('input')); })()"
        )
        look(b, "program-400-dark")


def pictures(look, dwell, folder, sample):
    made = {}
    for name, args in (
        ("flame", ["flame", "--by", "@on_cpu", "--title", "on the CPU"]),
        ("heat", ["heat", "--by", "@by_offcpu_ns", "--title", "sleeps"]),
        ("timeline", ["timeline", "--title", "threads"]),
        ("hist", ["hist", "--by", "@by_offcpu_ns", "--title", "sleeps"]),
    ):
        for kind in ("html", "svg"):
            made[f"{name}-{kind}"] = path = os.path.join(folder, f"{name}.{kind}")
            subprocess.run([dwell, *args, "-o", path, sample], check=True, capture_output=True)
    with Browser(width=1240, height=600) as b:
        for name, path in made.items():
            b.open("file://" + path)
            look(b, "picture-" + name)


def can_fail(looker, base):
    """A colour that is another, an axis that has moved: both are seen; another smoothing of edges is not."""
    with open(os.path.join(HERE, "recording-1280.png"), "rb") as f:
        reference = f.read()
    with Browser(width=1280, height=900) as b:
        for what, change, differs in (
            ("nothing", "", False),
            ("the accent's colour", "; document.documentElement.style.setProperty('--accent', '#b3261e')", True),
            (
                "the heat map, moved by 4 pixels",
                "; document.querySelector('.map canvas').style.transform = 'translateX(4px)'",
                True,
            ),
            ("a line of text", "; document.querySelector('.recording-body h2').textContent = 'another.dwell'", True),
            ("a shade that nobody sees", "; document.body.style.filter = 'brightness(0.985)'", False),
        ):
            b.open(base + RECORDED, SHOWN)
            b.eval(STILL % "" + change)
            b.mouse(2, 2)
            b.settle()
            path = os.path.join(looker.out, "changed.png")
            b.screenshot(path)
            with open(path, "rb") as f:
                found = compare(looker.judge, reference, f.read())
            check(bool(found) == differs, f"changed: {what}: {found or 'the same'}", found)


def main():
    dwell, out = map(os.path.abspath, sys.argv[1:3])
    refresh, only = "--refresh" in sys.argv, sys.argv[4:]
    if not CHROMIUM:
        skip("needs chromium")
    if not os.path.exists(os.path.join(FONTS, "DejaVuSansMono.ttf")):
        skip("needs fonts-dejavu-core")
    if os.geteuid() != 0:
        skip("needs root")
    os.makedirs(out, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        sample = os.path.join(folder, "sample.dwell")
        with lzma.open(os.path.join(HERE, "sample.dwell.xz")) as f, open(sample, "wb") as g:
            g.write(f.read())
        fonts = os.path.join(folder, "fonts.conf")
        with open(fonts, "w", encoding="utf-8") as f:
            f.write(FONTCONFIG % os.path.join(folder, "fonts"))
        os.environ.update(FONTCONFIG_FILE=fonts, TZ="UTC", LANG="en_US.UTF-8")
        looker = Looker(out, refresh, only)
        with Server(dwell, sample) as server, looker.judge as j:
            j.open("about:blank")
            program(looker.look, server.url)
            pictures(looker.look, dwell, folder, sample)
            recording(looker.look, server.url)
            tabs(looker.look, server.url)
            can_fail(looker, server.url)
    known = {os.path.basename(p) for p in glob.glob(HERE + "/*.png")}
    check(
        all(os.path.exists(os.path.join(out, n)) for n in known), "each reference is of a picture that is made", known
    )
    done()


if __name__ == "__main__":
    main()
