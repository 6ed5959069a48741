# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
"""dwell top: the screen, its keys, terminals of all kinds, the end. tmux plays the terminal."""
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import time

import live

os.chdir(live.WORK)
with open("pipe.py", "w", encoding="utf-8") as f:
    f.write(
        """
import os, signal, sys, time
r, w = os.pipe()
if os.fork() == 0:
    open("/proc/self/comm", "wb").write(b"\\x1b[31mevil")
    for i in range(int(sys.argv[1])):
        time.sleep(0.2)
        os.write(w, b"x")
    os._exit(0)
open("/proc/self/comm", "w").write("reader")
for i in range(int(sys.argv[1])):
    os.read(r, 1)
os.wait()
"""
    )
TMUX = ["tmux", "-u", "-f", "/dev/null", "-S", f"{live.WORK}/t"]
LOAD = f"{sys.executable} pipe.py 200"


def tmux(*args):
    return subprocess.run([*TMUX, *args], text=True, capture_output=True).stdout


def start(*args, cols=80, rows=24, env=()):
    """dwell top in a new terminal."""
    tmux("kill-server")
    command = shlex.join(["env", "TERM=tmux-256color", "LANG=C.UTF-8", *env, live.DWELL, "top", *args])
    TMUX[-1] += "t"  # a server that is ending takes commands, still
    tmux("new-session", "-d", "-x", str(cols), "-y", str(rows), f"{command}; echo EXIT $?; sleep 1000")


def screen(*wanted, pattern="", escapes=False, seconds=20):
    """Waits until all of that is to be seen; what is seen."""
    end = time.monotonic() + seconds
    while True:
        seen = tmux("capture-pane", "-p", *(["-e"] if escapes else []))
        if all(w in seen for w in wanted) and re.search(pattern, seen, re.M) or time.monotonic() > end:
            return seen
        time.sleep(0.2)


def press(key, *wanted):
    tmux("send-keys", key)
    return screen(*wanted)


def shows(seen, *wanted):
    return all(w in seen for w in wanted)


start("-c", LOAD, "--over", "100ms")
WAITED = r"^\d\d:\d\d:\d\d[. ×0-9]+ offcpu +reader \d+ waited (2\d\d|[3-9]\d\d) ms in read for data"
seen = screen("TRACKER", "read: data in a pipe", "reader", pattern=WAITED)
live.check(
    shows(seen, "TRACKER", "WAITING FOR", "SLOW EVENTS", "on CPU:", "run queues:", "lost ", "2 CPUs"[1:]),
    "the overview",
    seen,
)
live.check(re.search(r"^read: data in a pipe +reader \d+ +\d+ ", seen, re.M), "a cause, who, how often", seen)
live.check(re.search(WAITED, seen, re.M), "a slow event", seen)
live.check(
    all(re.search(rf"^{t} ", seen, re.M) for t in ("wakeup", "offcpu", "block", "irq", "softirq", "lock", "reclaim")),
    "all trackers",
    seen,
)
live.check(re.search(r"^offcpu .*[▁▂▃▄▅▆▇█]", seen, re.M), "a strip", seen)
live.check(max(map(len, seen.splitlines())) <= 80, "no line is longer than the terminal", seen)
seen = press("2", "longest")
live.check("SLOW EVENTS" not in seen and "WAITING FOR (last" in seen, "causes alone", seen)
seen = press("a", "since the begin")
live.check("since the begin" in seen, "… of all the time", seen)
seen = press("i", "sleep")
live.check(re.search(r"sleep +\?\[31mevil", seen), "idle waits; nothing of a name is a command to the terminal", seen)
press("i")
seen = press("3", "newest first)", "which waited")
live.check(shows(seen, "which waited") and "TRACKER" not in seen, "slow events whole, with chains", seen)
seen = press("4", "samples a second")
live.check(re.search(r"^0 +\d", seen, re.M), "CPUs", seen)
press("1", "TRACKER")
seen = press("5", "fullest cell")
live.check(seen.splitlines()[3].startswith("wakeup: delays by second"), "a heat map", seen)
seen = press("Right", "offcpu: delays")
live.check("offcpu: delays" in seen and " ms" in seen, "of another tracker", seen)
seen = press("?", "HELP")
live.check(shows(seen, "HELP", "dlib/latency"), "help", seen)
seen = press("Space", "PAUSED")
live.check("PAUSED" in seen, "a pause", seen)
seen = press("q", "EXIT ")
live.check("EXIT 0" in seen and "HELP" not in seen, "q ends, and the terminal is as before", seen)

