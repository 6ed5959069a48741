#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what the speed table of the project promises, and prints it as ratios.

usage: bench.py --dwell BIN --trigger BIN --tools FOLDER [--only NAME…] [--json FILE]

Costs in the kernel are run_time_ns/run_cnt of the programs (kernel.bpf_stats), of dwell and of the same
program in C attached to the same tracepoint at the same time: both see the same calls. Slices of the run
give a ratio each; the median of the ratios counts, over several rounds with the order of attaching
exchanged. Nothing is asserted about absolute times: the exit code is 0 when everything could be measured.
"""
import argparse
import itertools
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
sys.dont_write_bytecode = True
import live  # noqa: E402  (the bpf() helpers)

ROUNDS, SLICES, SLICE_S = 4, 8, 0.2
results = []
opts = None


def note(what, got, goal, met):
    """One line of the table. met: True, False, or None (no goal, or nothing to compare with)."""
    results.append({"what": what, "got": got, "goal": goal, "met": met})
    sign = {True: "ok  ", False: "MISS", None: "    "}[met]
    print(f"{sign} {what:58s} {got:34s} {goal}", flush=True)


def median(values):
    return statistics.median(values) if values else float("nan")


def busy():
    """Others need the CPUs: what depends on having one for dwell and one for the load is not judged."""
    return os.getloadavg()[0] > len(os.sched_getaffinity(0)) / 2


# -- programs in the kernel ---------------------------------------------------------------------


class Dwell:
    """dwell running a D program; attached when `up` is printed by BEGIN."""

    def __init__(self, program, *options, output=subprocess.DEVNULL):
        self.marker = tempfile.NamedTemporaryFile("w+", prefix="dwell-bench-")
        self.p = subprocess.Popen(
            [opts.dwell, "-q", *options, "-n", program], stdin=subprocess.DEVNULL, stdout=output, stderr=self.marker
        )
        self.programs = []
        for _ in range(500):
            time.sleep(0.01)
            self.programs = [i for i in owned_programs(self.p.pid) if (live.prog_info(i) or ("", 0, 0, 0))[2] > 0]
            if self.programs or self.p.poll() is not None:
                break
        time.sleep(0.1)
        self.programs = owned_programs(self.p.pid)

    def stop(self):
        self.p.send_signal(2)
        try:
            self.p.wait(20)
        except subprocess.TimeoutExpired:
            self.p.kill()
            self.p.wait()
        self.marker.seek(0)
        return self.marker.read()


class CProgram:
    """A comparison program in C, attached."""

    def __init__(self, name):
        path = os.path.join(opts.tools, name + ".bpf.o")
        self.p = subprocess.Popen(
            [os.path.join(opts.tools, "bpfload"), path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        if self.p.stdout.readline() != "ready\n":
            raise RuntimeError(f"{name}.bpf.o cannot be loaded")
        self.programs = owned_programs(self.p.pid)

    def stop(self):
        self.p.stdin.close()
        self.p.wait()
        return ""


class BpfTrace:
    """The same in bpftrace."""

    def __init__(self, program):
        self.p = subprocess.Popen(
            bpftrace_argv() + [program], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(300):
            time.sleep(0.05)
            self.programs = owned_programs(self.p.pid)
            if self.p.poll() is not None:
                raise RuntimeError("bpftrace has ended; it cannot run: " + program)
            if any((live.prog_info(i) or ("", 0, 0, 0))[2] > 100 for i in self.programs):
                break

    def stop(self):
        self.p.send_signal(2)
        self.p.wait()
        return ""


def bpftrace_argv():
    """bpftrace looks for tracefs below debugfs only: given to it in a mount namespace of its own."""
    debug = "/sys/kernel/debug"
    argv = ["bpftrace", "-q", "-e"]
    if os.path.exists(debug + "/tracing/events") or not os.path.isdir(debug):
        return argv
    return [
        "unshare",
        "-m",
        "sh",
        "-c",
        f"mount -t tmpfs none {debug} && mkdir {debug}/tracing && "
        f"mount -t tracefs none {debug}/tracing; exec \"$@\"",
        "sh",
    ] + argv


def owned_programs(pid):
    found = set()
    try:
        for fd in os.listdir(f"/proc/{pid}/fdinfo"):
            try:
                with open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii") as f:
                    found |= {int(i) for i in re.findall(r"^prog_id:\s*(\d+)", f.read(), re.M)}
            except OSError:
                pass
    except OSError:
        pass
    return sorted(found)


def cost(programs):
    """(time, firings) so far; firings is that of the program that fires most."""
    infos = [i for i in (live.prog_info(p) for p in programs) if i]
    return sum(i[1] for i in infos), max((i[2] for i in infos), default=0)


def slices(subjects):
    """For each subject the ns per firing of each slice."""
    got = [[] for _ in subjects]
    last = [cost(s.programs) for s in subjects]
    for _ in range(SLICES):
        time.sleep(SLICE_S)
        for i, s in enumerate(subjects):
            now = cost(s.programs)
            if now[1] > last[i][1]:
                got[i].append((now[0] - last[i][0]) / (now[1] - last[i][1]))
            last[i] = now
    return got


class Load:
    """A pinned loop of getppid calls."""

    def __init__(self, *args):
        cpu = max(os.sched_getaffinity(0))
        self.p = subprocess.Popen(
            [opts.trigger, *(args or ("getppid", "1000000000"))],
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: os.sched_setaffinity(0, {cpu}),
        )

    def stop(self):
        self.p.kill()
        self.p.wait()


class Switches:
    """Threads that wake each other."""

    def __init__(self):
        self.p = subprocess.Popen(
            ["stress-ng", "--switch", "2", "-q", "-t", "60"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(0.3)

    def stop(self):
        self.p.terminate()
        self.p.wait()


def together(makers, load_of=Load):
    """For each subject the ns per firing of all slices, under one load: all are attached at the same time, in every order equally often, as who comes
    first finds the caches without what all of them look at."""
    got = [[] for _ in makers]
    orders = list(itertools.permutations(range(len(makers))))
    for order in orders * -(-ROUNDS // len(orders)):
        subjects = [makers[i]() for i in order]
        load = load_of()
        time.sleep(0.2)
        try:
            for i, values in zip(order, slices(subjects)):
                got[i] += values
        finally:
            load.stop()
            for s in subjects:
                s.stop()
    return got


def compare(make_a, make_b, load_of=Load):
    """Medians of a and b and of the ratio a/b per slice."""
    a, b = together((make_a, make_b), load_of)
    return median(a), median(b), median([x / y for x, y in zip(a, b)])


def alone(make):
    s, load = make(), Load()
    time.sleep(0.2)
    try:
        return median(slices([s])[0])
    finally:
        load.stop()
        s.stop()


def have_c(name):
    return os.path.exists(os.path.join(opts.tools, name + ".bpf.o"))


def against_c(what, program, name, goal=1.1, options=()):
    if not have_c(name):
        note(what, f"{alone(lambda: Dwell(program, *options)):.0f} ns", "no clang: nothing to compare with", None)
        return
    a, b, ratio = compare(lambda: Dwell(program, *options), lambda: CProgram(name))
    note(what, f"{a:.0f} ns, C {b:.0f} ns: {ratio:.2f}", f"<= {goal:.2f} x C", ratio <= goal)


def against_bpftrace(what, program, script):
    if not shutil.which("bpftrace"):
        return
    a, b, ratio = compare(lambda: Dwell(program), lambda: BpfTrace(script))
    note(what + ", bpftrace", f"{a:.0f} ns, bpftrace {b:.0f} ns: {ratio:.2f}", "< 1 x bpftrace", ratio < 1)


# -- the rows of the table ----------------------------------------------------------------------

COUNT = "syscall:::entry { @[execname] = count(); }"
LATENCY = (
    "syscall:::entry { self->t = timestamp; } syscall:::return /self->t/ "
    "{ @ = quantize(timestamp - self->t); self->t = 0; }"
)


TRACK = """
tracker wakeup (struct task_struct *) { threshold = 10ms; }
tracker offcpu (struct task_struct *) { threshold = 100ms; }
sdt:sched::sched_waking { begin(wakeup, args[0]); }
sdt:sched::sched_switch { end(wakeup, args[2]); end(offcpu, args[2]); }
sdt:sched::sched_switch /!args[0] && args[3]/ { begin(offcpu, args[1]); }
latency:wakeup::slow { slow("waker_tid", args[0]->opener_tid, "waker_comm", args[0]->opener_comm, "stack", args[0]->stack); }
latency:offcpu::slow { slow("stack", args[0]->stack); }
"""


def by_program(subject, prefix):
    """ns per firing of the one program of that name, over some slices."""
    ids = [i for i in subject.programs if live.prog_info(i)[0].startswith(prefix)]
    a = live.prog_info(ids[0])
    time.sleep(SLICES * SLICE_S)
    b = live.prog_info(ids[0])
    return (b[1] - a[1]) / max(b[2] - a[2], 1)


def bench_track():
    """Wake-up and off-CPU trackers under stress-ng --switch."""
    if not shutil.which("stress-ng"):
        return
    if have_c("track"):
        a, b, ratio = compare(lambda: Dwell(TRACK), lambda: CProgram("track"), Switches)
        note(
            "wake-up and off-CPU trackers, per sched_switch with its sched_waking",
            f"{a:.0f} ns, C {b:.0f} ns: {ratio:.2f}",
            "<= 1.10 x C",
            ratio <= 1.1,
        )
    shipped = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "dlib", "latency")
    files = [
        x
        for t in ("wakeup", "offcpu", "block", "irq", "lock", "reclaim")
        for x in ("-s", os.path.join(shipped, t + ".d"))
    ]
    d = Dwell("BEGIN { }", *files)
    load = Switches()
    try:
        for prefix, goal in (("d_sched_swi", 150), ("d_sched_wak_0", 120)):
            ns = by_program(d, prefix)
            note(
                f"the default set of `dwell latency`, {prefix[2:11]}",
                f"{ns:.0f} ns",
                f"<= {goal} ns",
                True if ns <= goal else None if busy() else False,
            )
    finally:
        load.stop()
        d.stop()


def bench_empty():
    if have_c("empty"):
        note("a program that does nothing, in C", f"{alone(lambda: CProgram('empty')):.0f} ns", "", None)


def bench_count():
    against_c("@[execname] = count() per system call", COUNT, "count")
    against_bpftrace("@[execname] = count()", COUNT, "tracepoint:raw_syscalls:sys_enter { @[comm] = count(); }")


def bench_latency():
    against_c("thread-local time stamp + quantize, entry and return", LATENCY, "latency")
    against_bpftrace(
        "time stamp + quantize",
        LATENCY,
        "tracepoint:raw_syscalls:sys_enter { @s[tid] = nsecs; } "
        "tracepoint:raw_syscalls:sys_exit /@s[tid]/ { @ = hist(nsecs - @s[tid]); delete(@s[tid]); }",
    )


PRINTF = 'syscall::getppid:entry { printf("%d %d %d\\n", pid, tid, arg0); }'


def bench_printf():
    with open(os.path.join(tempfile.gettempdir(), "dwell-bench.out"), "w", encoding="ascii") as out:
        if have_c("record"):
            a, b, ratio = compare(lambda: Dwell(PRINTF, output=out), lambda: CProgram("record"))
            got = f"{a:.0f} ns, C {b:.0f} ns: {ratio:.2f}"
        else:
            a = alone(lambda: Dwell(PRINTF, output=out))
            got = f"{a:.0f} ns"
    os.unlink(out.name)
    note("printf of three integers, cost in the probe", got, "<= 1000 ns", a <= 1000)


def bench_records():
    """1 million records per second to a file."""
    path = os.path.join(tempfile.gettempdir(), "dwell-bench.out")
    for threads in ("1", "2"):
        r = subprocess.run(
            [
                opts.dwell,
                "-q",
                "-o",
                path,
                "-n",
                'syscall::getppid:entry /pid == $target/ ' '{ printf("%d %d %d\\n", pid, tid, arg0); }',
                "-c",
                f"{opts.trigger} rate 1000000 3000 {threads}",
            ],
            capture_output=True,
            text=True,
        )
        m = re.search(r"(\d+) calls (\d+) ms", r.stderr)
        with open(path, "rb") as f:
            lines = sum(block.count(b"\n") for block in iter(lambda: f.read(1 << 20), b"")) - 1
        os.unlink(path)
        calls, ms = map(int, m.groups()) if m else (0, 1)
        drops = sum(map(int, re.findall(r"(\d+) drops? on CPU", r.stderr)))
        met = drops == 0 and lines == calls and calls / ms >= 990
        note(
            f"records per second to a file, {threads} thread(s)",
            f"{lines / ms / 1000:.2f} M/s, offered {calls / ms / 1000:.2f}, {drops} drops",
            ">= 1 M/s, no drop",
            None if not met and busy() else met,
        )


def timed(n, *argv):
    r = subprocess.run([os.path.join(opts.tools, "timed"), str(n), *argv], capture_output=True, text=True)
    rows = [list(map(int, l.split())) for l in r.stdout.splitlines()]
    return (median([x[0] for x in rows]) / 1e6, median([x[3] for x in rows]) / 1024) if rows else (float("nan"),) * 2


def bench_start():
    wall, rss = timed(20, opts.dwell, "-qn", "BEGIN{exit(0);}")
    got, goal = f"{wall:.1f} ms", "<= 20 ms"
    size, size_goal = f"{rss:.1f} MB", "<= 15 MB"
    if shutil.which("bpftrace"):
        w, m = timed(5, *bpftrace_argv(), "BEGIN { exit(); }")
        got += f", bpftrace {w:.0f} ms: {wall / w:.2f}"
        size += f", bpftrace {m:.0f} MB: {rss / m:.2f}"
    note("BEGIN{exit(0);} wall", got, goal, wall <= 20)
    note("BEGIN{exit(0);} peak memory", size, size_goal, rss <= 15)


def bench_attach():
    run = 0.2
    wall, _ = timed(5, opts.dwell, "-qn", f"syscall:::entry {{ @ = count(); }} tick-{int(run * 1000)}ms {{ exit(0); }}")
    beyond = wall / 1000 - run
    note("syscall:::entry attach + detach beyond the run", f"{beyond:.3f} s", "<= 0.3 s", beyond <= 0.3)


def bench_tick():
    seconds = 8
    r = subprocess.run(
        [
            opts.dwell,
            "-qn",
            "tick-1ms { @[timestamp / 1000000000] = count(); } "
            f"tick-{seconds}s {{ exit(0); }} END {{ printa(\"%d %@d\\n\", @); }}",
        ],
        capture_output=True,
        text=True,
    )
    rows = sorted(tuple(map(int, l.split())) for l in r.stdout.splitlines() if l)[1:-1]
    got = median([n for _, n in rows])
    missed = re.findall(r"(\d+) timer firings? missed", r.stderr)
    note(
        "tick-1ms, median second",
        f"{got:.0f} of 1000, {sum(map(int, missed))} of {seconds * 1000} missed (counted)",
        ">= 990",
        got >= 990,
    )


def bench_read():
    """From the end of the target to the end of dwell, with 100,000 keys, less the same with one key."""
    keys = 100000

    def run(func, n, size):
        wall, cpu, drops = [], [], 0
        for _ in range(3):
            # Several rounds: a burst of new keys with large values finds the kernel's allocator empty.
            p = subprocess.Popen(
                [
                    opts.dwell,
                    "-q",
                    "-x",
                    "aggrate=1h",
                    "-x",
                    "aggsize=" + size,
                    "-n",
                    f"syscall::lseek:entry /pid == $target/ {{ @k[arg1] = {func}; }} " "END { trunc(@k); }",
                    "-c",
                    f"{opts.trigger} keys {n} 20",
                ],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            out, err = p.stdout.read(), p.stderr.read()
            _, _, ru = os.wait4(p.pid, 0)  # of dwell and its target
            end = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            stamp, target_us = map(int, out.split()[:2])
            wall.append((end - stamp) / 1e9)
            cpu.append(ru.ru_utime + ru.ru_stime - target_us / 1e6)
            drops = sum(map(int, re.findall(r"(\d+) aggregation drops?", err)))
        return min(wall), min(cpu), drops

    for func, size, goal in (("count()", "16m", 0.1), ("quantize(arg1)", "256m", 0.6)):
        (wall, cpu, drops), (wall1, cpu1, _) = run(func, keys, size), run(func, 1, size)
        got = cpu - cpu1 if busy() else wall - wall1
        lost = f", {drops} of {keys * 20} lost (counted)" if drops else ""
        note(
            f"reading {keys} keys of {func}",
            f"{wall - wall1:.3f} s, CPU {cpu - cpu1:.3f} s{lost}",
            f"<= {goal} s" + (" (CPU time: busy)" if busy() else ""),
            got <= goal,
        )


def call_cost(*args, program=None):
    """ns of a call of uprobed's function: the median of some slices, with a D program on it or not."""
    p = subprocess.Popen([os.path.join(opts.tools, "uprobed"), *args], stdout=subprocess.PIPE, text=True)
    d = None
    try:
        if program:
            d = subprocess.Popen(
                [opts.dwell, "-q", "-p", str(p.pid), "-n", program], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
            )
            for _ in range(500):
                time.sleep(0.01)
                if any((live.prog_info(i) or ("", 0, 0, 0))[2] > 100 for i in owned_programs(d.pid)):
                    break
        for _ in range(5):
            p.stdout.readline()
        return median([float(p.stdout.readline()) for _ in range(15)])
    finally:
        if d:
            d.send_signal(2)
            d.wait(20)
        p.kill()
        p.wait()


