#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every example of the documentation on the live kernel, as TAP: each command that begins with
`dwell` in a ```sh block of the given Markdown files, or in a literal block of the man pages. It gets Ctrl-C after
a second; it must end with status 0 and without an error message."""
import concurrent.futures
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

RUN_SECONDS = 1.0
END_SECONDS = 20.0
AT_A_TIME = 4


def examples(path):
    text = open(path, encoding="utf-8").read()
    lang = "" if path.endswith(".scd") else "sh"
    for block in re.findall(r"^```" + lang + r"\n(.*?)^```$", text, re.M | re.S):
        for line in block.splitlines():
            if line.startswith("dwell "):
                yield line.replace("\\\\", "\\") if path.endswith(".scd") else line


def write_programs(path, folder):
    """Programs that a text shows, "… `NAME`:" before their block, are in the folder of its examples."""
    text = open(path, encoding="utf-8").read()
    for name, program in re.findall(
        r"`([\w-]+\.(?:js|py|java))`:\n\n```(?:js|python|java)\n(.*?)^```$", text, re.M | re.S
    ):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(program)
        if name.endswith(".java") and shutil.which("javac"):
            subprocess.run(["javac", name], cwd=folder, check=False)


def is_tracing(pid):
    """It waits for signals with a signalfd (serve), or has attached something."""
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as f:
            if int(re.search(r"^SigBlk:\s+(\w+)", f.read(), re.M)[1], 16) & 1 << (signal.SIGINT - 1):
                return True
        return any(
            re.match(r"anon_inode:(bpf[-_]link|\[perf_event\])", os.readlink(f.path))
            for f in os.scandir(f"/proc/{pid}/fd")
        )
    return False


def await_tracing(pid):
    """On a busy machine dwell begins late: until it traces, and then as long as others have."""
    end, late = time.monotonic() + END_SECONDS / 2, False
    while time.monotonic() < end and not is_tracing(pid):
        late = True
        time.sleep(0.1)
    if late:
        time.sleep(RUN_SECONDS)


def run(dwell, command, folder):
    env = dict(os.environ, PATH=os.path.dirname(dwell) + ":" + os.environ["PATH"])
    shell = ["bash", "-c", "exec " + command]
    if command.startswith("dwell top "):  # needs a terminal
        env["TERM"] = "linux"
        shell = ["script", "-qec", command, "/dev/null"]
    p = subprocess.Popen(
        shell,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        cwd=folder,
    )
    # A command that is traced ends by itself; on a busy machine that takes longer than a second.
    patience = END_SECONDS / 2 if re.search(" -- | -c ", command) else RUN_SECONDS
    try:
        out, err = p.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        if not re.search("^dwell top | --for ", command):  # those end by themselves
            await_tracing(p.pid)
            p.send_signal(signal.SIGINT)
        try:
            out, err = p.communicate(timeout=END_SECONDS)
        except subprocess.TimeoutExpired:
            p.kill()
            out, err = p.communicate()
            return "did not end after Ctrl-C", out, err
    bad = [
        l
        for l in err.splitlines()
        if not re.search(
            r" matched \d+ probes?(: those of all processes .*)?$|^dwell: records into |^dwell: \d+ .*(drops?|timer firings? (?:missed|not made: .*))|^dwell: tracker \w+: \d+ events? left out: |has exited$",
            l,
        )
    ]
    if command.startswith("dwell stat "):  # its table is on standard error, as perf's
        bad = [l for l in err.splitlines() if l.startswith("dwell: ")]
    if command.startswith("dwell strace "):  # its lines are on standard error, its status is the command's
        bad = [l for l in err.splitlines() if l.startswith("dwell: ")]
        if f"+++ exited with {p.returncode} +++" in err:
            return ("messages on standard error" if bad else None), out, err
    if p.returncode != 0:
        return f"exit status {p.returncode}", out, err
    if bad:
        return "messages on standard error", out, err
    return None, out, err


@contextlib.contextmanager
def load():
    """Something to see: every CPU reads files. On an idle machine some pictures would have nothing in them."""
    reading = "while True: open('/etc/passwd').read()"
    busy = [
        subprocess.Popen(
            [sys.executable, "-c", reading], preexec_fn=lambda c=c: (os.nice(10), os.sched_setaffinity(0, {c}))
        )
        for c in os.sched_getaffinity(0)
    ]
    try:
        yield
    finally:
        for p in busy:
            p.kill()
            p.wait()


def run_text(dwell, path, work):
    """(name, seconds, what is wrong) of each example of a text, in a folder of its own: some read what those before them have written."""
    folder = os.path.join(work, os.path.basename(path))
    os.makedirs(folder)
    write_programs(path, folder)
    found = []
    for command in examples(path):
        start = time.monotonic()
        why, out, err = run(dwell, command, folder)
        found.append(
            (
                f"{os.path.basename(path)}: {command[:70]}",
                time.monotonic() - start,
                [why, command] + err.splitlines()[:20] + out.splitlines()[:5] if why else [],
            )
        )
    return found


def run_all(dwell, paths, work):
    """How many failed. An example mostly waits: some texts at a time, those with the most examples first."""
    n = failed = 0
    paths = sorted(paths, key=lambda p: -len(list(examples(p))))
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        for found in pool.map(lambda p: run_text(dwell, p, work), paths):
            for name, seconds, wrong in found:
                n += 1
                failed += bool(wrong)
                print(f"{'not ok' if wrong else 'ok'} {n} - {name} ({seconds:.1f} s)")
                for line in wrong:
                    print("#", line)
            sys.stdout.flush()
    return failed


def main():
    dwell, paths = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if os.geteuid() != 0 or not os.path.exists("/sys/kernel/btf/vmlinux"):
        print("1..0 # SKIP needs root and a kernel with BTF")
        return int(os.environ.get("DWELL_SKIP_STATUS", 77))
    print(f"1..{sum(len(list(examples(p))) for p in paths)}")
    with tempfile.TemporaryDirectory(prefix="dwell-docs-") as work, load():  # examples may make files
        failed = run_all(dwell, paths, work)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
