# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""The daemon with the capabilities of its systemd unit, as a user other than root: it records, with names; dwell ctl reaches it."""
import os
import re
import sqlite3
import subprocess
import sys
import time

import live

if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
    print("a mount namespace of its own cannot be had (in a chroot that is no mount point)")
    sys.exit(77)
os.chdir(live.WORK)
UNIT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../tools/dwell-latency.service.in")
USER = "4242"
RUN = "/run/dwell-latency"
names = re.search(r"^CapabilityBoundingSet=(.*)$", open(UNIT, encoding="ascii").read(), re.M).group(1).split()
caps = "-all," + ",".join("+" + n.removeprefix("CAP_").lower() for n in names)
os.mkdir("state")
os.chmod("state", 0o700)
os.chown("state", int(USER), int(USER))
made = not os.path.exists(RUN)
if made:
    os.mkdir(RUN)
    os.chown(RUN, int(USER), int(USER))
# systemd's machines have tracefs mounted
before = [
    "unshare",
    "-m",
    "sh",
    "-c",
    'mount -t tracefs none /sys/kernel/tracing 2>/dev/null; exec "$@"',
    "sh",
    "setpriv",
    "--reuid",
    USER,
    "--regid",
    USER,
    "--clear-groups",
    "--no-new-privs",
    "--bounding-set",
    caps,
    "--inh-caps",
    caps,
    "--ambient-caps",
    caps,
]
try:
    with live.Daemon("--over", "5ms", "--metrics", "0", before=before, env={"XDG_RUNTIME_DIR": RUN}) as d:
        status = open(f"/proc/{d.p.pid}/status", encoding="ascii").read()
        live.check(f"Uid:\t{USER}\t{USER}" in status, "not root", status)
        for _ in range(20):
            subprocess.run(["sleep", "0.02"], check=True)
        time.sleep(6)
        live.check(d.metrics()['dwell_slow_events_total{tracker="offcpu"}'] > 10, "slow events", d.messages())
        if made:
            r = live.dwell("ctl", d.p.pid, "set", "offcpu.threshold=7ms")
            live.same(r.stdout + r.stderr, "offcpu.threshold=7ms\n", "dwell ctl")
        live.same(d.end(), 0, "ends")
        db = sqlite3.connect(d.files()[0])
        found, all_ = db.execute("SELECT sum(found), count(*) FROM symbol WHERE space = 0").fetchone()
        live.check(all_ > 10 and found > all_ / 2, "addresses have names", f"{found} of {all_}")
finally:
    if made:
        subprocess.run(["rm", "-r", RUN], check=False)
live.done()
