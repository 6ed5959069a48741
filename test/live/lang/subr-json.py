# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""json() against Python's, for random texts and paths; and texts that are no JSON, escapes, blanks."""
import json
import random
import live

NULL = "<NULL>"
PER_RUN = 10
rnd = random.Random(3)


def value(depth):
    kind = rnd.randrange(7 if depth else 5)
    if kind == 0:
        return rnd.choice([True, False, None])
    if kind in (1, 2):
        return rnd.choice([0, 7, -12, 1234567, 1.5, -2.25, 1e30])
    if kind in (3, 4):
        return rnd.choice(["", "x", "a b", "[", "}{", "ab,c:", "true"])
    if kind == 5:
        return [value(depth - 1) for _ in range(rnd.randrange(4))]
    return {rnd.choice(["a", "b", "ab", "b2", "c"]): value(depth - 1) for _ in range(rnd.randrange(4))}


def text(v):
    return v if isinstance(v, str) else json.dumps(v)


def walk(v, path, out):
    """All paths into v, with what is there."""
    if path:
        out.append((path, text(v)))
    if isinstance(v, list):
        for i, x in enumerate(v):
            walk(x, f"{path}[{i}]", out)
        out.append((f"{path}[{len(v)}]", NULL))
    elif isinstance(v, dict):
        for k, x in v.items():
            walk(x, f"{path}.{k}" if path else k, out)
        out.append((f"{path}.no" if path else "no", NULL))
    elif path:
        out.append((path + ".a", NULL))
        out.append((path + "[0]", NULL))


cases = []
while len(cases) < 25:
    doc = value(3)
    if not isinstance(doc, (list, dict)):
        continue
    paths = []
    walk(doc, "", paths)
    rnd.shuffle(paths)
    cases += [(json.dumps(doc), p, want) for p, want in paths[:3]]

cases += [
    ("[]", "0", NULL),
    ("[1]", "0", "1"),
    ("[1]", "1", NULL),
    ("[1]", "-1", NULL),
    ("[0x10]", "0", NULL),
    ("[1,5,10]", "[2]", "10"),
    ("[1,5,10]", "1", "5"),
    ("[ \t 16E10 \n ]", "0", "16E10"),
    ("  {\n\"a\" :\t{} }", "a", "{}"),
    ('[{"k":true}]', "0.k", "true"),
    ('["a\\"b\\\\"]', "0", 'a\\"b\\\\'),
    ('["\\u00fF"]', "0", "\\u00fF"),
    ('["\\u00fg"]', "0", NULL),
    ('["one", "\\u00g", "two"]', "0", "one"),
    ('["one", "\\u00g", "two"]', "2", NULL),
    ('{"a":"x]}\\"","b":[{"c":"}"}]}', "b", '[{"c":"}"}]'),
    ('{"a":tru}', "a", NULL),
    ('{"a":nul,"b":1}', "b", NULL),
    ('{"a" 1}', "a", NULL),
    ('{"a":1', "a", NULL),
    ('{"a":"1', "a", NULL),
    ("7", "0", NULL),
    ("", "a", NULL),
    ('{"aa":1,"a":2}', "a", "2"),
    ('{"a":1,"aa":2}', "aa", "2"),
    ('{"a":{"b":1},"b":2}', "b", "2"),
    ("[[1,2],[3]]", "[1][0]", "3"),
    ('{"a":1}', "", NULL),
    ("[[[[[[9]]]]]]", "[0][0][0][0][0][0]", "9"),
    ("[1,2" + ",3" * 90 + ",4]", "92", "4"),
]


def quoted(s):
    return '"' + s.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'


bad = 0
for at in range(0, len(cases), PER_RUN):
    part = cases[at : at + PER_RUN]
    prog = "".join(
        'BEGIN { this->j = json(%s, %s); printf("|%%s|\\n", this->j == NULL ? "%s" : this->j); }\n'
        % (quoted(t), quoted(p), NULL)
        for t, p, _ in part
    )
    r = live.dwell("-q", "-x", "strsize=512", "-n", prog + "BEGIN { exit(0); }", timeout=60)
    got = [x[1:-1] for x in r.stdout.split("\n") if x]
    for (t, p, want), g in zip(part, got + ["nothing: " + r.stderr] * (len(part) - len(got))):
        if g != want:
            bad += 1
            live.same(g, want, f"json({t}, {p})")
live.check(not bad, f"{len(cases)} texts and paths")

r = live.dwell(
    "-q",
    "-x",
    "strsize=16",
    "-n",
    'BEGIN { printf("%s\\n", json("{\\"a\\":\\"01234567890123456789\\"}", "a")); exit(0); }',
)
live.same(r.stdout.split("\n")[0], "0123456789012345", "what is longer than a string is cut")
r = live.dwell(
    "-q",
    "-n",
    'string s; BEGIN { s = json("[1]", "5"); printf("%d %d\\n", s == NULL, strtoll(json("[41]", "0")) + 1); exit(0); }',
)
live.same(r.stdout.split("\n")[0], "1 42", "NULL in a variable; numbers")
live.done()
