# SPDX-License-Identifier: Apache-2.0
"""Command lines by which the builds of existing programs call dtrace -h and dtrace -G: PostgreSQL, Python, Perl, PHP, Ruby,
MySQL, Node.js, GLib, QEMU, libvirt, OpenJDK, Erlang, FreeBSD's base. Only the forms: the provider is our own."""
import os
import shutil
import subprocess

import live

os.chdir(live.WORK)
os.symlink(os.path.realpath(live.DWELL), "dtrace")
os.mkdir("include")
with open("include/shapes.h", "w") as f:
    f.write("#define NUMBER unsigned int\n")
with open("plain.d", "w") as f:
    f.write(
        """provider shop {
	probe order__taken(unsigned int, const char *);
	probe closed();
};
#pragma D attributes Evolving/Evolving/Common provider shop provider
#pragma D attributes Private/Private/Unknown provider shop module
#pragma D attributes Private/Private/Unknown provider shop function
#pragma D attributes Evolving/Evolving/Common provider shop name
#pragma D attributes Evolving/Evolving/Common provider shop args
"""
    )
with open("cpp.d", "w") as f:
    f.write(
        """#include "shapes.h"
#ifdef WITH_ORDERS
provider shop {
	probe order__taken(NUMBER id, const char *name) : (NUMBER id, string name);
	probe closed();
};
#endif
"""
    )
with open("some.o", "wb") as f:
    f.write(b"not looked at")

HEADERS = [
    "-h -s plain.d -o OUT",
    "-o OUT -h -s plain.d",
    "-64 -o OUT -h -s plain.d",
    "-h -xnolibs -s plain.d -o OUT",
    "-xnolibs -h -s plain.d -o OUT",
    "-o OUT -DSTAP_SDT_V2 -h -s plain.d",
    "-k -h -s plain.d -o OUT",
    "--types -h -s plain.d -o OUT",
    "-v -h -s plain.d -o OUT",
    "-h -splain.d -oOUT",
]
HEADERS_CPP = [
    "-C -Iinclude -DWITH_ORDERS -h -s cpp.d -o OUT",
    "-o OUT -h -C -I include -I. -DWITH_ORDERS=1 -s cpp.d",
    "-C -h -D WITH_ORDERS -Iinclude -o OUT -s cpp.d",
    "-Xc -C -Iinclude -DWITH_ORDERS -h -s cpp.d -o OUT",
]
OBJECTS = [
    "-G -s plain.d -o OUT",
    "-o OUT -G -s plain.d some.o",
    "-G -o OUT -s plain.d some.o some.o",
    "-64 -G -o OUT -s plain.d some.o",
    "-xnolibs -G -s plain.d -o OUT some.o",
    "-G -xnolibs -s plain.d -o OUT some.o",
    "-C -G -xlazyload -Iinclude -DWITH_ORDERS -o OUT -s cpp.d some.o",
    "-G -Z -s plain.d -o OUT some.o",
    "-k -G -s plain.d -o OUT",
    "-C -Iinclude -DWITH_ORDERS -G -s cpp.d some.o -o OUT",
]


def call(form, out):
    if os.path.exists(out):
        os.remove(out)
    r = subprocess.run(["./dtrace", *form.replace("OUT", out).split()], capture_output=True, text=True)
    live.check(r.returncode == 0 and not r.stdout and not r.stderr, "dtrace " + form, r.stdout + r.stderr)
    with open(out, "rb") as f:
        return f.read()


for form in HEADERS + (HEADERS_CPP if shutil.which("cpp") else []):
    for out in "shop.h", "shop.h.tmp":
        text = call(form, out)
        live.check(b"SHOP_ORDER_TAKEN(" in text and b"SHOP_CLOSED_ENABLED()" in text, f"… writes {out}", text.decode())
for form in OBJECTS:
    if shutil.which("cpp") or "-C" not in form:
        live.check(call(form, "probes.o").startswith(b"\x7fELF"), "… writes an object")
with open("some.o", "rb") as f:
    live.same(f.read(), b"not looked at", "objects are left alone")
subprocess.run(["./dtrace", "-h", "-s", "plain.d"], check=True)
live.check(os.path.exists("plain.h"), "without -o the header is named after the file")
subprocess.run(["./dtrace", "-G", "-s", "plain.d"], check=True)
live.check(os.path.exists("plain.o"), "… and so is the object")
for bits, elf in ((32, b"\x7fELF\x01"), (64, b"\x7fELF\x02")):
    with open(f"{bits}.o", "wb") as f:
        f.write(elf + bytes(59))
    live.check(
        call(f"-G -s plain.d -o OUT {bits}.o", "narrow.o").startswith(elf), f"… for an object of {bits} bits: one, too"
    )
r = subprocess.run(["./dtrace", "-G", "-s", "plain.d", "32.o", "64.o"], capture_output=True, text=True)
live.same(
    (r.returncode, r.stderr),
    (1, "dtrace: 32.o is of 32 bits, 64.o of 64: one object cannot be linked with both\n"),
    "… for both: none",
)
# A program is no provider: DTrace puts it into the object, where nothing runs it on Linux; dwell says that it does not.
for args, name in (
    (["-s", "program.d"], "program.o"),
    (["-n", "BEGIN { exit(0); }"], "d.out"),
    (["-s", "program"], "d.out"),
):
    for file in "program.d", "program":
        with open(file, "w") as f:
            f.write("BEGIN { exit(0); }\n")
    r = subprocess.run(["./dtrace", "-G", *args], capture_output=True, text=True)
    live.check(
        r.returncode == 0 and "is not in the object" in r.stderr and os.path.exists(name),
        f"-G {args[1]}: {name}",
        r.stderr,
    )
    os.unlink(name)
r = subprocess.run(["./dtrace", "-k", "-n", "BEGIN"], capture_output=True, text=True)
live.same(r.returncode, 2, "-k is for -h and -G")
live.done()
