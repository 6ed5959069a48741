# SPDX-License-Identifier: Apache-2.0
"""Command line: usage, version, wrong options, exit codes; the name it was called by."""
import os
import subprocess

import live

link = os.path.join(live.WORK, "dtrace")
os.symlink(live.DWELL, link)


def dtrace(*args):
    return subprocess.run([link, *args], capture_output=True, text=True, check=False)


r = dtrace()
live.check(
    r.returncode == 2 and r.stderr.startswith("Usage: dtrace ["), "dtrace without arguments: its usage, 2", r.stderr
)
live.same(live.dwell("help", "options").stdout.startswith(f"Usage: {live.NAME} [-32|-64] "), True, "help options")
for letter in "32 64 b c C D e f F G h H i I l L m n o p P q s S U v V w x X Z".split():
    live.check(f"\n\t-{letter} " in r.stderr, f"-{letter} is named", r.stderr)
r = dtrace("-y")
live.check(
    r.returncode == 2 and r.stderr.startswith("dtrace: invalid option -- 'y'\nUsage: "), "-y: usage, 2", r.stderr
)
r = live.dwell("-n")
live.check(r.returncode == 2 and "option requires an argument" in r.stderr, "-n without argument", r.stderr)
r = live.dwell("-V")
live.check(r.returncode == 0 and r.stdout.startswith(f"{live.NAME}: "), "-V", r.stdout + r.stderr)
live.same(
    live.dwell("-qn", "BEGIN { exit(0); }", "-x", "version=" + r.stdout.split()[-1]).returncode,
    0,
    "its last word is a version for -x version",
)
for command in "core ctl export flame heat hist latency report serve sql stat timeline top".split():
    r = live.dwell(command, "--help")
    live.check(
        (r.returncode, r.stderr) == (0, "")
        and r.stdout.startswith("Usage: ")
        and f"dwell {command} " in r.stdout.replace(live.NAME, "dwell"),
        command + " --help: usage, on standard output",
        f"{r}",
    )
    with open("/dev/full", "w", encoding="ascii") as full:
        live.same(
            subprocess.run([live.DWELL, command, "--help"], stdout=full, stderr=subprocess.PIPE).returncode,
            1,
            command + " --help that cannot be written: 1",
        )
# Help is asked of the command itself: nothing of the words runs.
for args, usage in [
    (["help", "strace", "touch"], "dwell strace"),
    (["help", "rec", "touch"], "dwell rec"),
    (["help", "latency", "why"], "dwell latency why"),
    (["help", "fleet", "why"], "dwell fleet why"),
    (["fleet", "host", "--help"], "dwell fleet host"),
    (["fleet", "hist", "--help"], "dwell fleet hist"),
    (["help", "report", "x"], "dwell report"),
    (["help", "timeline"], "dwell timeline"),
    (["help", "run", "iotop"], "dwell run iotop"),
]:
    r = live.dwell(*args)
    live.check(
        (r.returncode, r.stderr) == (0, "") and "Usage: " + usage in r.stdout.replace(live.NAME, "dwell"),
        " ".join(args),
        f"{r}",
    )
live.same(live.dwell("--version").stdout, live.dwell("-V").stdout, "--version: as -V")
r = live.dwell("-e")
live.same((r.returncode, r.stdout + r.stderr), (0, ""), "-e of nothing")
for args, code, text in [
    (["-x", "nosuch", "-n", "BEGIN"], 1, "failed to set -x nosuch: Invalid option name"),
    (["-x", "strsize=zz", "-n", "BEGIN"], 1, "failed to set -x strsize: Invalid value for specified option"),
    (["-b", "lots", "-n", "BEGIN"], 1, "failed to set -b lots: Invalid value for specified option"),
    (["-p", "abc", "-n", "BEGIN"], 1, "invalid pid: abc"),
    (["-p", "4194304", "-n", "BEGIN"], 1, "4194304"),
    (["-c", "/no/such/command", "-n", "BEGIN"], 1, "/no/such/command"),
    (["-s", "/no/such/script.d"], 1, "failed to open /no/such/script.d: No such file or directory"),
    (["-s", "/"], 1, "failed to open /: Is a directory"),
    (["-n", "no:such:probe:here"], 1, "probe description no:such:probe:here does not match any probes"),
    (["-n", "BEGIN { nosuch(); }"], 1, "nosuch"),
    (["-n", "BEGIN { x = $1; }"], 1, "macro argument $1 is not defined"),
    (["-n", "BEGIN { $x = 1; }"], 1, "variables have no $: this->x"),
    (["-n", "BEGIN { @[ustack] = count(); }"], 1, "ustack is bpftrace's; in D: ustack()"),
    (["-n", "syscall::openat:entry { trace(args.filename); }"], 1, "args is bpftrace's; in D: args[0], args[1]"),
    (["-n", 'BEGIN { trace(cgroup == "/a"); }'], 1, 'cgroupid("/PATH") is that of a control group'),
    (["-n", "uprobe:/bin/bash:readline { }"], 1, "uprobe is bpftrace's; in D: pid*:FILE:FUNCTION:entry"),
    (["-n", "pid*::malloc:entry { }"], 1, "pid* needs a file and a function: pid*:libc.so.6:malloc:entry"),
    (["run", "sysslower", "5"], 1, "parameters are given by name, such as --ms 5"),
    (["why", "--comm", "nosuchprog", "--for", "200ms"], 0, "no thread called 'nosuchprog' has waited"),
    (["-qn", "BEGIN { exit(0); }", "unused"], 1, "extraneous argument 'unused' ($1 is not referenced)"),
    (["-n", "BEGIN { stop(); }"], 1, "destructive"),
    (["-i", "99999999"], 1, "99999999"),
]:
    r = live.dwell(*args)
    live.check(
        r.returncode == code and text in r.stderr and r.stderr.startswith((live.NAME + ": ", "Usage")),
        " ".join(args),
        f"exit {r.returncode}\n{r.stdout}{r.stderr}",
    )

r = dtrace("-x", "nosuch", "-n", "BEGIN")
live.check(r.stderr.startswith("dtrace: "), "called dtrace, it says dtrace", r.stderr)
r = dtrace("-n", "BEGIN { x = nosuch; y = again; }")
live.same(
    r.stderr,
    "dtrace: invalid probe specifier BEGIN { x = nosuch; y = again; }: in action list: failed to resolve "
    "nosuch: Unknown variable name\n",
    "as dtrace, the first error alone, in its words",
)
r = live.dwell("-n", "BEGIN { x = nosuch; y = again; }")
live.check("^" in r.stderr and "again" in r.stderr.splitlines()[-2], "as dwell, all errors with their places", r.stderr)
for status in (0, 1, 7, 255, 256, -1):
    live.same(live.dwell("-qn", f"BEGIN {{ exit({status}); }}").returncode, status % 256, f"exit({status})")
live.done()