def bench_uprobe():
    base = call_cost()
    for what, bare, program in (
        ("entry", "bare", "pid$target:a.out:uprobed_target:entry { @ = count(); }"),
        ("return", "bare-ret", "pid$target:a.out:uprobed_target:return { @[arg1 & 1] = count(); }"),
    ):
        c, d = [], []
        for _ in range(3):
            c.append(call_cost(bare) - base)
            d.append(call_cost(program=program) - base)
        a, b = median(c), median(d)
        note(
            f"pid$target {what} against an empty uprobe in C",
            f"{b / 1000:.2f} us, {a / 1000:.2f} us: {b / a:.2f}",
            "<= 1.3",
            b / a <= 1.3 or (None if busy() else False),
        )


def bench_functions():
    n = 10000
    if not shutil.which("cc"):
        note(f"{n} functions attached and detached", "no C compiler", "", None)
        return
    with tempfile.TemporaryDirectory(prefix="dwell-bench-") as d:
        with open(os.path.join(d, "many.c"), "w", encoding="ascii") as f:
            f.write("".join(f"int fn_{i}(int x) {{ return x + {i}; }}\n" for i in range(n)))
            f.write("#include <unistd.h>\nint main(void) { pause(); return 0; }\n")
        subprocess.run(["cc", "-o", os.path.join(d, "many"), os.path.join(d, "many.c")], check=True)
        p = subprocess.Popen([os.path.join(d, "many")])
        time.sleep(0.1)
        try:

            def run(glob):
                return (
                    timed(
                        5,
                        opts.dwell,
                        "-qp",
                        str(p.pid),
                        "-n",
                        f"pid$target:a.out:{glob}:entry {{ @ = count(); }} tick-1ms {{ exit(0); }}",
                    )[0]
                    / 1000
                )

            one, all_of_them = run("fn_1"), run("fn_*")
        finally:
            p.kill()
            p.wait()
    beyond = all_of_them - one
    note(
        f"{n} functions attached and detached, beyond one",
        f"{beyond:.3f} s ({all_of_them:.3f} s in all)",
        "<= 0.3 s",
        beyond <= 0.3,
    )


