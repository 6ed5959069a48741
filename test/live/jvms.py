# SPDX-License-Identifier: Apache-2.0
"""The JVMs of this machine, for tests of Java. JAVAS: further ones, separated by colons."""
import glob
import os
import shutil

import live


def homes():
    """Folders of those with HotSpot, each once."""
    found = {os.path.realpath(h) for h in glob.glob("/usr/lib/jvm/*") + os.environ.get("JAVAS", "").split(":") if h}
    return sorted(h for h in found if os.path.exists(h + "/lib/server/libjvm.so") and os.path.exists(h + "/bin/java"))


def need_provider(javas):
    """Ends the test, skipped, without a JVM, its compiler or the provider java."""
    if not javas or not shutil.which("javac"):
        print("# no JVM and its compiler here")
        raise SystemExit(77)
    if "was built without" in live.dwell("-x", "javaagent", "-l", "-n", f"java{os.getpid()}:::").stderr:
        print("# this dwell was built without the provider")
        raise SystemExit(77)
