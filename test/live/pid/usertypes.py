# SPDX-License-Identifier: Apache-2.0
"""args[] of functions in processes: typed by DWARF of every age, each argument where the ABI puts it."""
import os
import shutil
import subprocess
import sys
import live

PROBED = os.path.join(os.path.dirname(live.TRIGGER), "probed")
r = live.dwell(
    "-q",
    "-c",
    f"{PROBED} 2",
    "-n",
    "pid$target:a.out:probed_struct:entry { printf(\"%d %d %d %d %d\\n\", args[0]->id, "
    "args[0]->in.tag, args[0]->in.bits, args[1], args[0]->next->id); }",
)
live.same(r.stdout, "40 -3 17 200 2\n41 -3 17 200 2\n\n", "members, bit fields, pointers to pointers, small integers")
r = live.dwell("-q", "-c", f"{PROBED} 1", "-n", "pid$target:a.out:probed_fact:return { printf(\"%d \", args[1]); }")
live.same(r.stdout.strip(), "1 2 6 24 120", "the value of a function")
r = live.dwell("-lv", "-c", f"{PROBED} 1", "-n", "pid$target:a.out:probed_struct:entry")
live.check(
    "args[0]: userland const struct probed_arg * p" in r.stdout and "args[1]: unsigned char small" in r.stdout,
    "-lv shows types and names",
    r.stdout,
)
r = live.dwell("-c", f"{PROBED} 1", "-xerrtags", "-n", "pid$target:a.out:probed_struct:entry { trace(args[2]); }")
live.check("[D_ARGS_IDX]" in r.stderr, "beyond the parameters", r.stderr)
r = live.dwell(
    "-c", f"{PROBED} 1", "-xerrtags", "-n", "pid$target:a.out:probed_struct:entry { trace(args[0]->nosuch); }"
)
live.check("nosuch" in r.stderr and r.returncode == 1, "a member that is not there", r.stderr)
r = live.dwell("-c", f"{PROBED} 1", "-xerrtags", "-n", "pid$target:a.out:probed_*:entry { trace(args[0]); }")
live.check("[D_ARGS_MULTI]" in r.stderr, "functions with different parameters", r.stderr)

SOURCE = """#include <stdio.h>
#ifdef __clang__
#define KEEP noinline
#else
#define KEEP noipa
#endif
typedef struct node { struct node *next; union { int i; float f; }; enum { RED, GREEN = 5, NEG = -1 } color;
	unsigned a : 3, b : 7; long long big : 40; int m[3][4]; double d; _Bool ok; } node_t;
struct small { int x, y; };
struct large { long a[5]; };
struct floats { float x, y; };
__attribute__((KEEP, used)) long mixed(double d, int a, struct small s, struct large l, float f, node_t *n,
	struct floats fl, char c, long x, long y, long z)
{ return a + s.x + l.a[1] + n->a + c + x + y + z + (long)(d + f + fl.x); }
int main(void)
{
	node_t n = {.i = 7, .color = GREEN, .a = 5, .b = 100, .big = -77, .m = {{1, 2, 3, 4}, {5, 6, 7, 8}}, .ok = 1};
	struct small s = {3, 4};
	struct large l = {{1, 2, 3, 4, 5}};
	struct floats fl = {1, 2};
	n.next = &n;
	return mixed(1.5, 42, s, l, 2.5, &n, fl, 'c', 11, 12, 13) == 0;
}
"""
if not shutil.which("cc"):
    live.done()
os.chdir(live.WORK)
with open("t.c", "w", encoding="ascii") as f:
    f.write(SOURCE)
