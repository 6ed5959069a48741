#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves of compiled libraries that they have no writable globals and call nothing that reads or
changes the world outside. usage: checkpure.py LIBRARY.a…"""
import os
import re
import subprocess
import sys

import sources

CALLS = set(
    """open openat creat read write close pread pwrite socket connect send recv mmap munmap
ioctl syscall bpf fopen fdopen fclose fread fwrite fputs fputc puts putchar printf fprintf vprintf
vfprintf perror exit _exit longjmp siglongjmp setjmp _setjmp getenv system popen fork execve time
clock_gettime gettimeofday stdout stderr stdin""".split()
)
# Read-only data with relocations lives in .data.rel.ro; the sanitizers add symbols of their own.
WRITABLE = re.compile(r"^\.(data|bss|tdata|tbss)(\..*)?$")
SANITIZER = re.compile(r"^(__|\.L|_sub_|GCC_)|\.\d+$")


def check(library):
    r = subprocess.run(["nm", "-f", "sysv", library], text=True, capture_output=True, check=True)
    name = os.path.basename(library)
    for line in r.stdout.splitlines():
        cells = [c.strip() for c in line.split("|")]
        if len(cells) != 7 or cells[0] == "Name":
            continue
        symbol, kind, section = cells[0], cells[2], cells[6]
        function = symbol.split("@")[0]
        if kind == "U" and re.sub(r"^__(isoc99_|interceptor_)?|(64|_chk)$", "", function) in CALLS:
            yield f"{name}: calls {function}"
        if WRITABLE.match(section) and not section.startswith(".data.rel.ro") and not SANITIZER.search(symbol):
            yield f"{name}: {symbol} is a writable global"


def main():
    errors = [e for library in sys.argv[1:] for e in check(library)]
    return sources.finish("pure", errors, len(sys.argv) - 1)


if __name__ == "__main__":
    sys.exit(main())
