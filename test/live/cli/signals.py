# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C once, or twice within milliseconds: aggregations are printed, exit code 0. SIGTERM as Ctrl-C. See interrupt.py."""
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

p = start(
    "-n",
    'BEGIN { printf("up\\n"); } profile-997 { printf("%s\\n", execname); } syscall:::entry { @[execname, probefunc, pid] = count(); }',
)
p.send_signal(signal.SIGINT)
time.sleep(0.003)
p.send_signal(signal.SIGINT)
out, err = p.communicate(timeout=10)
live.same((p.returncode, "second signal" in err), (0, False), "twice at once is once")
live.check(
    any(l.split()[-1:] != [] and l.split()[-1].isdigit() and len(l.split()) == 4 for l in out.splitlines()),
    "and loses nothing",
    out[-500:],
)
live.done()
