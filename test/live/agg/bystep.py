# SPDX-License-Identifier: Apache-2.0
"""Bucket edges of all three distributions: dwell's counts agree with the definition, value by value."""
import collections
import os
import re

import live

VALUES = sorted(
    {v + d for k in (0, 1, 2, 3, 5, 8, 16, 31, 32, 47, 61, 62) for v in (1 << k, -(1 << k)) for d in (-1, 0, 1)}
    | {0, 7, 9, 10, 11, 99, 100, 101, 999, 1000, 1001, 2**63 - 1, -(2**63) + 1}
)


def run(call):
    src = os.path.join(live.WORK, "q.d")
    with open(src, "w") as f:
        f.write("int64_t v;\n")
        for i, v in enumerate(VALUES):
            f.write(f"BEGIN {{ v = {v}; @[{i}] = {call}; }}\n")
        f.write("BEGIN { exit(0); }\n")
    r = live.dwell("-q", "-x", "aggsize=256m", "-s", src)
    if r.returncode or r.stderr:
        live.check(False, call, r.stderr)
        return {}
    found, key = {}, None
    for line in r.stdout.splitlines():
        m = re.match(r"^ +(\d+) *$", line)
        if m:
            key = int(m.group(1))
        m = re.match(r"^ *(\S.*?) \|@+ *(\d+) *$", line)
        if m and key is not None:
            found[key] = m.group(1)
    return found


def quantize(v):
    if v == 0:
        return "0"
    p = 1 << (abs(v).bit_length() - 1)
    return str(p if v > 0 else -p)


def lquantize(v, base, limit, step):
    if v < base:
        return f"< {base}"
    if v >= limit:
        return f">= {limit}"
    return str(base + (v - base) // step * step)


def llquantize(v, factor, low, high, steps):
    """Buckets of each magnitude m: [factor^m, factor^(m+1)) in steps of factor^(m+1)/steps."""
    a, sign = abs(v), "-" if v < 0 else ""
    if a < factor**low:
        return f"abs() < {factor ** low}" if low else "0"
    if a >= factor ** (high + 1):
        return f">= {factor ** (high + 1)}" if v > 0 else f"<= -{factor ** (high + 1)}"
    m = low
    while a >= factor ** (m + 1):
        m += 1
    step = max(factor ** (m + 1) // steps, 1)
    return sign + str(a // step * step)


def compare(call, want):
    got = run(call)
    wrong = [
        f"{v}: {got.get(i)}, expected {want(v)}"
        for i, v in enumerate(VALUES)
        if (got.get(i) or "").replace("abs() < ", "< ") != want(v).replace("abs() < ", "< ")
    ]
    live.check(not wrong, f"{call}: {len(VALUES)} values", "\n".join(wrong))


compare("quantize(v)", quantize)
compare("lquantize(v, -10, 100, 10)", lambda v: lquantize(v, -10, 100, 10))
compare("lquantize(v, 0, 1000)", lambda v: lquantize(v, 0, 1000, 1))
compare("llquantize(v, 10, 0, 6, 10)", lambda v: llquantize(v, 10, 0, 6, 10))
compare("llquantize(v, 10, 1, 8, 20)", lambda v: llquantize(v, 10, 1, 8, 20))
compare("llquantize(v, 2, 3, 12, 8)", lambda v: llquantize(v, 2, 3, 12, 8))
live.done()
