# SPDX-License-Identifier: Apache-2.0
"""-x confined: the program's pragmas reach neither files nor commands nor memory; the command line does."""
import os
import live

FILE = os.path.join(live.WORK, "rec")
for option in (
    "destructive",
    "record=" + FILE,
    "bufsize=4g",
    "unwindsize=1g",
    "libdir=/tmp",
    "maxcpu=100%",
    "oformat=text",
    "cpppath=/bin/true",
    "confined=unset",
):
    r = live.dwell("-x", "confined", "-x", "errtags", "-n", f"#pragma D option {option}\nBEGIN {{ exit(0); }}")
    live.check(r.returncode == 1 and "D_PRAGMA_OPTSET" in r.stderr and "confined" in r.stderr, option, r.stderr)
live.check(not os.path.exists(FILE), "no file was made")
r = live.dwell("-x", "confined", "-n", 'BEGIN { system("true"); exit(0); }')
live.check(r.returncode == 1 and "estructive" in r.stderr, "system()", r.stderr)
r = live.dwell(
    "-x", "confined", "-n", "#pragma D option quiet\n#pragma D option strsize=16\nBEGIN { trace(1); exit(0); }"
)
live.same((r.returncode, r.stdout), (0, "1\n"), "what changes only the output")
r = live.dwell("-x", "confined", "-x", "bufsize=1m", "-qn", "BEGIN { trace(2); exit(0); }")
live.same((r.returncode, r.stdout), (0, "2\n"), "the command line is not confined")
live.done()
