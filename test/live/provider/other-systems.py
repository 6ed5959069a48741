# SPDX-License-Identifier: Apache-2.0
"""Probe descriptions of programs for illumos, FreeBSD and macOS: names of system calls and of the kernel's module, what
is left out and said, and system calls of Linux that programs hardly make.
"""
import os
import subprocess

import live

twice = os.path.join(live.WORK, "twice")
with open(twice, "w") as f:
    f.write("#!/bin/sh\n/bin/true\n/bin/true\nexit 0\n")
os.chmod(twice, 0o755)
# the same call by its name elsewhere: counted once, however many names the program has for it
for names in (["exece"], ["exece", "execve"], ["exec", "exece"], ["exec*", "exece"]):
    clause = ", ".join(f"syscall::{n}:entry" for n in names)
    r = live.dwell("-qn", f'{clause} /progenyof($target)/ {{ @[probefunc, copyinstr(arg0)] = count(); }}', "-c", twice)
    live.check(r.stdout.split()[-3:] == ["execve", "/bin/true", "2"], f"{names}: {r.stdout!r} {r.stderr!r}")

# statements about several systems: what is not here is left out, with its place and what is called instead
r = live.dwell("-en", "syscall::lwp_park:entry { self->t = nosuch; } syscall::read:entry /self->t/ { trace(self->t); }")
live.check(r.returncode == 1 and "self->t has not yet been" in r.stderr, f"a variable without a value: {r.stderr!r}")
r = live.dwell("-en", "syscall::lwp_park:entry { self->t = 1; } syscall::read:entry /self->t/ { trace(self->t); }")
live.check(
    r.returncode == 0
    and "line 1: warning: left out: Linux has no system call lwp_park\n" in r.stderr
    and "hint: programs call futex" in r.stderr,
    f"left out: {r.stderr!r}",
)
r = live.dwell("-en", "vminfo:::anonpgin { a = arg0; } vminfo:::as_fault { b = arg0; }")
live.check(
    r.returncode == 0 and "left out: vminfo:::anonpgin: no tracepoint" in r.stderr, f"known by name: {r.stderr!r}"
)
# … but not when nothing is left
for program in ("syscall::lwp_park:entry { trace(1); } tick-1s { exit(0); }", "vminfo:::anonpgin { trace(1); }"):
    r = live.dwell("-n", program)
    live.check(r.returncode == 1 and "does not match any probes" in r.stderr, f"nothing is left: {r.stderr!r}")
r = live.dwell("-Zen", "syscall::lwp_park:entry { trace(1); } syscall::read:entry { trace(1); }")
live.check(r.returncode == 0 and "left out" not in r.stderr, f"-Z says nothing: {r.stderr!r}")
r = live.dwell("-en", "syscall::nosuchcall:entry { trace(1); } syscall::read:entry { trace(1); }")
live.check(r.returncode == 1 and "does not match any probes" in r.stderr, f"of no system: {r.stderr!r}")

# modules
for what in (
    "io:genunix::start",
    "proc:kernel::exec",
    "proc:unix:somewhere:exec",
    "tcp:mach_kernel::send",
    "syscall:freebsd:read:entry",
):
    r = live.dwell("-en", f"{what} {{ trace(1); }}")
    live.check(r.returncode == 0 and "matched 1 probe" in r.stderr, f"{what}: {r.stderr!r}")
r = live.dwell("-en", "io:nosuch::start { trace(args[0]->b_bcount); }")
live.check(
    "hint: there is no module nosuch with such a probe, but vmlinux" in r.stderr, f"no such module: {r.stderr!r}"
)

# calls that the C library does not make
link = os.path.join(live.WORK, "dtrace")
os.symlink(os.path.abspath(live.DWELL), link)
program = "syscall::open:entry { trace(copyinstr(arg0)); }"
r = live.dwell("-xerrtags", "-en", program)
live.check(
    "[D_SILENT] line 1: warning: syscall::open: fires rarely on Linux: programs make openat" in r.stderr,
    f"open: {r.stderr!r}",
)
r = subprocess.run([link, "-en", program], capture_output=True, text=True)
live.check(r.returncode == 0 and "warning" not in r.stderr, f"as dtrace, into a pipe: {r.stderr!r}")
for program in (
    "syscall::open:entry, syscall::openat:entry { trace(1); }",
    "syscall::open*:entry { trace(1); }",
    "syscall:::entry { trace(1); }",
    "syscall::read:entry { trace(1); }",
):
    r = live.dwell("-en", program)
    live.check("warning" not in r.stderr, f"{program}: {r.stderr!r}")
live.done()
