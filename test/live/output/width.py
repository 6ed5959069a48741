# SPDX-License-Identifier: Apache-2.0
"""Widths and precisions are bounded: constants by the compiler, what a record brings when it is shown. JSON texts are written as they come."""
import json
import os
import subprocess

import live

LIMIT, TOTAL = 65536, 1048576
WIDEST, WIDEST_TOTAL = 16777216, 67108864  # constants of a printf() that is text


def peak(*args):
    """Standard output and standard error of a run, and the memory it had at most, in kB."""
    p = subprocess.Popen(
        [live.DWELL, *args], stdout=subprocess.PIPE, stderr=open("err", "w+b"), stdin=subprocess.DEVNULL
    )
    out = p.stdout.read()
    _, _, usage = os.wait4(p.pid, 0)
    return out.decode(), open("err", encoding="utf-8").read(), usage.ru_maxrss


for fmt in (
    f"%{LIMIT + 1}d",
    f"%.{LIMIT + 1}d",
    "%1900000000d",
    "%99999999999999999999d",
    f"%{LIMIT}d" * (TOTAL // LIMIT) + "%1d",
):
    for program in (
        f'BEGIN {{ printf("{fmt}"{", 1" * fmt.count("%")}); exit(0); }}',
        f'BEGIN {{ @[1] = count(); printa("{fmt}", @); exit(0); }}',
    ):
        if fmt.count("%") > 1 and "printa" in program:
            continue
        for extra in ([], ["-x", "confined"], ["--json"])["printa" not in program :]:
            r = live.dwell("-x", "errtags", *extra, "-n", program, timeout=5)
            said = r.stderr + r.stdout.replace('\\"', '"')
            live.check(
                r.returncode == 1 and "D_PRINTF_WIDTH" in said and ("above 65536" in said or "1048576" in said),
                f"{program[:40]}… is refused {extra}",
                said[-500:],
            )
r = live.dwell("-wx", "errtags", "-n", f'BEGIN {{ system("%{LIMIT + 1}d", 1); }}')
live.check("[D_PRINTF_WIDTH]" in r.stderr and "^~" in r.stderr, "nor may a command be so wide", r.stderr)
for fmt, most in (
    (f"%{WIDEST + 1}d", WIDEST),
    ("%99999999999999999999d", WIDEST),
    (f"%{WIDEST}d" * 4 + "%1d", WIDEST_TOTAL),
):
    r = live.dwell("-x", "errtags", "-n", f'BEGIN {{ printf("{fmt}"{", 1" * fmt.count("%")}); exit(0); }}')
    live.check(
        r.returncode == 1 and "[D_PRINTF_WIDTH]" in r.stderr and str(most) in r.stderr,
        f"{fmt[:20]}… is too wide for text, too",
        r.stderr,
    )

r = live.dwell("-qn", f'BEGIN {{ printf("%{LIMIT}d%.{LIMIT}d", 1, 2); exit(0); }}')
live.same((len(r.stdout), r.stderr), (2 * LIMIT + 1, ""), "the largest ones are not")
n = TOTAL // LIMIT
r = live.dwell("-qn", f'BEGIN {{ printf("{f"%{LIMIT}d" * n}"{", 1" * n}); exit(0); }}')
live.same((len(r.stdout), r.stderr), (TOTAL + 1, ""), "nor as many as may be in a record")

for extra in ((), ("-x", "confined")):
    out, err, kb = peak(
        "-q", *extra, "-n", 'BEGIN { w = 1900000000; printf("a%*db", w, 1); printf("[%*d]", 3, 7); exit(0); }'
    )
    live.same(out, "[  7]\n", f"a width from the program that is too large: nothing of it {extra}")
    live.check(
        "error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): width or precision of 1900000000" in err
        and "action #1" in err,
        "… is an error",
        err,
    )
for program, many in (
    (f'w = {LIMIT}; printf("%*d", w, 1);' * (n + 1), n),
    (f'w = -{LIMIT}; printf("%*d%.*d", w, 1, 5, 1);', 1),
):
    r = live.dwell("-qn", f"BEGIN {{ {program} exit(0); }}")
    live.check(
        many * LIMIT <= len(r.stdout) <= many * LIMIT + 6 and r.stderr.count("error on") == (many > 1),
        "a record has room for so many",
        f"{len(r.stdout)} {r.stderr}",
    )

out, err, kb = peak("--json", "-x", "confined", "-n", 'BEGIN { w = 1900000000; printf("%*d", w, 1); exit(0); }')
rows = [json.loads(l) for l in out.splitlines()]
live.check(
    [x["fault"] for x in rows if x["type"] == "error"] and kb < 100000,
    "JSON: an error, and no memory",
    f"{kb} kB\n{out}",
)
r = live.dwell(
    "-qwn", 'BEGIN { w = 1900000000; system("echo ran %*d", w, 1); freopen("f%*d", w, 1); printf("here\\n"); exit(0); }'
)
live.check(
    "ran" not in r.stdout and "here" in r.stdout and r.stderr.count("error on"),
    "system() and freopen() do nothing then",
    r.stdout + r.stderr,
)

KEYS, WIDE = 10000, 10000
program = (
    "BEGIN { for (i = 0; i < %d; i++) @[i] = count(); } END { printa(\"%%%dd %%@d\\n\", @); } BEGIN { exit(0); }"
    % (KEYS, WIDE)
)
out, err, kb = peak("--json", "-x", "loopmax=100000", "-x", "aggsize=16m", "-n", program)
live.check(
    len(out) > KEYS * WIDE and kb < KEYS * WIDE // 1024 // 2,
    "JSON: printa() of many keys takes no memory for its text",
    f"{len(out)} bytes, {kb} kB\n{err}",
)
texts = [a["text"] for l in out.splitlines() for a in json.loads(l).get("output", []) if "text" in a]
live.same((len(texts), len(texts[0]), texts[0].count("\n")), (1, KEYS * (WIDE + 3), KEYS), "… and is whole")

r = live.dwell("--json", "-n", r'BEGIN { printf("%4090s\303%s", "x", "\251\"\303\n"); printf("\342\202"); exit(0); }')
texts = [a["text"] for l in r.stdout.splitlines() for a in json.loads(l).get("output", []) if "text" in a]
live.same(
    texts, [" " * 4089 + "xé\"\ufffd\n", "\ufffd\ufffd"], "characters of two pieces are one, half ones are U+FFFD"
)

# Text is written as it comes: its constants may be wider, as those of DTrace.
program = (
    f'BEGIN {{ {f"""printf("%{WIDEST}d", 1);""" * (WIDEST_TOTAL // WIDEST)} printf("%1d", 1); trace(7); exit(0); }}'
)
with subprocess.Popen([live.DWELL, "-qn", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
    size = 0
    while piece := p.stdout.read(65536):
        size += len(piece)
        last = piece
    err = p.stderr.read().decode()
live.same((size, last[-2:]), (WIDEST_TOTAL + 2, b"7\n"), "the widest of a record")
live.check("are more than the 67108864 of a record" in err and "action #5" in err, "… and no more", err)
live.done()
