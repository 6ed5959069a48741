#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of dwell serve with nothing to show, or not all; each state is provoked. The server has no privileges, or goes and
comes again. A tracker needs something that the kernel lacks, or cannot run. There are no recordings, one without values, or
losses. The page must show the reason in the place of the missing part. It stays as wide as the window.
usage: states.py DWELL [FOLDER for screenshots]. TAP; skipped without Chromium or root."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser  # noqa: E402
from server import PAGE, Server, button, need_browser_and_root, need_page, running, text_of, write  # noqa: E402
from tap import check, done, same  # noqa: E402

NOBODY = 65534
READY = "window.dwell !== undefined"
# Far more slow events than a tracker reports in a second.
SLEEPERS = "import threading, time\ndef f():\n while 1: time.sleep(.02)\nfor i in range(400): threading.Thread(target=f, daemon=True).start()\ntime.sleep(100)"


# More system calls than anybody can take stacks of.
CALLERS = "import os\nfor _ in range(os.cpu_count() - 1): os.fork()\nwhile 1: os.getppid()"


class Place:
    """A dwell of its own, which others may start, and whose library may be changed."""

    def __init__(self, dwell, folder):
        os.chmod(folder, 0o755)
        self.dwell = os.path.join(folder, "dwell")
        shutil.copy(dwell, self.dwell)
        shutil.copytree(os.path.join(os.path.dirname(dwell), "dlib"), os.path.join(folder, "dlib"))
        self.trackers = os.path.join(folder, "dlib", "latency")


def shot(b, name):
    same(
        b.eval("document.documentElement.scrollWidth <= innerWidth"), True, f"{name}: {b.width} pixels are wide enough"
    )
    if len(sys.argv) > 2:
        b.screenshot(os.path.join(sys.argv[2], f"{name}-{b.width}{'-dark' if b.dark else ''}.png"))


def unprivileged(b, url):
    b.open(
        url + "#overview",
        f"{READY} && !document.querySelector('.banner').hidden && document.querySelector('.overview .note').innerText !== ''",
    )
    text = text_of(b, ".overview")
    check("not started as root" in text_of(b, ".banner"), "no privileges: why", text_of(b, ".banner"))
    check("a recording" in text and "sudo dwell serve" in text, "and what can be done", text)
    check(
        b.eval(
            "[...document.querySelectorAll('.overview table, .overview nav')].every((e) => e.offsetParent === null)"
        ),
        "empty tables are not shown",
    )
    shot(b, "unprivileged")
    b.open(url + "#program", PAGE)
    write(b, "BEGIN { exit(0); }")
    same(
        b.eval("[...document.querySelectorAll('.program button.primary')].map((e) => [e.disabled, e.title])"),
        [[True, "dwell serve was not started as root: it can show recordings, but not trace"]],
        "a program cannot be run: the button says why",
    )
    shot(b, "unprivileged-program")
    b.open(url + "#recording", PAGE)
    check("No recordings yet" in text_of(b, ".note"), "no recordings: how to make one", text_of(b, ".note"))
    shot(b, "no-recordings")


def missing(b, url):
    """One tracker without probes: the others work, and its row says why it is empty."""
    b.open(url + "#overview", f"{READY} && /not on this kernel/.test(document.querySelector('.trackers').innerText)")
    rows = text_of(b, ".trackers tbody th").split("not on this kernel")
    check(
        len(rows) == 2
        and "reclaim" in rows[0]
        and rows[1].startswith(": sdt:nosuch::mm_vmscan_direct_reclaim_begin does not match"),
        "what the kernel does not have, where it is missing",
        rows,
    )
    b.wait("window.dwell.overview.now > 0")
    check(True, "the other trackers work")
    shot(b, "missing")


# Probes are tried again: they are off, since so long; and how long ago the last second without them is.
SOFTIRQ = "window.dwell.overview.panes.get('softirq')"
ROW = "[...document.querySelectorAll('.trackers tbody tr')].find((e) => /^softirq/.test(e.innerText)).querySelector('.heat canvas')"
OFF = f"{SOFTIRQ}.state.stopped < Infinity"
OFF_FOR = f"(window.dwell.overview.now - {SOFTIRQ}.state.stopped)"
OFF_AGO = f"[...Array(60).keys()].findIndex((ago) => {SOFTIRQ}.state.wasOff(window.dwell.overview.now - ago))"


