# SPDX-License-Identifier: Apache-2.0
# @timeout: 90
"""pid*: functions of a file in all processes: those that run already, start later, see another file under its name in
their mount namespace, or the same file by overlayfs. Each count is that of the load itself. On a busy machine dwell may
be late at a file that is mapped later, which it says then: the loads leave it 20 ms."""
import os
import shutil
import signal
import subprocess
import sys
import live

if not shutil.which("cc"):
    print("no C compiler")
    sys.exit(77)
os.chdir(live.WORK)
for name, text in (
    ("lib.c", "int work(int a, long b);\nint work(int a, long b) { return a + (int)b; }\n"),
    (
        "main.c",
        """#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int work(int a, long b);
int main(int argc, char **argv)
{
	if (argc > 2) { puts("ready"); fflush(stdout); getchar(); }
	else usleep(20000);
	for (int i = 0; i < atoi(argv[1]); i++)
		work(1000, i);
	return 0;
}
""",
    ),
    (
        "go.c",
        "__asm__(\".pushsection .note.go.buildid,\\\"a\\\",@note\\n.long 4,0,4\\n.asciz \\\"Go\\\"\\n.popsection\\n\");\n"
        "int work(void);\nint work(void) { return 1; }\nint main(void) { return work(); }\n",
    ),
):
    with open(name, "w", encoding="ascii") as f:
        f.write(text)
here = os.path.realpath(".")
subprocess.run(["cc", "-O1", "-g", "-shared", "-fPIC", "-o", "libeveryone.so.1", "lib.c"], check=True)
subprocess.run(["cc", "-O1", "-o", "load", "main.c", "./libeveryone.so.1"], check=True)
subprocess.run(["cc", "-O1", "-o", "gopher", "go.c"], check=True)
shutil.copy("libeveryone.so.1", "copy.so")


