# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""A signal while dwell starts: a run that is being prepared ends in order as soon as it has begun, and says so; a second
signal ends it at once. No recording of a daemon is left as that of one that was killed."""
import glob
import os
import signal
import subprocess
import time

import live

SAYS = "ends as soon as it has started"


def catches(pid, sig):
    """Is its handler there? The first milliseconds are the dynamic linker's."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        mask = next(line.split()[1] for line in f if line.startswith("SigCgt:"))
    return int(mask, 16) >> (sig - 1) & 1


def started(*args):
    p = subprocess.Popen([live.DWELL, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while p.poll() is None and not catches(p.pid, signal.SIGINT):
        time.sleep(0.001)
    return p


state = os.path.join(live.WORK, "state")
early = 0
for sig in (signal.SIGINT, signal.SIGTERM):
    for delay in (0, 0.05, 0.2, 0.5, 0.9):
        p = started("latency", "--daemon", "--state", state)
        time.sleep(delay)
        p.send_signal(sig)
        out, err = p.communicate(timeout=30)
        early += SAYS in err
        live.check(
            p.returncode == 0 and "killed" not in err, f"daemon: {sig.name} after {delay} s", (p.returncode, out, err)
        )
live.check(early, "some came while it started", early)
live.check(glob.glob(state + "/*.dwell"), "its recordings are complete")

p = started("latency", "--daemon", "--state", state)
p.send_signal(signal.SIGHUP)
time.sleep(2)
live.check(p.poll() is None, "SIGHUP while a daemon starts does not end it", p.returncode)
p.send_signal(signal.SIGTERM)
live.check(p.wait(30) == 0, "it ends in order", p.returncode)

p = started("latency", "offcpu")
p.send_signal(signal.SIGINT)
out, err = p.communicate(timeout=30)
live.check(
    p.returncode == 0 and SAYS in err and "TRACKER" in out, "latency: SIGINT at its start", (p.returncode, out, err)
)

p = started("-qn", "BEGIN { printf(\"begin\"); } END { printf(\" end\"); }")
p.send_signal(signal.SIGINT)
out, err = p.communicate(timeout=30)
live.same((p.returncode, out.strip()), (0, "begin end"), "a program: BEGIN and END fire")

p = started("latency", "--daemon", "--state", state)
p.send_signal(signal.SIGINT)
time.sleep(0.4)
p.send_signal(signal.SIGINT)
t = time.monotonic()
p.communicate(timeout=30)
live.check(p.returncode in (0, -signal.SIGINT), "a second signal", p.returncode)
live.done()
