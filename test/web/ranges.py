#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranges of the live view and recordings in the page of dwell serve: whose, slow events, stacks, compared; recordings chosen and
sent, links that restore what was seen, what is saved. usage: ranges.py DWELL. TAP; skipped without Chromium or root."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser  # noqa: E402
from server import (
    PAGE,
    Server,
    button,
    drag,
    need_browser_and_root,
    page,
    painted,
    running,
    text_of,
    write,
)  # noqa: E402
from tap import check, done, same  # noqa: E402

# dd writes for four seconds, then python3 sleeps as often: what differs is known
LOAD = (
    "while :; do sleep 0.3 | cat; done & while :; do timeout 6 sh -c 'while :; do dd if=/dev/zero of=/dev/null bs=4096 count=20000 2>/dev/null; done';"
    "timeout 6 python3 -c 'import time\nwhile 1: time.sleep(.002)'; done"
)
RECORDED = """
tracker nap (int) { threshold = 1ms; }
syscall::nanosleep:entry, syscall::clock_nanosleep:entry /execname == "python3"/ { begin(nap, tid); }
syscall::nanosleep:return, syscall::clock_nanosleep:return /execname == "python3"/ { end(nap, tid); }
latency:nap::slow { slow("who", args[0]->comm); }
latency:nap::all { @naps_ns[timestamp / 1000000000, args[0]->comm] = quantize(args[0]->delay); }
syscall::read:entry { @naps_ns[timestamp / 1000000000, "reads of " + execname] = quantize(arg2); }
profile-199hz /pid/ { @on_cpu[timestamp / 1000000000, execname, stack()] = count(); }
tick-%ds { exit(0); }
"""
SHOWN = "window.dwell.recording.heat !== null && document.querySelector('.recording-body canvas') !== null && !document.querySelector('.recording-body').hidden"


