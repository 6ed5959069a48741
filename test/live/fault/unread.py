# SPDX-License-Identifier: Apache-2.0
"""What is said of user memory that cannot be read: what it is, and advice that fits the probe."""
import re

import live

# (clauses, what the message ends with)
CASES = (
    (
        "syscall::openat:entry /pid == $target/ { trace(copyinstr(arg0)); exit(0); }",
        r"invalid address \(0xffffff9c\) .*: this is the number -100 \(AT_FDCWD\), and no address$",
    ),
    (
        "syscall::openat:entry /pid == $target/ { self->p = arg0; } syscall::openat:return /self->p/ { trace(copyinstr(self->p)); }",
        r"openat:return\): invalid address \(0xffffff9c\) .*: this is the number -100 \(AT_FDCWD\), and no address$",
    ),
    (
        "syscall::openat:entry /pid == $target/ { trace(copyinstr(0xfffffffe)); }",
        r": this is the number -2, and no address$",
    ),
    (
        "syscall::openat:entry /pid == $target/ { trace(copyinstr(0xffffefff)); }",
        r": the page is not in memory yet; read it when the system call returns$",
    ),
    (
        "syscall::openat:entry /pid == $target/ { trace(copyinstr(0x100000000)); }",
        r": the page is not in memory yet; read it when the system call returns$",
    ),
    (
        "syscall::openat:return /pid == $target/ { trace(copyinstr(0x5000)); }",
        r": the program has no memory there, or its page is not in memory now, which a probe cannot wait for$",
    ),
    (
        "syscall::openat:return /pid == $target/ { trace(copyinstr(0)); }",
        r"invalid address \(0x0\) in action #1 at BPF pc \d+$",
    ),
)
for program, want in CASES:
    r = live.dwell("-q", "-n", program, "-c", "cat /dev/null")
    lines = [line for line in r.stderr.splitlines() if "error on enabled probe" in line]
    live.check(lines and all(re.search(want, line) for line in lines), program, r.stderr)
    if "return" in program:
        live.check("when the system call returns" not in r.stderr, "no advice to do what is done", r.stderr)
live.done()
