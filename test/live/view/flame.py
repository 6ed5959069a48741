# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""dwell flame: pictures of recordings and of texts; what it says of input that is none."""
import os
import re
import stat
import subprocess
import xml.etree.ElementTree as ET
from live import DWELL, TRIGGER, WORK, busy_cpus, check, complaints, done, dwell, same

SVG = "{http://www.w3.org/2000/svg}"


def path(name):
    return os.path.join(WORK, name)


def flame(*args, text=None):
    return subprocess.run(
        [DWELL, "flame", *args],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        errors="surrogateescape",
        env=dict(os.environ, TMPDIR=WORK),
    )


def frames(svg):
    """name, share in per cent and class of each frame; the title and notes."""
    root = ET.fromstring(svg)
    area = root.find(f"{SVG}svg")
    found = []
    for g in area:
        rect = g.find(f"{SVG}rect")
        found.append(
            (
                g.find(f"{SVG}title").text.split("\n")[0],
                float(rect.get("width")[:-1]),
                rect.get("class"),
                g.find(f"{SVG}title").text,
            )
        )
    return found, [t.text or "" for t in root.findall(f"{SVG}text")]


# -- folded text --
r = flame("-", text="main;read;vfs_read_[k] 30\nmain;libc.so.6`memcpy 60\nmain 10\n")
same(r.returncode, 0, "folded stacks become a picture")
fs, texts = frames(r.stdout)
same(
    [(n, w) for n, w, c, t in fs],
    [("main", 100.0), ("memcpy", 60.0), ("read", 30.0), ("vfs_read", 30.0)],
    "frames have their names and shares",
)
check(len({c.split()[0] for n, w, c, t in fs}) == 3, "kernel, library and other frames have colours of their own", fs)
check(any("100 samples" in t for t in texts), "the whole is told", texts)

r = flame("-", "--reverse", text="a;b 1\nc;b 2\n")
same(
    [(n, round(w)) for n, w, c, t in frames(r.stdout)[0]],
    [("b", 100), ("a", 33), ("c", 67)],
    "--reverse begins with the leaves",
)
r = flame("-", "--sandwich", "f", text="a;f;x 1\nb;f;y 3\nz 6\n")
same(
    sorted((n, round(w)) for n, w, c, t in frames(r.stdout)[0]),
    [("a", 25), ("b", 75), ("f", 100), ("x", 25), ("y", 75)],
    "--sandwich: callers and callees of one function",
)
r = flame("-", "--sandwich", "nobody", text="a 1\n")
check(r.returncode == 1 and "nobody" in r.stderr, "--sandwich of a function that is not there", r.stderr)

with open(path("before.txt"), "w") as f:
    f.write("a;gone 50\na;same 50\n")
with open(path("after.txt"), "w") as f:
    f.write("a;new 500\na;same 500\n")
r = flame("--differential", path("before.txt"), path("after.txt"))
by_name = {n: (w, c, t) for n, w, c, t in frames(r.stdout)[0]}
check(
    by_name["gone"][1] == "c0" and by_name["new"][1] == "c20" and by_name["same"][1] == "c10",
    "--differential: what is gone, new and the same is told apart",
    by_name,
)
check(
    abs(by_name["gone"][0] - 25) < 0.01 and "50.00 %" in by_name["gone"][2],
    "what is gone has its place",
    by_name["gone"],
)

many = "".join(f"main;f{i % 150};g{i} 1\n" for i in range(30000))
r = flame("-", "--min-width", "0", text=many)
fs, texts = frames(r.stdout)
check(len(fs) <= 10000 and any("of 30,151 frames drawn" in t for t in texts), "an SVG is capped, and says so", texts)
check(
    "30,000 samples" in " ".join(texts) and sum(w for n, w, c, t in fs if n[0] == "f") > 99.9,
    "frames keep what is above them, drawn or not",
)

# -- what is no stack --
for what, text, want in [
    ("nothing", "", "no stacks"),
    ("text", "hello\nworld\n", "line 1"),
    ("binary", "\x7fELF\x00\x01\n", "line 1"),
]:
    r = flame("-", text=text)
    check(r.returncode == 1 and want in r.stderr and not r.stdout, f"{what} is no input", r.stderr)
r = flame("-", text="a;b 1\ngarbage\nc 2\n")
check(
    r.returncode == 0 and "1 line was left out, the first is line 2" in r.stderr,
    "lines that are none are told",
    r.stderr,
)
r = flame(path("nowhere"))
check(r.returncode == 1 and "No such file" in r.stderr, "a file that is not there", r.stderr)
for args in [[], ["a", "b"], ["--from", "soon", "-"], ["--min-width", "wide", "-"], ["--nonsense", "-"]]:
    same(flame(*args, text="").returncode, 2, f"flame {' '.join(args)}: usage")

# -- a recording --
with busy_cpus():
    r = dwell(
        "--record",
        path("r.dwell"),
        "-qn",
        "profile-199 /pid == $target/ { @cpu[execname, tid, ustack(), stack()] = count(); "
        "@other[ustack()] = sum(1); @min_ns[stack()] = min(2); }",
        "-c",
        f"{TRIGGER} spin 1000",
    )
r = flame(path("r.dwell"))
check(
    r.returncode == 1 and "@cpu, @other; choose one with --by" in r.stderr,
    "several aggregations: one is to be chosen",
    r.stderr,
)
r = flame("--by", "@nothing", path("r.dwell"))
check(
    r.returncode == 1 and "'@nothing' has no stacks; what has: @cpu, @other" in r.stderr,
    "one that is not there",
    r.stderr,
)
r = flame("--by", "@cpu", "-o", path("r.svg"), path("r.dwell"))
same(r.stderr, "", "a picture of a recording")
with open(path("r.svg")) as f:
    svg = f.read()
