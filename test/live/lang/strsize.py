# SPDX-License-Identifier: Apache-2.0
"""strsize from 1 to 65,536 characters: results of subroutines, variables, records and keys are cut there and nowhere else, in
scratch memory that is larger than a per-CPU value of the kernel; what lies outside is refused.
@timeout: 120
"""
import os

import live

SMALL = 'string g; BEGIN { g = strjoin("abc", "def"); s = substr("foobar", 2); printf("%s %d %s %s %s\\n", g, strlen(g), "hello", s, lltostr(12345)); exit(0); }'
MOST = 65536
# 16 characters doubled until there are 65,536; then nothing can be added
GROW = (
    'string g; BEGIN { g = "0123456789abcdef"; '
    + "g = strjoin(g, g); " * 6
    + "}\nBEGIN { "
    + "g = strjoin(g, g); " * 6
    + "}\n"
    'BEGIN { t = strjoin(g, "END"); printf("%d %d %d %d\\n", strlen(g), strlen(t), t == g, rindex(g, "0")); u = substr(g, 65530); printf("%s\\n", u); }\n'
    'BEGIN { printf("%d\\n", strlen(strtok(g, "X"))); self->s = substr(g, 40000); printf("%d\\n", strlen(self->s)); }\n'
    'BEGIN { printf("%s", g); exit(0); }\n'
)
KEYS = (
    'BEGIN { g = "0123456789abcdef"; ' + "g = strjoin(g, g); " * 9 + 'self->s = g; a[g] = 7; @[g] = count(); }\n'
    'BEGIN { printf("%d %d\\n", a[self->s], a[substr(g, 1)]); exit(0); }\n'
)


def run(text, size):
    path = os.path.join(live.WORK, "s.d")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return live.dwell("-q", "-x", f"strsize={size}", "-s", path, timeout=60)


def main():
    for n in (1, 2, 4, 5, 7, 4095, 4096, 4097, 32768, MOST):
        r = run(SMALL, n)
        want = (
            " ".join(
                [w[:n] if not w.isdigit() else w for w in ("abcdef", str(min(6, n)), "hello", "obar", "12345"[:n])]
            )
            + "\n\n"
        )
        live.check(r.returncode == 0 and r.stdout == want, f"strsize={n}", f"{want!r} {r.stdout!r} {r.stderr}")
    for n in ("0", "65537", "1m"):
        r = run(SMALL, n)
        live.check(
            r.returncode != 0 and "strings have from 1 to 65536 characters" in r.stderr,
            f"strsize={n} is refused",
            r.stderr,
        )
    r = run(GROW, MOST)
    want = f"{MOST} {MOST} 1 65520\nabcdef\n{MOST}\n25536\n" + "0123456789abcdef" * 4096 + "\n"
    live.check(
        r.returncode != 0 and "thread-local variables need" in r.stderr, "self-> has room for less: said", r.stderr
    )
    r = run(GROW.replace("self->s", "this->s"), MOST)
    live.check(
        r.returncode == 0 and r.stdout == want,
        "all of 65,536 characters are kept",
        f"{len(r.stdout)} {r.stdout[:300]} {r.stderr}",
    )
    r = run(KEYS, 8192)
    live.check(
        r.returncode == 0 and r.stdout.startswith("7 0\n") and "0123456789abcdef" * 512 in r.stdout,
        "in variables of threads and as keys",
        r.stdout[:200] + r.stderr,
    )
    live.done()


main()
