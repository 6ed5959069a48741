#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the live test cases of one or more folders against the running kernel, with TAP output.

usage: run.py --dwell BIN --trigger BIN [--jobs N] FOLDER|CASE...
With --jobs as many cases run at a time (most of a case is waiting: for the kernel, which takes its time to detach programs), and
after them, one by one, those with the directive @alone: WHY, and those that failed. Several of these runs may go on side by side: no
case runs beside one that is to run alone.

A case is NAME.d, NAME.sh or NAME.py:
  NAME.d    dwell runs it as a script. Directives are comment lines " * @key: value" at its top:
              @options: -q -x strsize=32   options of dwell      @args: a b     script arguments
              @trigger: chain 3            -c 'trigger chain 3'  @timeout: 20   seconds
              @expect-exit: 1              exit code, default 0  @filter: addr  see FILTERS
              @stderr: any                 not compared          @needs: int80  see NEEDS
            NAME.out and NAME.err hold the expected output and messages, after the filters; without
            NAME.out the case wants no output, without NAME.err no messages besides "matched N probes".
            NAME.check, a Python file, is run instead of comparing NAME.out: OUT, ERR, EXIT are given.
  NAME.sh   a shell script that gets DWELL, TRIGGER, WORK (an empty folder) and lib.sh; its output is
            compared with NAME.out when there is one; exit code 0, or 77 to skip.
  NAME.py   the same in Python; `import live` gives helpers. Lines "ok - what"/"not ok - what" count.
"""
import argparse
import concurrent.futures
import contextlib
import fcntl
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SKIP = 77
# Meson takes a status other than 0 beside TAP for an error, and says so by this variable.
SKIP_ALL = int(os.environ.get("DWELL_SKIP_STATUS", SKIP))
DEFAULT_TIMEOUT = 20  # seconds
SLOWEST_SHOWN = 12

# Normalisations by name: what cannot be the same on every machine.
FILTERS = {
    "addr": (r"0x[0-9a-f]+", "0xADDR"),
    "offset": (r"\+0x[0-9a-f]+", "+0xOFF"),
    "ptr": (r"0x[0-9a-f]+ = \*", "{ptr} = *"),
    "ids": (r"^( *\d+) +\d+ ( *\S*:\S+)", r"CPU ID \2"),  # columns CPU and ID
    "cpu": (r"on CPU \d+", "on CPU N"),
    "pc": (r"at BPF pc \d+", "at BPF pc N"),
    "id": (r"\(ID \d+:", "(ID N:"),
    "epid": (r"enabled probe ID \d+", "enabled probe ID N"),
    "spaces": (r"[ \t]+$", ""),
}


def has_int80(opts):
    return subprocess.run([opts.trigger, "int80", "1"]).returncode == 0


def has_data_symbols(opts):
    """Kernels without CONFIG_KALLSYMS_ALL name functions only."""
    return re.search(r"^0*[1-9a-f][0-9a-f]* \w jiffies$", read("/proc/kallsyms"), re.M)


def has_task_storage(opts):
    return subprocess.run([opts.dwell, "-qn", "BEGIN { self->x = 1; exit(0); }"], capture_output=True).returncode == 0


NEEDS = {
    "data-symbols": has_data_symbols,
    "task-storage": has_task_storage,
    "int80": has_int80,
    "jit": lambda opts: os.uname().machine == "x86_64",
    "x86-64": lambda opts: os.uname().machine == "x86_64",
    "cpp": lambda opts: shutil.which("cpp"),
    "two-cpus": lambda opts: len(os.sched_getaffinity(0)) > 1,
    "accept-refused": lambda opts: "not:available" not in listing(opts, "tcp:::accept-refused"),
    "on-cpu": lambda opts: "sched:vmlinux" in listing(opts, "sched:::on-cpu"),
    "shapes": lambda opts: os.path.exists(os.path.join(os.path.dirname(opts.trigger), "shapes")),
}


def listing(opts, probe):
    r = subprocess.run([opts.dwell, "-ln", probe], capture_output=True, text=True)
    return re.sub(r" +", ":", r.stdout)


def read(path, default=None):
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as f:
            return f.read()
    except FileNotFoundError:
        return default


def directives(text):
    found = {}
    for line in text.split("*/")[0].splitlines()[:40] + text.splitlines()[:20]:
        m = re.match(r"[\s/*#]*@([a-z-]+):\s*(.*?)\s*(\*/)?$", line)
        if m:
            found[m.group(1)] = m.group(2)
    return found


def normalise(text, names):
    for name in names:
        pattern, to = FILTERS[name]
        text = re.sub(pattern, to, text, flags=re.M)
    return text


def quiet_messages(text, program):
    """Without the lines that any run may print: what matched, and timers that a busy machine missed."""
    matched = re.compile(
        rf"{program}: (description|script) '.*' matched \d+ probes?(: those of all processes .*)?$|"
        rf"{program}: \d+ timer firings? (?:missed|not made: .*).*$"
    )
    return "".join(l + "\n" for l in text.splitlines() if not matched.match(l))


def difference(what, got, want):
    if got == want:
        return []
    with tempfile.TemporaryDirectory() as d:
        for name, text in (("expected", want), ("got", got)):
            with open(os.path.join(d, name), "w", encoding="utf-8", errors="surrogateescape") as f:
                f.write(text)
        r = subprocess.run(
            [
                "diff",
                "-u",
                "-L",
                "expected " + what,
                "-L",
                "got " + what,
                os.path.join(d, "expected"),
                os.path.join(d, "got"),
            ],
            capture_output=True,
            text=True,
            errors="surrogateescape",
        )
        return (r.stdout or f"{what} differs").splitlines()


class Result:
    """What a case came to: problems (none: passed), or the reason why it was skipped."""

    def __init__(self, problems=(), skip=None, subtests=()):
        self.problems, self.skip, self.subtests = list(problems), skip, list(subtests)


def execute(argv, env, cwd, timeout):
    """(exit code, or "timeout"), stdout, stderr; kills the whole group of processes in the end."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        p = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, cwd=cwd, start_new_session=True
        )
        try:
            code = p.wait(timeout)
        except subprocess.TimeoutExpired:
            code = "timeout"
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        p.wait()
        texts = []
        for f in (out, err):
            f.seek(0)
            texts.append(f.read().decode("utf-8", "surrogateescape"))
    return code, texts[0], texts[1]


