# SPDX-License-Identifier: Apache-2.0
"""specsize, nspec and cleanrate: what does not fit is counted; ids are used again after they were cleaned."""
import re

import live

# A record has 16 bytes before its data: 5 of 16 + 8 fit into 120 bytes.
prog = (
    "BEGIN { s = speculation(); }"
    + "".join(f"BEGIN {{ speculate(s); printf(\"<%d>\", (uint64_t){i}); }}" for i in range(8))
    + "BEGIN { commit(s); } BEGIN { exit(0); }"
)
r = live.dwell("-q", "-xdroptags", "-x", "specsize=120", "-n", prog)
live.same(re.findall(r"<(\d)>", r.stdout), list("01234"), "the first five records fit")
live.same(r.stderr.strip(), f"{live.NAME}: [DTRACEDROP_SPEC] 3 speculative drops", "the others are counted")
r = live.dwell("-q", "-x", "specsize=23", "-n", prog)
live.same((r.stdout.count("<"), "8 speculative drops" in r.stderr), (0, True), "nothing fits into 23 bytes")

r = live.dwell("-q", "-x", "nspec=0", "-n", "BEGIN { printf(\"%d\", speculation()); exit(0); }")
live.same((r.stdout.strip(), "no speculative buffer available" in r.stderr), ("0", True), "nspec=0")
prog = "BEGIN { s = speculation(); } BEGIN { t = speculation(); printf(\"%d %d\", s, t); exit(0); }"
live.same(live.dwell("-q", "-x", "nspec=65536", "-n", prog).stdout.strip(), "1 2", "nspec=65536")
r = live.dwell("-q", "-x", "nspec=65537", "-n", prog)
live.check(r.returncode == 1 and "nspec" in r.stderr, "nspec=65537 is refused", r.stderr)

r = live.dwell(
    "-q",
    "-x",
    "specsize=100t",
    "-n",
    'BEGIN { s = speculation(); } BEGIN { speculate(s); printf("x"); } BEGIN { commit(s); } BEGIN { exit(0); }',
)
live.same((r.stdout.strip(), r.stderr), ("x", ""), "specsize=100t is only a limit")

r = live.dwell(
    "-qw",
    "-n",
    'BEGIN { s = speculation(); } BEGIN { chill(1); speculate(s); printf("y"); } BEGIN { commit(s); } BEGIN { exit(0); }',
)
live.same((r.stdout.strip(), r.stderr), ("y", ""), "chill() records nothing: speculate() may follow it")

# switchrate frees ids, too: with cleanrate alone the one id would serve once.
r = live.dwell(
    "-q",
    "-x",
    "switchrate=5ms",
    "-x",
    "cleanrate=100s",
    "-n",
    "BEGIN { n = 0; } tick-20ms { s = speculation(); n += s > 0; } tick-20ms /s/ { discard(s); } "
    "tick-20ms /++m == 40/ { exit(n < 3); }",
)
live.same(r.returncode, 0, "switchrate is a clean rate")

# One id, used again and again by the calls of a program, across drains.
prog = (
    "int s; syscall::write:entry /pid == $target/ { s = speculation(); }"
    "syscall::write:entry /s && pid == $target/ { speculate(s); printf(\"entry %d\\n\", arg2); }"
    "syscall::write:return /s && pid == $target && arg0 > 5/ { commit(s); s = 0; }"
    "syscall::write:return /s && pid == $target/ { discard(s); s = 0; }"
)
r = live.dwell("-q", "-x", "nspec=8", "-x", "cleanrate=500hz", "-n", prog, "-c", live.TRIGGER + " writes 3 7 5 9 1 11")
live.same(r.stdout.split("\n")[:3], ["entry 7", "entry 9", "entry 11"], "committed by the result")
prog = (
    "BEGIN { n = 0; } tick-20ms { s = speculation(); } tick-20ms /s/ { speculate(s); printf(\"n%d\\n\", n); }"
    "tick-20ms /s && n % 2/ { commit(s); s = 0; } tick-20ms /s/ { discard(s); s = 0; }"
    "tick-20ms /++n == 20/ { exit(0); }"
)
r = live.dwell("-q", "-n", prog, "-c", live.TRIGGER + " spin 3000")
shown = re.findall(r"n(\d+)", r.stdout)
busy = re.findall(r"(\d+) failed speculations? \(available", r.stderr)
live.check(len(shown) >= 4 and all(int(n) % 2 for n in shown), "one id is used again", r.stdout + r.stderr)
live.check("no speculative buffer" not in r.stderr, "no id is lost", r.stderr)
live.done()