def bench_keys():
    against_c(
        "a 256-byte key",
        'string s; BEGIN { s = "text"; } syscall:::entry { @[s] = count(); }',
        "wide",
        1.1,
        ("-x", "strsize=255"),
    )
    a, b, ratio = compare(
        lambda: Dwell(COUNT), lambda: Dwell('string s; BEGIN { s = "text"; } syscall:::entry { @[s] = count(); }')
    )
    note("a 16-byte key (execname) against 256 bytes", f"{a:.0f} ns, {b:.0f} ns: {ratio:.2f}", "< 1", ratio < 1)


def walk_costs(what):
    """Medians of what a stack of 31 frames costs beyond a program that takes none, and of the ratio of
    unwinding tables to frame pointers: all attached at the same time. System calls of other processes, which the
    programs leave at once, count as well: only the ratio holds while there are many."""
    program = os.path.join(os.path.dirname(opts.trigger), "unwind")
    cpu = max(os.sched_getaffinity(0))
    p = subprocess.Popen([program, what, "1", "1000000000000"], preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
    clause = f"syscall::getppid:entry /pid == {p.pid}/ {{ @ = max(%s); }}"
    makers = [("1",), ("ustackdepth",), ("ustackdepth", "-x", "ustackunwind=fp")]
    tables, ratios = [], []
    try:
        for n in range(ROUNDS):
            order = [(n + i) % len(makers) for i in range(len(makers))]
            subjects = [Dwell(clause % makers[i][0], "-p", str(p.pid), *makers[i][1:]) for i in order]
            try:
                got = dict(zip(order, slices(subjects)))
            finally:
                for s in subjects:
                    s.stop()
            for none, eh, fp in zip(got[0], got[1], got[2]):
                tables.append(eh - none)
                ratios.append((eh - none) / (fp - none))
    finally:
        p.kill()
        p.wait()
    return median(tables), median(ratios)


def bench_unwind():
    """A stack of 31 frames of different functions by unwinding tables; and how long tables take to make."""
    walk, _ = walk_costs("different")
    note(
        "a user stack of 31 frames by tables",
        f"{walk / 1000:.2f} us, {walk / 31:.0f} ns a frame",
        "<= 3 us",
        None if busy() else walk <= 3000,
    )
    walk, ratio = walk_costs("different-fp")
    note("the same with frame pointers, against bpf_get_stack()", f"{walk / 1000:.2f} us: {ratio:.2f}", "", None)
    found = subprocess.run(
        ["find", "/", "-xdev", "-type", "f", "-size", "+20M", "-name", "*.so*", "-printf", "%s %p\\n"],
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    files = [l.split(" ", 1)[1] for l in sorted(found, key=lambda l: -int(l.split()[0]))[:12]]
    made = subprocess.run(
        [os.path.join(opts.tools, "unwindtab"), *files], capture_output=True, text=True
    ).stdout.splitlines()
    made = sorted((l.split(" ", 4) for l in made), key=lambda m: -int(m[1]))
    if made:
        ms, rows, buckets, size, path = made[0]
        note(
            f"the table of {os.path.basename(path)[:24]} ({int(size) >> 20} MB)",
            f"{float(ms):.0f} ms, {rows} rows, {(int(rows) + int(buckets)) * 8 >> 10} KiB",
            "<= 1 s",
            float(ms) <= 1000,
        )


def bench_recording():
    """An hour of ten million events: about a gigabyte for half a minute."""
    with tempfile.TemporaryDirectory(prefix="dwell-rec-", dir=os.environ.get("TMPDIR")) as folder:
        out = subprocess.run(
            [f"{opts.tools}/recbench", f"{folder}/x.dwell"], capture_output=True, text=True, check=True
        ).stdout
    r = json.loads(out)
    note("recording of 10 million events: open", f"{r['open_ms']:.1f} ms", "<= 1 s", r["open_ms"] <= 1000)
    for what in ("a cell by key", "slow events of a cell", "heat map of the hour", "events of a second"):
        note(f"recording: {what}", f"{r[what]['ms']:.1f} ms", "<= 100 ms", r[what]["ms"] <= 100)


BENCHES = {
    "empty": bench_empty,
    "count": bench_count,
    "latency": bench_latency,
    "track": bench_track,
    "printf": bench_printf,
    "records": bench_records,
    "start": bench_start,
    "attach": bench_attach,
    "tick": bench_tick,
    "read": bench_read,
    "keys": bench_keys,
    "uprobe": bench_uprobe,
    "functions": bench_functions,
    "unwind": bench_unwind,
    "recording": bench_recording,
}


def begin():
    """Has the kernel keep statistics of BPF programs, while the descriptor is open that is given back; None: it cannot, and why is said."""
    if os.geteuid() != 0:
        print("SKIP needs root")
        return None
    stats, _ = live.bpf(live.ENABLE_STATS, b"\0" * 4)
    if stats < 0:
        print(f"SKIP the kernel gives no statistics of BPF programs: {os.strerror(-stats)}")
        return None
    return stats


def finish(stats):
    """The end of begin(); the results, where --json wants them; and the load, which may be why goals were missed."""
    os.close(stats)
    if opts.json:
        with open(opts.json, "w", encoding="ascii") as f:
            json.dump(results, f, indent=1)
    print(
        f"load average {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} CPUs"
        + (": others need them" if busy() else "")
    )


def main():
    global opts
    parser = argparse.ArgumentParser()
    parser.add_argument("--dwell", required=True, type=os.path.abspath)
    parser.add_argument("--trigger", required=True, type=os.path.abspath)
    parser.add_argument("--tools", required=True, type=os.path.abspath)
    parser.add_argument("--only", nargs="*", choices=BENCHES)
    parser.add_argument("--json")
    opts = parser.parse_args()
    stats = begin()
    if stats is None:
        return 77
    failed = 0
    for name in opts.only or BENCHES:
        try:
            BENCHES[name]()
        except Exception as e:  # noqa: one that cannot be measured must not hide the others
            failed += 1
            note(name, f"could not be measured: {e!r}", "", False)
    finish(stats)
    missed = [r["what"] for r in results if r["met"] is False]
    print(f"{sum(r['met'] is True for r in results)} goals met, {len(missed)} missed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
