# SPDX-License-Identifier: Apache-2.0
"""-x dtypes and -x ctypes: the types of a program as C declares them; gcc reads them."""
import os
import shlex
import subprocess
import live

D = """enum color { RED = 1, BLUE = 7 };
typedef int number;
struct pair { int a : 3; unsigned b : 5; union { char c[4]; number n; }; struct { long x; } in[2]; struct pair *next; enum color col; };
typedef struct pair pair_t;
BEGIN { trace(sizeof (pair_t)); trace(curthread->pid); exit(0); }"""
dfile, cfile = os.path.join(live.WORK, "d.h"), os.path.join(live.WORK, "c.h")
r = live.dwell("-q", "-x", f"dtypes={dfile}", "-x", f"ctypes={cfile}", "-n", D)
live.check(r.returncode == 0 and r.stderr == "", "runs as usual", r.stderr)
with open(dfile, encoding="utf-8") as f:
    text = f.read()
live.check(
    "enum color {\n\tRED = 1,\n\tBLUE = 7,\n};\n" in text
    and "typedef int number;\n" in text
    and "\tint a:3;\n\tunsigned int b:5;\n\tunion {\n\t\tchar c[4];\n\t\tnumber n;\n\t};\n" in text
    and "\tstruct {\n\t\tlong x;\n\t} in[2];\n\tstruct pair *next;\n\tenum color col;\n};\ntypedef struct pair pair_t;\n"
    in text,
    "the program's types",
    text,
)
check = os.path.join(live.WORK, "t.c")
with open(check, "w", encoding="utf-8") as f:
    f.write(f'#include "{dfile}"\n_Static_assert(sizeof (pair_t) == {r.stdout.split()[0][:2]}, "size");\n')
c = subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-fsyntax-only", check], capture_output=True, text=True)
live.check(c.returncode == 0, "a C compiler reads them", c.stderr + text)
with open(cfile, encoding="utf-8") as f:
    text = f.read()
live.check(
    "struct task_struct {\n" in text and "\tpid_t pid;\n" in text and "pair" not in text,
    "the kernel's types",
    text[:3000],
)
r = live.dwell("-x", "dtypes=/nonexistent/x", "-n", "BEGIN { exit(0); }")
live.check(r.returncode == 1 and "failed to open /nonexistent/x" in r.stderr, "no such folder", r.stderr)
live.done()
