# SPDX-License-Identifier: Apache-2.0
"""The tables of stability: what DTrace's manual and library say of every provider, built-in variable and function."""
import re

import live

SSC, EEC, PPU = "Stable/Stable/Common", "Evolving/Evolving/Common", "Private/Private/Unknown"
EEI, PPI, SPC = "Evolving/Evolving/ISA", "Private/Private/ISA", "Stable/Private/Common"
UUU, UUC = "Unstable/Unstable/Unknown", "Unstable/Unstable/Common"

# Source: DTrace guide, "Stability" of each provider: provider, function, name, arguments, with a probe for each.
PROVIDERS = {
    "dtrace:::BEGIN": (SSC, PPU, SSC, SSC),
    "syscall::read:entry": (EEC, PPI, EEC, PPI),
    "profile:::profile-97": (EEC, PPU, EEC, EEC),
    "proc:::exec-success": (EEI, PPU, EEI, EEI),
    "sched:::off-cpu": (EEI, PPU, EEI, EEI),
    "io:::start": (EEI, PPU, EEI, EEI),
    "ip:::send": (EEI, PPU, EEI, EEI),
    "tcp:::send": (EEI, PPU, EEI, EEI),
    "udp:::send": (EEI, PPU, EEI, EEI),
    "lockstat:::spin-spin": (EEI, PPU, EEI, EEI),
    "cpc:::cpu_clock-all-1000000": (EEC, PPU, EEC, EEC),
    "vminfo:::as_fault": (EEC, PPU, EEC, PPI),
    "sysinfo:::pswitch": (EEC, PPU, EEC, PPI),
    "sdt:::sched_switch": (EEI, PPU, PPI, PPI),
    "rawtp:::sched_switch": (EEI, PPU, PPI, PPI),
}
# Source: dt_open.c's table of globals: what is not stable.
EVOLVING = {
    "getmajor(1)",
    "getminor(1)",
    "htonl(1)",
    "htonll(1)",
    "htons(1)",
    "ntohl(1)",
    "ntohll(1)",
    "ntohs(1)",
    "mutex_owned((struct mutex *)0)",
    "mutex_owner((struct mutex *)0)",
    "mutex_type_adaptive((struct mutex *)0)",
    "mutex_type_spin((struct mutex *)0)",
    "rw_iswriter((struct rw_semaphore *)0)",
    "rw_read_held((struct rw_semaphore *)0)",
    "rw_write_held((struct rw_semaphore *)0)",
}
STABLE = {
    "arg0",
    "arg9",
    "caller",
    "cpu",
    "cwd",
    "epid",
    "errno",
    "execname",
    "gid",
    "id",
    "ipl",
    "pid",
    "ppid",
    "probefunc",
    "probemod",
    "probename",
    "probeprov",
    "root",
    "stackdepth",
    "tid",
    "timestamp",
    "ucaller",
    "uid",
    "uregs[0]",
    "ustackdepth",
    "vtimestamp",
    "walltimestamp",
    "zonename",
    "curcpu->cpu_id",
    "curpsinfo->pr_pid",
    "curlwpsinfo->pr_lwpid",
    "fds[0].fi_name",
    "chip",
    "lgrp",
    "pset",
    "EPERM",
    "SIGKILL",
    "O_CREAT",
    'basename("a")',
    'cleanpath("a")',
    'dirname("a")',
    'copyinstr(1)',
    'index("a", "b")',
    'rindex("a", "b")',
    'inet_ntoa((ipaddr_t *)0)',
    'inet_ntop(2, 0)',
    'link_ntop(1, 0)',
    'lltostr(1)',
    'progenyof(1)',
    "rand()",
    "speculation()",
    'strchr("a", 1)',
    'strjoin("a", "b")',
    'strlen("a")',
    'strrchr("a", 1)',
    'strstr("a", "b")',
    'strtok("a", "b")',
    'substr("a", 1)',
    "alloca(1)",
    "copyin(1, 1)",
}
OTHER = {"curthread": SPC}


def least(*attrs):
    order = (
        ["Internal", "Private", "Obsolete", "External", "Unstable", "Evolving", "Stable", "Standard"],
        ["Unknown", "CPU", "Platform", "Group", "ISA", "Common"],
    )
    parts = list(zip(*(a.split("/") for a in attrs)))
    return "/".join(min(p, key=(order[0] if i < 2 else order[1]).index) for i, p in enumerate(parts))


def section(text, title):
    found = re.search(
        rf"\t{title}\n\t\tIdentifier Names: (\w+)\n\t\tData Semantics:   (\w+)\n\t\tDependency Class: (\w+)", text
    )
    return found and "/".join(found.groups())


for probe, (prov, func, name, args) in PROVIDERS.items():
    if live.dwell("-l", "-n", probe).returncode:
        print(f"# no {probe} here")
        continue
    p, m, f, n = probe.split(":")
    want = least(prov, name, *([func] if f else []))
    r = live.dwell("-ev", "-n", probe + " { }")
    live.check(
        section(r.stdout, "Minimum Probe Description Attributes") == want
        and section(r.stdout, "Argument Attributes") == args,
        f"{probe}: {want}, arguments {args}",
        r.stdout + r.stderr,
    )
    r = live.dwell("-ev", "-n", p + "::: { }")
    live.check(
        section(r.stdout, "Minimum Probe Description Attributes") == prov, f"{p}:::: {prov}", r.stdout[:400] + r.stderr
    )

for kind, expressions in ((SSC, STABLE), (EEC, EVOLVING)):
    OTHER.update((e, kind) for e in expressions)
for expression, want in sorted(OTHER.items()):
    r = live.dwell("-ev", "-n", f"dtrace:::BEGIN {{ x = {expression}; }}")
    live.check(
        section(r.stdout, "Minimum Statement Attributes") == want,
        f"{expression}: {want}",
        f"{section(r.stdout, 'Minimum Statement Attributes')}\n{r.stderr}",
    )
live.done()
