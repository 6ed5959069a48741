# SPDX-License-Identifier: Apache-2.0
"""300 aggregations and 300 arrays in one clause, although a BPF program uses 64 maps: what they print, and in which order,
is what the same statements print in clauses of their own.
@timeout: 120
"""
import os

import live

N = 300


def statements():
    out = []
    for i in range(N):
        kind = i % 6
        out.append(
            [
                f"@a{i} = count();",
                f"@a{i} = sum({i});",
                f"@a{i}[{i}, \"k\"] = max({i});",
                f"@a{i}[execname] = count();",
                f"@a{i} = lquantize({i % 7}, 0, 8);",
                f"@a{i}[{i}] = quantize({i});",
            ][kind]
        )
        out.append(f"v{i}[{i}] = {i} + 1;" if i % 2 else f"self->v{i}[\"x\", {i}] = {i} + 1;")
    return out


def use(i):
    return f"v{i}[{i}]" if i % 2 else f'self->v{i}["x", {i}]'


def run(name, clauses):
    path = os.path.join(live.WORK, name)
    text = clauses + [
        f'BEGIN {{ printf("%d\\n", {" + ".join(use(i) for i in range(20))}); {use(7)} = 0; '
        f'printf("%d %d\\n", {use(7)}, {use(N - 1)}); clear(@a1); trunc(@a2); printa("%@d of a6\\n", @a6); }}',
        "BEGIN { exit(0); }",
    ]
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(text) + "\n")
    return live.dwell("-q", "-s", path, timeout=100)


def main():
    want = run("apart.d", [f"BEGIN {{ {s} }}" for s in statements()])
    lines = want.stdout.split("\n")
    live.check(
        want.returncode == 0 and lines[:3] == ["210", f"0 {N}", "1 of a6"],
        "in clauses of their own",
        want.stdout[:300] + want.stderr,
    )
    got = run("one.d", ["BEGIN {"] + statements() + ["}"])
    live.check(
        got.returncode == 0 and got.stdout == want.stdout and not got.stderr,
        "in one clause: the same",
        got.stdout[:300] + got.stderr,
    )
    # clauses that share this->x cannot go to several programs
    shared = run("shared.d", ["this int x;"] + [f"BEGIN {{ this->x++; {s} }}" for s in statements()])
    live.check(
        shared.returncode == 0 and shared.stdout == want.stdout and not shared.stderr,
        "in clauses with a common variable",
        shared.stdout[:300] + shared.stderr,
    )
    live.done()


main()
