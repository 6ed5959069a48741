# SPDX-License-Identifier: Apache-2.0
"""iter:::task: once per thread, with the thread's own built-in variables, stacks and memory, at its period."""
import os
import platform
import re
import subprocess
import threading
import live

ONCE = "iter:::done { exit(0); }"


def once(clause, *options, **kw):
    return live.dwell("-q", *options, "-n", clause, "-n", ONCE, **kw)


def status(task):
    """/proc's view of a thread: name -> value."""
    with open(f"{task}/status") as f:
        return dict(l.rstrip("\n").split(":\t", 1) for l in f if ":\t" in l)


def all_threads():
    """tid -> (tgid, ppid, uid, gid, comm) of every thread that root may look at: sandboxes may hide some."""
    out = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            os.readlink(f"/proc/{pid}/ns/pid")
            for tid in os.listdir(f"/proc/{pid}/task"):
                s = status(f"/proc/{pid}/task/{tid}")
                out[int(tid)] = (
                    int(s["Tgid"]),
                    int(s["PPid"]),
                    int(s["Uid"].split()[0]),
                    int(s["Gid"].split()[0]),
                    s["Name"],
                )
        except OSError:
            pass
    return out


# All threads, those of this test among them, and what is known of them.
stop = threading.Event()
for _ in range(3):
    threading.Thread(target=stop.wait, daemon=True).start()
before = all_threads()
r = once('iter:::task { printf("%d|%d|%d|%d|%d|%s\\n", tid, pid, ppid, uid, gid, execname); }')
after = all_threads()
seen = {}
times = {}
for line in r.stdout.splitlines():
    f = line.split("|", 5)
    if len(f) == 6:
        seen[int(f[0])] = (int(f[1]), int(f[2]), int(f[3]), int(f[4]), f[5])
        times[int(f[0])] = times.get(int(f[0]), 0) + 1
steady = {t for t in before if before[t] == after.get(t)}
live.check(len(steady) > 10, "there are threads", len(steady))
# Names of kernel workers are longer in /proc.
short = {t: before[t][:4] + (before[t][4][:15],) for t in steady if "kworker" not in before[t][4]}
wrong = {t: (short[t], seen.get(t)) for t in short if seen.get(t) != short[t]}
live.check(not wrong, "pid, tid, ppid, uid, gid, execname of every thread", wrong)
live.check(
    steady <= set(times) and all(n == 1 for n in times.values()),
    "each thread once",
    f"{steady - set(times)} {[t for t in times if times[t] > 1]}",
)
live.same(r.stderr, "", "no complaints")
live.check(sum(1 for t in seen if seen[t][0] == os.getpid()) >= 4, "threads of one process, too")

# The thread's own, not dwell's.
with live.waiting("nap", 60000) as w:
    pid = int(w["pid"])
    P = f"iter:::task /pid == {pid}/"
    cwd = live.seen(os.getcwd())
    r = once(
        P + '{ printf("%s|%s|%d|%d|%d|%s|%s|%d\\n", cwd, curpsinfo->pr_psargs, curlwpsinfo->pr_state, '
        'curthread == args[0], args[0]->tgid, zonename, curpsinfo->pr_fname, progenyof($1)); }',
        str(os.getpid()),
    )
    live.same(
        r.stdout.strip(),
        f"{cwd}|{os.path.dirname(live.TRIGGER)}/waits nap 60000|1|1|{pid}|global|waits|1",
        "cwd, arguments, state, curthread, zone, parents",
    )
    live.same(r.stderr, "", "… without complaints")
    r = once(P + "{ stack(); trace(stackdepth); }")
    live.check("do_nanosleep" in r.stdout or "common_nsleep" in r.stdout, "kernel stack of a sleeping thread", r.stdout)
    live.check(re.search(r"^ *\d+$", r.stdout, re.M) and "0\n" != r.stdout.splitlines()[-1], "stackdepth", r.stdout)
    r = once(
        "iter:::task /pid == $1/ { printf(\"%d %d\\n\", timestamp - curthread->start_time, vtimestamp); }", str(pid)
    )
    age, used = map(int, r.stdout.split())
    live.check(0 < used < age < 60e9, "vtimestamp: what the thread has used", r.stdout)

    # Its memory, by a sleepable program.
    if platform.machine() == "x86_64" and "memory of other threads" not in live.missing():
        r = once(P + "{ ustack(); }", "-x", "iterrate=200ms")
        live.check("nanosleep" in r.stdout, "user stack: where it waits", r.stdout + r.stderr)
        # The mappings of a process that dwell meets for the first time come with the first walk.
        r = live.dwell(
            "-qn",
            P + "{ @[ustack(), ustackdepth] = count(); } iter:::done-100ms /++n == 8/ { exit(0); }",
            "-x",
            "iterrate=100ms",
        )
        frames = re.findall(r"waits`(\w+)", r.stdout)
        live.check(
            frames[-4:] == ["nap_here", "nap_through", "main", "_start"]
            or ["nap_here", "nap_through", "run_nap"] == [f for f in frames[-8:] if "nap" in f][-3:],
            "user stack: whole, in code without frame pointers",
            r.stdout + r.stderr,
        )
        r = live.dwell("-qn", P + "{ ustack(2); ustack(); exit(0); }", "-x", "ustackunwind=fp")
        live.check(r.returncode == 0 and "nanosleep" in r.stdout, "by frame pointers", r.stdout + r.stderr)
        words = open(f"/proc/{pid}/cmdline").read().split("\0")
        r = once(
            P + '{ printf("%s|%s|%d\\n", copyinstr(curthread->mm->arg_start), copyinstr(curthread->mm->arg_start, 7), '
            '*(char *)copyin(curthread->mm->arg_start, 1)); }'
        )
        live.same(r.stdout.strip(), f"{words[0]}|{words[0][:6]}|{ord(words[0][0])}", "copyin() and copyinstr()")
        r = once(P + '{ trace(copyinstr(curthread->mm->env_end - 1)); trace(copyinstr(curthread->mm->env_end - 5)); }')
        live.check(r.returncode == 0 and "error" not in r.stderr, "text at the end of memory", r.stdout + r.stderr)
        r = once(P + '{ trace(copyinstr(16)); }')
        live.check("invalid address" in r.stderr, "a bad address is a D error", r.stderr)
    # An error's clauses see the thread, too.
    r = live.dwell("-qn", P + "{ trace(*(int *)0); } ERROR { printf(\"in %d %s\\n\", pid, execname); exit(0); }")
    live.same(r.stdout.strip(), f"in {pid} waits", "ERROR clauses are about the walked thread")

