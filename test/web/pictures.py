#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Timeline, processes and distributions within the page of dwell serve: of a recording and of the live view, by navigation, by a range and by
address; keys, wheel, what the pointer tells, what is said when there is nothing. usage: pictures.py DWELL. TAP; skipped without Chromium or root."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser  # noqa: E402
from ranges import SHOWN, record  # noqa: E402
from server import LOAD, Server, button, drag, need_browser_and_root, page, running, text_of  # noqa: E402
from tap import check, done, same  # noqa: E402

PANEL = "window.dwell.recording.pictures.timeline.panel"
DRAWN = f"window.dwell !== undefined && {PANEL}.head !== null && document.querySelector('.pictures:not([hidden]) .message').hidden"
SERIES = "window.dwell !== undefined && document.querySelectorAll('.series tbody tr').length > 0 && document.querySelector('.pictures:not([hidden]) .message').hidden"
SLEEP = f"""(() => {{ const p = {PANEL}, v = p.view; let best = null;
    p.rows.forEach((r, row) => {{ for (let i = 0; i < r.n; i++) if (p.head.kinds[r.kind[i]].name === "time" && (!best || r.to[i] - r.from[i] > best.ns))
        best = {{ row, item: i, ns: r.to[i] - r.from[i] }}; }});
    const r = p.rows[best.row], b = v.canvas.getBoundingClientRect();
    return {{ ...best, x: b.x + v.x((r.from[best.item] + r.to[best.item]) / 2), y: b.y + v.rowY(best.row), ended: Math.round(p.head.origin + r.to[best.item]) }}; }})()"""


def tab(b, text):
    b.eval(
        f"[...document.querySelectorAll('.recording-body .tabs a')].find((a) => a.textContent === {json.dumps(text)}).click()"
    )


def state(b):
    return b.eval(PANEL + ".state()")


def timeline(b, base):
    b.open(
        base + "#recording/r2",
        "window.dwell !== undefined && document.querySelector('.recording-body .tabs') !== null && !document.querySelector('.recording-body').hidden",
    )
    tab(b, "Timeline")
    b.wait(DRAWN)
    s = state(b)
    length = s["range"][1]
    check(
        "threads" in s["groups"] and any(r.startswith("sleep ") for r in s["rows"]),
        "a recording has a timeline",
        s["rows"],
    )
    same(b.eval("location.hash"), "#recording/r2/timeline", "with an address")
    nap = b.eval(SLEEP)
    b.mouse(nap["x"], nap["y"])
    b.settle()
    tip = text_of(b, ".pictures:not([hidden]) .tip")
    check(
        "sleeps for a time" in tip
        and f"table slow, tracker state, ended {nap['ended']}" in tip
        and "recording r2" in tip
        and "threads" in tip,
        "the pointer tells the program, the recording and the row",
        tip,
    )
    b.mouse(nap["x"], nap["y"], "mouseWheel", deltaX=0, deltaY=-100, modifiers=2)
    b.settle()
    r = state(b)["range"]
    check(0.7 * length < r[1] - r[0] < 0.9 * length, "the wheel with Ctrl zooms", r)
    b.key("+")
    q = state(b)["range"]
    check(q[1] - q[0] < r[1] - r[0], "and so does +", q)
    b.key("ArrowRight")
    r = state(b)["range"]
    check(r[0] > q[0] and abs(r[1] - r[0] - q[1] + q[0]) < 2, "an arrow moves along", r)
    b.wait("location.hash.includes('see=')")
    link = b.eval("location.href")
    b.open(link, DRAWN)
    again = state(b)["range"]
    check(all(abs(x - y) < 5000 for x, y in zip(again, r)), "its address brings back what was seen", (again, r))
    b.key("Escape")
    same(state(b)["range"], [0, length], "Escape shows everything")
    before = b.eval("JSON.stringify(document.querySelector('.room').getBoundingClientRect())")
    b.eval(PANEL + f".view.zoom({length * 0.4}, {length * 0.9})")
    button(b, "Only what is seen")
    b.wait(f"{DRAWN} && {PANEL}.head.length < {length * 0.6}")
    check(
        "at=" in b.eval("location.hash") and "Everything" in text_of(b, ".pictures:not([hidden]) .bar"),
        "a stretch alone",
        b.eval("location.hash"),
    )
    same(b.eval("JSON.stringify(document.querySelector('.room').getBoundingClientRect())"), before, "nothing has moved")
    tab(b, "Processes")
    b.wait(f"{DRAWN} && {PANEL}.head.processes")
    s = state(b)
    check(set(s["groups"]) == {"processes"} and any(r.startswith("sleep") for r in s["rows"]), "processes", s["rows"])
    tab(b, "Distributions")
    b.wait(
        "!document.querySelector('.pictures:not([hidden]) .message').hidden && !document.querySelector('.pictures:not([hidden]) .message').innerText.includes('Reading')"
        " || document.querySelectorAll('.series tbody tr').length > 0"
    )
    check(True, "and distributions, or that there are none")
    tab(b, "Processes")
    b.wait(f"location.hash.startsWith('#recording/r2/processes') && {DRAWN}")
    check(True, "the way back")


