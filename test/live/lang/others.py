# SPDX-License-Identifier: Apache-2.0
"""Kernel variables and members of structs that programs for other systems read (dlib/others.d), against what the system says."""
import os

import live

PATH = os.path.join(live.WORK, "read by its descriptor")
with open(PATH, "w") as f:
    f.write("x" * 77)
r = live.dwell(
    "-qn", 'BEGIN { printf("%d|%s|%s|%d\\n", `_pagesize, `utsname.release, `utsname.machine, `ncpus); exit(0); }'
)
u = os.uname()
live.check(
    r.stdout.strip() == f"{os.sysconf('SC_PAGESIZE')}|{u.release}|{u.machine}|{os.cpu_count()}",
    f"variables: {r.stdout!r} {r.stderr!r}",
)

before = os.getloadavg()
r = live.dwell(
    "-qn",
    'BEGIN { printf("%d %d %d %d\\n", `hp_avenrun[0], `hp_avenrun[1], `hp_avenrun[2], __load1 == `hp_avenrun[0] && __load5 == `hp_avenrun[1] && __load15 == `hp_avenrun[2]); }'
    ' tick-2s { printf("%d\\n", `hp_avenrun[0]); exit(0); }',
)
after = os.getloadavg()
loads = [int(w) / 65536 for w in r.stdout.split()]
live.check(len(loads) == 5 and loads[3] == 1 / 65536, f"loads: {r.stdout!r} {r.stderr!r}")
for i, k in ((0, 0), (1, 1), (2, 2), (4, 0)):  # they move by a part of the difference per five seconds
    low, high = min(before[k], after[k]), max(before[k], after[k])
    live.check(low - 3 <= loads[i] <= high + 3, f"load {k}: {loads[i]}, {before[k]} … {after[k]}")

# the file of a descriptor by the path that illumos' rwsnoop takes
program = (
    'syscall::read:entry /pid == $target/ { self->fd = arg0; } syscall::read:return /pid == $target && arg0 == 77/ {'
    ' this->list = curthread->t_procp->p_user.u_finfo.fi_list;'
    ' this->entry = (uf_entry_t *)((uint64_t)this->list + (uint64_t)self->fd * (uint64_t)sizeof(uf_entry_t));'
    ' this->vnode = this->entry->uf_file != 0 ? this->entry->uf_file->f_vnode : 0;'
    ' this->same = curthread->t_procp->p_user.u_finfo.fi_list[self->fd].uf_file == this->entry->uf_file;'
    ' printf("%s|%d|%d|%d|%s\\n", this->vnode->v_path != 0 ? cleanpath(this->vnode->v_path) : "<unknown>", this->same,'
    ' curthread->t_procp->p_pidp->pid_id == pid, curthread->t_tid == tid && curproc->p_pid == pid, curthread->t_procp->p_user.u_comm); }'
)
reader = os.path.join(live.WORK, "reader")
with open(reader, "w") as f:
    f.write(f"#!/bin/sh\nexec /bin/cat '{PATH}'\n")
os.chmod(reader, 0o755)
r = live.dwell("-qn", program, "-c", reader)
live.check(f"{PATH}|1|1|1|cat" in r.stdout, f"members: {r.stdout!r} {r.stderr!r}")

# "-p 123" as one word of the command line
r = live.dwell(f"-p {os.getpid()}", "-qn", 'BEGIN { printf("%d", $target); exit(0); }')
live.check(r.stdout.strip() == str(os.getpid()), f"-p in one word: {r.stdout!r} {r.stderr!r}")

# %A of a plain number is an address of the target
spin = live.subprocess.Popen([live.TRIGGER, "spin", "20000"])
r = live.dwell(
    "-qn", 'profile-101 /pid == $target/ { @[arg1] = count(); } tick-1s { printa("%A", @); exit(0); }', "-p", spin.pid
)
spin.kill()
spin.wait()
live.check("trigger`spin" in r.stdout, f"%A: {r.stdout!r} {r.stderr!r}")

# names of Go methods, and a typedef without a name
r = live.dwell(
    "-Zen",
    "pid$target::crypto?tls.(?halfConn).decrypt:return { trace(1); } int f(int a) { return a; } BEGIN { trace(f(1)); }",
    "-c",
    "/bin/true",
)
live.check(r.returncode == 0, f"parentheses: {r.stderr!r}")
r = live.dwell("-qn", "typedef struct x { int y; long z; }; BEGIN { trace(sizeof (struct x)); exit(0); }")
live.check(r.stdout.strip() == "16", f"typedef: {r.stdout!r} {r.stderr!r}")

# what neither kernel has stays an error
r = live.dwell("-en", "BEGIN { trace(`nosuchvariable); }")
live.check("failed to resolve `nosuchvariable" in r.stderr, r.stderr)
r = live.dwell("-en", "BEGIN { trace(curthread->t_nosuchmember); }")
live.check("t_nosuchmember is not a member of struct task_struct" in r.stderr, r.stderr)
# the module that is the kernel elsewhere, in lists as in programs
here = live.dwell("-ln", "sched:::off-cpu").stdout
live.same(live.dwell("-ln", "sched:genunix::off-cpu").stdout, here, "-l of a probe of genunix")
r = live.dwell("-lm", "unix")
live.check(
    here.splitlines()[1] in r.stdout.splitlines(), f"-lm unix lists the kernel's: {r.stdout[:300]!r} {r.stderr!r}"
)
live.done()
