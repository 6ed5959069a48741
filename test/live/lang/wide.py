# SPDX-License-Identifier: Apache-2.0
"""A variable whose first value is a number keeps 64 bits when it is given some later; what a declared int would cut is
warned of, with the place, and what fits is not.
"""
import live

BIG = 0x123456789ABC

# name -> how it is written; the use stands before the wide assignment, in another clause than the first one
WIDE = {"global": "x", "thread": "self->x", "clause": "this->x", "array": 'x["k"]', "thread array": "self->x[1]"}
for what, x in WIDE.items():
    program = (
        f"BEGIN {{ {x} = 0; }} BEGIN {{ this->was = {BIG} - {x}; {x} = this->was; }}"
        f' BEGIN {{ {x} += 1; printf("%x %d\\n", {x}, sizeof ({x})); exit(0); }}'
    )
    r = live.dwell("-qn", program)
    live.check(r.stdout.strip() == f"{BIG + 1:x} 8" and not r.stderr, f"{what}: {r.stdout!r} {r.stderr!r}")

# A chain: each variable is found to be wide because of the one before it.
names = [f"v{i}" for i in range(6)]
chain = " ".join(f"{n} = 0;" for n in names)
steps = " ".join(f"{a} = {b};" for a, b in zip(names, names[1:])) + f" {names[-1]} = {BIG};"
r = live.dwell(
    "-qn",
    f"BEGIN {{ {chain} }} BEGIN {{ {steps} {steps} {steps} {steps} {steps} {steps} }}"
    f' BEGIN {{ printf("%x", v0); exit(0); }}',
)
live.check(r.stdout.strip() == f"{BIG:x}" and not r.stderr, f"a chain of six: {r.stdout!r} {r.stderr!r}")

# Beyond the limit of runs what is left is warned of, not cut without a word.
names = [f"v{i}" for i in range(12)]
chain = " ".join(f"{n} = 0;" for n in names)
steps = " ".join(f"{a} = {b};" for a, b in zip(names, names[1:])) + f" {names[-1]} = {BIG};"
r = live.dwell("-en", f"BEGIN {{ {chain} }} BEGIN {{ {steps} }}")
live.check("keeps 32 bits of this value of 64" in r.stderr, f"a chain of twelve: {r.stderr!r}")

# What an array was declared to have is what it keeps, whatever else the program assigns.
r = live.dwell(
    "-qn", 'int i[int]; BEGIN { i[0] = 0xfffffffe; i[1] = 0x5555555555555555; printf("%d %d", i[0], i[1]); exit(0); }'
)
live.same(r.stdout.strip(), "-2 1431655765", "an array declared int keeps 32 bits")

CUT = [
    "int x; BEGIN { x = timestamp; }",
    "self int x; BEGIN { self->x = walltimestamp; }",
    "this uint32_t x; BEGIN { this->x = vtimestamp; }",
    "short x[int]; BEGIN { x[1] = timestamp; }",
    "int32_t x[int]; BEGIN { x[1] = timestamp; }",
    "int x[int]; BEGIN { x[1] = timestamp; }",
    "self int32_t x[int]; BEGIN { self->x[1] = timestamp; }",
    "int x; BEGIN { x += timestamp; }",
    "BEGIN { x = pid; x = timestamp; }",
    "BEGIN { x = (int)0; x = timestamp; }",
    "BEGIN { int x = timestamp; }",
    "int x; BEGIN { x = curthread->start_time >> 3; }",
]
for program in CUT:
    r = live.dwell("-xerrtags", "-en", program)
    lines = r.stderr.splitlines()
    live.check(
        "[D_CUT] line 1: warning: " in lines[0]
        and "bits of this value of 64" in lines[0]
        and lines[2].strip().startswith("^")
        and lines[3].startswith("hint: declare it as "),
        f"warned: {program}: {r.stderr!r}",
    )

FINE = [
    "int x; BEGIN { x = 5; x = -1; x = 0xffffffff; x = pid + cpu + uid; x = errno; x = 'a'; }",
    "int x; BEGIN { x = (int)timestamp; }",
    "int x; BEGIN { x = timestamp & 0xff; x = timestamp % 1000; x = timestamp >> 40; }",
    "int x; BEGIN { x = timestamp > 5; x = !timestamp; x = strlen(execname); x = sizeof (x); x++; }",
    "int64_t x; BEGIN { x = timestamp; }",
    "int x; syscall::openat:entry { x = arg0; x = arg2; }",
    "BEGIN { x = timestamp; x = 0; }",
    "int x; BEGIN { x = pid ? 1 : 2L; x /= timestamp; x >>= timestamp; }",
    "string s; BEGIN { s = execname; @a[s] = count(); }",
]
for program in FINE:
    r = live.dwell("-en", program)
    live.check("warning" not in r.stderr and r.returncode == 0, f"not warned: {program}: {r.stderr!r}")
live.done()
