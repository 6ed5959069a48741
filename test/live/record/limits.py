# SPDX-License-Identifier: Apache-2.0
# @timeout: 180
# @long: it writes what passes the limits many times over, a minute and a half
"""--record-size and --record-age with more events than they keep: a flood of events, aggregations by time and stack, the
programs of the live view. File and log stay within the limit all the time and at the end. They keep the newest events, and
readers read on. A kill or a full disk leaves a recording that can be read."""
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import threading
import time

import live

os.chdir(live.WORK)
MB = 1 << 20
FLOOD = 'syscall::getppid:entry { printf("%s %s %d\\n", execname, probefunc, timestamp); }'
CALLS = ["python3", "-c", "import os\nwhile True: os.getppid()"]


def size(path):
    """Of the recording, and the log and journal beside it."""
    n = 0
    for end in ("", "-wal", "-journal"):
        with contextlib.suppress(OSError):
            n += os.stat(path + end).st_size
    return n


def ask(path, sql):
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
        return db.execute(sql).fetchone()[0]


@contextlib.contextmanager
def load(*commands):
    running = [
        subprocess.Popen(c, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        for c in commands
    ]
    try:
        yield
    finally:
        for p in running:
            os.killpg(p.pid, signal.SIGKILL)
            p.wait()


class Run:
    """A dwell that records; what its files took at most."""

    def __init__(self, path, *args):
        self.path, self.most, self.ended = path, 0, False
        self.p = subprocess.Popen(
            [live.DWELL, "--record", path, *args], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        self.watcher = threading.Thread(target=self.watch)
        self.watcher.start()

    def watch(self):
        while not self.ended:
            self.most = max(self.most, size(self.path))
            time.sleep(0.002)

    def wait(self, timeout=60):
        try:
            self.said = self.p.communicate(timeout=timeout)[1]
        finally:
            self.ended = True
            self.watcher.join()
        return self.p.returncode

    def started(self, rows):
        for _ in range(400):
            with contextlib.suppress(sqlite3.Error):
                if ask(self.path, "SELECT coalesce(max(seq), 0) FROM row") > rows:
                    return True
            time.sleep(0.05)
        return False


def within(run, limit, name):
    live.check(run.most <= limit, f"{name}: file and log are within the limit", (run.most, limit))
    live.check(size(run.path) <= limit, f"{name}: at the end, too", (size(run.path), limit))
    live.same(os.path.exists(run.path + "-wal"), False, f"{name}: no log is left")
    live.same(ask(run.path, "PRAGMA integrity_check"), "ok", f"{name}: it is whole")


# A flood, with readers
with load(CALLS, CALLS):
    run = Run("flood.dwell", "--record-size", "2m", "-q", "-n", FLOOD + " tick-6s { exit(0); }")
    live.check(run.started(40000), "flood: more is recorded than there is room for", run.path)
    live.same(ask("flood.dwell", "PRAGMA integrity_check"), "ok", "flood: whole while it is written")
    r = live.dwell("report", "flood.dwell")
    live.check(
        r.returncode == 0 and r.stdout.count("getppid") > 100 and "damaged" not in r.stderr,
        "flood: can be reported meanwhile",
        r.stderr,
    )
    live.same(run.wait(), 0, "flood: it ends")
within(run, 2 * MB, "flood")
r = live.dwell("report", "-l", "flood.dwell")
live.check("kept     events since " in r.stdout, "flood: report -l tells since when events are there", r.stdout)
kept = json.loads(live.dwell("report", "-l", "--json", "flood.dwell").stdout)
live.check(kept["begun"] < kept["since"]["events"] <= kept["extent"][1], "flood: and so does its JSON", kept["since"])
live.check(run.most > MB, "flood: and uses what there is", run.most)
live.check(ask("flood.dwell", "SELECT count(*) FROM row WHERE kind = 0") > 1000, "flood: the newest are there")
live.check(ask("flood.dwell", "SELECT max(ts) - min(ts) FROM row WHERE kind = 0") < 6e9, "flood: the oldest are not")

# Somebody who holds one state of it for long
with load(CALLS, CALLS):
    run = Run("held.dwell", "--record-size", "2m", "-q", "-x", "droptags", "-n", FLOOD + " tick-8s { exit(0); }")
    live.check(run.started(20000), "held: it goes on")
    db = sqlite3.connect("file:held.dwell?mode=ro", uri=True, isolation_level=None)
    db.execute("BEGIN")
    held = db.execute("SELECT count(*) FROM row").fetchone()[0]
    time.sleep(2)
    live.same(db.execute("SELECT count(*) FROM row").fetchone()[0], held, "held: the reader has what it had")
    db.close()
    live.same(run.wait(), 0, "held: it ends")
within(run, 2 * MB, "held")
live.check(
    "somebody has been reading it" in run.said and "not in the recording: no room within --record-size" in run.said,
    "held: it is told, and how many rows",
    run.said,
)
live.same(run.said.count("somebody has been reading it"), 1, "held: once")
live.check("[DROP_RECORD] " in run.said, "held: the loss has its tag", run.said)
r = live.dwell("report", "-q", "held.dwell")
live.check("rows not in the recording" in r.stderr, "held: a report tells it as well", r.stderr)
live.check(int(ask("held.dwell", "SELECT value FROM meta WHERE key = 'unrecorded'")) > 0, "held: and the file")

# Aggregations by time and stack that are truncated: they go, slow events stay
STACKS = (
    "tracker nap { threshold = 1us; } syscall::getppid:entry /++n % 1000 == 0/ { begin(nap); } syscall::getppid:return { end(nap); } "
    "latency:nap::slow { slow(); } profile-1999hz { @[timestamp, cpu, ustack(), stack()] = count(); } tick-1s { trunc(@); } tick-12s { exit(0); }"
)
with load(CALLS, CALLS):
    run = Run("stacks.dwell", "--record-size", "4m", "-q", "-n", STACKS)
    live.same(run.wait(), 0, "stacks: it ends")
within(run, 4 * MB, "stacks")
first, last = (ask("stacks.dwell", f"SELECT {f}(ended) FROM slow") for f in ("min", "max"))
begun = int(ask("stacks.dwell", "SELECT value FROM meta WHERE key = 'begun_monotonic_ns'"))
live.check(
    first - begun < 4e9 and last - first > 8e9,
    "stacks: slow events of the whole run are there",
    ((first - begun) / 1e9, (last - first) / 1e9),
)
live.check(
    ask("stacks.dwell", "SELECT count(*) FROM row WHERE kind = 2 AND seq > 0") > 100, "stacks: and the newest stacks"
)
r = live.dwell("flame", "--from", "1ms", "-o", "stacks.svg", "stacks.dwell")
with open("stacks.svg") as f:
    picture = f.read()
live.check(
    r.returncode == 0 and "stacks since " in r.stderr and "stacks since " in picture,
    "stacks: a flame graph tells since when they are there",
    r.stderr,
)

# The programs of the live view, as dwell serve runs them
LIB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../dlib/latency")
args = [
    "--record-size",
    "16m",
    "--record-age",
    "10m",
    "--json",
    "-x",
    "noself",
    "-x",
    "maxcpu=25%",
    "-x",
    "switchrate=5hz",
    "-x",
    "cost",
    "-x",
    "zdepends",
]
for name in ("wakeup", "offcpu", "block", "irq", "softirq", "lock", "reclaim", "overview"):
    args += ["-s", f"{LIB}/{name}.d"]
with load(
    ["sh", "-c", "while :; do /bin/true; ls / > /dev/null; done"], ["sh", "-c", "while sleep 0.02; do :; done"], CALLS
):
    run = Run("live.dwell", *args)
    live.check(run.started(1000), "live view: it goes on")
    time.sleep(15)
    run.p.send_signal(signal.SIGINT)
    live.same(run.wait(), 0, "live view: it ends")
within(run, 16 * MB, "live view")
begun = int(ask("live.dwell", "SELECT value FROM meta WHERE key = 'begun_monotonic_ns'"))
last = ask("live.dwell", "SELECT max(ts) FROM row")
seconds = ask("live.dwell", "SELECT min(start) FROM hist WHERE period = 1000000000")
live.check(
    seconds - begun < last - seconds,
    "live view: histograms go further back than half of it",
    ((seconds - begun) / 1e9, (last - seconds) / 1e9),
)

# Age: nothing older than a second (and a commit) at the end
with load(CALLS, CALLS):
    run = Run("age.dwell", "--record-age", "1s", "-q", "-n", FLOOD + " tick-5s { exit(0); }")
    live.same(run.wait(), 0, "age: it ends")
live.check(
    ask("age.dwell", "SELECT max(ts) - min(ts) FROM row WHERE seq > 0 AND kind = 0") < 3e9,
    "age: what is older has gone",
    ask("age.dwell", "SELECT max(ts) - min(ts) FROM row WHERE seq > 0 AND kind = 0"),
)
live.check(not os.path.exists("age.dwell-wal"), "age: no log is left")

# Killed while rows give way
with load(CALLS, CALLS):
    run = Run("killed.dwell", "--record-size", "2m", "-q", "-n", FLOOD)
    live.check(run.started(60000), "killed: rows give way")
    run.p.kill()
    run.wait()
live.check(run.most <= 2 * MB, "killed: within the limit", run.most)
r = live.dwell("report", "killed.dwell")
live.check("was not ended" in r.stderr and r.stdout.count("getppid") > 100, "killed: it can be read", r.stderr)
live.same(ask("killed.dwell", "PRAGMA integrity_check"), "ok", "killed: it is whole")

# A disk that is smaller than the limit
os.mkdir("small")
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", "small"], check=False).returncode == 0:
    try:
        with load(CALLS, CALLS):
            run = Run("small/x.dwell", "--record-size", "16m", "-q", "-n", FLOOD + " tick-5s { exit(0); }")
            live.same(run.wait(), 1, "a full disk: the status tells it")
        live.check(
            "the recording is not continued" in run.said and "is full" in run.said and "not recorded" in run.said,
            "a full disk: it is said",
            run.said,
        )
        r = live.dwell("report", "small/x.dwell")
        live.check(r.stdout.count("getppid") > 100, "a full disk: what was there can be read", r.stderr)
    finally:
        subprocess.run(["umount", "-l", "small"], check=False)

# Limits that are too small
r = live.dwell("--record", "tiny.dwell", "--record-size", "100k", "-n", "BEGIN { exit(0); }")
live.check(
    r.returncode == 1
    and "a limit of 102400 bytes is too small" in r.stderr
    and "--record-size 1048576" in r.stderr
    and not os.path.exists("tiny.dwell"),
    "a limit that is too small is refused, with one that is not",
    r.stderr,
)
r = live.dwell("--record", "least.dwell", "--record-size", "1048576", "-q", "-n", "BEGIN { exit(0); }")
live.check(r.returncode == 0 and size("least.dwell") <= MB, "that one does", r.stderr)
live.done()
