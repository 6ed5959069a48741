# SPDX-License-Identifier: Apache-2.0
"""Static probes: a program built with our sys/sdt.h, dtrace -h and dtrace -G, and traced; others' notes."""
import os
import re
import shutil
import subprocess
import sys
import time
import live

INCLUDE = os.path.join(os.path.dirname(os.path.abspath(live.__file__)), "..", "..", "include")
CC = shutil.which("cc")
if not CC:
    print("no C compiler")
    sys.exit(77)
os.chdir(live.WORK)
os.symlink(os.path.realpath(live.DWELL), "dtrace")

DECL = """/* probes of myapp */
#define ident unsigned int
#pragma D attributes Evolving/Evolving/Common provider myapp provider
provider myapp {
	probe query__start(ident, const char *);
	probe done();
	probe odd__sizes(signed char, unsigned short, long, int);
	probe empty(void);
};
"""
MAIN = """#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "myapp.h"
int table[8] = {10, 20, 30, 40, 50, 60, 70, 80};
static char text[] = "select";
static void inlined(int i) { MYAPP_EMPTY(); table[7] += i; }
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 2;
	text[0] = 'S';
	for (int i = 0; i < n; i++) {
		volatile signed char c = -5;
		volatile unsigned short s = 65535;
		MYAPP_QUERY_START(i, i ? text : "never looked at");
		inlined(i);
		if (MYAPP_DONE_ENABLED()) { puts("enabled"); fflush(stdout); MYAPP_DONE(); }
		MYAPP_ODD_SIZES(c, s, 1234567890123, table[i % 7]);
		inlined(i + 1);
		if (argc > 2) usleep(atoi(argv[2]));
	}
	return 0;
}
"""
for name, body in (("myapp.d", DECL), ("main.c", MAIN)):
    with open(name, "w", encoding="ascii") as f:
        f.write(body)


def sh(*args, **kw):
    return subprocess.run(args, capture_output=True, text=True, timeout=60, check=False, **kw)


live.same(sh("./dtrace", "-C", "-h", "-s", "myapp.d").returncode, 0, "dtrace -C -h -s myapp.d makes myapp.h")
header = open("myapp.h", encoding="ascii").read()
live.check(
    "#define MYAPP_QUERY_START(arg0, arg1)" in header and "#define MYAPP_DONE_ENABLED()" in header, "macros", header
)
live.same(
    sh("./dtrace", "-C", "-Ino", "-DX=1", "-xnolibs", "-h", "-s", "myapp.d", "-o", "other.h").returncode,
    0,
    "other options",
)

CODE = (
    "myapp$target:::query-start { printf(\"%d %s %s\\n\", arg0, probefunc, copyinstr(arg1)); } "
    "myapp$target:::odd-sizes { printf(\"%d %d %d %d\\n\", args[0], args[1], args[2], args[3]); } "
    "myapp$target:::done { printf(\"done\\n\"); } myapp$target:::empty { @ = count(); } END { printa(\"%@d\\n\", @); }"
)
WANT = "0 main never looked at\n-5 65535 1234567890123 10\n1 main Select\n-5 65535 1234567890123 20\n4\n\n"
compilers = [("cc -O2", [CC, "-O2"]), ("cc -O0", [CC, "-O0"]), ("cc, no PIE", [CC, "-O2", "-fno-pie", "-no-pie"])]
if shutil.which("clang"):
    compilers.append(("clang", ["clang", "-O2"]))
if shutil.which("g++"):
    compilers.append(("g++", ["g++", "-x", "c++", "-O2"]))