def start(n, *before):
    """A load that has mapped its library, and waits for a line."""
    p = subprocess.Popen([*before, "./load", str(n), "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    p.stdout.readline()
    return p


def go_on(*loads):
    for p in loads:
        p.communicate("\n")


def trace(code, *args):
    """dwell that has attached."""
    p = subprocess.Popen(
        [live.DWELL, *args, "-n", code + ' BEGIN { printf("begun\\n"); }'],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while "begun" not in (line := p.stdout.readline()) and line:
        pass
    return p


def end(p):
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=30)
    return out, err, "may have run past" in err or "not looked at" in err


def rows(out):
    """Lines that end with two numbers."""
    return {w[-2]: int(w[-1]) for w in map(str.split, out.splitlines()) if len(w) > 1 and "".join(w[-2:]).isdigit()}


COUNT = "pid*:{}:work:{} {{ @[pid] = count(); }} END {{ printa(\"%d %@d\\n\", @); }}"
can_unshare = subprocess.run(["unshare", "-m", "true"], check=False).returncode == 0
BOUND = ["unshare", "-m", "sh", "-c", f"mount --bind copy.so {here}/libeveryone.so.1 && exec \"$@\"", "sh"]

# Running ones, one of them with another file under this name.
loads = [start(300), start(20)] + ([start(4000, *BOUND)] if can_unshare else [])
want = {str(p.pid): n for p, n in zip(loads, (300, 20, 4000))}
p = trace(COUNT.format("libeveryone.so.1", "entry"))
go_on(*loads)
out, err, _ = end(p)
live.same({k: n for k, n in rows(out).items() if k in want}, want, "processes that run, in two mount namespaces")
n = len(loads) - 1 or 1
live.check(f": those of all processes in {n} file" in err, "it says in how many files", err)

# Those that start later: of a known file, and of one that nobody had.
for what, before, late_is_fine in (
    ("a process that starts later", [], False),
    ("one with a file of its own", BOUND, True),
):
    if before and not can_unshare:
        continue
    for name in ("libeveryone.so.1", "libeveryone", f"{here}/libeveryone.so.1", f"{here}/libev*"):
        first = start(1)
        p = trace(
            "pid*:%s:work:return /execname == \"load\"/ { @[probemod, probefunc, probeprov == strjoin(\"pid\", lltostr(pid)), arg1 > 999] = count(); } "
            "END { printa(\"%%s %%s %%d %%d %%@d\\n\", @); }" % name,
            "-q",
        )
        subprocess.run([*before, "./load", "5000"], check=True)
        go_on(first)
        out, err, late = end(p)
        if late and late_is_fine:
            print(f"# late: {err}")
            continue
        live.same(out.strip(), "libeveryone.so.1 work 1 1 5001", f"{what}, as {name.replace(here, '')}: {err}")

# Nobody has it yet: -Z. Arguments by number; args[] by the debug information of what is there at the start.
p = trace(COUNT.format("libevery*", "entry").replace("@[pid] = count()", "@[pid] = sum(arg1)"), "-q", "-Z")
later = subprocess.Popen(["./load", "101"])
later.wait()
out, err, late = end(p)
live.check(late or f"{later.pid} 5050" in out, "-Z waits for a file", out + err)
first = start(3)
p = trace("pid*:libeveryone:work:entry { @[pid] = sum(args[1]); } END { printa(\"%d %@d\\n\", @); }", "-q")
go_on(first)
later = subprocess.Popen(["./load", "101"])
later.wait()
out, err, _ = end(p)
live.check(
    f"{first.pid} 3\n" in out and f"{later.pid} 5050\n" in out, "typed arguments, of a later process, too", out + err
)

# One file below two overlays, and by itself.
for d in ("up1", "work1", "over1", "up2", "work2", "over2", "low"):
    os.mkdir(d)
shutil.copy("load", "low/load")
shutil.copy("libeveryone.so.1", "low/libeveryone.so.1")
script = "".join(f"mount -t overlay none -o lowerdir=low,upperdir=up{i},workdir=work{i} over{i} && " for i in (1, 2))
script += "cd over1 && ./load 100 && cd ../over2 && ./load 100 && cd ../low && ./load 100"
if (
    can_unshare
    and subprocess.run(["unshare", "-m", "sh", "-c", script], check=False, stderr=subprocess.DEVNULL).returncode == 0
):
    p = trace("pid*:load:main:entry /execname == \"load\"/ { @ = count(); } END { printa(\"%@d\\n\", @); }", "-q", "-Z")
    subprocess.run(["unshare", "-m", "sh", "-c", script], check=True)
    out, err, late = end(p)
    live.check(late or out.strip() == "3", "a file below overlays is probed once", out + err)

# What is refused, and why.
for code, words in (
    ("pid*:gopher:main:return", "no process has a file gopher"),
    (f"pid*:{here}/gopher:work:return", "is a Go program, and a return probe would crash it"),
    (f"pid*:{here}/gopher:nosuch:entry", "failed to lookup 'nosuch'"),
    ("pid*:nosuch.so.9:f:entry", "no process has a file nosuch.so.9"),
    ("pid*::malloc:entry", "pid* needs a file and a function"),
):
    r = live.dwell("-q", "-n", code + " { }")
    live.check(r.returncode == 1 and words in r.stderr, f"{code.replace(here, '')} is refused", r.stderr)
r = live.dwell("-q", "-c", "./gopher", "-n", "pid$target:a.out:work:return { }")
live.check("is a Go program" in r.stderr, "so is a return of Go in one process", r.stderr)
r = live.dwell("-l", "-n", f"pid*:{here}/gopher:work:[er]*")
live.same(
    [line.split()[1:] for line in r.stdout.splitlines()[1:]],
    [["pid*", "gopher", "work", "entry"]],
    "a pattern leaves it out",
)
r = live.dwell("-l", "-m", f"pid*:{here}/gopher", "-f", "pid*:libc.so.6:getaddrinfo")
live.check(
    "needs a file and a function" in r.stderr, "-m: a whole library with all its instructions is not meant", r.stderr
)
r = live.dwell("-l", "-f", f"pid*:{here}/gopher:work")
live.check("work entry" in r.stdout, "-f with a path", r.stdout + r.stderr)
live.done()