def environment(opts, work):
    env = dict(
        os.environ,
        DWELL=opts.dwell,
        TRIGGER=opts.trigger,
        WORK=work,
        LIVE=HERE,
        LC_ALL="C.UTF-8",
        TZ="UTC",
        PYTHONPATH=HERE,
        PYTHONDONTWRITEBYTECODE="1",
    )
    env.pop("LD_LIBRARY_PATH", None)  # of Meson: the loader's search in it would be traced, too
    env["UBSAN_OPTIONS"] = "halt_on_error=1:print_stacktrace=1"
    return env


def run_d(path, opts, work):
    d = directives(read(path))
    for need in d.get("needs", "").split():
        if not NEEDS[need](opts):
            return Result(skip="needs " + need)
    argv = [opts.dwell] + shlex.split(d.get("options", ""))
    if "trigger" in d:
        argv += ["-c", opts.trigger + " " + d["trigger"]]
    argv += ["-s", path] + shlex.split(d.get("args", ""))
    code, out, err = execute(argv, environment(opts, work), work, float(d.get("timeout", DEFAULT_TIMEOUT)))
    problems = []
    if str(code) != d.get("expect-exit", "0"):
        problems.append(f"exit code {code}, expected {d.get('expect-exit', '0')}")
    filters = d.get("filter", "").split()
    base = path[:-2]
    err = normalise(quiet_messages(err, os.path.basename(opts.dwell)), filters)
    err = err.replace(path, os.path.basename(path))
    if os.path.exists(base + ".check"):
        problems += check(base + ".check", out, err, code)
    else:
        problems += difference("stdout", normalise(out, filters), read(base + ".out", ""))
    if d.get("stderr") != "any":
        problems += difference("stderr", err, read(base + ".err", ""))
    elif problems:
        problems += ["stderr: " + l for l in err.splitlines()]
    return Result(problems)


