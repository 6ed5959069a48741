# SPDX-License-Identifier: Apache-2.0
# @timeout: 90
"""Static probes in files that are not there when dwell starts: probed when they are mapped, wherever they are. On a
busy machine dwell may be late, which it says then: most of the programs here leave it 20 ms."""
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import live

INCLUDE = os.path.join(os.path.dirname(os.path.abspath(live.__file__)), "..", "..", "include")
if not shutil.which("cc"):
    print("no C compiler")
    sys.exit(77)
os.chdir(live.WORK)
SOURCES = {
    "app.c": """#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "late.h"
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	if (!getenv("NOW"))
		usleep(20000);
	for (int i = 0; i < n; i++) {
		volatile signed char c = -5;
		LATEAPP_REQUEST_START(i, c, "text");
		if (LATEAPP_DONE_ENABLED()) { printf("enabled\\n"); LATEAPP_DONE(); }
		if (argc > 2) usleep(atoi(argv[2]));
	}
	return 0;
}
""",
    "other.c": "#include <sys/sdt.h>\n#include <unistd.h>\nint main(void) { volatile char c = 7; usleep(20000); STAP_PROBE1(lateapp, request__start, c); return 0; }\n",
    "lib.c": "#include <sys/sdt.h>\nint lib_fn(int x);\nint lib_fn(int x) { STAP_PROBE1(latelib, called, x); return x * 3; }\n",
    "main.c": """#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char line[9];
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 2;
	void *h = dlopen(argv[argc - 1], RTLD_NOW);
	int (*f)(int) = h ? dlsym(h, "lib_fn") : 0;
	usleep(20000);
	return !f || f(14) != 42;
}
""",
    "late.d": "provider lateapp { probe request__start(int, signed char, const char *); probe done(); };\n",
}
for name, body in SOURCES.items():
    with open(name, "w", encoding="ascii") as f:
        f.write(body)
os.symlink(os.path.realpath(live.DWELL), "dtrace")
for command in (
    "./dtrace -h -s late.d -o late.h",
    f"cc -O1 -I{INCLUDE} -I. -c app.c -o app.o",
    "./dtrace -G -s late.d -o late.o app.o",
    "cc -O1 -o app app.o late.o",
    f"cc -O1 -I{INCLUDE} -o other other.c",
    f"cc -O1 -I{INCLUDE} -shared -fPIC -o lib.so lib.c",
    "cc -o main main.c -ldl",
):
    subprocess.run(command.split(), check=True)


