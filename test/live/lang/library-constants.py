# SPDX-License-Identifier: Apache-2.0
"""Constants of the D library have the values that the C library gives them (by way of Python): of open(2), stat(2), sockets, errors, signals."""
import errno
import glob
import os
import re
import signal
import socket
import stat

import live

LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../dlib")
FAMILIES = {"O_": os, "S_IF": stat, "AF_": socket, "IPPROTO_": socket, "E": errno, "SIG": signal}
HIDDEN = {"O_LARGEFILE"}  # 0 in C where all files may be large

names = set()
for path in glob.glob(LIBRARY + "/*.d") + glob.glob(f"{LIBRARY}/{os.uname().machine}/*.d"):
    with open(path, encoding="utf-8") as f:
        names.update(re.findall(r"^inline int ([A-Z]\w+) =", f.read(), re.M))
for prefix, module in FAMILIES.items():
    known = sorted(n for n in names - HIDDEN if n.startswith(prefix) and isinstance(getattr(module, n, None), int))
    r = live.dwell("-qn", "BEGIN { " + " ".join(f'printf("%d ", {n});' for n in known) + " exit(0); }")
    got = dict(zip(known, map(int, r.stdout.split())))
    live.check(len(known) >= 6, f"{prefix}*: {len(known)} are known to both", r.stderr)
    live.same(got, {n: int(getattr(module, n)) for n in known}, prefix + "*")
live.done()
