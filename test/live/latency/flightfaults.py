# SPDX-License-Identifier: Apache-2.0
# @alone: it looks at what a CPU did
# @timeout: 90
"""The flight recorder when things go wrong: a dwell that is killed while it records, another one begun at once beside what it left; a program that execs in
a wait; threads' numbers that are used again in the moment before."""
import json
import os
import re
import signal
import subprocess
import sys
import time

import live

os.chdir(live.WORK)
FLIGHT = ("latency", "offcpu", "--flight", "50ms", "--over", "20ms", "--idle", "--json")
T = live.TRIGGER


def told(text, comm):
    found = [json.loads(l) for l in text.splitlines() if l.startswith("{")]
    return [o for o in found if o["type"] == "latency-slow" and o["comm"] == comm and "flight" in o]


# -- killed, and begun again at once

load = subprocess.Popen(["sh", "-c", "while sleep 0.2; do :; done"])
try:
    p = subprocess.Popen(
        [live.DWELL, *FLIGHT, "--comm", "sleep", "--record", "killed.dwell"], stdout=subprocess.PIPE, text=True
    )
    seen = 0
    for line in p.stdout:
        seen += '"flight":' in line and '"sleep"' in line
        if seen == 10:
            break
    time.sleep(1)  # rows are committed twice a second
    p.send_signal(signal.SIGKILL)
    p.stdout.close()
    p.wait()
    r = live.dwell(*FLIGHT, "--comm", "sleep", "--for", "4s")
    live.check(
        r.returncode == 0 and len(told(r.stdout, "sleep")) >= 10,
        "another one, begun at once",
        r.stdout[-600:] + r.stderr,
    )
    live.check(
        all(f["flight"]["covered"] <= f["start"] for f in told(r.stdout, "sleep")[1:]),
        "which sees all of the moment before",
        r.stdout[-600:],
    )
finally:
    load.kill()
    load.wait()
r = live.dwell("latency", "--idle", "--json", "killed.dwell")
live.check(
    r.returncode == 0 and len([o for o in told(r.stdout, "sleep") if o["flight"]["events"]]) >= 8,
    "what it had recorded is there, with what was around it",
    r.stdout[-600:] + r.stderr,
)

# -- exec in the moment before

with open("changes.py", "w", encoding="utf-8") as f:
    f.write(f"import os\nos.execv({T!r}, ['trigger', 'track', 's40000'])\n")
r = live.dwell(*FLIGHT, "-c", f"{sys.executable} changes.py")
mine = told(r.stdout, "trigger")
live.check(
    len(mine) == 1 and 39e6 < mine[0]["delay_ns"], "the wait of a program that came by exec", r.stdout[-600:] + r.stderr
)
own = [e for e in mine[0]["flight"]["events"] if e["kind"] == "switch" and e["id"] == mine[0]["tid"]] if mine else []
live.check(
    own and abs(own[-1]["time"] - mine[0]["start"] - mine[0]["delay_ns"]) < 1e6,
    "what the thread did, up to its end",
    own,
)

# -- the number of a thread that had just ended

if os.access("/proc/sys/kernel/ns_last_pid", os.W_OK):
    with open("reuse.py", "w", encoding="utf-8") as f:
        f.write(
            f"""
import subprocess
for i in range(200):
    first = subprocess.Popen([{T!r}, 'track', 's30000'])
    first.wait()
    open('/proc/sys/kernel/ns_last_pid', 'w').write(str(first.pid - 1))
    second = subprocess.Popen(['sleep', '0.03'])
    second.wait()
    if second.pid == first.pid:
        print('again', first.pid, flush=True)
        break
"""
        )
    r = live.dwell(*FLIGHT, "-c", f"{sys.executable} reuse.py", timeout=60)
    again = re.search(r"^again (\d+)", r.stdout, re.M)
    if again:
        both = {
            o["comm"]: o for name in ("trigger", "sleep") for o in told(r.stdout, name) if o["tid"] == int(again[1])
        }
        live.check(
            set(both) == {"trigger", "sleep"} and all(29e6 < o["delay_ns"] < 200e6 for o in both.values()),
            "each has its own wait",
            both,
        )
    else:
        print("# the number was not to be had again")
live.done()
