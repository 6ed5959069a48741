# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""dwell sql and dwell serve of a trace, without an export: the rows and the pages are those of the recording that dwell export makes of it; names are the
trace's; nothing stays behind; traces that are cut off, damaged."""
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

import live
import traces

TRACE, OUT, CUT, BAD = (os.path.join(live.WORK, x) for x in ("loud.trace", "loud.dwell", "cut.trace", "bad.trace"))
tmp = tempfile.mkdtemp(prefix="dwell-test-")
ENV = {**os.environ, "TMPDIR": tmp}


def run(*args):
    return subprocess.run(
        [live.DWELL, *args], capture_output=True, timeout=50, check=False, stdin=subprocess.DEVNULL, text=True, env=ENV
    )


def sql(path, text):
    r = run("sql", "--json", path, text)
    return [json.loads(x) for x in r.stdout.splitlines()] if r.returncode == 0 and not r.stderr else r


r = run("rec", "-q", "-o", TRACE, "--", "sh", "-c", "(sleep 0.1; cat /etc/passwd) | sort >/dev/null")
live.check(r.returncode == 0, "recorded", r)
live.check(run("export", "--format", "recording", "-o", OUT, TRACE).returncode == 0, "exported")

# dwell sql
for text in (
    "SELECT label, count(*) AS n, sum(duration_us) AS us FROM spans GROUP BY label ORDER BY label",
    "SELECT * FROM slow_events ORDER BY time_s, tid",
    "SELECT host, kernel, begun_wall FROM session",
):
    there, made = sql(TRACE, text), sql(OUT, text)
    live.check(made and there == made, "sql of a trace: " + text, f"{there} {made}")
slept = sql(TRACE, "SELECT max(duration_us) AS us FROM spans WHERE label = 'clock_nanosleep'")
live.check(slept[0]["us"] >= 100_000, "times of then", slept)
r = run("sql", TRACE, "SELECT nothing FROM spans")
live.check(r.returncode == 1 and "nothing" in r.stderr and tmp not in r.stderr, "a wrong statement", r)
traces.damage(TRACE, CUT, BAD)
r = run("sql", "--json", CUT, "SELECT count(*) AS n FROM spans")
live.check(
    r.returncode == 0
    and "ends before its program" in r.stderr
    and 0 < json.loads(r.stdout)["n"] < sql(OUT, "SELECT count(*) AS n FROM spans")[0]["n"],
    "one that was cut off: up to there",
    r,
)
for args in ("sql", BAD, "SELECT 1"), ("serve", BAD):
    r = run(*args)
    live.check(r.returncode == 1 and "damaged" in r.stderr and BAD in r.stderr, f"{args[0]} of a damaged one", r)
live.same(os.listdir(tmp), [], "dwell sql leaves nothing")

# dwell serve
server = subprocess.Popen(
    [live.DWELL, "serve", TRACE, OUT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENV
)
PORT, TOKEN = re.match(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})$", server.stdout.readline()).groups()


def ask(path=""):
    c = http.client.HTTPConnection("127.0.0.1", int(PORT), timeout=30)
    c.request("GET", "/api/v1/recordings" + path, headers={"Authorization": "Bearer " + TOKEN})
    r = c.getresponse()
    data = r.read()
    c.close()
    return [json.loads(x) for x in data.splitlines()] if r.status == 200 else (r.status, data)


named = [(x["id"], x["name"]) for x in ask()[0]["recordings"]]
live.same(named, [("r1", "loud.trace"), ("r2", "loud.dwell")], "the trace has its name")
for page in "contents.json", "hist.json?by=@syscall_name", "heat.json?by=@syscall_name", "slow.json?longest=5":
    there, made = ask("/r1/" + page), ask("/r2/" + page)
    for x in there + made if isinstance(there, list) else ():
        for key in "heading", "title", "bytes", "name":
            x.pop(key, None)
    live.check(
        isinstance(there, list) and there and there == made, "serve of a trace: " + page, f"{there} {made}"[:800]
    )
server.send_signal(signal.SIGTERM)
server.wait(20)
live.same(os.listdir(tmp), [], "dwell serve leaves nothing")
os.rmdir(tmp)
sys.exit(live.failures > 0)
