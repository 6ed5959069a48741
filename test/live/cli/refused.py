# SPDX-License-Identifier: Apache-2.0
"""Options of DTrace that do not exist here are known, and refused with the reason; not taken for misspelt."""
import live

for name in ["core", "ctfpath", "ctypes", "debug", "debugassert", "disasm", "dtypes", "grabanon", "kdefs", "knodefs", "late",
             "ldpath", "linkmode", "linknommap", "linktype", "modpath", "pcapsize", "udefs", "unodefs", "useruid", "verbose"]:
    r = live.dwell("-x", name + "=1", "-n", "BEGIN { exit(0); }")
    what = f"{live.NAME}: failed to set -x {name}: not supported on Linux: "
    live.check(r.returncode == 1 and r.stderr.startswith(what) and len(r.stderr) > len(what) + 5 and
               "Invalid" not in r.stderr, "-x " + name, r.stderr)
r = live.dwell("-x", "nosuch=1", "-n", "BEGIN { exit(0); }")
live.same(r.stderr, f"{live.NAME}: failed to set -x nosuch: Invalid option name\n", "an unknown one")
for name, good, bad in [("iregs", "8", "0"), ("lazyload", "true", "perhaps"), ("lockmem", "unlimited", None), ("pgmax", "4", "x"),
                        ("preallocate", "1m", "-1"), ("procfspath", "/proc", None), ("quietresize", "1", "perhaps"),
                        ("strip", "1", "perhaps"), ("sysslice", "1", "perhaps"), ("tregs", "8", "0")]:
    r = live.dwell("-x", f"{name}={good}", "-qn", "BEGIN { exit(3); }")
    live.check(r.returncode == 3 and r.stderr == "", f"-x {name} is accepted", r.stderr)
    r = live.dwell("-x", f"{name}={bad}" if bad else name, "-qn", "BEGIN { exit(3); }")
    live.check(r.returncode == 1 and "Invalid value for specified option" in r.stderr, f"-x {name}: other values", r.stderr)

# Letters and functions
for letter in ("-A", "-a", "-32"):
    r = live.dwell(letter, "-n", "BEGIN { exit(0); }")
    live.same((r.returncode, r.stderr), (1, f"{live.NAME}: {letter} is not supported on Linux\n"), letter)
for name, why in [("trace(msgsize(0))", "msgsize( )"), ("trace(msgdsize(0))", "msgdsize( )"), ("trace(vmregs[0])", "vmregs[ ]")]:
    r = live.dwell("-n", f"BEGIN {{ {name}; }}")
    live.check(r.returncode == 1 and f"{why} is not supported on Linux" in r.stderr, name, r.stderr)
live.done()