start(cols=50, rows=10)
seen = screen("too small")
live.check("50 x 10 is too small: 60 x 16 or more" in seen, "a small terminal", seen)
tmux("resize-window", "-x", "60", "-y", "16")
seen = screen("SLOW EVENTS", "WAITING FOR")
live.check(shows(seen, "TRACKER", "SLOW EVENTS", "WAITING FOR"), "… made larger to the smallest", seen)
seen = screen(pattern=r"^WAITING FOR \(last ")
live.check(
    re.search(r"^WAITING FOR \(last [^)]+\) +who +total +longest$", seen, re.M) and "? help" in seen,
    "… whose heads stand apart, and all keys are to be seen",
    seen,
)
live.check(max(map(len, seen.splitlines())) <= 60, "… and no line is longer", seen)
tmux("resize-window", "-x", "200", "-y", "60")
seen = screen("last 152 s")
live.check("99% of each second, last 152 s" in seen, "… and to a large one", seen)
seen = press("C-c", "EXIT ")
live.check("EXIT 0" in seen, "Ctrl-C", seen)

start("--every", "200ms", env=["NO_COLOR=1"])
seen = screen("softirq", escapes=True)
time.sleep(3)
seen = screen("softirq", escapes=True)
live.check("softirq" in seen and not re.search(r"\x1b\[[0-9;]*(3[0-8]|9[0-7])[;m]", seen), "NO_COLOR", repr(seen))
start("--every", "200ms")
seen = screen("softirq", "38;5;", escapes=True)
live.check("38;5;" in seen, "colours without it", repr(seen))
start("--every", "200ms", env=["LC_ALL=C"])
seen = screen("WAITING FOR (last", seconds=10)
time.sleep(2)
seen = screen("WAITING FOR (last")
live.check("softirq" in seen and seen.isascii(), "a terminal without UTF-8", ascii(seen))

start("-c", f"{sys.executable} pipe.py 5", "--record", "top.dwell")
seen = screen("EXIT", seconds=30)
live.check("EXIT 0" in seen, "ends with the command", seen)
r = live.dwell("report", "--table", "slow", "top.dwell")
live.check(r.returncode == 0, "what was measured is in the recording", r.stderr)

start("-x", "nosuch=1")
seen = screen("EXIT ")
live.check("nosuch" in seen and "EXIT 1" in seen, "a message that comes first", seen)
start()
screen("SLOW EVENTS")
pid = int(subprocess.run(["pgrep", "-f", "-n", f"^{live.DWELL} top$"], text=True, capture_output=True).stdout or 0)
if pid:
    os.kill(pid, signal.SIGTERM)
seen = screen("EXIT ")
live.check("EXIT 0" in seen, "SIGTERM", seen)
tmux("kill-server")

r = live.dwell("top")
live.check(
    r.returncode == 1 and "must be a terminal; dwell latency shows the same" in r.stderr, "no terminal", r.stderr
)
for args, what in (
    (["x"], "'x' is not expected"),
    (["--every", "1us"], "--every: at least 100ms"),
    (["--every", "x"], "'x' is no time"),
    (["--nosuch"], "there is no option --nosuch"),
):
    r = live.dwell("top", *args)
    live.check(r.returncode == 2 and what in r.stderr, f"wrong use: {args}", r.stderr)
r = live.dwell("top", "--help")
live.check(r.returncode == 0 and r.stdout.startswith("Usage"), "--help", r.stdout)


def on_pty(*args, term="xterm-256color"):
    """dwell top on a terminal that nobody reads: the process, and our end."""
    ours, theirs = pty.openpty()
    p = subprocess.Popen(
        [live.DWELL, "top", *args],
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ, TERM=term, LANG="C.UTF-8"),
    )
    os.close(theirs)
    return p, ours


p, ours = on_pty(term="dumb")
err = p.communicate(timeout=20)[1]
live.check(p.returncode == 1 and "terminals of type 'dumb'" in err, "a terminal that cannot be drawn on", err)
os.close(ours)
p, ours = on_pty("--every", "100ms", "--for", "4s")
try:
    p.communicate(timeout=40)
    live.check(p.returncode == 0, "a terminal that takes nothing does not keep dwell", p.returncode)
except subprocess.TimeoutExpired:
    p.kill()
    live.check(False, "a terminal that takes nothing does not keep dwell")
os.close(ours)
p, ours = on_pty()
time.sleep(3)
os.close(ours)
try:
    p.communicate(timeout=20)
    live.check(True, "a terminal that goes away ends it")
except subprocess.TimeoutExpired:
    p.kill()
    live.check(False, "a terminal that goes away ends it")
live.done()
