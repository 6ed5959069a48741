# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""pid*:FILE:FUNCTION:entry fires in inlined copies of the function: counts are the program's own, in C and C++, by the
file's debug information or that of its debug file. What copies do not have (arguments, a return) is said."""
import os
import shutil
import subprocess
import sys
import live

if not shutil.which("cc") or not shutil.which("c++") or not shutil.which("objcopy"):
    print("no compilers")
    sys.exit(77)
os.chdir(live.WORK)
C = """#include <stdio.h>
#include <stdlib.h>
static volatile long only, also;
static inline __attribute__((always_inline)) void inside(void) { only++; }
static inline void mixed(long k) { also += k; }
static void (*volatile by_address)(long) = mixed;
__attribute__((noinline)) void once(long k)
{
	inside();
	mixed(k);
}
int main(int argc, char **argv)
{
	for (long i = 0, n = atol(argv[1]); i < n; i++) {
		inside();
		if (i % 2)
			once(1);
		if (i % 3 == 0)
			by_address(1);
	}
	printf("%ld %ld\\n", only, also);
	return argc - 2;
}
"""
CXX = """#include <cstdio>
#include <cstdlib>
static volatile long bumped, doubled;
struct box {
	long n = 0;
	inline __attribute__((always_inline)) void bump(long k) { n += k; bumped = bumped + 1; }
};
namespace deep { template <class T> static inline __attribute__((always_inline)) T twice(T v) { doubled = doubled + 1; return v * 2; } }
__attribute__((noinline)) void once(box &b, long k) { b.bump(deep::twice(k)); }
int main(int, char **argv)
{
	box b;

	for (long i = 0, n = atol(argv[1]); i < n; i++) {
		b.bump(i);
		if (i % 2)
			once(b, i);
	}
	printf("%ld %ld\\n", bumped, doubled);
	return b.n < 0;
}
"""
for name, text in (("copies.c", C), ("copies.cc", CXX)):
    with open(name, "w", encoding="ascii") as f:
        f.write(text)


def run(program, wanted, *more):
    return subprocess.run([live.DWELL, *more, "-n", wanted, "-c", f"./{program} 300"], capture_output=True, text=True)


def split_off(program):
    shutil.copy(program, "stripped")
    subprocess.run(["objcopy", "--only-keep-debug", program, "stripped.debug"], check=True)
    subprocess.run(["objcopy", "--strip-debug", "--add-gnu-debuglink=stripped.debug", "stripped"], check=True)


COUNT = 'pid$target:{0}:{1}:entry {{ @a = count(); }} pid$target:{0}:{2}:entry {{ @b = count(); }} END {{ printa("%@d %@d\\n", @a, @b); }}'
subprocess.run(["cc", "-O2", "-g", "-o", "copies", "copies.c"], check=True)
subprocess.run(["c++", "-O2", "-g", "-o", "copiesxx", "copies.cc"], check=True)
for built, first, second in (
    ("copies", "inside", "mixed"),
    ("copiesxx", "bump", "twice"),
    ("copiesxx", "_ZN3box4bumpEl", "twice"),
):
    split_off(built)
    for program in built, "stripped":
        r = run(program, COUNT.format(program, first, second), "-q")
        lines = r.stdout.split("\n")
        live.same(lines[1], lines[0], f"{program}: {first} and {second}: counts as the program's own {r.stderr}")

r = run("copies", "pid$target:copies:inside:entry { @[probefunc] = count(); }")
live.check("matched 2 probes, 2 of them inlined copies" in r.stderr, "it says how many are inlined", r.stderr)
r = run("copies", "pid$target:copies:inside:entry", "-l")
live.check(
    "inside entry  (inlined in main, copies.c@15)" in r.stdout
    and "inside entry  (inlined in once, copies.c@9)" in r.stdout,
    "-l says where",
    r.stdout + r.stderr,
)
r = run("copies", "pid$target:copies:mixed:entry { @[arg0] = count(); }")
live.check(
    "1 inlined copy of mixed left out: the clause reads arguments" in r.stderr, "copies have no arguments", r.stderr
)
live.same(r.stdout.split()[-2:], ["1", "100"], "… the function itself has them")
r = run("copies", "pid$target:copies:mixed:return { @ = count(); }", "-q")
live.same(r.stdout.split()[-1], "100", "returns are those of the function itself")
p = subprocess.Popen(
    [
        live.DWELL,
        "-q",
        "-n",
        f'pid*:{os.path.realpath("copies")}:inside:entry {{ @ = count(); }} BEGIN {{ printf("begun\\n"); }} END {{ printa("%@d\\n", @); }}',
    ],
    stdout=subprocess.PIPE,
    text=True,
)
live.same(p.stdout.readline(), "begun\n", "of all processes")
subprocess.run(["./copies", "300"], check=True, stdout=subprocess.DEVNULL)
p.send_signal(2)
live.same(p.communicate()[0].split(), ["450"], "… those that start later are counted")

subprocess.run(["strip", "-g", "-o", "bare", "copies"], check=True)
for wanted, words in (
    ("copies:inside:return", "'inside' is inlined in each of its 2 places in 'copies', which have an entry only"),
    ("copies:inside:entry { @ = sum(arg0); }", "inlined copies have no arguments"),
    ("copies:insode:entry", "failed to lookup 'insode' in module 'copies'"),
    (
        "bare:inside:entry",
        "failed to lookup 'inside' in module 'bare'; it has no debug information, which tells inlined functions",
    ),
):
    r = run(wanted.split(":", maxsplit=1)[0], f"pid$target:{wanted}")
    live.check(r.returncode == 1 and words in r.stderr, f"{wanted}: {words}", r.stderr)
live.done()