def hist(b, base):
    b.open(base + "#recording/r1/hist?by=@naps_ns", SERIES)
    same(b.eval("document.querySelectorAll('.series tbody tr').length"), 1, "all of a distribution")
    button(b, "by key")
    b.wait(SERIES + " && document.querySelectorAll('.series tbody tr').length > 1")
    names = text_of(b, ".series td button").split("\n")
    colour = f"getComputedStyle([...document.querySelectorAll('.series td button')].find((e) => e.textContent === {json.dumps(names[1])}).firstElementChild).backgroundColor"
    mine = b.eval(colour)
    check(len(set(names)) == len(names) and any(n.startswith("reads of ") for n in names), "the same by key", names)
    b.open(b.eval("location.href"), SERIES + " && document.querySelectorAll('.series tbody tr').length > 1")
    same(b.eval(colour), mine, "its address brings it back, a key has the same colour")
    b.open(base + "#recording/r1?by=nap", SHOWN)
    drag(b, ".map canvas", 0, 0.3, 0.02, 0.55, 0.98)
    b.wait("document.querySelector('.detail-pane .keys-table tbody tr') !== null")
    link = b.eval("location.href")
    b.eval("[...document.querySelectorAll('.detail-pane a.button')].find((a) => a.textContent === 'Timeline').click()")
    b.wait(f"{DRAWN} && {PANEL}.head.length > 0")
    s = state(b)
    check(
        s["groups"]
        and set(s["groups"]) <= {"losses", "requests"}
        and "only slow waits" in text_of(b, ".pictures:not([hidden])"),
        "the timeline of a range; that it has no states is said",
        s,
    )
    b.open(link, SHOWN + " && window.dwell.recording.range.shown.range !== null")
    button(b, "another range")
    drag(b, ".map canvas", 0, 0.6, 0.02, 0.9, 0.98)
    b.wait("document.querySelector('.detail-pane .changes tbody tr') !== null")
    b.eval(
        "[...document.querySelectorAll('.detail-pane a.button')].find((a) => a.textContent === 'Distributions').click()"
    )
    b.wait(SERIES + " && document.querySelectorAll('.series tbody tr').length === 2")
    counts = b.eval(
        "[...document.querySelectorAll('.series tbody tr')].map((r) => Number(r.cells[1].innerText.replaceAll(',', '')))"
    )
    check(
        all(counts) and "UTC" in text_of(b, ".series") and "×" in text_of(b, ".series"),
        "two ranges, one over the other",
        text_of(b, ".series"),
    )
    button(b, "and everything")
    b.wait(SERIES + " && document.querySelectorAll('.series tbody tr').length === 3")
    whole = b.eval("Number(document.querySelectorAll('.series tbody tr')[2].cells[1].innerText.replaceAll(',', ''))")
    check(max(counts) <= whole, "and all of the recording", (counts, whole))
    link = b.eval("location.hash")
    b.open(base + link.replace("by=nap", "by=%40naps_ns") + "&keys=1", SERIES)
    check(
        2 < b.eval("document.querySelectorAll('.series tbody tr').length") <= 8,
        "the same by key: no more than can be told apart",
    )
    b.open(base + link, SERIES + " && document.querySelectorAll('.series tbody tr').length === 3")
    b.eval("document.querySelector('.plot canvas').focus()")
    for _ in range(3):
        b.key("ArrowRight")
    b.key("s")
    check(
        "shows=sum" in b.eval("new Promise((r) => setTimeout(() => r(location.hash), 500))"),
        "s: what is not larger",
        b.eval("location.hash"),
    )
    x, y, w, h = b.eval(
        "(() => { const r = document.querySelector('.plot canvas').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()"
    )
    b.mouse(x + w / 2, y + h / 2)
    b.settle()
    tip = text_of(b, ".pictures:not([hidden]) .tip")
    check("table hist" in tip and "recording r1" in tip, "the pointer tells where it is from", tip)


