# SPDX-License-Identifier: Apache-2.0
"""goid: the goroutine as the runtime itself numbers it, with debug information and stripped, from C called by Go, and of
all programs; a version that is not known takes the places from the debug information, else it is -1 with the reason."""
import collections
import os
import platform
import re
import shutil
import subprocess
import live

if platform.machine() != "x86_64" or not shutil.which("go"):
    print("# no Go here, or not x86-64")
    raise SystemExit(77)
ENV = dict(os.environ, GOCACHE=os.path.join(live.WORK, "gocache"), GOFLAGS="-mod=mod", HOME=live.WORK)
SRC = '''package main
%s
import ("fmt"; "os"; "runtime"; "strings"; "sync"; "time"; "syscall")
func id() string { var b [64]byte; return strings.Fields(string(b[:runtime.Stack(b[:], false)]))[1] }
//go:noinline
func save(f *os.File, n int) { for i := 0; i < n; i++ { flush(int(f.Fd())) }; fmt.Println(id(), n) }
func main() {
	time.Sleep(%d * time.Millisecond)
	f, _ := os.Create(os.Args[1]); var w sync.WaitGroup
	for i := 0; i < 5; i++ { w.Add(1); go func(i int) { defer w.Done(); save(f, i + 2) }(i) }
	w.Wait()
}
var _ = syscall.Getpid
%s
'''
PURE = "func flush(fd int) { syscall.Fsync(fd) }"
CGO = '''// #include <unistd.h>
// static __thread int mine[20]; static void nap(int fd) { mine[3]++; fsync(fd); }
import "C"'''


def build(name, *args, cgo=False, sleep=0):
    at = os.path.join(live.WORK, name)
    with open(at + ".go", "w", encoding="utf-8") as f:
        f.write(SRC % (CGO if cgo else "", sleep, "func flush(fd int) { C.nap(C.int(fd)) }" if cgo else PURE))
    subprocess.run(["go", "build", *args, "-o", at, at + ".go"], check=True, env=ENV)
    return at


def compare(what, at, *more):
    r = live.dwell(
        *more,
        "-x",
        "aggrate=100ms",
        "-qn",
        'syscall::fsync:entry /pid == $target/ { @[goid] = count(); } END { printa("@ %d %@d\\n", @); }',
        "-c",
        f"{at} {live.WORK}/log",
    )
    said = collections.Counter({int(a): int(n) for a, n in re.findall(r"^(\d+) (\d+)$", r.stdout, re.M)})
    told = {int(a): int(n) for a, n in re.findall(r"^@ (-?\d+) (\d+)$", r.stdout, re.M)}
    live.check(len(said) == 5 and told == dict(said), what, r.stdout + r.stderr)
    return r


def patch(at, old, new):
    with open(at, "rb") as f:
        data = f.read()
    with open(at, "wb") as f:
        f.write(data.replace(old, new))


plain = build("plain")
compare("numbers as the runtime says them", plain)
compare("stripped", build("bare", "-ldflags", "-s -w"))
if shutil.which("gcc"):
    compare("C called by Go, with thread-local storage of its own", build("withc", cgo=True))

r = live.dwell(
    "-x",
    "aggrate=100ms",
    "-qn",
    'syscall::fsync:entry /pid == $target/ { @[ustack()] = count(); }',
    "-c",
    f"{plain} {live.WORK}/log",
)
live.check(
    re.search(r"`main.save\+.*`main.main.func\d.*`runtime.goexit", r.stdout, re.S),
    "Go's frames by name",
    r.stdout + r.stderr,
)

VERSION = (
    subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, env=ENV, check=True)
    .stdout.strip()
    .encode()
)
OTHER = b"go9" + VERSION[3:]
patch(plain, VERSION, OTHER)
compare("an unknown version with debug information", plain)
bare = os.path.join(live.WORK, "bare")
patch(bare, VERSION, OTHER)
r = live.dwell("-qn", 'syscall::fsync:entry /pid == $target/ { @[goid] = count(); }', "-c", f"{bare} {live.WORK}/log")
live.check(
    re.search(r"^ +-1 +20$", r.stdout, re.M) and "of bare: the places of 1.13 to 1.26 are known" in r.stderr,
    "without: -1, and it says so",
    r.stdout + r.stderr,
)

late = build("late", sleep=1500)
run = subprocess.Popen(["sh", "-c", f"sleep 1; {late} {live.WORK}/log"], stdout=subprocess.PIPE, text=True)
r = live.dwell(
    "-x",
    "aggrate=100ms",
    "-qn",
    'syscall::futex:entry /execname == "late"/ { @early = max(goid); } syscall::fsync:entry /execname == "late"/ { @[goid] = count(); } syscall::fsync:entry /execname != "late" && goid > 0/ { @bad[execname] = count(); } tick-4s { exit(0); }',
)
said = dict(map(int, l.split()) for l in run.communicate()[0].splitlines())
told = {int(a): int(n) for a, n in re.findall(r"^ +(-?\d+) +(\d+)$", r.stdout, re.M)}
live.check(told == said, "a program that starts later", f"{said} {told} {r.stdout} {r.stderr}")
