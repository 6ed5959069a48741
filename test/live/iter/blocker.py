# SPDX-License-Identifier: Apache-2.0
"""The D library's facts about sleeping threads: state, lock, holder, since when; with locks that are held for as long
as a page takes to be read from a slow file."""
import time
import live

FACTS = (
    'printf("%d|%c|%d|%s|%d|%d|%x\\n", tid, thread_letter[curthread], off_cpu_ns(curthread), '
    'blocker_kind_name[blocker_kind[curthread]], '
    'blocker_holder[curthread] != NULL ? blocker_holder[curthread]->pid : 0, blocker_shared[curthread], '
    "blocker_lock[curthread]);"
)
SOBJ = {
    "": "SOBJ_NONE",
    "mutex": "SOBJ_MUTEX",
    "rwsem (read)": "SOBJ_RWLOCK",
    "rwsem (write)": "SOBJ_RWLOCK",
    "semaphore": "SOBJ_SEMA",
    "rtmutex": "SOBJ_USER_PI",
}


stypes = {}
values = live.dwell(
    "-qn",
    "BEGIN { " + "".join(f'printf("{name} %d\\n", {name});' for name in sorted(set(SOBJ.values()))) + " exit(0); }",
).stdout
SOBJ_VALUES = dict(line.split() for line in values.splitlines() if line)


def same_stype(tid, kind, what):
    """pr_stype says the same in Solaris' words; a program's thread is none of the kernel's."""
    live.same(stypes.get(tid), (int(SOBJ_VALUES[SOBJ[kind]]), 0), f"{what}: pr_stype is {SOBJ[kind]}")


def facts(pid):
    """tid -> (letter, ns since it ran, kind of lock, holder's tid, shared, lock) of the threads of a process."""
    r = live.dwell("-qn", f"iter:::task /pid == {pid}/ {{ {FACTS} }} iter:::done {{ exit(0); }}")
    r2 = live.dwell(
        "-qn",
        f'iter:::task /pid == {pid}/ {{ printf("%d %d %d\\n", tid, curlwpsinfo->pr_stype, curpsinfo->pr_flag & PR_ISSYS); }} '
        'iter:::done { exit(0); }',
    )
    stypes.update({int(t): (int(s), int(k)) for t, s, k in (line.split() for line in r2.stdout.splitlines() if line)})
    if r.stderr:
        live.check(False, "no complaints", r.stderr)
    out = {}
    for line in filter(None, r.stdout.splitlines()):
        f = line.split("|")
        out[int(f[0])] = (f[1], int(f[2]), f[3], int(f[4]), int(f[5]), int(f[6], 16))
    return out


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def waited(w, tid, at, what):
    """The time since it ran: of threads that went to sleep between `since` and ready, not more than since `since`."""
    ns, most = at[1], now() - int(w["since"])
    live.check(most * 0.95 - 500e6 < ns <= most, f"{what}: how long it has slept", f"{ns} of {most}, {tid}")


known = "1" in live.dwell("-qn", "BEGIN { trace(blocker_known); exit(0); }").stdout
with live.SlowFile() as slow:
    slow.delay(60000)
    for page, (what, kind) in enumerate((("mutex", "mutex"), ("rwsem", "rwsem (write)"))):
        with live.waiting(what, slow.path, page) as w:
            holder, waiter = int(w["holder"]), int(w["waiter"])
            f = facts(w["pid"])
            live.check(f[holder][0] in "SD" and f[holder][2] == "", f"{what}: the holder waits for no lock", f)
            if known:
                live.same(
                    f[waiter][:1] + f[waiter][2:5], ("D", kind, holder, 0), f"{what}: state, lock, and who has it"
                )
                live.check(f[waiter][5] > 1 << 63, f"{what}: the lock's address", f)
                same_stype(waiter, kind, what)
            same_stype(holder, "", what)
            waited(w, waiter, f[waiter], what)
        slow.delay(60000)
    with live.waiting("mmap", slow.path, 9) as w:
        f = facts(w["pid"])
        live.check(f[int(w["waiter"])][0] == "D", "waits for the address space", f)
with live.waiting("futex", "pi") as w:
    f = facts(w["pid"])
    live.same(f[int(w["waiter"])][2:5], ("rtmutex", int(w["holder"]), 0), "mutex with priority inheritance: who has it")
    waited(w, w["waiter"], f[int(w["waiter"])], "futex")
    same_stype(int(w["waiter"]), "rtmutex", "futex with priority inheritance")
with live.waiting("futex", "plain") as w:
    live.same(facts(w["pid"])[int(w["waiter"])][::2], ("S", "", 0), "plain mutex: the kernel knows of none")
with live.waiting("vfork") as w:
    time.sleep(0.3)
    f = facts(w["pid"])[int(w["pid"])]
    live.check(f[0] == "D" and f[2] == "", "vfork: state D", f)
    waited(w, w["pid"], f, "vfork")
with live.waiting("stopped") as w:
    f = facts(w["stopped"])[int(w["stopped"])]
    live.check(f[0] == "T", "stopped: state T", f)
    waited(w, w["stopped"], f, "stopped")
with live.waiting("nap", 60000) as w:
    f = facts(w["pid"])[int(w["pid"])]
    live.check(f[0] == "S", "asleep: state S", f)
    time.sleep(0.5)
    live.check(facts(w["pid"])[int(w["pid"])][1] - f[1] > 450e6, "… longer and longer")
p = live.subprocess.Popen([live.TRIGGER, "spin", "60000"])
time.sleep(0.2)
f = facts(p.pid)[p.pid]
live.check(f[0] == "R" and f[1] < 200e6, "runs: state R", f)
p.kill()
time.sleep(0.1)
f = facts(p.pid)[p.pid]
live.same(f[0], "Z", "dead, nobody knows yet: state Z")
p.wait()
live.done()
