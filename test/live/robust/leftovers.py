# SPDX-License-Identifier: Apache-2.0
# @timeout: 400
# @alone: what others make and leave would be seen
"""No folder, file or socket stays, whatever signal ends a command at whatever moment: after INT, TERM, HUP and QUIT at once, after KILL with the next start, which touches nothing that lives."""
import os
import random
import re
import signal
import socket
import stat
import subprocess
import tempfile
import threading
import time

import live

TMP = tempfile.mkdtemp(dir=live.WORK)
ENV = {**os.environ, "TMPDIR": TMP, "TERM": "linux"}
RUN = "/run/dwell"
ALL_DELAYS = (0, 0.01, 0.03, 0.1, 0.4)
TRACKER = (
    "tracker nap { threshold = 1s; } syscall::nanosleep:entry { begin(nap); } syscall::nanosleep:return { end(nap); }"
)
NEXT = ["-qn", "BEGIN { exit(0); }"]
COMMANDS = {
    "flame --on-cpu": ["flame", "--on-cpu", "-o", "/dev/null"],
    "flame --off-cpu": ["flame", "--off-cpu", "-o", "/dev/null"],
    "timeline": ["timeline", "-o", "/dev/null"],
    "hist -n": ["hist", "-n", "syscall::read:return { @ = quantize(arg0); }", "-o", "/dev/null"],
    "latency": ["latency"],
    "top": ["top", "--plain"],
    "trackers": ["-qn", TRACKER],
    "serve": ["serve"],
    "serve --unix": ["serve", "--unix", "sock"],
    "daemon": ["latency", "--daemon", "--state", "state", "--metrics", "unix:metrics"],
}


def delays():
    """The moments at which a command is ended."""
    return ALL_DELAYS if live.LONG else sorted(random.sample(ALL_DELAYS, 2))


def sockets():
    return {n for n in os.listdir(RUN)} if os.path.isdir(RUN) else set()


def start(args):
    return subprocess.Popen(
        [live.DWELL, *args],
        env=ENV,
        cwd=TMP,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def settled(condition, seconds=15):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def family_gone(session):
    """Nobody of this session lives: a tracer that a killed launcher leaves ends by itself."""
    found = subprocess.run(["ps", "-e", "-o", "sid=,stat="], capture_output=True, text=True, check=True).stdout
    return not any(l.split()[0] == str(session) and not l.split()[1].startswith("Z") for l in found.splitlines())


KEPT = {"sock", "metrics", "state"}  # which the user named


def mine(pids):
    """What is left of these processes: folders in $TMPDIR and their sockets."""
    return sorted(n for n in os.listdir(TMP) if n not in KEPT) + sorted(
        n for n in sockets() if n.strip(".").split(".")[0] in pids
    )


def end_at(args, sig, delay):
    """Runs it, and ends it by the signal after so many seconds; gives what it has left."""
    p = start(args)
    time.sleep(delay)
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(p.pid)], capture_output=True, text=True).stdout.split()
    p.send_signal(sig)
    try:
        p.wait(30)
    except subprocess.TimeoutExpired:
        p.kill()
        p.wait()
        return ["it did not end"]
    settled(lambda: family_gone(p.pid))
    return mine({str(p.pid), *children})


if subprocess.run([live.DWELL, "top", "--help"], capture_output=True, text=True).stdout.find("--plain") < 0:
    del COMMANDS["top"]  # a terminal is needed; `latency` makes the same socket
for what, args in COMMANDS.items():
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT) + (
        () if what == "daemon" else (signal.SIGHUP,)
    ):  # which has the daemon begin a new file
        moments = delays()
        left = {d: found for d in moments if (found := end_at(args, sig, d))}
        live.check(not left, f"{what}: {sig.name} leaves nothing, at any of {len(moments)} moments", left)
    killed = [end_at(args, signal.SIGKILL, d) for d in (*delays(), 1.0)]
    r = subprocess.run([live.DWELL, *NEXT], env=ENV, capture_output=True, text=True)
    live.same(
        (r.returncode, [n for n in os.listdir(TMP) if n not in KEPT]),
        (0, []),
        f"{what}: what SIGKILL has left ({sum(map(len, killed))} of {len(killed)}) goes with the next start",
    )
    dead = [n for n in sockets() if not os.path.exists("/proc/" + n.strip(".").split(".")[0])]
    live.same(dead, [], f"{what}: sockets of dead processes as well")

# A second signal ends a run at once: nothing stays, either
p = start(["flame", "--on-cpu", "-o", "/dev/null"])
settled(lambda: any(os.scandir(TMP + "/" + n) for n in os.listdir(TMP) if n.startswith("dwell-live.")))
time.sleep(1)
for _ in range(2):
    p.send_signal(signal.SIGINT)
