# SPDX-License-Identifier: Apache-2.0
"""dwell sql: views of a recording of known truth as table, CSV and JSON Lines; errors with their place; Ctrl-C; without privileges."""
import csv
import io
import json
import os
import re
import signal
import subprocess
from live import DWELL, TRIGGER, WORK, check, done, dwell, same

REC = os.path.join(WORK, "sql.dwell")


def sql(*args, **kw):
    return dwell("sql", *args, **kw)


def rows(question):
    r = sql("--json", REC, question)
    check(r.returncode == 0, question, r.stderr)
    return [json.loads(l) for l in r.stdout.splitlines()]


PROGRAM = """
    tracker t { threshold = 1ns; }
    syscall::getppid:entry /pid == $target/ { begin(t); @calls["getppid", probefunc] = count(); @stacks[stack(), ustack()] = count(); @size = quantize(9); @mean = avg(3); }
    syscall::getppid:return /pid == $target/ { end(t); printf("%s %d\\n", execname, 42); span("lane", "label", timestamp - 5000, 5000); }
    latency:t::slow { slow("number", 7, "word", "of mine"); }
    END { clear(@calls); }
    """
r = dwell("-q", "--record", REC, "-n", PROGRAM, "-c", f"{TRIGGER} getppid 100", timeout=60)
same(r.returncode, 0, "a recording")
same(
    rows("SELECT value, key, keys_json, function FROM aggregations WHERE name = 'calls'"),
    [{"value": 100, "key": "getppid, getppid", "keys_json": '["getppid","getppid"]', "function": "count"}],
    "what was added, though it was cleared",
)
same(
    rows("SELECT value, events, buckets_json, sum FROM aggregations WHERE name IN ('mean', 'size') ORDER BY name"),
    [
        {"value": 3, "events": 100, "buckets_json": None, "sum": 300},
        {"value": None, "events": 100, "buckets_json": "[[8,16,100]]", "sum": None},
    ],
    "average, distribution",
)
same(
    rows(
        "SELECT substr(text, 1, 10) AS text, fields_json ->> 1 AS second, probe, count(*) AS n FROM events WHERE text LIKE 'trigger %' GROUP BY 1"
    ),
    [{"text": "trigger 42", "second": 42, "probe": "syscall:vmlinux:getppid:return", "n": 100}],
    "events print what they did",
)
got = rows(
    "SELECT comm, how, attributes_json, count(*) AS n, min(delay_us) > 0 AS positive, min(time_s) >= 0 AS later FROM slow_events WHERE tracker = 't' GROUP BY comm"
)
same(
    [(g["comm"], json.loads(g["attributes_json"]), g["positive"], g["later"]) for g in got],
    [("trigger", {"number": 7, "word": "of mine"}, 1, 1)],
    "slow events",
)
same(rows("SELECT sum(events) AS n FROM waits"), [{"n": got[0]["n"]}], "waits are slow events added up")
s = rows(
    "SELECT sum(value) AS n, min(user_stack LIKE 'trigger`%;%') AS user, min(kernel_stack LIKE 'vmlinux`%;%') AS kernel FROM samples"
)
same(s, [{"n": 100, "user": 1, "kernel": 1}], "stacks from the root on")
same(
    rows("SELECT sum(count) AS n, unit FROM histograms WHERE name = 't' AND period_s = 1"),
    [{"n": 100, "unit": "ns"}],
    "histograms",
)
same(
    rows("SELECT sum(count) AS n, max(p50 <= p99) AS rising FROM percentiles WHERE name = 't' AND period_s = 1"),
    [{"n": 100, "rising": 1}],
    "percentiles",
)
same(
    rows("SELECT lane, label, duration_us, count(*) AS n FROM spans GROUP BY lane"),
    [{"lane": "lane", "label": "label", "duration_us": 5, "n": 100}],
    "spans",
)
same(
    rows("SELECT cpus, kernel FROM session"),
    [{"cpus": os.sysconf("SC_NPROCESSORS_CONF"), "kernel": os.uname().release}],
    "session",
)
check(
    rows(
        "SELECT count(*) AS n FROM processes WHERE what = 'exit' AND pid IN (SELECT pid FROM slow_events WHERE tracker = 't')"
    )[0]["n"]
    == 1,
    "processes",
)

