# SPDX-License-Identifier: Apache-2.0
"""User stacks through code without frame pointers: complete from where the probe hit to _start (or the
thread's beginning), through libraries, libc, PLT, signal frames, the vdso, the dynamic linker."""
import os
import platform
import re
import shutil
import shutil
import subprocess
import sys
import tempfile
import time
import live

if platform.machine() != "x86_64":
    print("# the stacks that are expected here are those of x86-64")
    raise SystemExit(77)

DIR = os.path.dirname(os.path.realpath(live.TRIGGER))
UNWIND = os.path.join(DIR, "unwind")
GETPPID = "syscall::getppid:entry /pid == $target/ { ustack(); }"
MAIN = ["unwind`main", "libc.so.6`__libc_start_call_main", "libc.so.6`__libc_start_main", "unwind`_start"]


def stacks(text):
    """Lists of frames without offsets."""
    out = []
    for block in re.split(r"\n\s*\n", text):
        frames = [re.sub(r"\+0x[0-9a-f]+$", "", l.strip()) for l in block.splitlines() if l.strip()]
        if frames:
            out.append(frames)
    return out


def one(what, *args, program=GETPPID, options=()):
    r = live.dwell("-q", *options, "-n", program, "-c", " ".join((UNWIND, what) + args))
    s = stacks(r.stdout)
    if not s:
        live.check(False, what, r.stdout + r.stderr)
    return s[0] if s else []


def chain(what, want, *args):
    live.same("\n".join(one(what, *args)), "\n".join(want + MAIN), what)


chain("chain", ["unwind`leaf", "libunwindlib.so`uw_inner", "libunwindlib.so`uw_lib_call", "unwind`run_chain"])
chain("realign", ["unwind`leaf", "unwind`realigned", "unwind`run_realign"])
chain("alloca", ["unwind`leaf", "unwind`with_alloca", "unwind`run_alloca"])
chain("bigframe", ["unwind`leaf", "unwind`big_frame", "unwind`run_bigframe"])
chain("deep", ["unwind`leaf"] + ["unwind`deep"] * 60, "60")

MANY = ["unwind`leaf"] + [f"unwind`{half}_{c}" for half in ("low", "high") for c in "abcdefghijklm"]
r = live.dwell("-q", "-n", GETPPID.replace("ustack()", "ustack(50)"), "-c", UNWIND + " different 1 3")
live.same(
    "\n\n".join("\n".join(s) for s in stacks(r.stdout)),
    "\n\n".join(["\n".join(MANY + MAIN)] * 3),
    "different frames, at first by searches and then by what is known",
)

s = one("qsort")
live.check(
    s[:1] == ["unwind`compare"]
    and s[-6:] == ["unwind`sort_two", "unwind`run_qsort"] + MAIN
    and all(f.startswith("libc.so.6`") for f in s[1:-6])
    and len(s) > 7,
    "qsort calls back",
    s,
)
s = one("signal")
live.check(
    s[:2] == ["unwind`handler", "libc.so.6`__restore_rt"]
    and s[-6:] == ["unwind`raise_it", "unwind`run_signal"] + MAIN
    and "libc.so.6`raise" in s,
    "a signal handler",
    s,
)
s = one("altstack")
live.same(
    "\n".join(s),
    "\n".join(["unwind`fault_handler", "libc.so.6`__restore_rt", "unwind`fault_it", "unwind`run_altstack"] + MAIN),
    "a handler on its own stack",
)
s = one("ifunc")
live.check(
    s[:1] == ["libunwindlib.so`uw_choose"]
    and s[-4:] == MAIN
    and any(f.startswith("ld-linux-x86-64.so.2`_dl_runtime_resolve") for f in s)
    or os.environ.get("LD_BIND_NOW"),
    "from the dynamic linker's resolver",
    s,
)
s = one("thread")
live.check(
    s[:2] == ["unwind`leaf", "unwind`thread_main"]
    and s[-1].startswith("libc.so.6`")
    and len(s) in (3, 4)
    and "cut" not in s[-1],
    "a thread, to its beginning",
    s,
)
s = one("jit")
live.check(
    s[:1] == ["unwind`uw_probe"] and s[1].startswith("[anon]") and s[2:] == ["unwind`run_jit"] + MAIN,
    "code of no file, by its frame pointer",
    s,
)
s = one("dlopen", os.path.join(DIR, "libunwindlib.so"))
live.check(
    s[:3] == ["unwind`leaf", "libunwindlib.so`uw_inner", "libunwindlib.so`uw_lib_call"] and s[-4:] == MAIN,
    "a library opened later",
    s,
)

