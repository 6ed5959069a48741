# SPDX-License-Identifier: Apache-2.0
"""-C with the system's headers: their constants and types, whatever GNU C is in them."""
import os

import live

SCRIPT = os.path.join(live.WORK, "headers.d")
for header, expr, want in [
    ("stddef.h", "sizeof (max_align_t)", "32"),
    ("errno.h", "ENOENT", "2"),
    ("signal.h", "SIGKILL", "9"),
    ("fcntl.h", "O_CREAT", "64"),
    ("sys/types.h", "sizeof (id_t)", "4"),
    ("sys/socket.h", "AF_UNIX", "1"),
    ("netinet/in.h", "IPPROTO_TCP", "6"),
    ("sys/syscall.h", "SYS_getpid > 0", "1"),
    ("linux/futex.h", "FUTEX_WAKE", "1"),
    ("linux/ip.h", "sizeof (struct iphdr)", "20"),
    ("unistd.h", "SEEK_END", "2"),
    ("string.h", "sizeof (size_t)", "8"),
]:
    with open(SCRIPT, "w") as f:
        f.write(f'#include <{header}>\nBEGIN {{ printf("%d", {expr}); exit(0); }}\n')
    r = live.dwell("-q", "-C", "-s", SCRIPT)
    live.check(r.returncode == 0 and r.stdout == want + "\n", header, r.stdout + r.stderr)
with open(SCRIPT, "w") as f:
    f.write("#!/usr/bin/dtrace -Cs\n#ifdef OPEN\nBEGIN { exit(0); }\n")
r = live.dwell("-q", "-C", "-s", SCRIPT)
live.check(
    r.returncode == 1 and r.stderr.startswith("/dev/stdin:2: error: unterminated #ifdef\n"),
    "the preprocessor's messages name its input as DTrace does",
    r.stderr,
)
with open(SCRIPT, "w") as f:
    f.write("#!/usr/bin/dtrace -Cs\nBEGIN { exit(0); }\n")
r = live.dwell("-q", "-C", "-s", SCRIPT)
live.check(r.returncode == 0 and not r.stderr, "#! is nothing to warn of", r.stderr)
for text, tag in [("BEGIN", "D_SYNTAX"), ("BEGIN, END", "D_SYNTAX"), ("END;", ""), ("END {}", ""), ("END / 1 /", "")]:
    with open(SCRIPT, "w") as f:
        f.write(text + "\n")
    r = live.dwell("-e", "-xerrtags", "-s", SCRIPT)
    live.check(r.returncode == bool(tag) and tag in r.stderr, f"file with only {text}", r.stderr)
r = live.dwell("-e", "-n", "BEGIN")
live.check(r.returncode == 0, "a description alone is enough for -n", r.stderr)
with open(SCRIPT, "w") as f:
    f.write(
        'ipaddr_t a; in6_addr_t b; hrtime_t c;\nBEGIN { printf("%d %d %d", sizeof (a), sizeof (b), sizeof (c)); exit(0); }\n'
    )
r = live.dwell("-q", "-s", SCRIPT)
live.check(r.stdout == "4 16 8\n", "types of subroutines' arguments", r.stdout + r.stderr)
live.done()
