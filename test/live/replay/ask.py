# SPDX-License-Identifier: Apache-2.0
# @timeout: 150
"""dwell replay -s, -n: D programs over a recording. The same scripts give the same lines while the programs run and over a recording of another run of
them; times are those of the recording; what it does not have is refused with a reason, or is a fault of the probe."""
import os
import re
import shutil
import subprocess
import sys
import time

import live

TRACE, TREE, LOAD = (os.path.join(live.WORK, x) for x in ("trace", "tree", "load.sh"))
NAMES = {"xfind": "find", "xcat": "cat", "xdd": "dd", "xsh": "bash"}  # under these names nobody else runs
MINE = '/execname == "xfind" || execname == "xcat" || execname == "xdd" || execname == "xsh"/'
# Clocks are read without a system call where nothing is recorded.
CLOCKS = (
    MINE[:-1].replace("/", "/(", 1)
    + ') && probefunc != "gettimeofday" && probefunc != "clock_gettime" && probefunc != "time"/'
)
SCRIPTS = {
    "calls by program": "syscall:::entry " + CLOCKS + " { @[execname, probefunc] = count(); }",
    "bytes read and written": "syscall::read:return, syscall::write:return "
    + MINE
    + " { @[execname, probefunc] = sum(arg0); @q[probefunc] = quantize(arg0);"
    " @m[execname] = max(arg0); @l[execname] = lquantize(arg0, 0, 4096, 256); @a = avg(arg0); }",
    "paths, and errors": "syscall::openat:entry, syscall::newfstatat:entry "
    + MINE
    + " { self->p = arg1; } syscall::openat:return, syscall::newfstatat:return /self->p/"
    " { @[execname, probefunc, basename(copyinstr(self->p)), errno] = count(); self->p = 0; }",
    "programs and their ends": "syscall::execve:return "
    + MINE
    + " { @e[execname] = count(); @d[execname] = max(pid == tid); @u[execname, uid, gid, ppid > 1] = count(); }"
    " syscall::exit_group:entry "
    + MINE
    + " { @x[execname, arg0] = count(); } END { printa(\"%s %@d %@d\\n\", @e, @d); }",
    "threads' variables and arrays": "syscall:::entry "
    + CLOCKS
    + " { self->t = timestamp; n[pid, probefunc]++; } syscall:::return /self->t && timestamp >= self->t/"
    " { @[execname] = count(); @w = sum(n[pid, probefunc] > 0); self->t = 0; }"
    " syscall::exit_group:entry " + MINE + " { @c[n[pid, \"close\"]] = count(); }",
    "control flow, strings, exit": "BEGIN { i = 0; } syscall::write:entry /execname == \"xdd\" && arg0 == 1/ { this->s = strjoin(probefunc, \":\"); if (arg2 > 100) { i += 2; } else { i++; }"
    " printf(\"%s %d %d %s\\n\", this->s, arg2, i, substr(execname, 1)); } syscall::exit_group:entry /execname == \"xdd\"/ { exit(3); } END { printf(\"%d\\n\", i); }",
}
REFUSED = {
    "sched:::on-cpu { }": "on-cpu cannot be answered from a recording: it has nothing of the kernel",
    "syscall:::entry { trace(vtimestamp); }": "vtimestamp cannot be answered from a recording: it has no CPU times",
    "syscall:::entry /curthread->pid/ { }": "curthread cannot be answered from a recording: it has nothing of the kernel",
    "syscall:::entry { trace(cgroup); }": "cgroup cannot be answered from a recording: it has not been kept",
    "syscall:::entry { trace(cpu); }": "cpu cannot be answered from a recording: one CPU was used",
    "BEGIN { trace(nothing); }": "Unknown variable name",
}


def run(*args):
    return subprocess.run(
        [live.DWELL, *args], capture_output=True, timeout=100, check=False, stdin=subprocess.DEVNULL, text=True
    )


