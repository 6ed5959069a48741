#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What it costs a server in Node (test/live/stack/orders.js, with a PostgreSQL) that dwell looks at its stacks: CPU time of the
server for each request, of which the half are without dwell, in turn.
usage: runtimecost.py DWELL [ROUNDS]"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../live"))
import orders  # noqa: E402

CLIENTS, EACH = 8, 250
WAYS = {
    "dwell latency --runtime": ["latency", "--runtime", "-p"],
    "dwell flame --on-cpu (99 samples a second)": ["flame", "--on-cpu", "-o", os.devnull, "-p"],
    "dwell latency gc loop --stacks": ["latency", "--stacks", "gc", "loop", "-p"],
    "@[jstack()] at each write()": ["-qn", "syscall::write:entry /pid == $target/ { @[jstack(60)] = count(); }", "-p"],
}


def cpu(pid):
    """Seconds of CPU time of the process."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def load(p, port):
    """Microseconds of CPU for each request, and requests in a second."""
    before = cpu(p.pid)
    took, wrong = orders.clients(port, CLIENTS, EACH)
    assert not wrong
    n = CLIENTS * EACH
    return (cpu(p.pid) - before) * 1e6 / n, n / took


def main():
    dwell, rounds = os.path.realpath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    got = {name: ([], []) for name in WAYS}
    with tempfile.TemporaryDirectory() as folder, orders.database() as path:
        with orders.server(shutil.which("node"), path, os.path.join(folder, "log")) as (p, port):
            load(p, port)
            for _ in range(rounds):
                for name, args in WAYS.items():
                    without = load(p, port)
                    d = subprocess.Popen(
                        [dwell, *args, str(p.pid)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                    )
                    time.sleep(2)
                    with_it = load(p, port)
                    d.send_signal(2)
                    d.wait(60)
                    for i in (0, 1):
                        got[name][i].append((without[i], with_it[i]))
    for name, (times, rates) in got.items():
        a, b = (statistics.median(x[i] for x in times) for i in (0, 1))
        c, d = (statistics.median(x[i] for x in rates) for i in (0, 1))
        print(
            f"{name}: {a:.0f} and {b:.0f} us of CPU for a request ({b / a:.2f}), {c:.0f} and {d:.0f} requests a second"
        )


if __name__ == "__main__":
    main()
