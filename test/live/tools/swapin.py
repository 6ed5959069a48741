#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @alone: others' swap-ins would be among the kernel's count
"""swapin.d: what a program with less memory than it uses gets back from a swap file, compared with the kernel's own count of pages
(pswpin of /proc/vmstat)."""
import contextlib
import os
import re
import resource
import subprocess

import live

PAGES = resource.getpagesize() // 1024  # KB
SWAP = os.path.join(live.WORK, "swap")
LIMITS = (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max"))


def pswpin():
    with open("/proc/vmstat", encoding="utf-8") as f:
        return int(re.search(r"^pswpin (\d+)$", f.read(), re.M)[1])


def limited():
    """A memory cgroup of 20 MB, or None."""
    for base, limit in LIMITS:
        group = f"{base}/dwell-swapin-{os.getpid()}"
        with contextlib.suppress(OSError):
            os.mkdir(group)
            if os.path.exists(f"{group}/{limit}"):
                with open(f"{group}/{limit}", "w", encoding="utf-8") as f:
                    f.write("20M")
                return group
            os.rmdir(group)
    return None


subprocess.run(["dd", "if=/dev/zero", f"of={SWAP}", "bs=1M", "count=96"], check=True, stderr=subprocess.DEVNULL)
os.chmod(SWAP, 0o600)
if (
    subprocess.run(["mkswap", SWAP], capture_output=True, check=False).returncode
    or subprocess.run(["swapon", SWAP], capture_output=True, check=False).returncode
):
    print("no swap file can be used here")
    raise SystemExit(77)
try:
    group = limited()
    if not group:
        print("no control group of memory can be made here")
        raise SystemExit(77)
    load = os.path.join(live.WORK, "load.py")
    with open(load, "w", encoding="utf-8") as f:
        f.write(
            f"open('{group}/cgroup.procs', 'w').write(str(__import__('os').getpid()))\n"
            "m = bytearray(48 << 20)\n"
            "for turn in range(3):\n    for i in range(0, len(m), 4096):\n        m[i] = turn + 1\n"
        )
    before = pswpin()
    r = live.dwell("run", "swapin", "--interval", "1h", "--", "python3", load, timeout=60)
    truth = (pswpin() - before) * PAGES
    rows = re.findall(r"^ *\d+ python3 +(\d+) +(\d+)$", r.stdout, re.M)
    live.check(truth > 10000, "the load swaps", f"{truth} KB")
    live.check(
        len(rows) == 1 and truth * 0.99 <= int(rows[0][1]) <= truth,
        "what was read from swap, as the kernel counts it",
        f"{rows} {truth}\n{r.stdout}{r.stderr}",
    )
    r = live.dwell("run", "swapin", "--interval", "1h", "--", "cat", load)
    live.check(
        not re.search(r"^ *\d+ cat", r.stdout, re.M) and "COUNT" in r.stdout,
        "reads of files are not among it",
        r.stdout + r.stderr,
    )
    os.rmdir(group)
finally:
    subprocess.run(["swapoff", SWAP], check=False)
live.done()
