# SPDX-License-Identifier: Apache-2.0
"""Random integer expressions: what D computes at run time and folds must be what C computes.

An expression is a tree of tuples, written out as C, as D over variables, or as D over constants."""
import random

TYPES = {"char": (8, 1), "signed char": (8, 1), "unsigned char": (8, 0), "short": (16, 1), "unsigned short": (16, 0),
         "int": (32, 1), "unsigned int": (32, 0), "long": (64, 1), "unsigned long": (64, 0), "long long": (64, 1),
         "unsigned long long": (64, 0), "int8_t": (8, 1), "uint8_t": (8, 0), "int16_t": (16, 1), "uint16_t": (16, 0),
         "int32_t": (32, 1), "uint32_t": (32, 0), "int64_t": (64, 1), "uint64_t": (64, 0), "enum colour": (32, 1)}
# member: type in which it computes, width of the field
FIELDS = {"x": ("int", 3), "y": ("unsigned int", 7), "z": ("unsigned char", 1), "w": ("long", 40), "v": ("unsigned long", 63),
          "u": ("int", 32), "t": ("short", 11), "s": ("unsigned short", 16), "p": ("short", 16), "q": ("long", 64),
          "r": ("char", 8), "o": ("unsigned char", 8)}
HEAD = """enum colour { RED, GREEN = 5, BLUE, NEG = -3 };
struct in { short p; long q; char r; };
struct st { int x:3; unsigned int y:7; unsigned char z:1; long w:40; unsigned long v:63; int u:32; short t:11;
	unsigned short s:16; struct in in; unsigned char o; };
"""
C_HEAD = """#include <stdint.h>
#include <stdio.h>
#define DIV(a, b) ({ __typeof__((a) + (b)) _a = (a), _b = (b); \\
	((__typeof__(_a))-1 < 0 && _b == (__typeof__(_a))-1) ? -_a : _a / _b; })
#define MOD(a, b) ({ __typeof__((a) + (b)) _a = (a), _b = (b); \\
	((__typeof__(_a))-1 < 0 && _b == (__typeof__(_a))-1) ? 0 : _a % _b; })
"""
NVARS = 14
PER_CLAUSE = 6


def edge(r, bits, signed):
    top = 1 << (bits - 1)
    v = r.choice([0, 1, 2, 3, 5, 7, 8, 31, 32, 63, 64, 100, 127, 128, 255, 256, 32767, 32768, 65535, 65536, top - 1, top, top + 1,
                  2 * top - 1, 2 * top - 2, r.getrandbits(bits), r.getrandbits(bits)])
    v &= 2 * top - 1
    return v - 2 * top if signed and v >= top else v


def literal(v, t):
    """The same text in C and D; the smallest number has no literal of its own."""
    bits, signed = TYPES[t]
    if signed and v < 0:
        text = f"(-{-v - 1}LL - 1LL)" if bits == 64 else f"(-{-v}LL)"
    else:
        text = f"{v}{'LL' if signed else 'ULL'}"
    return f"(({t}){text})"


