# SPDX-License-Identifier: Apache-2.0
"""slow(): one record with who waited, who ended it, the key and attributes of all kinds; a limit per second, whose
rest is counted; a threshold that follows the worst."""
import json
import re

import live

T = live.TRIGGER
MARKS = """%s
syscall::lseek:entry /pid == $target && arg2 == 0/ { begin(t, arg1, "k"); }
syscall::lseek:entry /pid == $target && arg2 == 1/ { end(t, arg1, "k", 42); }
"""


def run(tracker, clauses, script, *options):
    return live.dwell(*options, "-n", MARKS % tracker + clauses, "-c", f"{T} track {script}")


ATTRS = (
    'latency:t::slow { slow("number", args[1] * 2, "who", execname, "stack", stack(5), "opener", args[0]->opener_comm, '
    '"where", func(curthread->sched_class), "ustack", ustack(2), "empty", args[0]->stack); }'
)
TRACKER = "tracker t (int64_t, string) { threshold = 10ms; }"
r = run(TRACKER, ATTRS, "b1 b2 s15000 e2 s1000 e1 b3 e3", "--json")
events = [json.loads(line) for line in r.stdout.splitlines()]
slow = [e["output"][0] for e in events if e.get("name") == "slow"]
live.same(
    [(s["tracker"], s["how"], s["exit_id"], s["key"]) for s in slow],
    [("t", "normal", 42, [2, "k"]), ("t", "normal", 42, [1, "k"])],
    "the slow events",
)
for s in slow:
    a = s["attributes"]
    live.check(
        15000000 <= s["delay"] < 1000000000
        and s["opener"]["comm"] == s["closer"]["comm"] == "trigger"
        and s["opener"]["pid"] == s["opener"]["tid"] == s["closer"]["pid"],
        "who, and how long",
        s,
    )
    live.check(
        a["number"] == 2 * s["key"][0] and a["who"] == a["opener"] == "trigger" and len(a["stack"]) > 1, "attributes", a
    )
hists = [e for e in events if e["type"] == "histogram"]
live.check(
    sum(h["count"] for h in hists) == 3 and all(h["tracker"] == "t" and h["period"] == 10**9 for h in hists),
    "histograms",
    hists,
)
live.check(
    all(
        sum(b["count"] for b in h["buckets"]) == h["count"]
        and sum(b["from"] * b["count"] for b in h["buckets"])
        <= h["sum"]
        <= sum(b["to"] * b["count"] for b in h["buckets"])
        for h in hists
    ),
    "their buckets",
    hists,
)
r = run(TRACKER, ATTRS, "b1 s15000 e1", "-q")
live.check(
    re.search(r"slow t +1\d\.\d ms +trigger \d+/\d+ on CPU", r.stdout) and "number         2" in r.stdout,
    "as text",
    r.stdout + r.stderr,
)

r = run(
    "tracker t (int64_t, string) { threshold = 0; limit = 10; }",
    "latency:t::slow { @ = count(); }",
    "B100 E100",
    "-q",
    "-x",
    "droptags",
)
got = int(r.stdout.split()[-1])
lost = sum(
    map(
        int,
        re.findall(
            r"\[DROP_TRACK_LIMITED\] tracker t: (\d+) slow events? not shown: more than the limit per second", r.stderr
        ),
    )
)
live.check(10 <= got <= 20 and got + lost == 100, "a limit per second, and the rest counted", r.stdout + r.stderr)

r = run(
    "tracker t (int64_t, string) { threshold = 1ms; worst = 1; }",
    'latency:t::slow { printf("%d\\n", arg1); }',
    "b1 s3000 e1 b2 s40000 e2 b3 s3000 e3 b4 s80000 e4 b5 s2000 e5",
    "-q",
)
live.same(r.stdout.split(), ["1", "2", "4"], "worst so far")

# one in 16 of what is not slow is a control sample, and says so
r = run(
    "tracker t (int64_t, string) { threshold = 1h; control = 16; }",
    'latency:t::slow { slow(); @ = count(); }',
    "B2000 E2000 " * 4,
    "--json",
)
lines = [json.loads(line) for line in r.stdout.splitlines()]
how = {e["output"][0]["how"] for e in lines if e.get("name") == "slow"}
n = [e["rows"][0]["values"][0] for e in lines if e["type"] == "printa"][0]
live.check(how == {"control"} and 250 <= n <= 1000, "a control sample", (how, n))

r = live.dwell("-lvn", "tracker list_me (dev_t, uint64_t) { } BEGIN { begin(list_me, 0, 0); }")
rows = [line.split() for line in r.stdout.splitlines()]
live.same(
    [row[1:] for row in rows if "list_me" in row],
    [["latency", "list_me", n] for n in ("slow", "all", "timeout")],
    "listed at the declaration",
)
live.check("args[0]: latency_t *" in r.stdout and "args[2]: uint64_t" in r.stdout, "with arguments", r.stdout)
live.done()
