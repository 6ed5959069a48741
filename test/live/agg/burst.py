# SPDX-License-Identifier: Apache-2.0
"""A burst of new keys, as fast as a program can cause it: none is lost while there is room, and each has
its one value, whatever the size of the values."""
import re

import live

KEYS = 20000
for call in ("count()", "stddev(arg1)", "quantize(arg1)", "llquantize(arg1, 10, 0, 5, 20)", "lquantize(arg1, 0, 1000)"):
    r = live.dwell(
        "-q",
        "-x",
        "aggsize=512m",
        "-n",
        "syscall::lseek:entry /pid == $target && (int)arg0 == -1/ { @k[arg1] = %s; @all = count(); }"
        'tick-100ms { printa("k %%d %%@d\\n", @k); trunc(@k); }'
        'END { printa("all %%@d\\n", @all); printa("k %%d %%@d\\n", @k); }' % call,
        "-c",
        f"{live.TRIGGER} keys {KEYS}",
        timeout=60,
    )
    keys = re.findall(r"^k (\d+) ", r.stdout, re.M)
    live.check(
        len(keys) == KEYS == len(set(keys)) and f"all {KEYS}\n" in r.stdout and not live.complaints(r),
        f"{call}: {KEYS} new keys in a burst",
        f"{len(keys)} lines, {len(set(keys))} keys\n{r.stderr}",
    )

# The values of the CPUs are told apart where an entry belongs to one CPU.
r = live.dwell(
    "-q",
    "-x",
    "aggpercpu",
    "-n",
    "syscall::lseek:entry /pid == $target && (int)arg0 == -1/ { @k[1] = quantize(1); @n = count(); }",
    "-c",
    f"{live.TRIGGER} keys 1000",
    timeout=60,
)
live.check(
    r.returncode == 0 and not live.complaints(r) and re.search(r"\b1000\b", r.stdout), "aggpercpu", r.stdout + r.stderr
)
# Several new keys in one interrupt: the kernel cannot take memory then, and has what was set aside before.
SEVERAL = 40
with live.busy_cpus():
    r = live.dwell(
        "-q",
        "-x",
        "aggrate=10s",
        "-n",
        "profile-97 /cpu == 0 && !done/ { done = 1; %s } tick-300ms { exit(0); }"
        % " ".join(f"@a[{i}] = count();" for i in range(SEVERAL)),
        timeout=60,
    )
found = re.findall(r"^ +(\d+) +1$", r.stdout, re.M)
live.check(
    len(found) == SEVERAL and "aggregation drop" not in r.stderr,
    f"{SEVERAL} new keys in one interrupt",
    r.stdout + r.stderr,
)
live.done()
