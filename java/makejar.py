#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: makejar.py OUT.jar JAVAC ASM.jar SOURCE…

Makes the jar of the agent: compiles the sources for Java 8, and puts what the program must not see (dwell.inner and the library
ASM) below inner/. The same input gives the same bytes."""
import os
import subprocess
import sys
import tempfile
import zipfile

MANIFEST = b"Manifest-Version: 1.0\nAgent-Class: dwell.agent.Agent\nCan-Retransform-Classes: true\n"
# Where the classes of a package are in the jar: the program's loader finds those of the first alone.
PLACES = {"dwell/agent": "", "dwell/inner": "inner/", "dwell/probe": "boot/"}


def main():
    out, javac, asm, *sources = sys.argv[1:]
    files = {"META-INF/MANIFEST.MF": MANIFEST}
    with tempfile.TemporaryDirectory() as to:
        subprocess.run([javac, "--release", "8", "-Xlint:all,-options", "-cp", asm, "-d", to, *sources], check=True)
        for folder, _, names in os.walk(to):
            for name in names:
                path = os.path.join(folder, name)
                inside = os.path.relpath(path, to)
                with open(path, "rb") as f:
                    files[PLACES[os.path.dirname(inside)] + inside] = f.read()
    with zipfile.ZipFile(asm) as z:
        for name in z.namelist():
            if name.startswith("org/objectweb/asm/") and name.endswith(".class"):
                files["inner/" + name] = z.read(name)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name in sorted(files, key=lambda n: (not n.startswith("META-INF/"), n)):
            z.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), files[name], zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
