# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
# @long: a command has 60 seconds to become a JVM
"""Provider java: a command of -c that does not become a JVM is given up after 60 seconds, and ended."""
import os
import time
import jvms
import live

jvms.need_provider(jvms.homes())
SCRIPT = os.path.join(live.WORK, "waits.sh")
with open(SCRIPT, "w", encoding="utf-8") as f:
    f.write("sleep 100 >/dev/null 2>&1 &\necho $! $$\nwait\n")
start = time.monotonic()
r = live.dwell("-x", "javaagent", "-qn", "java$target:Some:method:entry { }", "-c", f"sh {SCRIPT}", timeout=110)
took = time.monotonic() - start
live.check(
    r.returncode == 1 and "has not become a JVM in 60 s" in r.stderr and 60 <= took < 90, "it is given up", (took, r)
)
sleeper, shell = map(int, r.stdout.split())
os.kill(sleeper, 9)
live.check(not os.path.exists(f"/proc/{shell}"), "and ended", r)
live.done()
