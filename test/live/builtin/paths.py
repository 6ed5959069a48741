# SPDX-License-Identifier: Apache-2.0
"""d_path(), cwd, root, fds[] and fd_type[] say what /proc says: files, deleted ones, other mounts, pipes, sockets and more.
In typed and untyped programs."""
import ctypes
import os
import stat
import subprocess
import sys
import tempfile
import live

libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 4096, 16384, 1 << 18
NFDS = 12

CHILD = r"""
import ctypes, os, socket, sys
libc = ctypes.CDLL(None)
base = sys.argv[1]
def put(fd, to):
    os.dup2(fd, to)
sys.stdin.readline()
os.makedirs(base + "/deep/er/und/er", exist_ok=True)
os.makedirs(base + "/mnt", exist_ok=True)
if libc.unshare(0x20000) == 0:
    libc.mount(b"none", b"/", None, 16384 | (1 << 18), None)
    libc.mount((base + "/deep").encode(), (base + "/mnt").encode(), None, 4096, None)
put(os.open("/dev/null", os.O_RDONLY), 100)
put(os.open(base + "/deep/er/und/er/file", os.O_CREAT | os.O_RDWR), 101)
put(os.open(base + "/mnt/er/und/er/file", os.O_RDWR), 102)
put(os.open(base + "/gone", os.O_CREAT | os.O_RDWR), 103)
os.unlink(base + "/gone")
put(os.pipe()[0], 104)
put(socket.socket(socket.AF_UNIX).detach(), 105)
put(libc.epoll_create(1), 106)
put(os.memfd_create("a name"), 107)
put(os.open("/proc/self/ns/mnt", os.O_RDONLY), 108)
put(os.open("/", os.O_RDONLY), 109)
put(os.open(base + "/" + "n" * 255, os.O_CREAT | os.O_RDWR), 110)
put(os.open("/proc/self/status", os.O_RDONLY), 111)
os.lseek(101, 7, 0)
os.chdir(base + "/mnt/er")
print("ready", flush=True)
for line in sys.stdin:
    os.getppid()
    print("done", flush=True)
"""

base = tempfile.mkdtemp(dir=live.WORK)
child = subprocess.Popen([sys.executable, "-c", CHILD, base], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask():
    child.stdin.write("\n")
    child.stdin.flush()
    return child.stdout.readline()


ask()
want = [os.readlink(f"/proc/{child.pid}/fd/{fd}") for fd in range(100, 100 + NFDS)]
# The child's mounts are its own: /proc gives names of those from the root of the namespace, as D does.
want += [os.readlink(f"/proc/{child.pid}/cwd"), live.seen("/")]
fds = "".join('printf("%%s\\n", d_path(&this->f[%d]->f_path));' % fd for fd in range(100, 100 + NFDS))


def run(probe, *opts, body=None):
    text = (
        probe
        + " /pid == $1/ { this->f = curthread->files->fdt->fd; "
        + (body or fds)
        + ' printf("%s\\n%s\\nend\\n", cwd, root); exit(0); }'
    )
    p = subprocess.Popen(
        [live.DWELL, "-q", *opts, "-n", text + ' BEGIN { printf("go\\n"); }', str(child.pid)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    first = p.stdout.readline()
    while p.poll() is None and first:
        ask()
        try:
            p.wait(0.2)
        except subprocess.TimeoutExpired:
            pass
    return p.stdout.read(), p.stderr.read()


for probe in ("syscall::getppid:entry", "rawtp:::sys_enter"):
    out, err = run(probe, "-x", "strsize=512")
    got = out.split("\n")
    for g, w in zip(got, want):
        live.same(g, w, f"{probe}: {w[-40:]}")
    live.check("end" in got, probe + " ends", out + err)

# fds[]: name, directory, path, offset, file system, mount point, flags
for fd, fs, off, mount, flags in (
    (101, None, 7, None, os.O_RDWR),
    (102, None, 0, live.seen(base + "/mnt"), os.O_RDWR),
    (104, "pipefs", 0, None, os.O_RDONLY),
    (111, "proc", 0, live.seen("/proc"), os.O_RDONLY),
):
    out, err = run(
        "syscall::getppid:entry",
        "-x",
        "strsize=300",
        body='this->n = %d; printf("%%s|%%s|%%s|%%d|%%s|%%s|%%d\\n", '
        'fds[this->n].fi_name, fds[this->n].fi_dirname, fds[this->n].fi_pathname, fds[this->n].fi_offset, '
        'fds[this->n].fi_fs, fds[this->n].fi_mount, fds[this->n].fi_oflags & O_ACCMODE);' % fd,
    )
    got, path = out.split("\n")[0].split("|"), want[fd - 100]
    if not live.check(len(got) == 7, f"fds[{fd}]", out + err):
        continue
    live.same(got[2:4] + got[6:], [path, str(off), str(flags)], f"fds[{fd}]: path, offset, flags")
    if fs:
        live.same(got[4], fs, f"fds[{fd}]: file system")
    if path.startswith("/"):
        live.same(got[:2], [os.path.basename(path), os.path.dirname(path)], f"fds[{fd}]: name and directory")
    if mount:
        live.same(got[5], mount, f"fds[{fd}]: mount point")
out, err = run(
    "syscall::getppid:entry",
    body='printf("%s %s %d %s\\n", fds[999].fi_name, fds[-1].fi_pathname, fds[100000].fi_oflags, fds[99].fi_fs);',
)
live.same(out.split("\n")[0], "<none> <none> 0 <none>", "descriptors that are not open")

# fd_type[]: as stat(2) has it, which keeps to itself what the kernel's own files (epoll) are
there = [fd for fd in range(100, 100 + NFDS) if not os.readlink(f"/proc/{child.pid}/fd/{fd}").startswith("anon_inode:")]
out, err = run(
    "syscall::getppid:entry",
    body="".join('printf("%%d ", fd_type[%d]);' % fd for fd in (*there, 999, -1, 100000)) + 'printf("\\n");',
)
live.same(
    out.split("\n")[0].split(),
    [str(stat.S_IFMT(os.stat(f"/proc/{child.pid}/fd/{fd}").st_mode)) for fd in there] + ["0"] * 3,
    "fd_type[]" + err,
)

out, err = run("syscall::getppid:entry", "-x", "strsize=64")
lines = out.split("\n")
cut = [w for w in want if len(w) > 63]
live.check(
    cut and all(not g.startswith("...") or (w.endswith(g[3:]) and len(w) > 63) for g, w in zip(lines, want)),
    "what is cut says so",
    out + err,
)
live.check(
    lines[1].startswith("...") and want[1].endswith(lines[1][3:]) if len(want[1]) > 63 else lines[1] == want[1],
    "a long path keeps its end",
    lines[1],
)
live.same(lines[10], "...", "a name larger than strsize")

r = live.dwell("-x", "strsize=16", "-n", "BEGIN { trace(cwd); exit(0); }")
live.check(r.returncode == 1 and "strsize of at least 32" in r.stderr, "a small strsize is refused", r.stderr)
r = live.dwell("-qn", "BEGIN { trace(d_path(0)); exit(0); } ERROR { exit(3); }")
live.check(r.returncode == 3 and "invalid address (0x0)" in r.stderr, "NULL is an invalid address", r.stderr)
child.stdin.close()
child.wait()
live.done()
