# SPDX-License-Identifier: Apache-2.0
"""A library that the process loads while it is traced: named in the description, it is probed beforehand."""
import os
import shutil
import subprocess
import sys
import time
import live

INCLUDE = os.path.join(os.path.dirname(os.path.abspath(live.__file__)), "..", "..", "include")
if not shutil.which("cc"):
    print("no C compiler")
    sys.exit(77)
os.chdir(live.WORK)
for name, text in (
    (
        "lib.c",
        "#include <sys/sdt.h>\nint later_fn(int x);\n"
        "int later_fn(int x) { STAP_PROBE1(latelib, called, x); return x * 3; }\n",
    ),
    (
        "main.c",
        "#include <dlfcn.h>\nint main(int c, char **v)\n{ void *h = dlopen(v[1], RTLD_NOW);\n"
        "int (*f)(int) = h ? dlsym(h, \"later_fn\") : 0; return !f || f(14) != 42; }\n",
    ),
):
    with open(name, "w", encoding="ascii") as f:
        f.write(text)
os.mkdir("lib")
subprocess.run(["cc", "-O1", "-I" + INCLUDE, "-shared", "-fPIC", "-o", "lib/liblater.so.1", "lib.c"], check=True)
subprocess.run(["cc", "-o", "main", "main.c", "-ldl"], check=True)
env = dict(os.environ, LD_LIBRARY_PATH=os.path.join(live.WORK, "lib"))
r = live.dwell(
    "-q",
    "-c",
    "./main liblater.so.1",
    "-n",
    "pid$target:liblater.so.1:later_fn:entry { printf(\"%d %s %s\\n\", arg0, probefunc, probemod); } "
    "pid$target:liblater.so.1:later_fn:return { printf(\"%d\\n\", arg1); } "
    "latelib$target:liblater.so.1::called { printf(\"%s %d\\n\", probename, args[0]); }",
    env=env,
)
# The probe may be the first instruction: then both fire at once.
live.same(
    sorted(r.stdout.split("\n")),
    sorted("14 later_fn liblater.so.1\ncalled 14\n42\n\n".split("\n")),
    "functions and static probes of a library loaded later",
)
r = live.dwell(
    "-q",
    "-c",
    "./main liblater.so.1",
    "-n",
    "pid$target:liblat*.so.*:later_*:entry { printf(\"%d %s\\n\", arg0, probemod); } "
    "latelib$target:lib*er.so.1::called { printf(\"%s %d\\n\", probename, args[0]); }",
    env=env,
)
live.same(sorted(r.stdout.split("\n")), sorted("14 liblater.so.1\ncalled 14\n\n".split("\n")), "the same by patterns")
# The library of a process that sees other files than we do.
if subprocess.run(["unshare", "-m", "true"], check=False).returncode == 0:
    with open("loop.c", "w", encoding="ascii") as f:
        f.write(
            "#include <unistd.h>\nint later_fn(int x);\nint main(void) { for (;;) { later_fn(9); usleep(2000); } }\n"
        )
    subprocess.run(["cc", "-o", "loop", "loop.c", "-Llib", "-l:liblater.so.1"], check=True)
    os.mkdir("inner")
    p = subprocess.Popen(
        [
            "unshare",
            "-m",
            "sh",
            "-c",
            "mount -t tmpfs none inner && cp lib/liblater.so.1 inner/ && mount -t tmpfs none lib && "
            "LD_LIBRARY_PATH=inner exec ./loop",
        ]
    )
    for _ in range(200):
        time.sleep(0.02)
        if "liblater" in open(f"/proc/{p.pid}/maps", encoding="ascii").read():
            break
    live.check(not os.listdir("inner"), "the library is not visible here")
    r = live.dwell(
        "-q", "-p", p.pid, "-n", "pid$target:liblater.so.1:later_fn:entry { printf(\"%d\", arg0); exit(0); }"
    )
    live.same(r.stdout.strip(), "9", "a function of it")
    r = live.dwell("-q", "-p", p.pid, "-n", "latelib$target:::called { printf(\"%d\", args[0]); ustack(2); exit(0); }")
    live.check(
        r.stdout.split()[:1] == ["9"] and "liblater.so.1`later_fn" in r.stdout,
        "a static probe, and its symbols",
        r.stdout + r.stderr,
    )
    p.kill()
    p.wait()

