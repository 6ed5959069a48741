# SPDX-License-Identifier: Apache-2.0
"""Stability reports (-v), the least stability asked for (-x amin), versions of D (-x version)."""
import os
import subprocess

import live


def attrs(title, name, data, cls):
    return f"\n\t{title}\n\t\tIdentifier Names: {name}\n\t\tData Semantics:   {data}\n" f"\t\tDependency Class: {cls}\n"


r = live.dwell("-ev", "-n", "dtrace:::BEGIN{trace(curthread->pid);}")
live.same(
    r.stdout,
    "\nStability attributes for description dtrace:::BEGIN:\n"
    + attrs("Minimum Probe Description Attributes", "Stable", "Stable", "Common")
    + attrs("Minimum Statement Attributes", "Stable", "Private", "Common")
    + "\ndtrace:::BEGIN\n"
    + attrs("Probe Description Attributes", "Stable", "Stable", "Common")
    + attrs("Argument Attributes", "Stable", "Stable", "Common")
    + "\n\tArgument Types\n\t\tNone\n\n",
    "-ev",
)
r = live.dwell("-qv", "-n", "dtrace:::BEGIN{exit(0);}")
live.same(
    r.stdout,
    "\nStability attributes for description dtrace:::BEGIN:\n"
    + attrs("Minimum Probe Description Attributes", "Stable", "Stable", "Common")
    + attrs("Minimum Statement Attributes", "Stable", "Stable", "Common")
    + "\n\n",
    "-v of a program that runs",
)
for program, least in [
    ("BEGIN { trace(pid); }", ("Unstable", "Unstable", "Common")),
    ("syscall:::entry { trace(pid); }", ("Evolving", "Evolving", "Common")),
    ("syscall::read:entry { trace(pid); }", ("Private", "Private", "ISA")),
    ("proc:::exec-success { trace(pid); }", ("Evolving", "Evolving", "ISA")),
]:
    r = live.dwell("-ev", "-n", program)
    live.check(attrs("Minimum Probe Description Attributes", *least) in r.stdout, program, r.stdout + r.stderr)
for body, least in [
    ("trace(pid)", ("Stable", "Stable", "Common")),
    ("trace(getmajor(1))", ("Evolving", "Evolving", "Common")),
    ("trace(curpsinfo->pr_pid)", ("Stable", "Stable", "Common")),
    ("trace(EPERM)", ("Stable", "Stable", "Common")),
    ("@[curthread->comm] = count()", ("Stable", "Private", "Common")),
    ("trace(((struct task_struct *)arg0)->pid)", ("Private", "Private", "Unknown")),
]:
    r = live.dwell("-ev", "-n", "dtrace:::BEGIN { " + body + "; }")
    live.check(attrs("Minimum Statement Attributes", *least) in r.stdout, body, r.stdout + r.stderr)
r = live.dwell("-ev", "-n", "syscall::read:entry { trace(args[0]); }")
live.check(attrs("Minimum Statement Attributes", "Private", "Private", "ISA") in r.stdout, "args[0]", r.stdout)
stability = attrs("Probe Description Attributes", "Private", "Private", "Unknown") + attrs(
    "Argument Attributes", "Private", "Private", "ISA"
)
read = ["-lv", "-n", "syscall:vmlinux:read:entry"]
text = live.dwell(*read).stdout
arguments, _, after = text.partition(stability)
live.check("Argument Types\n\t\targs[0]: " in arguments and not after.strip(), "-lv: arguments, then stability", text)
os.symlink(live.DWELL, "dtrace")
text = subprocess.run(["./dtrace", *read], capture_output=True, text=True, check=False).stdout
live.check(stability + "\n\tArgument Types\n" in text, "-lv as dtrace: stability, then arguments", text)
r = live.dwell("-xerrtags", "-x", "amin=Stable/Stable/Common", "-n", "dtrace:::BEGIN { trace(curthread); }")
live.check(r.returncode == 1 and "[D_ATTR_MIN]" in r.stderr, "-x amin", r.stderr)
r = live.dwell("-x", "amin=nonsense", "-n", "BEGIN")
live.check(r.returncode == 1 and "failed to set -x amin: Invalid value" in r.stderr, "-x amin=nonsense", r.stderr)
r = live.dwell("-q", "-x", "version=1.0", "-n", 'BEGIN { trace(strlen("abc")); exit(0); }')
live.same(r.stdout, "3\n", "-x version=1.0 has strlen()")
r = live.dwell("-x", "version=99.1", "-n", "BEGIN { exit(0); }")
live.check(
    r.returncode == 1 and "failed to set -x version: Requested version is not supported by compiler\n" in r.stderr,
    "-x version=99.1",
    r.stderr,
)
r = live.dwell("-x", "version=1.x", "-n", "BEGIN { exit(0); }")
live.check("failed to set -x version: Invalid value for specified option\n" in r.stderr, "-x version=1.x", r.stderr)
r = live.dwell("-x", "version=1.0", "-n", 'BEGIN { trace(strstr("abc", "b")); }')
live.check(
    r.returncode == 1 and "undefined function name: strstr" in r.stderr, "-x version=1.0 has no strstr()", r.stderr
)
live.done()
