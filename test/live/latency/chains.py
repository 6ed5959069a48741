# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""A chain of real waits. A process wants the lock of a file. The process that has it reads a pipe, into which a third one writes
data from a slow disk. Each link has its delay, which the processes measure themselves, and its evidence, in words and as JSON."""
import contextlib
import json
import os
import re
import subprocess

import live

os.chdir(live.WORK)
TRUTH = os.path.join(os.path.dirname(live.TRIGGER), "truth")
TRACKERS = ("filelock", "offcpu", "block", "syscall", "--over", "30ms")


def near(ns, truth):
    return abs(ns - truth["ns"]) <= max(0.05 * truth["ns"], 50000)


def run(*options, page=1):
    """What dwell prints, and the links of the chain by number."""
    live.SlowFile.current.forget()
    os.environ["TRUTHS"] = os.path.abspath("truths")
    with contextlib.suppress(FileNotFoundError):
        os.unlink("truths")
    r = live.dwell("latency", *TRACKERS, *options, "-c", f"{TRUTH} chain locked {device} {page}", timeout=60)
    with open("truths", encoding="ascii") as f:
        rows = [{k: int(v) for k, v in (w.split("=") for w in line.split()[1:])} for line in f]
    live.check(r.returncode == 0 and len(rows) == 3, "three wait for one another", r.stdout[-500:] + r.stderr)
    return r.stdout, {row["link"]: row for row in rows}


def judge_json():
    """The lock's own event: whose it was, what that one waited for, and so on to the disk."""
    text, truths = run("--json", page=20)
    events = [o for o in map(json.loads, text.splitlines()) if o["type"] == "latency-slow"]
    own = [e for e in events if e["tracker"] == "filelock" and e["tid"] == truths[1]["tid"]]
    yield len(own) == 1, "JSON: one event of the lock", own
    if len(own) != 1:
        return
    e, links = own[0], own[0]["chain"]
    yield near(e["delay_ns"], truths[1]) and e["by_tid"] == truths[2]["tid"], "JSON: its delay, and who has it", (
        e,
        truths,
    )
    want = [
        (truths[2]["tid"], "holder", "lock owner"),
        (truths[2]["tid"], "same thread", "same thread"),
        (truths[3]["tid"], "waker", "waker"),
        (truths[3]["tid"], "same thread", "same thread"),
        (truths[3]["tid"], "same thread", "same thread"),
    ]
    yield [(k["tid"], k["how"], k["evidence"]) for k in links] == want, "JSON: links, and their evidence", (links, want)
    yield len(links) == 5 and all(
        near(k["delay_ns"], truths[n]) for k, n in zip(links, (2, 2, 3, 3, 3))
    ), "JSON: the links' delays", (links, truths)
    yield all(
        a["overlap_ns"] >= b["overlap_ns"] for a, b in zip(links, links[1:])
    ), "JSON: no link explains more than the one before", links
    yield [k["inferred"] for k in links] == [
        False,
        False,
        True,
        False,
        False,
    ], "JSON: only the waker is inferred", links
    yield (
        links and links[-1]["object"] == os.path.basename(device) and links[-1]["cause"] == "block I/O (read)",
        "JSON: the disk at its end",
        links,
    )


def judge_text():
    text, truths = run("--idle", page=30)
    lines = re.sub(r"\n +", " ", text).splitlines()
    time = r"\d+ ms"
    want = (
        rf"filelock: truth {truths[1]['tid']} waited {time} for file lock \(flock\) on \S*/locked, held by holder {truths[2]['tid']}, which waited "
        rf"{time} in read\(pipe:\[\d+\]\) for data in a pipe, ended by reader {truths[3]['tid']}, which waited {time} in "
        rf"pread64\(\S*{os.path.basename(device)}\) for block I/O \(read\) \(inferred\)$"
    )
    yield any(re.search(want, l) for l in lines), "the sentence", text
    want = rf"syscall: truth {truths[1]['tid']} waited {time} in flock\(\S*/locked\) for file lock \(flock\), held by holder {truths[2]['tid']}, which"
    yield any(re.search(want, l) for l in lines), "the call has its file, and the lock's holder", text
    yield not re.search(r"clock_nanosleep\(", text), "a clock's number is no open file", text


with live.SlowFile(64) as slowfile:
    loop = subprocess.run(["losetup", "--show", "-f", slowfile.path], capture_output=True, text=True)
    if loop.returncode:
        print("# no loop device: " + loop.stderr)
        live.sys.exit(77)
    device = loop.stdout.strip()
    try:
        slowfile.delay(200)
        live.attempts("a chain as JSON", judge_json)
        live.attempts("a chain in words", judge_text)
    finally:
        slowfile.delay()
        subprocess.run(["losetup", "-d", device])
live.done()
