# SPDX-License-Identifier: Apache-2.0
"""Random string expressions with models of DTrace's subroutines in Python.

A value is (D text, Python str or int). Source of the models: illumos dtrace(4D), dtrace_dif_subr()."""
import ipaddress
import random
import struct

ALPHABET = "abAB01/., -_xX%"
WORDS = [
    "",
    "a",
    "/",
    "//",
    "/usr/lib/x",
    "a/b/c/",
    "../x",
    "/a/./b/../c",
    "abcabcabc",
    "key=value",
    "  42",
    "-17",
    "0x1F",
    "+9z",
    "hello, world",
    "..",
    ".",
    "/..",
    "a//b",
    "9223372036854775807",
    "zzzz",
    "A",
    "\\t",
]


def cut(s, cap):
    return s[: cap - 1]


def substr(s, i, n, size):
    """Perl's, as DTrace has it."""
    if i < 0:
        i += len(s)
        if i < 0 < i + n:
            n, i = n + i, 0
    if i >= len(s) or i < 0:
        return ""
    if n < 0:
        n += len(s) - i
    return s[i : i + max(n, 0)]


def index(s, t, pos=0):
    return s.find(t, min(max(pos, 0), len(s)))


def rindex(s, t, pos=None):
    pos = len(s) if pos is None else pos
    if pos < 0:
        return 0 if t == "" else -1
    return s.rfind(t, 0, min(pos, len(s)) + len(t))


def basename(s):
    if not s:
        return "."
    parts = [p for p in s.split("/") if p]
    return parts[-1] if parts else "/"


def dirname(s):
    t = s.rstrip("/")
    if not t:
        return "/" if s else "."
    if "/" not in t:
        return "."
    t = t[: t.rindex("/")].rstrip("/")
    return t or "/"


def cleanpath(s):
    out = []
    for part in s.split("/"):
        if part == ".." and (s.startswith("/") or (out and out[-1] != "..")):
            out[-1:] = []
        elif part not in ("", "."):
            out.append(part)
    return s[:0] if not s else "/" + "/".join(out) if s.startswith("/") else "/".join(out) or "."


def lltostr(v, base):
    if v == 0:
        return {16: "0x0"}.get(base, "0")
    neg = base == 10 and v < 0
    v = -v if neg else v & (1 << 64) - 1
    out = ""
    while v:
        out, v = "0123456789abcdefghijklmnopqrstuvwxyz"[v % base] + out, v // base
    return ("-" if neg else "") + {8: "0", 16: "0x"}.get(base, "") + out


def strtoll(s, base):
    s = s.lstrip(" \t\n\v\f\r")
    neg = s[:1] == "-"
    if s[:1] in ("-", "+") and s:
        s = s[1:]
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"[:base]
    if base == 16 and s[:2].lower() == "0x" and s[2:3].lower() in tuple(digits):
        s = s[2:]
    v = 0
    for c in s:
        if c.lower() not in digits:
            break
        v = v * base + digits.index(c.lower())
    v = (-v if neg else v) & (1 << 64) - 1
    return v - (1 << 64) if v >> 63 else v


