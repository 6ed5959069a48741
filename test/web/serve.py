#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of dwell serve, in a browser, with the real tracer on a real load: programs written, completed, run, stopped;
mistakes; a lost connection; wrong tokens. usage: serve.py DWELL. TAP; skipped without Chromium or root."""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser  # noqa: E402
from server import LOAD, PAGE, Server, button, drag, need_browser_and_root, page, running, text_of, write  # noqa: E402
from tap import check, done, same  # noqa: E402


def run(b, program, until):
    write(b, program)
    button(b, "Run")
    b.wait(until)


def programs(b):
    b.wait("document.querySelectorAll('.gallery li').length > 40")
    check("execsnoop" in text_of(b, ".gallery"), "the shipped programs are listed")
    run(
        b,
        "syscall::read:entry /execname == \"dd\"/ { @n[execname, probefunc] = count(); @size = quantize(arg2); }",
        "document.querySelectorAll('.agg tbody tr').length > 0 && document.querySelector('.dist') !== null",
    )
    same(text_of(b, ".program .picture h2").split("\n"), ["@n", "@size"], "its aggregations are drawn while it runs")
    same(text_of(b, ".agg tbody td").split("\n")[:2], ["dd", "read"], "keys")
    check("4 Ki" in text_of(b, ".dist th"), "buckets", text_of(b, ".dist"))
    before = b.eval("window.dwell.program.output.results.find((r) => r.names[0] === 'n').rows[0].values[0]")
    b.wait(f"window.dwell.program.output.results.find((r) => r.names[0] === 'n').rows[0].values[0] > {before}")
    check(True, "and go on")
    button(b, "Stop")
    b.wait("window.dwell.program.output.ended")
    check("ended" in text_of(b, ".program .state"), "stopped", text_of(b, ".state"))
    run(b, 'BEGIN { printf("one\\n<b>two</b>\\n"); exit(4); }', "window.dwell.program.output.ended")
    same(text_of(b, "pre.text"), "one\n<b>two</b>", "text is text")
    check("status 4" in text_of(b, ".program .state"), "the exit status", text_of(b, ".state"))


def overview(b, url):
    b.open(url + "#overview", "window.dwell !== undefined")
    b.wait("window.dwell.overview.now > 0 && window.dwell.overview.model.slow.kept.length > 0")
    b.wait("document.querySelector('.trackers tbody td.n').textContent !== '0'")
    same(
        text_of(b, ".trackers tbody th").split("\n")[::2],
        ["wakeup", "offcpu", "block", "irq", "softirq", "lock", "reclaim"],
        "the trackers",
    )
    b.wait(
        "[...document.querySelectorAll('.trackers tbody tr:first-child td.n')].every((e) => /\\d/.test(e.textContent))"
    )
    numbers = text_of(b, ".trackers tbody tr:first-child td.n").split("\n")
    check(
        re.search("[mun]?s$", numbers[2]) and re.search("[mun]?s$", numbers[4]),
        "at once, rate, median, 99 %, longest",
        numbers,
    )
    b.wait(
        "(() => { const o = window.dwell.overview; return o.source && o.now * 1e9 > o.source.info.extent[0] + 12e9; })()"
    )
    drag(b, ".heat canvas", 0, 0.9, 0.01, 0.999, 0.99)
    b.wait("document.querySelector('.overview .keys-table tbody tr') !== null")
    text = text_of(b, ".overview .detail-pane")
    check("Keys" in text and re.search(r"\d %", text_of(b, ".overview .keys-table td")), "a range: its keys", text)
    check(
        "latency:wakeup::all" in text and re.search(r"args\[0\]->delay >= \d+", text),
        "and the clause that selects it",
        text,
    )
    button(b, "Program")
    b.wait("document.querySelector('textarea').value.includes('latency:wakeup::all')")
    b.wait("!window.dwell.program.element.hidden")
    button(b, "Run")
    b.wait("document.querySelector('.dist') !== null")
    check(True, "as a program it runs")
    button(b, "Stop")
    b.wait("window.dwell.program.output.ended")
    b.eval("location.hash = 'overview'")
    b.wait("document.querySelector('.overview .live > .picture .flame canvas') !== null")
    check(True, "stacks of the last minute")


def stacks(b):
    run(
        b,
        "profile-197hz { @[stack()] = count(); }",
        "document.querySelector('.flame canvas') !== null && window.dwell.program.output.events >= 0",
    )
    b.wait("document.querySelector('.flame canvas').width > 300")
    pixels = b.eval(
        "(() => { const c = document.querySelector('.flame canvas'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        "let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; })()"
    )
    check(pixels > 1000, "stacks are a flame graph", pixels)
    button(b, "Stop")
    b.wait("window.dwell.program.output.ended")


def mistakes(b):
    write(b, "BEGIN\n{\n\tx = nosuch;\n}\n")
    b.wait("document.querySelector('.problems li') !== null")
    check(
        "line 3" in text_of(b, ".problems") and "nosuch" in text_of(b, ".problems"),
        "a mistake is told while writing",
        text_of(b, ".problems"),
    )
    same(b.eval("document.querySelector('.marks mark').textContent"), "nosuch", "and marked where it is")
    button(b, "Run")
    b.wait("document.querySelector('.notes .error') !== null")
    check("nosuch" in text_of(b, ".notes"), "and told when it is run", text_of(b, ".notes"))
    for program, why in (
        ('BEGIN { system("true"); }', "estructive"),
        ("nosuch:::probe { }", "does not match any probes"),
    ):
        run(b, program, "window.dwell.program.output.ended && document.querySelector('.notes .error') !== null")
        check(why in text_of(b, ".notes"), "refused: " + program, text_of(b, ".notes"))


def completion(b):
    write(b, "syscall::fsyn")
    b.wait("!document.querySelector('.choices').hidden")
    check("syscall::fsync:" in text_of(b, ".choices"), "probes are completed", text_of(b, ".choices"))
    b.key("Enter")
    same(b.eval("document.querySelector('textarea').value"), "syscall::fsync:", "the first is taken")
    b.wait(
        "!document.querySelector('.choices').hidden && document.querySelector('.choices').innerText.includes('entry')"
    )
    write(b, "BEGIN { exec")
    b.wait("!document.querySelector('.choices').hidden")
    check("execname" in text_of(b, ".choices"), "words of the language, too", text_of(b, ".choices"))
    b.key("Escape")
    same(b.eval("document.querySelector('.choices').hidden"), True, "Escape closes the list")
    for program, want in (
        ("io:::start\n{\n\tx = 1;\n\ttrace(args[0]->b_", "b_bcount"),
        ("BEGIN { trace(curpsinfo->pr_f", "pr_fname"),
        ("BEGIN { this->t = curthread; trace(this->t->mm->", "pgd"),
        ("proc:::exec-success /curpsinfo->pr_p", "pr_ppid"),
    ):
        write(b, program)
        b.wait("!document.querySelector('.choices').hidden")
        check(want in text_of(b, ".choices"), "members are completed: " + want, text_of(b, ".choices")[:300])
    b.key("Escape")
    types(b)


def types(b):
    for program, want, then in (
        ("BEGIN { this->t = (struct task_str", "task_struct *", None),
        ("BEGIN { trace(sizeof(task_str", "struct task_struct", "BEGIN { trace(sizeof(struct task_struct"),
        ("BEGIN { trace(((bufinfo_", "bufinfo_t", None),
        ("tracker x (uint6", "uint64_t", None),
        ("self struct task_s", "task_struct", None),
        ("syscall:::entry /(struct file_op", "file_operations *", None),
        ("struct mine { int x; };\nBEGIN { this->t = (struct min", "mine *", None),
        ("BEGIN { trace(sizeof(union bpf_at", "bpf_attr", None),
    ):
        write(b, program)
        b.wait("!document.querySelector('.choices').hidden")
        check(
            want in re.split(r"[\n\t]", text_of(b, ".choices")),
            f"types are completed: {want}",
            text_of(b, ".choices")[:300],
        )
        if then:
            b.key("Enter")
            same(b.eval("document.querySelector('textarea').value"), then, "taken")
    for program in ("BEGIN { trace(\"(struct task_str", "/* (struct task_str", "BEGIN { /* sizeof(task_str"):
        write(b, program)
        b.settle()
        same(b.eval("document.querySelector('.choices').hidden"), True, "nothing is completed in a string or comment")


def links(b, url):
    b.open(url + "#program/execsnoop", PAGE)
    b.wait("document.querySelector('textarea').value.includes('proc:::exec')")
    check(True, "an address that names a shipped program")
    write(b, "BEGIN { exit(0); }")
    button(b, "Run")
    b.wait("window.dwell.program.output.ended")
    link = b.eval("location.href")
    b.open(link, PAGE)
    b.wait("document.querySelector('textarea').value === 'BEGIN { exit(0); }'")
    check(True, "an address that holds the program")


def narrow(url):
    for width in (1280, 400):
        with Browser(width=width, height=800) as b:
            b.open(url + "#program", PAGE)
            check(b.eval("document.documentElement.scrollWidth <= innerWidth"), f"{width} pixels are wide enough")
            nameless = b.eval(
                "[...document.querySelectorAll('button, input, textarea, a, canvas')].filter((e) => !(e.innerText || "
                "e.getAttribute('aria-label') || e.title || e.placeholder || e.labels?.length)).length"
            )
            same(nameless, 0, "all controls have names")


def wrong(server):
    with Browser() as b:
        for path, why in (("", "no valid token"), ("?token=" + "0" * 32, "no valid token")):
            b.open(f"http://127.0.0.1:{server.port}/{path}")
            check(why in b.eval("document.body.innerText"), "refused: " + (path[:10] or "no token"))


def lost(dwell, server):
    with Browser() as b:
        b.open(server.url + "#program", PAGE)
        run(b, "tick-1s { printf(\"x\\n\"); }", "window.dwell.program.output.text.length > 0")
        same(server.stop(), 0, "the server is stopped")
        b.wait("document.querySelector('.connection').textContent.includes('lost')")
        check(True, "the page says that the connection is lost")
        with Server(dwell, "--port", server.port):
            b.wait("document.querySelector('.connection').textContent.includes('token')")
            check(True, "a new server has a new token: the page says so")


def main():
    dwell = os.path.abspath(sys.argv[1])
    need_browser_and_root()
    with running("sh", "-c", LOAD), Server(dwell) as server:
        with page(server, "#program", PAGE) as b:
            same(b.eval("location.search"), "", "the token leaves the address")
            programs(b)
            stacks(b)
            mistakes(b)
            completion(b)
            overview(b, server.base)
            links(b, server.base)
        narrow(server.url)
        wrong(server)
        lost(dwell, server)
    done()


if __name__ == "__main__":
    main()
