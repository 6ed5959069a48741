# SPDX-License-Identifier: Apache-2.0
"""--record: a report prints what the run printed, elsewhere and without root; kill, full disk, wrong use."""
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import time

import live

os.chdir(live.WORK)
PROGRAMS = {
    "printf and stacks": (
        'syscall::getppid:entry /pid == $target/ { printf("%d %s %a", pid, execname, (uintptr_t)caller); '
        'stack(3); ustack(5); trace(timestamp); }',
        "chain 20",
        [],
    ),
    "aggregations": (
        'syscall::lseek:entry /pid == $target && (int)arg0 == -1/ { @[execname, arg1 % 7] = count(); '
        '@q = quantize(arg1); @l[probefunc] = llquantize(arg1, 10, 0, 4, 10); @s[ustack(3), stack(2)] = sum(arg1); '
        '@d = stddev(arg1); @v = avg(arg1); @m = max(arg1); }',
        "keys 500",
        [],
    ),
    "clear, trunc, normalize, printa": (
        'syscall::lseek:entry /pid == $target && (int)arg0 == -1/ { @[arg1 % 3] = sum(arg1); n++; } '
        'syscall::lseek:entry /n % 100 == 50/ { normalize(@, 10); printa("%d %@d\\n", @); clear(@); n++; }',
        "keys 500",
        ["-q"],
    ),
    "faults": ('syscall::getppid:entry /pid == $target/ { trace(*(int *)NULL); }', "getppid 3", []),
    "flow": ('syscall::getppid: /pid == $target/ { trace(1); }', "getppid 3", ["-F"]),
    "default action": ("syscall::getppid:entry /pid == $target/", "getppid 3", []),
    "print": (
        'syscall::getppid:entry /pid == $target/ { print(*curthread->signal); print(curthread->mm); this->x = 5; print(this->x); }',
        "getppid 2",
        [],
    ),
    "speculation": (
        'syscall::getppid:entry /pid == $target/ { self->s = speculation(); speculate(self->s); printf("in %d", pid); } '
        'syscall::getppid:return /self->s && n++ % 2/ { commit(self->s); self->s = 0; } '
        'syscall::getppid:return /self->s/ { discard(self->s); self->s = 0; }',
        "getppid 6",
        ["-x", "nspec=4"],
    ),
    "hist and span": (
        'syscall::lseek:entry /pid == $target && (int)arg0 == -1/ { @h[execname] = hist(arg1); } '
        'syscall::lseek:entry /pid == $target && arg1 == 7/ { span("lane", "label", timestamp, 1000); }',
        "keys 300",
        [],
    ),
    "packets": (
        'ip:::send /pid == $target && args[2]->ip_plength == 58/ { pcap((struct sk_buff *)arg0, PCAP_ETHER); }',
        "udp 47132 2",
        [],
    ),
    "branches": (
        'syscall::getppid:entry /pid == $target/ { if (n++ % 2) { printf("odd"); } else { trace(n); stack(2); } }',
        "getppid 4",
        [],
    ),
    "keys by name": (
        'syscall::getppid:entry /pid == $target/ { @[func((uintptr_t)caller), ufunc(ucaller)] = count(); }',
        "chain 5",
        [],
    ),
    "symbols": (
        'syscall::getppid:entry /pid == $target/ { usym(ucaller); umod(ucaller); func((uintptr_t)caller); tracemem(curthread, 16); }',
        "chain 3",
        [],
    ),
}
for what, (program, load, options) in PROGRAMS.items():
    f = what.replace(" ", "-").replace(",", "") + ".dwell"
    run = live.dwell(*options, "--record", f, "-n", program, "-c", f"{live.TRIGGER} {load}")
    rep = live.dwell("report", f)
    # the trigger's own output came through the same standard output
    printed = run.stdout.splitlines()
    live.check(
        run.returncode == 0
        and (rep.stdout.strip() or what == "faults")
        and [l for l in printed if l in set(rep.stdout.splitlines())] == rep.stdout.splitlines(),
        f"{what}: the report is what was printed",
        run.stderr + rep.stderr + rep.stdout[:2000] + "\n----\n" + run.stdout[:2000],
    )
    messages = [l for l in live.complaints(run).splitlines() if "matched" not in l and "has exited" not in l]
    live.same(live.complaints(rep).splitlines(), messages, f"{what}: messages")

