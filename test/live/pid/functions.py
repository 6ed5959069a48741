# SPDX-License-Identifier: Apache-2.0
"""pid$target: entry, return, arguments, globs, aliases, recursion, threads, with -c and -p."""
import os
import struct
import subprocess
import live

PROBED = os.path.join(os.path.dirname(live.TRIGGER), "probed")
FIXED = PROBED + "-fixed"


def run(d, *opts, command=f"{PROBED} 2"):
    return live.dwell("-q", *opts, "-c", command, "-n", d)


for exe in PROBED, FIXED:
    what = os.path.basename(exe)
    r = run(
        'pid$target:a.out:probed_add:entry { printf("%d %d %s %s %s\\n", arg0, arg1, probefunc, probename, probemod); }'
        'pid$target:a.out:probed_add:return { printf("= %d\\n", arg1); }',
        command=f"{exe} 2",
    )
    want = "".join(f"{a} {b} probed_add entry {what}\n= {a * 10 + b}\n" for a, b in ((0, 7), (0, 1), (1, 7), (1, 1)))
    live.same(r.stdout, want + "\n", f"{what}: entry and return, with arguments and value")

r = run(
    'pid$target::probed_ten:entry { printf("%d %d %d %d %d %d %d %d %d %d", arg0, arg1, arg2, arg3, arg4, arg5,'
    ' arg6, arg7, arg8, (long)arg9); }',
    command=f"{PROBED} 1",
)
live.same(r.stdout.strip(), "1 2 3 4 5 6 7 8 9 0", "ten arguments, four of them on the stack")

r = run(
    'pid$target::probed_fact:entry { self->d++; @[probefunc, self->d] = count(); } '
    'pid$target::probed_fact:return { self->d--; @r[arg1] = count(); } END { printa("%s %d %@d\\n", @); '
    'printa("%d %@d\\n", @r); }',
    command=f"{PROBED} 1",
)
live.same(
    r.stdout.split(),
    "probed_fact 1 1 probed_fact 2 1 probed_fact 3 1 probed_fact 4 1 probed_fact 5 1 " "1 1 2 1 6 1 24 1 120 1".split(),
    "recursion",
)

r = run('pid$target:probed:probed_*:entry { @[probefunc] = count(); }', command=f"{PROBED} 3")
got = dict(line.split() for line in r.stdout.splitlines() if line.strip())
live.same(
    got,
    {"probed_add": "6", "probed_ten": "3", "probed_struct": "3", "probed_fact": "15", "probed_real": "3"},
    "a glob over functions: probefunc of each, one name of each address",
)

r = run('p*d$target:probed:probed_alias:entry { @[probefunc] = count(); }', command=f"{PROBED} 3")
live.same(r.stdout.split(), ["probed_alias", "3"], "a pattern that pid fits")
r = run('q*d$target:probed:probed_alias:entry { @[probefunc] = count(); }', command=f"{PROBED} 3")
live.check("does not match any probes" in r.stderr, "a pattern that pid does not fit", r.stdout + r.stderr)

r = run('pid$target:probed:probed_alias:entry { @[probefunc] = count(); }', command=f"{PROBED} 3")
live.same(r.stdout.split(), ["probed_alias", "3"], "an exact name may be an alias")

# Several clauses with different sets of probes: each fires once, in the order of the program.
r = run(
    'pid$target::probed_add:entry { printf("a"); } pid$target::probed_*:entry /probefunc == "probed_add"/ '
    '{ printf("b"); } pid$target::probed_add:entry { printf("c\\n"); }',
    command=f"{PROBED} 1",
)
live.same(r.stdout, "abc\nabc\n\n", "clauses of one probe run in program order")

r = run(
    'pid$target:libc.so.6:write:entry,pid$target:libc.so:write:entry,pid$target:libc:write:entry '
    '/pid == $target/ { @[probemod] = count(); }',
    command="/bin/echo x",
)
live.same(r.stdout.split()[-2:], ["libc.so.6", "3"], "a library as libc.so.6, libc.so and libc")

for at, want in (("exec", "start main"), ("preinit", "start main"), ("postinit", "start main"), ("main", "main")):
    r = run(
        'pid$target:a.out:_start:entry { printf("start "); } pid$target:a.out:main:entry { printf("main"); }',
        "-x",
        f"evaltime={at}",
        command=f"{PROBED} 1",
    )
    live.same(r.stdout.strip(), want, f"-x evaltime={at}: what is still to come")
r = run('pid$target:libc.so.6:__libc_start_main:entry { @ = count(); }', "-x", "evaltime=exec")
live.check(r.stdout.strip().isdigit(), "evaltime=exec: a library that is still to be loaded", r.stdout + r.stderr)
r = run(
    'proc:::exec-success /pid == $target/ { printf("%s ", execname); } proc:::exit /pid == $target/ { trace(args[0]); }',
    "-x",
    "evaltime=exec",
    command="/bin/true",
)
live.same(r.stdout.split(), ["true", "1"], "evaltime=exec without probes in processes: the exec itself")
r = run("proc:::exec-success /pid == $target/ { trace(1); }", "-x", "evaltime=exec", command="/no/such/command")
live.check(
    r.returncode == 1 and "failed to execute /no/such/command: No such file" in r.stderr, "… that fails", r.stderr
)

# A program of 32 bits, if the kernel runs such: exit(3).
if os.uname().machine == "x86_64":
    code = bytes.fromhex("b801000000bb03000000cd80")
    narrow = os.path.join(live.WORK, "narrow")
    with open(narrow, "wb") as f:
        f.write(
            b"\x7fELF\x01\x01\x01"
            + bytes(9)
            + struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, 0x8048054, 52, 0, 0, 52, 32, 1, 0, 0, 0)
            + struct.pack("<8I", 1, 0, 0x8048000, 0x8048000, 84 + len(code), 84 + len(code), 5, 4096)
            + code
        )
    os.chmod(narrow, 0o755)
    try:
        here = subprocess.run([narrow], check=False).returncode == 3
    except OSError:
        here = False
    for at in ("preinit", "main") if here else ():
        r = run("proc:::exit /pid == $target/ { trace(args[0]); }", "-x", f"evaltime={at}", command=narrow)
        live.check(r.stdout.strip() == "1" and r.returncode == 0, f"a program of 32 bits, {at}", r.stdout + r.stderr)

# -p, and another process running the same program, which must not be seen.
mine = subprocess.Popen([PROBED, "0", "5"])
other = subprocess.Popen([PROBED, "0", "5"])
r = live.dwell(
    "-q",
    "-p",
    mine.pid,
    "-n",
    "pid$target:a.out:probed_add:entry { @[pid] = count(); n++; } "
    "pid$target:a.out:probed_add:entry /n > 20/ { exit(0); }",
)
live.same([line.split()[0] for line in r.stdout.splitlines() if line.strip()], [str(mine.pid)], "-p: this process only")
r = live.dwell(
    "-q",
    "-p",
    mine.pid,
    "-p",
    other.pid,
    "-n",
    f"pid{mine.pid}::probed_add:entry,pid{other.pid}::probed_add:entry "
    "{ @[pid, probeprov] = count(); n++; } pid$target:a.out:probed_add:entry /n > 40/ { exit(0); }",
)
live.same(
    sorted(line.split()[:2] for line in r.stdout.splitlines() if line.strip()),
    sorted([str(p.pid), f"pid{p.pid}"] for p in (mine, other)),
    "two processes in one clause",
)
mine.kill()
other.kill()
live.check(mine.wait() == -9 and other.wait() == -9, "the processes survived their probes")
live.done()