def load():
    os.makedirs(TREE)
    for i in range(30):
        os.makedirs(f"{TREE}/d{i}")
        with open(f"{TREE}/d{i}/f", "w", encoding="ascii") as f:
            f.write(f"{i}\n" * i)
    for name, program in NAMES.items():
        shutil.copy(shutil.which(program), os.path.join(live.WORK, name))
    with open(LOAD, "w", encoding="ascii") as f:
        f.write(
            f"cd {live.WORK}; ./xfind {TREE} -type f -exec ./xcat {{}} + >/dev/null; ./xcat {TREE}/d1/f /nonexistent 2>/dev/null >/dev/null\n"
            f"for i in 1 2 3; do ./xcat {TREE}/d$i/f | ./xcat >/dev/null; done; ./xdd if=/dev/zero of=/dev/null bs=1000 count=20 status=none; exit 0\n"
        )
    return [os.path.join(live.WORK, "xsh"), LOAD]


def lines(text):
    return sorted(re.sub(r"\s+", " ", x).strip() for x in text.splitlines() if x.strip())


def equal(command):
    r = run("rec", "-q", "-o", TRACE, "--", *command)
    live.check(r.returncode == 0 and not r.stderr, "the load is recorded", r)
    for name, text in SCRIPTS.items():
        script = os.path.join(live.WORK, "x.d")
        with open(script, "w", encoding="ascii") as f:
            f.write(text)
        then = run("-q", "-s", script, "-c", " ".join(command))
        now = run("replay", "-q", "-s", script, TRACE)
        live.check(
            lines(then.stdout) == lines(now.stdout) and len(now.stdout) > 3 and then.returncode == now.returncode,
            f"{name}: as live",
            f"{then.stderr} {now.stderr}\n{set(lines(then.stdout)) ^ set(lines(now.stdout))}",
        )
        live.check(run("replay", "-q", "-s", script, TRACE).stdout == now.stdout, f"{name}: the same again")


def times():
    before = time.time_ns()
    r = run("rec", "-q", "-o", TRACE, "--", "sh", "-c", "sleep 0.2; cat /etc/hostname; sleep 0.1")
    after = time.time_ns()
    text = (
        'BEGIN, END { printf("%d\\n", walltimestamp); } syscall::clock_nanosleep:entry { self->t = timestamp; printf("%d\\n", walltimestamp); }'
        ' syscall::clock_nanosleep:return { @ = min(timestamp - self->t); @x = max(timestamp - self->t); } END { printa("%@d %@d\\n", @, @x); }'
    )
    p = run("replay", "-q", "-n", text, TRACE)
    out = p.stdout.split()
    stamps, (least, most) = [int(x) for x in out[:4]], [int(x) for x in out[4:6]]
    live.check(
        r.returncode == 0 and before <= stamps[0] <= stamps[1] <= stamps[2] <= stamps[3] <= after,
        "times are those of then",
        (before, out, after),
    )
    live.check(100e6 <= least < 200e6 <= most <= after - before, "and so are durations", out)


def timers():
    r = run("rec", "-q", "-o", TRACE, "--", "sh", "-c", "sleep 0.3; sh -c 'echo $PPID; :'")
    p = run(
        "replay",
        "-q",
        "-n",
        'BEGIN { start = timestamp; } tick-100ms { printf("%d %d %s\\n", (timestamp - start) % 100000000, ++n, execname); }'
        ' syscall:::entry { @ = count(); last = timestamp; } END { printf("%d\\n", (last - start) / 100000000); printa("%@d\\n", @); }',
        TRACE,
    )
    out = p.stdout.split("\n")
    ticks = [x.split() for x in out if x.endswith(" dwell")]
    n = int(out[len(ticks)])
    live.check(
        len(ticks) >= 3
        and [(int(a), int(b)) for a, b, _ in ticks] == [(0, i + 1) for i in range(len(ticks))]
        and n <= len(ticks) <= n + 1,
        "timers fire as time went by then",
        p,
    )
    p = run("replay", "-q", "-n", 'syscall::write:entry /execname == "sh"/ { trace(ppid); }', TRACE)
    live.check(r.stdout.strip() == p.stdout.strip() and p.stdout.strip(), "the parent is that of then", (r.stdout, p))
    for tool, word in (
        ("opensnoop", "/etc/ld.so.cache"),
        ("syscount", "openat"),
        ("errinfo", "ENOENT"),
        ("statsnoop", "sleep"),
    ):
        p = run(
            "replay",
            "-s",
            os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../../dlib/tools", tool + ".d"),
            TRACE,
        )
        live.check(p.returncode == 0 and word in p.stdout, f"{tool}.d over a recording", p)