CODE = (
    "pid$target:a.out:mixed:entry { printf(\"%d %d %d %d %d %d; %d %d %d %d %d %d %d\\n\", args[1], args[7], args[8], args[9], "
    "args[10], args[5]->i, args[5]->color, args[5]->a, args[5]->b, args[5]->big, args[5]->m[1][2], args[5]->ok, "
    "args[5]->next->next->i); }"
)
WANT = "42 99 11 12 13 7; 5 5 100 -77 7 1 7\n\n"
variants = [
    ["cc", "-gdwarf-5"],
    ["cc", "-gdwarf-4"],
    ["cc", "-gdwarf-3"],
    ["cc", "-gdwarf-2"],
    ["cc", "-g", "-gz"],
    ["cc", "-g", "-fno-pie", "-no-pie"],
]
# Types in units of their own, in the program and in the file beside it.
TYPES = ["-fdebug-types-section"]
variants += [
    ["cc", "-gdwarf-4", *TYPES],
    ["cc", "-gdwarf-5", *TYPES],
    ["cc", "-gdwarf-4", "-gsplit-dwarf", *TYPES],
    ["cc", "-gdwarf-5", "-gsplit-dwarf", *TYPES],
]
if shutil.which("clang"):
    variants += [
        ["clang", "-gdwarf-5"],
        ["clang", "-gdwarf-4"],
        ["clang", "-gdwarf-4", *TYPES],
        ["clang", "-gdwarf-5", *TYPES],
    ]
    if shutil.which("ld.lld"):  # its segments share pages of the file
        variants.append(["clang", "-g", "-fuse-ld=lld"])
for cc in variants:
    b = subprocess.run([*cc, "-O1", "-o", "t", "t.c"], capture_output=True, text=True, check=False)
    if b.returncode:
        print(f"ok - {' '.join(cc)} # SKIP {b.stderr.splitlines()[0]}")
        continue
    r = live.dwell("-q", "-c", "./t", "-n", CODE)
    live.same(r.stdout, WANT, " ".join(cc))
# What several files have in common may be in one of its own (dwz), by which Debian's debug packages are smaller.
if shutil.which("dwz"):
    with open("v.c", "w", encoding="ascii") as f:
        f.write("int second(void);\nint second(void) { return 3; }\n")
    os.mkdir("sub")
    subprocess.run(["cc", "-g", "-O1", "-o", "t", "t.c"], check=True)
    subprocess.run(["cc", "-g", "-O1", "-o", "u", "t.c", "v.c"], check=True)
    subprocess.run(["dwz", "-m", "sub/common.debug", "-M", "sub/common.debug", "t", "u"], check=True)
    r = live.dwell("-q", "-c", "./t", "-n", CODE)
    live.same(r.stdout, WANT, "dwz -m, the other file beside")
    os.rename("sub/common.debug", "sub/away.debug")
    for what in "gone", "another one by now":
        r = live.dwell("-xerrtags", "-c", "./t", "-n", CODE)
        live.check(r.returncode == 1 and "[D_" in r.stderr, f"the other file is {what}", r.stderr)
        r = live.dwell("-q", "-c", "./t", "-n", "pid$target:a.out:mixed:entry { trace(arg0); }")
        live.same(r.stdout.strip(), "42", "… but functions are found, and arguments by number")
        shutil.copy("u", "sub/common.debug")

