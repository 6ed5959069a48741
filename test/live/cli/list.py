# SPDX-License-Identifier: Apache-2.0
"""-l in all its forms, -lv, ids that agree."""
import os
import re
import shutil
import subprocess
import tempfile

import live

r = live.dwell("-l")
live.check(r.returncode == 0 and r.stdout.startswith("   ID   PROVIDER            MODULE"), "-l", r.stderr)
lines = r.stdout.splitlines()[1:]
live.check(len(lines) > 1000, f"{len(lines)} probes", r.stderr)
ids = [int(l.split()[0]) for l in lines]
live.same(len(set(ids)), len(ids), "each has its own id")

for args, check in [
    (["-P", "syscall"], lambda l: l.split()[1] == "syscall"),
    (["-P", "dtrace"], lambda l: l.split()[1] == "dtrace"),
    (["-f", "read"], lambda l: l.split()[3] == "read"),
    (["-m", "vmlinux"], lambda l: l.split()[2] == "vmlinux"),
    (["-n", "syscall::read:"], lambda l: l.split()[1:4] == ["syscall", "vmlinux", "read"]),
    (["-n", "BEGIN"], lambda l: l.split()[-1] == "BEGIN"),
    (["-n", "syscall:::entry"], lambda l: l.split()[-1] == "entry"),
]:
    r = live.dwell("-l", *args)
    found = r.stdout.splitlines()[1:]
    bad = [l for l in found if not check(l)]
    live.check(
        r.returncode == 0 and found and not bad,
        "-l " + " ".join(args) + f": {len(found)}",
        "\n".join(bad[:5]) + r.stderr,
    )

r = live.dwell("-ln", "syscall::read:entry")
number = r.stdout.splitlines()[-1].split()[0]
r = live.dwell("-li", number)
live.check("read" in r.stdout and "entry" in r.stdout, f"-li {number}", r.stdout + r.stderr)
r = live.dwell("-n", "syscall::read:entry { exit(0); }", "-c", live.TRIGGER + " getppid 1", timeout=30)
live.check(
    re.search(rf"^ +\d+ +{number} +read:entry", r.stdout, re.M), "the column ID is the same id", r.stdout + r.stderr
)
r = live.dwell("-qi", number, "-n", "BEGIN { exit(0); }")
live.same(r.returncode, 0, "-i")

r = live.dwell("-lvn", "syscall::read:entry")
for text in ("args[0]: ", "char * buf", "args[2]: size_t"):
    live.check(text in r.stdout, f"-lv: {text}", r.stdout + r.stderr)
r = live.dwell("-lvn", "sdt:::sched_switch")
live.check(r.stdout.count("struct task_struct *") == 2, "-lv: typed tracepoint arguments", r.stdout + r.stderr)
r = live.dwell("-ln", "no:such::probe")
live.same(r.returncode, 0, "-l of nothing is no error")
live.same(
    r.stderr.splitlines()[0], f"{live.NAME}: failed to match no:such::probe: No probe matches description", "… but said"
)
r = live.dwell("-lm", "no_such_module")
live.same(
    r.stderr.splitlines()[0],
    f"{live.NAME}: failed to match :no_such_module::: No probe matches description",
    "all four parts are named",
)

# words search
r = live.dwell("-l", "sched", "switch")
live.check(
    r.returncode == 0
    and "sched_switch" in r.stdout
    and all("sched" in l and "switch" in l for l in r.stdout.splitlines()[1:]),
    "-l WORD WORD: both are in each name",
    r.stdout + r.stderr,
)
r = live.dwell("-l", "open*at")
live.check(
    "openat" in r.stdout and all(re.search(r" open\w*at ", l) for l in r.stdout.splitlines()[1:]),
    "-l GLOB",
    r.stdout + r.stderr,
)
r = live.dwell("-l", "no_such_word")
live.check(
    r.returncode == 1 and "no probe has no_such_word in its names" in r.stderr, "-l of a word that is nowhere", f"{r}"
)

# Without privileges: what needs none is listed and compiled, and one line says what is missing.
with tempfile.TemporaryDirectory() as folder:
    program = shutil.copy(live.DWELL, os.path.join(folder, "dwell"))
    os.chmod(folder, 0o755)

    def nobody(*args):
        return subprocess.run(
            [program, *args],
            user=65534,
            group=65534,
            extra_groups=[],
            cwd="/",
            capture_output=True,
            text=True,
            timeout=30,
        )

    r = nobody("-ln", "syscall::read:")
    live.same(r.stdout, live.dwell("-ln", "syscall::read:").stdout, "as nobody: -l")
    missing = r.stderr.splitlines()
    live.check(
        r.returncode == 0
        and len(missing) <= 1
        and all("functions of the kernel (fbt) are not known: tracefs" in l for l in missing),
        "what is missing, in a line",
        r.stderr,
    )
    r = nobody("-q", "-e", "-n", "syscall::read:entry { @[execname] = count(); print(args); }")
    live.same(r.returncode, 0, f"as nobody: -e {r.stderr}")
    r = nobody("run", "opensnoop", "-e")
    live.same(r.returncode, 0, f"as nobody: -e of a tool {r.stderr}")
    r = nobody("-q", "-e", "-n", "BEGIN { trace(nosuch); }")
    live.check(r.returncode == 1 and "failed to resolve nosuch" in r.stderr, "… finds errors", r.stderr)
    r = nobody("-qn", "BEGIN { exit(0); }")
    live.check(r.returncode == 1 and "may not load BPF programs" in r.stderr, "a run is refused", r.stderr)
live.done()