class Ints:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.vars = []  # (type, D text, C text)
        self.decl_d, self.decl_c = [], []
        for i in range(NVARS):
            self.add_var(i)
        self.decl_d += [f"{s}struct st {n};" for s, n in (("", "gs"), ("self ", "ss"), ("this ", "ts"))]
        self.decl_c.append("struct st gs, ss, ts;")
        self.busy = set()

    def add_var(self, i):
        t = self.r.choice(list(TYPES))
        where = self.r.choice(["g", "g", "self", "this", "arr", "selfarr", "thisarr", "assoc", "selfassoc", "member", "member", "member"])
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
            self.decl_d.append(f"{scope}{t} {n}[int, string];")
            d = f"{use}{n}[two, \"k\"]"
        else:
            self.decl_d.append(f"{scope}{t} {n};")
            d = use + n
        self.decl_c.append(f"{t} {n};")
        self.vars.append((t, d, n, 0))

    # -- types --

    @staticmethod
    def promote(t):
        return "int" if TYPES[t][0] < 32 or t.startswith("enum") else t

    def common(self, a, b):
        a, b = self.promote(a), self.promote(b)
        (ab, asg), (bb, bsg) = TYPES[a], TYPES[b]
        if ab != bb:
            return a if ab > bb else b
        return b if asg else a

    # -- trees: (kind, type, …) --

    def var(self):
        free = [v for v in self.vars if v[2] not in self.busy]
        v = self.r.choice(free or self.vars[:1])
        # gcc computes wide bit fields in their own width, D in their type: a cast makes it the same
        if v[3] not in (0, 8, 16, 64) and v[3] > 32:
            return ("cast", v[0], ("var", v[0], v))
        if v[3] and v[3] < 32:
            return ("var", "int", v)
        return ("var", v[0], v)

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
            a, b = self.expr(d), self.expr(r.randrange(depth))
            return ("bin", self.common(a[1], b[1]), r.choice(["+", "-", "*", "&", "|", "^"]), a, b)
        if kind < 11:
            a = self.expr(d)
            b = self.expr(r.randrange(depth))
            t = self.promote(a[1])
            return ("shift", t, r.choice(["<<", ">>"]), a, b, TYPES[t][0] - 1)
        if kind < 13:
            a, b = self.expr(d), self.expr(r.randrange(depth))
            if r.random() < 0.5:
                b = ("bin", self.common(b[1], "int"), "|", b, ("const", "int", 1))
            else:
                t = r.choice(list(TYPES))
                b = ("const", t, edge(r, *TYPES[t]) or 3)
            return ("div", self.common(a[1], b[1]), r.choice(["/", "%"]), a, b)
        if kind < 16:
            return ("rel", "int", r.choice(["<", "<=", ">", ">=", "==", "!="]), self.expr(d), self.expr(d))
        if kind == 16:
            return ("rel", "int", r.choice(["&&", "||"]), self.expr(d), self.expr(d))
        if kind == 17:
            return ("xor", "int", self.expr(d), self.expr(d))
        if kind == 18:
            a, b = self.expr(d), self.expr(d)
            return ("cond", self.common(a[1], b[1]), self.expr(d), a, b)
        if kind < 21:
            op = r.choice(["-", "~", "+", "!"])
            a = self.expr(d)
            return ("un", "int" if op == "!" else self.promote(a[1]), op, a)
        if kind < 23:
            t = r.choice(list(TYPES))
            return ("cast", t, self.expr(d))
        a, b = self.expr(d), self.expr(d)
        return ("comma", b[1], a, ("cast", b[1], b))  # compilers differ about the type of a bit field there

    def side_effect(self):
        """An expression with one change of a variable that stands nowhere else in it."""
        v = self.r.choice(self.vars)
        self.busy = {v[2]}
        k = self.r.randrange(3)
        if k == 0:
            lv = ("incdec", v[0], self.r.choice(["{}++", "++{}", "{}--", "--{}"]), v)
        else:
            lv = ("assign", v[0], self.r.choice(["=", "+=", "-=", "*=", "&=", "|=", "^="]), v, self.expr(2))
        if v[3] > 32 and v[3] != 64:
            lv = ("cast", v[0], lv)
        elif v[3] and v[3] < 32:
            lv = ("cast", "int", lv)
        other = self.expr(2)
        self.busy = set()
        return self.r.choice([lv, ("bin", self.common(lv[1], other[1]), "+", lv, other),
                              ("bin", self.common(lv[1], other[1]), "^", other, lv)])

    # -- texts --

    def text(self, e, lang, values):
        def w(sub):
            return self.text(sub, lang, values)
        k = e[0]
        if k == "var":
            if values is not None:
                return literal(values[e[2][2]], e[2][0])
            return e[2][1] if lang == "d" else e[2][2]
        if k == "const":
            return literal(e[2], e[1])
        if k in ("bin", "rel"):
            return f"({w(e[3])} {e[2]} {w(e[4])})"
        if k == "shift":
            return f"({w(e[3])} {e[2]} ({w(e[4])} & {e[5]}))"
        if k == "div":
            if lang == "d":
                return f"({w(e[3])} {e[2]} {w(e[4])})"
            return f"{'DIV' if e[2] == '/' else 'MOD'}({w(e[3])}, {w(e[4])})"
        if k == "xor":
            return f"({w(e[2])} ^^ {w(e[3])})" if lang == "d" else f"(!{w(e[2])} != !{w(e[3])})"
        if k == "cond":
            return f"({w(e[2])} ? {w(e[3])} : {w(e[4])})"
        if k == "un":
            return f"({e[2]}{w(e[3])})"
        if k == "cast":
            return f"(({e[1]}){w(e[2])})"
        if k == "comma":
            return f"({w(e[2])}, {w(e[3])})"
        if k == "incdec":
            return "(" + e[2].format(e[3][1] if lang == "d" else e[3][2]) + ")"
        return f"({e[3][1] if lang == 'd' else e[3][2]} {e[2]} {w(e[4])})"

    def fits(self, v, var):
        """A value of the variable as it is after being stored."""
        bits, signed = TYPES[var[0]]
        bits = var[3] or bits
        v &= (1 << bits) - 1
        return v - (1 << bits) if signed and v >= 1 << (bits - 1) else v

    def compound(self):
        v = self.r.choice(self.vars)
        self.busy = {v[2]}
        op = self.r.choice(["=", "+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>="])
        e = self.expr(3)
        self.busy = set()
        if op in ("<<=", ">>="):
            t = self.promote(v[0]) if v[3] in (0, 32, 64) or v[3] > 32 else "int"
            e = ("bin", "int", "&", e, ("const", "int", (v[3] if v[3] > 32 else TYPES[t][0]) - 1))
        return ("assign", v[0], op, v, e)

    def programs(self, nclauses):
        """(D text, C text): each prints a line per expression."""
        d = ["#pragma D option quiet", HEAD + "int two;"] + self.decl_d
        c = [C_HEAD + HEAD] + self.decl_c + ["int main(void)", "{"]
        for n in range(nclauses):
            values = {v[2]: self.fits(edge(self.r, *TYPES[v[0]]), v) for v in self.vars}
            d += ["BEGIN", "{", "\ttwo = 2;"]
            for v in self.vars:
                d.append(f"\t{v[1]} = {literal(values[v[2]], v[0])};")
                c.append(f"\t{v[2]} = {literal(values[v[2]], v[0])};")
            exprs = [self.expr(self.r.choice([1, 2, 3, 4])) for _ in range(PER_CLAUSE)]
            for i, e in enumerate(exprs):
                d.append(f'\tprintf("{n}.{i} %d\\n", (long long){self.text(e, "d", None)});')
                c.append(f'\tprintf("{n}.{i} %lld\\n", (long long){self.text(e, "c", None)});')
            d.append("}")
            d += ["BEGIN", "{"]
            for i, e in enumerate(exprs):
                folded = self.text(e, "d", values)
                d.append(f'\tprintf("{n}.{i} folded %d\\n", (long long){folded});')
                c.append(f'\tprintf("{n}.{i} folded %lld\\n", (long long){self.text(e, "c", values)});')
            d += ["}", "BEGIN", "{"]
            # variables of this and self live on: the changes below start from the values above
            for i in range(3):
                e = self.compound()
                d.append(f"\t{self.text(e, 'd', None)[1:-1]};")
                c.append(f"\t{self.text(e, 'c', None)[1:-1]};")
                e = self.side_effect()
                d.append(f'\tprintf("{n}.{i} effect %d\\n", (long long){self.text(e, "d", None)});')
                c.append(f'\tprintf("{n}.{i} effect %lld\\n", (long long){self.text(e, "c", None)});')
            for v in self.vars:
                d.append(f'\tprintf("{n} {v[2]} %d\\n", (long long){v[1]});')
                c.append(f'\tprintf("{n} {v[2]} %lld\\n", (long long){v[2]});')
            d.append("}")
        d.append("BEGIN { exit(0); }")
        c += ["\treturn 0;", "}"]
        return "\n".join(d) + "\n", "\n".join(c) + "\n"
