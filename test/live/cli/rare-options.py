# SPDX-License-Identifier: Apache-2.0
"""Options that few programs set: what they change."""
import os
import re
import subprocess

import live

# zdefs, as -Z: descriptions may match nothing.
r = live.dwell("-n", "nosuch:::x { } BEGIN { exit(0); }")
live.check(r.returncode == 1 and "does not match any probes" in r.stderr, "without zdefs", r.stderr)
for option in (["-x", "zdefs"], ["-Z"]):
    r = live.dwell("-q", *option, "-n", "nosuch:::x { } BEGIN { exit(0); }")
    live.check(r.returncode == 0 and r.stderr == "", f"{option}: what matches nothing is left out", r.stderr)
# In a program it is for that program alone.
r = live.dwell("-n", "#pragma D option zdefs\nnosuch:::x { } BEGIN { exit(0); }", "-n", "nosuch:::y { }")
live.check(
    r.returncode == 1 and "nosuch:::y does not match any probes" in r.stderr and "nosuch:::x" not in r.stderr,
    "zdefs of another program",
    r.stderr,
)
r = live.dwell(
    "-q", "-x", "zdepends", "-n", "#pragma D option zdefs\nnosuch:::x { } BEGIN { exit(0); }", "-n", "nosuch:::y { }"
)
live.check(
    r.returncode == 0 and "left out: nosuch:::y does not match any probes" in r.stderr and "nosuch:::x" not in r.stderr,
    "zdepends: it is left out, and said so",
    r.stderr,
)

# pspec: what may be a declaration of an unknown type or a description is a description.
script = os.path.join(live.WORK, "pspec.d")
with open(script, "w") as f:
    f.write("foo_t *x;\nBEGIN { exit(0); }\n")
r = live.dwell("-s", script)
live.check(r.returncode == 1 and "failed to resolve type foo_t" in r.stderr, "without pspec: a declaration", r.stderr)
r = live.dwell("-x", "pspec", "-s", script)
live.check(
    r.returncode == 1 and "foo_t" in r.stderr and "resolve type" not in r.stderr, "pspec: a description", r.stderr
)

# stdc, as -X: what the C preprocessor is told.
script = os.path.join(live.WORK, "stdc.d")
with open(script, "w") as f:
    f.write("#define TWO(a) a/**/a\nBEGIN { printf(\"%d %d\", TWO(4), __STDC__ + 0); exit(0); }\n")
plain = live.dwell("-q", "-C", "-s", script)
live.check(plain.returncode == 1, "a: a comment is a space", plain.stdout + plain.stderr)
for mode, out in (("a", None), ("c", None), ("t", None), ("s", "44 0")):
    for option in (["-x", f"stdc={mode}"], ["-X", mode]):
        with open(script, "w") as f:
            f.write(
                "#define TWO(a) a/**/a\n"
                "#ifndef __STDC__\n#define __STDC__ 0\n#endif\n"
                f"BEGIN {{ printf(\"%d %d\", {'TWO(4)' if out else 44}, __STDC__); exit(0); }}\n"
            )
        r = live.dwell("-q", "-C", *option, "-s", script)
        want = out or "44 1"
        live.check(r.stdout.strip() == want and "redefined" not in r.stderr, f"{option}: {want}", r.stdout + r.stderr)
r = live.dwell("-x", "stdc=q", "-n", "BEGIN { exit(0); }")
live.check(r.returncode != 0 and "one of a, c, s, t" in r.stderr, "stdc=q", r.stderr)

# bufresize: taken, and checked.
for value in ("auto", "manual"):
    r = live.dwell("-q", "-x", f"bufresize={value}", "-n", "BEGIN { trace(1); exit(0); }")
    live.check(r.returncode == 0 and r.stdout == "1\n", f"bufresize={value}", r.stdout + r.stderr)
r = live.dwell("-x", "bufresize=often", "-n", "BEGIN { exit(0); }")
live.check(r.returncode != 0 and "one of auto, manual" in r.stderr, "bufresize=often", r.stderr)

# where there is no memory for the buffers, they are halved until there is
with live.cgroup("memory", {"memory.limit_in_bytes": "120M"}, {"memory.max": "120M"}) as group:
    for value in ("auto", "manual") if group else ():
        r = subprocess.run(
            [
                "sh",
                "-c",
                f'echo $$ > {group}/cgroup.procs; exec "$@"',
                "sh",
                live.DWELL,
                "-x",
                "bufsize=256m",
                "-x",
                f"bufresize={value}",
                "-qn",
                "tick-10ms { trace(1); exit(0); }",
            ],
            capture_output=True,
            text=True,
            timeout=60,
        )
        if value == "auto":
            live.check(
                r.returncode == 0
                and r.stdout == "1\n"
                and re.search(r"lowered to (65536|32768|16384|8192)k: there is no memory for 262144k", r.stderr),
                "buffers too large for the memory are lowered",
                r.stdout + r.stderr,
            )
        else:
            live.check(
                r.returncode == 1 and "Cannot allocate memory (smaller: -b)" in r.stderr,
                "bufresize=manual: they are an error",
                r.stderr,
            )
live.done()
