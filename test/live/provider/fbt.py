# SPDX-License-Identifier: Apache-2.0
"""fbt: where the kernel lets its functions be traced, its own command is; elsewhere the reason comes at once, and dwell
features says the same. (test/vm/run_vm has more, in guests.)"""
import re

import live

row = re.search(r"^  (yes|no ) +functions of the kernel \(fbt\) *(.*)", live.dwell("features").stdout, re.M)
live.check(row, "dwell features has a row of fbt")
reason = re.escape(row.group(2).split(" (")[0])
for prov in ("fbt", "rawfbt"):
    r = live.dwell(
        "-qn",
        prov + "::vfs_write:entry /pid == $target && arg2 == 7/ { @ = count(); } END { printa(\"%@d\\n\", @); }",
        "-c",
        live.TRIGGER + " writes 7",
    )
    if row.group(1) == "yes":
        live.same(r.stdout.strip(), "1", prov + " counts")
    else:
        live.same(r.returncode, 1, prov + " is refused")
        live.check(re.search("hint: " + reason, r.stderr), prov + " says why", r.stderr)
    r = live.dwell("-l", "-P", prov)
    live.check(
        bool(r.stdout.count("\n") > 1000) == (row.group(1) == "yes"),
        "-l lists the functions of " + prov,
        r.stdout[:300],
    )
r = live.dwell("-l", "-x", "leftout", "-P", "fbt")
live.check(
    bool(re.search(r"\n +- +fbt +vmlinux .*\(not available: ", r.stdout)) == (row.group(1) == "yes"),
    "-x leftout lists what has no probe",
    r.stdout[:300] + r.stderr,
)
r = live.dwell(
    "-qn",
    "instr::vfs_write:ret /pid == $target && kregs[R_RAX] == 7/ { @ = count(); } END { printa(\"%@d\\n\", @); }",
    "-c",
    live.TRIGGER + " writes 7",
)
if row.group(1) == "yes":
    live.same(r.stdout.strip(), "1", "instr counts")
else:
    live.check(r.returncode == 1 and re.search("hint: " + reason, r.stderr), "instr says why", r.stderr)
r = live.dwell("-n", "BEGIN { trace(kregs[R_RAX]); }")
live.check(
    r.returncode == 1 and "kregs[] are the registers at a place in the kernel's code" in r.stderr,
    "kregs[] elsewhere",
    r.stderr,
)
r = live.dwell(
    "-qn",
    "profile-499 { this->pc = kregs[R_RIP]; @[this->pc == arg0 || this->pc == arg1] = count(); } tick-50ms { exit(0); }",
)
live.check(not re.search(r"^ +0 ", r.stdout, re.M), "kregs[] of samples", r.stdout)
for bad, words in (
    ("kregs[21]", r"index out of bounds \(21\)"),
    ("kregs[pid]", "must be a constant"),
    ('kregs["a"]', "integer constant"),
    ("kregs", "may not be referenced as scalar"),
):
    r = live.dwell("-n", "profile-99 { trace(%s); }" % bad)
    live.check(r.returncode == 1 and re.search(words, r.stderr), bad, r.stderr)
r = live.dwell("-n", "fbt::no_such_function:entry { exit(0); }")
live.check(
    r.returncode == 1 and "fbt::no_such_function:entry does not match any probes" in r.stderr,
    "a function that is not there",
    r.stderr,
)
live.done()
