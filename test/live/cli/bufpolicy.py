# SPDX-License-Identifier: Apache-2.0
"""-x bufpolicy: the last records, the first ones, or all as they come; what is carried out at the end."""
import re
import live

COUNT = 'tick-1ms { printf("%d\\n", n++); } tick-1ms /n >= 600/ { exit(3); } END { printf("end\\n"); }'


def numbers(r):
    return [int(n) for n in re.findall(r"^\d+$", r.stdout, re.M)]


r = live.dwell("-qn", COUNT, "-x", "bufpolicy=switch", "-x", "bufsize=4k")
live.same((r.returncode, numbers(r)), (3, list(range(600))), "switch: all")
r = live.dwell("-qn", COUNT, "-x", "bufpolicy=ring", "-x", "bufsize=4k")
kept = numbers(r)
live.check(
    r.returncode == 3 and 50 < len(kept) < 300 and kept == list(range(600 - len(kept), 600)),
    "ring: the last ones",
    kept,
)
live.check(
    r.stdout.endswith("end\n\n") and "drops" not in r.stderr, "ring: END comes last, nothing counts as lost", r.stderr
)
r = live.dwell("-qn", COUNT, "-x", "bufpolicy=fill", "-x", "bufsize=4k")
kept = numbers(r)
live.check(
    r.returncode == 0 and 50 < len(kept) < 300 and kept == list(range(len(kept))),
    "fill: the first ones, and the end",
    kept,
)
live.check(
    re.search(r"\d+ drops on CPU \d+", r.stderr) and r.stdout.endswith("end\n\n"),
    "fill: what came behind is counted",
    r.stderr,
)
r = live.dwell("-qn", COUNT, "-x", "bufpolicy=fill", "-x", "bufsize=1m")
live.same((r.returncode, numbers(r)), (3, list(range(600))), "fill: with room for all")

# Aggregations, faults, speculations and exit() of a kept program
PROGRAM = """tick-10ms { @[n++ % 2 ? "odd" : "even"] = count(); } tick-10ms /n == 20/ { printa("%s %@d\\n", @); } tick-10ms /n == 21/ { trace(*(int *)8); }
tick-10ms /n == 22/ { self->s = speculation(); speculate(self->s); printf("held\\n"); } tick-10ms /n == 22/ { commit(self->s); }
tick-10ms /n == 30/ { exit(0); }"""
r = live.dwell("-q", "-x", "bufpolicy=ring", "-n", PROGRAM)
live.check(
    "even 15\nodd 15\n" in r.stdout and "held\n" in r.stdout, "printa() shows what is there at the end", r.stdout
)
live.check("invalid address (0x8)" in r.stderr, "faults", r.stderr)
r = live.dwell("-x", "bufpolicy=half", "-n", "BEGIN { exit(0); }")
live.check(r.returncode == 1 and "Invalid value for specified option" in r.stderr, "another word", r.stderr)

# -x tree
r = live.dwell("-e", "-x", "tree=3", "-n", "BEGIN { x = 1 + 2; }")
live.check(
    "(2 " not in r.stderr and "(1 (= x (+ 1 2)))" in r.stderr and "1: (=:int x:int 3:int)" in r.stderr,
    "-x tree=3",
    r.stderr,
)
r = live.dwell("-e", "-x", "tree=2", "-n", "BEGIN { x = 1 + 2; }")
live.check("(+ 1 2)" not in r.stderr and "x:int" in r.stderr, "-x tree=2", r.stderr)
live.done()
