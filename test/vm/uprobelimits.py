# SPDX-License-Identifier: Apache-2.0
"""Functions of a program where the kernel attaches them one at a time, in a guest: more than a thousand are attached, more than 2000 refused.

The program is dwell itself.
"""
import collections
import re
import subprocess

MOST, FEW = 2000, 1100  # more descriptors than processes usually may have
SECS = 150


def run(opt, names, *options):
    program = f"pid$target:a.out:{names}:entry"
    p = subprocess.run(
        [
            opt.dwell,
            "-q",
            *options,
            "-n",
            program + ("" if options else " { @n = count(); }"),
            "-c",
            opt.dwell + " --version",
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECS,
        check=False,
    )
    return p.returncode, p.stdout, p.stderr


def check(opt, say):
    _, out, err = run(opt, "[a-z]*", "-l")
    names = re.findall(r"^ *\d+ +pid\d+ +\S+ +([a-z])\S* +entry", out, re.M)
    counts = collections.Counter(names)
    letters, n = "", 0
    for letter, more in sorted(counts.items(), key=lambda item: item[1]):
        if n + more <= MOST and n < FEW:
            letters, n = letters + letter, n + more
    say(
        len(names) > MOST and n >= FEW,
        f"uprobes: {len(names)} functions of dwell, {n} of them",
        [str(counts), err[:300]],
    )
    code, _, err = run(opt, f"[{letters}]*")
    say(code == 0, f"uprobes: {n} one at a time", [f"status {code}", *err.splitlines()[:4]])
    code, _, err = run(opt, "[a-z]*")
    want = f"places of .* would be attached one at a time, which takes this kernel minutes: name fewer, at most {MOST}"
    say(
        code == 1 and re.search(want, err),
        "uprobes: more than 2000 are refused",
        [f"status {code}", *err.splitlines()[:4]],
    )
