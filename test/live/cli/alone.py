# SPDX-License-Identifier: Apache-2.0
"""The binary alone, copied to an empty folder: library, tools, trackers, rules of causes and pictures are inside."""
import os
import shutil
import subprocess

import live

folder = os.path.join(live.WORK, "alone")
os.mkdir(folder)
alone = shutil.copy(live.DWELL, folder + "/dwell")


def run(*args):
    return subprocess.run(
        [alone, *args], cwd=folder, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL
    )


r = run("-qn", "BEGIN { printf(\"%s %s\\n\", errno_name[2], curpsinfo->pr_fname); exit(0); }")
live.same((r.returncode, r.stdout.strip()), (0, "ENOENT dwell"), "the D library: " + r.stderr)
r = run("-qs", "opensnoop.d", "-c", "cat /etc/hostname")
live.check(r.returncode == 0 and "/etc/hostname" in r.stdout, "a tool by its name", f"{r}")
r = run("why", "--for", "1s")
live.check(r.returncode == 0 and "WAIT" in r.stdout.upper() and not r.stderr, "trackers and causes", f"{r}")
with live.busy_cpus():
    r = run("flame", "--on-cpu", "--for", "500ms", "-o", "cpu.svg")
live.check(r.returncode == 0 and os.path.getsize(folder + "/cpu.svg") > 1000, "a picture", f"{r}")
live.same(sorted(os.listdir(folder)), ["cpu.svg", "dwell"], "nothing else was written")
other = os.path.join(folder, "lib")
os.mkdir(other)
r = run("-x", "syslibdir=" + other, "-qn", "BEGIN { trace(errno_name[2]); exit(0); }")
live.check(r.returncode == 1 and "errno_name" in r.stderr, "a folder that is given goes before it", f"{r}")
os.mkdir(os.path.join(folder, "dlib"))
with open(folder + "/dlib/mine.d", "w", encoding="ascii") as f:
    f.write("inline int of_the_folder = 42;\n")
r = run("-qn", "BEGIN { exit(of_the_folder); }")
live.same(r.returncode, 42, "the folder dlib beside the binary, too: " + r.stderr)
live.done()
