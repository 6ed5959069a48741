# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""pid*:FILE:FUNCTION:SOURCE@LINE: each place where a statement of the line begins, in copies of inlined functions too, by
the file's debug information or that of its debug file. Counts are the program's own; what is wrong says what is near."""
import os
import shutil
import subprocess
import sys
import live

if not shutil.which("cc") or not shutil.which("objcopy"):
    print("no C compiler")
    sys.exit(77)
os.chdir(live.WORK)
SOURCE = """#include <stdio.h>
#include <stdlib.h>
static volatile long copied, own, odd;
static inline __attribute__((always_inline)) void both(void)
{
	copied++;
}
__attribute__((noinline)) void once(void)
{
	both();
	own++;
}
int main(int argc, char **argv)
{
	for (long i = 0, n = atol(argv[1]); i < n; i++) {
		both();
		if (i % 3 == 1)
			odd++;
		if (i % 2)
			once();
	}
	printf("%ld %ld %ld\\n", copied, own, odd);
	return argc - 2;
}
"""
with open("lines.c", "w", encoding="ascii") as f:
    f.write(SOURCE)
LINES = SOURCE.split("\n")


def line(text):
    return LINES.index(text) + 1


def run(program, wanted, *more):
    return subprocess.run(
        [live.DWELL, "-q", *more, "-n", wanted, "-c", f"./{program} 300"], capture_output=True, text=True
    )


COPIED, OWN, ODD = line("\tcopied++;"), line("\town++;"), line("\t\t\todd++;")
for level in "-O0", "-O2":
    subprocess.run(["cc", level, "-g", "-o", "lines", "lines.c"], check=True)
    shutil.copy("lines", "stripped")
    subprocess.run(["objcopy", "--only-keep-debug", "lines", "stripped.debug"], check=True)
    subprocess.run(["objcopy", "--strip-debug", "--add-gnu-debuglink=stripped.debug", "stripped"], check=True)
    for program in "lines", "stripped":
        r = run(
            program,
            f"pid$target:{program}::lines.c@{COPIED} {{ @copied = count(); @by[probefunc] = count(); }} "
            f"pid$target:{program}::lines.c@{OWN} {{ @own = count(); }} pid$target:{program}:main:l*.c@{ODD} {{ @odd = count(); }}"
            ' END { printa("%@d %@d %@d\\n", @copied, @own, @odd); printa("%s=%@d ", @by); trunc(@by); trunc(@copied); '
            'trunc(@own); trunc(@odd); }',
        )
        live.same(
            r.stdout.split(),
            ["450", "150", "100", "450", "150", "100", "once=150", "main=300"],
            f"{level}: {program}: counts as the program's own, in each copy {r.stderr}",
        )

r = subprocess.run(
    [live.DWELL, "-l", "-n", f"pid$target:lines:once:lines.c@{OWN}", "-c", "./lines 1"], capture_output=True, text=True
)
live.check(f"once lines.c@{OWN}" in r.stdout, "-l has its name", r.stdout + r.stderr)
p = subprocess.Popen(
    [
        live.DWELL,
        "-q",
        "-n",
        f'pid*:{os.path.realpath("lines")}::lines.c@{OWN} {{ @ = count(); }} BEGIN {{ printf("begun\\n"); }} END {{ printa("%@d\\n", @); }}',
    ],
    stdout=subprocess.PIPE,
    text=True,
)
live.same(p.stdout.readline(), "begun\n", "of all processes")
subprocess.run(["./lines", "300"], check=True, stdout=subprocess.DEVNULL)
subprocess.run(["./lines", "100"], check=True, stdout=subprocess.DEVNULL)
p.send_signal(2)
live.same(p.communicate()[0].split(), ["200"], "… those that start later are counted")

subprocess.run(["cc", "-O0", "-g", "-o", "lines", "lines.c"], check=True)
subprocess.run(["strip", "-g", "-o", "bare", "lines"], check=True)
for wanted, words in (
    (
        f"lines::lines.c@{line('static volatile long copied, own, odd;')}",
        "no statement begins at lines.c@3; the nearest ones: 6",
    ),
    (f"lines:once:lines.c@{ODD}", f"no statement of lines.c@{ODD} is in function 'once'"),
    ("lines::nowhere.c@3", "has no source file like that of nowhere.c@3"),
    ("lines::lines.c@99999", "the nearest ones: "),
    ("bare::lines.c@6", "bare has no debug information, which tells the lines"),
):
    r = run(wanted.split(":", maxsplit=1)[0], f"pid$target:{wanted} {{ @ = count(); }}")
    live.check(r.returncode == 1 and words in r.stderr, f"{wanted}: {words}", r.stderr)
live.done()