def record(dwell, path, seconds):
    program = RECORDED.replace('"reads of " + execname', 'strjoin("reads of ", execname)') % seconds
    r = subprocess.run(
        [dwell, "-q", "--record", path, "-n", program],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    same(r.returncode, 0, "a recording is made" + r.stderr[:300])


def live(b, base):
    b.open(base + "#overview", "window.dwell !== undefined")
    b.wait("window.dwell.overview.source !== null && document.querySelectorAll('.slow tbody tr').length > 0")
    time.sleep(22)  # two phases of the load
    drag(b, ".heat canvas", 1, 0.92, 0.01, 0.98, 0.99)
    b.wait("document.querySelectorAll('.overview .keys-table tbody tr').length > 1")
    keys = text_of(b, ".overview .keys-table td").split("\n")
    check("python3" in keys or "dd" in keys, "whose delays", keys[:8])
    b.wait("document.querySelector('.detail-pane .flame canvas') !== null")
    check(painted(b, ".detail-pane .flame canvas") > 1000, "stacks of exactly these seconds on the CPU")
    button(b, "Off the CPU")
    b.wait(
        "document.querySelector('.detail-pane [aria-pressed=true]').textContent === 'Off the CPU' && /s[: ]/.test(document.querySelector('.detail-pane .detail').innerText)"
    )
    check(True, "and off it")
    check(
        "args[0]->delay >= 0" in text_of(b, ".detail-pane .code"),
        "the clause that selects it",
        text_of(b, ".detail-pane .code"),
    )
    button(b, "the time before")
    b.wait(
        "window.dwell.overview.range.changes.length > 1 && document.querySelectorAll('.overview .changes tbody tr').length > 1"
    )
    text = text_of(b, ".overview .detail-pane")
    changes = b.eval("window.dwell.overview.range.changes")
    check("compared with" in text and "95 % interval" in text, "compared with the time before", text[:600])
    check(
        len(changes) > 1 and all(c["low"] <= c["now"] - c["before"] <= c["high"] for c in changes),
        "what sets it apart",
        changes[:4],
    )
    b.wait("/before .*now/.test(document.querySelector('.detail-pane .detail').innerText)")
    check(True, "the flame graph is a differential one")
    link, title = b.eval("location.href"), text_of(b, ".overview .detail-pane h2")
    b.open(link, "window.dwell !== undefined && window.dwell.overview.range.shown.other !== null")
    same(
        (text_of(b, ".overview .detail-pane h2"), b.eval("window.dwell.overview.range.shown.stacks")),
        (title, "off_cpu_ns"),
        "its address brings it back",
    )
    b.wait(
        "/before .*now/.test(document.querySelector('.detail-pane .detail').innerText)"
    )  # until then what is below it moves
    button(b, "Show everything")
    same(
        (b.eval("document.querySelector('.overview .detail-pane').hidden"), b.eval("location.hash")),
        (True, "#overview"),
        "and ends",
    )
    b.eval("document.querySelectorAll('.heat canvas')[1].focus()")
    for key in ("ArrowLeft", "ArrowLeft", "Enter"):
        b.key(key)
    b.wait("!document.querySelector('.overview .detail-pane').hidden")
    check(True, "the keyboard chooses a range as well")
    b.key("Escape")
    save(b)
    origins(b)
    state = text_of(b, ".state-line")
    check("Run queue" in state and "requests in flight" in state, "run queue and block I/O", state)
    b.wait("/dwell itself uses [0-9.]+ % of a CPU/.test(document.querySelector('.state-line').innerText)")
    check(True, "what dwell itself costs")


def save(b):
    """What is recorded so far, as a file that is a recording of the same programs."""
    href = b.eval(
        "(() => { const a = [...document.querySelectorAll('.overview a')].find((a) => a.textContent.startsWith('Save')); return a.offsetParent && getComputedStyle(a).visibility === 'visible' && "
        "a.hasAttribute('download') ? a.href : ''; })()"
    )
    got = b.eval(
        f"fetch({json.dumps(href)}).then(async (r) => [r.status, r.headers.get('Content-Disposition'), new TextDecoder().decode((await r.arrayBuffer()).slice(0, 15))])"
    )
    check(
        got[0] == 200 and "attachment" in got[1] and got[2] == "SQLite format 3",
        "the live view is saved as a recording",
        got,
    )


def origins(b):
    """Where numbers come from, at the pointer."""
    x, y, w, h = b.eval(
        "(() => { const r = document.querySelectorAll('.heat canvas')[1].getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()"
    )
    b.mouse(x + 0.95 * w, y + 0.5 * h)
    b.settle()
    title = "document.querySelector({})?.title ?? ''"
    for what, got in (
        ("a cell", b.eval("document.querySelectorAll('.heat canvas')[1].title")),
        ("a number", b.eval("document.querySelectorAll('.trackers tbody tr')[1].cells[4].title")),
        ("a slow event", b.eval(title.format("'.overview .slow tbody tr'"))),
        ("the state", b.eval(title.format("'.state-line span'"))),
    ):
        check(
            ".d, table " in got and "of recording live" in got and (re.search(r"second|ended \d+|on average", got)),
            f"where {what} is from",
            got,
        )


def recording(b, base, path):
    b.open(base + "#recording", PAGE)
    b.wait("[...document.querySelectorAll('.gallery button')].some((e) => e.textContent.startsWith('one.dwell'))")
    b.eval(
        "[...document.querySelectorAll('.gallery button')].find((e) => e.textContent.startsWith('one.dwell')).click()"
    )
    b.wait(SHOWN)
    check(
        "slow events" in text_of(b, ".recording-body") and os.uname().nodename in text_of(b, ".recording-body"),
        "a recording: what it is",
    )
    b.eval(
        "(() => { const s = [...document.querySelectorAll('.recording-body select')].find((e) => [...e.options].some((o) => o.value === '@naps_ns')); s.value = '@naps_ns'; s.dispatchEvent(new Event('change')); })()"
    )
    b.wait("document.querySelectorAll('.key-list button').length > 1")
    button(b, "isolate")
    b.eval(
        "[...document.querySelectorAll('.key-list button')].find((e) => e.textContent.startsWith('python3')).click()"
    )
    b.settle()
    isolated = b.eval(
        "(() => { const v = window.dwell.recording.heat; return [v.cells.selecting, v.cells.selected.size]; })()"
    )
    same(isolated, ["isolate", 1], "a key alone")
    drag(b, ".map canvas", 0, 0.2, 0.02, 0.95, 0.6)
    b.wait("document.querySelector('.recording-body .keys-table tbody tr') !== null")
    check(
        "python3" in text_of(b, ".recording-body .keys-table"),
        "a range of it",
        text_of(b, ".recording-body .detail-pane")[:300],
    )
    clause = text_of(b, ".recording-body .detail-pane .code")
    check(
        "if (args[0]->delay >= " in clause
        and "@selected[args[0]->comm] = quantize(args[0]->delay);" in clause
        and "latency:nap::all" in clause
        and "if (arg2 >= " in clause,
        "the clauses of an aggregation's range",
        clause,
    )
    link, title = b.eval("location.href"), text_of(b, ".recording-body .detail-pane h2")
    button(b, "Program")
    b.wait("document.querySelector('textarea').value.includes('@selected') && location.hash.startsWith('#program')")
    button(b, "Run")
    b.wait(
        "window.dwell.program.output.results.some((r) => r.names[0] === 'selected') || document.querySelector('.notes .error') !== null || window.dwell.program.output.ended"
    )
    check(
        b.eval(
            "window.dwell.program.output.results.some((r) => r.names[0] === 'selected' && r.rows.some((row) => row.key.includes('python3')))"
        ),
        "they run in their program",
        text_of(b, ".notes"),
    )
    button(b, "Stop")
    b.open(link, SHOWN)
    b.wait("window.dwell.recording.range.shown.range !== null")
    same(
        b.eval(
            "(() => { const v = window.dwell.recording.heat; return [v.cells.selecting, v.cells.selected.size]; })()"
        ),
        isolated,
        "its address brings back the key",
    )
    same(text_of(b, ".recording-body .detail-pane h2"), title, "and the range")
    check(painted(b, ".recording-body > .recording-part > .flame-host canvas") > 1000, "its stacks")
    b.eval("document.querySelector('.recording-body > details:last-child').open = true")
    b.wait("document.querySelector('.recording-body > details:last-child pre')?.textContent.length > 10")
    check(True, "what it printed")
    for name in (
        "recording",
        "heat.svg",
        "heat.html",
        "flame.svg",
        "stacks.folded",
        "stacks.pb.gz",
        "report.json",
        "trace.json",
    ):
        href = b.eval(
            f"[...document.querySelectorAll('.recording-body a')].map((a) => a.href).find((h) => h.includes('/{name}'))"
        )
        got = b.eval(
            f"fetch({json.dumps(href)}).then(async (r) => [r.status, r.headers.get('Content-Disposition'), (await r.arrayBuffer()).byteLength])"
        )
        check(got[0] == 200 and "attachment" in (got[1] or "attachment") and got[2] > 20, "it saves " + name, got)
    # sent by drop: a file whose name is text, and one that is no recording
    odd = os.path.join(os.path.dirname(path), "<b>&two.dwell")
    shutil.copy(path, odd)
    os.chmod(odd, 0o644)
    node = b.call("DOM.querySelector", nodeId=b.call("DOM.getDocument")["root"]["nodeId"], selector="input[type=file]")[
        "nodeId"
    ]
    b.call("DOM.setFileInputFiles", files=[odd], nodeId=node)
    b.wait(
        "location.hash.startsWith('#recording/u1') && document.querySelector('.recording-body h2')?.textContent === '<b>&two.dwell'"
    )
    check(b.eval("document.querySelector('.recording-body b') === null"), "a recording is sent, its name is text")
    bad = os.path.join(os.path.dirname(path), "bad")
    with open(bad, "w") as f:
        f.write("no recording")
    b.call("DOM.setFileInputFiles", files=[bad], nodeId=node)
    b.wait("document.querySelector('.note[role=status]').textContent.includes('cannot be shown')")
    check("no recording" in text_of(b, ".note"), "what is none is told", text_of(b, ".note"))


def two(server):
    """Two browsers look at the one live view; one that goes changes nothing for the other."""
    with Browser() as a, Browser() as b:
        for browser in (a, b):
            browser.open(server.url + "#overview", "window.dwell !== undefined && window.dwell.overview.now > 0")
        runs = json.loads(a.eval("fetch('/api/v1/runs').then((r) => r.text())"))["runs"]
        same(len([r for r in runs if r["kind"] == "overview" and not r["ended"]]), 1, "two browsers share one tracer")
        a.call("Page.navigate", url="about:blank")
        now = b.eval("window.dwell.overview.now")
        b.wait(f"window.dwell.overview.now > {now} + 1")
        check(True, "one goes, the other goes on")
        a.open("data:text/html,<p>elsewhere")
        got = a.eval(
            f"fetch('{server.base}api/v1/status', {{ credentials: 'include', mode: 'cors' }}).then(() => 'answered', () => 'refused')"
        )
        same(got, "refused", "a page of elsewhere gets nothing")


def far(server):
    """With 200 ms of delay each way round."""
    with Browser() as b:
        b.call(
            "Network.emulateNetworkConditions", offline=False, latency=200, downloadThroughput=-1, uploadThroughput=-1
        )
        t = time.monotonic()
        b.open(server.url + "#recording/r1", SHOWN)
        check(time.monotonic() - t < 10, "a recording over a slow network", time.monotonic() - t)
        drag(b, ".map canvas", 0, 0.2, 0.02, 0.95, 0.9)
        b.wait(
            "document.querySelector('.recording-body .keys-table tbody tr') !== null && document.querySelector('.detail-pane .flame canvas') !== null"
        )
        b.open(
            server.base + "#overview",
            "window.dwell !== undefined && window.dwell.overview.now > 0 && window.dwell.overview.source !== null",
        )
        now = b.eval("window.dwell.overview.now")
        b.wait(f"window.dwell.overview.now > {now}")
        check(True, "and the live view")
        b.open(
            server.base + "#recording/r1/hist?by=nap",
            "window.dwell !== undefined && document.querySelectorAll('.series tbody tr').length > 0",
        )
        b.open(server.base + "#program", PAGE)
        write(b, "BEGIN { @n = count(); exit(0); } syscall::fsyn")
        b.wait("!document.querySelector('.choices').hidden")
        check("fsync" in text_of(b, ".choices"), "completion", text_of(b, ".choices"))
        write(b, "BEGIN { @n = count(); exit(0); }")
        button(b, "Run")
        b.wait("document.querySelector('.program .picture h2')?.innerText === '@n'")
        check(True, "a program")


def main():
    dwell = os.path.abspath(sys.argv[1])
    need_browser_and_root()
    with tempfile.TemporaryDirectory(prefix="dwell-ranges-") as folder, running("sh", "-c", LOAD):
        path = os.path.join(folder, "one.dwell")
        record(dwell, path, 9)
        with Server(dwell, "--recordings", folder) as server:
            with page(server, "#recording", PAGE) as b:
                live(b, server.base)
                recording(b, server.base, path)
            for width in (1280, 400):
                with Browser(width=width, height=900) as b:
                    b.open(server.url + "#recording/r1", SHOWN)
                    check(
                        b.eval("document.documentElement.scrollWidth <= innerWidth"), f"{width} pixels are wide enough"
                    )
            two(server)
            far(server)
    done()


if __name__ == "__main__":
    main()
