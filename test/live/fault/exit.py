# SPDX-License-Identifier: Apache-2.0
"""An error that ends a clause before its exit() leaves the run going, as in DTrace; dwell says so, once, and as dtrace
it says what DTrace says."""
import os
import subprocess
import tempfile

import live

SAYS = "the error ended its clause before exit(): tracing goes on until another exit() or Ctrl-C"


def run(program, name=live.DWELL):
    r = subprocess.run([name, "-qn", program], capture_output=True, text=True, timeout=30)
    return r.returncode, r.stderr


rc, err = run("BEGIN { *(int *)8; exit(0); } tick-100ms { *(int *)8; exit(0); } tick-1s { exit(3); }")
live.check(rc == 3 and err.count(SAYS) == 1 and err.count("error on enabled") > 1, "the run goes on, and says so", err)
rc, err = run("BEGIN { exit(2); *(int *)8; }")
live.check(rc == 2 and SAYS not in err, "exit() came before the error", err)
rc, err = run("BEGIN { *(int *)8; exit(0); } ERROR { exit(4); }")
live.same(rc, 4, "ERROR ends it")
with tempfile.TemporaryDirectory() as d:
    dtrace = os.path.join(d, "dtrace")
    os.symlink(os.path.abspath(live.DWELL), dtrace)
    rc, err = run("BEGIN { *(int *)8; exit(0); } tick-1s { exit(3); }", dtrace)
    live.check(rc == 3 and "error on enabled" in err and SAYS not in err, "as dtrace", err)
live.done()