def check(path, out, err, code):
    try:
        exec(compile(read(path), path, "exec"), {"OUT": out, "ERR": err, "EXIT": code, "re": re})
    except Exception as e:  # noqa: a check fails by any exception
        tb = e.__traceback__
        while tb.tb_next:
            tb = tb.tb_next
        line = read(path).splitlines()[tb.tb_lineno - 1] if tb.tb_frame.f_code.co_filename == path else ""
        return [f"{os.path.basename(path)}:{tb.tb_lineno}: {line.strip()}: {e!r}"] + [
            "output: " + l for l in out.splitlines()[:60]
        ]
    return []


def run_script(path, opts, work):
    text = read(path)
    d = directives(text)
    for need in d.get("needs", "").split():
        if not NEEDS[need](opts):
            return Result(skip="needs " + need)
    argv = [sys.executable, path] if path.endswith(".py") else ["sh", "-eu", path]
    code, out, err = execute(argv, environment(opts, work), work, float(d.get("timeout", DEFAULT_TIMEOUT)))
    if code == SKIP:
        return Result(skip=(out + err).strip().replace("\n", "; "))
    problems = []
    if code != 0:
        problems.append(f"exit code {code}")
    subtests = re.findall(r"^((?:not )?ok - .*)$", out, re.M)
    problems += [s for s in subtests if s.startswith("not ok")]
    want = read(path[:-3] + ".out")
    if want is not None:
        problems += difference("stdout", normalise(out, d.get("filter", "").split()), want)
    if problems:
        problems += ["out: " + l for l in [l for l in out.splitlines() if not l.startswith("ok - ")][-60:]]
        problems += ["err: " + l for l in err.splitlines()[-60:]]
    return Result(problems)


def cases(args):
    """Paths of the cases to run, and of those left out for their length."""
    chosen, left_out = [], []
    for a in map(os.path.abspath, args):
        if os.path.isfile(a):
            chosen.append(a)
            continue
        found = [
            os.path.join(a, n) for n in sorted(os.listdir(a)) if n.endswith((".d", ".sh", ".py")) and n != "lib.sh"
        ]
        long = [] if os.environ.get("DWELL_TEST_LONG") else [p for p in found if "long" in directives(read(p))]
        chosen += [p for p in found if p not in long]
        left_out += long
    return chosen, left_out


def unmount_below(folder):
    """A case that was killed may have left mounts behind."""
    for line in read("/proc/self/mounts").splitlines():
        if line.split()[1].startswith(folder + "/"):
            subprocess.run(["umount", "-l", line.split()[1]])


def missing(opts):
    """Why nothing can be tested here, or None."""
    if os.geteuid() != 0:
        return "needs root: the kernel lets only root load tracing programs"
    r = subprocess.run([opts.dwell, "-qn", "BEGIN { exit(0); }"], capture_output=True, text=True)
    why = f"{r.stdout}{r.stderr}".strip()
    if not os.path.exists("/sys/kernel/btf/vmlinux"):
        return "/sys/kernel/btf/vmlinux is missing"
    if r.returncode != 0 and re.search(r"not permitted|not supported by (this|the) kernel", why):
        return "no BPF here: " + why
    return None


def children_cpu():
    """CPU seconds of the processes that were waited for."""
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime


def run_case(path, opts):
    began, used = time.monotonic(), children_cpu()
    with tempfile.TemporaryDirectory(prefix="dwell-live-") as work:
        result = (run_d if path.endswith(".d") else run_script)(path, opts, work)
        unmount_below(work)
    result.seconds, result.cpu = time.monotonic() - began, children_cpu() - used
    return result


