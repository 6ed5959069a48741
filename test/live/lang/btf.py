# SPDX-License-Identifier: Apache-2.0
"""-x btf=FILE: the kernel's types from a file. Programs work without ids that the kernel knows; what is no BTF, is cut off,
or belongs to another kernel is refused by name."""
import os
import sys

import live

KERNEL = "/sys/kernel/btf/vmlinux"
if not os.path.exists(KERNEL):
    sys.exit("this kernel has no BTF to copy")
with open(KERNEL, "rb") as f:
    data = f.read()


def file(name, content):
    path = os.path.join(live.WORK, name)
    with open(path, "wb") as out:
        out.write(content)
    return "btf=" + path


own = file("own.btf", data)
r = live.dwell(
    "-q",
    "-x",
    own,
    "-n",
    'syscall::getppid:entry /pid == $target/ { @[execname, curthread->pid == tid, '
    'stringof(curthread->group_leader->comm)] = count(); self->t = timestamp; } '
    'syscall::getppid:return /self->t/ { @late[timestamp >= self->t] = count(); self->t = 0; } END { printa("%s %d %s %@d|", @); printa("%d %@d", @late); }',
    "-c",
    f"{live.TRIGGER} getppid 100",
)
live.check(
    r.returncode == 0 and "trigger 1 trigger 100|1 100" in r.stdout.replace("\n", ""),
    "a program with types of a file",
    r.stdout + r.stderr,
)
r = live.dwell(
    "-q",
    "-x",
    own,
    "-n",
    "sdt:sched::sched_switch /args[1]->tgid == $target/ { @ = count(); } END { printa(\"%@d\", @); }",
    "-c",
    f"{live.TRIGGER} pause 50",
)
live.check(r.returncode == 0 and int(r.stdout or 0) > 0, "typed arguments of a tracepoint", r.stdout + r.stderr)
r = live.dwell("latency", "--idle", "--over", "100ms", "-x", own, "-c", f"{live.TRIGGER} pause 300")
live.check(
    r.returncode == 0 and "waited 30" in r.stdout and "clock_nanosleep" in r.stdout,
    "the default set of latency",
    r.stdout + r.stderr,
)
r = live.dwell("-x", own, "-n", "iter:::task-100ms { exit(0); }")
live.check(r.returncode == 1 and "not of a file" in r.stderr, "a walk needs the kernel's own types", r.stderr)
for name, content, words in (
    ("cut", data[:100000], "the types end after the data"),
    ("short", b"hello", "too few for a header"),
    ("text", b"hello " * 100, "wrong magic"),
    ("empty", b"", "has a size of 0 bytes"),
    ("other", data.replace(b"get", b"teg"), "is of another kernel: it has "),
):
    option = file(name, content)
    r = live.dwell("-x", option, "-n", "BEGIN { exit(0); }")
    live.check(r.returncode == 1 and words in r.stderr and name in r.stderr, f"refused: {name}", r.stderr)
r = live.dwell("-x", "btf=/no/such", "-n", "BEGIN { exit(0); }")
live.check(
    r.returncode == 1 and "cannot open /no/such: No such file or directory" in r.stderr,
    "a file that is not there",
    r.stderr,
)
r = live.dwell("-x", "btf=" + live.WORK, "-n", "BEGIN { exit(0); }")
live.check(r.returncode == 1 and "is no file" in r.stderr, "a folder", r.stderr)
live.done()
