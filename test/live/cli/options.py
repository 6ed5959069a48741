# SPDX-License-Identifier: Apache-2.0
"""Options by -x and #pragma: sizes, rates, switches."""
import os

import live

for options, program, want in [
    (["-x", "strsize=8"], 'BEGIN { s = "abcdefghi"; printf("%d", strlen(s) < 9); exit(0); }', "1"),
    (["-x", "defaultargs"], 'BEGIN { printf("%d[%s]", $1, $$1); exit(0); }', "0[]"),
    (["-b", "64k"], 'BEGIN { printf("b"); exit(0); }', "b"),
    (["-x", "bufsize=1m", "-x", "switchrate=10hz", "-x", "aggrate=100ms"], 'BEGIN { printf("r"); exit(0); }', "r"),
    (["-x", "dynvarsize=64k"], 'BEGIN { a[1] = 5; printf("%d", a[1]); exit(0); }', "5"),
    (["-x", "cpu=0"], 'profile-97 { printf("%d", cpu); exit(0); }', "0"),
    (["-x", "probereads"], 'BEGIN { printf("%d", curthread->tgid == pid); exit(0); }', "1"),
    (["-x", "noself"], 'BEGIN { } tick-50ms { printf("n"); exit(0); }', "n"),
    (["-x", "temporal"], 'BEGIN { printf("t"); exit(0); }', "t"),
    (["-w"], 'BEGIN { system("echo s"); exit(0); }', "s\n"),
]:
    r = live.dwell("-q", *options, "-n", program)
    live.check(r.returncode == 0 and r.stdout == want + "\n", f"{' '.join(options)}", r.stdout + r.stderr)

r = live.dwell("-n", 'BEGIN { trace(1); exit(0); }', env={**os.environ, "DTRACE_OPT_QUIET": "1"})
live.check(r.stdout == "1\n" and r.stderr == "", "DTRACE_OPT_QUIET=1", r.stdout + r.stderr)
r = live.dwell("-w", "-n", "BEGIN { exit(0); }")
live.check(f"{live.NAME}: allowing destructive actions\n" in r.stderr, "-w says so", r.stderr)
r = live.dwell("-l", "-V")
live.check(r.returncode == 2 and "only one of the [-GhlV] options" in r.stderr, "-l with -V", r.stderr)
out = os.path.join(live.WORK, "list")
r = live.dwell("-l", "-n", "BEGIN", "-o", out)
with open(out) as f:
    text = f.read()
live.check(r.stdout == "" and text.startswith("   ID   PROVIDER") and text.endswith(" BEGIN\n"), "-l -o", text)

script = os.path.join(live.WORK, "sum.d")
with open(script, "w") as f:
    f.write('BEGIN { printf("%d", X + Y); exit(0); }\n')
stdc = os.path.join(live.WORK, "stdc.d")
with open(stdc, "w") as f:
    f.write(
        '#ifdef __STDC__\nBEGIN { printf("%d", __STDC__); exit(0); }\n#else\nBEGIN { printf("none"); exit(0); }\n#endif\n'
    )
for mode, want in [("c", "1\n"), ("t", "1\n"), ("s", "none\n"), ("a", "1\n")]:
    r = live.dwell("-q", "-C", "-X", mode, "-s", stdc)
    live.check(r.stdout == want, f"-X{mode}", r.stdout + r.stderr)
r = live.dwell("-C", "-X", "z", "-s", stdc)
live.check(r.returncode == 1 and "failed to set -X z" in r.stderr, "-X z", r.stderr)
inc = os.path.join(live.WORK, "inc.h")
with open(inc, "w") as f:
    f.write("#define VALUE 5\n")
with open(stdc, "w") as f:
    f.write('#include "inc.h"\nBEGIN { printf("%d", VALUE); exit(0); }\n')
r = live.dwell("-q", "-CH", "-I", live.WORK, "-s", stdc)
live.check(r.stdout == "5\n" and "inc.h" in r.stderr, "-H names the included files", r.stdout + r.stderr)
for options in (["-A"], ["-a"], ["-32"], ["-64"], ["-x", "kdefs"], ["-x", "udefs"], ["-x", "linktype=elf"]):
    r = live.dwell(*options, "-n", "BEGIN { exit(0); }")
    live.check(r.returncode in (0, 1) and (r.returncode == 0) == (options == ["-64"]), " ".join(options), r.stderr)
