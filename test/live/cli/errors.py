# SPDX-License-Identifier: Apache-2.0
"""Errors in D: tag, place and text on stderr, exit code 1, nothing on stdout."""
import live

for text, tag in [
        ("BEGIN { trace(1 }", "D_SYNTAX"),
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
    r = live.dwell(*args)
    live.check(r.returncode == 1 and r.stderr.splitlines()[0].startswith(f"{live.NAME}: invalid probe specifier {says}"),
               " ".join(args), r.stderr)
live.done()
