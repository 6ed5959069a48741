# SPDX-License-Identifier: Apache-2.0
"""Options of DTrace that do not exist here are known, and refused with the reason; not taken for misspelt."""
import live

for name in ["core", "ctfpath", "ctypes", "debug", "debugassert", "disasm", "dtypes", "grabanon", "iregs",
             "kdefs", "knodefs", "late", "lazyload", "ldpath", "linkmode", "linknommap", "linktype", "lockmem", "modpath",
             "pcapsize", "pgmax", "preallocate", "procfspath", "quietresize", "strip", "sysslice", "tregs", "udefs",
             "unodefs", "useruid", "verbose"]:
    r = live.dwell("-x", name + "=1", "-n", "BEGIN { exit(0); }")
    what = f"{live.NAME}: failed to set -x {name}: "
    live.check(r.returncode == 1 and r.stderr.startswith(what) and len(r.stderr) > len(what) + 5 and
               "Invalid" not in r.stderr, "-x " + name, r.stderr)
r = live.dwell("-x", "nosuch=1", "-n", "BEGIN { exit(0); }")
live.same(r.stderr, f"{live.NAME}: failed to set -x nosuch: Invalid option name\n", "an unknown one")
live.done()