class Strings:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.size = self.r.choice([256, 256, 256, 16, 31, 64, 9])
        self.cap = self.size + (self.size != 256)  # bytes: strsize does not count the NUL, but at the default
        self.values, self.nums = {}, {}

    def word(self):
        if self.r.random() < 0.5:
            return self.r.choice(WORDS).replace("\\t", "\t")
        return "".join(self.r.choice(ALPHABET) for _ in range(self.r.randrange(self.r.choice([4, 12, 40]))))

    @staticmethod
    def quote(s):
        return '"' + s.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t") + '"'

    def num(self):
        r = self.r
        v = r.choice([0, 1, 2, 3, 5, 8, 15, -1, -2, -3, -7, 100, -100, 255, r.randrange(-50, 50)])
        name = r.choice(list(self.nums))
        return (name, self.nums[name]) if r.random() < 0.3 else (f"({v})" if v < 0 else str(v), v)

    def leaf(self):
        if self.r.random() < 0.6:
            name = self.r.choice(list(self.values))
            return name, self.values[name]
        w = self.word()
        return self.quote(w), w

    def string(self, depth):
        """Every intermediate result is cut to the characters that strsize allows."""
        if depth == 0:
            return self.leaf()
        r, c = self.r, self.cap
        a = self.string(r.randrange(depth))
        kind = r.choice(
            [
                "strjoin",
                "substr2",
                "substr3",
                "basename",
                "dirname",
                "cleanpath",
                "lower",
                "upper",
                "strchr",
                "strrchr",
                "strstr",
                "lltostr",
                "lltostr2",
                "cond",
                "strtok",
            ]
        )
        if kind in ("lower", "upper"):
            v = a[1].translate({i: i ^ 32 for i in (range(65, 91) if kind == "lower" else range(97, 123))})
            return f"to{kind}({a[0]})", cut(v, c)
        if kind in ("basename", "dirname"):
            return f"{kind}({a[0]})", cut(basename(a[1]) if kind == "basename" else dirname(a[1]), c)
        if kind == "cleanpath":
            v = cleanpath(a[1])
            if v is None or len(a[1]) > c - 7:  # near its end DTrace stops early
                return a
            return f"cleanpath({a[0]})", cut(v, c)
        if kind in ("strchr", "strrchr"):
            ch = r.choice(a[1]) if a[1] and r.random() < 0.8 else r.choice("azQ/")
            at = a[1].find(ch) if kind == "strchr" else a[1].rfind(ch)
            if at < 0:
                return a
            return f"{kind}({a[0]}, {ord(ch)})", cut(a[1][at:], c)
        if kind == "substr2":
            n = self.num()
            return f"substr({a[0]}, {n[0]})", cut(substr(a[1], n[1], 1 << 20, c), c)
        if kind == "substr3":
            n, m = self.num(), self.num()
            return f"substr({a[0]}, {n[0]}, {m[0]})", cut(substr(a[1], n[1], m[1], c), c)
        if kind in ("lltostr", "lltostr2"):
            n = self.num()
            base = r.choice([2, 8, 10, 16, 36, 7]) if kind == "lltostr2" else 10
            return f"lltostr({n[0]}{', ' + str(base) if kind == 'lltostr2' else ''})", cut(lltostr(n[1], base), c)
        b = self.string(r.randrange(depth))
        if kind == "strjoin":
            return f"strjoin({a[0]}, {b[0]})", cut(a[1] + b[1], c)
        if kind == "cond":
            n = self.num()
            chosen = a[1] if n[1] else b[1]  # a condition that is a constant leaves no copy, which would be cut
            return f"({n[0]} ? {a[0]} : {b[0]})", cut(chosen, c) if n[0] in self.nums else chosen
        if kind == "strtok":
            tok = a[1].lstrip(b[1]) if b[1] else a[1]
            for i, ch in enumerate(tok):
                if ch in b[1]:
                    tok = tok[:i]
                    break
            return (f"strtok({a[0]}, {b[0]})", cut(tok, c)) if tok else a
        at = a[1].find(b[1])
        if at < 0:
            return a
        return f"strstr({a[0]}, {b[0]})", cut(a[1][at:], c)

    def int(self):
        r = self.r
        a, b, n = self.string(2), self.string(r.randrange(3)), self.num()
        if r.random() < 0.5 and a[1]:
            i = r.randrange(len(a[1]))
            sub = a[1][i : i + r.randrange(4)]
            b = self.quote(sub), sub
        ops = {
            "<": a[1] < b[1],
            "<=": a[1] <= b[1],
            ">": a[1] > b[1],
            ">=": a[1] >= b[1],
            "==": a[1] == b[1],
            "!=": a[1] != b[1],
        }
        op = r.choice(list(ops))
        base = r.choice([2, 8, 10, 16, 36])
        return r.choice(
            [
                (f"strlen({a[0]})", len(a[1])),
                (f"({a[0]} {op} {b[0]})", int(ops[op])),
                (f"index({a[0]}, {b[0]})", index(a[1], b[1])),
                (f"rindex({a[0]}, {b[0]})", rindex(a[1], b[1])),
                (f"index({a[0]}, {b[0]}, {n[0]})", index(a[1], b[1], n[1])),
                (f"rindex({a[0]}, {b[0]}, {n[0]})", rindex(a[1], b[1], n[1])),
                (f"strtoll({a[0]})", strtoll(a[1], 10)),
                (f"strtoll({a[0]}, {base})", strtoll(a[1], base)),
            ]
        )

    def network(self):
        """(statements, expression, value)"""
        r = self.r
        if r.random() < 0.4:
            v = r.getrandbits(32)
            return (
                [f"this->a4 = (uint32_t *)alloca(4);", f"*this->a4 = htonl(0x{v:x});"],
                r.choice(["inet_ntoa(this->a4)", "inet_ntop(2, this->a4)"]),
                str(ipaddress.IPv4Address(v)),
            )
        words = [r.choice([0, 0, 0, 1, 0xFF, 0x2001, r.getrandbits(16)]) for _ in range(8)]
        words[0] |= 0x2000
        lo, hi = struct.unpack("<QQ", struct.pack(">8H", *words))
        return (
            ["this->a6 = (uint64_t *)alloca(16);", f"this->a6[0] = 0x{lo:x}ull;", f"this->a6[1] = 0x{hi:x}ull;"],
            r.choice(["inet_ntoa6((struct in6_addr *)this->a6)", "inet_ntop(10, this->a6)"]),
            cut(str(ipaddress.IPv6Address(struct.pack(">8H", *words))), 4096),
        )

    def tokens(self):
        r = self.r
        s, d = self.word(), r.choice([",", "/", " ,", "ab", "-_."])
        v = [t for t in cut(s, self.cap).translate({ord(c): "\0" for c in d}).split("\0") if t]
        text = [f"strtok({self.quote(s)}, {self.quote(d)})"] + [f"strtok(NULL, {self.quote(d)})"] * 4
        return text, (v + [""] * 5)[:5]

    def program(self, nclauses):
        """(D text, expected output)"""
        d = [
            "#pragma D option quiet",
            f"#pragma D option strsize={self.size}",
            "string s0, s1;",
            "self string s2;",
            "string as[int, string];",
            "this string ths;",
            "int n0, n2;",
            "self long n1;",
        ]
        want = []
        for n in range(nclauses):
            names = {"s0": "s0", "s1": "s1", "self->s2": "s2", 'as[7, "k"]': "as", "this->ths": "ths"}
            self.values = {}
            d += ["BEGIN", "{"]
            for name in names:
                w = cut(self.word(), self.cap)
                self.values[name] = w
                d.append(f"\t{name} = {self.quote(w)};")
            for name in ("n0", "self->n1", "n2"):
                self.nums[name] = self.r.choice([0, 1, 3, -1, -2, 10, 255, self.r.randrange(-300, 300)])
                d.append(f"\t{name} = {self.nums[name]};")

            def put(text, value, fmt):
                d.append(f'\tprintf("{n} {fmt}\\n", {text});')
                want.append(f"{n} " + fmt.replace("%s", "{}").replace("%d", "{}").format(value))

            for _ in range(4):
                text, value = self.string(self.r.choice([1, 2, 3]))
                put(text, cut(value, self.cap), "[%s]")  # a constant is whole for a subroutine, not when it is recorded
                put(*self.int(), "%d")
            if self.r.random() < 0.5 and self.cap >= 64:
                stmts, text, value = self.network()
                d.extend("\t" + s for s in stmts)
                put(text, value, "[%s]")
            d += ["}", "BEGIN", "{"]
            for text, value in zip(*self.tokens()):
                put(text, value, "[%s]")
            target = self.r.choice(list(names))
            e = self.string(3)
            d.append(f"\t{target} = {e[0]};")
            put(target, cut(e[1], self.cap), "[%s]")
            d.append("}")
        d.append("BEGIN { exit(0); }")
        return "\n".join(d) + "\n", "\n".join(want) + "\n\n"
