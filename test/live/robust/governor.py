# SPDX-License-Identifier: Apache-2.0
"""-x maxcpu detaches what costs more, and says so; with a generous limit nothing happens."""
import os

import live

r = live.dwell("-q", "-x", "maxcpu=0.01%", "-n", "syscall:::entry { @[execname, probefunc, ustack(), stack()] = count(); }",
               "-n", "tick-4s { exit(0); }", "-c", live.TRIGGER + " rate 200000 5000", timeout=30)
live.check("maxcpu" in r.stderr or "detached" in r.stderr, "too dear: detached, with a message", r.stderr[:500])
# What is not measured any more is said by the files that had clauses there, in every one's words.
files = []
for name in ("one", "two", "other"):
    files.append(os.path.join(live.WORK, name + ".d"))
    with open(files[-1], "w", encoding="utf-8") as f:
        f.write("tick-4s { exit(0); }\n" if name == "other" else "syscall:::entry { @%s[execname, probefunc, ustack(), stack()] = count(); }\n" % name)
r = live.dwell("-q", "-x", "maxcpu=0.01%", "-s", files[0], "-s", files[2], "-s", files[1], "-c", live.TRIGGER + " rate 200000 5000", timeout=30)
live.check("maxcpu: detached syscall" in r.stderr and " (one.d, two.d): it used" in r.stderr, "whose clauses they were", r.stderr[:500])
r = live.dwell("-q", "-x", "maxcpu=90%", "-n", "syscall::getppid:entry { @ = count(); } tick-2s { exit(0); }", timeout=30)
live.check("detached" not in r.stderr, "cheap enough: nothing happens", r.stderr[:500])
live.done()
