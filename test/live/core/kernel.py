# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""dwell core -k: the running kernel's processes, threads, files, sockets, memory areas, cgroups and types, against /proc and BTF; what is refused."""
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
import live

STATES = set("RSDTtXZIP")


def core(*lines, json_lines=False):
    args = [a for l in lines for a in ("-c", l)]
    r = live.dwell("core", "-k", *(["--json"] if json_lines else []), *args)
    return [json.loads(l) for l in r.stdout.splitlines()] if json_lines else r


def addresses(line):
    return core(line).stdout.split()


r = core("::status")
live.check(os.uname().release in r.stdout, "which kernel", r.stdout + r.stderr)

# A process with known threads, files and sockets, stopped, so that nothing of it changes.
pair = socket.socketpair()
pid = os.fork()
if not pid:
    for _ in range(3):
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(1000)
os.waitpid(pid, os.WUNTRACED)
before = {int(d) for d in os.listdir("/proc") if d.isdigit()}
rows = core("::ps", json_lines=True)
after = {int(d) for d in os.listdir("/proc") if d.isdigit()}
got = {x["pid"]: x for x in rows}
live.check(before & after <= set(got), "every process that was there all the time", before & after - set(got))
live.check({x["state"] for x in rows} <= STATES, "states", {x["state"] for x in rows})
mine = got[pid]
with open(f"/proc/{pid}/comm", encoding="utf-8") as f:
    comm = f.read().strip()
live.same(
    (mine["comm"], mine["ppid"], mine["uid"], mine["state"], mine["kernel"]),
    (comm, os.getpid(), os.getuid(), "T", False),
    "what is known of one",
)
live.check(got[2]["kernel"] and got[2]["comm"] == "kthreadd", "a thread of the kernel", got[2])
task = mine["address"]
live.same(
    {x["tid"] for x in core(f"{task}::threads", json_lines=True)},
    {int(t) for t in os.listdir(f"/proc/{pid}/task")},
    "its threads",
)
live.check(len(addresses("::walk thread")) >= len(rows), "all threads", "")
live.check(task in {x["address"] for x in core("::walk task", json_lines=True)}, "a walk as JSON", "")
live.same(len(addresses(f"{task}::walk file")), len(os.listdir(f"/proc/{pid}/fd")), "its open files")
sockets = [n for n in os.listdir(f"/proc/{pid}/fd") if os.readlink(f"/proc/{pid}/fd/{n}").startswith("socket:")]
live.same(len(addresses(f"{task}::walk socket")), len(sockets), "its sockets")
families = core(f"{task}::walk socket | ::print socket sk->__sk_common.skc_family").stdout
live.check(families.count(f"= {int(socket.AF_UNIX):#x}") >= 2, "what they are", families)
with open(f"/proc/{pid}/maps", encoding="ascii") as f:
    maps = [l.split()[0] for l in f if "[vsyscall]" not in l]
