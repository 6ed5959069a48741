# SPDX-License-Identifier: Apache-2.0
# @needs: task-storage
"""Many threads on all CPUs with a speculation each: what is committed comes whole and in order, and
uncommitted speculations cost no more than specsize."""
import re

import live

prog = (
    "syscall::getppid:entry /progenyof($target)/ { self->s = speculation(); @n = count(); @odd = sum(tid % 2); }"
    "syscall::getppid:entry /self->s/ { speculate(self->s); printf(\"<%d:%d:a>\\n\", self->s, tid); }"
    "syscall::getppid:entry /self->s/ { speculate(self->s); printf(\"<%d:%d:b>\\n\", self->s, tid); }"
    "syscall::getppid:return /self->s/ { speculate(self->s); printf(\"<%d:%d:c>\\n\", self->s, tid); }"
    "syscall::getppid:return /self->s && tid % 2/ { commit(self->s); self->s = 0; }"
    "syscall::getppid:return /self->s/ { discard(self->s); self->s = 0; }"
    "END { printa(\"calls %@d \", @n); printa(\"odd %@d\\n\", @odd); }"
)
r = live.dwell("-q", "-x", "nspec=512", "-n", prog, "-c", live.TRIGGER + " threads 200", timeout=60)
calls, odd = map(int, re.search(r"calls (\d+) odd (\d+)", r.stdout).groups())
recs = re.findall(r"<(\d+):(\d+):([abc])>", r.stdout)
live.check(calls == 200 or "skipped by the kernel" in r.stderr, "200 calls", r.stdout[-100:])
live.same(r.stderr.count("failed"), 0, "every call had a speculation")
whole = [recs[i : i + 3] for i in range(0, len(recs), 3)]
live.same(len(whole), odd, "those of odd threads are committed")
live.check(
    all([x[2] for x in w] == ["a", "b", "c"] and len({x[:2] for x in w}) == 1 for w in whole),
    "together and in order",
    whole[:5],
)

prog = (
    "BEGIN { s = speculation(); } syscall::getppid:entry /pid == $target/ { speculate(s);"
    " printf(\"%s\", execname); } END { printf(\"end\"); }"
)
r = live.dwell("-q", "-x", "specsize=8k", "-n", prog, "-c", live.TRIGGER + " getppid 5000")
live.same(r.stdout.strip(), "end", "nothing of it is shown")
lost = re.search(r"(\d+) speculative drops", r.stderr)
live.check(lost and 4700 < int(lost.group(1)) < 5000, "no more than specsize is held", r.stderr)
live.done()
