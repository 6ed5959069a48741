# SPDX-License-Identifier: Apache-2.0
"""Random integer expressions: what D computes at run time and what it folds must be what the model below computes.

The rule is DTrace's: arithmetic is in 64 bits; a type says only whether / % >> and relations are signed, and how many bits a
variable, a record or a cast keeps. An expression is a tree of tuples, written out as D over variables, or over constants."""
import random

TYPES = {
    "char": (8, 1),
    "signed char": (8, 1),
    "unsigned char": (8, 0),
    "short": (16, 1),
    "unsigned short": (16, 0),
    "int": (32, 1),
    "unsigned int": (32, 0),
    "long": (64, 1),
    "unsigned long": (64, 0),
    "long long": (64, 1),
    "unsigned long long": (64, 0),
    "int8_t": (8, 1),
    "uint8_t": (8, 0),
    "int16_t": (16, 1),
    "uint16_t": (16, 0),
    "int32_t": (32, 1),
    "uint32_t": (32, 0),
    "int64_t": (64, 1),
    "uint64_t": (64, 0),
    "enum colour": (32, 1),
}
# member: type, width of the field
FIELDS = {
    "x": ("int", 3),
    "y": ("unsigned int", 7),
    "z": ("unsigned char", 1),
    "w": ("long", 40),
    "v": ("unsigned long", 63),
    "u": ("int", 32),
    "t": ("short", 11),
    "s": ("unsigned short", 16),
    "p": ("short", 16),
    "q": ("long", 64),
    "r": ("char", 8),
    "o": ("unsigned char", 8),
}
HEAD = """enum colour { RED, GREEN = 5, BLUE, NEG = -3 };
struct in { short p; long q; char r; };
struct st { int x:3; unsigned int y:7; unsigned char z:1; long w:40; unsigned long v:63; int u:32; short t:11;
	unsigned short s:16; struct in in; unsigned char o; };
"""
NVARS = 14
PER_CLAUSE = 6


def edge(r, bits, signed):
    top = 1 << (bits - 1)
    v = r.choice(
        [
            0,
            1,
            2,
            3,
            5,
            7,
            8,
            31,
            32,
            63,
            64,
            100,
            127,
            128,
            255,
            256,
            32767,
            32768,
            65535,
            65536,
            top - 1,
            top,
            top + 1,
            2 * top - 1,
            2 * top - 2,
            r.getrandbits(bits),
            r.getrandbits(bits),
        ]
    )
    v &= 2 * top - 1
    return v - 2 * top if signed and v >= top else v


def literal(v, t):
    """The smallest number has no literal of its own."""
    bits, signed = TYPES[t]
    if signed and v < 0:
        text = f"(-{-v - 1}LL - 1LL)" if bits == 64 else f"(-{-v}LL)"
    else:
        text = f"{v}{'LL' if signed else 'ULL'}"
    return f"(({t}){text})"


def cut(v, bits, signed):
    v &= (1 << bits) - 1
    return v - (1 << bits) if signed and v >> (bits - 1) else v


class Value:
    """A number of 64 bits (as signed one), with the type that D gives the expression."""

    def __init__(self, v, t, const=False, bits=0):
        self.v, self.t, self.const = cut(v, 64, True), t, const
        self.bits = bits or TYPES[t][0]  # of a bit field: its own width

    @property
    def signed(self):
        return TYPES[self.t][1]

    def number(self, signed):
        return self.v if signed else self.v & (1 << 64) - 1


def one(t):
    return "int" if t.startswith("enum") else t


def common(a, b):
    """The type with more bits, else that without a sign."""
    ra, rb = 2 * a.bits + (not a.signed), 2 * b.bits + (not b.signed)
    return one(a.t if ra >= rb else b.t)


def arith(op, a, b, signed):
    if op in ("<<", ">>"):
        n = b & 63
        return a << n if op == "<<" else cut(a, 64, signed) >> n
    if op in ("/", "%"):
        a, b = cut(a, 64, signed), cut(b, 64, signed)
        q = abs(a) // abs(b)
        q = -q if (a < 0) != (b < 0) else q
        return q if op == "/" else a - q * b
    return {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}[op]


RELATIONS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


