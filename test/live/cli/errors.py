# SPDX-License-Identifier: Apache-2.0
"""Errors in D: tag, place and text on stderr, exit code 1, nothing on stdout."""
import os
import subprocess

import live

for text, tag in [
    ("BEGIN { trace(1 }", "D_SYNTAX"),
    ('BEGIN { trace(cgroupid("/no/such")); }', "D_CGROUP_PATH"),
    ("BEGIN { x = y; }", None),
    ("BEGIN { trace(nosuch); }", "D_IDENT_UNDEF"),
    ('BEGIN { trace("a" * 2); }', "D_OP_ARITH"),
    ("BEGIN { trace(*5); }", "D_DEREF_NONPTR"),
    ("BEGIN { @a = count(); @a = sum(1); }", "D_AGG_REDEF"),
    ('BEGIN { printf("%d"); }', "D_PRINTF_ARG_PROTO"),
    ('BEGIN { printf("%d", "s"); }', "D_PRINTF_ARG_TYPE"),
    ("BEGIN { trace(strlen()); }", "D_PROTO_LEN"),
    ("BEGIN { x = 1; x[1] = 2; }", None),
    ("BEGIN { trace(((struct nosuch *)0)->x); }", None),
    ("BEGIN { curthread->nosuch_member; }", None),
    ("BEGIN { exit(0); } BEGIN { @ = quantize(); }", None),
    ("#pragma D option nosuch\nBEGIN { }", "D_PRAGMA_OPTSET"),
    ("nosuch:::probe { }", "D_PDESC_ZERO"),
]:
    r = live.dwell("-x", "errtags", "-n", text, "-n", "tick-1s { exit(0); }")
    ok = r.returncode == 1 and r.stdout == "" and r.stderr.startswith(live.NAME + ": ")
    ok = ok and (tag is None or f"[{tag}]" in r.stderr)
    live.check(ok, f"{text!r}: {tag or 'an error'}", f"exit {r.returncode}\n{r.stdout}{r.stderr}")

# DTrace names the line up to which it has read.
for text, line in [
    ("BEGIN { x = 'a\n'; }", 2),
    ('BEGIN { x = "a\n"; }', 2),
    ("BEGIN { }\n/* no end\n\n", 4),
    ("BEGIN / (1 /\n\n{ }", 3),
    ('enum e { A = "a"\n};\nBEGIN { }', 2),
    ("enum e { A = 2147483648\n};\nBEGIN { }", 2),
    ("BEGIN { x = 1 * curthread\n->comm\n}", 3),
    ("BEGIN {\nx = curthread * 1;\n}", 2),
    ("BEGIN { x = *1\n}", 2),
    ("BEGIN { x = pid ? curthread :\n\"s\"\n\n}", 4),
    ("BEGIN {\n x = nosuch\n+ 1; }", 2),
    ('BEGIN\n/execname & 1/\n\n{ }', 4),
    ("BEGIN {\nx = (struct nosuch)1\n\n}", 4),
    ("struct s { int i; } v; BEGIN {\nx = (int)v\n\n}", 4),
]:
    r = live.dwell("-n", text)
    live.check(r.returncode == 1 and f" line {line}: " in r.stderr, f"{text!r}: line {line}", r.stderr)

# A specifier is quoted as it was typed, and so is a description that -P, -m or -f would make longer.
for args, says in [
    (["-n", "BEGIN { trace(nosuch); }"], "BEGIN { trace(nosuch); }: in action list: failed to resolve nosuch"),
    (["-n", "BEGIN { $9; }"], "BEGIN { $9; }: macro argument $9 is not defined"),
    (["-P", "a:::b { }"], 'a:::b { }: invalid probe description "a:::b": Overspecified probe description'),
    (["-m", "a::"], 'a::: invalid probe description "a::": Overspecified probe description'),
    (["-f", "a:b:c:d"], 'a:b:c:d: invalid probe description "a:b:c:d": Overspecified probe description'),
    (["-n", "a:b:c:d:"], 'a:b:c:d:: invalid probe description "a:b:c:d:": Overspecified probe description'),
    (["-f", "7"], "7: probe identifier 7 not permitted when specifying functions"),
    (["-m", "7.5"], "7.5: probe identifier 7 not permitted when specifying modules"),
    (["-P", "7 { }"], "7 { }: probe identifier 7 not permitted when specifying providers"),
]:
    r = subprocess.run(["dtrace", *args], executable=live.DWELL, capture_output=True, text=True, timeout=20)
    live.check(
        r.returncode == 1 and r.stderr.splitlines()[0].startswith(f"dtrace: invalid probe specifier {says}"),
        " ".join(args),
        r.stderr,
    )

