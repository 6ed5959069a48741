# SPDX-License-Identifier: Apache-2.0
"""The JVMs of this machine, for tests of Java. JAVAS: further ones, separated by colons."""
import glob
import os


def homes():
    """Folders of those with HotSpot, each once."""
    found = {os.path.realpath(h) for h in glob.glob("/usr/lib/jvm/*") + os.environ.get("JAVAS", "").split(":") if h}
    return sorted(h for h in found if os.path.exists(h + "/lib/server/libjvm.so") and os.path.exists(h + "/bin/java"))
