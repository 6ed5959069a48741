# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""Options that change how a run looks or what it takes, each by what it does."""
import os
import re

import live


def run(*options, prog="BEGIN { exit(0); }", **kw):
    return live.dwell(*options, "-n", prog, **kw)


r = live.dwell("-x", "flowindent", "-n", "syscall::getppid: /pid == $target/ { }", "-c", live.TRIGGER + " getppid 1")
live.check(
    re.search(r"^ *\d+ +=> getppid", r.stdout, re.M) and re.search(r"^ *\d+ +<= getppid", r.stdout, re.M),
    "flowindent",
    r.stdout,
)
r = run("-q", "-x", "rawbytes", prog='BEGIN { trace("ab"); exit(0); }')
live.check("0: 61 62 00" in r.stdout, "rawbytes", r.stdout)
r = run("-q", "-x", "rawbytes", "-x", "strsize=5", prog='BEGIN { trace(strjoin("12", "3")); exit(0); }')
live.check("0: 31 32 33 00 00 00  " in r.stdout, "rawbytes shows all of the string's room", r.stdout)
live.check(
    "extraneous argument 'x' ($1 is not referenced)"
    in live.dwell("-x", "errtags", "-n", "BEGIN { exit(0); }", "x").stderr
    and "[D_MACRO_UNUSED]" in live.dwell("-x", "errtags", "-n", "BEGIN { exit(0); }", "x").stderr,
    "D_MACRO_UNUSED",
    "",
)
live.same(live.dwell("-x", "argref", "-n", "BEGIN { exit(0); }", "x").returncode, 0, "argref")
live.same(run("-q", "-x", "statusrate=100ms", prog="BEGIN { exit(0); }").returncode, 0, "statusrate")
live.check("Invalid value" in run("-x", "statusrate=1parsec").stderr, "a wrong statusrate")

# Frames
prog = "syscall::getppid:entry /pid == $target/ { %s; exit(0); }"
deep = live.TRIGGER + " deep 40"


def frames(*options, action):
    r = live.dwell("-q", *options, "-n", prog % action, "-c", deep)
    return len(re.findall(r"`", r.stdout)), r


for options, action, most in [
    (["-x", "maxframes=5"], "ustack(20)", 5),
    (["-x", "maxframes=4"], "stack()", 4),
    (["-x", "jstackframes=7"], "jstack()", 7),
    (["-x", "ustackframes=9"], "ustack()", 9),
    (["-x", "jstackframes=7", "-x", "jstackstrsize=100"], "jstack()", 7),
    (["-x", "stackframes=3"], "stack()", 3),
]:
    n, r = frames(*options, action=action)
    kernel = action.startswith("stack")
    live.check(0 < n <= most if kernel else n == most, f"{' '.join(options[1::2])}: {action}", r.stdout + r.stderr)
r = live.dwell("-q", "-x", "stackindent=3", "-n", prog % "ustack(2)", "-c", deep)
live.check(re.search(r"^   \w", r.stdout, re.M), "stackindent", r.stdout)

# User stacks, recordings
n, r = frames("-x", "ustackunwind=fp", action="ustack(3)")
live.check(n == 3, "ustackunwind=fp", r.stdout + r.stderr)
n, r = frames("-x", "ustackunwind=eh", "-x", "unwindsize=1m", action="ustack(3)")
live.check(n == 3, "ustackunwind=eh, unwindsize", r.stdout + r.stderr)
live.check("one of auto, eh, fp" in run("-x", "ustackunwind=dwarf").stderr, "a wrong ustackunwind")
rec = os.path.join(live.WORK, "rec")
r = run("-q", "-x", "record=" + rec, "-x", "recsize=1m", "-x", "recage=1h", prog="BEGIN { trace(5); exit(0); }")
live.check(r.returncode == 0 and os.path.getsize(rec) > 0, "record, recsize, recage", r.stderr)
r = run("-x", "errtags", prog="pid$pid:::entry { }")
live.check(r.returncode == 1 and "[D_PROC_DYN]" in r.stderr, "D_PROC_DYN: dwell itself", r.stderr)

# The verifier's log: here of a helper that the kernel may not give us.
prog = "BEGIN { copyout(curthread, 0, 4); exit(0); }"
plain, log = run("-w", prog=prog), run("-w", "-x", "bpflog", "-x", "bpflogsize=64k", prog=prog)
if plain.returncode:
    live.check("helper" in log.stderr and "helper" not in plain.stderr, "bpflog", log.stderr[-500:])
else:
    live.same(log.returncode, 0, "bpflog of what is accepted")
r = run("-q", "-x", "bpflog", prog="BEGIN { exit(0); }")
lines = r.stderr.splitlines()
live.check(
    r.returncode == 0
    and any("processed" in l and "insns" in l for l in lines)
    and all(l.startswith("BPF: ") for l in lines),
    "bpflog shows the log of an accepted program",
    r.stderr[-500:],
)
listing = [
    run("-q", *o, prog="BEGIN { exit(0); }").stdout + run("-q", *o, prog="BEGIN { exit(0); }").stderr
    for o in (("-S",), ("-x", "verbose"), ())
]
live.check(
    "; line 1, clause 1: exit(0)" in listing[0] and listing[0] == listing[1] != listing[2],
    "-x verbose is -S",
    listing[1][:300],
)
live.done()
