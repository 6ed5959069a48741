#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""axe-core finds nothing to object to in any view and state of the page of dwell serve, light and dark, wide and narrow; and how much the page
weighs. usage: access.py DWELL WEB WORK (tools/npmtools.sh). TAP; skipped without Chromium, root or npm."""
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser  # noqa: E402
from pictures import DRAWN, SERIES  # noqa: E402
from ranges import LOAD, SHOWN, record  # noqa: E402
from server import PAGE, Server, button, drag, need_browser_and_root, page, running, write  # noqa: E402
from tap import check, done, skip  # noqa: E402

KIB = 1000
NO_CHANGE = dict.fromkeys(("p50", "p90", "p99", "p99.9", "rate", "visible"))
STAT = {"value": 1.0, "low": 0.5, "high": 1.5, "p": 0.001, "changed": True}
LINE = {
    "type": "diff",
    "source": "by_offcpu_ns",
    "kind": "aggregation",
    "key": "dd",
    "count_a": 900,
    "count_b": 1000,
    "changed": True,
    "rate_changed": False,
    "not_judged": None,
    "auc": 0.8,
    "auc_low": 0.7,
    "auc_high": 0.9,
    "quantiles": {q: [1e6, 2e6] for q in ("p50", "p90", "p99", "p99.9")},
}
# a quantile, all of it, one that is new; and what is known of the rest
APART = "\n".join(
    json.dumps(o)
    for o in (
        {**LINE, "octaves": {**NO_CHANGE, "p99": STAT}},
        {**LINE, "octaves": NO_CHANGE},
        {
            **LINE,
            "count_a": 0,
            "changed": False,
            "rate_changed": True,
            "octaves": {**NO_CHANGE, "rate": {**STAT, "value": None, "high": None}},
        },
        {
            "type": "diff-summary",
            "seconds_a": 20,
            "seconds_b": 20,
            "compared": 9,
            "judged": 7,
            "changed": 3,
            "visible_least": 0.1,
            "visible_most": 0.5,
        },
    )
)
PLAIN_MAX, PACKED_MAX = 300 * KIB, 100 * KIB


def weight(server):
    plain = packed = 0
    for path in ("/", "/app.js", "/app.css"):
        data = server.get(path)
        packed += len(data)
        plain += len(gzip.decompress(data))
    check(
        plain <= PLAIN_MAX and packed <= PACKED_MAX,
        f"the page is {plain} bytes, {packed} compressed",
        "at most 300 kB and 100 kB",
    )


class Judge:
    """Looks at each state light and dark, wide and narrow, and leaves it wide and light."""

    def __init__(self, browser, axe):
        self.b, self.axe = browser, axe

    def judge(self, state):
        for dark, width in ((True, 1280), (False, 400), (False, 1280)):
            self.b.look(width, dark)
            self.one(state, f"{'dark' if dark else 'light'}, {width} px")

    def one(self, state, what):
        self.b.settle()
        self.b.eval(self.axe + "; 0")
        found = self.b.eval(
            "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.map((v) => "
            "({ id: v.id, impact: v.impact, nodes: v.nodes.slice(0, 4).map((n) => n.html.slice(0, 160) + ' | ' + n.failureSummary.slice(0, 250)) })))"
        )
        check(not found, f"{what}: {state}", json.dumps(found, indent=1))


def pictures(b, j, base):
    b.open(base + "#recording/r1/timeline", DRAWN)
    j.judge("a timeline")
    b.key("t")
    j.judge("its table")
    b.open(base + "#recording/r1/processes", DRAWN)
    j.judge("processes")
    b.open(base + "#recording/r1/hist?by=@naps_ns&keys=1", SERIES)
    j.judge("distributions")
    b.open(
        base + "#recording/r1/timeline?at=4102444800000_4102444801000",
        "window.dwell !== undefined && /No timeline/.test(document.querySelector('.pictures:not([hidden]) .message')?.innerText ?? '')",
    )
    j.judge("a timeline of nothing")


def states(b, j, base):
    b.open(base + "#overview", "window.dwell !== undefined")
    j.judge("overview, loading")
    b.wait(
        "window.dwell.overview.source !== null && window.dwell.overview.model.slow.kept.length > 0 && document.querySelector('.overview .flame canvas') !== null"
    )
    j.judge("overview")
    b.wait(
        "(() => { const [a, z] = window.dwell.overview.source.info.extent; return z - a > 12e9 && window.dwell.overview.now * 1e9 > z - 5e9; })()"
    )
    drag(b, ".heat canvas", 1, 0.955, 0.01, 0.975, 0.99)
    b.wait(
        "document.querySelector('.overview .keys-table tbody tr') !== null && document.querySelector('.detail-pane .flame canvas') !== null"
    )
    j.judge("a range")
    button(b, "the time before")
    b.wait("document.querySelector('.overview .changes tbody tr') !== null")
    b.wait("window.dwell.overview.range.comparison.done")
    j.judge("a comparison")
    b.eval(
        f"(() => {{ const real = window.fetch; window.fetch = (u, i) => String(u).includes('diff.json') ? Promise.resolve(new Response({json.dumps(APART)})) : real(u, i); }})()"
    )
    button(b, "Swap")
    b.wait(
        "window.dwell.overview.range.comparison.done && document.querySelectorAll('.overview .apart tbody tr').length === 3"
    )
    j.judge("what sets it apart")
    b.eval("document.querySelector('.head button:last-child').click()")
    j.judge("help")
    b.eval("document.querySelector('dialog').close()")
    b.open(base + "#recording", PAGE)
    j.judge("recordings")
    b.open(base + "#recording/r1", SHOWN)
    b.eval("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    b.wait("document.querySelector('.recording-body > details:last-child pre')?.textContent.length > 10")
    drag(b, ".map canvas", 0, 0.3, 0.02, 0.95, 0.9)
    b.wait("document.querySelector('.recording-body .keys-table tbody tr') !== null")
    j.judge("a recording")
    pictures(b, j, base)
    b.open(
        base + "#recording/r9",
        "window.dwell !== undefined && document.querySelector('.note[role=status]').textContent.includes('cannot')",
    )
    j.judge("a recording that is not there")
    b.open(base + "#program", "window.dwell !== undefined && document.querySelectorAll('.gallery li').length > 40")
    j.judge("program")
    write(b, "syscall::re")
    b.wait("!document.querySelector('.choices').hidden")
    j.judge("completion")
    write(b, "BEGIN\n{\n\tx = nosuch;\n}\n")
    b.wait("document.querySelector('.problems li') !== null")
    j.judge("a mistake")
    write(
        b,
        'syscall::read:entry { @n[execname] = count(); @q = quantize(arg2); @s[stack()] = count(); } tick-1s { printf("text\\n"); }',
    )
    button(b, "Run")
    b.wait("document.querySelector('.dist') !== null && document.querySelector('.results .flame canvas') !== null")
    j.judge("a program that runs")
    for drawing in ("Heat map", "Table"):
        b.eval(
            "[...document.querySelectorAll('.results .group button')].filter((e) => e.textContent === '%s').forEach((e) => e.click())"
            % drawing
        )
        j.judge("its results as " + drawing)
    button(b, "Stop")
    b.wait("window.dwell.program.output.ended")
    j.judge("and has ended")


def main():
    dwell, web, work = map(os.path.abspath, sys.argv[1:4])
    need_browser_and_root()
    r = subprocess.run(["sh", os.path.join(os.path.dirname(web), "tools", "npmtools.sh"), web, work], check=False)
    if r.returncode:
        skip("npm cannot get axe-core")
    with open(os.path.join(work, "node_modules", "axe-core", "axe.min.js"), encoding="utf-8") as f:
        axe = f.read()
    with tempfile.TemporaryDirectory() as folder, running("sh", "-c", LOAD):
        record(dwell, os.path.join(folder, "one.dwell"), 10)  # of each phase of the load
        with Server(dwell, "--recordings", folder) as server:
            with page(server):
                weight(server)
            with Browser() as b:
                b.call("Page.setBypassCSP", enabled=True)  # axe-core comes from the test, not from the server
                b.open(server.url, "window.dwell !== undefined")
                states(b, Judge(b, axe), server.base)
            with Browser() as b:
                b.call("Page.setBypassCSP", enabled=True)
                b.open(server.url + "#overview", "window.dwell !== undefined && window.dwell.overview.now > 0")
                server.stop()
                b.wait("document.querySelector('.connection').textContent.includes('lost')")
                Judge(b, axe).judge("a lost connection")
    done()


if __name__ == "__main__":
    main()
