# SPDX-License-Identifier: Apache-2.0
"""Processes that are not as one would like: deleted and replaced programs, other mount namespaces, forks,
exec, death while being traced; no rights; dwell killed."""
import os
import shutil
import signal
import subprocess
import time
import live

PROBED = os.path.join(os.path.dirname(live.TRIGGER), "probed")
os.chdir(live.WORK)
os.chmod(live.WORK, 0o755)
COUNT = (
    "pid$target:{}:probed_add:entry {{ n++; }} pid$target:{}:probed_add:entry /n > 10/ {{ printf(\"seen\"); exit(0); }}"
)


def seen(pid, module, what):
    r = live.dwell("-q", "-p", pid, "-n", COUNT.format(module, module))
    live.check(r.stdout.strip() == "seen" and r.returncode == 0, what, r.stdout + r.stderr)


shutil.copy(PROBED, "gone")
p = subprocess.Popen(["./gone", "0", "2"])
time.sleep(0.1)
os.remove("gone")
seen(p.pid, "a.out", "a deleted program, as a.out")
seen(p.pid, "gone", "… and by its name")
with open("gone", "w", encoding="ascii") as f:
    f.write("not a program")
seen(p.pid, "a.out", "a program whose path leads to something else now")
p.kill()
p.wait()

if subprocess.run(["unshare", "-m", "true"], check=False).returncode == 0:
    os.mkdir("hidden")
    p = subprocess.Popen(
        [
            "unshare",
            "-m",
            "sh",
            "-c",
            f"mount -t tmpfs none hidden && cp {PROBED} hidden/inside && " "exec hidden/inside 0 2",
        ]
    )
    for _ in range(100):
        time.sleep(0.02)
        if os.readlink(f"/proc/{p.pid}/exe").endswith("inside"):
            break
    live.check(not os.path.exists("hidden/inside"), "the file is not visible here")
    seen(p.pid, "inside", "a program in another mount namespace")
    p.kill()
    p.wait()

# Dies while it is traced: the run ends, and says so.
p = subprocess.Popen([PROBED, "0", "2"])
d = subprocess.Popen(
    [live.DWELL, "-p", str(p.pid), "-n", "pid$target:::entry { @ = count(); }"],
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    text=True,
)
time.sleep(1)
p.kill()
p.wait()
out, err = d.communicate(timeout=20)
live.check(
    d.returncode == 0 and f"pid {p.pid} terminated by SIGKILL" in err or f"pid {p.pid} has exited" in err,
    "a process that dies while thousands of probes are in it",
    err,
)

# Dies just when it is looked at, many times.
bad = []
for i in range(15):
    p = subprocess.Popen([PROBED, "1"])
    time.sleep(0.002 * (i % 5))
    r = live.dwell("-q", "-p", p.pid, "-n", "pid$target::probed_*:entry { @ = count(); }")
    p.wait()
    if r.returncode not in (0, 1) or (r.returncode == 1 and "process" not in r.stderr and "probe" not in r.stderr):
        bad.append((r.returncode, r.stderr))
live.same(bad, [], "a process that dies while it is being looked at")
z = subprocess.Popen(["true"])
time.sleep(0.2)
r = live.dwell("-xerrtags", "-n", f"pid{z.pid}:a.out:main:entry")
live.check("[D_PROC_GRAB]" in r.stderr and r.returncode == 1, "a zombie", r.stderr)
z.wait()

# Its children run the probed code without being traced, or harmed.
with open("fork.sh", "w", encoding="ascii") as f:
    f.write("for i in 1 2 3 4 5; do (exec true) || echo BAD; /bin/true || echo BAD; done; echo fine\n")
r = live.dwell(
    "-q", "-c", "/bin/sh fork.sh", "-n", "pid$target:::entry { @ = count(); } END { printa(\"counted\\n\", @); }"
)
live.check(
    "fine" in r.stdout and "BAD" not in r.stdout and "counted" in r.stdout,
    "a probed shell forks and executes",
    r.stdout + r.stderr,
)

# Forks, executes itself, maps and unmaps a library all the time, while probes come and go in it.
if shutil.which("cc"):
    with open("churn.c", "w", encoding="ascii") as f:
        f.write(
            """#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline, used)) int churn(int x) { __asm__ volatile(""); return x + 1; }
int main(int argc, char **argv)
{
	long end = argc > 1 ? atol(argv[1]) : time(NULL) + 60;
	char text[32];
	for (int i = 0; i < 50; i++) {
		pid_t p = fork();
		int status = 0;
		void *h;
		if (p == 0)
			_exit(churn(i) != i + 1);
		if (waitpid(p, &status, 0) != p || status || churn(i) != i + 1)
			return 3;
		h = dlopen("libm.so.6", RTLD_NOW);
		double (*fn)(double) = h ? (double (*)(double))dlsym(h, "floor") : NULL;
		if (!fn || fn(2.5) != 2.0)
			return 4;
		dlclose(h);
	}
	if (time(NULL) >= end)
		return 0;
	snprintf(text, sizeof(text), "%ld", end);
	execl("/proc/self/exe", "churn", text, NULL);
	return 5;
}
"""
        )
    subprocess.run(["cc", "-O1", "-o", "churn", "churn.c", "-ldl"], check=True)
    p = subprocess.Popen(["./churn"])
    bad, fired = [], 0
    for i in range(12):
        r = live.dwell(
            "-q",
            "-p",
            p.pid,
            "-n",
            "pid$target:::entry { @ = count(); } tick-200ms { exit(0); } END { printa(\"%@d\\n\", @); }"
            if i % 2
            else "pid$target::churn:entry,pid$target::churn:return { @ = count(); } tick-200ms { exit(0); } "
            "END { printa(\"%@d\\n\", @); }",
        )
        fired += int(r.stdout.split()[0]) if r.stdout.split() and r.stdout.split()[0].isdigit() else 0
        if r.returncode not in (0, 1) or (r.returncode == 1 and "process" not in r.stderr and "probe" not in r.stderr):
            bad.append((r.returncode, r.stderr))
        if p.poll() is not None:
            break
    live.same((bad, p.poll()), ([], None), "a process that forks, executes itself, maps and unmaps meanwhile goes on")
    live.check(fired > 0, "and its probes fire", fired)
    p.kill()
    p.wait()

# dwell is killed: its probes go with it.
p = subprocess.Popen([PROBED, "0", "2"])
before = live.attached()
d = subprocess.Popen(
    [live.DWELL, "-q", "-p", str(p.pid), "-n", "pid$target::probed_*:entry { @ = count(); }"], stdout=subprocess.DEVNULL
)
for _ in range(100):
    time.sleep(0.02)
    if any(kind == "link" for kind, _ in live.attached() - before):
        break
d.send_signal(signal.SIGKILL)
d.wait()
time.sleep(0.3)
seen(p.pid, "a.out", "after dwell was killed, the process can be traced again")
live.check(p.poll() is None, "and it still runs")
p.kill()
p.wait()

if shutil.which("setpriv"):
    r = subprocess.run(
        [
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            live.DWELL,
            "-p",
            "1",
            "-n",
            "pid$target:::entry",
        ],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    live.check(r.returncode == 1 and r.stderr.startswith("dwell:"), "without privileges: a message", r.stderr)
live.done()