# What another probe kept for the thread.
child = subprocess.Popen([live.TRIGGER, "rate", "100", "60000"], stdout=subprocess.DEVNULL)
r = live.dwell(
    "-qn",
    f"syscall::getppid:entry /pid == {child.pid}/ {{ self->n++; self->a[1]++; }} "
    f"iter:::task-50ms /pid == {child.pid} && self->n > 3/ {{ printf(\"%d\\n\", self->n == self->a[1]); exit(0); }}",
)
live.same(r.stdout.strip(), "1", "self-> of the walked thread")
child.kill()
child.wait()

# Periods.
r = live.dwell(
    "-q",
    "-x",
    "iterrate=20ms",
    "-n",
    "BEGIN { start = timestamp; } "
    'iter:::done { n++; } iter:::done-50ms { m++; } iter:::done /n == 11/ '
    '{ printf("%d %d\\n", (timestamp - start) / 1000000, m); exit(0); }',
)
ms, m = map(int, r.stdout.split())
live.check(ms >= 200, "iterrate: not more often than asked for", r.stdout)
live.check(3 <= m <= ms / 50 + 2, "a period of its own in the name", r.stdout)
r = live.dwell("-qn", 'iter:::task /tid == $1/ { n++; } tick-1s /n/ { printf("%d\\n", n); exit(0); }', str(os.getpid()))
live.check(1 <= int(r.stdout) <= 4, "once a second without being asked", r.stdout)

# Listing, ids, mistakes.
r = live.dwell("-l", "-P", "iter")
live.check(re.search(r"iter +task$", r.stdout, re.M) and re.search(r"iter +done$", r.stdout, re.M), "listed", r.stdout)
number = r.stdout.split("\n")[1].split()[0]
r = live.dwell("-ln", "iter:::task-250ms")
live.check("task-250ms" in r.stdout, "a name with a period", r.stdout + r.stderr)
packed = r.stdout.split("\n")[1].split()[0]
r = live.dwell("-l", "-i", packed, "-i", number)
live.check("task-250ms" in r.stdout and re.search(r"task$", r.stdout, re.M), "by number", r.stdout + r.stderr)
for bad, why in (
    ("iter:::task-1us", "1000 times per second"),
    ("iter:::task-", "positive number"),
    ("iter:::task-5parsec", "units"),
    ("iter:::tasks", "does not match"),
    ("iter:::task-0", "positive number"),
):
    r = live.dwell("-n", bad)
    live.check(r.returncode == 1 and why in r.stderr, f"{bad} is refused", r.stderr)
r = live.dwell("-x", "iterrate=10us", "-n", "iter:::task")
live.check(r.returncode != 0 and "1000 times" in r.stderr, "iterrate has a limit", r.stderr)
for act in ("raise(9)", "stop()"):
    r = live.dwell("-wn", f"iter:::task {{ {act}; }}")
    live.check(r.returncode == 1 and "dwell's own" in r.stderr, f"{act} is refused", r.stderr)
r = live.dwell(
    "-x", "noself", "-qn", "iter:::task /execname == \"dwell\"/ { trace(pid); } iter:::done { trace($pid); exit(0); }"
)
live.check(r.stdout.strip() not in r.stdout.split()[:-1], "noself leaves dwell out", r.stdout)
r = live.dwell(
    "-x",
    "cpu=0",
    "-qn",
    'iter:::task /curthread->nr_cpus_allowed == 1/ { @[curlwpsinfo->pr_onpro] = count(); }' "iter:::done { exit(0); }",
)
live.check(re.findall(r"^ +(\d+) ", r.stdout, re.M) == ["0"], "-x cpu: threads of that CPU", r.stdout + r.stderr)
live.done()
