# SPDX-License-Identifier: Apache-2.0
"""Compaction of memory: by who asks for it, each as the kernel begins and ends it, no longer than who asked was held up; what the kernel's
own thread does in the background is nobody's wait."""
import json
import os
import re
import sys

import live

KNOB, WAKES = "/proc/sys/vm/compact_memory", "/proc/sys/vm/compaction_proactiveness"
if not os.path.exists(KNOB):
    print("# this kernel cannot compact memory")
    sys.exit(77)
os.chdir(live.WORK)
with open("compact.py", "w", encoding="utf-8") as f:
    f.write(
        f"""
import os, time
knob = os.open({KNOB!r}, os.O_WRONLY)
truths = open("truths", "w")
print(os.getpid(), file=truths)
for i in range(3):
    begun = time.monotonic_ns()
    os.write(knob, b"1")
    print(begun, time.monotonic_ns() - begun, file=truths)
truths.close()
if os.path.exists({WAKES!r}): # which is what makes kcompactd begin at once
    with open({WAKES!r}) as f:
        before = f.read()
    for value in ("100", before):
        with open({WAKES!r}, "w") as f:
            f.write(value)
        time.sleep(1)
"""
    )
with open(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../dlib/latency/reclaim.d"), encoding="utf-8"
) as f:
    text = re.sub(r"limit = \d+", "limit = 100000", re.sub(r"threshold = \w+", "threshold = 0", f.read()))
with open("reclaim.d", "w", encoding="utf-8") as f:
    f.write(text)
BEGUN = 'sdt:compaction::mm_compaction_begin { @b[execname] = count(); } END { printa("begun %s %@d\\n", @b); }'
r = live.dwell("--json", "-s", "reclaim.d", "-n", BEGUN, "-c", f"{sys.executable} compact.py", timeout=60)
lines = r.stdout.splitlines()
with open("truths", encoding="ascii") as f:
    pid, *numbers = map(int, f.read().split())
rows = [json.loads(l) for l in lines if l.startswith("{")]
slow = [a for o in rows if o["type"] == "event" for a in o.get("output", ()) if a["action"] == "slow"]
begun = dict(re.findall(r"begun (\S+) (\d+)", r.stdout))
if live.check(r.returncode == 0 and len(numbers) == 6, "memory is compacted", r.stdout[-1500:] + r.stderr):
    own = [s for s in slow if s["opener"]["pid"] == pid]
    live.check(len(own) == int(begun.get("python3", 0)) >= 3, "as many as the kernel begins", (len(own), begun))
    live.check(all(s["attributes"]["reclaim"] == "compaction" for s in own), "what it was", own[:2])
    for start, ns in zip(numbers[::2], numbers[1::2]):
        inside = [s["delay"] for s in own if start <= s["start"] and s["start"] + s["delay"] <= start + ns]
        print(f"# {len(inside)} times, {sum(inside) / 1e6:.3f} ms of {ns / 1e6:.3f} ms that the call took")
        live.check(inside and sum(inside) <= ns, "no longer than who asked was held up", (inside, ns))
    # the rest is its waiting for other CPUs to give back what they have
    live.check(sum(s["delay"] for s in own) > 0.5 * sum(numbers[1::2]), "and most of that", (own, numbers))
    live.check(sum(s["opener"]["comm"].startswith("kcompactd") for s in slow) == 0, "the background is no wait", begun)
    print("# in the background: " + str({k: v for k, v in begun.items() if k.startswith("kcompactd")}))
r = live.dwell("latency", "reclaim", "--over", "1us", "--json", "-c", f"{sys.executable} compact.py", timeout=60)
told = [json.loads(l) for l in r.stdout.splitlines() if '"latency-slow"' in l and '"python3"' in l]
live.check(
    told and all(e["class"] == "memory" and "compaction" in e["cause"] for e in told),
    "its cause",
    r.stdout[:800] + r.stderr,
)
live.done()