r = live.dwell("-B", "-qn", "BEGIN { trace(7); exit(0); }")
live.same((r.returncode, r.stdout, r.stderr), (0, "7\n", ""), "-B")
for options, with_what in ((["-l"], "[-Gl] options"), (["-o", os.path.join(live.WORK, "b")], "-o option")):
    r = live.dwell("-B", *options, "-n", "BEGIN { exit(0); }")
    live.same(
        (r.returncode, r.stderr),
        (2, f"{live.NAME}: -B not valid in combination with {with_what}\n"),
        "-B " + options[0],
    )

for options, want in [
    (["-DX=1", "-DY=2"], "3\n"),
    (["-x", "define=X=1", "-D", "Y=4"], "5\n"),
    (["-x", "cppargs=-DX=1 -DY=5"], "6\n"),
    (["-DX=9", "-UX", "-x", "define=X=1", "-DY=6"], "7\n"),
]:
    r = live.dwell("-q", "-C", *options, "-s", script)
    live.check(r.stdout == want, "cpp " + " ".join(options), r.stdout + r.stderr)
r = live.dwell("-C", "-x", "cpppath=/bin/cat", "-s", script)
live.check(
    r.returncode == 1 and "cat: " in r.stderr and "/bin/cat:" not in r.stderr,
    "the preprocessor's name has no folder",
    r.stderr,
)
r = live.dwell("-C", "-DX=1", "-s", script)
live.check(f"{script}: line 1: failed to resolve Y" in r.stderr, "the script's name and line after cpp", r.stderr)

empty = os.path.join(live.WORK, "empty.d")
with open(empty, "w") as f:
    f.write("/* nothing */\n")
r = live.dwell("-x", "errtags", "-s", empty)
live.check(
    r.returncode == 1 and "[D_EMPTY] line 2: empty D program translation unit" in r.stderr, "an empty script", r.stderr
)
r = live.dwell("-x", "empty", "-s", empty)
live.check(
    r.returncode == 1 and "matched 0 probes" in r.stderr and "no probes matched" in r.stderr, "-x empty", r.stderr
)
r = live.dwell("-x", "strsize=0", "-n", "BEGIN")
live.check(
    r.returncode == 1 and "failed to set -x strsize: Invalid value for specified option" in r.stderr,
    "a bad value",
    r.stderr,
)
CPUS = """BEGIN { printf("%d ", cpu); } END { printf("%d ", cpu); } profile-97 { @[cpu] = count(); }
syscall:::entry { @[cpu] = count(); } sdt:::sched_switch { @[cpu] = count(); } tick-300ms { exit(0); }"""
for cpu in sorted(os.sched_getaffinity(0))[:2]:
    with live.busy_cpus():
        r = live.dwell("-x", f"cpu={cpu}", "-q", "-n", CPUS)
    seen = [line.split()[0] for line in r.stdout.split("\n")[1:] if line.strip()]
    live.check(
        r.stdout.startswith(f"{cpu} {cpu} ") and seen == [str(cpu)], f"-x cpu={cpu}: there only", r.stdout + r.stderr
    )
r = live.dwell("-x", "cpu=99999", "-n", "BEGIN { exit(0); }")
live.check(r.returncode == 1 and "CPU 99999 is not online" in r.stderr, "-x cpu of a CPU that is not there", r.stderr)
r = live.dwell(
    "-q", "-n", 'BEGIN { setopt("quiet", "0"); setopt("nosuch"); setopt("strsize", "9"); exit(0); } END { trace(1); }'
)
live.check(
    r.stderr
    == f"""{live.NAME}: error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): couldn't set option "nosuch" to "1": Invalid option name

{live.NAME}: error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): couldn't set option "strsize" to "9": Operation illegal when tracing is active

"""
    and ":END           1" in r.stdout,
    "setopt()",
    r.stdout + r.stderr,
)
r = live.dwell("-qn", "BEGIN { exit(1); } END { exit(0); }")
live.check(r.returncode == 0, "the last exit() gives the status", str(r.returncode))
live.done()
