#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `dwell fleet host` costs beside a daemon: the daemon alone, then with each sender after the other, in one run. CPU time of /proc/PID/stat.
usage: fleethost.py SECONDS DWELL [DWELL…]    (root; several programs are compared)"""
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../live"))
import engines  # noqa: E402


def cpu(p):
    with open(f"/proc/{p.pid}/stat", encoding="ascii") as f:
        user, system = f.read().rsplit(") ", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def memory(p):
    with open(f"/proc/{p.pid}/smaps_rollup", encoding="ascii") as f:
        sizes = dict(line.split(":", 1) for line in f if line.count(":") == 1)
    return ", ".join(f"{what} {int(sizes[what].split()[0]) / 1024:.1f} MB" for what in ("Pss", "Rss"))


def share(seconds, *programs):
    before, begun = [cpu(p) for p in programs], time.monotonic()
    time.sleep(seconds)
    return [100 * (cpu(p) - b) / (time.monotonic() - begun) for p, b in zip(programs, before)]


def main():
    seconds, dwells = int(sys.argv[1]), [os.path.abspath(a) for a in sys.argv[2:]]
    with tempfile.TemporaryDirectory() as folder, engines.Nats(folder + "/nats") as nats:
        os.chdir(folder)
        env = {**os.environ, "DWELL_FLEET": nats.url}
        with engines.ClickHouse(folder + "/store") as store:
            subprocess.run([dwells[0], "fleet", "init", "--store", store.url], env=env, check=True)
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        started = [
            subprocess.Popen(
                [dwells[0], "latency", "--daemon", "--state", "state"], stderr=subprocess.DEVNULL, **quiet
            )
        ]
        try:
            time.sleep(12)
            print(f"daemon alone: {share(seconds, started[0])[0]:.2f} %; {memory(started[0])}", flush=True)
            for dwell in dwells:
                p = subprocess.Popen([dwell, "fleet", "host", "--state", "state"], env=env, **quiet)
                started.append(p)
                time.sleep(8)
                daemon, sender = share(seconds, started[0], p)
                print(f"{dwell}: daemon {daemon:.2f} %, sender {sender:.2f} %; {memory(p)}; load {os.getloadavg()[0]:.0f}", flush=True)
                p.terminate()
                p.wait()
        finally:
            for p in started:
                p.terminate()
                p.wait()
            os.chdir("/")


if __name__ == "__main__":
    main()
