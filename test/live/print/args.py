# SPDX-License-Identifier: Apache-2.0
"""print(args): each argument with its name and value, once; cgroupid() is the number that cgroup has."""
import os
import re
import subprocess

from live import TRIGGER, check, done, dwell, same


def shows(probe, pattern, what):
    r = dwell("-qn", f"{probe} /pid == $target/ {{ print(args); }}", "-c", f"{TRIGGER} getppid 3")
    check(re.search(f"^{pattern}$", r.stdout, re.M), what, f"{r.stdout} {r.stderr}")


shows("syscall::read:entry", r"fd = \d+, buf = 0x[0-9a-f]+, count = \d+", "a system call")
shows("syscall::read:return", r"ret = -?\d+", "a return: the value once")
shows(
    "syscall::read:entry,syscall::pread64:entry",
    r"fd = \d+, buf = 0x[0-9a-f]+, count = \d+",
    "each description by itself",
)
shows(
    "syscall::mmap:entry",
    "addr = [0-9]+, len = [0-9]+, prot = [0-9]+, flags = [0-9]+, fd = -?[0-9]+, off = [0-9]+",
    "names as the kernel has them",
)
shows(
    "sdt:sched::sched_switch",
    "preempt = [01], prev = 0x[0-9a-f]{16}, next = 0x[0-9a-f]{16}, prev_state = [0-9]+",
    "a tracepoint",
)
shows("pid$target:a.out:main:entry", "argc = [0-9]+, argv = 0x[0-9a-f]+", "a function of the program")

MOUNT = next(
    (line.split()[4] for line in open("/proc/self/mountinfo", encoding="utf-8") if " - cgroup2 " in line), None
)
if MOUNT:
    own = os.path.join(MOUNT, f"dwell-test-{os.getpid()}")
    os.mkdir(own)
    try:
        for path in [own] + [own[len(MOUNT) :]] * (MOUNT in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")):
            program = f'syscall::getppid:entry /cgroup == cgroupid("{path}")/ {{ n++; }} END {{ printf("%d %d", n, cgroupid("{path}")); }}'
            p = subprocess.run(
                [
                    "sh",
                    "-c",
                    f'echo $$ > {own}/cgroup.procs; exec "$@"',
                    "sh",
                    os.environ["DWELL"],
                    "-qn",
                    program,
                    "-c",
                    f"{TRIGGER} getppid 3",
                ],
                capture_output=True,
                text=True,
                timeout=20,
            )
            same(p.stdout.split(), ["3", str(os.stat(own).st_ino)], f"cgroupid(\"{path}\"): {p.stderr}")
    finally:
        os.rmdir(own)
done()
