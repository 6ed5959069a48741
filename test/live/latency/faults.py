# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""Trouble while dwell measures: programs that exec with open events, thread ids that are used again, maps that are full,
thresholds that flood. dwell is killed and started again, and two run at once."""
import os
import re
import subprocess
import time

import live

T = live.TRIGGER


def program(types, key, settings, who="pid == $target"):
    return f"""tracker t {types} {{ threshold = 0; {settings} }}
syscall::lseek:entry /{who} && arg2 == 0/ {{ begin(t{key}); }}
syscall::lseek:entry /{who} && arg2 == 1/ {{ end(t{key}); }}
latency:t::all {{ printf("how %d %s %s\\n", args[0]->how, args[0]->comm, execname); }}"""


# exec: the thread is the same one, and so is the event
with open(os.path.join(live.WORK, "changes.py"), "w", encoding="utf-8") as f:
    f.write(
        f"""
import ctypes, os
ctypes.CDLL(None).lseek(-1, 1, 0)
os.execv('{T}', ['trigger', 'track', 'e1'])
"""
    )
for types, key in (("", ""), ("(struct task_struct *)", ", curthread"), ("(int64_t)", ", arg1")):
    r = live.dwell(
        "-qn", program(types, key, "", "pid == $target && (int)arg0 == -1"), "-c", f"python3 {live.WORK}/changes.py"
    )
    first = "python3" if types == "(int64_t)" else "trigger"
    live.check(
        re.search(rf"^how 0 {first} trigger$", r.stdout, re.M),
        f"{types or 'a thread'}: an event goes on through exec",
        r,
    )

# the number of a thread is used again: what the old one left open is not the new one's
if os.access("/proc/sys/kernel/ns_last_pid", os.W_OK):
    reuse = f"""
import os, subprocess
first = subprocess.Popen(['{T}', 'track', 'b1'])
first.wait()
for i in range(200):
    open('/proc/sys/kernel/ns_last_pid', 'w').write(str(first.pid - 1))
    p = subprocess.Popen(['{T}', 'track', 'e1'])
    p.wait()
    if p.pid == first.pid:
        print('again', flush=True)
        break
"""
    with open(os.path.join(live.WORK, "reuse.py"), "w", encoding="utf-8") as f:
        f.write(reuse)
    r = live.dwell(
        "-qn",
        program("", "", "", 'execname == "trigger" && progenyof($target)'),
        "-c",
        f"python3 {live.WORK}/reuse.py",
        timeout=50,
    )
    live.check("how" not in r.stdout, "nothing is closed for the one who has the number now", r)
    live.check(
        "tracker t: 1 event left out: its thread ended before it did" in r.stderr, "what was left open is counted", r
    )

# full: counted, and room again when keys are closed
r = live.dwell("-qn", program("(int64_t)", ", arg1", "size = 64;"), "-c", f"{T} track B200 E200 B10 E10")
lost = sum(map(int, re.findall(r"(\d+) [^\n]*no room", r.stderr)))
live.check(
    len(re.findall("^how 0", r.stdout, re.M)) + lost == 210 and lost >= 200 - 64,
    "a full map: what is missing is counted",
    (lost, r.stderr),
)

# a threshold that floods: the shipped trackers have a limit
r = live.dwell("latency", "syscall", "--over", "1ns", "--json", "--idle", "--for", "2s")
shown = r.stdout.count('"type":"latency-slow"')
live.check(
    r.returncode == 0 and 0 < shown <= 100 * 6, f"a threshold of nothing: at most 100 a second ({shown})", r.stderr
)
live.check(
    re.search(r"slow events? not shown: more than the limit", r.stdout + r.stderr),
    "the others are counted",
    (r.stdout[-1500:], r.stderr),
)

# killed, and started again; two at once
args = [
    "-qn",
    program("(int64_t)", ", arg1", "", 'execname == "trigger" && progenyof($ppid)') + ' BEGIN { printf("ready\\n"); }',
]
first = subprocess.Popen([live.DWELL, *args], stdout=subprocess.PIPE, text=True)
first.stdout.readline()
load = subprocess.Popen([T, "track", "b1", "s1500000", "e1", "b2", "e2"])
time.sleep(0.3)
first.kill()
first.wait()
two = [
    subprocess.Popen(
        [live.DWELL, *args, "-n", "tick-3s { exit(0); }"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    for _ in range(2)
]
load.wait()
for p in two:
    out, err = p.communicate(timeout=30)
    live.same(
        (p.returncode, re.findall("^how.*", out, re.M)),
        (0, ["how 0 trigger trigger"]),
        "begun after the other was killed, and at once: only what was opened since then",
    )
live.done()
