# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell strace: the calls of programs are those that strace(1) shows, in their order and with the same text."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import live

SCRIPT = os.path.join(live.WORK, "calls.py")
CALLS = r"""
import fcntl, os, resource, select, signal, socket, sys, time
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(("127.0.0.1", 0)); s.listen(5)
c = socket.create_connection(s.getsockname()); a, _ = s.accept(); c.send(b"hello\0\1\377"); a.recv(100); c.getpeername()
a.sendmsg([b"ab", b"cd"]); c.recvmsg(100, 100)
p = select.poll(); p.register(c, 1); p.poll(1); a.send(b"x"); p.poll(10)
c.send(b"y"); a.recv(5); e = select.epoll(); e.register(a, 1); c.send(b"z"); e.poll(1)
u = socket.socketpair(); socket.send_fds(u[0], [b"x"], [0]); socket.recv_fds(u[1], 10, 2)
os.sched_getaffinity(0); signal.pthread_sigmask(0, [10]); os.kill(os.getpid(), 10); signal.sigtimedwait([10], 1)
signal.setitimer(0, 50, 60); signal.alarm(30); fcntl.fcntl(1, fcntl.F_GETFL); fcntl.fcntl(1, fcntl.F_GETFD)
d = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
for name in "/nonexist", "\0abc":
    try: d.connect(name)
    except OSError: pass
open("a", "w").write("abc"); os.utime("a", (1, 2)); os.eventfd(3); os.memfd_create("x")
os.rename("a", "b"); os.symlink("b", "l"); os.readlink("l"); os.unlink("l"); os.chmod("b", 0o4755); os.truncate("b", 10); os.unlink("b")
os.mkdir("d", 0o700); os.rmdir("d"); r, w = os.pipe(); os.writev(w, [b"a" * 40, b"b"]); os.readv(r, [bytearray(10), bytearray(100)])
f = os.open("/etc/passwd", 0); os.sendfile(w, f, 0, 10); os.close(f); os.umask(0o22); os.getcwd(); os.uname(); os.getgroups()
os.getresuid(); os.getpgid(0); signal.signal(signal.SIGUSR1, lambda *a: None); signal.pthread_sigmask(1, [10]); os.kill(os.getpid(), 10)
time.sleep(0.001)
sys.exit(7)
"""
# What differs from run to run: addresses, random bytes, numbers of processes, ports, times.
VARIES = (
    (r"0x[0-9a-f]{7,}", "ADDRESS"),
    (r'"(\\x[0-9a-f]{2})+"', "RANDOM"),
    (r"htons\(\d+\)", "PORT"),
    (r"\b\d{3,}\b", "N"),
    (r"clock_nanosleep\(.*", "SLEEP"),
)
OTHER = re.compile(r"sysinfo\(|getrusage|mmap\(NULL, N|munmap\(|brk\(|madvise\(|getpid|gettid|getppid")


def lines(text):
    out = []
    for line in text.splitlines():
        for pattern, word in VARIES:
            line = re.sub(pattern, word, line)
        if not OTHER.search(line):
            out.append(line)
    return out


