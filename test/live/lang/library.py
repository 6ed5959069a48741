# SPDX-License-Identifier: Apache-2.0
"""The D library: every member of every translator compiles on this kernel, its values are right, and what
is broken, missing or not asked for stops nobody."""
import glob
import os
import re
import signal
import sys

import live

DLIB = os.path.join(os.path.dirname(os.path.realpath(live.DWELL)), "dlib")


def members():
    """One clause for each member, its input an address given by arg0 or the like."""
    for path in sorted(glob.glob(os.path.join(DLIB, "*.d"))):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for out, kind, body in re.findall(r"^translator (\w+) < (.*?)\w+ > \{(.*?)\n\};", text, re.M | re.S):
            value = "curthread" if "task_struct" in kind else "arg0" if "*" in kind else "3"
            for name in re.findall(r"^\t(\w+) = ", body, re.M):
                part = {"pr_start": ".tv_sec", "pr_time": ".tv_sec", "pr_lwp": ".pr_pri"}.get(name, "")
                yield f"BEGIN {{ trace(xlate <{out}> (({kind.strip()}){value}).{name}{part}); }}\n"


clauses = list(members())
r = live.dwell("-qe", "-n", "".join(clauses))
live.check(
    len(clauses) > 100 and r.returncode == 0 and r.stderr == "", "every member of every translator compiles", r.stderr
)

names = re.compile(r"^inline int (\w+) = ", re.M)
for file in sorted(glob.glob(os.path.join(DLIB, "*.d"))):
    with open(file, encoding="utf-8") as f:
        found = names.findall(f.read())
    if found:
        r = live.dwell("-qe", "-n", "BEGIN { " + " ".join(f"trace({n});" for n in found) + " }")
        live.check(r.returncode == 0 and r.stderr == "", f"{os.path.basename(file)}: {len(found)} names", r.stderr)

for what, expression in [
    ("pr_pid", "curpsinfo->pr_pid == pid"),
    ("pr_ppid", "curpsinfo->pr_ppid == ppid"),
    ("pr_uid", "curpsinfo->pr_uid == uid && curpsinfo->pr_euid == uid"),
    ("pr_fname", "curpsinfo->pr_fname == execname"),
    ("pr_name", "curlwpsinfo->pr_name == execname"),
    ("pr_lwpid", "curlwpsinfo->pr_lwpid == tid"),
    ("pr_lwp", "curpsinfo->pr_lwp.pr_lwpid == tid"),
    ("pr_addr", "curpsinfo->pr_addr == (uintptr_t)curthread"),
    ("pr_sname", "curlwpsinfo->pr_sname == 'R'"),
    ("pr_start", "walltimestamp / 1000000000 - curpsinfo->pr_start.tv_sec < 60"),
    ("pr_argc", "curpsinfo->pr_argc == 4"),
    ("pr_size", "curpsinfo->pr_size > curpsinfo->pr_rssize"),
    ("pr_pgid", f"curpsinfo->pr_pgid == {os.getpgrp()}"),
    ("pr_sid", f"curpsinfo->pr_sid == {os.getsid(0)}"),
    ("pr_flag", "curpsinfo->pr_flag == 0 && curlwpsinfo->pr_flag == 0"),
    ("pr_syscall", "curlwpsinfo->pr_syscall > 0"),
    ("pr_oldpri", "curlwpsinfo->pr_oldpri == 0"),
    ("pr_cpu", "curlwpsinfo->pr_cpu == 0"),
    ("pr_pctcpu", "curpsinfo->pr_pctcpu > 0 && curlwpsinfo->pr_pctcpu <= 0x8000"),
    ("pr_pctmem", "curpsinfo->pr_pctmem > 0 && curpsinfo->pr_pctmem < 0x8000"),
    ("curcpu", "curcpu->cpu_id == cpu && curcpu->cpu_pset == pset && curcpu->cpu_chip == chip"),
    ("errno.d", "ENOENT == 2 && EINPROGRESS == 115"),
    ("signal.d", f"SIGKILL == 9 && SIGCHLD == {int(signal.SIGCHLD)}"),
    ("O_*", f"O_RDWR == {os.O_RDWR} && O_CREAT == {os.O_CREAT} && O_CLOEXEC == {os.O_CLOEXEC}"),
    ("faults", "DTRACEFLT_DIVZERO == 4"),
    ("a name of one's own", "sizeof (psinfo_t) > 100"),
]:
    r = live.dwell("-q", "-n", f"BEGIN {{ trace({expression}); exit(0); }}")
    live.check(r.stdout == "1\n" and r.stderr == "", what, r.stdout + r.stderr)

program = 'BEGIN { printf("%s|%d", curpsinfo->pr_psargs, strlen(curpsinfo->pr_psargs)); exit(0); }'
for size in (64, 256):
    line = " ".join([live.DWELL, "-q", "-x", f"strsize={size}", "-n", program])[: min(size, 80) - 1]
    r = live.dwell("-q", "-x", f"strsize={size}", "-n", program)
    live.same(r.stdout, f"{line}|{len(line)}\n", f"pr_psargs, strsize={size}")
