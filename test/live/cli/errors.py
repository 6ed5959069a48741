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
        ("BEGIN { x = 1 ? curthread :\n\"s\"\n\n}", 4),
        ("BEGIN {\n x = nosuch\n+ 1; }", 2),
]:
    r = live.dwell("-n", text)
    live.check(r.returncode == 1 and f" line {line}: " in r.stderr, f"{text!r}: line {line}", r.stderr)
live.done()