# Return probes put their own address in the place of return addresses.
s = one("deep", "50", program="pid$target:a.out:deep:return { @ = count(); } " + GETPPID)
live.same(
    "\n".join(s), "\n".join(["unwind`leaf"] + ["unwind`deep"] * 50 + MAIN), "through functions with return probes"
)

# Fewer frames than there are, and depth and caller by the same walk.
s = one("deep", "60", options=("-x", "ustackframes=10"))
live.check(len(s) == 11 and s[9] == "unwind`deep" and "deeper" in s[10], "cut at the frames asked for", s)
s = one("deep", "300", program=GETPPID.replace("ustack()", "ustack(200)"), options=("-x", "maxframes=300"))
live.check(len(s) == 201 and set(s[1:-1]) == {"unwind`deep"} and "deeper" in s[-1], "200 frames", len(s))
with tempfile.NamedTemporaryFile("w") as limit:  # who lets the kernel take deeper stacks need not say -x maxframes
    limit.write("300\n")
    limit.flush()
    MOUNT = 'mount --bind "$0" /proc/sys/kernel/perf_event_max_stack && exec "$@"'
    r = subprocess.run(
        [
            "unshare",
            "-m",
            "sh",
            "-c",
            MOUNT,
            limit.name,
            live.DWELL,
            "-qn",
            GETPPID.replace("ustack()", "ustack(200)"),
            "-c",
            UNWIND + " deep 300",
        ],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    s = stacks(r.stdout)
    live.check(
        s and len(s[0]) == 201 and "deeper" in s[0][-1],
        "200 frames where perf_event_max_stack says 300",
        r.stdout + r.stderr,
    )
s = one("chain", program="syscall::getppid:entry /pid == $target/ { printf(\"%d\\n\", ustackdepth); ufunc(ucaller); }")
live.same("\n".join(s), "8\nlibunwindlib.so`uw_inner", "ustackdepth and ucaller")
s = one("chain", options=("-x", "ustackunwind=fp"))
live.check(MAIN[-1] not in s, "-x ustackunwind=fp is what it was", s)

# In keys of aggregations, by a timer, with the kernel's code page.
r = live.dwell("-q", "-n", "profile-997 /pid == $target/ { @[ustack()] = count(); }", "-c", UNWIND + " vdso 700")
s = [[f for f in x if not f.isdigit()] for x in stacks(re.sub(r"\n +\d+\n", "\n\n", r.stdout + "\n"))]
v = [x for x in s if x[0].startswith("[vdso]")]
whole = [x for x in v if x[-5:] == ["unwind`read_clock"] + MAIN]
live.check(v and len(whole) >= len(v) * 3 / 4, "through the vdso, in a key", s[:3])

# Blocked in libc: frame pointers alone give one frame.
r = live.dwell("-q", "-n", "sched:::off-cpu /pid == $target/ { ustack(); }", "-c", UNWIND + " sleep 5")
s = [x for x in stacks(r.stdout) if "libc.so.6`clock_nanosleep" in x]
live.check(
    len(s) >= 4 and all(x[-5:] == ["unwind`sleep_a_bit"] + MAIN for x in s[1:]), "blocked in nanosleep", r.stdout
)


def blocked(name, argv, last, program):
    """A process from before dwell, looked at by -p."""
    p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        r = live.dwell("-q", "-n", program, "-p", str(p.pid))
    finally:
        p.kill()
        p.wait()
    s = stacks(r.stdout)
    live.check(
        s and len(s[0]) > 4 and s[0][0].startswith("libc.so.6`") and re.search(last, s[0][-1]),
        f"{name} blocked in libc",
        r.stdout + r.stderr,
    )


OFF = "sched:::off-cpu /pid == $target/ { ustack(); exit(0); } tick-5s { exit(1); }"
blocked("python3", [sys.executable, "-c", "import time\nwhile True: time.sleep(0.05)"], "_start$", OFF)
blocked("bash", ["bash", "-c", "while :; do read -t 0.05 x; done"], "`_start$|bash`0x", OFF)
blocked("a shell waits for its vfork()", ["sh", "-c", "while :; do sleep 0.05; done"], "`_start$|`0x", OFF)
blocked(
    "sleep", ["sleep", "2"], "`_start$|`0x", "syscall::clock_nanosleep:return /pid == $target/ { ustack(); exit(0); }"
)

# Nothing tells how to go on: no table, and what is in the frame pointer is none. The stack says that it is not whole.
if shutil.which("cc"):
    os.chdir(live.WORK)
    with open("bare.c", "w", encoding="ascii") as f:
        f.write(
            """__attribute__((noinline, used)) static long probe(long n)
{ long r; __asm__ volatile("push %%rbp\\n mov $0x1234567, %%rbp\\n syscall\\n pop %%rbp" : "=a"(r) : "0"(n) : "rcx", "r11", "memory"); return r; }
__attribute__((noinline, used)) static long caller(void) { return probe(110) + 1; }
void _start(void) { caller(); __asm__ volatile("syscall" : : "a"(231), "D"(0)); }
"""
        )
    subprocess.run(
        [
            "cc",
            "-O1",
            "-static",
            "-nostdlib",
            "-fno-asynchronous-unwind-tables",
            "-fomit-frame-pointer",
            "-fno-stack-protector",
            "-mno-red-zone",
            "-Wl,--build-id=none",
            "-o",
            "bare",
            "bare.c",
        ],
        check=True,
    )
    r = live.dwell("-q", "-n", GETPPID, "-c", "./bare")
    s = stacks(r.stdout)
    live.check(
        len(s) == 1 and s[0][0] == "bare`probe" and "no way to the caller found" in s[0][-1],
        "no table, no frame pointer: cut, and said so",
        r.stdout + r.stderr,
    )

# A process that nobody knew before: the second of its kind has the tables of the first.
r = subprocess.Popen(
    [
        live.DWELL,
        "-qn",
        "syscall::getppid:entry /execname == \"unwind\"/ { ustack(); }" "BEGIN { printf(\"up\\n\"); }",
        "-x",
        "switchrate=50hz",
    ],
    stdout=subprocess.PIPE,
    text=True,
)
r.stdout.readline()
time.sleep(0.3)
for _ in range(6):
    subprocess.run([UNWIND, "chain"])
    time.sleep(0.1)
time.sleep(0.3)
r.terminate()
s = stacks(r.communicate()[0])
want = ["unwind`leaf", "libunwindlib.so`uw_inner", "libunwindlib.so`uw_lib_call", "unwind`run_chain"] + MAIN
live.check(len(s) == 6 and s[1:].count(want) >= 3, "short-lived processes from the second on", s)

# Little room for tables, and wrong words.
r = live.dwell("-q", "-x", "unwindsize=64k", "-n", GETPPID, "-c", UNWIND + " chain")
live.check("no room for the unwinding tables of" in r.stderr and r.stdout.strip(), "-x unwindsize", r.stderr)
# At the limit a program that is too large leaves room for others: node has a table of 2.2 MB, libc and unwind have small ones.
NODE = shutil.which("node")
if NODE:
    script = os.path.join(live.WORK, "large.sh")
    with open(script, "w", encoding="utf-8") as f:
        f.write(f"{NODE} -e 'for (let i = 0; i < 2e8; i++);'\n{UNWIND} chain\nsleep 0.3\n{UNWIND} chain\nsleep 0.3\n")
    r = live.dwell(
        "-x",
        "unwindsize=2m",
        "-x",
        "switchrate=50hz",
        "-qn",
        'profile-499 /execname == "node" && arg1 != 0/ { ustack(1); } '
        'syscall::getppid:entry /execname == "unwind"/ { printf("=\\n"); ustack(); printf("=\\n"); }',
        "-c",
        f"sh {script}",
    )
    last = [l.strip().split("+")[0] for l in (["", ""] + r.stdout.split("=\n"))[-2].splitlines() if l.strip()]
    live.check(
        "no room for the unwinding tables of" in r.stderr
        and last[:1] == ["unwind`leaf"]
        and last[-1].endswith("`_start"),
        "small programs have room after a large one",
        (last, r.stderr),
    )
r = live.dwell("-q", "-x", "ustackunwind=dwarf", "-n", GETPPID, "-c", UNWIND + " chain")
live.check(r.returncode != 0 and "one of auto, eh, fp" in r.stderr, "-x ustackunwind=dwarf", r.stderr)
live.done()