r = live.dwell("-q", "-n", 'BEGIN { trace(psargs(0, 0)); trace(psargs(8, 16)); printf("-"); exit(0); }')
live.check(r.stdout == "-\n" and r.stderr == "", "psargs() of what cannot be read", r.stdout + r.stderr)
r = live.dwell("-q", "-n", "BEGIN { print(xlate <timestruc_t> (5000000123)); print(*curlwpsinfo); exit(0); }")
live.check(
    ".tv_sec = (time_t)5," in r.stdout
    and ".tv_nsec = (long)123," in r.stdout
    and re.search(r"\.pr_lwpid = \(int\)\d+,", r.stdout),
    "print() of translated structs",
    r.stdout + r.stderr,
)
r = live.dwell("-q", "-n", "inline int EPERM = 77; int SIGHUP; BEGIN { SIGHUP = 5; trace(EPERM + SIGHUP); exit(0); }")
live.same(r.stdout, "82\n", "a program's own names come before the library's")
r = live.dwell("-q", "-x", "nolibs", "-n", "BEGIN { trace(EPERM); exit(0); }")
live.check(r.returncode == 1 and "failed to resolve EPERM" in r.stderr, "-x nolibs", r.stderr)
r = live.dwell("-q", "-x", "nolibs", "-n", "BEGIN { trace(curcpu->cpu_id == cpu); exit(0); }")
live.same(r.stdout, "1\n", "curcpu->cpu_id needs no library")

# CPU time of all threads, running and ended, and of children.
BURN = """
import os, threading, time
def burn(wait):
    end = time.thread_time() + 0.05
    while time.thread_time() < end: pass
    wait.wait()
stay, gone = threading.Event(), threading.Event()
gone.set()
os.system("i=0; while [ $i -lt 40000 ]; do i=$((i + 1)); done")
threads = [threading.Thread(target=burn, args=(w,)) for w in (stay, stay, gone)]
for t in threads: t.start()
threads[2].join()
end = time.process_time() + 0.15
while time.process_time() < end: pass
c, before = os.times(), time.process_time()
os.getppid()
print(int(before * 1e9), int(time.process_time() * 1e9), int((c.children_user + c.children_system) * 1e9), flush=True)
stay.set()
"""
burn = os.path.join(live.WORK, "burn.py")
with open(burn, "w", encoding="utf-8") as f:
    f.write(BURN)
NS = "curpsinfo->{0}.tv_sec * 1000000000 + curpsinfo->{0}.tv_nsec"
r = live.dwell(
    "-q",
    "-n",
    f'syscall::getppid:entry /pid == $target/ {{ printf("%d %d\\n", {NS.format("pr_time")}, '
    f'{NS.format("pr_ctime")}); }}',
    "-c",
    f"{sys.executable} {burn}",
)
figures = [int(w) for w in r.stdout.split()]
live.check(len(figures) == 5 and figures[0] - 20e6 <= figures[3] <= figures[1] + 1e6, "pr_time", r.stdout + r.stderr)
live.check(len(figures) == 5 and abs(figures[4] - figures[2]) <= 20e6 < figures[4], "pr_ctime", r.stdout + r.stderr)

own = os.path.join(live.WORK, "own")
os.mkdir(own)


def write(name, text):
    with open(os.path.join(own, name), "w") as f:
        f.write(text)


write("good.d", '#pragma D depends_on library first.d\ninline first_t twice[int i] = 2 * (first_t)i;\n')
write("first.d", "typedef int first_t;\n")
write("old.d", "inline int fits = curthread->no_such_member;\ninline int fits = 42;\n")
write("broken.d", "inline int broken = 1;\n\ninline int = 3;\n")
write("wrong.d", "inline int fine = 3;\ninline int wrong = no_such_name;\n")
write("module.d", "#pragma D depends_on module no_such_module\ninline int absent = 1;\n")
write("lacks.d", "#pragma D depends_on library no_such_library.d\ninline int lacks = 1;\n")
write("note.txt", "this is not D\n")
write(
    "round.d",
    "inline int round1 = round2;\ninline int round2 = round1;\n"
    "typedef struct deep { int n; } deep_t;\ntranslator deep_t < int i > { n = xlate <deep_t> (i + 1).n; };\n",
)
write("empty.d", "")
write("clause.d", "inline int beside = 11;\nBEGIN { exit(1); }\n")
os.mkdir(os.path.join(own, "folder.d"))
os.mkfifo(os.path.join(own, "fifo.d"))
with open(os.path.join(own, "garbage.d"), "wb") as f:
    f.write(bytes(range(256)) * 64)


