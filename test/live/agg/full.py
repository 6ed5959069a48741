# SPDX-License-Identifier: Apache-2.0
"""A full aggregation: the losses are counted exactly, and said."""
import re

import live

r = live.dwell(
    "-q",
    "-x",
    "aggsize=64k",
    "-n",
    "syscall::lseek:entry /pid == $target && (int)arg0 == -1/ { @k[arg1] = count(); @all = count(); }"
    'END { printa("all %@d\\n", @all); printa("key %@d\\n", @k); }',
    "-c",
    live.TRIGGER + " keys 20000",
)
kept = r.stdout.count("key ")
lost = sum(map(int, re.findall(r"(\d+) aggregation drops? on CPU", r.stderr)))
live.check(0 < kept < 20000, f"the aggregation was full ({kept} kept)", r.stdout[:200] + r.stderr)
live.same(kept + lost, 20000, "kept + drops = offered")
live.check("all 20000" in r.stdout, "the other aggregation lost nothing", r.stdout[:200])
live.done()
