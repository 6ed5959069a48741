#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the output of a program is drawn in the page of dwell serve: what is best by itself, the choice, sorting, colours of keys, the address that
brings a choice back, programs of the gallery. usage: drawings.py DWELL. TAP; skipped without Chromium or root."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import PAGE, Server, button, need_browser_and_root, page, painted, running, write  # noqa: E402
from tap import check, done, same  # noqa: E402

# Not more than the governor lets a program see.
LOAD = "while :; do dd if=/dev/zero of=/dev/null bs=4096 count=500 2>/dev/null; sleep 0.05; done"
PROGRAM = """syscall::read:entry { @n[execname] = count(); @q[execname] = quantize(arg2); @s[execname, stack()] = count(); @a[execname] = max(arg2); @b[execname] = sum(arg2); }
END { printa(@a, @b); printa("%s: %@d\\n", @n); }"""


def pic(name):
    return f"[...document.querySelectorAll('.results .picture')].find((p) => p.querySelector('h2').textContent === {json.dumps(name)} && !p.hidden)"


def drawing(b, name):
    return b.eval(f"{pic(name)}?.dataset.drawing")


def choose(b, name, text):
    b.eval(
        f"[...{pic(name)}.querySelectorAll('.group button')].find((e) => e.textContent === {json.dumps(text)}).click()"
    )
    b.settle()


def cells(b, name, column):
    return b.eval(f"[...{pic(name)}.querySelectorAll('tbody tr')].map((r) => r.cells[{column}].innerText)")


def programs(b):
    write(b, PROGRAM)
    button(b, "Run")
    b.wait(
        f"{pic('@q')}?.querySelector('.dist') && {pic('@s')}?.querySelector('canvas') && {pic('@n')}?.querySelector('tbody tr') && window.dwell.program.output.history.get('q') ? true : false"
    )
    same(
        [drawing(b, n) for n in ("@n", "@q", "@s")], ["table", "histogram", "flame"], "each result is drawn as is best"
    )
    check(painted(b, ".results .flame canvas") > 500, "stacks are a flame graph")
    b.wait(f"{pic('@q')}.innerText.includes('dd')")
    dist = b.eval(
        f"(() => {{ const f = [...{pic('@q')}.querySelectorAll('figure')].find((f) => f.innerText.startsWith('dd')); return [getComputedStyle(f.querySelector('td i')).backgroundColor, f.querySelector('tr').title]; }})()"
    )
    row = b.eval(
        f"(() => {{ const r = [...{pic('@n')}.querySelectorAll('tbody tr')].find((r) => r.cells[0].innerText === 'dd'); return [getComputedStyle(r.querySelector('i')).backgroundColor, r.title]; }})()"
    )
    same(row[0], dist[0], "the same key has the same colour")
    check(
        "@n[dd] = count()" in row[1] and "@q[dd] = quantize()" in dist[1],
        "the pointer tells which aggregation and key",
        (row, dist),
    )
    choose(b, "@q", "Heat map")
    b.wait(f"{pic('@q')}.querySelector('.map canvas') !== null")
    b.settle()
    check(drawing(b, "@q") == "heat" and painted(b, ".results .map canvas") > 500, "over time as a heat map")
    columns = "window.dwell.program.output.history.get('q').columns.size"
    before = b.eval(columns)
    b.wait(f"{columns} >= {before} + 2")
    check(b.eval(f"{pic('@q')}.querySelectorAll('.map canvas').length") == 1, "it grows in its place")
    b.eval(f"[...{pic('@q')}.querySelectorAll('.key-list button')].find((e) => e.textContent === 'dd').click()")
    b.settle()
    check(
        "rgb"
        in b.eval(f"getComputedStyle({pic('@q')}.querySelector('.key-list [aria-pressed=true] i')).backgroundColor"),
        "a key alone",
    )
    choose(b, "@q", "Table")
    check(
        "median" in b.eval(f"{pic('@q')}.querySelector('thead').innerText"),
        "as a table: percentiles",
        b.eval(f"{pic('@q')}.innerText")[:300],
    )
    choose(b, "@s", "Table")
    button(b, "Stop")
    b.wait("window.dwell.program.output.ended && document.querySelector('.results .picture:not([hidden]) h2') !== null")
    b.wait(f"{pic('@a, @b')} !== undefined")
    same([drawing(b, "@a, @b"), drawing(b, "@a")], ["table", None], "what one printa() shows is one table")
    check(
        b.eval(f"{pic('@a, @b')}.querySelector('thead').innerText").split() == ["key", "@a", "↓", "@b"],
        "with a column each",
        b.eval(f"{pic('@a, @b')}.querySelector('thead').innerText"),
    )
    b.eval(f"{pic('@a, @b')}.querySelectorAll('th button')[0].click()")
    keys = cells(b, "@a, @b", 0)
    check(
        len(keys) > 1 and [k.lower() for k in keys] == sorted(k.lower() for k in keys), "a click on a head sorts", keys
    )
    b.eval(f"{pic('@a, @b')}.querySelectorAll('th button')[2].click()")
    sums = [int(v.replace(",", "")) for v in cells(b, "@a, @b", 2)]
    same(sums, sorted(sums, reverse=True), "by any column")
    choose(b, "@n", "Text")
    text = b.eval(f"{pic('@n')}.querySelector('pre').textContent")
    check("dd: " in text, "as text: what the program writes", text[:200])
    link = b.eval("location.href")
    check("as=" in link, "the choice is in the address", link[-80:])
    b.open("about:blank")
    b.open(link, PAGE)
    b.wait("document.querySelector('textarea').value.includes('quantize')")
    button(b, "Run")
    b.wait(f"{pic('@q')}?.dataset.drawing === 'table' && {pic('@s')}?.dataset.drawing === 'table' ? true : false")
    check(True, "which brings it back")
    button(b, "Stop")
    b.wait("window.dwell.program.output.ended")


def gallery(b, base):
    for name, want in (("runqlat", "histogram"), ("syscallbyproc", "table"), ("profstacks", "flame")):
        b.open(f"{base}#program/{name}", PAGE)
        b.wait("document.querySelector('textarea').value.includes('%s.d')" % name)
        button(b, "Run")
        b.wait("document.querySelector('.results .picture') !== null || window.dwell.program.output.ended")
        same(
            b.eval(
                "[...document.querySelectorAll('.results .picture:not([hidden])')].map((p) => p.dataset.drawing)[0]"
            ),
            want,
            f"{name}: {want}",
        )
        check(
            b.eval("location.hash").startswith("#program/" + name),
            "its address is its name",
            b.eval("location.hash")[:60],
        )
        b.eval("[...document.querySelectorAll('button')].find((e) => e.textContent === 'Stop').click()")
        b.wait("window.dwell.program.output.ended")


def main():
    dwell = os.path.abspath(sys.argv[1])
    need_browser_and_root()
    with running("sh", "-c", LOAD), Server(dwell) as server, page(server, "#program", PAGE) as b:
        programs(b)
        gallery(b, server.base)
    done()


if __name__ == "__main__":
    main()
