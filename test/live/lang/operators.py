# SPDX-License-Identifier: Apache-2.0
"""Every binary and unary operator on every pair of integer types: folded by the compiler, computed at
run time through variables, and computed here in 64 bits by DTrace's rule must agree.
@timeout: 120
"""
import ctypes
import operator
import os
import random

import live

TYPES = {
    "int8_t": (8, True),
    "uint8_t": (8, False),
    "int16_t": (16, True),
    "uint16_t": (16, False),
    "int32_t": (32, True),
    "uint32_t": (32, False),
    "int64_t": (64, True),
    "uint64_t": (64, False),
}
BINARY = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "^^", ","]
UNARY = ["-", "~", "!", "+"]
PER_CLAUSE = 8
rng = random.Random(1)


def values(width, signed):
    top = 1 << (width - 1)
    edge = [0, 1, 2, 3, 7, 100, top - 1]
    edge += [-1, -2, -7, -100, -top] if signed else [top, 2 * top - 1, 2 * top - 2]
    return edge + [rng.randrange(-top, top) if signed else rng.randrange(2 * top)]


def literal(v, ctype):
    """The smallest 64-bit number has no literal of its own."""
    width, signed = TYPES[ctype]
    if v == -(1 << 63):
        text = "(-9223372036854775807LL - 1)"
    elif signed:
        text = f"{v}" + ("LL" if width == 64 else "")
    else:
        text = f"{v}" + ("ULL" if width == 64 else "U")
    return f"(({ctype}){text})"


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
                    table.append(("A op B", op, ta, a, tb, b))
    return table


def expression(row, a, b):
    return f"({a} {row[1]} {b})" if row[0] == "A op B" else f"({row[1]}{a})"


PYTHON = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "&&": lambda a, b: a != 0 and b != 0,
    "||": lambda a, b: a != 0 or b != 0,
    "^^": lambda a, b: (a != 0) != (b != 0),
    ",": lambda a, b: b,
    "<<": lambda a, b: a << (b & 63),
    ">>": lambda a, b: a >> (b & 63),
    "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "%": lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1),
}


def value(row, folded):
    """In 64 bits, signed unless the wider type (of equal ones: either) has no sign; shifts: unless the left one has none."""
    op, (wa, sa), a, (wb, sb), b = row[1], TYPES[row[2]], row[3], TYPES[row[4]], row[5]
    if row[0] != "A op B":
        if op == "-" and folded and not sa:  # -1u is what it is in C
            return -a & (1 << wa) - 1 if wa < 64 else ctypes.c_int64(-a).value
        return ctypes.c_int64({"-": -a, "~": ~a, "!": int(a == 0), "+": a}[op]).value
    signed = sa if op in ("<<", ">>") else (sa if wa > wb else sb if wb > wa else sa and sb)
    number = ctypes.c_int64 if signed else ctypes.c_uint64
    return ctypes.c_int64(int(PYTHON[op](number(a).value, number(b).value))).value


def d_results(table, run_time):
    src = os.path.join(live.WORK, "table.d")
    names = {t: f"g{t}" for t in TYPES}
    with open(src, "w") as f:
        for t, n in names.items():
            f.write("".join(f"{t} {n}{i}{side};\n" for i in range(PER_CLAUSE) for side in "ab"))
        for at in range(0, len(table), PER_CLAUSE):
            rows = table[at : at + PER_CLAUSE]
            exprs = []
            f.write("BEGIN\n{\n")
            for i, row in enumerate(rows):
                a, b = literal(row[3], row[2]), literal(row[5], row[4])
                if run_time:
                    va, vb = f"{names[row[2]]}{i}a", f"{names[row[4]]}{i}b"
                    f.write(f"\t{va} = {a};\n\t{vb} = {b};\n")
                    a, b = va, vb
                exprs.append("(long long)" + expression(row, a, b))
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
    for name, run_time in (("folded", False), ("at run time", True)):
        got = d_results(table, run_time)
        want = [str(value(row, not run_time)) for row in table]
        wrong = [f"{e[1]} on {e[2]} {e[3]}, {e[4]} {e[5]}: {g}, not {w}" for e, g, w in zip(table, got, want) if g != w]
        live.check(
            len(got) == len(want) and not wrong,
            f"{len(table)} expressions {name} agree with the model",
            "\n".join([f"{len(got)} results, {len(wrong)} wrong"] + wrong),
        )
    live.done()


main()
