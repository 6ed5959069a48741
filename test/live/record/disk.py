# SPDX-License-Identifier: Apache-2.0
# @timeout: 150
"""Recordings on a disk that is read-only, full from the beginning, gets full, or fails. A run that has begun goes on. A message
tells at once what was lost and where, and so does the exit status. The part that was written before can be read."""
import contextlib
import fcntl
import os
import signal
import sqlite3
import struct
import subprocess
import threading
import time

import live

os.chdir(live.WORK)
LATENCY = ("latency", "offcpu", "--over", "5ms", "--idle", "--every", "1s", "--record")
TICKS = ("-q", "-n", "tick-20ms { printf(\"tick %d\\n\", n++); }", "--record")
EXT4_IOC_SHUTDOWN = 0x8004587D  # _IOR('X', 125, __u32): what is in memory is written, then every write fails


@contextlib.contextmanager
def disk(name, options):
    os.mkdir(name)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", name], check=False).returncode:
        print("# nothing can be mounted here")
        live.done()
    try:
        yield name
    finally:
        subprocess.run(["umount", "-l", name], check=False)


class Run:
    """A dwell that records; what it says, as it says it."""

    def __init__(self, *args):
        self.p = subprocess.Popen([live.DWELL, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.out, self.err = [], []
        self.readers = [
            threading.Thread(target=lambda f=f, to=to: to.extend(f))
            for f, to in ((self.p.stdout, self.out), (self.p.stderr, self.err))
        ]
        for t in self.readers:
            t.start()

    def wait_for(self, text, where, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if any(text in line for line in list(where)):
                return True
            time.sleep(0.05)
        return False

    def end(self):
        self.p.send_signal(signal.SIGINT)
        code = self.p.wait(timeout=30)
        for t in self.readers:
            t.join()
        return code


def slow(path):
    """Slow events and rows of a recording."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        return (
            db.execute("SELECT count(*) FROM slow").fetchone()[0],
            db.execute("SELECT count(*) FROM row").fetchone()[0],
        )


def goes_wrong(name, args, folder, path, make_it, because):
    """Records until make_it(): then the message comes at once, with the place and the reason, and the run goes on to its end."""
    load = subprocess.Popen(["sh", "-c", "while sleep 0.01; do :; done"])
    run = Run(*args, path)
    try:
        live.check(run.wait_for("sleep" if args is LATENCY else "tick 50", run.out), f"{name}: it runs", run.err)
        time.sleep(2)  # rows are committed twice a second
        before = slow(path)
        make_it()
        live.check(
            run.wait_for("the recording is not continued", run.err),
            f"{name}: it is said while the run goes on",
            run.err,
        )
        shown = len(run.out)
        time.sleep(1.5)
        live.check(
            run.p.poll() is None and len(run.out) > shown, f"{name}: and the run goes on", (run.err, run.out[-5:])
        )
    finally:
        load.kill()
        load.wait()
        code = run.end()
    said = "".join(run.err)
    live.check(
        code == 1
        and f"{os.path.abspath(path)}: the recording is not continued: " in said
        and because in said
        and "rows not recorded" in said,
        f"{name}: where, why, how many; status 1",
        (code, said),
    )
    live.check(said.count("not continued") == 1, f"{name}: once", said)
    return before


for args in (TICKS, LATENCY):
    what = args[0] if args is LATENCY else "dwell"
    with disk("ro-" + what, "size=8m") as d:
        subprocess.run(["mount", "-o", "remount,ro", d], check=True)
        r = live.dwell(*args, d + "/x.dwell")
        live.check(
            r.returncode == 1
            and f"cannot create recording {d}/x.dwell: Read-only file system" in r.stderr
            and r.stdout == "",
            f"{what}, a read-only disk: nothing begins",
            r.stderr + r.stdout,
        )
    with disk("no-room-" + what, "size=64k") as d:
        r = live.dwell(*args, d + "/x.dwell")
        live.check(
            r.returncode == 1 and f"{d}/x.dwell: " in r.stderr and "is full" in r.stderr and os.listdir(d) == [],
            f"{what}, no room for a file: nothing begins, nothing is left",
            (r.stderr, os.listdir(d)),
        )
    with disk("small-" + what, "size=6m") as d:

        def fill(d=d):
            with open(d + "/filler", "wb", buffering=0) as f, contextlib.suppress(OSError):
                while True:
                    f.write(b"x" * 4096)

        before = goes_wrong(what + ", a disk that gets full", args, d, d + "/x.dwell", fill, "is full")
        after = slow(d + "/x.dwell")
        live.check(
            after >= before and before[1] > 0,
            f"{what}, a disk that gets full: nothing of what was there is lost",
            (before, after),
        )
        r = live.dwell("report", d + "/x.dwell")
        live.check(
            "was not ended" in r.stderr and len(r.stdout) > 0,
            f"{what}, a disk that gets full: it can be read",
            r.stderr,
        )

# A disk that fails: nothing can be written or read any more; once it is back, all is there that was.
os.mkdir("mnt")
with disk("images", "size=64m"):
    with open("images/disk", "wb") as f:
        f.truncate(48 << 20)
    made = subprocess.run(["mkfs.ext4", "-q", "-F", "images/disk"], capture_output=True, text=True, check=False)
    mount = ["mount", "-o", "loop", "images/disk", "mnt"]
    if made.returncode or subprocess.run(mount, check=False).returncode:
        print("# no ext4, or no loop device: " + made.stderr)
        live.done()
    try:

        def shut_down():
            fd = os.open("mnt", os.O_RDONLY)
            fcntl.ioctl(fd, EXT4_IOC_SHUTDOWN, struct.pack("=I", 0))
            os.close(fd)

        before = goes_wrong("a disk that fails", LATENCY, "mnt", "mnt/x.dwell", shut_down, "disk I/O error")
        subprocess.run(["umount", "mnt"], check=True)
        subprocess.run(mount, check=True)
        after = slow("mnt/x.dwell")
        live.check(
            after >= before and before[0] > 0,
            "a disk that fails: what was written is there when it is back",
            (before, after),
        )
        r = live.dwell("latency", "why", "mnt/x.dwell")
        live.check(
            r.returncode == 0 and "sleep" in live.dwell("latency", "--idle", "mnt/x.dwell").stdout,
            "a disk that fails: and can be asked",
            r.stderr,
        )
    finally:
        subprocess.run(["umount", "-l", "mnt"], check=False)
live.done()
