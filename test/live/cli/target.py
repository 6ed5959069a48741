# SPDX-License-Identifier: Apache-2.0
"""-c and -p: the target, its end, several, one that is gone, one that executes something else."""
import os
import signal
import subprocess
import time

import live

r = live.dwell("-n", "BEGIN { }", "-c", live.TRIGGER + " exitcode 3")
live.check(r.returncode == 0 and "exited with status 3" in r.stderr, "the end of the target ends the run", r.stderr)
r = live.dwell("-qn", "syscall::getppid:entry /pid == $target/ { @ = count(); }", "-c", live.TRIGGER + " getppid 12345")
live.same(r.stdout.split(), ["12345"], "no call of the target is missed")
r = live.dwell(
    "-qn", "syscall::getppid:entry /pid == $target/ { @ = count(); }", "-c", live.TRIGGER + " reexec getppid 50"
)
live.same(r.stdout.split(), ["50"], "a target that executes another program")
r = live.dwell(
    "-qn", "syscall::exit_group:entry /pid == $target/ { printf(\"%d\", arg0); }", "-c", live.TRIGGER + " exitcode 9"
)
live.same(r.stdout, "9\n", "its exit is seen")
r = live.dwell(
    "-qn",
    "BEGIN { }",
    "-c",
    "grep SigIgn /proc/self/status",
    preexec_fn=lambda: [signal.signal(s, signal.SIG_DFL) for s in (signal.SIGINT, signal.SIGQUIT)],
)  # a job in the background
live.same(r.stdout.split(), ["SigIgn:", "0" * 16], "the target inherits no ignored signal")
r = live.dwell("-qn", "BEGIN { printf(\"%d\\n\", $target > 1); exit(0); }", "-c", "sleep 100", timeout=5)
live.same(r.stdout, "1\n\n", "exit() does not wait for the target")

p = subprocess.Popen([live.TRIGGER, "pause", "400"])
r = live.dwell(
    "-qn", "syscall::exit_group:entry /pid == $target/ { printf(\"exit %d\\n\", pid == $target); }", "-p", p.pid
)
live.check(r.stdout.startswith("exit 1\n"), "-p: the end of the process ends the run", r.stdout + r.stderr)
p.wait()
r = live.dwell("-qn", "BEGIN { }", "-p", p.pid)
live.check(r.returncode == 1 and str(p.pid) in r.stderr, "-p of a process that is gone", r.stderr)

p = subprocess.Popen([live.TRIGGER, "pause", "60000"])
d = subprocess.Popen([live.DWELL, "-qn", 'BEGIN { printf("up\\n"); }', "-p", str(p.pid)], stdout=subprocess.PIPE)
d.stdout.readline()
d.send_signal(signal.SIGINT)
live.same(d.wait(5), 0, "-p and Ctrl-C")
live.same(p.poll(), None, "the process lives on")
state = open(f"/proc/{p.pid}/status").read()
live.check("TracerPid:\t0" in state and "T (stopped)" not in state, "and runs", state)
p.kill()
p.wait()

d = subprocess.Popen(
    [live.DWELL, "-qn", 'BEGIN { printf("%d\\n", $target); }', "-c", "sleep 1000"], stdout=subprocess.PIPE, text=True
)
child = int(d.stdout.readline())
d.send_signal(signal.SIGKILL)
d.wait()
time.sleep(0.3)
alive = os.path.exists(f"/proc/{child}") and "Z" not in open(f"/proc/{child}/stat").read().split()[2]
live.check(True, f"after SIGKILL the target is {'alive' if alive else 'gone'}")
if alive:
    stopped = open(f"/proc/{child}/stat").read().split()[2] in "tT"
    live.check(not stopped, "not left stopped")
    os.kill(child, signal.SIGKILL)

# Words after -- are the command's as they are
words = os.path.join(live.WORK, "words")
with open(words, "w", encoding="ascii") as f:
    f.write("#!/bin/sh\n[ $# = 3 ] && [ \"$1\" = 'a b' ] && [ \"$2\" = '' ] && [ \"$3\" = '\"' ] && echo right\n")
os.chmod(words, 0o755)
html = os.path.join(live.WORK, "o.html")
for command in (
    ["timeline", "-o", html],
    ["latency", "--for", "1s"],
    ["run", "syscount"],
    ["flame", "--off-cpu", "-o", html],
    ["flame", "-o", html],
    ["hist", "-n", "syscall::execve:return { @ = quantize(1); }"],
):
    r = live.dwell(*command, "--", words, "a b", "", '"')
    live.check(
        "right\n" in r.stdout and (r.returncode == 0 or "no samples" in r.stderr or "nothing was recorded" in r.stderr),
        f"{command[0]}: words with blanks, quotes, and without anything",
        (r.returncode, r.stdout, r.stderr),
    )
for command in ("run", "syscount"), ("flame",), ("hist", "-n", "BEGIN"), ("timeline",), ("check",):
    r = live.dwell(*command, "--")
    live.check(r.returncode == 2 and "a command is missing after --" in r.stderr, f"{command[0]} --", r.stderr)
for command in ("flame",), ("hist", "-n", "BEGIN"), ("timeline",):
    r = live.dwell(*command, "-c", "true", "--", "true")
    live.check(r.returncode == 2 and "choose one" in r.stderr, f"{command[0]} -c … -- …", r.stderr)
live.done()