def beside(b, base):
    """Distributions of two recordings."""
    b.open(base + "#recording/r1/hist?by=nap", SERIES)
    b.eval(
        "(() => { const s = document.querySelector('.pictures:not([hidden]) select[aria-label^=Compare]'); s.value = 'r4'; s.dispatchEvent(new Event('change')); })()"
    )
    b.wait(SERIES + " && document.querySelectorAll('.series tbody tr').length === 2")
    names = text_of(b, ".series td button").split("\n")
    same(names, ["z.dwell", "a.dwell"], "two recordings, the other one first")
    check(
        "×" in text_of(b, ".series") and "other=r4" in b.eval("location.hash"),
        "compared, with an address",
        b.eval("location.hash"),
    )
    href = b.eval("[...document.querySelectorAll('.pictures:not([hidden]) .save a')].map((a) => a.href)[0]")
    check("z.dwell" in b.eval(f"fetch({json.dumps(href)}).then((r) => r.text())"), "and a picture that has their names")
    b.open(b.eval("location.href"), SERIES + " && document.querySelectorAll('.series tbody tr').length === 2")
    b.eval(
        "document.querySelector('.plot canvas').dispatchEvent(new MouseEvent('mousemove', { clientX: 700, clientY: 400, bubbles: true }))"
    )
    check(
        "recording r1 and of r4" in text_of(b, ".pictures:not([hidden]) .tip"),
        "its address brings it back; where it is from",
        text_of(b, ".pictures:not([hidden]) .tip"),
    )
    b.open(base + "#recording/r1/hist?by=@naps_ns&keys=1&other=r4", SERIES)
    n = b.eval("document.querySelectorAll('.series tbody tr').length")
    check(2 < n <= 8, "by key", n)
    b.open(
        base + "#recording/r1/hist?by=nap&other=r3",
        "window.dwell !== undefined && /No distribution: c.dwell: there are no distributions/.test(document.querySelector('.pictures:not([hidden]) .message')?.innerText ?? '')",
    )
    check(
        "Compare" in b.eval("document.querySelector('.pictures:not([hidden]) select[aria-label^=Compare]').ariaLabel"),
        "what the other does not have is said, and the way out is there",
    )


def missing(b, base):
    b.open(
        base + "#recording/r3/timeline",
        "window.dwell !== undefined && /No timeline/.test(document.querySelector('.pictures:not([hidden]) .message')?.innerText ?? '')",
    )
    text = text_of(b, ".pictures:not([hidden]) .message")
    check(
        "no slow events" in text and "dwell timeline --record" in text, "what is missing, and what would make it", text
    )
    b.open(
        base + "#recording/r3/hist",
        "window.dwell !== undefined && /no distributions/.test(document.querySelector('.pictures:not([hidden]) .message')?.innerText ?? '')",
    )
    check(True, "no distributions: it is said")
    b.open(
        base + "#recording/r2/timeline?at=4102444800000_4102444801000",
        "window.dwell !== undefined && /No timeline/.test(document.querySelector('.pictures:not([hidden]) .message')?.innerText ?? '')",
    )
    check("Everything" in text_of(b, ".pictures:not([hidden]) .bar"), "nothing in a stretch: the way out is there")
    b.open(base + "#recording/r2/timeline?at=1_2&see=x_y", DRAWN)
    check(True, "an address without sense shows all")


def live(b, base):
    b.open(
        base + "#overview",
        "window.dwell !== undefined && window.dwell.overview.source !== null && window.dwell.overview.model.slow.kept.length > 0",
    )
    b.eval("[...document.querySelectorAll('.overview .tabs a')].find((a) => a.textContent === 'Timeline').click()")
    b.wait(DRAWN)
    check(
        "Last minute" in text_of(b, ".pictures:not([hidden]) .bar") and state(b)["items"] > 0,
        "the live view has a timeline",
        state(b)["groups"][:5],
    )
    tab(b, "Distributions")
    b.wait(SERIES)
    check("wakeup" in text_of(b, ".pictures:not([hidden]) select"), "and distributions")


def narrow(server):
    with Browser(width=400, height=800, dark=True) as b:
        b.open(server.url, "window.dwell !== undefined")
        for view, ready in (("r2/timeline", DRAWN), ("r2/processes", DRAWN), ("r1/hist?by=@naps_ns&keys=1", SERIES)):
            b.open(server.base + "#recording/" + view, ready)
            check(b.eval("document.documentElement.scrollWidth <= innerWidth"), f"400 pixels are wide enough: {view}")
            if len(sys.argv) > 2:
                b.screenshot(os.path.join(sys.argv[2], view.split("?")[0].replace("/", "-") + "-400.png"))


def main():
    dwell = os.path.abspath(sys.argv[1])
    need_browser_and_root()
    with tempfile.TemporaryDirectory(prefix="dwell-pictures-") as folder:
        with open(os.path.join(folder, "load.sh"), "w", encoding="utf-8") as f:
            f.write("ls -lR /etc\nsleep 0.2\nls / | cat\nsleep 0.1\n")
        files = [os.path.join(folder, n) for n in ("a.dwell", "b.dwell", "c.dwell")]
        with running("sh", "-c", LOAD + " & exec python3 -c 'import time\nwhile 1: time.sleep(.002)'"):
            record(dwell, files[0], 9)
            for args in (
                ["timeline", "--record", files[1], "--text", "-c", f"sh {folder}/load.sh"],
                ["-q", "--record", files[2], "-n", "BEGIN { exit(0); }"],
            ):
                r = subprocess.run([dwell, *args], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
                same(r.returncode, 0, "a recording is made" + r.stderr[:300])
            shutil.copy(files[0], os.path.join(folder, "z.dwell"))
            with Server(dwell, *files, os.path.join(folder, "z.dwell")) as server:
                with page(server) as b:
                    for look in (timeline, hist, beside, missing, live):
                        look(b, server.base)
                narrow(server)
    done()


if __name__ == "__main__":
    main()
