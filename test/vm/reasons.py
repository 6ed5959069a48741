#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What dwell says where something is missing: BTF, tracefs, /sys, /proc, capabilities, a low perf_event_paranoid,
lockdown. Every command says one line that names the cause and what helps, and `dwell features` agrees with what works.

Here (usage: reasons.py --dwell BIN --trigger BIN) in rooms that change nothing of the machine; in a guest, by run_vm,
in all of them. TAP.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

SECS = 60
PARANOID = "/proc/sys/kernel/perf_event_paranoid"
LOCKDOWN = "/sys/kernel/security/lockdown"
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
TYPES = r"type information \(BTF"
TRACEFS = r"tracefs cannot be read: /sys/kernel/tracing is for root; .*CAP_DAC_READ_SEARCH"
# What shipped programs are run as; "latency" and its like want groups of tracepoints, all want types.
GROUPED = ["latency --for 1s", "latency --daemon --state {state} --for 1s", "timeline --text --for 1s"]
PLAIN = [
    "latency why --for 1s",
    "latency stuck",
    "flame --on-cpu --for 1s -o /dev/null",
    "flame --off-cpu --for 1s -o /dev/null",
]
HELLO = 'BEGIN { printf("hello"); exit(0); }'
TICK = "tick-10ms { exit(0); }"
TYPED = "syscall::getppid:entry /pid == $target/ { trace(stringof(curthread->group_leader->comm)); }"


def caps(names):
    text = ",".join("+" + n for n in names.split())
    return (
        NOBODY + ["--inh-caps=" + text, "--ambient-caps=" + text]
        if names
        else NOBODY + ["--inh-caps=-all", "--bounding-set=-all"]
    )


def mounts(script):
    return ["unshare", "-m", "sh", "-c", script + ' && exec "$@"', "sh"]


class Room:
    """wrap: what runs the commands. ok: programs that work; refused: [(pattern, programs or commands)] that do not."""

    def __init__(self, name, wrap, ok=(), refused=(), guest=False, paranoid=None, lockdown=None, when=lambda: True):
        self.name, self.wrap, self.ok, self.refused = name, wrap, ok, refused
        self.guest = guest  # only there: it changes the machine
        self.paranoid, self.lockdown, self.when = paranoid, lockdown, when


def release():
    return tuple(int(n) for n in re.findall(r"\d+", os.uname().release)[:2])


def paranoid():
    with open(PARANOID, encoding="ascii") as f:
        return int(f.read())


