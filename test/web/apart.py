#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What sets two ranges apart, in the page of dwell serve: of threads whose sleeps are known one sleeps longer in the second half of a
recording. It must be found, at the top, with its interval, also beside the rest of the recording; a copy of the recording must not
differ from it; and too short a range is said to be one. usage: apart.py DWELL. TAP; skipped without Chromium or root."""
import contextlib
import ctypes
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ranges import SHOWN  # noqa: E402
from server import PAGE, Server, button, need_browser_and_root, page, text_of  # noqa: E402
from tap import check, done, same  # noqa: E402

HALF = 16  # seconds
PR_SET_NAME = 15
SLEEPS = {"injected": (0.004, 0.012), "steady": (0.005, 0.005), "also-steady": (0.006, 0.006)}
PROGRAM = """
tracker nap { threshold = 1s; }
syscall::clock_nanosleep:entry /pid == %(pid)d && execname != "python3"/ { begin(nap); self->t = timestamp; }
syscall::clock_nanosleep:return /self->t/ { end(nap); @slept_ns[timestamp / 1000000000, execname] = hist(timestamp - self->t); self->t = 0; }
profile-99hz { @on_cpu[timestamp / 1000000000, execname, stack()] = count(); }
"""
APART = "window.dwell.recording.range.comparison"

half, ended = 0, False


def sleeper(name, seed):
    ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode())
    with contextlib.suppress(OSError):
        os.sched_setscheduler(
            0, os.SCHED_FIFO, os.sched_param(1)
        )  # so that they sleep as long as they want, whatever else runs here
    draw = random.Random(seed)
    while not ended:
        time.sleep(SLEEPS[name][half] * draw.lognormvariate(0, 0.3))


def record(dwell, path):
    """When the halves began and ended, on the recording's clock."""
    global half, ended
    p = subprocess.Popen(
        [dwell, "-q", "--record", path, "-n", PROGRAM % {"pid": os.getpid()}],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    threads = [threading.Thread(target=sleeper, args=(name, i), daemon=True) for i, name in enumerate(SLEEPS)]
    for t in threads:
        t.start()
    time.sleep(3)
    times = []
    for half in (0, 1):
        times.append(time.clock_gettime_ns(time.CLOCK_MONOTONIC) + 1000000000)
        time.sleep(HALF + 1.5)
    ended = True
    p.terminate()
    _, messages = p.communicate(timeout=30)
    same(p.returncode, 0, "a recording is made " + messages[:300])
    return times


def link(info, times, seconds, other=True):
    """The address of a range of the second half, and of one of the first to compare with."""
    wall = [(t + info["wall_off"]) // 1000000000 * 1000 for t in times]
    ranges = [f"{wall[1]}.000", f"{wall[1] + 1000 * seconds}.000"]
    return f"recording/r1?of=@slept_ns&from={ranges[0]}&to={ranges[1]}&low=0" + (
        f"&with=@slept_ns_{wall[0]}.000_{wall[0] + 1000 * HALF}.000_0_" if other else ""
    )


def shown(b):
    b.wait(APART + ".done")
    return b.eval(APART + ".found"), text_of(b, ".detail-pane .apart")


def look(b, info, base, times):
    b.open(base + "#" + link(info, times, HALF), SHOWN)
    found, text = shown(b)
    check(
        found and found[0]["key"] == "injected" and found[0]["changed"],
        "what was injected is at the top",
        (found[:2], text),
    )
    check(
        all(f["key"] in ("injected", "") for f in found if f["changed"]),
        "and nothing else of the same kind",
        [f["key"] for f in found],
    )
    s = found[0]["octaves"]["p50"] or {}
    check(s and s["low"] < 1.585 < s["high"] + 0.3 and s["low"] > 0.7, "three times as long, in its interval", s)
    first = text_of(b, ".recording-body .detail-pane .apart tbody tr").split("\n")[0]
    check(
        "injected" in first and "▲" in first and "→" in first and " to +" in first,
        "effect and interval in words",
        first,
    )
    check(
        "Nothing else differs: changes below" in text and "% would not be seen." in text,
        "what is not shown does not differ, as far as is seen",
        text[-400:],
    )
    check(
        "hist of recording r1"
        in b.eval("document.querySelector('.recording-body .detail-pane .apart tbody tr').title"),
        "where it is from",
    )
    b.eval("document.querySelector('.recording-body .detail-pane .apart > div').focus()")
    same(
        b.eval("[document.activeElement.getAttribute('role'), document.activeElement.getAttribute('aria-label')]"),
        ["group", "What sets it apart"],
        "the keyboard reaches it",
    )
    b.eval("document.querySelector('.recording-body .detail-pane .apart').scrollIntoView()")
    b.screenshot(
        os.environ.get("DWELL_SHOTS") and os.path.join(os.environ["DWELL_SHOTS"], f"apart-{b.width}-{b.dark}.png")
    )
    check(b.eval("document.documentElement.scrollWidth <= innerWidth"), f"{b.width} pixels are wide enough")


def states(b, info, base, times):
    b.open(base + "#" + link(info, times, HALF, False), SHOWN)
    found, text = shown(b)
    check(
        found and found[0]["key"] == "injected" and "from the rest of the recording" in text,
        "a range beside the rest of the recording",
        (found[:1], text),
    )
    button(b, "the time before")
    b.wait(APART + ".done && document.querySelector('.detail-pane .versus') !== null")
    check(
        "What sets these seconds apart" in text_of(b, ".detail-pane .apart")
        and "the rest" not in text_of(b, ".detail-pane .apart"),
        "and beside the time before",
    )
    b.open(base + "#" + link(info, times, 4), SHOWN)
    found, text = shown(b)
    same(found, [], "four seconds are too few")
    check("Fewer than 8 whole seconds" in text, "and that is said", text)
    b.open(base + "#recording/r1", SHOWN)
    b.eval(
        "(() => { const s = document.querySelector('.apart-with select'); s.value = 'r2'; s.dispatchEvent(new Event('change')); })()"
    )
    b.wait("/differs|cannot/.test(document.querySelector('.apart-with .apart').innerText)")
    text = text_of(b, ".apart-with")
    check("apart from two.dwell" in text and "Nothing differs: changes below" in text, "a recording and its copy", text)
    b.eval(
        "(() => { const s = document.querySelector('.apart-with select'); s.value = ''; s.dispatchEvent(new Event('change')); })()"
    )
    check(b.eval("document.querySelector('.apart-with .apart').hidden"), "and no longer")


def main():
    dwell = os.path.abspath(sys.argv[1])
    need_browser_and_root()
    with tempfile.TemporaryDirectory(prefix="dwell-apart-") as folder:
        path = os.path.join(folder, "one.dwell")
        times = record(dwell, path)
        shutil.copy(path, os.path.join(folder, "two.dwell"))
        info = json.loads(
            subprocess.run([dwell, "report", "-l", "--json", path], capture_output=True, text=True, check=True).stdout
        )
        with Server(dwell, "--recordings", folder) as server:
            for width, dark in ((1280, False), (400, True)):
                with page(server, "#recording", PAGE, width=width, height=900, dark=dark) as b:
                    look(b, info, server.base, times)
                    if width == 1280:
                        states(b, info, server.base, times)
    done()


if __name__ == "__main__":
    main()
