# SPDX-License-Identifier: Apache-2.0
"""Random programs with local variables, if, loops, functions, strings, arrays and faults: what the kernel
prints must be what the interpreter of the typed tree (astrun) prints."""
import random
import re

TYPES = ["int8_t", "uint8_t", "int16_t", "uint16_t", "int", "uint32_t", "int64_t", "uint64_t"]
LITERALS = [
    0,
    1,
    2,
    3,
    5,
    7,
    10,
    31,
    64,
    100,
    127,
    128,
    255,
    256,
    1000,
    32768,
    65535,
    65536,
    2147483647,
    2147483648,
    4294967295,
    4294967296,
    9223372036854775807,
]
WORDS = ["", "a", "b", "ab", "abc", "xyz", "key=value", "a/b", "zzzzzzzz"]
LOOPMAX = 300
CALLS = 4  # of functions, in one clause or function: calls are inlined


class Trees:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.names = 0
        self.head = []
        self.ints, self.strs, self.arrays = [], [], []  # what can be seen: (text, assignable)
        self.funcs = []  # (name, parameter kinds, returns string)
        self.calls = 0
        self.in_func = self.in_loop = False
        for scope, use in (("", ""), ("self ", "self->"), ("this ", "this->")):
            for _ in range(3):
                n = self.name("v")
                self.head.append(f"{scope}{self.r.choice(TYPES)} {n};")
                self.ints.append((use + n, True))
            n = self.name("s")
            self.head.append(f"{scope}string {n};")
            self.strs.append((use + n, True))
        self.head.append("int64_t assoc[int, string];")
        self.head.append(f"{self.r.choice(TYPES)} ga[5];")
        self.arrays.append(("ga", 5))

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    # -- expressions --

    def literal(self):
        v = self.r.choice(LITERALS)
        return f"{v}{'ULL' if v > 2**31 - 1 else ''}" if self.r.random() < 0.7 else f"({self.r.choice(TYPES)}){v}"

    def leaf(self):
        r = self.r.random()
        if r < 0.3:
            return self.literal()
        if r < 0.38 and self.arrays:
            a, n = self.r.choice(self.arrays)
            return f"{a}[{self.index(n)}]"
        if r < 0.43:
            return f"assoc[{self.r.randrange(3)}, {self.string(3)}]"
        return self.r.choice(self.ints)[0]

    def index(self, n):
        if self.r.random() < 0.04:
            return self.r.choice(self.ints)[0]  # perhaps outside: a fault
        if self.r.random() < 0.5:
            return str(self.r.randrange(n))
        return f"(uint32_t)({self.expr(3)}) % {n}"

    def call(self, want_str, depth):
        fits = [f for f in self.funcs if f[2] == want_str]
        if not fits or self.calls >= CALLS:
            return None
        self.calls += 1
        name, params, _ = self.r.choice(fits)
        return f"{name}({', '.join(self.string(depth + 2) if p == 's' else self.expr(depth + 2) for p in params)})"

    def expr(self, depth=0):
        r = self.r
        if depth > 3 or r.random() < 0.15 * (depth + 1):
            return self.leaf()
        a, k = self.expr(depth + 1), r.randrange(22)
        if k < 7:
            return f"({a} {r.choice(['+', '-', '*', '&', '|', '^'])} {self.expr(depth + 1)})"
        if k < 9:
            b = r.choice(self.ints)[0] if r.random() < 0.06 else f"({self.expr(depth + 1)} | 1)"
            return f"({a} {r.choice('/%')} {b})"
        if k == 9:
            return f"({a} {r.choice(['<<', '>>'])} ({self.expr(depth + 1)} & 7))"
        if k < 13:
            return f"({a} {r.choice(['<', '<=', '>', '>=', '==', '!='])} {self.expr(depth + 1)})"
        if k == 13:
            return f"({a} {r.choice(['&&', '||', '^^'])} {self.expr(depth + 1)})"
        if k == 14:
            return f"({a} ? {self.expr(depth + 1)} : {self.expr(depth + 1)})"
        if k == 15:
            return f"({r.choice(TYPES)})({a})"
        if k == 16:
            return f"({r.choice(['-', '~', '!', '+'])}({a}))"
        if k == 17:
            return f"strlen({self.string(depth + 1)})"
        if k == 18:
            return f"index({self.string(depth + 1)}, \"{r.choice(WORDS)}\")"
        if k == 19:
            op = r.choice(["==", "!=", "<", ">="])
            return f"({self.string(depth + 1)} {op} {self.string(depth + 1)})"
        if k == 20:
            return f"({r.choice([v for v, w in self.ints if w])}{r.choice(['++', '--'])})" if depth == 0 else a
        return self.call(False, depth) or a

    def string(self, depth=0):
        r = self.r
        k = r.randrange(10)
        if depth > 3 or k < 3:
            return f"\"{r.choice(WORDS)}\""
        if k < 6:
            return r.choice(self.strs)[0]
        if k == 6:
            return f"strjoin({self.string(depth + 1)}, {self.string(depth + 1)})"
        if k == 7:
            return f"substr({self.string(depth + 1)}, {r.randrange(-3, 5)}{r.choice(['', ', 2', ', 5'])})"
        if k == 8:
            return f"lltostr((int64_t){self.expr(depth + 2)})"
        return self.call(True, depth) or f"\"{r.choice(WORDS)}\""

    # -- statements --

    def simple(self):
        r, k = self.r, self.r.randrange(12)
        v = r.choice([v for v, w in self.ints if w])
        if k < 4:
            return f"{v} = {self.expr()};"
        if k < 6:
            op = r.choice(["+", "-", "*", "&", "|", "^"])
            return f"{v} {op}= {self.expr()};"
        if k == 6:
            return f"{v}{r.choice(['++', '--'])};"
        if k == 7:
            return f"{r.choice([v for v, w in self.strs if w])} = {self.string()};"
        if k == 8 and self.arrays:
            a, n = r.choice(self.arrays)
            return f"{a}[{self.index(n)}] {r.choice(['', '+', '^'])}= {self.expr(1)};"
        if k == 9:
            return f"assoc[{r.randrange(3)}, {self.string(2)}] = {self.expr(1)};"
        if k == 10:
            return f"@sums[(int)({self.expr(2)} & 3)] = sum((int64_t){self.expr(1)});"
        if self.in_func:
            return f"{v} = {self.expr()};"
        if r.random() < 0.3:
            return f"printf(\"%s %d\\n\", {self.string()}, (int64_t){self.expr(1)});"
        return f"printf(\"%d\\n\", (int64_t){self.expr()});"

    def local(self):
        r, k, n = self.r, self.r.randrange(5), self.name("l")
        if k == 0:
            text = f"string {n} = {self.string(1)};"
            self.strs.append((n, True))
        elif k == 1:
            text = f"{r.choice(TYPES)} {n}[3];"
            self.arrays.append((n, 3))
        else:
            text = f"{r.choice(TYPES)} {n}{f' = {self.expr(1)}' if r.random() < 0.8 else ''};"
            self.ints.append((n, True))
        return text

    def seen(self):
        return len(self.ints), len(self.strs), len(self.arrays)

    def forget(self, seen):
        del self.ints[seen[0] :], self.strs[seen[1] :], self.arrays[seen[2] :]

    def loop(self, depth):
        r, n, seen = self.r, self.name("i"), self.seen()
        was, self.in_loop = self.in_loop, True
        k = r.randrange(4)
        if k < 2:
            self.ints.append((n, False))
            text = f"for (int {n} = 0; {n} < {r.randrange(1, 6)}; {n}++) {self.block(depth + 1)}"
        elif k == 2:
            self.ints.append((n, False))
            text = f"{{ int {n} = {r.randrange(1, 6)}; while ({n}-- > 0) {self.block(depth + 1)} }}"
        else:
            self.ints.append((n, False))
            end = f"{n}++ < {r.choice([2, 4, LOOPMAX])}" if r.random() < 0.9 else "1"
            text = f"{{ int {n} = 0; do {self.block(depth + 1)} while ({end}); }}"
        self.in_loop = was
        self.forget(seen)
        return text

    def statement(self, depth):
        r, k = self.r, self.r.randrange(20)
        if depth < 3 and k < 3:
            return f"if ({self.expr(1)}) {self.block(depth + 1)}" + (
                f" else {self.block(depth + 1)}" if r.random() < 0.5 else ""
            )
        if depth < 2 and k == 3:
            return self.loop(depth)
        if k == 4 and self.in_loop:
            return f"if ({self.expr(2)}) {r.choice(['break', 'continue'])};"
        if depth < 3 and k == 5:
            return self.block(depth + 1)
        if k < 8:
            return self.local()
        return self.simple()

    def block(self, depth):
        seen = self.seen()
        text = "{ " + " ".join(self.statement(depth) for _ in range(self.r.randrange(1, 4))) + " }"
        self.forget(seen)
        return text

    # -- the program --

    def function(self):
        r, name, params = self.r, self.name("f"), []
        seen, outer = self.seen(), self.calls
        self.calls, self.in_func = CALLS - 1, True
        is_str = r.random() < 0.3
        for _ in range(r.randrange(0, 4)):
            n = self.name("p")
            if r.random() < 0.25:
                params.append(("s", f"string {n}"))
                self.strs.append((n, True))
            else:
                params.append(("i", f"{r.choice(TYPES)} {n}"))
                self.ints.append((n, True))
        lines = []
        if r.random() < 0.5:
            lines.append(f"if ({self.expr(2)}) return {self.string(1) if is_str else self.expr(1)};")
        lines += [self.statement(1) for _ in range(r.randrange(1, 4))]
        lines.append(f"return {self.string() if is_str else self.expr()};")
        self.forget(seen)
        self.calls, self.in_func = outer, False
        self.funcs.append((name, [p[0] for p in params], is_str))
        ret = "string" if is_str else r.choice(TYPES)
        return f"{ret} {name}({', '.join(p[1] for p in params)})\n{{\n\t" + "\n\t".join(lines) + "\n}"

    def clause(self):
        seen = self.seen()
        self.calls = 0
        lines = [self.statement(0) for _ in range(self.r.randrange(3, 8))]
        lines += [f"printf(\"{v} %d\\n\", (int64_t){v});" for v, _ in self.ints]
        self.forget(seen)
        return "BEGIN\n{\n\t" + "\n\t".join(lines) + "\n}"

    def program(self, clauses):
        parts = [self.function() for _ in range(self.r.randrange(1, 4))]
        parts += [self.clause() for _ in range(clauses)]
        parts.append("BEGIN { @sums[0] = sum(1); exit(0); }")
        parts.append("END { printa(\"agg sums %d %@d\\n\", @sums); }")
        return "\n".join(self.head + parts) + "\n"


def faults(text):
    """Messages of dwell and of astrun in one form."""
    out = []
    for line in text.split("\n"):
        m = re.search(r"(?:enabled probe|error:) ID (\d+).*?: ([a-z -]+?)(?: after.*| \(.*\))? in action #(\d+)", line)
        if m:
            out.append(" ".join(m.groups()))
    return out


def split(text):
    """The lines in order, and the sums, which come in any order."""
    lines = [l for l in text.split("\n") if l]
    return [l for l in lines if not l.startswith("agg ")], sorted(l for l in lines if l.startswith("agg "))