def traced(program, options, command):
    """Lines, and exit status."""
    path = os.path.join(live.WORK, "trace")
    r = subprocess.run(
        [*program, *options, "-o", path, *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=live.WORK,
        timeout=60,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    with open(path, encoding="utf-8", errors="replace") as f:
        return lines(f.read()), r.returncode


def beside(options, command):
    want, want_code = traced(["strace"], options, command)
    got, code = traced([live.DWELL, "strace"], options, command)
    live.same(got, want, f"{options} {command}: the lines of strace")
    live.same(code, want_code, f"{options} {command}: the status of the command")
    live.check(len(want) > 0, f"{command}: there is something to compare", f"{want}")


if not shutil.which("strace"):
    print("SKIP: strace is not installed")
    sys.exit(0)
with open(SCRIPT, "w", encoding="utf-8") as f:
    f.write(CALLS)
beside([], ["ls", "-l", "/"])
beside(["-s", "5"], [sys.executable, "-S", "-E", SCRIPT])
beside(["-y", "-e", "trace=%desc"], ["cat", "/etc/hostname"])
beside(["-e", "trace=%file", "-e", "status=failed"], ["cat", "/nonexist"])
beside([], ["sh", "-c", "kill -TERM $$"])
beside(["-e", "trace=none", "-e", "signal=none"], ["sh", "-c", "exit 5"])

# Several processes: each one's own calls in their order. strace tells a call in two pieces where another comes between.
script = "cat /etc/hostname; (exit 3); ls /nonexist; true"


def by_process(program):
    out, code = {}, None
    path = os.path.join(live.WORK, "trace")
    r = subprocess.run(
        [*program, "-f", "-e", "trace=openat,execve,exit_group,read", "-o", path, "sh", "-c", script],
        capture_output=True,
    )
    with open(path, encoding="utf-8") as f:
        for line in f:
            pid, text = line.split(None, 1)
            if "SIGCHLD" not in text and "unfinished" not in text and "resumed" not in text:
                out.setdefault(pid, []).append(re.sub(r"\s+", " ", re.sub(r"0x[0-9a-f]{7,}", "ADDRESS", text)))
    return [out[p] for p in out], r.returncode


def all_processes():
    got, want = by_process([live.DWELL, "strace"]), by_process(["strace"])
    yield sorted(map(str, got[0])) == sorted(map(str, want[0])), "-f: the calls of each process", f"{want}\n{got}"


live.attempts("-f", all_processes)

r = live.dwell("strace", "-c", "-f", "sh", "-c", "cat /etc/hostname >/dev/null; cat /nonexist; true")
rows = {l.split()[-1]: l.split() for l in r.stderr.splitlines() if re.match(r" *\d", l)}
live.check(
    rows.get("execve", [0] * 4)[3] == "3" and "total" in rows and int(rows["openat"][4]) >= 1,
    "-c: calls and errors",
    r.stderr,
)
r = live.dwell("strace", "-tt", "-T", "-r", "-e", "trace=nanosleep,clock_nanosleep", "sleep", "0.1")
m = re.search(r"^\d\d:\d\d:\d\d\.\d{6} \(\+ +0\.0+\) clock_nanosleep\(.*\) = 0 <(0\.\d{6})>$", r.stderr, re.M)
live.check(m and float(m.group(1)) >= 0.1, "-tt -r -T: when, and how long", r.stderr)
r = live.dwell("strace", "-k", "-e", "trace=write", "sh", "-c", "echo x")
live.check(
    re.search(r'^write\(1, "x\\n", 2\) += 2\n > .*libc.*\((__)?write\+0x', r.stderr, re.M), "-k: the stack", r.stderr
)

r = live.dwell("strace", "-e", "trace=none", "sh", "-c", "ls /proc/self/fd")
want = subprocess.run(["sh", "-c", "ls /proc/self/fd"], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
live.same(r.stdout, want, "the command inherits no descriptor of the tracer")

# A process that runs already; a call that is to be restarted, and how the process ends.
p = subprocess.Popen(["sh", "-c", "while :; do read line </etc/hostname; done"])
t = subprocess.Popen(
    [live.DWELL, "strace", "-p", str(p.pid), "-e", "trace=read,close"], stderr=subprocess.PIPE, text=True
)
first = t.stderr.readline()
t.send_signal(signal.SIGINT)
rest = t.communicate(timeout=10)[1]
p.kill()
p.wait()
live.check(
    re.match(r"(read|close)\(", first) and t.returncode == 0, "-p, and Ctrl-C", f"{first} {rest[-300:]} {t.returncode}"
)
t = subprocess.Popen(
    [live.DWELL, "strace", "-e", "trace=clock_nanosleep", "sleep", "60"], stderr=subprocess.PIPE, text=True
)
deadline = time.monotonic() + 15


def child():
    r = subprocess.run(["pgrep", "-P", str(t.pid), "-x", "sleep"], capture_output=True, text=True)
    return r.stdout.split()


while not child() and time.monotonic() < deadline:
    time.sleep(0.05)
time.sleep(0.3)
os.kill(int(child()[0]), signal.SIGTERM)
err = t.communicate(timeout=15)[1]
live.check(
    "= ? ERESTART_RESTARTBLOCK (Interrupted by signal)\n--- SIGTERM {si_signo=SIGTERM, si_code=SI_USER," in err
    and "+++ killed by SIGTERM +++" in err
    and t.returncode == -signal.SIGTERM,
    "a signal ends it",
    f"{err} {t.returncode}",
)

# The reader has left; nothing was lost unsaid; wrong words.
r = subprocess.run(
    ["sh", "-c", f"{live.DWELL} strace ls -lR /etc 2>&1 >/dev/null | head -1; true"],
    capture_output=True,
    text=True,
    timeout=30,
)
live.check(r.stdout.startswith("execve(") and r.stderr == "", "a pipe that is closed", f"{r}")
for args, code, text in (
    (["-e", "trace=opennat", "ls"], 2, "no system call 'opennat'; did you mean open"),
    (["-e", "inject=all", "ls"], 2, "not known here"),
    (["-e", "signal=SIGX", "ls"], 2, "no signal 'SIGX'"),
    (["-e", "status=odd", "ls"], 2, "no status"),
    (["-s", "-1", "ls"], 2, "no number"),
    (["-s", "2049", "ls"], 2, "from 0 to 2048"),
    (["-p", "x"], 2, "no process"),
    (["-p", "1", "ls"], 2, "exclude"),
    ([], 2, "is missing"),
    (["nosuchprogram"], 1, "no program 'nosuchprogram'"),
    (["-p", "2147483647"], 1, "no process 2147483647"),
    (["-o", "/nonexist/x", "true"], 1, "cannot write to /nonexist/x"),
    (["--nonsense", "ls"], 2, "no option --nonsense"),
):
    r = live.dwell("strace", *args)
    live.check(r.returncode == code and text in r.stderr, f"strace {args}: {text}", f"{r}")
r = live.dwell("strace", "-s", "2048", "-e", "trace=write", "true")
live.check(r.returncode == 0, "-s at its limit", f"{r}")
r = subprocess.run(
    ["setpriv", "--reuid=65534", "--clear-groups", live.DWELL, "strace", "true"],
    capture_output=True,
    text=True,
    cwd="/",
)
live.check(
    r.returncode == 1 and re.search(r"root|privilege|CAP_|permitted", r.stderr) and "execve" not in r.stderr,
    "without root: one reason",
    f"{r}",
)
live.done()