class Tracer:
    """dwell, ready for what starts from now on."""

    def __init__(self, program, *options, quiet=True):
        self.p = subprocess.Popen(
            [live.DWELL, *(["-q"] if quiet else []), "-xswitchrate=50hz", *map(str, options), "-n", program],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(1000):
            if self.p.poll() is not None or "dwell-late\n" in self.threads():
                break
            time.sleep(0.02)
        time.sleep(0.1)

    def threads(self):
        names = []
        for tid in os.listdir(f"/proc/{self.p.pid}/task"):
            try:
                with open(f"/proc/{self.p.pid}/task/{tid}/comm", encoding="ascii") as c:
                    names.append(c.read())
            except OSError:
                pass
        return names

    def end(self, after=0.3):
        time.sleep(after)
        self.p.send_signal(signal.SIGINT)
        self.out, self.err = self.p.communicate(timeout=60)
        self.late = sum(int(n) for n in re.findall(r"started later: (\d+) processes may have run past", self.err))
        self.err = re.sub(
            r"\S+: probes of programs that started later: \d+ processes may have run past probes .*\n", "", self.err
        )
        return self.out


def fresh(path, of="app"):
    """A copy that no process has had."""
    if os.path.exists(path):
        os.unlink(path)
    shutil.copy(of, path)
    return path


def run(path, *args):
    return subprocess.run([path, *args], capture_output=True, text=True, timeout=60, check=False)


SHOW = 'lateapp*:::request-start { printf("%s %s %s %d %d %d %s\\n", probeprov, probemod, probename, arg0, args[1], arg1, copyinstr(arg2)); } '

# A new file, in a folder that is in no PATH.
os.mkdir("some")
t = Tracer(
    SHOW + "lateapp*:::done { @[execname, probefunc] = count(); } lateapp*:::r* { @n[probename] = sum(arg0); }", "-Z"
)
status = [
    open(f"/proc/{t.p.pid}/task/{tid}/status", encoding="ascii").read() for tid in os.listdir(f"/proc/{t.p.pid}/task")
]
live.same(
    len({re.search(r"CapEff:\s*(\w+)", s)[1] for s in status}), 1, "all threads have given up the same privileges"
)
app = subprocess.Popen([fresh("some/thing"), "3"], stdout=subprocess.PIPE, text=True)
_, how = os.waitpid(app.pid, os.WUNTRACED)
live.check(os.WIFEXITED(how) and os.WEXITSTATUS(how) == 0, "its parent does not see it stop", how)
live.same(app.stdout.read(), "enabled\n" * 3, "semaphores are raised before the program's first line")
second = run(fresh("some/more"), "2")
live.same(second.stdout, "enabled\n" * 2, "… those of a second program, too")
t.end()
lines = t.out.split("\n")
live.same(
    lines[:3],
    [f"lateapp{app.pid} thing request-start {i} -5 -5 text" for i in range(3)],
    f"all firings of a file that is new {t.err}",
)
live.same(
    [l.split()[1:] for l in lines[3:5]],
    [["more", "request-start", str(i), "-5", "-5", "text"] for i in range(2)],
    "those of a second one",
)
live.check(re.search(r"\n  more +main +2\n  thing +main +3\n", t.out), "an aggregation of both", t.out)
live.check(re.search(r"\n  request-start +4\n", t.out), "a pattern", t.out)
live.same(t.err, "", "nothing to say")
live.same(run("some/thing", "2").stdout, "", "and lowered at the end")

# Where they are, and what becomes of them.
t = Tracer('lateapp*:::request-start { printf("%s %d %s\\n", probemod, arg0, execname); }', "-Z")
for i in range(3):
    fresh("some/next")
    os.rename("some/next", "some/replaced")
    run("some/replaced", str(i + 1))
gone = subprocess.Popen([fresh("some/gone"), "5", "100000"], stdout=subprocess.DEVNULL)
time.sleep(0.1)
os.unlink("some/gone")
gone.wait()
want = [f"replaced {k} replaced" for i in range(3) for k in range(i + 1)] + [f"gone {i} gone" for i in range(5)]
if subprocess.run(["unshare", "-m", "true"], check=False).returncode == 0:
    os.mkdir("inner")
    subprocess.run(
        ["unshare", "-m", "sh", "-c", "mount -t tmpfs none inner && cp app inner/contained && inner/contained 2"],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    want += ["contained 0 contained", "contained 1 contained"]
libs = re.findall(r"(/\S+) \(0x", subprocess.run(["ldd", "app"], capture_output=True, text=True, check=True).stdout)
for lib in libs:
    os.makedirs("root" + os.path.dirname(lib), exist_ok=True)
    shutil.copy(lib, "root" + lib)
fresh("root/rooted")
if subprocess.run(["chroot", "root", "/rooted", "0"], check=False).returncode == 0:
    shutil.copy("app", "root/again")
    subprocess.run(["chroot", "root", "/again", "1"], stdout=subprocess.DEVNULL, check=True)
    want += ["again 0 again"]
t.end()
live.same(t.out.split("\n")[:-3], want, f"replaced, deleted, in another mount namespace, in another root {t.err}")

# Libraries that a process loads later.
for what, options, prov in (("-p", ["-p"], "latelib$target"), ("a pattern", [], "latelib*")):
    p = subprocess.Popen(
        ["./main", "./" + fresh(f"lib{len(what)}.so", "lib.so")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    p.stdout.readline()
    t = Tracer(
        prov + ':::called { printf("%s %s %d\\n", probeprov, probefunc, args[0]); }',
        "-Z",
        *(options + [p.pid] if options else []),
    )
    p.communicate("go\n", timeout=60)
    live.same(p.returncode, 0, f"{what}: the library works")
    if not options:
        t.end()
    else:
        t.out, t.err = t.p.communicate(timeout=60)
    live.same(t.out.rstrip("\n"), f"latelib{p.pid} lib_fn 14", f"{what}: a library that is loaded later {t.err}")
os.symlink("lib.so", "link.so")
r = subprocess.run(
    [live.DWELL, "-qZ", "-c", "./main ./link.so", "-n", 'latelib$target:::called { printf("called %d\\n", arg0); }'],
    input="go\n",
    capture_output=True,
    text=True,
    timeout=60,
    check=False,
)
live.same(r.stdout, "ready\ncalled 14\n\n", f"-c: a library {r.stderr}")
with open("becomes.sh", "w", encoding="ascii") as f:
    f.write("cp app some/became\nexec some/became 2\n")
r = live.dwell(
    "-qZ",
    "-c",
    "/bin/sh becomes.sh",
    "-n",
    'lateapp$target:::request-start { printf("%s %d\\n", execname, arg0); }',
    timeout=60,
)
live.same(
    r.stdout,
    "enabled\nenabled\nbecame 0\nbecame 1\n\n".replace("enabled\n", ""),
    f"-c: a program that it becomes {r.stderr}",
)

# Beside what is there at the start; what does not fit is named, and the rest goes on.
first = subprocess.Popen([fresh("some/first"), "100000", "20000"], stdout=subprocess.DEVNULL)
time.sleep(0.2)
t = Tracer(
    'lateapp*:::request-start /execname != "first"/ { printf("%s %d\\n", execname, args[1]); } '
    'lateapp*:::request-start /execname == "first"/ { @[execname] = count(); }'
)
run(fresh("some/second"))
run(fresh("some/unfit", "other"))
run(fresh("some/third"))
t.end()
first.kill()
first.wait()
live.same(t.out.split("\n")[:2], ["second -5", "third -5"], f"beside a program that runs already {t.out}")
live.check(
    re.search(
        r"^\S+: lateapp\*:unfit:main:request-start of \S*/some/unfit, which process \d+ has mapped, is not enabled: "
        r"it has no args\[1\]\n$",
        t.err,
    ),
    "arguments that do not fit are named",
    t.err,
)

# Notices, lists, recordings, JSON.
t = Tracer("lateapp*:::request-start { trace(arg0); }", "-Z", quiet=False)
run(fresh("some/shown"))
t.end()
live.check(
    "description 'lateapp*:::request-start ' matched 0 probes: it waits for programs" in t.err,
    "nothing matches at the start",
    t.err,
)
live.check(re.search(r"\n +\d+ +\d+ +main:request-start +0 *\n", t.out), "columns", t.out)
r = live.dwell("-l", "-Z", "-n", "lateapp*:::request-start")
live.same((r.returncode, len(r.stdout.splitlines())), (0, 1), f"-l lists what there is {r.stdout} {r.stderr}")
r = live.dwell("-n", "lateapp*:::request-start")
live.check(
    r.returncode == 1 and "does not match any probes" in r.stderr,
    "without -Z that nothing matches is an error",
    r.stderr,
)
t = Tracer(
    'lateapp*:::request-start { printf("%s %d\\n", execname, arg0); @[probemod] = count(); }',
    "-Z",
    "--record",
    "run.db",
)
run(fresh("some/kept"), "2")
t.end()
r = live.dwell("report", "run.db")
live.same(r.stdout.split(), t.out.split(), f"a recording shows the same {r.stderr}")
import sqlite3

with sqlite3.connect("run.db") as db:
    live.same(
        db.execute("SELECT provider, module, function, name FROM probe WHERE provider LIKE 'late%'").fetchall(),
        [("lateapp*", "kept", "main", "request-start")],
        "its table of probes",
    )
t = Tracer("lateapp*:::request-start { trace(arg0); }", "-Z", "--json")
run(fresh("some/json"))
t.end()
live.check('"provider":"lateapp*","module":"json","function":"main","name":"request-start"' in t.out, "JSON", t.out)

# Programs that do not wait: from the first line of main() on, or dwell says that it was late.
HASTY = 20
t = Tracer("lateapp*:::request-start { @ = count(); } END { printa(\"%@d\\n\", @); }", "-Z")
for i in range(HASTY):
    subprocess.run([fresh(f"some/hasty{i}")], env={"NOW": "1"}, stdout=subprocess.DEVNULL, check=True)
t.end()
n = int(t.out.split()[0])
live.check(
    n <= HASTY <= n + t.late + sum(int(n) for n in re.findall(r"started later: (\d+)", t.err)),
    "what is missed is counted",
    (t.out, t.late, t.err),
)
print(f"# {n} of {HASTY} programs traced from their first line on")

# More than there is room for.
MANY = 260
t = Tracer("lateapp*:::request-start { @ = count(); } END { printa(\"%@d\\n\", @); }", "-Z")
for i in range(MANY):
    subprocess.run([fresh(f"some/many{i}")], env={"NOW": "1"}, stdout=subprocess.DEVNULL, check=True)
    os.unlink(f"some/many{i}")
t.end()
left = t.late + sum(int(n) for n in re.findall(r"started later: (\d+)", t.err))
n = int(t.out.split()[0])
live.check(
    n <= 256 and n + left >= MANY and (n < 256 or "there is no room for more\n" in t.err),
    "256 files; the others are counted",
    (t.out, t.err),
)
live.done()