def rooms(empty):
    every = GROUPED + PLAIN
    bpf = "bpf perfmon" if release() >= (5, 11) else "bpf perfmon sys_resource"  # for RLIMIT_MEMLOCK
    return [
        Room("root", [], ok=[HELLO, TICK]),
        Room(
            "no BTF",
            mounts(f"mount --bind {empty} /sys/kernel/btf"),
            ok=[HELLO, TICK, "syscall::getppid:entry /pid == $target/ { exit(0); }"],
            refused=[(TYPES, every + ["sdt:::sched_switch { exit(0); }", "proc:::exec-success { exit(0); }", TYPED])],
        ),
        Room(
            "no /sys",
            mounts("mount -t tmpfs none /sys"),
            ok=[HELLO, TICK, "syscall:::entry { @ = count(); exit(0); }"],
            refused=[(TYPES + r".*/sys is not mounted", every)],
        ),
        Room(
            "no /proc",
            mounts("mount -t tmpfs none /proc"),
            ok=[HELLO],
            refused=[(r"/proc is not mounted", ["latency --for 1s"])],
        ),
        Room("nobody", caps(""), refused=[(r"CAP_BPF and CAP_PERFMON are missing", every + [HELLO, TICK])]),
        Room(
            "a user namespace",
            NOBODY + ["unshare", "-Ur"],
            refused=[(r"a user namespace only", every[:1] + PLAIN[:1] + [HELLO])],
            when=lambda: subprocess.run(
                NOBODY + ["unshare", "-Ur", "true"], check=False, stderr=subprocess.DEVNULL
            ).returncode
            == 0,
        ),
        Room("CAP_BPF", caps("bpf"), refused=[(r"\(CAP_PERFMON is missing\)", [HELLO, GROUPED[0]])]),
        Room("CAP_PERFMON", caps("perfmon"), refused=[(r"\(CAP_BPF is missing\)", [HELLO, GROUPED[0]])]),
        Room(
            "CAP_SYS_ADMIN", caps("sys_admin" if release() >= (5, 11) else "sys_admin sys_resource"), ok=[HELLO, TICK]
        ),
        Room(
            "CAP_BPF, CAP_PERFMON",
            mounts("{ mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null; true; }") + caps(bpf),
            ok=[HELLO, TICK],
            refused=[(TRACEFS, GROUPED + ["sdt:sched::sched_switch { exit(0); }"])],
            paranoid=2,
            when=lambda: paranoid() <= 2 or in_guest(),
        ),
        Room(
            "CAP_BPF, CAP_PERFMON, no tracefs",
            mounts("{ umount /sys/kernel/debug/tracing /sys/kernel/debug /sys/kernel/tracing 2>/dev/null; true; }")
            + caps(bpf + " dac_read_search"),
            refused=[(r"tracefs is not mounted.*mount -t tracefs tracefs /sys/kernel/tracing", GROUPED)],
            paranoid=2,
            when=lambda: paranoid() <= 2 or in_guest(),
        ),
        Room(
            "CAP_BPF, CAP_PERFMON, kernel.perf_event_paranoid=3",
            caps(bpf),
            ok=[HELLO],
            refused=[
                (
                    r"kernel.perf_event_paranoid is 3 here, which asks for CAP_SYS_ADMIN; have it, or set kernel.perf_event_paranoid=2",
                    [TICK] + PLAIN[2:3],
                ),
                (TRACEFS, GROUPED[:1] + PLAIN[3:]),
            ],
            paranoid=3,
            guest=True,
        ),
        Room(
            "nobody, kernel.perf_event_paranoid=4",
            caps(""),
            refused=[
                (
                    r"timers \(profile, tick\) CAP_SYS_ADMIN or the setting kernel.perf_event_paranoid=2, which is 4 here",
                    [HELLO],
                )
            ],
            paranoid=4,
            guest=True,
        ),
        Room(
            "lockdown=integrity",
            [],
            ok=[HELLO, TICK, TYPED],
            guest=True,
            lockdown="integrity",
            refused=[(r"copyout.*lockdown", ["-w syscall::write:entry { copyoutstr(\"a\", arg1, 1); }"])],
        ),
        Room(
            "lockdown=confidentiality",
            [],
            ok=[HELLO, TICK],
            guest=True,
            lockdown="confidentiality",
            refused=[
                (
                    r"kernel lockdown is confidentiality",
                    GROUPED
                    + PLAIN[1:]
                    + [
                        "syscall::getppid:entry /pid == $target/ { trace(stringof((char *)curthread->comm)); "
                        "trace(*(int *)&curthread->group_leader->pid); }"
                    ],
                )
            ],
        ),
    ]


# Rows of `dwell features` and a program that works just where the row says yes.
ROWS = {
    "BPF programs": HELLO,
    "type information (BTF)": "BEGIN { trace(sizeof (struct task_struct)); exit(0); }",
    "raw tracepoints (syscall)": "syscall:::entry { exit(0); }",
    "typed tracepoints (sdt, proc, io)": "sdt:::sched_switch { exit(0); }",
    "timer samples (profile, tick)": TICK,
    "user probes (pid)": "pid$target:a.out:run_*:entry { exit(0); }",
    "functions of the kernel (fbt)": "fbt::vfs_read:entry /pid == $target/ { exit(0); }",
    "iterator over tasks (iter)": "iter:::task-10ms { exit(0); }",
    "hardware counters (cpc)": "cpc:::cpu_cycles-all-1000000 { exit(0); }",
}
# What a reason is about: the refusal must name the same.
WORDS = [
    "perf_event_paranoid",
    "CAP_PERFMON",
    "CAP_BPF",
    "CAP_SYS_ADMIN",
    "user namespace",
    "BTF",
    "lockdown",
    "CONFIG_KPROBES",
]


def own_lines(err):
    """Without warnings that a tracker of the library is left out on this kernel, and the source lines below them."""
    warned = False
    for line in err.splitlines():
        if line.startswith("dwell: "):
            warned = ": warning: left out: " in line
        if not warned:
            yield line


def in_guest():
    return os.environ.get("DWELL_IN_GUEST") == "1"


