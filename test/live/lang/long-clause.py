# SPDX-License-Identifier: Apache-2.0
"""A clause of more than 60,000 instructions runs and is right, although jumps reach 32,767: also with faults in its
middle and where its record is lost. One that the kernel's verifier or its limit of instructions refuses is named.
@timeout: 120
"""
import os
import re

import live

STATEMENTS = 700  # some 110 instructions each
TOO_MANY = 10000
# the sum is in the array; each statement can drop (a full array) and each third can fault (division)
LINE = "\ta[k + {i}] = a[k + {before}] + {n};\n"
LINE_FAULT = "\ta[k + {i}] = a[k + {before}] + {n} / k;\n"


def program(n, fault_at=None):
    text = ["long a[int];\nint k, zero;\nBEGIN\n{\n\tk = 1;\n"]
    for i in range(n):
        if i == fault_at:
            text.append("\tthis->x = 1 / zero;\n")
        text.append((LINE if i % 3 else LINE_FAULT).format(i=i, before=i - 1, n=i % 7))
    text.append(f'\tprintf("%d\\n", a[k + {n - 1}]);\n}}\nBEGIN {{ printf("%d\\n", a[k + {n // 2}]); exit(0); }}\n')
    return "".join(text)


def run(name, text, *more):
    path = os.path.join(live.WORK, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return live.dwell("-q", "-x", "dynvarsize=16m", "-s", path, *more, timeout=100)


def main():
    whole, half = (sum(i % 7 for i in range(n)) for n in (STATEMENTS, STATEMENTS // 2 + 1))
    r = run("long.d", program(STATEMENTS), "-e", "-S")
    sizes = [int(n) for n in re.findall(r"^program.* (\d+) instructions", r.stdout + r.stderr, re.M)]
    live.check(sizes and max(sizes) > 60000, "it is one program of more than 60,000 instructions", sizes)
    r = run("long.d", program(STATEMENTS))
    live.check(
        r.returncode == 0 and r.stdout.split() == [str(whole), str(half)],
        "it computes what it should",
        r.stdout + r.stderr,
    )
    r = run("fault.d", program(STATEMENTS, STATEMENTS // 2 + 1))
    live.check(
        "divide-by-zero in action #" in r.stderr and r.stdout.split() == [str(half)],
        "a fault in its middle ends it there",
        r.stdout + r.stderr,
    )
    r = run("many.d", program(TOO_MANY))
    live.check(
        r.returncode == 1
        and re.search(r"clause 1 \(:::BEGIN\) is too large: \d+ instructions: more than 1000000", r.stderr),
        "more than the kernel takes is refused by name",
        r.stderr,
    )
    live.done()


main()