areas = core(f"{task}::walk vma | ::print vm_area_struct vm_start vm_end", json_lines=True)
live.same(
    [f"{a['value']:x}-{b['value']:x}".zfill(0) for a, b in zip(areas[::2], areas[1::2])],
    [f"{int(m.split('-')[0], 16):x}-{int(m.split('-')[1], 16):x}" for m in maps],
    "its memory areas",
)
r = core(f"{task}::print struct task_struct comm tgid real_parent->tgid")
live.same(r.stdout, f'comm = "{comm}"\ntgid = {pid:#x}\nreal_parent->tgid = {os.getpid():#x}\n', "members by paths")
r = core(f"{task}::print -d 0 struct task_struct", f"{task}::print task_struct fs->pwd.dentry->d_name.name")
live.check(
    "    pid = " in r.stdout
    and "(struct sched_entity) …" in r.stdout
    and f'"{os.path.basename(os.getcwd())}"' in r.stdout,
    "a whole struct; a text by a pointer",
    r.stdout[-300:] + r.stderr,
)
size = live.dwell(
    "-qn", 'BEGIN { printf("%d %d", sizeof(struct task_struct), offsetof(struct task_struct, comm)); exit(0); }'
).stdout.split()
r = core("::sizeof struct task_struct", "::offsetof task_struct comm")
live.same(
    r.stdout.splitlines(),
    [f"sizeof (struct task_struct) = {int(size[0]):#x}", f"offset = {int(size[1]):#x}, size = 0x10"],
    "as D has it",
)
groups = core("::walk cgroup | ::print cgroup kn->name level", json_lines=True)
live.check(
    groups and groups[1]["value"] == 0 and all(g["value"] >= 0 for g in groups[1::2]),
    "cgroups, the root first",
    groups[:4],
)
if os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
    live.same(len(groups) // 2, sum(1 for _ in os.walk("/sys/fs/cgroup")), "as many as there are folders")
with open("/proc/self/mountinfo", encoding="ascii") as f:
    mounts = [l.split() for l in f]
got = core(f"{task}::walk mount | ::print struct mount mnt_id mnt_mountpoint->d_name.name", json_lines=True)
live.check(
    {int(m[0]) for m in mounts} <= {x["value"] for x in got[::2]}
    and len(got) // 2 == len({x["value"] for x in got[::2]}),
    "mounts of its namespace",
    got[:4],
)

# Stacks: five processes that sleep alike are one group, which its process, function and state select.
sleepers = [subprocess.Popen(["sleep", "1000"]) for _ in range(5)]
tasks = set()
for _ in range(100):
    rows = core("::ps", json_lines=True)
    tasks = {
        x["address"]
        for x in rows
        if x["pid"] in {p.pid for p in sleepers} and x["state"] == "S" and x["comm"] == "sleep"
    }
    if len(tasks) == 5:
        break
    time.sleep(0.05)
one = sorted(tasks)[0]
got = core(f"{one}::stacks", json_lines=True)
live.check(
    len(got) == 1 and got[0]["count"] == 1 and got[0]["task"] == one and got[0]["state"] == "S",
    "the stack of one process",
    got,
)
names = [x.get("name") for x in got[0]["stack"]]
with open(f"/proc/{[x['pid'] for x in rows if x['address'] == one][0]}/stack", encoding="ascii") as f:
    truth = [l.split()[1].split("+")[0] for l in f]
live.same(
    [n for n in names if n not in ("__schedule", "schedule")][-len(truth) :],
    truth,
    "its frames are those of /proc/PID/stack",
)
function = [n for n in names if "nanosleep" in n][0]
got = core(f"::stacks -c {function} -m vmlinux -t S", json_lines=True)
live.check(
    any(x["count"] >= 5 and [f.get("name") for f in x["stack"]] == names for x in got),
    "five that sleep alike",
    [(x["count"], x["task"]) for x in got],
)
live.same(core(f"::stacks -c {function} -t D", json_lines=True), [], "none of another state")
live.same(core("::stacks -m no_such_module", json_lines=True), [], "none of a module")
text = core("::stacks").stdout
counts = [int(l.split()[2]) for l in text.splitlines()[1:] if re.match(r" *[0-9a-f]+ [RSDTtXZIP] [0-9]+$", l)]
live.check(counts == sorted(counts, reverse=True) and sum(counts) > 50, "all, most threads first", text[:500])
r = core(f"::stacks -c {function} | ::print struct task_struct comm")
live.check(r.returncode == 0 and "comm = " in r.stdout, "a pipeline", r.stdout + r.stderr)
for p in sleepers:
    p.kill()
    p.wait()
got = core("vfs_read::dis", json_lines=True)
live.check(
    len(got) > 20 and any("rw_verify_area" in l for l in core("vfs_read::dis").stdout.splitlines()),
    "instructions of the kernel, with names of what they call",
    got[:3],
)
os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)

r = core("::nm vfs_rea", "vfs_read::whatis", "vmlinux`vfs_read+10::whatis")
live.check(
    re.search(r"vmlinux`vfs_read\n", r.stdout)
    and "is vmlinux`vfs_read+0x0\n" in r.stdout
    and "vfs_read+0x10\n" in r.stdout,
    "functions",
    r.stdout + r.stderr,
)
for line, words in (
    ("10::print struct task_struct pid", "cannot be read"),
    ("::stacks -t x", "no state"),
    ("::stacks -c", "wants a word"),
    ("::stacks x", "unexpected 'x'"),
    ("10::walk mount", "cannot be read"),
    ("::stack", "::stacks shows"),
    ("::mappings", "no list of mappings"),
    ("::jsstack", "no V8"),
    ("::sizeof struct no_such", "no type is called 'no_such'"),
    ("10::whatis", "nothing is mapped"),
    ("10::walk file", "cannot be read"),
    ("10::threads", "cannot be read"),
    ("no_such_function::whatis", "neither a number nor a name"),
    ("::ps x", "unexpected 'x'"),
):
    r = core(line)
    live.check(
        r.returncode == 1 and words in r.stderr, f"refused: {line}", f"{r.returncode} {r.stdout[:200]} {r.stderr}"
    )
# The examples of those commands' help that are about the kernel.
for name in ("array", "list", "offsetof", "print", "ps", "sizeof", "stacks", "typedef"):
    example = next(x for x in core(f"::help {name}").stdout.splitlines() if x.startswith("Example: "))[9:]
    r = core(example)
    live.check(r.returncode == 0 and (r.stdout or name == "typedef"), f"example {example}", r.stdout + r.stderr)
r = live.dwell("core", "-p", os.getpid(), "--no-stop", "-c", "::ps", "-c", "::walk task")
live.check(
    r.returncode == 1 and r.stderr.count("dwell core -k looks at it") == 2, "a process is not the kernel", r.stderr
)
for args, code, words in ((["-k", "file"], 2, "'file'"), (["-k", "-p", "1"], 2, "'-k'")):
    r = live.dwell("core", *args)
    live.check(r.returncode == code and words in r.stderr, f"core {args}", f"{r.returncode} {r.stderr}")
r = subprocess.run(
    ["setpriv", "--reuid", "65534", "--clear-groups", live.DWELL, "core", "-k", "-c", "::ps"],
    capture_output=True,
    text=True,
    timeout=20,
    check=False,
)
live.check(r.returncode == 1 and "needs root" in r.stderr, "others may not look", r.stderr)
live.done()