class Room:
    """The machine, as the cases of all runs of one build folder share it: those that nobody may disturb have it alone. Two locks: who
    wants it alone keeps the door shut until those inside have left, so that newcomers do not keep it waiting for ever.
    """

    def __init__(self, opts):
        self.base = os.path.join(os.path.dirname(opts.dwell), "live-")

    @contextlib.contextmanager
    def hold(self, alone):
        with open(self.base + "door.lock", "w") as door, open(self.base + "room.lock", "w") as room:
            fcntl.flock(door, fcntl.LOCK_EX)
            fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            if not alone:
                fcntl.flock(door, fcntl.LOCK_UN)
            yield


def run_in_room(path, opts, alone=False):
    with Room(opts).hold(alone):
        return run_case(path, opts)


def results(todo, opts):
    """Path and result of each case. What fails beside others is run again alone: a case that looks at times can fail only since they had the CPUs.
    Those with the longest time limits begin, so that none of them is left at the end with nothing beside it."""
    said = {p: directives(read(p)) for p in todo}
    alone = [p for p in todo if opts.jobs == 1 or "alone" in said[p]]
    together = sorted(
        (p for p in todo if p not in alone), key=lambda p: -float(said[p].get("timeout", DEFAULT_TIMEOUT))
    )
    # Processes: the parent of what a case runs is looked at, too.
    with concurrent.futures.ProcessPoolExecutor(opts.jobs) as pool:
        for path, result in zip(together, pool.map(run_in_room, together, [opts] * len(together))):
            if not result.problems:
                yield path, result
                continue
            print(
                f"# {os.path.relpath(path, HERE)} failed beside others:\n"
                + "\n".join("#   " + l for l in result.problems),
                flush=True,
            )
            alone.append(path)
    for path in alone:
        result = run_in_room(path, opts, alone=True)
        if result.problems and opts.jobs > 1:  # a virtual CPU may have paused
            print(
                f"# {os.path.relpath(path, HERE)} failed alone, and is run once more:\n"
                + "\n".join("#   " + l for l in result.problems),
                flush=True,
            )
            result = run_in_room(path, opts, alone=True)
        yield path, result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dwell", required=True, type=os.path.abspath)
    parser.add_argument("--trigger", required=True, type=os.path.abspath)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("cases", nargs="+")
    opts = parser.parse_args()
    # nohup and shells that start something in the background have them ignored, and all cases would inherit that.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    why = missing(opts)
    if why:
        print("1..0 # SKIP " + why)
        return SKIP_ALL
    todo, left_out = cases(opts.cases)
    for path in todo:  # the folder is searched first: the case would be taken for Python's module
        if path.endswith(".py") and os.path.basename(path)[:-3] in sys.stdlib_module_names:
            sys.exit(f"{path} has the name of a module of Python: call it otherwise")
    print(f"1..{len(todo)}", flush=True)
    if left_out:
        print("# only with DWELL_TEST_LONG=1: " + ", ".join(os.path.relpath(p, HERE) for p in left_out), flush=True)
    failed = skipped = 0
    took = []
    for n, (path, result) in enumerate(results(todo, opts), 1):
        name = os.path.relpath(path, HERE)
        took.append((result.seconds, result.cpu, name))
        if result.skip is not None:
            skipped += 1
            print(f"ok {n} {name} # SKIP {result.skip}", flush=True)
        elif result.problems:
            failed += 1
            print(f"not ok {n} {name}")
            print("\n".join("# " + l for l in result.problems), flush=True)
        else:
            print(f"ok {n} {name}", flush=True)
    slowest = sorted(took, reverse=True)[:SLOWEST_SHOWN]
    print(
        "# slowest, and their CPU time: "
        + ", ".join(f"{name} {seconds:.0f} s {cpu:.0f} s" for seconds, cpu, name in slowest)
    )
    print(f"# in all {sum(s for s, _, _ in took):.0f} s, of CPU time {sum(c for _, c, _ in took):.0f} s")
    print(f"# {len(todo) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else SKIP_ALL if skipped == len(todo) else 0


if __name__ == "__main__":
    sys.exit(main())
