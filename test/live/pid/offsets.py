# SPDX-License-Identifier: Apache-2.0
"""pid$target at instructions: at their boundaries only, and the process goes on unharmed."""
import os
import platform
import re
import subprocess
import live

PROBED = os.path.join(os.path.dirname(live.TRIGGER), "probed")
dump = subprocess.run(
    ["objdump", "-d", "--no-show-raw-insn", "--disassemble=probed_add", PROBED], capture_output=True, text=True
).stdout
addresses = [int(a, 16) for a in re.findall(r"^\s+([0-9a-f]+):", dump, re.M)]
start = addresses[0]
offsets = [f"{a - start:x}" for a in addresses]

r = live.dwell("-l", "-c", f"{PROBED} 1", "-n", "pid$target:a.out:probed_add:")
names = [line.split()[-1] for line in r.stdout.splitlines()[1:]]
live.same(sorted(names), sorted(offsets + ["entry", "return"]), "all instructions of a function, as objdump shows them")

r = live.dwell("-q", "-c", f"{PROBED} 2", "-n", "pid$target:a.out:probed_add: { @[probename] = count(); }")
got = dict(line.split() for line in r.stdout.splitlines() if line.strip())
live.same(got, {n: "4" for n in names}, "each of them fires each time")

inside = next(o for o in range(1, addresses[-1] - start) if f"{o:x}" not in offsets)
for probe, tag, text in (
    (
        f"probed_add:{inside:x}",
        "D_PROC_OFF",
        f"offset 0x{inside:x} of function 'probed_add' is inside of an instruction",
    ),
    ("probed_add:fff", "D_PROC_OFF", "offset 0xfff outside of function 'probed_add'"),
    ("probed_add:entri", "D_PROC_NAME", "'entri' is an invalid probe name"),
    ("nosuch:entry", "D_PROC_FUNC", "failed to lookup 'nosuch' in module 'a.out'"),
    ("-:*", "D_PROC_NAME", "only individual addresses may be specified with the '-' function"),
    (f"-:{start + inside:x}", "D_PROC_OFF", f"address 0x{start + inside:x} of 'probed' is inside of an instruction"),
    ("-:3", "D_PROC_OFF", "there is no known function at address 0x3 of 'probed'"),
):
    r = live.dwell("-xerrtags", "-c", f"{PROBED} 1", "-n", f"pid$target:a.out:{probe}")
    live.check(f"[{tag}] {text}" in r.stderr and r.returncode == 1, f"{probe} is refused", r.stderr)
r = live.dwell("-xerrtags", "-c", f"{PROBED} 1", "-n", "pid$target:libc.so.6:-:10")
live.check(
    "[D_PROC_LIB] only the a.out module is valid with the '-' function" in r.stderr,
    "- in a library is refused",
    r.stderr,
)
r = live.dwell("-xerrtags", "-n", f"pid{os.getpid()}999:a.out:main:entry")
live.check("[D_PROC_GRAB] failed to grab process" in r.stderr, "a process that is not there", r.stderr)
r = live.dwell(
    "-q", "-c", f"{PROBED} 2", "-n", f"pid$target:a.out:-:{start:x} {{ printf(\"%s %s;\", probefunc, probename); }}"
)
live.same(r.stdout.strip(), f"- {start:x};" * 4, "- takes an address")

if platform.machine() == "x86_64":
    # Every instruction of libc's sort, of which some cannot be probed: the result is the same.
    text = "".join(f"{i * 7919 % 1000}\n" for i in range(500))
    plain = subprocess.run(["sort", "-n"], input=text, capture_output=True, text=True).stdout
    with open(os.path.join(live.WORK, "in"), "w", encoding="ascii") as f:
        f.write(text)
    r = live.dwell(
        "-q",
        "-o",
        os.path.join(live.WORK, "count"),
        "-c",
        f"sort -n {live.WORK}/in",
        "-n",
        "pid$target:libc.so.6:qsort_r:,pid$target:libc.so.6:malloc: { @ = count(); }",
    )
    live.same(r.stdout, plain, "a program whose every instruction of malloc() and qsort_r() is probed")
live.done()
