# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell leaves no zombies while it runs; its lines and those of its command stay whole on one standard output."""
import json
import os
import subprocess
import time

import live

os.chdir(live.WORK)


def zombies(parent):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace").read().rpartition(")")
        except OSError:
            continue
        state, ppid = stat[2].split()[:2]
        if state == "Z" and int(ppid) == parent:
            found.append(stat[0] + ")")
    return found


def watch(name, *args):
    p = subprocess.Popen([live.DWELL, *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    p.stdout.readline()
    time.sleep(1)
    seen = [zombies(p.pid)]
    for _ in range(10):
        time.sleep(0.1)
        seen.append(zombies(p.pid))
    live.check(p.poll() is None, name + ": it runs")
    p.terminate()
    p.communicate(timeout=20)
    live.check(not seen[-1] and seen.count([]) >= len(seen) - 2, name + ": no zombies", seen)


READY = 'BEGIN { printf("ready\\n"); } syscall::getppid:entry { trace(1); } '
watch("a program", "-qn", READY)
watch("a command that has ended, and one that has not", "-qn", READY, "-c", "true", "-c", "sleep 30")
watch("unwinding tables of a command", "-qn", READY + "syscall::clock_nanosleep:entry { ustack(); }", "-c", "sleep 30")
watch("the daemon's", "latency", "--json", "--for", "30s", "--every", "100ms")

# Each writes whole lines of its own, at once.
with open("chatty.py", "w", encoding="utf-8") as f:
    f.write(
        """
import os, time
for i in range(4000):
    os.write(1, b"chatter %d %s\\n" % (i, b"y" * (i % 50)))
    os.getppid()
    if i % 50 == 0:
        time.sleep(0.002)
"""
    )
LINE = " ".join(c * 250 for c in "uvwxz")
LONG = 'printf("%s %s %s %s %s\\n", "' + LINE.replace(" ", '", "') + '"); '
COUNT = 4000


def mixed(text):
    """(own lines of dwell, lines of the command, others)"""
    lines = text.splitlines()
    chatter = [l for l in lines if l.startswith("chatter ") and l.split(" ")[2:] == ["y" * (int(l.split(" ")[1]) % 50)]]
    rest = [l for l in lines if l not in set(chatter)]
    return rest, chatter


def run(args, to):
    with open("out.txt", "w", encoding="utf-8") as f:
        cmd = [live.DWELL, *args, "-c", "python3 chatty.py"]
        if to == "file":
            subprocess.run(cmd, stdout=f, stderr=subprocess.DEVNULL, check=True, timeout=60)
        else:
            p = subprocess.Popen(cmd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            subprocess.run(["cat"], stdin=p.stdout, stdout=f, check=True, timeout=60)
            p.wait()
    return open("out.txt", encoding="utf-8").read()


for to in ("pipe", "file"):
    text = run(["--json", "-n", "syscall::getppid:entry /pid == $target/ { " + LONG + "}"], to)
    rest, chatter = mixed(text)
    live.same(len(chatter), COUNT, f"{to}: all lines of the command are whole")
    try:
        events = [o for o in map(json.loads, rest) if o["type"] == "event"]
    except ValueError as e:
        events = [str(e)]
    live.same(len(events), COUNT, f"{to}: all JSON lines are whole")
    text = run(["-qn", "syscall::getppid:entry /pid == $target/ { " + LONG + "}"], to)
    rest, chatter = mixed(text)
    live.check(
        len(chatter) == COUNT and rest.count(LINE) == COUNT,
        f"{to}: so is text",
        [l[:80] for l in rest if l != LINE][:20],
    )
# what is no line yet is shown all the same
p = subprocess.Popen([live.DWELL, "-qn", 'BEGIN { printf("no newline"); }', "-c", "sleep 30"], stdout=subprocess.PIPE)
live.same(os.read(p.stdout.fileno(), 100), b"no newline", "the beginning of a line")
p.terminate()
p.communicate(timeout=20)
live.done()
