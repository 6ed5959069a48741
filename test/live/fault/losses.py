# SPDX-License-Identifier: Apache-2.0
"""What is lost for want of room is counted, with -x droptags by its tag."""
import re

import live

CALLS = live.TRIGGER + " keys 20000"
PROBE = "syscall::lseek:entry /pid == $target && (int)arg0 == -1/ "
for tag, words, options, action in [
    ("DTRACEDROP_AGGREGATION", r"aggregation drops? on CPU \d+", ["aggsize=16k"], "@[arg1] = count();"),
    ("DTRACEDROP_DYNAMIC", r"dynamic variable drops?", ["dynvarsize=16k"], "a[arg1] = 1;"),
    (
        "DTRACEDROP_PRINCIPAL",
        r"drops? on CPU \d+",
        ["bufsize=4k", "switchrate=1s"],
        "printf(\"%d %s\", arg1, execname);",
    ),
    (
        "DTRACEDROP_SPECUNAVAIL",
        r"failed speculations? \(no speculative buffer available\)",
        ["nspec=2"],
        "speculation();",
    ),
]:
    r = live.dwell(
        "-q",
        *[o for opt in options + ["droptags"] for o in ("-x", opt)],
        "-n",
        PROBE + "{ " + action + " }",
        "-c",
        CALLS,
        timeout=60,
    )
    live.check(re.search(rf"^{live.NAME}: \[{tag}\] \d+ {words}$", r.stderr, re.M), tag, r.stderr[-500:])
live.done()
