# SPDX-License-Identifier: Apache-2.0
"""Random values in all aggregating functions, against Python. Source of the bucket rules: DTrace's guide."""
import math
import random
import re


def wrap(v):
    v &= (1 << 64) - 1
    return v - (1 << 64) if v >> 63 else v


def quotient(a, b):
    return abs(a) // b * (-1 if a < 0 else 1)


def quantize(v):
    """The lowest bucket takes the smallest number, too."""
    return 0 if v == 0 else (1 if v > 0 else -1) * (1 << min(abs(v).bit_length() - 1, 62))


def lquantize(v, low, high, step):
    top = low + (high - low) // step * step
    if v < low:
        return f"< {low}"
    return f">= {top}" if v >= top else low + (v - low) // step * step


def llquantize(v, factor, low, high, steps):
    if v < 0:
        b = llquantize(-v, factor, low, high, steps) if v > -(1 << 63) else f">= {factor ** (high + 1)}"
        return b.replace(">= ", "<= -") if isinstance(b, str) else -b
    if v < factor**low:
        return 0
    for order in range(low, high + 1):
        last, this = factor**order, factor ** (order + 1)
        if v < this and this < steps:
            return v
        if v < this:  # steps of equal width from 0 on; the first of a magnitude may be cut
            return max(last, v // (this // steps) * (this // steps))
    return f">= {factor ** (high + 1)}"


FUNCS = [
    "count",
    "sum",
    "avg",
    "min",
    "max",
    "stddev",
    "quantize",
    "quantize2",
    "lquantize",
    "lquantize2",
    "llquantize",
    "llquantize2",
]


class Aggs:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def value(self, wide):
        r = self.r
        if not wide:
            return r.choice(
                [
                    0,
                    1,
                    2,
                    3,
                    7,
                    8,
                    9,
                    10,
                    11,
                    99,
                    100,
                    101,
                    1000,
                    12345,
                    -1,
                    -2,
                    -8,
                    -9,
                    -100,
                    r.randrange(-2000, 2000),
                    r.randrange(-(10**6), 10**6),
                ]
            )
        k = r.randrange(63)
        return r.choice(
            [
                wrap((1 << 63) - 1),
                wrap(1 << 63),
                (1 << k) - 1,
                1 << k,
                -(1 << k),
                -(1 << k) - 1,
                wrap(r.getrandbits(64)),
                wrap(r.getrandbits(64)),
                0,
                1,
                -1,
            ]
        )

    def params(self, func):
        r = self.r
        if func.startswith("lq"):
            low = r.choice([0, 0, -100, 5, -7])
            return low, low + r.choice([10, 100, 99, 7, 1000]), r.choice([1, 2, 3, 7])
        if func.startswith("ll"):
            return r.choice(
                [
                    (10, 0, 3, 10),
                    (10, 0, 6, 20),
                    (2, 0, 10, 2),
                    (2, 3, 20, 8),
                    (10, 2, 4, 50),
                    (10, 3, 9, 10),
                    (8, 1, 5, 4),
                    (5, 0, 4, 25),
                    (10, 0, 4, 5),
                    (2, 0, 61, 2),
                    (2, 1, 61, 4),
                    (10, 0, 17, 100),
                    (3, 0, 8, 9),
                ]
            )
        return ()

    def program(self, naggs):
        """(D text, {(name, key): (function, expected)})"""
        d = ["#pragma D option quiet", "int64_t v; int64_t n;", "uint32_t k32; string ks;"]
        want = {}
        body = []
        for a in range(naggs):
            func = self.r.choice(FUNCS)
            name, params = f"{func.rstrip('2')}{a}", self.params(func)
            wide = self.r.random() < 0.4
            keys = [
                (self.r.randrange(-5, 5), self.r.choice(["x", "yy", "a longer key", ""]))
                for _ in range(self.r.randrange(1, 4))
            ]
            data = {}
            for _ in range(self.r.randrange(1, 14)):
                key = self.r.choice(keys)
                v, n = self.value(wide), self.r.choice([1, 1, 2, 5, 100]) if func.endswith("2") else 1
                data.setdefault(key, []).append((v, n))
                args = ["v"] + [str(p) for p in params] + (["n"] if func.endswith("2") else [])
                if func.startswith("count"):
                    args = []
                lit = f"({v})" if v > -(1 << 63) else "(-9223372036854775807 - 1)"
                body.append(
                    [
                        f"\tv = {lit};",
                        f"\tn = {n};",
                        f'\tks = "{key[1]}";',
                        f"\t@{name}[{self.r.choice([key[0], f'(int){key[0]}'])}, ks] = {func.rstrip('2')}({', '.join(args)});",
                    ]
                )
            for key, vs in data.items():
                want[(name,) + key] = (func.rstrip("2"), self.expected(func.rstrip("2"), params, vs))
        self.r.shuffle(body)
        for i in range(0, len(body), 6):
            d += ["BEGIN", "{"] + [l for b in body[i : i + 6] for l in b] + ["}"]
        d += ["BEGIN", "{"]
        for name in sorted({k[0] for k in want}):
            d.append(f'\tprintf("\\n# {name}\\n");')
            d.append(f'\tprinta("%d,%s:%@d\\n", @{name});')
        d += ["\texit(0);", "}"]
        return "\n".join(d) + "\n", want

    @staticmethod
    def expected(func, params, vs):
        xs = [v for v, _ in vs]
        if func == "count":
            return len(xs)
        if func == "sum":
            return wrap(sum(xs))
        if func == "avg":
            return quotient(wrap(sum(xs)), len(xs))
        if func in ("min", "max"):
            return min(xs) if func == "min" else max(xs)
        if func == "stddev":
            mean = abs(quotient(wrap(sum(xs)), len(xs)))
            return math.isqrt(max(0, (sum(x * x for x in xs) & (1 << 128) - 1) // len(xs) - mean * mean))
        rows = {}
        for v, n in vs:
            b = str({"quantize": quantize, "lquantize": lquantize, "llquantize": llquantize}[func](v, *params))
            rows[b] = rows.get(b, 0) + n
        return rows


def parse(text):
    """{(name, key…): number or {row: count}}"""
    got, name, key = {}, None, None
    for line in text.split("\n"):
        if line.startswith("# "):
            name = line[2:]
            continue
        m = re.match(r"(-?\d+),(.*?):(-?\d*)\s*$", line)
        if m and name:
            key = (name, int(m.group(1)), m.group(2))
            got[key] = int(m.group(3)) if m.group(3) else {}
            continue
        m = re.match(r"\s*((?:abs\(\) )?(?:[<>]=? )?-?\d+) \|[@ ]*\s(-?\d+)\s*$", line)
        if m and key and int(m.group(2)):
            row = m.group(1)
            if name.startswith("ll") and row.startswith(("abs", "< ")):
                row = "0"
            got[key][row] = int(m.group(2))
    return got