def lib(program, *options):
    return live.dwell("-q", "-L", own, *options, "-n", program + " BEGIN { exit(0); }")


r = lib("BEGIN { printf(\"%d\", 1); }", "-x", "syslibdir=/no/such/folder")
live.check(r.stdout == "1\n" and r.stderr == "", "a program that needs no library reads none", r.stderr)
r = lib("BEGIN { trace(twice[4]); }")
live.check(r.stdout == "8\n", "-L, depends_on library", r.stdout + r.stderr)
live.check(
    "warning: library " + own + "/broken.d: line 3: syntax error near" in r.stderr and r.returncode == 0,
    "a broken library is a warning that names file and line",
    r.stderr,
)
live.check("wrong.d" not in r.stderr, "what is not used is not complained about", r.stderr)
live.check("program requires library no_such_library.d" in r.stderr, "a library that is missing", r.stderr)
r = lib("BEGIN { trace(fits); }")
live.check(r.stdout == "42\n" and "old.d" not in r.stderr, "the first definition that fits the kernel holds", r.stderr)
r = lib("BEGIN { trace(fine); }")
live.same(r.stdout, "3\n", "what is wrong beside it does not matter")
r = lib("BEGIN { trace(wrong); }")
live.check(
    r.returncode == 1
    and "wrong.d: line 2: failed to resolve no_such_name" in r.stderr
    and "failed to resolve wrong: Unknown variable name" in r.stderr,
    "a wrong declaration",
    r.stderr,
)
r = lib("BEGIN { trace(absent); }")
live.check(r.returncode == 1 and "failed to resolve absent" in r.stderr, "depends_on module", r.stderr)
for name in ("round1", "xlate <deep_t> (1).n"):
    r = lib(f"BEGIN {{ trace({name}); }}")
    live.check(r.returncode == 1 and r.stderr.count("round.d") < 5, f"what needs itself: {name}", r.stderr)
r = lib("BEGIN { trace(beside); }")
live.check(
    r.stdout == "11\n"
    and "clause.d: line 2: program clauses of a library are not used" in r.stderr
    and r.stderr.count("garbage.d") == 1
    and "empty.d" not in r.stderr
    and "folder.d" not in r.stderr,
    "clauses, garbage, folders, a pipe",
    r.stderr,
)
r = lib("BEGIN { trace(EPERM); }", "-x", "syslibdir=/no/such/folder")
live.check(
    "warning: library /no/such/folder: No such file or directory" in r.stderr and r.returncode == 1,
    "a folder that is not there",
    r.stderr,
)
for text, message in [
    ("#pragma D depends_on module no_such\n", "program requires module no_such"),
    ("#pragma D depends_on provider no_such\n", "program requires provider no_such"),
    ("#pragma D depends_on library io.d\n", "main program may not explicitly depend on a library"),
]:
    r = live.dwell("-xerrtags", "-n", text + "BEGIN { exit(0); }")
    live.check(r.returncode == 1 and "[D_PRAGMA_DEPEND]" in r.stderr and message in r.stderr, text.strip(), r.stderr)
r = live.dwell(
    "-q", "-n", "#pragma D depends_on module vmlinux\n#pragma D depends_on provider syscall\nBEGIN { exit(0); }"
)
live.check(r.returncode == 0, "depends_on what is there", r.stderr)
program = (
    '#pragma D depends_on probe sdt:nosuch::probe "Linux 9.9"\ntracker gone () { threshold = 5ms; } '
    'sdt:nosuch::probe { begin(gone); } sdt:nosuch::end { end(gone, args[1]); } latency:gone::slow { slow("x", 1); }'
)
uses = 'latency:gone::all { @a[args[0]->comm] = count(); } BEGIN { printf("runs"); exit(0); } END { trunc(@a); }'
r = live.dwell("-q", "-n", program, "-n", uses)
live.check(
    r.returncode == 1
    and r.stdout == ""
    and "program requires Linux 9.9: this kernel has no probe sdt:nosuch::probe" in r.stderr
    and "does not match" not in r.stderr,
    "depends_on probe",
    r.stderr,
)
r = live.dwell("-q", "-x", "zdepends", "-n", program, "-n", uses)
live.check(
    r.returncode == 0 and r.stdout == "runs\n" and "left out: program requires Linux 9.9" in r.stderr,
    "zdepends",
    r.stderr,
)
program = "inline int none = 0; sdt:::sched_waking /none && pid/ { n++; } sdt:::sched_switch /!none/ { n++; } tick-100ms { exit(0); }"
for pragma, wants in (("zdefs", False), ("quiet", True)):
    r = live.dwell("-x", "cost", "-n", f"#pragma D option {pragma}\n{program}")
    live.check(
        r.returncode == 0 and ("sched_waking" in r.stderr) == wants and "sched_switch" in r.stderr,
        f"a clause that never runs has probes: {wants} ({pragma})",
        r.stderr,
    )
live.done()
