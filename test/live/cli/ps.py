# SPDX-License-Identifier: Apache-2.0
"""dwell ps: a session of dwell is listed with its programs and what they cost; test/vm/run_vm has functions of the kernel."""
import json
import os
import re
import subprocess

import live

d = subprocess.Popen(
    [
        live.DWELL,
        "-qn",
        'BEGIN { printf("up\\n"); } syscall::getppid:entry { @ = count(); } syscall::getppid:return { @r = count(); } profile-97 { @p = count(); }',
        "-c",
        live.TRIGGER + " getppid 100000000",
    ],
    stdout=subprocess.PIPE,
)
d.stdout.readline()  # the command runs when BEGIN has fired
for _ in range(20):  # until it runs, on a busy machine
    rows = [json.loads(l) for l in live.dwell("ps", "--json", "--for", "200ms").stdout.splitlines()]
    mine = [x for x in rows if x["type"] == "process" and x["pid"] == d.pid]
    if mine and mine[0]["runs_per_s"] and mine[0]["probes"] >= 2:
        break
live.same(len(mine), 1, "the session is there once")
m = mine[0]
live.check(m["programs"] >= 3 and m["maps"] > 0 and m["map_bytes"] > 0 and m["uid"] == os.getuid(), "what it holds", m)
live.check(
    m["runs_per_s"] > 0 and m["ns_per_run"] > 0 and m["cpu_percent"] > 0 and m["command"].endswith("getppid 100000000"),
    "what it costs",
    m,
)
out = live.dwell("ps", "--for", "200ms").stdout
live.check(re.search(rf"^ +PID  USER +PROGRAMS +PROBES .*\n(.*\n)* +{d.pid}  \w+ +\d+ ", out), "as a table", out)
out = live.dwell("ps", "--for", "200ms", d.pid).stdout
live.check(
    re.search(r"^PROGRAM  TYPE .*\n(.*\n)* *\d+  perf_event +d_profile_\d ", out)
    and re.search(r"  d_sys_e\w+ +1 +[1-9]\d* +[1-9]\d* .* tracepoint sys_enter\n", out),
    "its programs",
    out,
)
d.terminate()
d.wait()
live.check(
    not any(
        x.get("pid") == d.pid
        for x in map(json.loads, live.dwell("ps", "--json", "--for", "1ms", "--all").stdout.splitlines())
    ),
    "gone when it has ended",
)
for args, words in (
    ([d.pid], "holds no BPF programs"),
    (["x"], "'x' is no process"),
    (["1", "2"], "'2'"),
    (["--for", "0"], "--for"),
    (["0"], "'0' is no process"),
):
    r = live.dwell("ps", *args)
    live.check(r.returncode in (1, 2) and words in r.stderr, f"ps {args}", r.stderr)
r = subprocess.run(
    ["setpriv", "--reuid", "65534", "--clear-groups", live.DWELL, "ps"], capture_output=True, text=True, timeout=20
)
live.check(
    r.returncode == 1 and ("for root only" in r.stderr or "Permission" in r.stderr), "others may not look", r.stderr
)
live.done()
