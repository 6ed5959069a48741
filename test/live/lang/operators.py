# SPDX-License-Identifier: Apache-2.0
"""Every binary and unary operator on every pair of integer types: folded by the compiler, computed at
run time through variables, and computed by the C compiler (with wrapping overflow) must agree.
@timeout: 120
"""
import os
import random
import subprocess

import live

TYPES = {"int8_t": (8, True), "uint8_t": (8, False), "int16_t": (16, True), "uint16_t": (16, False),
         "int32_t": (32, True), "uint32_t": (32, False), "int64_t": (64, True), "uint64_t": (64, False)}
BINARY = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "^^",
          ","]
UNARY = ["-", "~", "!", "+"]
PER_CLAUSE = 8
rng = random.Random(1)


def values(width, signed):
    top = 1 << (width - 1)
    edge = [0, 1, 2, 3, 7, 100, top - 1]
    edge += [-1, -2, -7, -100, -top] if signed else [top, 2 * top - 1, 2 * top - 2]
    return edge + [rng.randrange(-top, top) if signed else rng.randrange(2 * top)]


def literal(v, ctype):
    """The same text in C and D. The smallest 64-bit number has no literal of its own."""
    width, signed = TYPES[ctype]
    if v == -(1 << 63):
        text = "(-9223372036854775807LL - 1)"
    elif signed:
        text = f"{v}" + ("LL" if width == 64 else "")
    else:
        text = f"{v}" + ("ULL" if width == 64 else "U")
    return f"(({ctype}){text})"


def c_binary(op, a, b):
    return f"(!!{a} ^ !!{b})" if op == "^^" else f"({a} {op} {b})"


def promoted_width(t):
    return max(32, TYPES[t][0])


def make_table():
    """(text with A and B, type and value of a, type and value of b)"""
    table = []
    for ta in TYPES:
        for op in UNARY:
            for v in values(*TYPES[ta]):
                table.append((f"{op}A", op, ta, v, ta, 0))
        for tb in TYPES:
            for op in BINARY:
                for _ in range(2):
                    a, b = rng.choice(values(*TYPES[ta])), rng.choice(values(*TYPES[tb]))
                    if op in ("/", "%"):
                        b = b or 3
                        if b == -1:  # overflow of the smallest number: undefined in C
                            b = -3
                    if op in ("<<", ">>"):
                        b = abs(b) % min(promoted_width(ta), 1 << (TYPES[tb][0] - 1))
                    table.append(("A op B", op, ta, a, tb, b))
    return table


def expression(row, a, b, c_style):
    text, op = row[0], row[1]
    if text == "A op B":
        return c_binary(op, a, b) if c_style else f"({a} {op} {b})"
    return f"({op}{a})"


def c_results(table):
    src = os.path.join(live.WORK, "table.c")
    with open(src, "w") as f:
        f.write("#include <stdint.h>\n#include <stdio.h>\nint main(void)\n{\n")
        for row in table:
            e = expression(row, literal(row[3], row[2]), literal(row[5], row[4]), True)
            f.write(f'\tprintf("%lld\\n", (long long){e});\n')
        f.write("\treturn 0;\n}\n")
    exe = os.path.join(live.WORK, "table")
    subprocess.run([os.environ.get("CC", "cc"), "-w", "-fwrapv", "-O0", "-o", exe, src], check=True)
    return subprocess.run([exe], capture_output=True, text=True, check=True).stdout.split()


def d_results(table, run_time):
    src = os.path.join(live.WORK, "table.d")
    names = {t: f"g{t}" for t in TYPES}
    with open(src, "w") as f:
        for t, n in names.items():
            f.write("".join(f"{t} {n}{i}{side};\n" for i in range(PER_CLAUSE) for side in "ab"))
        for at in range(0, len(table), PER_CLAUSE):
            rows = table[at:at + PER_CLAUSE]
            exprs = []
            f.write("BEGIN\n{\n")
            for i, row in enumerate(rows):
                a, b = literal(row[3], row[2]), literal(row[5], row[4])
                if run_time:
                    va, vb = f"{names[row[2]]}{i}a", f"{names[row[4]]}{i}b"
                    f.write(f"\t{va} = {a};\n\t{vb} = {b};\n")
                    a, b = va, vb
                exprs.append("(long long)" + expression(row, a, b, False))
            fmt = " ".join(["%d"] * len(exprs))
            f.write(f'\tprintf("{fmt}\\n", {", ".join(exprs)});\n}}\n')
        f.write("BEGIN { exit(0); }\n")
    r = live.dwell("-q", "-s", src, timeout=100)
    if r.returncode:
        live.check(False, "the table compiles and runs", r.stderr)
        live.done()
    return r.stdout.split()


def main():
    table = make_table()
    want = c_results(table)
    for name, run_time in (("folded", False), ("at run time", True)):
        got = d_results(table, run_time)
        wrong = [f"{e[1]} on {e[2]} {e[3]}, {e[4]} {e[5]}: {g}, C says {w}"
                 for e, g, w in zip(table, got, want) if g != w]
        live.check(len(got) == len(want) and not wrong, f"{len(table)} expressions {name} agree with C",
                   "\n".join([f"{len(got)} results, {len(wrong)} wrong"] + wrong))
    live.done()


main()