fs, texts = frames(svg)
check(fs[0][0] == "trigger" and fs[0][1] > 99 and "process" in fs[0][3], "texts of the key are below the stack", fs[:3])
check(any(n == "main" for n, w, c, t in fs), "functions have names", [n for n, w, c, t in fs][:20])
check(any("samples" in t for t in texts), "profile probes count samples", texts)
mask = os.umask(0)
os.umask(mask)
same(stat.S_IMODE(os.stat(path("r.svg")).st_mode), 0o666 & ~mask, "the file has the usual mode")
r = flame("--by", "cpu", "--per-thread", path("r.dwell"))
check(any(re.fullmatch(r"\d+", n) for n, w, c, t in frames(r.stdout)[0]), "--per-thread: all keys are below the stack")
r = flame("--by", "cpu", "--from", "1h", path("r.dwell"))
check(r.returncode == 1 and "outside" in r.stderr, "a time when nothing was", r.stderr)

# -- recorded by itself --
with busy_cpus():
    r = flame("-o", path("on.svg"), "-c", f"{TRIGGER} spin 500")
same(r.returncode, 0, "on CPU: recorded and drawn")
check(not complaints(r), "nothing else is said", r.stderr)
with open(path("on.svg")) as f:
    fs, texts = frames(f.read())
check(
    fs[0][0] == "trigger" and any(n == "main" for n, w, c, t in fs) and texts[0].startswith("On CPU · "),
    "on CPU: what ran",
    fs[:3],
)
r = flame("--off-cpu", "--idle", "--record", path("off.dwell"), "-c", "sleep 0.1")
fs, texts = frames(r.stdout)
check(
    any("nanosleep" in n for n, w, c, t in fs) and " ms" in texts[1],
    "off CPU: where it waited, in time",
    (texts, fs[:3]),
)
check(os.path.exists(path("off.dwell")), "--record keeps the recording")
r = flame(path("off.dwell"))
check(
    "nanosleep" not in r.stdout and ("--idle draws them" in r.stderr or "idle waits left out" in r.stdout),
    "off CPU: sleeps are left out, and told",
    (r.stderr, r.stdout[:3000]),
)
check(
    not any(
        re.fullmatch(r"\d", n) for n, w, c, t in frames(flame("--idle", "--per-thread", path("off.dwell")).stdout)[0]
    ),
    "what is noted of a wait is no frame",
)
with open(path("wake.sh"), "w") as f:
    f.write("(sleep 0.1; echo now) | cat > /dev/null\n")
r = flame("--wakeup", "-c", "sh " + path("wake.sh"))
fs, texts = frames(r.stdout)
names = [n for n, w, c, t in fs]
check(
    "cat" in names and any("pipe_read" in n for n in names) and "--" in names and any("pipe_write" in n for n in names),
    "wake-up: the stack of the sleeper, and of the waker",
    (r.stderr, names[:60]),
)
r = flame("--on-cpu", "-c", "/nowhere/at/all")
check(r.returncode == 1 and not r.stdout, "a command that is not there", r.stderr)
same(flame("--on-cpu", "--for", "1s", path("r.dwell")).returncode, 2, "a file and a recording: usage")
check(not [n for n in os.listdir(WORK) if n.startswith("dwell-flame-")], "no recordings stay behind")

# -- code made at run time: memory that is private, perhaps right behind a library, or shared --
JIT = """import ctypes, mmap, os, time
code = bytes.fromhex("554889e548ffcf75fb5dc3")  # push rbp; mov rbp, rsp; 1: dec rdi; jnz 1b; pop rbp; ret
m = mmap.mmap(-1, 4096, flags=mmap.MAP_ANONYMOUS | mmap.%s, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
m.write(code)
at = ctypes.addressof(ctypes.c_char.from_buffer(m))
with open(f"/tmp/perf-{os.getpid()}.map", "w") as f:
    f.write(f"{at:x} {len(code):x} made_at_run_time\\n")
end = time.monotonic() + 1.5
while time.monotonic() < end:
    ctypes.CFUNCTYPE(None, ctypes.c_ulong)(at)(10000000)
os.unlink(f.name)
"""
for kind in ("MAP_PRIVATE", "MAP_SHARED") if os.uname().machine == "x86_64" else ():
    with open(path("jit.py"), "w") as f:
        f.write(JIT % kind)
    with busy_cpus():
        r = flame("-c", f"{os.path.realpath('/usr/bin/python3')} {path('jit.py')}")
    fs, texts = frames(r.stdout)
    made = [t for n, w, c, t in fs if n == "made_at_run_time"]
    check(
        made and all("compiled at run time, [jit]" in t for t in made),
        f"{kind}: code made at run time has its name and kind",
        [n for n, w, c, t in fs][-20:],
    )
    check(">compiled at run time</text>" in r.stdout, f"{kind}: and is in the legend")

os.makedirs(path("d"), exist_ok=True)
r = flame("-o", path("d"), "-", text="a 1\n")
check(r.returncode == 1 and "directory" in r.stderr, "-o a directory", r.stderr)
r = flame("-o", "/dev/full", "-", text="a 1\n")
check(r.returncode == 1 and "No space" in r.stderr, "a full disk is told", r.stderr)
with open(path("old.svg"), "w") as f:
    f.write("old")
flame("-o", path("old.svg"), "-", text="nonsense\n")
with open(path("old.svg")) as f:
    same(f.read(), "old", "a failure leaves the file that was there")
check(not [n for n in os.listdir(WORK) if n.startswith("old.svg.")], "nothing half-written stays")
done()
