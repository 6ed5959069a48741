# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""Event loops that are held up: each turn of Node's as long as the program itself says, with the JavaScript that computes or waits."""
import os
import platform
import re
import shutil
import live

NODE = shutil.which("node")
if platform.machine() != "x86_64" or not NODE:
    print("# no node here, or user stacks are not walked as on x86-64")
    raise SystemExit(77)
HOLD, FILE = (os.path.join(live.WORK, n) for n in ("hold.js", "messages.log"))
with open(HOLD, "w", encoding="utf-8") as f:
    f.write(
        f'''const fs = require("fs"), fd = fs.openSync({FILE!r}, "w"); let n = 0;
function compute() {{ const end = Date.now() + 60; let s = 0; while (Date.now() < end) s += Math.sqrt(s + 1); return s; }}
function flush() {{ const end = Date.now() + 60; while (Date.now() < end) {{ fs.writeSync(fd, "x".repeat(100000)); fs.fsyncSync(fd); }} }}
function tick() {{
  const begin = performance.now();
  n++ % 2 ? compute() : flush();
  console.log(`tick ${{performance.now() - begin}}`);
  if (n < 10) setTimeout(tick, 50);
}}
setTimeout(tick, 500);
'''
    )
r = live.dwell("latency", "--stacks", "--all", "loop", "--", NODE, HOLD)
ticks = [float(m) for m in re.findall(r"^tick ([\d.]+)$", r.stdout, re.M)]
slow = re.findall(r"^slow (loop|held) +([\d.]+) (us|ms|s) .*\n((?:  .*\n)*)", r.stdout, re.M)
ms = {"us": 1e-3, "ms": 1, "s": 1e3}
turns, held = [], []
for tracker, delay, unit, rest in slow:  # those with a tick; a function that was no tick may have held a turn before
    if tracker == "held" and "tick at" in rest:
        held.append(rest)
    elif tracker == "loop" and len(held) > len(turns):
        turns.append(float(delay) * ms[unit])
live.same((len(ticks), len(held), len(turns)), (10, 10, 10), "each slow turn is there, and who holds it")
for i, (tick, turn, stack) in enumerate(zip(ticks, turns, held)):
    live.check(turn > tick * 0.98, f"turn {i} is no shorter than its tick", (turn, tick))  # shown with three digits
    live.check(
        ("compute" if i % 2 else "flush") + " at " + HOLD in stack, f"turn {i}: the JavaScript that holds it", stack
    )
live.check("for what holds its event loop" in r.stdout, "as a sentence", r.stdout[:1000])
live.done()