for what, cc in compilers:
    compile_only = [a for a in cc if a != "-no-pie"]
    r = sh(*compile_only, "-Wall", "-Wextra", "-Werror", "-I" + INCLUDE, "-c", "main.c", "-o", "main.o")
    if not live.same((r.returncode, r.stderr), (0, ""), f"{what}: compiles without a warning"):
        continue
    r = sh("./dtrace", "-C", "-G", "-s", "myapp.d", "-o", "probes.o", "main.o")
    live.same((r.returncode, r.stderr), (0, ""), f"{what}: dtrace -G")
    r = sh(*[a for a in cc if a not in ("-x", "c++")], "main.o", "probes.o", "-o", "myapp")
    live.same((r.returncode, r.stderr), (0, ""), f"{what}: links")
    live.same(sh("./myapp").stdout, "", f"{what}: nobody traces it, nothing is enabled")
    r = live.dwell("-q", "-c", "./myapp", "-n", CODE)
    # The order of what both print is not fixed.
    live.same(r.stdout.count("enabled\n"), 2, f"{what}: semaphores are raised")
    live.same(r.stdout.count("done\n"), 2, f"{what}: the probe behind one fires")
    live.same(r.stdout.replace("enabled\n", "").replace("done\n", ""), WANT, f"{what}: arguments")
    live.same(sh("./myapp").stdout, "", f"{what}: and lowered again")

# A provider block of the D program says what args[] are.
BLOCK = (
    "struct info { int twice; string text; }; translator struct info < int i > { twice = 2 * i; }; "
    "provider myapp { probe query__start(int n, char *s) : (char *s, struct info *n); "
    "probe odd__sizes(char a, unsigned short b, long c, int d) : (int d, long c); }; "
    "myapp$target:::query-start { printf(\"%s %d\\n\", copyinstr((uintptr_t)args[0]), args[1]->twice); } "
    "myapp$target:::odd-sizes { printf(\"%d %d\\n\", args[0], args[1]); }"
)
r = live.dwell("-q", "-c", "./myapp", "-n", BLOCK)
live.same(
    r.stdout,
    "never looked at 0\n10 1234567890123\nSelect 2\n20 1234567890123\n\n",
    "provider block: mapped and translated arguments",
)

# Two processes by a pattern; -p; what is printed about types.
procs = [subprocess.Popen(["./myapp", "100000", "2000"], stdout=subprocess.DEVNULL) for _ in range(2)]
r = live.dwell(
    "-q", "-n", "myapp*:::query-start { @[probeprov] = count(); n++; } myapp*:::query-start /n > 40/ { exit(0); }"
)
live.same(
    sorted(line.split()[0] for line in r.stdout.splitlines() if line.strip()),
    sorted(f"myapp{p.pid}" for p in procs),
    "myapp*::: finds all processes",
)
later = subprocess.Popen(["sh", "-c", "sleep 0.5; exec ./myapp 3"], stdout=subprocess.DEVNULL)
r = live.dwell(
    "-q",
    "-n",
    f"myapp*:::query-start /pid == {later.pid}/ {{ n++; printf(\"%s %s %d\\n\", probeprov, probename, arg0); }} "
    "myapp*:::query-start /n == 3/ { exit(0); }",
)
later.wait()
live.same(
    r.stdout.split("\n")[:3], [f"myapp{later.pid} query-start {i}" for i in range(3)], "and those that start later"
)
r = live.dwell("-l", "-n", "myapp*:::done")
live.same(
    sorted(line.split()[1] for line in r.stdout.splitlines()[1:]),
    sorted(f"myapp{p.pid}" for p in procs),
    "-l lists them for each process",
)
r = live.dwell("-lv", "-p", procs[0].pid, "-n", "myapp$target:a.out:main:odd-sizes")
live.check("args[0]: int" in r.stdout and "args[2]: int64_t" in r.stdout, "types of arguments", r.stdout)
for p in procs:
    p.kill()
    p.wait()


