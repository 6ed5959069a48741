# SPDX-License-Identifier: Apache-2.0
"""dwell calls: functions of a program; test/vm/run_vm has those of the kernel."""
import contextlib
import json
import os
import re
import signal
import subprocess
import time

import live

r = live.dwell("calls", "run_chain", "--", live.TRIGGER, "chain", 10)
live.check(
    re.search(r"^a\.out`run_chain: 1 call, .*\n\n +CALLS +TIME +% +MEAN +LONGEST  CALLEE\n", r.stdout),
    "the function itself",
    r.stdout + r.stderr,
)
live.check(re.search(r"\n +10 +[\d.]+ .s +[\d.]+ +[\d.]+ .s +[\d.]+ .s  chain_a\n", r.stdout), "a callee", r.stdout)
live.check(
    re.search(r"  \(itself, and what has no times\)\n\n +CALLS  CALLER\n +1  trigger`trigger_main\n$", r.stdout),
    "its caller",
    r.stdout,
)
rows = [
    json.loads(l)
    for l in live.dwell("calls", "--json", "a.out`chain_a", "-c", live.TRIGGER + " chain 7").stdout.splitlines()
]
live.same(
    [(x["type"], x["function"], x["calls"]) for x in rows],
    [("function", "a.out`chain_a", 7), ("callee", "chain_b", 7), ("caller", "trigger`run_chain", 7)],
    "JSON",
)
live.check(rows[0]["ns"] >= rows[1]["ns"] >= rows[1]["longest_ns"] > 0, "times within times", rows)

# A function of a library of a process that runs, ended by Ctrl-C.
p = subprocess.Popen([live.TRIGGER, "spin", "20000"])
d = subprocess.Popen(
    [live.DWELL, "calls", "libc.so.6`malloc", "-p", str(p.pid)],
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    text=True,
)
for _ in range(150):  # until it is attached
    with contextlib.suppress(OSError):
        if any("bpf_link" in os.readlink(f"/proc/{d.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{d.pid}/fd")):
            break
    time.sleep(0.1)
d.send_signal(signal.SIGINT)
out, err = d.communicate(timeout=20)
live.check(d.returncode == 0 and "libc.so.6`malloc: 0 calls, " in out, "Ctrl-C", out + err)
for args, words in (
    (["libx.so`f", "-p", str(p.pid)], f"process {p.pid} has no module libx.so"),
    (["nothing", "-p", str(p.pid)], "has no function nothing"),
    (["f", "-p", str(p.pid), "--", "true"], "one of -p, -c and a command"),
    ([], "a function is missing"),
    (["chain_*", "--", live.TRIGGER], "one function is to be named"),
    (["a", "b"], "'b'"),
    (["f", "--", "/no/such"], "there is no program '/no/such'"),
    (["f", "-p", "0"], "is no process"),
    (["f", "--"], "a command is missing"),
    (["lib.so`f", "--", live.TRIGGER], "functions of libraries are for processes that run"),
    (["f", "--", __file__], "no program"),
):
    r = live.dwell("calls", *args)
    live.check(r.returncode in (1, 2) and words in r.stderr, "calls " + " ".join(args), r.stderr)
p.kill()
p.wait()
if not re.search(r"^  yes +functions of the kernel \(fbt\)", live.dwell("features").stdout, re.M):
    r = live.dwell("calls", "vfs_read")
    live.check(
        r.returncode == 1 and "functions of the kernel cannot be traced here: " in r.stderr,
        "the kernel's are refused",
        r.stderr,
    )
live.done()
