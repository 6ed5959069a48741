# SPDX-License-Identifier: Apache-2.0
"""Limits: large keys, many frames, wide records, large strings; too large is a message with the clause."""
import live


def refused(name, program, *texts, options=()):
    r = live.dwell("-q", *options, "-n", program)
    ok = r.returncode == 1 and all(t in r.stderr for t in texts) and "R0=" not in r.stderr
    live.check(ok, name, f"exit {r.returncode}\n{r.stdout[:300]}{r.stderr[:700]}")


def taken(name, program, want, options=()):
    r = live.dwell("-q", *options, "-n", program)
    live.check(
        r.returncode == 0 and r.stdout.startswith(want), name, f"exit {r.returncode}\n{r.stdout[:300]}{r.stderr[:700]}"
    )


taken("strings of 4 KB", 'BEGIN { s = "abc"; printf("%s", strjoin(s, s)); exit(0); }', "abcabc", ["-x", "strsize=4096"])
taken(
    "a key of several strings", 'BEGIN { s = "k"; @[s, s, s, 1] = count(); printa("%s%s%s %@d", @); exit(0); }', "kkk 1"
)
refused(
    "a key that is too large",
    'BEGIN { s = "x"; @[s, s, s] = count(); exit(0); }',
    "key",
    options=["-x", "strsize=4096"],
)
refused(
    "an array key that is too large",
    'BEGIN { s = "x"; a[s, s, s] = 1; exit(0); }',
    "key",
    options=["-x", "strsize=4096"],
)
taken("more frames than there can be are as many as there can be", 'BEGIN { stack(100000); exit(0); }', "\n")
taken("as many frames as there may be", 'syscall::getppid:entry { } BEGIN { stack(127); printf("x"); exit(0); }', "")
taken(
    "a record of 100 strings",
    "BEGIN { s = \"y\"; printf(\"" + "%s" * 100 + '", ' + ", ".join(["s"] * 100) + "); exit(0); }",
    "y" * 100,
)
refused(
    "a record that is too large",
    "BEGIN { s = \"y\"; printf(\"" + "%s" * 100 + '", ' + ", ".join(["s"] * 100) + "); exit(0); }",
    "",
    options=["-x", "strsize=4096"],
)
refused("tracemem of too much", "BEGIN { tracemem(0, 100000000); }", "")
taken(
    "100 aggregations",
    "".join(f"BEGIN {{ @a{i} = sum({i}); }} " for i in range(100)) + 'BEGIN { printa("%@d", @a99); exit(0); }',
    "99",
)
taken(
    "40 arrays",
    "BEGIN { " + "".join(f"a{i}[{i}] = {i}; " for i in range(40)) + 'printf("%d", a39[39]); exit(0); }',
    "39",
)
taken(
    "300 globals and thread-locals",
    "BEGIN { "
    + "".join(f"g{i} = {i}; self->t{i} = g{i}; " for i in range(300))
    + 'printf("%d", self->t299); exit(0); }',
    "299",
)
live.done()
