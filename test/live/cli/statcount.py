# SPDX-License-Identifier: Apache-2.0
"""dwell stat: counts beside a load's own and perf's; its forms; it ends as the command does."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from live import DWELL, WORK, check, done, dwell, same

OUT = os.path.join(WORK, "stat.out")
PAGES, SLEEPS = 2000, 50
LOAD = f"""
import mmap, os, sys, threading, time
def work():
    m = mmap.mmap(-1, {PAGES} * mmap.PAGESIZE)
    m.madvise(mmap.MADV_NOHUGEPAGE)
    for i in range({PAGES}): m[i * mmap.PAGESIZE] = 1
    for i in range({SLEEPS}): time.sleep(0.0001)
if os.fork() == 0: work(); os._exit(0)
os.wait()
t = threading.Thread(target=work); t.start(); t.join()
x = time.process_time()
while time.process_time() < x + 0.1: pass
sys.exit(3)
"""


def stat(*args, **kw):
    r = dwell("stat", "-o", OUT, *args, **kw)
    with open(OUT, encoding="utf-8") as f:
        return r, f.read()


r, text = stat("--json", "--", sys.executable, "-c", LOAD, timeout=60)
j = json.loads(text)
n = {k: v.get("mean", v.get("mean_ns")) for k, v in j["counts"].items()}
same((r.returncode, j["exit_status"], r.stdout, r.stderr), (3, 3, "", ""), "it ends as the command")
check(2 * PAGES <= n["minor-faults"] < 2 * PAGES + 6000, "faults of a child and of a thread", n)
check(n["context-switches"] >= 2 * SLEEPS, "their switches", n)
cpu = j["user_s"] + j["system_s"]
check(cpu >= 0.1 and abs(cpu - n["task-clock"] / 1e9) <= 0.1 * cpu + 0.05, "CPU time as wait4(2) has it", j)
check(j["elapsed_s"] >= n["task-clock"] / 1e9 / os.cpu_count() and n["major-faults"] is not None, "elapsed", j)
hardware = j["counts"]["cycles"]
check(
    "not_supported" in hardware and hardware["not_supported"] or hardware["mean"] > 1e6, "cycles, or why not", hardware
)
if shutil.which("perf"):
    subprocess.run(
        ["perf", "stat", "-x,", "-o", OUT, "-e", "minor-faults,context-switches", sys.executable, "-c", LOAD],
        timeout=60,
        capture_output=True,
    )
    with open(OUT, encoding="utf-8") as f:
        perf = {m[2]: int(m[1]) for m in re.finditer(r"^(\d+),,([\w-]+)", f.read(), re.M)}
    if "minor-faults" in perf:
        check(
            abs(perf["minor-faults"] - n["minor-faults"]) < 0.1 * n["minor-faults"],
            "perf stat counts as many faults",
            f"{perf} {n}",
        )

# -- forms --
r, text = stat("-r", "3", "sh", "-c", "echo one >> " + os.path.join(WORK, "times"))
check(re.search(r"^command sh -c echo one .*, 3 times: mean ± standard deviation:$", text, re.M), "-r: heading", text)
check(
    re.search(r"^ +[\d.]+ [mun]?s +task-clock +[\d.]+ CPUs used  ± [\d.]+ %$", text, re.M)
    and re.search(r"^ +\d+\.\d{6} s  elapsed +± \d+\.\d{6} s$", text, re.M),
    "with deviations",
    text,
)
same(open(os.path.join(WORK, "times"), encoding="ascii").read(), "one\n" * 3, "it ran as often")
r, text = stat("--interval", "50ms", "--", "sleep", "0.22")
lines = text.splitlines()
check(lines[0].split()[:3] == ["time", "s", "task-clock"] and 2 <= len(lines) - 1 <= 6, "-I: a line for each", text)
r, text = stat("--json", "-I", "50ms", "sleep", "0.12")
check(
    all(json.loads(line)["interval_s"] > 0 for line in text.splitlines()) and len(text.splitlines()) >= 2,
    "-I as JSON",
    text,
)
r = subprocess.run([DWELL, "stat", "echo", "hi"], capture_output=True, text=True, timeout=20)
check(r.stdout == "hi\n" and "command echo hi:\n" in r.stderr, "without -o: standard error", r.stderr)
same(stat("--for", "100ms", "sleep", "60")[0].returncode, -signal.SIGTERM, "--for: SIGTERM, and ended by it")
same(stat("sh", "-c", "kill -KILL $$")[0].returncode, -signal.SIGKILL, "a command that is killed")

# -- where the time went that was not on a CPU --
BLOCKED = "import os, time\nr, w = os.pipe()\nif os.fork() == 0: time.sleep(.2); os.write(w, b'x'); os._exit(0)\nos.read(r, 1); os.wait()"
r, text = stat("--waits", "--json", "--", sys.executable, "-c", BLOCKED, timeout=60)
waits = {w["cause"]: w for w in json.loads(text)["waits"]}
same(r.returncode, 0, "--waits: it ends as the command")
pipe, slept = waits.get("read: data in a pipe", {}), waits.get("sleep", {})
check(
    pipe.get("class") == "ipc" and slept.get("class") == "time" and pipe["count"] >= 1,
    "--waits: a pipe, and a sleep",
    f"{text}\n{r.stderr}",
)
check(slept["max_ns"] >= 200e6 and pipe["max_ns"] >= 0.8 * slept["max_ns"], "--waits: as long as they were", waits)
r, text = stat("--waits", "sleep", "0.05")
check(
    re.search(r"^ +[\d.]+ ms +off the CPUs, all threads together, of it\n.* sleep$", text, re.M | re.S),
    "--waits as text",
    text,
)
same(dwell("stat", "--waits", "-r", "2", "true").returncode, 2, "--waits: one run")
r = subprocess.run(
    ["setpriv", "--reuid", "65534", "--clear-groups", DWELL, "stat", "--waits", "true"],
    capture_output=True,
    text=True,
    timeout=30,
)
check(r.returncode == 1 and "CAP_BPF" in r.stderr, "--waits without root: why not", r.stderr)

# -- processes that run --
spin = subprocess.Popen(
    [
        sys.executable,
        "-c",
        "import time\nopen('/proc/self/comm', 'w').write('dwellspin')\nwhile True: time.sleep(0.001)",
    ]
)
try:
    while open(f"/proc/{spin.pid}/comm", encoding="ascii").read() != "dwellspin\n":
        pass
    for args, title in [
        (("-p", spin.pid), f"process {spin.pid} (dwellspin)"),
        (("--comm", "dwellspin"), "1 process called dwellspin"),
    ]:
        r, text = stat("--json", "--for", "300ms", *args)
        j = json.loads(text)
        same((r.returncode, j["title"]), (0, title), title)
        check(
            j["counts"]["context-switches"]["mean"] >= 10 and j["elapsed_s"] >= 0.3 and "user_s" not in j,
            "counted while it ran",
            text,
        )
    # Under nohup SIGHUP stays ignored: what was begun is counted to its end.
    p = subprocess.Popen(
        [DWELL, "stat", "--json", "--for", "600ms", "-p", str(spin.pid)],
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
    )
    time.sleep(0.2)
    p.send_signal(signal.SIGHUP)
    text = p.communicate(timeout=30)[1]
    check(p.returncode == 0 and json.loads(text)["elapsed_s"] >= 0.6, "an ignored SIGHUP ends nothing", text)
finally:
    spin.kill()
    spin.wait()
for args, code, says in [
    (["nosuch-command"], 1, "stat: cannot run nosuch-command: No such file or directory"),
    (["-p", "4194304"], 1, "stat: there is no process 4194304"),
    (["--comm", "no such"], 1, "stat: there is no process called no such"),
    ([], 2, "stat: give one of a command, -p PID, and --comm NAME or its like"),
    (["-p", "1", "ls"], 2, "stat: give one of"),
    (["-r", "2", "-p", "1"], 2, "stat: -r needs a command"),
    (["-r", "2", "-I", "1s", "ls"], 2, "choose one"),
    (["-r", "1001", "ls"], 2, "1000"),
    (["-I", "9ms", "ls"], 2, "--interval: '9ms'"),
]:
    r = dwell("stat", *args)
    check(r.returncode == code and says in r.stderr, " ".join(args), f"{r}")
done()