# Under the name dwell the source line follows, so that it is not quoted.
for args, says in [
    (
        ["-n", "BEGIN { trace(nosuch); }"],
        "failed to resolve nosuch: Unknown variable name\nBEGIN { trace(nosuch); }\n              ^~~~~~\n",
    ),
    (
        ["-n", "BEGIN {\ntrace(nosuch); }"],
        "line 2: failed to resolve nosuch: Unknown variable name\ntrace(nosuch); }\n      ^~~~~~\n",
    ),
    # what its clause assigns is known to the others
    (
        ["-n", "nosuch:::x { @a = count(); y = 1; } END { printa(@a); trace(y); }"],
        "probe description nosuch:::x does not match any probes\nnosuch:::x { @a = count(); y = 1; } END { printa(@a); trace(y); }\n^~~~~~~~~~\n",
    ),
    (
        ["-n", "nosuch*:::"],
        "probe description nosuch*::: does not match any probes\nnosuch*:::\n^~~~~~~~~~\nhint: with -Z it waits for programs that have such static probes\n",
    ),
    (["-n", "BEGIN { print(args); }"], "print(args): probe :::BEGIN has no arguments\n"),
    (["-n", "tracker x { } latency:x::all { print(args); }"], "print(args) needs a probe whose arguments are known\n"),
    (
        ["-n", "syscall:::entry { print(args); }"],
        "args[ ] may not be referenced because probe description syscall:::entry matches an unstable set of probes\n",
    ),
    (
        ["-n", 'BEGIN { trace(cgroupid("/no/such")); }'],
        'cgroupid("/no/such"): there is no such control group, at this path or below /sys/fs/cgroup\n',
    ),
    (
        ["-n", 'BEGIN { trace(cgroupid("/proc")); }'],
        'cgroupid("/proc"): there is no such control group, at this path or below /sys/fs/cgroup\n',
    ),
    (
        ["-n", "BEGIN { trace(cgroupid(execname)); }"],
        "cgroupid( ) argument #1 is incompatible with prototype:\n\tprototype: string constant\n",
    ),
]:
    r = live.dwell(*args)
    live.check(r.returncode == 1 and r.stderr.startswith(f"{live.NAME}: {says}"), " ".join(args), r.stderr)

# What is traced in vain is said.
r = live.dwell("-Z", "-n", "nosuch*:::", "-n", "syscall::opnat:entry", "-n", "BEGIN { exit(0); }")
live.same(
    r.stderr.replace(live.NAME, "dwell").splitlines()[:2],
    [
        "dwell: description 'nosuch*:::' matched 0 probes: it waits for programs that have such static probes",
        "dwell: description 'syscall::opnat:entry' matched 0 probes: it waits in vain, since only static probes of programs, and functions of modules that it names, are found later",
    ],
    "-Z: what waits",
)
said = "$target is 0, and no process has this number: -p PID or -c COMMAND is missing"
for text, args, want in [
    ("/pid == $target/ { }", [], True),
    ("/!$target || pid == $target/ { }", [], False),
    ("/pid == $target/ { }", ["-p", os.getpid()], False),
]:
    r = live.dwell("-qn", "syscall::read:entry " + text, "-n", "BEGIN { exit(0); }", *args)
    live.same((r.returncode, said in r.stderr), (0, want), f"{text} {args}")
live.done()
