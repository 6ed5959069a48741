# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""Every command that prints to standard output says so, and ends with 1, when nothing can be written there."""
import os
import re
import subprocess
import sys

import live

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../src/cmd/command.def")
COMMANDS = re.findall(r"^COMMAND\((\w+)\)", open(SOURCE, encoding="utf-8").read(), re.M)
CALLS = {
    "": (
        ["-V"],
        ["-l"],
        ["-ln", "BEGIN"],
        ["-ven", "BEGIN"],
        ["-qn", 'BEGIN { printf("x"); exit(0); }'],
        ["-n", "BEGIN { exit(0); }"],
        ["--json", "-n", "BEGIN { exit(0); }"],
        ["--json", "-ln", "BEGIN"],
        ["-qn", 'BEGIN { printf("x"); exit(0); }', "-c", "sleep 100"],
    ),
    "calls": (["calls", "run_chain", "-c", live.TRIGGER + " chain 1"], ["calls", "--help"]),
    "check": (["check", "--for", "1s"], ["check", "--json", "--for", "1s"], ["check", "--help"]),
    "core": (
        ["core", "-p", str(os.getpid()), "--no-stop", "-c", "::status"],
        ["core", "-p", str(os.getpid()), "--no-stop", "-c", "::dcmds", "--json"],
        ["core", "--help"],
    ),
    "complete": (["complete", ""], ["complete", "latency", "--"]),
    "strace": (["strace", "--help"],),  # its lines go to standard error: below
    "ctl": (),  # answers come from a run: below
    "features": (["features"], ["features", "--json"], ["features", "--help"]),
    "export": (["export", "--format", "folded", "rec"], ["export", "--help"]),
    "flame": (["flame", "rec"], ["flame", "--json", "rec"], ["flame", "--help"]),
    "fleet": (
        ["fleet", "--help"],
        ["fleet", "latency", "--help"],
        ["fleet", "run", "--help"],
        ["fleet", "access", "--help"],
        ["fleet", "watch", "--help"],
        ["fleet", "demo", "--help"],
        ["fleet", "serve", "--help"],
    ),  # with engines: daemon/fleet.py
    "hardware": (["hardware"], ["hardware", "--help"]),
    "heat": (["heat", "--by", "t", "rec"], ["heat", "--json", "--by", "t", "rec"], ["heat", "--help"]),
    "hist": (["hist", "--by", "t", "rec"], ["hist", "--json", "--by", "t", "rec"], ["hist", "--help"]),
    "latency": (
        ["latency", "--for", "300ms"],
        ["latency", "why", "--for", "300ms"],
        ["latency", "why", "rec"],
        ["latency", "profile", "rec"],
        ["latency", "diff", "long", "long"],
        ["latency", "--help"],
        ["latency", "why", "--help"],
        ["latency", "stuck", "--help"],
    ),
    "lsp": (["lsp", "--help"],),  # it speaks to an editor: cli/lsp.py
    "help": (["help"], ["help", "latency"]),
    "record": (["record", "--help"],),
    "run": (["run", "--help"], ["run", "iotop", "--help"]),
    "tools": (["tools"], ["tools", "--help"]),
    "sql": (
        ["sql", "rec", "SELECT * FROM session"],
        ["sql", "--csv", "rec", "SELECT * FROM samples"],
        ["sql", "--json", "rec", "SELECT 1"],
        ["sql", "--views"],
        ["sql", "--help"],
    ),
    "stat": (["stat", "--help"],),  # its table goes to standard error: below
    "stuck": (["stuck", "--help"],),
    "why": (["why", "--help"],),
    "ps": (["ps", "--for", "1ms"], ["ps", "--help"]),
    "hostagent": (),  # what dwell --host starts on the other machine: it speaks to a program (cli/host.py)
    "rec": (["rec", "--help"],),
    "replay": (["replay", "--help"],),
    "report": (["report", "rec"], ["report", "--json", "rec"]),
    "serve": (),  # its page is elsewhere
    "timeline": (["timeline", "rec"], ["timeline", "--help"]),
    "top": (["top", "--help"],),
}
live.same(sorted(COMMANDS), sorted(c for c in CALLS if c), "CALLS has a row for each command of src/cmd/command.def")
r = live.dwell(
    "-q",
    "--record",
    "rec",
    "-n",
    "tracker t { threshold = 1ns; } syscall::getppid:entry { begin(t); } syscall::getppid:return { end(t); } latency:t::slow { slow(); } "
    "syscall::getppid:entry /pid == $target/ { @[stack()] = count(); span(\"a\", \"b\", timestamp, 1000); }",
    "-c",
    live.TRIGGER + " getppid 1000",
    timeout=60,
)
# For three seconds, since a comparison wants whole ones; this program's own calls, since a machine may make no others.
caller = subprocess.Popen([sys.executable, "-c", "import os, time\nwhile os.getppid(): time.sleep(0.01)"])
live.dwell(
    "-q",
    "--record",
    "long",
    "-n",
    "tracker t { } syscall::getppid:entry { begin(t); } syscall::getppid:return { end(t); } tick-3s { exit(0); }",
    timeout=60,
)
caller.kill()
caller.wait()
for calls in CALLS.values():
    for call in calls:
        r = live.dwell(*call, timeout=60)
        live.check(r.stdout and r.returncode == 0, f"{' '.join(call)} prints", f"{r.returncode} {r.stderr}")
        with open("/dev/full", "w", encoding="ascii") as full:
            r = subprocess.run(
                [live.DWELL, *call],
                stdin=subprocess.DEVNULL,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                timeout=60,
            )
        live.check(
            r.returncode == 1 and "failed to write to standard output: No space left on device" in r.stderr,
            f"{' '.join(call)} > /dev/full",
            f"{r.returncode} {r.stderr}",
        )

for options in (["-o", "/dev/full"], ["-c", "-o", "/dev/full"]):
    r = live.dwell("strace", *options, "ls", "/")
    live.check(
        r.returncode == 1 and "cannot write to /dev/full: No space left on device" in r.stderr,
        f"strace {' '.join(options)}",
        f"{r.returncode} {r.stderr}",
    )

r = live.dwell("stat", "-o", "/dev/full", "ls", "/")
live.check(
    r.returncode == 1 and "cannot write to /dev/full: No space left on device" in r.stderr,
    "stat -o /dev/full",
    f"{r.returncode} {r.stderr}",
)

p = subprocess.Popen(
    [
        live.DWELL,
        "-qn",
        "tracker t { } syscall::getppid:entry { begin(t); } syscall::getppid:return { end(t); } BEGIN { printf(\"up\\n\"); }",
    ],
    stdout=subprocess.PIPE,
)
p.stdout.readline()
for _ in range(100):
    r = live.dwell("ctl", p.pid, "list")
    if r.returncode == 0:
        break
live.check(r.stdout, "ctl prints", r.stderr)
with open("/dev/full", "w", encoding="ascii") as full:
    r = subprocess.run(
        [live.DWELL, "ctl", str(p.pid), "list"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
    )
live.check(r.returncode == 1 and "No space left" in r.stderr, "ctl > /dev/full", f"{r.returncode} {r.stderr}")
p.terminate()
p.wait()
live.done()