# -- forms --
two = "SELECT 1 AS a, 'x,\"y' AS b; SELECT 2.5 AS c, NULL AS d, x'00ff' AS e, 'é' AS e"
same(sql(REC, two).stdout, "a  b\n1  x,\"y\n\n    c  d  e     e_2\n2.500     00ff  é\n", "tables")
r = subprocess.run([DWELL, "sql", "--csv", REC, two.split(";", maxsplit=1)[0]], capture_output=True, timeout=20)
same(list(csv.reader(io.StringIO(r.stdout.decode(), newline=""))), [["a", "b"], ["1", 'x,"y']], "CSV")
same(
    [json.loads(l) for l in sql("--json", REC, two).stdout.splitlines()],
    [{"a": 1, "b": 'x,"y'}, {"c": 2.5, "d": None, "e": "00ff", "e_2": "é"}],
    "JSON Lines",
)
wide = subprocess.run(
    [
        "script",
        "-qec",
        f"stty cols 60; {DWELL} sql {REC} \"SELECT '{'w' * 100}' AS long, 'a' || char(27) || 'b' AS esc\"",
        "/dev/null",
    ],
    stdin=subprocess.DEVNULL,
    capture_output=True,
    text=True,
    timeout=20,
).stdout.splitlines()
check(
    all(len(l) <= 62 for l in wide) and "…" in wide[1] and "\\033" in wide[1],
    "a terminal: cut, and nothing that it would obey",
    wide,
)
listed = sql("--views").stdout
doc = open(os.path.join(os.environ["LIVE"], "../../doc/sql.md"), encoding="utf-8").read()
for v in [json.loads(l) for l in sql("--views", "--json").stdout.splitlines()]:
    check(f"{v['view']}: {v['what']}\n\t{v['columns']}\n" in listed, f"--views: {v['view']}", listed)
    check(
        f"| `{v['view']}` | {v['what']} | {v['columns']} |" in doc, f"doc/sql.md has {v['view']} as it is", v["columns"]
    )

# -- files of statements, errors --
with open(os.path.join(WORK, "q.sql"), "w", encoding="utf-8") as f:
    f.write("-- two\nSELECT 1 AS a;\nSELECT nosuch\n FROM events;\n")
r = sql(REC, "-f", os.path.join(WORK, "q.sql"))
same((r.returncode, r.stdout), (1, "a\n1\n"), "-f: up to the error")
check(
    re.search(r"q\.sql: line 3, column 8: no such column: nosuch; .*\n  SELECT nosuch\n         \^\n$", r.stderr),
    "which has a place",
    r.stderr,
)
same(sql(REC, "-f", "-", input="SELECT 5 AS a", stdin=None).stdout, "a\n5\n", "-f -")
for text, says in [
    ("DELETE FROM slow", "only SELECT is possible"),
    ("ATTACH '/etc/passwd' AS x", "only SELECT is possible"),
    ("SELECT * FROM evnts", "did you mean events?"),
]:
    r = sql(REC, text)
    check(r.returncode == 1 and says in r.stderr, text, f"{r}")
for args, says in [
    ([], "a recording is missing"),
    ([REC], "a statement is missing"),
    ([REC, "SELECT 1", "x"], "'x' is not expected"),
    (["--csv", "--json", REC, "SELECT 1"], "choose one"),
]:
    r = sql(*args)
    check(r.returncode == 2 and says in r.stderr, f"{args}", f"{r}")
r = sql(TRIGGER, "SELECT 1")
check(r.returncode == 1 and "no recording of dwell" in r.stderr, "no recording", r.stderr)
out = os.path.join(WORK, "out.csv")
same((sql("--csv", "-o", out, REC, "SELECT nosuch").returncode, os.path.exists(out)), (1, False), "-o: all or nothing")
same(
    (sql("--csv", "-o", out, REC, "SELECT 3 AS a").returncode, open(out, encoding="ascii", newline="").read()),
    (0, "a\r\n3\r\n"),
    "-o",
)

# -- Ctrl-C; without privileges --
p = subprocess.Popen(
    [
        DWELL,
        "sql",
        REC,
        "SELECT 1 AS a; WITH RECURSIVE q(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM q) SELECT max(x) FROM q",
    ],
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    text=True,
)
same([p.stdout.readline(), p.stdout.readline()], ["a\n", "1\n"], "a statement's rows are there when the next one runs")
p.send_signal(signal.SIGINT)
same((p.communicate(timeout=20), p.returncode), (("", ""), 130), "Ctrl-C ends a statement")
os.chmod(REC, 0o644)
os.chmod(WORK, 0o755)
with open(REC, "rb") as f:
    r = subprocess.run(
        [DWELL, "sql", f"/proc/self/fd/{f.fileno()}", "SELECT cpus > 0 AS some FROM session"],
        pass_fds=[f.fileno()],
        user=65534,
        group=65534,
        extra_groups=[],
        capture_output=True,
        text=True,
        timeout=20,
    )
same((r.returncode, r.stdout), (0, "some\n   1\n"), f"as nobody: {r.stderr}")
done()