def unknown():
    p = run(
        "replay",
        "-q",
        "-n",
        'syscall::write:entry { trace(copyinstr(arg1, 4)); } ERROR { printf("fault at %x", arg4 == 0 ? 0 : 1); }',
        TRACE,
    )
    live.check(
        "invalid address (0x" in p.stderr and f"the program read memory that {TRACE} does not have" in p.stderr,
        "unknown memory is a fault",
        p,
    )
    p = run(
        "replay",
        "-q",
        "-n",
        'syscall::read:return /execname == "cat" && arg0 > 0/ { @[execname] = count(); } syscall::openat:entry /execname == "cat"/ { trace(copyinstr(arg1)); }',
        TRACE,
    )
    live.check("/etc/hostname" in p.stdout and not p.stderr, "paths are known, without a message", p)
    for text, reason in REFUSED.items():
        p = run("replay", "-n", text, TRACE)
        live.check(p.returncode == 1 and reason in p.stderr and not p.stdout, f"refused: {text}", p)
    for args, reason in (
        (["-n", "BEGIN { }", "/etc/passwd"], "no recording of"),
        (["-n", "BEGIN { }", "/nonexistent"], "cannot read /nonexistent"),
        (["-p", "1", "-n", "BEGIN { }", TRACE], "-p and -c ask about processes that run now"),
        (["-n", "BEGIN {", TRACE], "syntax error"),
        (["-l", "-n", "BEGIN", TRACE], "-l, -h and -G are not about a recording"),
        (["-n", "BEGIN { }", "-o", "/dev/null", TRACE], "-o is not possible here"),
        (["-n", "BEGIN { }", "-x", "record=/dev/null", TRACE], "cannot create recording"),
    ):
        p = run("replay", *args)
        live.check(p.returncode == 1 and reason in p.stderr, f"refused: {args}", p)
    p = run("replay", "-e", "-n", "BEGIN { trace(1); }", TRACE)
    live.check(p.returncode == 0 and not p.stdout, "-e only compiles", p)
    with open("/dev/full", "w", encoding="ascii") as full:
        p = subprocess.run(
            [live.DWELL, "replay", "-n", "syscall:::entry { trace(pid); }", TRACE],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    live.check(p.returncode == 1 and "failed to write to standard output: No space left" in p.stderr, "a full disk", p)
    with open(TRACE, "rb") as f:
        data = f.read()
    with open(TRACE, "wb") as f:
        f.write(data[: len(data) * 9 // 10])
    p = run("replay", "-q", "-n", "syscall:::entry { @ = count(); } END { printa(\"%@d\", @); }", TRACE)
    live.check(p.returncode == 0 and int(p.stdout) > 10, "a trace that is cut off: up to there", p)
    if os.geteuid() == 0:
        os.chmod(live.WORK, 0o755)
        os.chmod(TRACE, 0o644)
        p = subprocess.run(
            [
                "setpriv",
                "--reuid",
                "65534",
                "--regid",
                "65534",
                "--clear-groups",
                live.DWELL,
                "replay",
                "-q",
                "-n",
                "syscall:::entry { @ = count(); } END { printa(\"%@d\", @); }",
                TRACE,
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        live.check(p.returncode == 0 and int(p.stdout or 0) > 10, "without privileges", p)


equal(load())
timers()
times()
unknown()
sys.exit(live.failures > 0)
