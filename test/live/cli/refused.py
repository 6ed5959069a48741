# SPDX-License-Identifier: Apache-2.0
"""Options of DTrace that cannot be had here are known, and refused with the reason; those that only tune what does not
exist here are taken; neither are taken for misspelt."""
import live

for name in ["grabanon", "kdefs", "knodefs", "late", "linknommap", "linktype", "udefs", "unodefs"]:
    r = live.dwell("-x", name + "=1", "-n", "BEGIN { exit(0); }")
    what = f"{live.NAME}: failed to set -x {name}: not supported on Linux: "
    live.check(
        r.returncode == 1 and r.stderr.startswith(what) and len(r.stderr) > len(what) + 5 and "Invalid" not in r.stderr,
        "-x " + name,
        r.stderr,
    )
args = []
for option in [
    "core",
    "ctfpath=/tmp/x",
    "debug",
    "debugassert=mutexes",
    "disasm=4",
    "iregs=5",
    "lazyload",
    "ldpath=/bin/ld",
    "linkmode=dynamic",
    "lockmem=unlimited",
    "modpath=/lib",
    "pgmax=8",
    "preallocate=1k",
    "procfspath=/proc",
    "quietresize",
    "strip",
    "sysslice",
    "tregs=9",
    "useruid=1000",
]:
    args += ["-x", option]
r = live.dwell("-q", *args, "-n", 'BEGIN { printf("here\\n"); exit(0); }')
live.same((r.returncode, r.stdout, r.stderr), (0, "here\n\n", ""), "options without effect")
r = live.dwell("-n", "#pragma D option pgmax=8\nBEGIN { exit(0); }")
live.same(r.returncode, 0, "… as pragmas")
for option in "ldpath=/bin/ld", "lockmem=1":
    r = live.dwell("-n", f"#pragma D option {option}\nBEGIN {{ exit(0); }}")
    live.check("Option cannot be used from within a D program" in r.stderr, f"… but not {option}", r.stderr)
for option in "iregs=9", "iregs=0", "tregs=x", "pgmax":
    r = live.dwell("-x", option, "-n", "BEGIN { exit(0); }")
    live.same(
        r.stderr, f"{live.NAME}: failed to set -x {option.split('=')[0]}: Invalid value for specified option\n", option
    )
r = live.dwell("-x", "nosuch=1", "-n", "BEGIN { exit(0); }")
live.same(r.stderr, f"{live.NAME}: failed to set -x nosuch: Invalid option name\n", "an unknown one")
# Letters and functions
for letter in ("-A", "-a", "-32"):
    r = live.dwell(letter, "-n", "BEGIN { exit(0); }")
    live.same((r.returncode, r.stderr), (1, f"{live.NAME}: {letter} is not supported on Linux\n"), letter)
for name, why in [
    ("trace(msgsize(0))", "msgsize( )"),
    ("trace(msgdsize(0))", "msgdsize( )"),
    ("trace(vmregs[0])", "vmregs[ ]"),
]:
    r = live.dwell("-n", f"BEGIN {{ {name}; }}")
    live.check(r.returncode == 1 and f"{why} is not supported on Linux" in r.stderr, name, r.stderr)
live.done()
