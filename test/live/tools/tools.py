#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
"""Every tool of dlib/tools under a load that it has something to tell about: its output must match what is expected
of this load, without any message. A tool without an entry here fails; so does an entry without a tool.

An entry: arguments, load, patterns. The load is a shell script, run
  C     as the command of -c: all probes are there when it starts, and tools that know $target follow it;
  WIDE  beside a tool that traces the whole machine, again and again until it has run twice at least.
In patterns and arguments {work} is a folder, {trigger} the trigger program, {pid} the load's process."""
import concurrent.futures
import errno
import os
import re
import signal
import subprocess
import time

import live

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.normpath(os.path.join(HERE, "../../../dlib/tools"))
C, WIDE = "-c", "wide"
AT_ONCE = 3  # tools that run at the same time
WIDE_SECONDS = 1.2
TIME_OUT = 30
IO = "dd if=/dev/zero of={work}/io bs=64k count=20 oflag=direct 2>/dev/null\n" \
     "dd if={work}/io of=/dev/null bs=64k iflag=direct 2>/dev/null"

# tool: (mode, arguments, load, patterns that the output must contain)
ENTRIES = {
    "execsnoop": (C, "", "ls / >/dev/null; {work}/absent 2>/dev/null",
                  [r"^\d{4} \w+ +\d+ [\d:]+ +0 +{pid} +\d+ - +ls /$", r"^\d{4}.* ENOENT +{work}/absent$"]),
    "newproc": (C, "", "(true; true) & wait", [r" {pid} sh +\d+$"]),
    "exitsnoop": (C, "", "sh -c 'exit 7'; sh -c 'kill -9 $$'",
                  [r"^ *\d+ +{pid} sh +\d+ exit +7$", r"^ *\d+ +{pid} sh +\d+ signal SIGKILL$"]),
    "pidpersec": (C, "", "for i in 1 2 3 4 5 6; do sleep 0.4; done",
                  [r"^TIME +PROCESSES +THREADS +EXECS$", r"^\d{4} .* +[1-9]\d* +[1-9]\d* +[1-9]\d*$"]),
    "threadsnoop": (C, "", "{trigger} threads 3", [r" new +\d+ trigger +\d+ +-$", r" end +\d+ trigger +\d+ +\d+$"]),
    "killsnoop": (C, "", "kill -0 $$; kill -USR1 4190000 2>/dev/null; true",
                  [r" {pid} sh +0 +{pid} 0$", r" {pid} sh +SIGUSR1 +4190000 ESRCH$"]),
    "sigdist": (WIDE, "--interval 500ms", "sh -c 'kill -USR2 $$'; true", [r"^sh +sh +SIGUSR2 +[1-9]\d*$"]),
    "siglatency": (C, "", "trap : USR1; kill -USR1 $$; kill -USR1 $$", [r"^SIGUSR1 +sh +\(us\)", r"p50 \d+, .* max \d+"]),
    "syscount": (C, "--top 5", "{trigger} getppid 3000", [r"^SYSCALL +COUNT$", r"^getppid +300\d$"]),
    "syscallbyproc": (WIDE, "--interval 600ms", "{trigger} getppid 2000000", [r"^ *\d+ trigger +\d{4,}$"]),
    "procsystime": (C, "", "{trigger} naps 20 0", [r"^SYSCALL +COUNT +TIME_US$", r"^clock_nanosleep +20 +[2-9]\d{4,}$"]),
    "errinfo": (C, "", "cat {work}/absent 2>/dev/null; true", [r"^cat +openat +ENOENT +[1-9]\d*$"]),
    "syslatency": (C, "--call clock_*", "{trigger} naps 5 0", [r"^clock_nanosleep \(us\)", r"\bp50 [1-9]\d{3,}"]),
    "sysslower": (C, "--ms 100", "sleep 0.3", [r" [3-9]\d\d +\d+ +\d+ sleep +clock_nanosleep +0$"]),
    "opensnoop": (WIDE, "", "cat {work}/absent /etc/hostname >/dev/null 2>&1; true",
                  [r"^ *0 +\d+ cat +-1 ENOENT +{work}/absent$", r"^ *0 +\d+ cat +\d+ - +/etc/hostname$"]),
    "rwsnoop": (C, "", "echo hello | dd of={work}/rw 2>/dev/null; cat {work}/rw >/dev/null",
                [r" sh +W +6 pipe:\[\d+\]$", r" dd +W +6 {work}/rw$", r" cat +R +6 {work}/rw$"]),
    "rwbytype": (C, "", "dd if=/dev/zero of=/dev/null bs=1000 count=7 2>/dev/null | cat",
                 [r"^dd +R +devtmpfs +7 +7000$", r"^dd +W +devtmpfs +\d+ +7\d\d\d$"]),
    "filetop": (WIDE, "--interval 500ms", "dd if=/dev/zero of={work}/top bs=64k count=100 2>/dev/null",
                [r"^ *\d+ dd +W +6400 {work}/top$", r"^ *\d+ dd +R +6400 /dev/zero$"]),
    "fsyncsnoop": (C, "", "dd if=/dev/zero of={work}/sync count=1 conv=fsync 2>/dev/null",
                   [r" dd +fsync +\d+ - +{work}/sync$", r"^fsync \(us\)"]),
    "statsnoop": (C, "", "test -e {work}/absent; true", [r"^ *{pid} sh +newfstatat +ENOENT +{work}/absent$"]),
    "mmapsnoop": (C, "", "cat /dev/null", [r"^ *\d+ cat +r-x +private +\d+ +\d+ /\S*libc\S*$"]),
    "unlinksnoop": (C, "", "cd {work}; : >ua; mv ua ub; rm ub; rmdir uc 2>/dev/null; true",
                    [r" mv +rename\S* +- +ua -> ub$", r" rm +unlinkat +- +ub$", r" rmdir +rmdir +ENOENT +uc$"]),
    "fsops": (WIDE, "--interval 500ms", "cd {work}; : >fs; rm fs", [r"^create +\w+ +[1-9]\d*$", r"^remove +\w+ +[1-9]\d*$"]),
    "fileslower": (C, "--ms 0", "dd if=/dev/zero of={work}/slow bs=1M count=2 oflag=direct 2>/dev/null",
                   [r" dd +W +1048576 +\d+ {work}/slow$"]),
}