class Reasons:
    def __init__(self, dwell, trigger, say):
        self.dwell, self.trigger, self.say = dwell, trigger, say
        self.work = tempfile.mkdtemp(prefix="reasons.")
        os.chmod(self.work, 0o777)
        self.empty = os.path.join(self.work, "empty")
        os.mkdir(self.empty)

    def run(self, room, what):
        """A D program, with -w in front of it, or a command."""
        if re.match(r"(latency|flame|timeline|features)\b", what):
            argv = [self.dwell] + what.format(state=os.path.join(self.work, "state")).split()
        else:
            words = ["-w"] if what.startswith("-w ") else []
            program = what.removeprefix("-w ")
            argv = [self.dwell, "-q", *words, "-n", program]
            if "$target" in program:
                argv += ["-c", f"{self.trigger} getppid 20"]
        try:
            p = subprocess.run(
                [*room.wrap, *argv], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECS, check=False, cwd="/"
            )
        except subprocess.TimeoutExpired:
            return "timeout", "", ""
        return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")

    def check_ok(self, room, what):
        code, _, err = self.run(room, what)
        self.say(code == 0, f"{room.name}: {what} works", [f"exit status {code}", *err.splitlines()[:6]])

    def check_refused(self, room, what, pattern):
        code, out, err = self.run(room, what)
        # A program of the user's has its place shown: two lines, and perhaps a hint.
        err = "\n".join(own_lines(err))
        lines = [l for l in err.splitlines() if l.startswith("dwell: ")]
        limit = 1 if re.match(r"latency|flame|timeline", what) else 2
        why = []
        if code != 1:
            why.append(f"exit status {code}, not 1")
        if not re.search(pattern, err):
            why.append(f"no {pattern!r} in the messages")
        if len(lines) > limit or len(err.splitlines()) > 4 * limit:
            why.append(f"{len(err.splitlines())} lines of messages")
        if out.strip():
            why.append(f"output: {out[:200]!r}")
        self.say(not why, f"{room.name}: {what} says why not", why + err.splitlines()[:6])

    def check_features(self, room):
        code, out, err = self.run(room, "features")
        rows = {}
        for line in out.splitlines():
            m = re.match(r"  (yes|no ) +(.*)", line)
            name = m and next((r for r in ROWS if m.group(2).startswith(r)), None)
            if name:
                rows[name] = (m.group(1) == "yes", m.group(2)[len(name) :].strip())
        self.say(
            code == 0 and set(rows) == set(ROWS),
            f"{room.name}: features has its rows",
            [f"exit status {code}", *err.splitlines()[:4], *sorted(set(ROWS) - set(rows))],
        )
        for name, (there, reason) in rows.items():
            if name == "type information (BTF)" and not rows["BPF programs"][0]:
                continue  # it is there; but there are no programs that could make use of it
            if "BPF programs, see above" in reason:
                reason = rows["BPF programs"][1]
            code, _, err = self.run(room, ROWS[name])
            why = (
                []
                if there == (code == 0)
                else [f"it says {'yes' if there else 'no'}; exit status {code}", *err.splitlines()[:4]]
            )
            if not there:
                why += [
                    f"features names {w}, the refusal does not: {err[:300]!r}"
                    for w in WORDS
                    if w in reason and w not in err
                ]
            self.say(not why, f"{room.name}: features is right about {name}", why)

    def all(self):
        before = paranoid()
        for room in rooms(self.empty):
            if room.guest and not in_guest():
                continue
            if in_guest():
                with open(PARANOID, "w", encoding="ascii") as f:
                    f.write(str(before if room.paranoid is None else room.paranoid))
                if room.lockdown and not self.lock(room):
                    continue
            if not room.when():
                self.say(True, room.name, (), " # SKIP not here")
                continue
            self.check_features(room)
            for what in room.ok:
                self.check_ok(room, what)
            for pattern, whats in room.refused:
                for what in whats:
                    self.check_refused(room, what, pattern)
        subprocess.run(["rm", "-rf", self.work], check=False)

    def lock(self, room):
        try:
            with open(LOCKDOWN, "w", encoding="ascii") as f:
                f.write(room.lockdown)
            return True
        except OSError as e:
            self.say(True, room.name, (), f" # SKIP {e}")
            return False


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--dwell", required=True, type=os.path.abspath)
    p.add_argument("--trigger", required=True, type=os.path.abspath)
    opt = p.parse_args()
    if os.geteuid() != 0:
        print("1..0 # SKIP needs root")
        return int(os.environ.get("DWELL_SKIP_STATUS", 77))
    results = []

    def say(ok, name, why=(), directive=""):
        results.append(ok)
        print(f"{'ok' if ok else 'not ok'} {len(results)} - {name}{directive}")
        for line in why if not ok else ():
            print(f"# {line[:400]}")
        sys.stdout.flush()

    Reasons(opt.dwell, opt.trigger, say).all()
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