p.wait(30)
live.same(mine({str(p.pid)}), [], "two signals at once leave nothing")

# What lives is not touched; nor what is somebody else's, or only looks so
p = start(["serve"])
live.check(settled(lambda: any(n.startswith("dwell-serve.") for n in os.listdir(TMP))), "a server has its folder")
alive = next(n for n in os.listdir(TMP) if n.startswith("dwell-serve."))
q = start(["-qn", TRACKER])
live.check(settled(lambda: f"{q.pid}.ctl" in sockets()), "a session has its socket")
other = os.path.join(TMP, "dwell-live.abcdef")  # of nobody
os.mkdir(other, 0o700)
os.chown(other, 65534, 65534)
target = os.path.join(live.WORK, "precious")
os.makedirs(target, exist_ok=True)
with open(os.path.join(target, "file"), "w", encoding="ascii") as f:
    f.write("x")
os.symlink(target, os.path.join(TMP, "dwell-live.link01"))
wide = os.path.join(TMP, "dwell-live.wide01")  # which others may write to: none of ours
os.mkdir(wide)
os.chmod(wide, 0o777)
long = os.path.join(TMP, "dwell-live.toolong1")
os.mkdir(long, 0o700)
plain = os.path.join(TMP, "dwell-live.file01")
with open(plain, "w", encoding="ascii") as f:
    f.write("x")
mine_dead = os.path.join(TMP, "dwell-live.dead01")  # a dead one, with a link in it that leads out
os.makedirs(os.path.join(mine_dead, "sent"), 0o700)
os.chmod(mine_dead, 0o700)
os.symlink(target, os.path.join(mine_dead, "link"))
os.symlink(os.path.join(target, "file"), os.path.join(mine_dead, "sent", "link"))
# a socket of a dead process, one that lives under a number that no process has, and something that is no socket
os.makedirs(RUN, 0o700, exist_ok=True)
free = [n for n in range(4194000, 4194300) if not os.path.exists(f"/proc/{n}")][:4]
names = {k: f"{RUN}/{n}.ctl" for k, n in zip(("dead", "listening", "file", "new"), free)}
names["new"] = f"{RUN}/.{free[3]}.ctl"
dead, listening, begun = (socket.socket(socket.AF_UNIX) for _ in range(3))
dead.bind(names["dead"])
dead.listen(1)
dead.close()
listening.bind(names["listening"])
listening.listen(4)
begun.bind(names["new"])  # bound, and not listening yet
with open(names["file"], "w", encoding="ascii") as f:
    f.write("x")
r = subprocess.run([live.DWELL, *NEXT], env=ENV, capture_output=True, text=True)
live.same(r.returncode, 0, "another start")
live.check(
    os.path.isdir(os.path.join(TMP, alive, "sent")) and p.poll() is None, "the folder of the server that runs is there"
)
live.check(f"{q.pid}.ctl" in sockets(), "and the socket of the session that runs")
live.check(
    subprocess.run([live.DWELL, "ctl", str(q.pid), "list"], capture_output=True, text=True).stdout.startswith("nap."),
    "which answers",
)
live.check(os.path.isdir(other), "another user's folder is there")
live.check(
    os.path.islink(os.path.join(TMP, "dwell-live.link01")) and os.path.exists(os.path.join(target, "file")),
    "a link is not followed",
)
live.check(
    os.path.isdir(wide) and os.path.isdir(long) and os.path.exists(plain), "nor goes what only looks like one of ours"
)
live.check(
    not os.path.exists(mine_dead) and os.path.exists(os.path.join(target, "file")),
    "a dead one has gone, and nothing that it leads to",
)
live.same(
    {k: os.path.lexists(n) for k, n in names.items()},
    {"dead": False, "listening": True, "file": True, "new": True},
    "of sockets that of the dead",
)
for n in names.values():
    if os.path.lexists(n):
        os.unlink(n)
for x in (p, q):
    x.send_signal(signal.SIGQUIT)
live.same([x.wait(20) for x in (p, q)], [0, 0], "SIGQUIT is an orderly end")
for name in ("link01", "file01"):
    os.unlink(os.path.join(TMP, "dwell-live." + name))
for folder in (other, wide, long):
    os.rmdir(folder)


# Many at once, each of which clears what it takes for dead
def some():
    for _ in range(3):
        p = start(["flame", "--on-cpu", "--for", "200ms", "-o", "/dev/null"])
        statuses.append(p.wait(60))


statuses = []
threads = [threading.Thread(target=some) for _ in range(6)]
for t in threads:
    t.start()
for t in threads:
    t.join()
live.same([s for s in statuses if s], [], "eighteen, six at a time, do not take one another's folders")
live.same(mine(set()), [], "and leave nothing")
live.done()