class Ints:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.vars = []  # (type, D text, name, width of a bit field or 0)
        self.decl_d = []
        for i in range(NVARS):
            self.add_var(i)
        self.decl_d += [f"{s}struct st {n};" for s, n in (("", "gs"), ("self ", "ss"), ("this ", "ts"))]
        self.busy = set()

    def add_var(self, i):
        t = self.r.choice(list(TYPES))
        where = self.r.choice(
            ["g", "g", "self", "this", "arr", "selfarr", "thisarr", "assoc", "selfassoc", "member", "member", "member"]
        )
        if where == "member":
            base = self.r.choice(["gs", "ss", "ts"])
            m = self.r.choice(list(FIELDS))
            path = f"{base}.{'in.' if m in 'pqr' else ''}{m}"
            if any(v[2] == path for v in self.vars):
                return
            t = FIELDS[m][0]
            d = {"gs": "", "ss": "self->", "ts": "this->"}[base] + path
            self.vars.append((t, d, path, FIELDS[m][1]))
            return
        n = f"x{i}"
        scope = "self " if where.startswith("self") else "this " if where.startswith("this") else ""
        use = scope.strip() + "->" if scope else ""
        if where.endswith("arr"):
            k = self.r.randrange(4)
            self.decl_d.append(f"{scope}{t} {n}[4];")
            d = f"{use}{n}[{k}]" if self.r.random() < 0.5 else f"{use}{n}[two + {k - 2}]"
        elif where.endswith("assoc"):
            t = "int32_t" if t == "int" else t  # an array of int has 64 bits when a value needs them
            self.decl_d.append(f"{scope}{t} {n}[int, string];")
            d = f"{use}{n}[two, \"k\"]"
        else:
            self.decl_d.append(f"{scope}{t} {n};")
            d = use + n
        self.vars.append((t, d, n, 0))

    # -- trees: (kind, …) --

    def var(self):
        free = [v for v in self.vars if v[2] not in self.busy]
        return ("var", self.r.choice(free or self.vars[:1]))

    def const(self):
        t = self.r.choice(list(TYPES))
        return ("const", t, edge(self.r, *TYPES[t]))

    def expr(self, depth):
        r = self.r
        if depth == 0:
            return self.var() if r.random() < 0.75 else self.const()
        d = depth - 1
        kind = r.randrange(24)
        if kind < 1:
            return self.expr(0)
        if kind < 9:
            return ("bin", r.choice(["+", "-", "*", "&", "|", "^"]), self.expr(d), self.expr(r.randrange(depth)))
        if kind < 11:
            return ("bin", r.choice(["<<", ">>"]), self.expr(d), self.expr(r.randrange(depth)))
        if kind < 13:
            a, b = self.expr(d), self.expr(r.randrange(depth))
            if r.random() < 0.5:
                b = ("bin", "|", b, ("const", "int", 1))
            else:
                t = r.choice(list(TYPES))
                b = ("const", t, edge(r, *TYPES[t]) or 3)
            return ("bin", r.choice(["/", "%"]), a, b)
        if kind < 16:
            return ("rel", r.choice(list(RELATIONS)), self.expr(d), self.expr(d))
        if kind == 16:
            return ("logic", r.choice(["&&", "||"]), self.expr(d), self.expr(d))
        if kind == 17:
            return ("logic", "^^", self.expr(d), self.expr(d))
        if kind == 18:
            return ("cond", self.expr(d), self.expr(d), self.expr(d))
        if kind < 21:
            return ("un", r.choice(["-", "~", "+", "!"]), self.expr(d))
        if kind < 23:
            return ("cast", r.choice(list(TYPES)), self.expr(d))
        return ("comma", self.expr(d), self.expr(d))

    def side_effect(self):
        """An expression with one change of a variable that stands nowhere else in it."""
        v = self.r.choice(self.vars)
        self.busy = {v[2]}
        k = self.r.randrange(3)
        if k == 0:
            lv = ("incdec", self.r.choice(["{}++", "++{}", "{}--", "--{}"]), v)
        else:
            lv = (
                "assign",
                self.r.choice(["=", "+=", "-=", "*=", "&=", "|=", "^=", "/=", "%=", "<<=", ">>="]),
                v,
                self.expr(2),
            )
            if lv[1] in ("/=", "%="):
                lv = lv[:3] + (("bin", "|", lv[3], ("const", "int", 1)),)
        other = self.expr(2)
        self.busy = set()
        return self.r.choice([lv, ("bin", "+", lv, other), ("bin", "^", other, lv)])

    # -- the model --

    def store(self, v, var):
        """A value of the variable as it is after being stored."""
        bits, signed = TYPES[var[0]]
        return cut(v, var[3] or bits, signed)

    def eval(self, e, vals, fold=False):
        """Value of the tree; vals: the variables, changed by assignments; fold: they are written as constants."""
        k = e[0]
        if k == "var":
            v = e[1]
            return Value(vals[v[2]], v[0], fold, 0 if fold else v[3])
        if k == "const":
            return Value(e[2], e[1], True)
        if k == "incdec":
            v = e[2]
            old = vals[v[2]]
            vals[v[2]] = self.store(old + (1 if "+" in e[1] else -1), v)
            return Value(old if e[1].startswith("{}") else vals[v[2]], v[0])
        if k == "assign":
            v, b = e[2], self.eval(e[3], vals)
            new = arith(e[1][:-1], vals[v[2]], b.v, TYPES[v[0]][1]) if e[1] != "=" else b.v
            vals[v[2]] = self.store(new, v)
            return Value(vals[v[2]], v[0])
        a = self.eval(e[2] if k in ("bin", "rel", "logic", "un", "cast") else e[1], vals, fold)
        if k == "un":
            v = {"-": -a.v, "~": ~a.v, "+": a.v, "!": int(a.v == 0)}[e[1]]
            if e[1] == "-" and a.const and not a.signed:
                v = cut(v, TYPES[a.t][0], False)  # as DTrace folds -1u
            return Value(v, "int" if e[1] == "!" else one(a.t), a.const)
        if k == "cast":
            return Value(cut(a.v, *TYPES[e[1]]), e[1], a.const)
        if k == "cond":
            b, c = self.eval(e[2], vals, fold), self.eval(e[3], vals, fold)
            chosen = b if a.v else c
            if a.const:
                return chosen
            return Value(chosen.v, b.t if b.t == c.t else common(b, c))
        b = self.eval(e[3] if k != "comma" else e[2], vals, fold)
        const = a.const and b.const
        if k == "comma":
            return Value(b.v, b.t, const)
        if k == "logic":
            x, y = a.v != 0, b.v != 0
            short = a.const and x == (e[1] == "||") and e[1] != "^^"
            return Value(int({"&&": x and y, "||": x or y, "^^": x != y}[e[1]]), "int", const or short)
        t = common(a, b)
        signed = TYPES[t][1]
        if k == "rel":
            return Value(int(RELATIONS[e[1]](a.number(signed), b.number(signed))), "int", const)
        if e[1] in ("<<", ">>"):
            t = one(a.t)
            signed = TYPES[t][1]
        return Value(arith(e[1], a.v, b.v, signed), t, const)

    # -- texts --

    def text(self, e, values=None):
        def w(sub):
            return self.text(sub, values)

        k = e[0]
        if k == "var":
            return literal(values[e[1][2]], e[1][0]) if values is not None else e[1][1]
        if k == "const":
            return literal(e[2], e[1])
        if k in ("bin", "rel", "logic"):
            return f"({w(e[2])} {e[1]} {w(e[3])})"
        if k == "cond":
            return f"({w(e[1])} ? {w(e[2])} : {w(e[3])})"
        if k == "un":
            return f"({e[1]}{w(e[2])})"
        if k == "cast":
            return f"(({e[1]}){w(e[2])})"
        if k == "comma":
            return f"({w(e[1])}, {w(e[2])})"
        if k == "incdec":
            return "(" + e[1].format(e[2][1]) + ")"
        return f"({e[2][1]} {e[1]} {w(e[3])})"

    def compound(self):
        v = self.r.choice(self.vars)
        self.busy = {v[2]}
        e = ("assign", self.r.choice(["=", "+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>="]), v, self.expr(3))
        self.busy = set()
        return e

    def line(self, d, want, head, text, value):
        """One line prints all 64 bits, and what a record of the expression's own type keeps."""
        bits, signed = TYPES[value.t]
        d.append(f'\tprintf("{head} %d %{"d" if signed else "u"}\\n", (long long){text}, {text});')
        want.append(f"{head} {value.v} {cut(value.v, bits, signed)}")

    def effect(self, d, want, head, text, value):
        d.append(f'\tprintf("{head} %d\\n", (long long){text});')
        want.append(f"{head} {value.v}")

    def program(self, nclauses):
        """(D text, what it prints)"""
        d = ["#pragma D option quiet", HEAD + "int two;"] + self.decl_d
        want = []
        for n in range(nclauses):
            vals = {v[2]: self.store(edge(self.r, *TYPES[v[0]]), v) for v in self.vars}
            d += ["BEGIN", "{", "\ttwo = 2;"]
            for v in self.vars:
                d.append(f"\t{v[1]} = {literal(vals[v[2]], v[0])};")
            exprs = [self.expr(self.r.choice([1, 2, 3, 4])) for _ in range(PER_CLAUSE)]
            for i, e in enumerate(exprs):
                self.line(d, want, f"{n}.{i}", self.text(e), self.eval(e, vals))
            d += ["}", "BEGIN", "{"]
            for i, e in enumerate(exprs):
                self.line(d, want, f"{n}.{i} folded", self.text(e, vals), self.eval(e, vals, True))
            d += ["}", "BEGIN", "{"]
            # variables of this and self live on: the changes below start from the values above
            for i in range(3):
                e = self.compound()
                d.append(f"\t{self.text(e)[1:-1]};")
                self.eval(e, vals)
                e = self.side_effect()
                self.effect(d, want, f"{n}.{i} effect", self.text(e), self.eval(e, vals))
            for v in self.vars:
                self.effect(d, want, f"{n} {v[2]}", v[1], Value(vals[v[2]], v[0]))
            d.append("}")
        d.append("BEGIN { exit(0); }")
        return "\n".join(d) + "\n", "\n".join(want) + "\n"
