# SPDX-License-Identifier: Apache-2.0
# @timeout: 400
"""Locks of the kernel, found by the record of the waiter on its stack: of planted waits, and as many as the limit allows."""
import mmap
import os
import re
import time

import live

WAITERS = 20
# WAITER_LIST and WAITER_LIST_NOLOOP of src/cg/builtin/waiter.c: so many waiters in a row are looked at.
LIST = 256 if tuple(map(int, os.uname().release.split(".")[:2])) >= (5, 17) else 32
OVER = 10
PROGRAM = """
iter:::task /(this->w = _waited_lock(curthread)) || blocker_noted[curthread]/
{
    this->h = this->w ? holder_of_blocker[this->w] : NULL;
    printf("row %d %#x %#x %s %d\\n", tid, this->w, blocker_noted[curthread], blocker_kind_name[kind_of_blocker[this->w]],
        this->h != NULL ? this->h->pid : 0);
}
iter:::done { exit(0); }
"""


def child(work):
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    return pid


def state(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
        return f.read().rsplit(")", 1)[1].split()[0]


class Planted:
    """A process that holds the lock of what holds_fd is while a page of a slow file is read, and others that want it."""

    def __init__(self, slow, holds_fd, wants, n):
        self.slow = slow
        slow.delay(60000)
        with open(slow.path, "rb") as f:
            memory = memoryview(mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ))[:1]
        self.holder = child(lambda: os.write(holds_fd, memory))
        self.settle([self.holder], "S")
        self.waiters = []
        for _ in range(n):
            self.waiters.append(child(wants))
        self.settle(self.waiters, "D")

    def settle(self, pids, letter):
        end = time.monotonic() + 30
        while any(state(pid) != letter for pid in pids) and time.monotonic() < end:
            time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.slow.delay()
        for pid in (self.holder, *self.waiters):
            os.waitpid(pid, 0)


def rows(pids):
    r = live.dwell("-qn", PROGRAM, timeout=60)
    found = re.findall(r"^row (\d+) (\w+) (\w+) (.*) (\d+)$", r.stdout, re.M)
    if r.returncode or r.stderr:
        live.check(False, "the program runs", r.stderr)
    return {int(t): (int(w, 16), int(n, 16), kind, int(h)) for t, w, n, kind, h in found if int(t) in pids}


def check(p, kind, n, what):
    got = rows(p.waiters)
    known = [r for r in got.values() if r[0]]
    live.same(len(known), n, f"{what}: found")
    live.same({r[2:] for r in known}, {(kind, p.holder)}, f"{what}: kind and owner")
    live.same(len({r[0] for r in known}), 1, f"{what}: one lock")
    live.same(
        [r for r in known if r[1] not in (0, r[0])], [], f"{what}: where the kernel notes it, the note says the same"
    )


r = live.dwell("-qn", "BEGIN { trace(offsetof(struct mutex, wait_list)); exit(0); }")
if r.returncode:
    print("# mutexes of this kernel have other lists of waiters")
    raise SystemExit(77)
path = os.path.join(live.WORK, "data")
fd = os.open(path, os.O_RDWR | os.O_CREAT)
ends = os.pipe()
want_pipe = lambda: os.write(ends[1], b"x")
want_file = lambda: os.write(os.open(path, os.O_WRONLY), b"x")
for holds, wants, n, found, kind, what in (
    (ends[1], want_pipe, WAITERS, WAITERS, "mutex", "mutex of a pipe"),
    (fd, want_file, WAITERS, WAITERS, "rwsem (write)", "rwsem of a file"),
    (fd, want_file, LIST + OVER, LIST, "rwsem (write)", "more waiters than are looked at"),
):
    with live.SlowFile(1) as slow, Planted(slow, holds, wants, n) as p:
        check(p, kind, found, what)
with live.SlowFile(1) as slow:
    slow.delay(60000)
    with live.waiting("mmap", slow.path, 0) as w:
        text = live.dwell("stuck", "--over", "1ms", "-p", w["pid"], timeout=60).stdout
        live.check(
            re.search(r"\[rwsem \(write\)\s+0x[0-9a-f]+,\s+found on its\s+stack\]\s+held by readers; the kernel", text),
            "an address space's lock that readers have",
            text,
        )
live.done()
