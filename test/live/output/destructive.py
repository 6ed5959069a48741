# SPDX-License-Identifier: Apache-2.0
"""raise(), stop(), chill(), copyout(), copyoutstr(), panic(), breakpoint(): with -w, and what refuses them."""
import re
import signal
import subprocess
import time

import live


def on_process(action):
    """Runs the action once in a process that calls getppid; gives it and what dwell said."""
    p = subprocess.Popen([live.TRIGGER, "rate", "100", "60000"], stdout=subprocess.DEVNULL)
    try:
        r = live.dwell(
            "-wq",
            "-p",
            p.pid,
            "-n",
            "syscall::getppid:entry /pid == $target/ { %s; exit(0); }" "ERROR { exit(0); }" % action,
        )
    except subprocess.TimeoutExpired:
        p.kill()
        raise
    return p, r


p, r = on_process("raise(15)")
live.same((p.wait(10), r.stderr), (-signal.SIGTERM, ""), "raise(15)")
p, r = on_process("raise(100)")
live.check("illegal operation in action #1" in r.stderr, "raise() of no signal", r.stderr)
p.kill()
p.wait()

p, r = on_process("stop()")
state = ""
for _ in range(100):
    state = re.search(r"\) (\S)", open(f"/proc/{p.pid}/stat").read()).group(1)
    if state == "T":
        break
    time.sleep(0.05)
live.same(state, "T", "stop()")
p.send_signal(signal.SIGCONT)
live.same(p.poll(), None, "… and it can go on")
p.kill()
p.wait()

t = time.monotonic()
r = live.dwell("-wq", "-n", "BEGIN { chill(400000000); exit(0); }")
chill = "needs bpf_loop" not in r.stderr  # Linux 5.17
live.check(not chill or time.monotonic() - t >= 0.4 and r.returncode == 0 and not r.stderr, "chill() waits", r.stderr)
r = live.dwell("-wq", "-n", "BEGIN { chill(500000001); }", "-n", "BEGIN { exit(0); }")
live.check(not chill or "illegal operation in action #1" in r.stderr, "chill() of more than half a second", r.stderr)
r = live.dwell(
    "-wq", "-x", "cpu=0", "-n", "BEGIN { chill(300000000); trace(1); chill(200000001); }", "-n", "BEGIN { exit(0); }"
)
live.check(not chill or "illegal operation in action #3" in r.stderr, "… in a second on a CPU", r.stderr)

prog = (
    "syscall::write:entry /pid == $target/ { %s; a = arg1; }"
    "syscall::write:return /pid == $target/ { printf(\"<%%s>\", copyinstr(a, 8)); }"
)
for what, action in (
    ("copyoutstr", 'copyoutstr("abc", arg1, 8)'),
    (
        "copyout",
        "this->p = (char *)alloca(4); this->p[0] = 97; this->p[1] = 98;" " this->p[2] = 99; copyout(this->p, arg1, 4)",
    ),
):
    r = live.dwell("-wq", "-n", prog % action, "-c", live.TRIGGER + " writes 8")
    if r.returncode:
        live.check(
            "lockdown" in r.stderr and "copyout( )" in r.stderr,
            f"{what}() is refused by lockdown, and says so",
            r.stderr,
        )
    else:
        live.same(r.stdout.strip(), "<abc>", f"{what}() writes")

for action in ("panic()", "breakpoint()"):
    r = live.dwell("-xerrtags", "-wn", "BEGIN { %s; }" % action)
    live.check(r.returncode == 1 and "not supported on Linux" in r.stderr, action + " is refused", r.stderr)
for action in (
    "raise(1)",
    "stop()",
    "chill(1)",
    "copyout(0, 0, 0)",
    'copyoutstr("", 0, 0)',
    'system("true")',
    'freopen("x")',
):
    r = live.dwell("-n", "BEGIN { %s; exit(0); }" % action)
    live.check(r.returncode == 1, action + " needs -w", r.stderr)
    live.same(
        r.stderr.splitlines(),
        [
            f"{live.NAME}: description 'BEGIN ' matched 1 probe",
            f"{live.NAME}: could not enable tracing: Destructive actions not allowed",
            "BEGIN { %s; exit(0); }" % action,
            " " * 8 + "^" + "~" * (len(action) - 1),
            "hint: -w or -x destructive allows them",
        ],
        action + " in DTrace's words",
    )
r = live.dwell("-Zn", "BEGIN { exit(0); } nothing:at:all:here { stop(); }")
live.check(r.returncode == 1 and "Destructive actions not allowed" in r.stderr, "without probes as well", r.stderr)
r = live.dwell("-en", "BEGIN { stop(); }")
live.check(r.returncode == 0, "-e only compiles", r.stderr)
live.done()
