# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""--metrics: what Prometheus reads, by its own parser; strangers, storms and slow clients."""
import http.client
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import live

sys.path.append("/usr/lib/python3/dist-packages")
try:
    from prometheus_client.openmetrics import parser
except ImportError:
    parser = None
    print("# python3-prometheus-client is missing: not parsed")

os.chdir(live.WORK)


def status(port, host=None, method="GET", path="/metrics", headers=None):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=25)
    try:
        c.putrequest(method, path, skip_host=True)
        c.putheader("Host", host or f"127.0.0.1:{port}")
        for k, v in (headers or {}).items():
            c.putheader(k, v)
        c.endheaders()
        return c.getresponse().status
    except (ConnectionError, http.client.HTTPException):
        return 0
    finally:
        c.close()


with live.Daemon("offcpu", "syscall", "--over", "20ms", "--metrics", "0") as d:
    port = int(re.search(r":(\d+)/", d.where).group(1))
    subprocess.run(["bash", "-c", "for i in 1 2 3 4 5; do sleep 0.05; done"], check=True)
    end = time.monotonic() + 20
    while time.monotonic() < end and d.metrics().get('dwell_slow_events_total{tracker="offcpu"}', 0) < 6:
        time.sleep(0.2)
    with urllib.request.urlopen(d.where) as r:
        text = r.read().decode()
        live.same(
            r.headers["Content-Type"], "application/openmetrics-text; version=1.0.0; charset=utf-8", "content type"
        )
    live.check(text.endswith("\n# EOF\n"), "# EOF", text[-200:])
    if parser:
        families = {f.name: f for f in parser.text_string_to_metric_families(text)}
        latency = families["dwell_latency_seconds"]
        count = {s.labels["tracker"]: s.value for s in latency.samples if s.name.endswith("_count")}
        inf = {s.labels["tracker"]: s.value for s in latency.samples if s.labels.get("le") == "+Inf"}
        live.check(
            latency.type == "histogram" and latency.unit == "seconds" and count == inf and count["offcpu"] > 5,
            "histogram",
            str(count),
        )
        below = [s.value for s in latency.samples if s.name.endswith("_bucket") and s.labels["tracker"] == "offcpu"]
        live.check(below == sorted(below), "buckets grow")
        live.same(families["dwell_losses"].type, "counter", "losses")
        live.check(
            families["dwell_cpu_seconds"].samples[0].value > 0 and families["dwell_probe_runs"].samples[0].value > 100,
            "own cost",
        )
    m = d.metrics()
    live.check(m['dwell_slow_events_total{tracker="offcpu"}'] >= 5, "slow events", str(m))
    live.same(m["dwell_unrecorded_rows_total"], 0, "all is recorded")
    # strangers
    live.same(
        [
            status(port),
            status(port, f"localhost:{port}"),
            status(port, "evil.example"),
            status(port, method="POST"),
            status(port, path="/"),
            status(port, path="/../etc/passwd"),
            status(port, method="HEAD"),
        ],
        [200, 200, 403, 405, 404, 404, 200],
        "who may ask what",
    )
    live.check(status(port, headers={"X": "y" * 100000}) in (0, 400, 413, 431), "headers too large")
    live.check(
        status(port, method="POST", headers={"Content-Length": "100000000000"}) in (0, 405, 413), "a body too large"
    )
    # a storm: the tracer does not notice
    before, t0, n = d.cpu(), time.monotonic(), [0]

    def storm():
        while time.monotonic() < t0 + 2:
            n[0] += status(port) == 200

    threads = [threading.Thread(target=storm) for _ in range(8)]
    quiet = d.cpu()
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    used = d.cpu() - quiet
    live.check(n[0] > 50 and used < 0.4, f"{n[0]} requests", f"{used} s of the tracer's CPU")
    # slow ones: they are closed; others are served
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
    for s in slow:
        s.send(b"GET /metrics HTTP/1.1\r\n")
    end = time.monotonic() + 40
    served = 0
    while time.monotonic() < end and not served:
        for s in slow:
            try:
                s.send(b"X")
            except OSError:
                pass
        served = status(port) == 200
        time.sleep(0.5)
    live.check(served, "slow clients do not keep others out for long")
    for s in slow:
        s.close()
    child = subprocess.run(["pgrep", "-P", str(d.p.pid)], capture_output=True, text=True, check=True).stdout.split()[0]
    st = open(f"/proc/{child}/status", encoding="ascii").read()
    live.check("CapEff:\t0000000000000000" in st and "Uid:\t65534\t65534" in st, "the server has no privileges", st)
    os.kill(int(child), 9)
    live.check(d.wait_for("the process that serves the metrics has ended", 15), "its end is said", d.messages())
    live.same(d.end(), 0, "ends")
    live.check(not os.path.exists(f"/proc/{child}"), "the server is gone")
with live.Daemon("offcpu", "--metrics", "unix:sock", state="s2") as d:
    s = socket.socket(socket.AF_UNIX)
    s.connect("sock")
    s.send(b"GET /metrics HTTP/1.0\r\n\r\n")
    got = s.recv(100)
    live.check(got.startswith(b"HTTP/1.0 200") or got.startswith(b"HTTP/1.1 200"), "unix socket", str(got))
    live.same(os.stat("sock").st_mode & 0o777, 0o600, "for this user only")
    d.end()
    live.check(not os.path.exists("sock"), "the socket is removed")
static = os.path.join(os.path.dirname(os.path.realpath(live.DWELL)), "dwell-static")
if os.path.exists(static):
    r = subprocess.run(
        [static, "latency", "--daemon", "--state", "s3", "--metrics", "0"], capture_output=True, text=True, timeout=20
    )
    live.check(
        r.returncode == 1 and "opens no libraries" in r.stderr,
        "a daemon whose metrics cannot be served does not begin",
        r.stdout + r.stderr,
    )
live.done()
