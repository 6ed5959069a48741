# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""jstack() of Python, Node and Java in a container: with pids and file systems of their own, and files that are nowhere else."""
import os
import platform
import shutil
import subprocess
import time
import jvms
import live

if platform.machine() != "x86_64" or not shutil.which("unshare"):
    print("# no unshare here, or user stacks are not walked as on x86-64")
    raise SystemExit(77)
HOMES = jvms.homes()[:1] if shutil.which("javac") else []
FILES = {
    "after.py": "import os, time\nf = os.open('a.dat', os.O_RDWR | os.O_CREAT)\ndef after():\n    for i in range(150): os.fsync(f); time.sleep(0.01)\nafter()\n",
    "after.js": """const fs = require("fs"), f = fs.openSync("b.dat", "w"); let n = 0;
function after() { fs.fsyncSync(f); if (n++ < 150) setTimeout(after, 10); }
after();
""",
    "After.java": """public class After {
  static void after(java.io.RandomAccessFile f) throws Exception { for (int i = 0; i < 150; i++) { f.getFD().sync(); Thread.sleep(10); } }
  public static void main(String[] a) throws Exception { after(new java.io.RandomAccessFile("c.dat", "rw")); }
}
""",
}
FOLDER = os.path.join(live.WORK, "files")
os.mkdir(FOLDER)
for name, text in FILES.items():
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as f:
        f.write(text)
commands, want = ["/usr/bin/python3 after.py"], {"python3": "after at /mnt/after.py:4"}
if shutil.which("node"):
    commands.append("node after.js")
    want["node"] = "after at /mnt/after.js:2:23"
if HOMES:
    subprocess.run(["javac", "--release", "17", "-d", FOLDER, FOLDER + "/After.java"], check=True)
    commands.append(HOMES[0] + "/bin/java -cp . After")
    want["java"] = "After.after at After.java:2"
SCRIPT = os.path.join(live.WORK, "inside.sh")
with open(SCRIPT, "w", encoding="utf-8") as f:
    f.write(f"mount -t tmpfs x /mnt\ncp {FOLDER}/* /mnt\ncd /mnt\n" + "".join(c + " &\n" for c in commands) + "wait\n")
d = subprocess.Popen(
    [live.DWELL, "-x", "aggrate=100ms", "-x", "switchrate=50ms", "-qn"]
    + [
        'BEGIN { printf("begun\\n"); } syscall::fsync:entry /pid_inside != pid && pid_inside < 100/ { @[execname, jstack(80)] = count(); }'
    ],
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    text=True,
)
d.stdout.readline()
subprocess.run(["unshare", "-p", "-m", "-f", "--mount-proc", "sh", SCRIPT], check=True)
time.sleep(0.3)
d.send_signal(2)
out, err = d.communicate(timeout=60)
for name, frame in want.items():
    found, which, at = 0, "", False
    for line in map(str.strip, out.splitlines()):
        if line in want:
            which, at = line, False
        elif line.isdigit():
            found += int(line) if which == name and at else 0
        at = at or line == frame
    live.check(found > 75, f"{name}: {frame}", (found, err, out[-3000:]))
live.done()