f = "aggregations.dwell"
live.same(os.stat(f).st_mode & 0o777, 0o600, "only the owner may read it")
os.chmod(f, 0o644)
os.chmod(live.WORK, 0o755)
r = subprocess.run(
    ["su", "-s", "/bin/sh", "nobody", "-c", f"{live.DWELL} report {live.WORK}/{f}"], capture_output=True, text=True
)
live.check(r.stdout == live.dwell("report", f).stdout, "as nobody", r.stderr)
db = sqlite3.connect(f)
live.check(
    db.execute("SELECT count(*) FROM row WHERE kind = 2").fetchone()[0] > 5
    and db.execute("SELECT value FROM meta WHERE key = 'host'").fetchone()[0] == os.uname().nodename,
    "sqlite3 can read it",
)
db = sqlite3.connect("printf-and-stacks.dwell")
live.check(
    db.execute("SELECT count(*) FROM event WHERE function = 'getppid'").fetchone()[0] >= 20, "the view of events"
)
r = live.dwell("report", "-l", f)
live.check("quantize(arg1)" in r.stdout and os.uname().release in r.stdout, "report -l", r.stdout)

r = live.dwell("--record", f, "-n", "BEGIN { exit(0); }")
live.check(r.returncode == 1 and "File exists" in r.stderr, "never overwrites", r.stderr)
for args, text in [
    ((), "a recording is missing"),
    (("a", "b"), "one recording is printed at a time"),
    (("/no/such",), "No such file"),
    (("/proc/self/exe",), "no recording"),
]:
    r = live.dwell("report", *args)
    live.check(r.returncode in (1, 2) and text in r.stderr, f"report {args}", r.stderr)
r = live.dwell("--record")
live.check(r.returncode == 1 and "requires an argument" in r.stderr, "--record alone", r.stderr)
r = live.dwell("--record=/no/such/folder/x", "-n", "BEGIN { exit(0); }")
live.check(r.returncode == 1 and "cannot create recording" in r.stderr, "a folder that is not there", r.stderr)
with open("broken.dwell", "wb") as out:
    data = bytearray(open(f, "rb").read())
    data[5000:20000:7] = b"\xff" * len(data[5000:20000:7])
    out.write(data)
r = live.dwell("report", "broken.dwell")
live.check(r.returncode == 1 and r.stderr, "a damaged file", r.stderr)

p = subprocess.Popen(
    [live.DWELL, "-q", "--record", "killed.dwell", "-n", "tick-10ms { printf(\"tick %d\\n\", n++); }"],
    stdout=subprocess.DEVNULL,
)
time.sleep(2)
with contextlib.closing(sqlite3.connect("killed.dwell")) as db:
    ticks = db.execute("SELECT count(*) FROM event").fetchone()[0]
live.check(
    ticks > 20 and os.path.exists("killed.dwell-wal"),
    "who reads it while it is made takes nothing away when he ends",
    ticks,
)
time.sleep(2)
p.send_signal(signal.SIGKILL)
p.wait()
r = live.dwell("report", "killed.dwell")
live.check(
    "tick 0\n" in r.stdout and len(r.stdout.splitlines()) > ticks + 50 and "was not ended" in r.stderr,
    "killed",
    r.stderr + r.stdout[-200:],
)

os.mkdir("small")
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "small"]).returncode == 0:
    r = live.dwell(
        "-q",
        "--record",
        "small/x.dwell",
        "-x",
        "switchrate=50hz",
        "-n",
        "syscall::lseek:entry /pid == $target/ { printf(\"%d\\n\", arg1); }",
        "-c",
        f"{live.TRIGGER} keys 2000 30",
        timeout=60,
    )
    live.check(r.returncode == 1 and "is full" in r.stderr and "not recorded" in r.stderr, "a full disk", r.stderr)
    live.check(len([l for l in r.stdout.splitlines() if l.isdigit()]) >= 60000, "the run itself goes on")
    rep = live.dwell("report", "small/x.dwell")
    live.check("was not ended" in rep.stderr, "its recording can be read", rep.stderr)
    subprocess.run(["umount", "-l", "small"])
live.done()
