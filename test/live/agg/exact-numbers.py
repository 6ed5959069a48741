# SPDX-License-Identifier: Apache-2.0
"""sum, avg, min, max, stddev of pseudo-random numbers, also huge ones, against exact arithmetic."""
import math
import os
import random

import live

rng = random.Random(7)


def trunc_div(a, b):
    return abs(a) // b * (1 if a >= 0 else -1)


def case(name, values):
    src = os.path.join(live.WORK, "n.d")
    with open(src, "w") as f:
        f.write("int64_t v;\n")
        for v in values:
            f.write(
                f"BEGIN {{ v = {v}; @s = sum(v); @a = avg(v); @l = min(v); @h = max(v); @d = stddev(v);"
                " @c = count(); }\n"
            )
        f.write('BEGIN { printa("%@d %@d %@d %@d %@d %@d\\n", @c, @s, @a, @l, @h, @d); exit(0); }\n')
    r = live.dwell("-q", "-s", src)
    n = len(values)
    avg = trunc_div(sum(values), n)
    dev = math.isqrt(sum(v * v for v in values) // n - avg * avg)
    want = f"{n} {sum(values)} {avg} {min(values)} {max(values)} {dev}\n\n"
    live.same(r.stdout + r.stderr, want, name)


case("small numbers", [rng.randrange(-1000, 1000) for _ in range(100)])
case("one number", [-7])
case("numbers near 2^40", [rng.randrange(-(2**40), 2**40) for _ in range(50)])
case("numbers near 2^58", [rng.randrange(-(2**58), 2**58) for _ in range(15)])
live.done()