def detached(b, url):
    """A tracker that costs more than dwell allows itself: what is not measured any more, since when, why, and a way to begin anew."""
    with running(sys.executable, "-c", CALLERS):
        b.open(
            url + "#overview", f"{READY} && /not measured any more/.test(document.querySelector('.trackers').innerText)"
        )
        rows = dict(
            b.eval("[...document.querySelectorAll('.trackers tbody th')].map((e) => [e.firstChild.data, e.innerText])")
        )
        check(
            "maxcpu: detached syscall" in rows["softirq"]
            and not any("not measured" in t for n, t in rows.items() if n != "softirq"),
            "what dwell has taken off, where it is missing",
            rows,
        )
        b.wait("/Not measured any more.*softirq/.test(document.querySelector('.state-line').innerText)")
        check(True, "and above all")
        b.wait(f"{OFF} && {OFF_FOR} > 4")
        x, y, w, h = b.eval(
            f"(() => {{ const c = {ROW}; c.scrollIntoView({{block: 'center'}}); const r = c.getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; }})()"
        )
        for part, why in ((0, "detached its own probes"), (0.02, "came later")):
            part = part or b.eval(f"1 - ({OFF_AGO} + 3.5) / 120")  # seconds
            b.mouse(x + part * w, y + h / 2)
            b.settle()
            title = b.eval(f"{ROW}.title")
            check("not measured" in title and why in title, f"a stretch that was not measured says so: {why}", title)
        b.eval("scrollTo(0, 0)")
        b.wait(OFF)
        shot(b, "detached")
    run = b.eval("window.dwell.overview.run")
    button(b, "Measure again")
    b.wait(f"window.dwell.overview.run > {run}")
    check(True, "it can be begun anew")


def broken(b, url):
    b.open(url + "#overview", f"{READY} && document.querySelector('.overview .note').innerText.includes('have ended')")
    text = text_of(b, ".overview .note")
    check(
        "irq.d" in text and "line" in text and "Start again" in text,
        "nothing can be traced: why, and the way to try again",
        text,
    )
    check("dwell features" in text, "and where it is told what the kernel has", text)
    shot(b, "ended")


def empty(b, url, path):
    b.open(url + "#recording/r1", f"{READY} && !document.querySelector('.recording-body').hidden")
    b.settle()
    text = text_of(b, ".recording-body")
    check("no distributions" in text, "a recording without values says so in place of the heat map", text)
    check(
        "2 lines" in text_of(b, ".recording-body details pre") or "What the run printed" in text,
        "and what there is",
        text,
    )
    shot(b, "empty-recording")
    b.open(
        url + "#recording/r7", f"{READY} && document.querySelector('.note[role=status]').textContent.includes('cannot')"
    )
    shot(b, "no-such-recording")


def losses(b, url):
    with running(sys.executable, "-c", SLEEPERS):
        b.open(url + "#overview", f"{READY} && window.dwell.overview.model.slow.kept.length > 0")
        b.wait("/[1-9][0-9,]* .*not shown|lost/.test(document.querySelector('.overview h2 .losses').innerText)")
        text = text_of(b, ".overview h2 .losses .limited")
        check("limit" in text, "more slow events than are shown: how many, and why", text)
        check("table loss" in b.eval("document.querySelector('.overview h2 .losses').title"), "where that is from")
        wrong = b.eval(
            "(() => { const c = document.createElement('canvas').getContext('2d'), style = getComputedStyle(document.documentElement);"
            "return ['bg', 'panel', 'line', 'text', 'muted', 'accent', 'found', 'bad', 'limit'].filter((n) => { c.fillStyle = '#123456'; c.fillStyle = style.getPropertyValue('--' + n).trim(); return c.fillStyle === '#123456'; }); })()"
        )
        same(wrong, [], "the colours of the page are such as a canvas takes, in which losses are drawn, too")
        shot(b, "losses")


