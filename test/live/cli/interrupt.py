# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""SIGINT and SIGTERM end a run whatever it prints and to whom, and say what is not printed. Two at once are one: timeout(1) sends two."""
import os
import re
import signal
import subprocess
import time

import live

PATIENCE = 20  # of the test, on a machine that others use; without an end there would be none at all
BLOCKED = 'BEGIN { @a["counted"] = count(); } profile-997 { printf("%4000d\\n", 1); }'
HUGE = "BEGIN { for (i = 0; i < 30000; i++) @a[i] = count(); printf(\"up\\n\"); }"
MANY = ("-x", "aggsize=64m", "-x", "loopmax=1000000")


def full(p):
    """Whoever writes to this pipe waits."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if "pipe_write" in open(f"/proc/{p.pid}/wchan").read() or open(f"/proc/{p.pid}/syscall").read().startswith(
            "1 "
        ):
            return True
        time.sleep(0.05)
    return False


def start(*args, **kw):
    return subprocess.Popen(
        [live.DWELL, "-q", *args],
        stdin=subprocess.DEVNULL,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **kw},
    )


def end(p, what, *signals):
    """How it ends by signals, each with the time before it: its messages, and the status."""
    for pause, sig in signals:
        time.sleep(pause)
        p.send_signal(sig)
    begin = time.monotonic()
    try:
        p.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        p.kill()
        live.check(False, f"{what}: it ends")
        return "", -1
    print(f"# {what}: {time.monotonic() - begin:.2f} s")
    return p.stderr.read().decode() if p.stderr else "", p.wait()


sleeper = subprocess.Popen([live.TRIGGER, "pause", "100000"])
for what, args, sig in (
    ("SIGINT", (), signal.SIGINT),
    ("SIGTERM", (), signal.SIGTERM),
    ("SIGHUP", (), signal.SIGHUP),
    ("JSON", ("--json",), signal.SIGINT),
    ("confined", ("-x", "confined"), signal.SIGINT),
    ("-c", ("-c", "sleep 100"), signal.SIGTERM),
    ("-p", ("-p", sleeper.pid), signal.SIGINT),
    ("--record", ("--record", "rec"), signal.SIGINT),
):
    p = start(*map(str, args), "-n", BLOCKED)
    live.check(full(p), f"{what}: the pipe is full")
    err, status = end(p, what, (0, sig))
    m = re.search(
        r"nobody took the output for 0\.7 s after the signal: its end is not printed, nor are ([0-9]+) records?, 1 row of @a\n",
        err,
    )
    live.check(m and status == 1, f"{what}: a blocked pipe ends it, and it says what is lost", f"{status} {err}")
sleeper.kill()
sleeper.wait()
r = live.dwell("report", "--json", "rec")
live.check('"counted"' in r.stdout and r.returncode == 0, "the recording is whole", r.stdout[-300:] + r.stderr)

p = start("-n", BLOCKED, stderr=subprocess.STDOUT)
live.check(full(p), "standard error in the same pipe")
live.same(end(p, "2>&1", (0, signal.SIGINT))[1], 1, "… which is no reason to stay")

# What is read slowly is printed to its end.
p = start(*MANY, "-n", HUGE)
live.same(p.stdout.readline(), b"up\n", "a large aggregation")
p.send_signal(signal.SIGINT)
out = b""
for _ in range(20):
    time.sleep(0.1)
    out += os.read(p.stdout.fileno(), 65536)
out += p.stdout.read()
err = p.stderr.read().decode()
live.same(
    (len(re.findall(rb"^ +[0-9]+ +1$", out, re.M)), p.wait(), "not printed" in err),
    (30000, 0, False),
    "a slow reader gets all of it",
)

# A second signal that is no echo of the first.
p = start(*MANY, "-n", HUGE)
p.stdout.readline()
err, status = end(p, "a second signal, blocked", (0, signal.SIGINT), (0.5, signal.SIGINT))
m = re.search(
    r"a second signal ended the output: its end is not printed(, nor are ([0-9]+) rows of @a)?\n|ended by a second signal before all was read",
    err,
)
live.check(m and status == 1, "a second signal ends it at once, and it says what is lost", f"{status} {err}")

# Losses are told all the same.
p = start("-x", "bufsize=64k", "-n", 'profile-4999, syscall:::entry { printf("%4000d\\n", 1); }')
full(p)
subprocess.run([live.TRIGGER, "getppid", "100000"], check=True)
err, status = end(p, "a second signal and losses", (0, signal.SIGINT), (0.4, signal.SIGINT))
live.check(
    "a second signal ended the output" in err and re.search(r"drops? on CPU", err),
    "a second signal keeps no loss back",
    f"{status} {err}",
)

# What is in the buffers may be more than anybody wants.
WIDE = "profile-4999, syscall:::entry { " + 'printf("%65536d", 1); ' * 15 + "} BEGIN { @a[1] = count(); }"
with open("/dev/null", "w") as null, live.busy_cpus():
    p = start("-n", WIDE, stdout=null)
    time.sleep(2)
    err, status = end(p, "wide records", (0, signal.SIGINT))
live.check(status == 0, "wide records: it ends", err)
m = re.search(r"([0-9]+) records still in the buffers after the signal", err)
print("# " + (m.group(0) if m else "all were shown"))

# END, aggregations and losses are shown after the first signal, however many records there are.
p = start("-x", "bufsize=64k", "-n", WIDE + ' END { printf("the end\\n"); }', stdout=open("out", "wb"))
time.sleep(1)
err, status = end(p, "END", (0, signal.SIGINT), (0.003, signal.SIGINT))
tail = open("out", "rb").read()[-100:]
os.unlink("out")
live.check(b"the end\n" in tail and re.search(rb"1 +1\n+$", tail), "END and the aggregations are shown", tail)
live.check(re.search(r"drops? on CPU", err) and status == 0, "and the losses", err)

# timeout(1): to the command, and to the group.
lost = []
for _ in range(10):
    runs = [
        subprocess.Popen(
            [
                "timeout",
                "-s",
                "INT",
                "3",
                live.DWELL,
                "-qn",
                'profile-97 { @["n"] = count(); } BEGIN { @["n"] = count(); }',
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(6)
    ]
    for p in runs:
        out, err = p.communicate(timeout=PATIENCE)
        if not re.search(r"n +[0-9]+\n", out):
            lost.append((p.returncode, out, err))
live.check(not lost, "60 times of timeout -s INT lose nothing", f"{len(lost)}: {lost[:3]}")
live.done()
