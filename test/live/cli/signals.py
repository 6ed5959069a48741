# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C once: aggregations are printed, exit code 0. Twice: gone at once. SIGTERM as Ctrl-C."""
import signal
import subprocess
import time

import live


def start(*args):
    p = subprocess.Popen([live.DWELL, "-q", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    live.check(p.stdout.readline() == "up\n", "it runs")
    return p


for sig in (signal.SIGINT, signal.SIGTERM):
    p = start("-n", 'BEGIN { printf("up\\n"); @["counted"] = count(); } END { printf("the end\\n"); }')
    p.send_signal(sig)
    out, err = p.communicate(timeout=5)
    live.check("the end\n" in out and "counted" in out, f"{sig.name}: END and the aggregation", out + err)
    live.same((p.returncode, err), (0, ""), f"{sig.name}: exit code and messages")

p = start("-n", 'BEGIN { printf("up\\n"); } profile-997 { printf("%s\\n", execname); } syscall:::entry { @[execname, probefunc, pid] = count(); }')
p.send_signal(signal.SIGINT)
p.send_signal(signal.SIGINT)
begin = time.monotonic()
p.communicate(timeout=5)
live.check(time.monotonic() - begin < 1, "twice: it leaves at once")
live.check(p.returncode in (0, 1), f"exit code {p.returncode}")
live.done()
