# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while functions of the kernel are being attached, in a guest: dwell ends, nothing is left, and the machine is as quick as before.

How long it may take is told by a session that is left alone: attaching and detaching all of the same functions.
"""
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../live"))
import live  # noqa: E402

ALL = "fbt:::entry, fbt:::return { @ = count(); }"
SOME = "fbt::tcp_*:entry { @ = count(); }"  # where they are attached one at a time
SHARES = (0.1, 0.4, 0.8)  # of the time that attaching takes
SHARE_SINGLE = (0.4,)
SECS = 150
LEFT_SECS = 20  # what the kernel may take until it has freed what was closed
SLOWER, CALM_SECS = 2, 15  # times slower, for as long: it is sluggish
BAD = re.compile(r"WARNING:|BUG:|Oops|stall|lockup|hung task|Call Trace")
KPROBES = "/sys/kernel/debug/kprobes/list"
PLACES = ("/sys/kernel/tracing/enabled_functions", KPROBES)


def lines(path):
    try:
        with open(path, encoding="ascii", errors="replace") as f:
            return f.read().splitlines()
    except OSError:
        return []


def places():
    return sum(len(lines(p)) for p in PLACES)


def calls_per_second():
    """The best of three: what one thread can do while nobody else has the CPU."""
    best = 0
    for _ in range(3):
        n, end = 0, time.monotonic() + 0.2
        while time.monotonic() < end:
            os.getppid()
            os.sched_yield()
            n += 1
        best = max(best, n / 0.2)
    return best


def slower_than(speed):
    """How much slower calls are: the least within a while, as others may have the CPU."""
    least, end = 0, time.monotonic() + CALM_SECS
    while not least or (least > SLOWER and time.monotonic() < end):
        least = min(filter(None, (least, speed / max(calls_per_second(), 1))))
    return least


def log():
    out = subprocess.run(["dmesg"], capture_output=True, text=True, check=False, errors="replace").stdout
    return [l for l in out.splitlines() if BAD.search(l)]


class Session:
    """dwell with the functions of a program; `began`: when it said that it attaches them, or when the first kprobe is there."""

    def __init__(self, opt, program, multi):
        before = len(lines(KPROBES))
        self.p = subprocess.Popen(
            [opt.dwell, "-q", "-x", "switchrate=50ms", "-n", program + ' tick-20ms /!n++/ { printf("attached\\n"); }'],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        os.set_blocking(self.p.stdout.fileno(), False)
        self.out, self.err = b"", b""
        while multi and b"being attached" not in self.err and self.p.poll() is None:
            self.err += os.read(self.p.stderr.fileno(), 4096)
        while not multi and len(lines(KPROBES)) <= before and self.p.poll() is None:
            time.sleep(0.02)
        self.began = time.monotonic()

    def is_attached(self):
        self.out += self.p.stdout.read() or b""
        return b"attached" in self.out

    def wait_attached(self):
        """Seconds since the first function was patched."""
        while not self.is_attached() and self.p.poll() is None and time.monotonic() - self.began < SECS:
            time.sleep(0.02)
        return time.monotonic() - self.began

    def interrupt(self):
        """Ctrl-C: seconds until it has ended (None: it has not), and its messages."""
        at = time.monotonic()
        self.p.send_signal(signal.SIGINT)
        os.set_blocking(self.p.stdout.fileno(), True)
        try:
            err = (self.err + self.p.communicate(timeout=SECS)[1]).decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            self.p.kill()
            self.p.communicate()
            return None, ""
        return time.monotonic() - at, err


def left(before, count):
    """What is there that was not, after a while."""
    end = time.monotonic() + LEFT_SECS
    while (live.attached() - before or places() > count) and time.monotonic() < end:
        time.sleep(0.2)
    return [f"left: {sorted(live.attached() - before)[:5]}, places {places()}, before {count}"] * (
        bool(live.attached() - before) or places() > count
    )


def check(opt, say, multi):
    program = ALL if multi else SOME
    before, count, speed, said = live.attached(), places(), calls_per_second(), len(log())
    s = Session(opt, program, multi)
    attach = s.wait_attached()
    detach, err = s.interrupt()
    whole = f"attached in {attach:.1f} s, detached in {detach or -1:.1f} s"
    say(detach is not None and s.p.returncode == 0, f"Ctrl-C: a session left alone, {whole}", err.splitlines()[:4])
    for share in SHARES if multi else SHARE_SINGLE:
        s = Session(opt, program, multi)
        time.sleep(share * attach)
        done = s.is_attached()
        took, err = s.interrupt()
        most = (attach / 2 if multi else 1) + 2 * (detach or 0) + 1  # a call that attaches thousands cannot be ended
        why = [] if took is not None and took <= most else [f"it took {took} s, more than {most}"]
        why += [f"exit status {s.p.returncode}: {err[:300]}"] if s.p.returncode not in (0, 130) else []
        why += left(before, count)
        slower = slower_than(speed)
        why += [f"the machine is {slower:.1f} times slower"] if slower > SLOWER else []
        what = "all are attached" if done else "they are being attached"
        say(
            not why,
            f"Ctrl-C after {share:.0%} of that, while {what}: {took or -1:.1f} s, calls {slower:.2f} times slower",
            why,
        )
    bad = log()[said:]
    say(not bad, "Ctrl-C: the kernel says nothing", bad[:6])