def command(tool, args):
    return [live.DWELL, "-s", os.path.join(TOOLS, tool + ".d"), *args.split()]


def wait_for_handler(p):
    """Until the tool takes Ctrl-C for an end, and a moment longer, so that its probes are there."""
    for _ in range(100):
        with open(f"/proc/{p.pid}/status", encoding="utf-8") as f:
            caught = re.search(r"^SigCgt:\s*(\w+)", f.read(), re.M)
        if caught and int(caught[1], 16) >> (signal.SIGINT - 1) & 1:
            break
        time.sleep(0.05)
    time.sleep(0.4)


def run_wide(argv, load):
    """Starts the tool, runs the load while it traces, and ends it by Ctrl-C."""
    p = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                         errors="surrogateescape")
    wait_for_handler(p)
    until, pid = time.monotonic() + WIDE_SECONDS, 0
    rounds = 0
    while time.monotonic() < until or rounds < 2:
        sh = subprocess.Popen(["sh", load], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        pid = sh.pid
        sh.wait(TIME_OUT)
        rounds += 1
        time.sleep(0.1)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=TIME_OUT)
    return out, err, p.returncode, pid


def run_command(argv, load):
    r = subprocess.run(argv + ["-c", "sh " + load], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                       timeout=TIME_OUT, errors="surrogateescape")
    return r.stdout, r.stderr, r.returncode, None


def run(tool):
    mode, args, load, patterns = ENTRIES[tool]
    work = os.path.join(live.WORK, tool)
    os.makedirs(work, exist_ok=True)

    def fill(text):
        return text.replace("{work}", work).replace("{trigger}", live.TRIGGER)

    script, pidfile = os.path.join(work, "load.sh"), os.path.join(work, "pid")
    with open(script, "w", encoding="utf-8") as f:
        f.write(f"echo $$ >{pidfile}\n" + fill(load) + "\n")
    try:
        out, err, status, _ = (run_wide if mode == WIDE else run_command)(command(tool, fill(args)), script)
    except subprocess.TimeoutExpired as e:
        return tool, [f"did not end: {e}"], ""
    with open(pidfile, encoding="utf-8") as f:
        pid = f.read().strip()
    wrong = [f"exit status {status}"] if status else []
    wrong += [f"message: {l}" for l in err.splitlines() if re.search(r"dwell|\.d:", l) and
              not re.search(r"\d+ timer firings? missed$", l)]
    for p in patterns:
        want = p.replace("{work}", re.escape(work)).replace("{trigger}", re.escape(live.TRIGGER)).replace("{pid}", pid)
        if not re.search(want, out, re.M):
            wrong.append(f"no line matches {want}")
    return tool, wrong, out


with open(os.path.join(HERE, "../../../doc/tools.md"), encoding="utf-8") as f:
    DOC = f.read()
have = {n[:-2] for n in os.listdir(TOOLS) if n.endswith(".d")}
# names.d: what the tools call errors and signals.
r = live.dwell("-qn", "BEGIN { for (int i = 1; i <= 42; i++) { printf(\"%s \", errno_name[i]); } printf(\"\\n\"); exit(0); }")
live.check(all(getattr(errno, n, None) == i or n == str(i) for i, n in enumerate(r.stdout.split(), 1)) and "ENOENT" in r.stdout,
           "errno_name[]", r.stdout + r.stderr)
r = live.dwell("-qn", "BEGIN { for (int i = 1; i <= 31; i++) { printf(\"%s \", signal_name[i]); } printf(\"\\n\"); exit(0); }")
live.same(r.stdout.split(), [signal.Signals(i).name for i in range(1, 32)], "signal_name[]")

live.same(sorted(have - set(ENTRIES)), [], "every tool has an entry")
live.same(sorted(set(ENTRIES) - have), [], "every entry has a tool")
for name in sorted(have):
    path = os.path.join(TOOLS, name + ".d")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    want = rf"#!/usr/bin/env -S dwell -s\n/\* SPDX-License-Identifier: Apache-2.0 \*/\n/\*\n \* {name}\.d: .*\.\n \*\n \* Usage: {name}\.d"
    example = re.search(rf"^ \*   # {name}\.d.*\n \*   .*\S.*\n", text, re.M)
    if not (re.match(want, text) and example and os.access(path, os.X_OK)):
        live.check(False, f"{name}: head with summary, usage and example; executable", text[:300])
        continue
    summary = re.search(rf"^ \* {name}\.d: (.*)$", text, re.M)[1]
    if f"| *{name}.d* | {summary} |\n" not in DOC:
        live.check(False, f"{name}: doc/tools.md has the line '| *{name}.d* | {summary} |'")

with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
    for name, wrong, out in pool.map(run, sorted(have & set(ENTRIES))):
        tail = out.splitlines()
        live.check(not wrong, name, "\n".join(wrong + ["output:"] + tail[:12] + ["..."] + tail[-12:]))
live.done()
