# SPDX-License-Identifier: Apache-2.0
"""After Ctrl-C, SIGKILL, and an ordinary end no program, link or map of dwell exists any more."""
import os
import re
import signal
import subprocess
import time

import live

PROGRAM = (
    'BEGIN { printf("up\\n"); } syscall:::entry { @[execname] = count(); self->t = timestamp; a[pid] = 1; } '
    "syscall:::return { } profile-97 { @s[stack()] = count(); } tick-1s { } sdt:::sched_switch { n++; }"
)


def owned(pid):
    """What this process holds: {("prog", id), …}."""
    found = set()
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            text = open(f"/proc/{pid}/fdinfo/{fd}").read()
        except OSError:
            continue
        for kind in ("prog", "link", "map"):
            found |= {(kind, int(i)) for i in re.findall(rf"^{kind}_id:\s*(\d+)", text, re.M)}
    return found


for name, sig in (("Ctrl-C", signal.SIGINT), ("SIGKILL", signal.SIGKILL)):
    p = subprocess.Popen([live.DWELL, "-q", "-n", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    p.stdout.readline()
    time.sleep(0.3)
    mine = owned(p.pid)
    live.check(len([k for k, _ in mine if k == "prog"]) > 2, f"{len(mine)} objects while it runs", str(mine))
    p.send_signal(sig)
    p.communicate(timeout=10)
    left = mine
    for _ in range(50):  # the kernel frees them after a grace period
        left = mine & live.attached()
        if not left:
            break
        time.sleep(0.1)
    live.same(left, set(), f"after {name} nothing is left")
live.done()