def starved(b, server):
    """A tracer that gets no CPU for ten seconds: the gap is no calm, and what was counted meanwhile is there."""
    b.open(server.url + "#overview", f"{READY} && window.dwell.overview.now > 0")
    tracer = int(
        subprocess.run(
            ["pgrep", "-P", str(server.process.pid), "-f", "--", "--json -x noself"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()[0]
    )
    time.sleep(2)
    now = b.eval("window.dwell.overview.now")
    os.kill(tracer, signal.SIGSTOP)
    time.sleep(11)
    os.kill(tracer, signal.SIGCONT)
    b.wait(f"window.dwell.overview.now > {now} + 10")
    said = b.eval(
        f"(() => {{ const o = window.dwell.overview, p = o.panes.get('wakeup'), all = []; for (let s = {now}; s <= o.now; s++) all.push(p.strip.gap(s)); return all; }})()"
    )
    check(
        any("no CPU in time" in s for s in said) and said[0] == "" and said[-1] == "",
        "seconds that dwell could not read are a gap that says why",
        said,
    )
    shot(b, "starved")


def gone(b, server, dwell):
    b.open(server.url + "#overview", f"{READY} && window.dwell.overview.source !== null")
    same(server.stop(), 0, "the server goes")
    b.wait(
        "document.querySelector('.state-line').innerText.includes('Connection lost') && document.querySelector('.connection').innerText.includes('lost')"
    )
    check(not b.eval("document.querySelector('.trackers').hidden"), "what was seen stays")
    check(
        "bad" in b.eval("document.querySelector('.connection').className") and text_of(b, ".trackers"),
        "the connection is lost, in words and colour",
    )
    shot(b, "connection-lost")
    with Server(dwell, "--port", server.port):
        b.wait("document.querySelector('.connection').innerText.includes('token')")
        check(
            "address" in text_of(b, ".connection"), "a new one has a new address: it is said", text_of(b, ".connection")
        )
        shot(b, "new-token")


def main():
    dwell = os.path.abspath(sys.argv[1])
    need_browser_and_root()
    with tempfile.TemporaryDirectory(prefix="dwell-states-") as folder:
        mine = Place(dwell, folder)
        path = os.path.join(folder, "empty.dwell")
        subprocess.run(
            [dwell, "-q", "--record", path, "-n", 'BEGIN { printf("2 lines\\n"); exit(0); }'],
            check=True,
            capture_output=True,
            timeout=60,
        )
        with Server(mine.dwell, user=NOBODY, group=NOBODY, extra_groups=[]) as nobody, Server(mine.dwell, path) as root:
            need_page(root)
            for width, dark in ((1280, False), (400, True)):
                with Browser(width=width, height=800, dark=dark) as b:
                    b.open(root.url, READY)
                    b.open(nobody.url, READY)
                    unprivileged(b, nobody.base)
                    b.open(root.url, READY)
                    empty(b, root.base, path)
            with Browser(height=800) as b:
                b.open(root.url, READY)
                losses(b, root.base)
                starved(b, root)
                gone(b, root, mine.dwell)
        dear = "#pragma D option maxcpu=20%\n" + "".join(
            f"syscall:::entry {{ @stacks{i}[execname, probefunc, ustack(), stack()] = count(); }}\n" for i in range(8)
        )
        for look, tracker, change in (
            (missing, "reclaim.d", lambda t: re.sub("sdt:(vmscan|compaction):", "sdt:nosuch:", t)),
            (detached, "softirq.d", lambda t: t + dear),
            (broken, "irq.d", lambda t: t + "BEGIN { nosuch(); }\n"),
        ):
            with open(os.path.join(mine.trackers, tracker), "r+", encoding="utf-8") as f:
                text = change(f.read())
                f.seek(0)
                f.write(text)
                f.truncate()
            with Server(mine.dwell) as poor:
                for width, dark in ((1280, False), (400, True)):
                    with Browser(width=width, height=800, dark=dark) as b:
                        b.open(poor.url, READY)
                        look(b, poor.base)
    done()


if __name__ == "__main__":
    main()
