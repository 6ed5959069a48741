# SPDX-License-Identifier: Apache-2.0
"""print() of kernel structs through BTF, of user memory, and of addresses that are none."""
import re

import live

r = live.dwell(
    "-q",
    "-n",
    'BEGIN { print(curthread); printf("pid %d comm %s addr 0x%p\\n", pid, execname,' ' curthread); exit(0); }',
    "-x",
    "printsize=16k",
)
out = r.stdout
pid, comm, addr = re.search(r"pid (\d+) comm (\S+) addr 0x(\w+)", out).groups()
live.check(out.startswith(f"0x{addr} = *\n" + " " * 44 + "(struct task_struct) {\n"), "the heading", out[:200])
live.check(f"\n{' ' * 45}.pid = (pid_t){pid},\n" in out, "a member with a typedef", out[-300:])
name = "".join(f"{' ' * 46}(char)'{ch}',\n" for ch in comm)
live.check(f"{' ' * 45}.comm = (char [16]) [\n{name}{' ' * 45}],\n" in out, "comm", out[-300:])
depth, bad = 0, []
for line in out.split("\npid ")[0].splitlines()[1:]:
    text = line.strip()
    if text[0] in "}]":
        depth -= 1
    if line and len(line) - len(line.lstrip()) != 44 + depth:
        bad.append(line)
    if text[-1] in "{[":
        depth += 1
live.check(not bad and depth == 0, "braces and indentation", "\n".join(bad[:5]))
live.check(re.search(r"\.refs = \(atomic_t\) \{\n *\.counter = \(int\)\d+", out), "nested", "")

r = live.dwell("-q", "-n", "BEGIN { print((struct task_struct *)0); }", "-n", "BEGIN { exit(0); }")
live.check("invalid address (0x0) in action #1" in r.stderr, "NULL is an error", r.stderr)
r = live.dwell(
    "-q",
    "-n",
    "syscall::write:entry /pid == $target/ { print((userland int *)arg1); exit(0); }",
    "-c",
    live.TRIGGER + " writes 8",
)
live.check(re.match(r"0x[0-9a-f]+ = \*\n {44}\(int\)-?\d+\n", r.stdout), "user memory", r.stdout + r.stderr)
r = live.dwell("-n", "BEGIN { print(curthread->pid); exit(0); }")
live.check(re.search(r":BEGIN \(pid_t\)\d+$", r.stdout, re.M), "a value stands behind the columns", r.stdout)
prog = "struct big { long first; char c[%d]; int last; }; BEGIN { print((struct big *)curthread); exit(0); }"
r = live.dwell("-q", "-x", "printsize=64k", "-n", prog % 16368)
live.check("..." not in r.stdout and r.returncode == 0, "16384 bytes are recorded", r.stdout[-300:] + r.stderr)
r = live.dwell("-q", "-x", "printsize=64k", "-n", prog % 16376)
live.check(
    "..." in r.stdout and r.returncode == 0, "what is behind 16384 bytes is not shown", r.stdout[-300:] + r.stderr
)
live.done()
