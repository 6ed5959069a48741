# SPDX-License-Identifier: Apache-2.0
"""The system calls: kernel names and their ABI aliases, globs, what does not exist."""
import live


def count(desc, *options):
    r = live.dwell(*options, "-ln", desc)
    return r.stdout.count("\n") - 1, r


n, r = count("syscall:::entry")
live.check(n > 300, f"{n} system calls", r.stderr)
m, r = count("syscall:::return")
live.same(m, n, "as many returns")
for desc, want in [
    ("syscall::read:entry", 1),
    ("syscall::newfstat:entry", 1),
    ("syscall::fstat:entry", 1),
    ("syscall::get*id:entry", None),
    ("syscall:vmlinux:read:", 2),
    ("read:entry", 1),
]:
    n, r = count(desc)
    live.check(r.returncode == 0 and n > 0 and want in (n, None), f"{desc}: {n}", r.stdout + r.stderr)
r = live.dwell("-ln", "syscall::no_such_call:entry")
live.check("No probe matches description" in r.stderr, "an unknown one", r.stderr)
r = live.dwell("-qn", "syscall::no_such_call:entry { }")
live.check(r.returncode == 1 and "does not match any probes" in r.stderr, "an unknown one in a program", r.stderr)
r = live.dwell("-qZn", "syscall::no_such_call:entry { } BEGIN { exit(0); }")
live.same(r.returncode, 0, "-Z takes it")
live.done()