r = live.dwell("-q", "-c", "./main liblater.so.1", "-n", "pid$target:liblater.so.1:later_fn:entry")
live.check("has no module liblater.so.1" in r.stderr, "where the linker will not find it, neither does dwell", r.stderr)

# In a folder below that of a library that the program has, as libjvm.so.
os.mkdir("lib/below")
shutil.copy("lib/liblater.so.1", "lib/below/libunder.so.1")
subprocess.run(["cc", "-shared", "-fPIC", "-o", "lib/libfirst.so.1", "-x", "c", os.devnull], check=True)
subprocess.run(
    [
        "cc",
        "-o",
        "main2",
        "main.c",
        "-Wl,--no-as-needed",
        "-Llib",
        "-l:libfirst.so.1",
        "-Wl,-rpath," + os.path.join(live.WORK, "lib"),
        "-ldl",
    ],
    check=True,
)
r = live.dwell(
    "-q",
    "-c",
    f"./main2 {live.WORK}/lib/below/libunder.so.1",
    "-n",
    "pid$target:libunder.so.1:later_fn:return { printf(\"%d\", arg1); }",
)
live.same(r.stdout.strip(), "42", "a library below the folder of another one")

# Programs of PATH that nobody runs at the start: with -Z, and by a pattern that something else matches.
with open("app.c", "w", encoding="ascii") as f:
    f.write(
        "#include <stdlib.h>\n#include <sys/sdt.h>\nint main(int c, char **v)\n{ volatile long n = c > 1 ? atoi(v[1]) : 0; char ch;\n"
        "STAP_PROBE2(PROVIDER, started, n, \"late\"); return c > 2 && __builtin_scanf(\" %c\", &ch) > 9; }\n"
    )
os.mkdir("bin")
for name in ("latecomer", "latecomer2"):
    subprocess.run(["cc", "-O1", "-I" + INCLUDE, f"-DPROVIDER={name}", "-o", f"bin/{name}", "app.c"], check=True)
env = dict(os.environ, PATH=os.path.join(live.WORK, "bin") + ":" + os.environ["PATH"])


def starts_later(what, *args):
    d = subprocess.Popen(
        [
            live.DWELL,
            "-q",
            "-xswitchrate=20hz",
            *args,
            "-n",
            "BEGIN { printf(\"up\\n\"); } latecomer*:::started "
            "/arg0 > 1/ { printf(\"%s %s %s %d\\n\", probeprov, probemod, execname, args[0]); } "
            "latecomer*:::started /arg0 == 8/ { seen = 1; } latecomer*:::started /arg0 == 9 && seen/ { exit(0); } tick-20s { exit(1); }",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
    )
    up = d.stdout.readline()
    pids = []
    while up and d.poll() is None and len(pids) < 200:  # BEGIN comes before the probes are attached
        for name, n in (("latecomer", 1 if len(pids) < 20 else 8), ("latecomer2", 1 if len(pids) < 20 else 9)):
            with subprocess.Popen([f"bin/{name}", str(n)]) as p:
                pids.append(p.pid)
        time.sleep(0.05)
    out, err = d.communicate(timeout=60)
    lines = [line.split() for line in out.splitlines() if line]
    live.same(
        sorted({tuple(line[1:]) for line in lines}),
        [("latecomer", "latecomer", "8"), ("latecomer2", "latecomer2", "9")],
        f"{what}: {out} {err}",
    )
    live.check(
        all(line[0] in [f"{line[1]}{pid}" for pid in pids] for line in lines),
        f"{what}: in the processes that were started",
        out,
    )


starts_later("-Z: nobody runs it yet", "-Z")
r = live.dwell("-n", "latecomer*:::started", env=env)
live.check(r.returncode == 1 and "does not match any probes" in r.stderr, "without -Z that is an error", r.stderr)
with subprocess.Popen(["bin/latecomer", "1", "wait"], stdin=subprocess.PIPE) as first:
    time.sleep(0.2)
    starts_later("by the pattern that another program matches")
live.done()
