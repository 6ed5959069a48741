# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""Under limits of ulimit a run works, or says why not: files, memory, locked memory, stack, size of files. What was counted is printed."""
import os
import resource
import subprocess

import live

os.chdir(live.WORK)

COUNT = ("-q", "-n", "BEGIN { @ = sum(42); } tick-50ms { exit(0); }")


def limited(which, value, *args):
    def lower():
        resource.setrlimit(which, (value, value))

    return subprocess.run(
        [live.DWELL, *args],
        preexec_fn=lower,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=40,
        check=False,
    )


for which, value in (
    (resource.RLIMIT_NOFILE, 64),
    (resource.RLIMIT_AS, 512 << 20),
    (resource.RLIMIT_MEMLOCK, 65536),
    (resource.RLIMIT_STACK, 1 << 20),
):
    r = limited(which, value, *COUNT)
    live.same((r.returncode, r.stdout.split()), (0, ["42"]), f"limit {which} of {value}: it counts" + r.stderr)
r = limited(resource.RLIMIT_NOFILE, 8, *COUNT)
live.check(r.returncode == 1 and "Too many open files" in r.stderr, "too few files: it says so", r)

# A file that may not grow: the rest is lost, and that is told; the signal does not end the run
FLOOD = "tick-1ms { printf(\"%4000d\\n\", 1); } BEGIN { @ = sum(42); } tick-300ms { exit(0); }"
r = limited(resource.RLIMIT_FSIZE, 16384, "-q", "-o", "small.out", "-n", FLOOD)
live.check(
    r.returncode == 1 and "failed to write to 'small.out': File too large" in r.stderr,
    "the limit of an output file is an error",
    r,
)
r = limited(
    resource.RLIMIT_FSIZE,
    200000,
    "-q",
    "--record",
    "small.dwell",
    "-n",
    FLOOD.replace("tick-300ms", "tick-1s") + " tick-1ms { trace(1); }" * 20,
)
live.check(r.returncode == 1 and "not continued" in r.stderr, "of a recording as well", (r.returncode, r.stderr))
live.same(r.stdout.split()[-1:], ["42"], "what was counted is printed nevertheless")
with open("dies", "w", encoding="ascii") as f:
    f.write("#!/bin/sh\nkill -XFSZ $$\n")
os.chmod("dies", 0o755)
r = live.dwell("-n", "BEGIN {}", "-c", "./dies")
live.check("terminated by SIGXFSZ" in r.stderr, "a command has the signal's default", r.stderr)
live.done()
