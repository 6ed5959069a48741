#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings dropped on the page of dwell serve, from any view, good and hostile ones; and the live recording taken home. usage: drop.py DWELL.
TAP; skipped without Chromium or root."""
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ranges import SHOWN, record  # noqa: E402
from server import LOAD, Server, need_browser_and_root, page, running, text_of  # noqa: E402
from tap import check, done, same  # noqa: E402

SENT_MAX = 256 << 20
DROPPING = "document.documentElement.classList.contains('dropping')"
NOTE = "document.querySelector('.program .note[role=status]')"


def hostile(folder, good):
    """(path, what the page says of it)"""
    with open(good, "rb") as f:
        data = f.read()

    def write(name, content):
        path = os.path.join(folder, name)
        with open(path, "wb") as f:
            f.write(content)
        return path

    version = shutil.copy(good, os.path.join(folder, "version"))
    with sqlite3.connect(version) as db:
        db.execute("PRAGMA user_version = 99")
    other = os.path.join(folder, "other.sqlite")
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE row (x)")
    huge = write("huge", b"")
    os.truncate(huge, SENT_MAX + (44 << 20))
    damaged = bytearray(data)
    for at in range(200, len(damaged), 501):
        damaged[at] ^= 0x5A
    return [
        (write("<b>text.txt", b"no recording at all\n" * 100), "no recording"),
        (write("empty", b""), "wanted"),
        (write("cut", data[: len(data) // 3]), "cannot be shown"),
        (write("head", data[:50]), "cannot be shown"),
        (write("zeros", bytes(100000)), "no recording"),
        (version, "version 99"),
        (other, "no recording of dwell"),
        (huge, "can be sent"),
        (write("damaged", bytes(damaged)), "cannot be shown"),
    ]


def drops(b, base, folder, good):
    b.open(base + "#overview", "window.dwell !== undefined")
    b.drop([good], leave=True)
    b.wait("!" + DROPPING)
    check(b.eval("location.hash") == "#overview", "taken away again, nothing happens")
    b.drop([good])
    b.wait(SHOWN)
    same(
        b.eval(
            "[location.hash.split('?')[0], window.dwell.recording.element.hidden, window.dwell.overview.element.hidden]"
        ),
        ["#recording/u1", False, True],
        "dropped on the overview, it is shown",
    )
    check(
        "good.dwell" in text_of(b, ".gallery") and "sent" in text_of(b, ".gallery"),
        "and is in the list",
        text_of(b, ".gallery"),
    )
    for path, why in hostile(folder, good):
        b.eval("location.hash = 'program'")
        b.wait("!window.dwell.program.element.hidden")
        b.drop([path])
        try:
            b.wait(f"!{NOTE}.hidden && !/^(Sending|Reading)/.test({NOTE}.textContent)")
            told = b.eval(NOTE + ".textContent")
        except RuntimeError as e:
            told = f"{e}: {b.eval(NOTE + '.textContent')!r}, {b.eval('location.href')}"
        check(
            why in told and "undefined" not in told and "/dev/fd" not in told and "/tmp" not in told,
            f"{os.path.basename(path)}: {told[:90]}",
            told,
        )
        same(
            b.eval(
                "document.querySelector('.recording-body').hidden && document.querySelectorAll('.note b').length === 0"
            ),
            True,
            "and nothing of it is drawn",
        )
    b.drop([good])
    b.wait(SHOWN)
    check(True, "a good one is shown after all that")
    link = b.eval("location.href")
    b.eval(
        "(() => { const t = new DataTransfer(); t.setData('text/plain', 'x'); document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: t, bubbles: true })); })()"
    )
    b.settle()
    same(b.eval("location.href"), link, "text that is dropped is none of our business")


def download(b, base, dwell, folder):
    b.open(base + "#recording/live", "window.dwell !== undefined")
    b.open(base + "#overview", "window.dwell !== undefined")
    b.wait("window.dwell.overview.source !== null")
    b.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
    b.eval("location.hash = 'recording/live'")
    b.wait(SHOWN)
    b.eval(
        "[...document.querySelectorAll('.recording-body .save a')].find((a) => a.textContent === 'the recording').click()"
    )
    path = os.path.join(folder, "dwell-recording")
    b.wait_for(lambda: os.path.exists(path))
    os.chmod(path, 0o644)
    r = subprocess.run(
        ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", dwell, "report", "-l", path],
        capture_output=True,
        text=True,
        check=False,
    )
    check(
        r.returncode == 0 and "offcpu" in r.stdout,
        "the live recording, saved: nobody can read it with dwell report",
        r.stderr,
    )


def main():
    dwell = os.path.abspath(sys.argv[1])
    need_browser_and_root()
    with tempfile.TemporaryDirectory() as folder, running("sh", "-c", LOAD):
        os.chmod(folder, 0o755)
        good = os.path.join(folder, "good.dwell")
        record(dwell, good, 3)
        with Server(dwell) as server, page(server) as b:
            drops(b, server.base, folder, good)
            download(b, server.base, dwell, folder)
    done()


if __name__ == "__main__":
    main()
