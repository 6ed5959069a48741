# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""Garbage collections of Node: each one with its kind and reason, as long as --trace-gc says; as a lane of the timeline.
NODES: further binaries, separated by colons."""
import json
import os
import re
import shutil
import zlib
import base64
import live

NODES = [n for n in [shutil.which("node")] + os.environ.get("NODES", "").split(":") if n]
if not NODES:
    print("# no node here")
    raise SystemExit(77)
CHURN = os.path.join(live.WORK, "churn.js")
with open(CHURN, "w", encoding="utf-8") as f:
    f.write(
        '''const keep = []; let n = 0;
function churn() { for (let i = 0; i < 20000; i++) keep[(n++) % 200000] = { a: i, b: [i, i + 1], s: "x" + i }; }
const end = Date.now() + 2500;
function tick() { churn(); if (Date.now() < end) setImmediate(tick); else gc(); }
setTimeout(tick, 500);
'''
    )
ARGS = ["--trace-gc", "--expose-gc", CHURN]
TRACE = re.compile(r"ms: ([\w-]+)[^,]* MB,(?: pooled: \S+ MB,)? ([\d.]+) / [\d.]+ ms .*\) ([^;]*);")


def told(text):
    """What V8 says: kind, milliseconds, reason."""
    return [
        (m[1].lower().replace("mark-sweep", "mark-compact"), float(m[2]), m[3].strip())
        for m in map(TRACE.search, text.splitlines())
        if m
    ]


for node in NODES:
    rec = os.path.join(live.WORK, "gc.dwell")
    if os.path.exists(rec):
        os.unlink(rec)
    r = live.dwell("latency", "--over", "1us", "--stacks", "--record", rec, "gc", "--", node, *ARGS)
    want = told(r.stdout)
    got = re.findall(r"^slow gc +.*\n  collection +(.*)\n  reason +(.*)$", r.stdout, re.M)
    live.check(len(want) > 5, f"{node}: there are collections", r.stdout[-2000:] + r.stderr)
    live.same(got, [(kind, reason) for kind, ms, reason in want], f"{node}: each with its kind and reason")
    live.check("churn at " + CHURN in r.stdout, f"{node}: the JavaScript that allocates", r.stdout[:2000])
    r = live.dwell("latency", "--json", rec)
    events = [json.loads(l) for l in r.stdout.splitlines() if '"latency-slow"' in l]
    ms, should = sum(e["delay_ns"] for e in events) / 1e6, sum(w[1] for w in want)
    live.check(abs(ms - should) <= 0.02 * should, f"{node}: the total is within 2 % of V8's", (ms, should))
    live.check(
        any("waited" in e["sentence"] and "for the collector (scavenge)" in e["sentence"] for e in events),
        f"{node}: as a sentence",
        events[:3],
    )

r = live.dwell("timeline", "--gc", "--json", "--", NODES[0], *ARGS)
picture = json.loads(r.stdout[r.stdout.index('{"') :])
live.check(any(row["label"] == "gc" for row in picture["rows"]), "timeline --gc has a lane", picture["rows"])
texts = zlib.decompress(base64.b64decode(picture["texts"])).decode("utf-8", "replace")
live.check("collection scavenge, reason allocation failure" in texts, "whose spans say which and why", texts[:2000])
r = live.dwell("why", "--over", "1us", "--json", "--", NODES[0], *ARGS)
if "6.16" not in r.stderr:
    words = {c["cause"] for line in r.stdout.splitlines() if line.startswith("{") for c in json.loads(line)["causes"]}
    live.check(
        "garbage collection (the threads that help)" in words,
        "waits within a collection have that cause",
        sorted(words),
    )
for args in (["latency", "gc"], ["timeline", "--gc", "--for", "1s"]):
    r = live.dwell(*args)
    live.check(r.returncode == 2 and "one process" in r.stderr, f"{args} without a process is refused", r.stderr)
live.done()