# Types as BTF: in the program, in its debug file, beside it; and what is no BTF.
b = subprocess.run(["cc", "-gbtf", "-O1", "-o", "t", "t.c"], capture_output=True, text=True, check=False)
if b.returncode == 0 and shutil.which("objcopy"):
    # Not what is in the second row: gcc 12 exchanges the dimensions of arrays.
    CODE2, WANT2 = CODE.replace("m[1][2]", "m[0][2]"), WANT.replace("-77 7", "-77 3")
    live.same(live.dwell("-q", "-c", "./t", "-n", CODE2).stdout, WANT2, "cc -gbtf")
    subprocess.run(
        ["objcopy", "-O", "binary", "--only-section=.BTF", "--set-section-flags", ".BTF=alloc", "t", "raw.btf"],
        check=True,
    )
    subprocess.run(["objcopy", "--only-keep-debug", "t", "t.debug"], check=True)
    subprocess.run(["objcopy", "--remove-section=.BTF", "--add-gnu-debuglink=t.debug", "t", "bare"], check=True)
    live.same(live.dwell("-q", "-c", "./bare", "-n", CODE2).stdout, WANT2, ".BTF of the debug file")
    os.remove("t.debug")
    r = live.dwell("-xerrtags", "-c", "./bare", "-n", CODE2)
    live.check(r.returncode == 1, "no types at all", r.stderr)
    shutil.copy("raw.btf", "bare.btf")
    live.same(live.dwell("-q", "-c", "./bare", "-n", CODE2).stdout, WANT2, "a file with .btf at the end of its name")
    with open("bare.btf", "r+b") as f:
        f.truncate(200)
    r = live.dwell("-xerrtags", "-c", "./bare", "-n", CODE2)
    live.check(r.returncode == 1 and "[D_" in r.stderr, "damaged BTF is none", r.stderr)

for arg, what in ((0, "a double"), (2, "a struct in registers"), (3, "a struct on the stack")):
    r = live.dwell("-c", "./t", "-xerrtags", "-n", f"pid$target:a.out:mixed:entry {{ trace(args[{arg}]); }}")
    live.check(
        "[D_ARGS_TYPE]" in r.stderr and f"failed to resolve native type for args[{arg}]" in r.stderr,
        f"{what} is not read wrongly",
        r.stderr,
    )

if shutil.which("g++"):
    with open("n.cc", "w", encoding="ascii") as f:
        f.write(
            "extern \"C\" __attribute__((noipa, used)) long odd(int a, decltype(nullptr) p, int b) { return a + (p == nullptr) + b; }\n"
            "int main() { return odd(21, nullptr, 22) == 0; }\n"
        )
    subprocess.run(["g++", "-g", "-O1", "-o", "n", "n.cc"], check=True)
    r = live.dwell("-q", "-c", "./n", "-n", "pid$target:a.out:odd:entry { printf(\"%d %d\", args[0], arg2); }")
    live.same(r.stdout.strip(), "21 22", "before a parameter whose type tells no size")
    r = live.dwell("-c", "./n", "-xerrtags", "-n", "pid$target:a.out:odd:entry { trace(args[2]); }")
    live.check(
        "[D_ARGS_TYPE]" in r.stderr and r.returncode == 1,
        "behind it nothing is known, and nothing is read wrongly",
        r.stdout + r.stderr,
    )

# Separate debug files, compressed symbols, nothing at all.
if shutil.which("objcopy"):
    subprocess.run(["cc", "-g", "-O1", "-o", "t", "t.c"], check=True)
    subprocess.run(["objcopy", "--only-keep-debug", "t", "t.debug"], check=True)
    subprocess.run(["objcopy", "--strip-all", "--add-gnu-debuglink=t.debug", "t", "t.stripped"], check=True)
    r = live.dwell("-q", "-c", "./t.stripped", "-n", CODE)
    live.same(r.stdout, WANT, "symbols and types from a debug file")
    os.remove("t.debug")
    r = live.dwell("-xerrtags", "-c", "./t.stripped", "-n", "pid$target:a.out:mixed:entry")
    live.check("[D_PROC_FUNC]" in r.stderr, "without it there is no such function", r.stderr)
    if shutil.which("xz"):
        subprocess.run(["objcopy", "--strip-debug", "t", "t.mini"], check=True)
        subprocess.run(["xz", "-f", "-k", "t.mini"], check=True)
        subprocess.run(
            ["objcopy", "--strip-all", "--add-section", ".gnu_debugdata=t.mini.xz", "t", "t.packed"], check=True
        )
        r = live.dwell("-q", "-c", "./t.packed", "-n", "pid$target:a.out:mixed:entry { trace(arg0); }")
        live.same(r.stdout.strip(), "42", "symbols from .gnu_debugdata")
live.done()