# Nobody runs it yet: the file is named. And what is enabled is enabled in processes that start later.
def starts_later(argv, what, *options, copy=None):
    d = subprocess.Popen(
        [
            live.DWELL,
            "-q",
            "-xswitchrate=20hz",
            *options,
            "-n",
            "BEGIN { printf(\"up\\n\"); } "
            "myapp*:::query-start { printf(\"%s %d\\n\", probeprov, arg0); } myapp*:::done { printf(\"done\\n\"); exit(0); }",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    up = d.stdout.readline()
    time.sleep(0.3)
    p = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    try:
        out, err = d.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        d.kill()
        out, err = d.communicate()
    live.check(
        up == "up\n" and p.stdout == "enabled\n" and re.fullmatch(r"myapp\d+ 0\ndone\n\n", out),
        what,
        (up, p.stdout, p.stderr, out, err),
    )


starts_later(
    ["./myapp", "1"], "-x usdtfiles: a program that nobody runs yet", "-x", f"usdtfiles=/nonexistent:{live.WORK}/mya*p"
)
r = live.dwell("-l", "-x", f"usdtfiles={live.WORK}/myapp", "-n", "myapp*:::done")
live.check(
    r.stdout.splitlines()[1].split()[1:] == ["myapp*", "myapp", "main", "done"],
    "-l lists the file's",
    r.stdout + r.stderr,
)
r = live.dwell("-n", "myapp*:::done")
live.check(r.returncode == 1 and "does not match any probes" in r.stderr, "without it nothing matches", r.stderr)
keep = subprocess.Popen(["./myapp", "100000", "20000"], stdout=subprocess.DEVNULL)
time.sleep(0.1)
r = live.dwell(
    "-q",
    "-x",
    f"usdtfiles={live.WORK}/myapp",
    "-n",
    f"myapp*:::query-start /pid == {keep.pid}/ {{ @[arg0] = count(); n++; }} "
    "myapp*:::query-start /n > 5/ { exit(0); } END { printa(\"%@d\\n\", @); }",
)
live.same(set(r.stdout.split()), {"1"}, "a file that is named, too, fires once")
keep.kill()
keep.wait()

# In a container: the program lies where only its own mount namespace has it.
if subprocess.run(["unshare", "-m", "true"], check=False).returncode == 0:
    os.mkdir("inner")
    p = subprocess.Popen(
        [
            "unshare",
            "-m",
            "sh",
            "-c",
            "mount -t tmpfs none inner && cp myapp inner/contained && "
            "inner/contained 100000 20000 >inner/out & read x; inner/contained 1; kill $!; wait",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    time.sleep(0.5)
    r = live.dwell("-q", "-n", "myapp*:contained::query-start { printf(\"%s\\n\", probemod); exit(0); }")
    live.same(r.stdout, "contained\n\n", "a program in another mount namespace")
    d = subprocess.Popen(
        [
            live.DWELL,
            "-q",
            "-xswitchrate=20hz",
            "-n",
            "BEGIN { printf(\"up\\n\"); } "
            "myapp*:contained::query-start /execname == \"contained\"/ { @[pid] = count(); } tick-1s { n++; } "
            "myapp*:contained::done { @d[pid] = count(); } END { printa(\"%d %@d\\n\", @d); }",
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    d.stdout.readline()
    time.sleep(0.3)
    out, _ = p.communicate("go\n", timeout=60)
    live.same(out, "enabled\n", "one that starts later in there: semaphores")
    d.send_signal(2)
    live.check(len(d.communicate(timeout=20)[0].split("\n")) >= 3, "… and probes in both of them")

r = sh("./dtrace", "-h", "-s", "none.d")
live.same((r.returncode, r.stderr), (1, "dtrace: failed to open none.d: No such file or directory\n"), "no script")
with open("empty.d", "w", encoding="ascii") as f:
    f.write("BEGIN { exit(0); }\n")
r = sh("./dtrace", "-h", "-s", "empty.d")
live.same(
    (r.returncode, r.stderr), (1, "dtrace: failed to compile script empty.d: no provider is declared\n"), "no provider"
)
r = sh("./dtrace", "-G", "-C", "-s", "myapp.d", "none.o")
live.same((r.returncode, r.stderr), (1, "dtrace: failed to open none.o: No such file or directory\n"), "no object")
with open("many.d", "w", encoding="ascii") as f:
    f.write("provider p { probe twelve(" + ", ".join(["int"] * 12) + "); };\n")
live.same(sh("./dtrace", "-h", "-s", "many.d").returncode, 0, "12 arguments")
with open("many.d", "w", encoding="ascii") as f:
    f.write("provider p { probe many(" + ", ".join(["int"] * 13) + "); };\n")
r = sh("./dtrace", "-h", "-s", "many.d")
live.same(
    r.stderr,
    "dtrace: failed to compile script many.d: probe p:::many has more than 12 arguments\n",
    "13 arguments are refused",
)
live.done()
