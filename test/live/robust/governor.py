# SPDX-License-Identifier: Apache-2.0
"""-x maxcpu detaches what costs more, and says so; with a generous limit nothing happens."""
import live

r = live.dwell("-q", "-x", "maxcpu=0.01%", "-n", "syscall:::entry { @[execname, probefunc, ustack(), stack()] = count(); }",
               "-n", "tick-4s { exit(0); }", "-c", live.TRIGGER + " rate 200000 5000", timeout=30)
live.check("maxcpu" in r.stderr or "detached" in r.stderr, "too dear: detached, with a message", r.stderr[:500])
r = live.dwell("-q", "-x", "maxcpu=90%", "-n", "syscall::getppid:entry { @ = count(); } tick-2s { exit(0); }", timeout=30)
live.check("detached" not in r.stderr, "cheap enough: nothing happens", r.stderr[:500])
live.done()
