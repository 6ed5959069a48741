# SPDX-License-Identifier: Apache-2.0
# @timeout: 90
"""dwell tools and dwell run: tools are found, explained and run by name, also by the names of bcc and bpftrace."""
import json
import os
import re
import subprocess

import live

shipped = sorted(
    f[:-2]
    for f in os.listdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../dlib/tools"))
    if f.endswith(".d")
)
r = live.dwell("tools")
rows = [l for l in r.stdout.splitlines() if l.startswith("  ")]
live.same(sorted(l.split()[0] for l in rows), shipped, "tools: each, with its purpose")
live.check(all(len(l.split()) > 2 for l in rows), "no purpose is empty", r.stdout)
topics = [l for l in r.stdout.splitlines() if l and not l.startswith("  ")]
live.check(len(topics) == 13 and topics[0] == "Processes" and "Other" not in topics, "tools: by topic", topics)
live.check(
    "tcplife " in live.dwell("tools", "network").stdout, "tools WORD: of a topic", live.dwell("tools", "network")
)
r = live.dwell("tools", "TCP")
live.check(
    0 < len(r.stdout.splitlines()) < len(shipped) and all("tcp" in l.lower() for l in r.stdout.splitlines()),
    "tools WORD",
    r.stdout,
)
r = live.dwell("tools", "nosuchword")
live.check(r.returncode == 1 and "no tool has 'nosuchword'" in r.stderr, "tools: a word that is nowhere", f"{r}")
live.same([l.split()[0] for l in live.dwell("tools", "biosnoop").stdout.splitlines()], ["iosnoop"], "tools: bcc's name")
# What users of bcc type is a tool, or says what it became.
for name in (
    "argdist bashreadline bindsnoop biolatency biosnoop biostacks biotop bpflist cachestat capable compactsnoop cpudist dbslower "
    "dcsnoop dcstat deadlock execsnoop ext4dist ext4slower filelife fsdist funccount funclatency funcslower gethostlatency hardirqs "
    "javacalls javagc klockstat kvmexit llcstat loads mdflush memleak mountsnoop mysqld_qslower naptime netqtop nfsslower numamove "
    "offcputime offwaketime opensnoop profile pythoncalls readahead runqlat runqslower setuids shmsnoop slabratetop sofdsnoop softirqs "
    "solisten sslsniff stackcount statsnoop swapin syncsnoop syscount tcpconnect tcpdrop tcplife tcpretrans tcprtt tcpstates tcpsubnet "
    "tcpsynbl tcptop tcptracer threadsnoop tplist trace ttysnoop ucalls ugc undump uobjnew uthreads vfscount vfsstat virtiostat "
    "wakeuptime wqlat writeback xfsslower"
).split():
    r = live.dwell("run", name, "--help")
    live.check(r.stdout or "is a command here: " in r.stderr, f"dwell run {name} is answered", f"{r}")
r = live.dwell("tools", "mdflush")
live.check(
    r.returncode == 2
    and "dwell -n 'fbt::md_flush_request:entry" in r.stderr
    and "needs functions of the kernel" in r.stderr,
    "tools: what needs functions of the kernel says so",
    f"{r}",
)
# These programs compile where the kernel has the functions, and say why they do not elsewhere.
functions = re.search(r"^  yes +functions of the kernel", live.dwell("features").stdout, re.M)
for name in ("dcsnoop", "dcstat", "mdflush", "tcpsynbl", "virtiostat"):
    program = re.search(r"dwell -n '(.*)';", live.dwell("run", name).stderr)
    r = live.dwell("-e", "-n", program[1] if program else "")
    live.check(
        r.returncode == 0
        or (
            r.stderr.count("does not match any probes") == 1
            and (functions or re.search("hint: .*(kprobe|lockdown)", r.stderr))
        ),
        f"{name}: its program",
        f"{program} {r}",
    )
for args, code, text in ((["a", "b"], 2, "one word at most"), (["--bad"], 2, "no option --bad")):
    r = live.dwell("tools", *args)
    live.check(r.returncode == code and text in r.stderr, f"tools {args}", f"{r}")

r = live.dwell("run", "syscount", "--for", "300ms")
live.check(r.returncode == 0 and r.stderr == "" or "timer" in r.stderr, "run NAME --for: ends by itself", f"{r}")
os.chdir(live.WORK)
r = live.dwell("run", "opensnoop.bt", "--", "cat", "/etc/hostname")
live.check(r.returncode == 0 and "/etc/hostname" in r.stdout, "run NAME.bt -- COMMAND", f"{r}")
r = live.dwell("run", "biolatency-bpfcc", "--for", "100ms")
live.check(r.returncode == 0 and "biolatency-bpfcc is called iolatency here" in r.stderr, "bcc's name", f"{r}")
r = live.dwell("run", "iotop", "-h")
live.check(
    r.returncode == 0 and r.stdout.startswith("iotop.d: ") and "Example:" in r.stdout and "--interval" in r.stdout,
    "run NAME -h",
    f"{r}",
)
with open("iotop.d", "w", encoding="utf-8") as f:
    f.write('BEGIN { printf("another\\n"); exit(0); }')
r = live.dwell("run", "iotop", "--for", "100ms")
live.check("another" not in r.stdout, "a file of that name in the folder is not taken", f"{r}")
for args, text in (
    (["iotopp"], "did you mean iotop?"),
    (["../x"], "there is no tool '../x'"),
    (["iotop", "--for", "soon"], "is no time"),
    (["runqslower"], "runqslower is a command here: dwell latency wakeup"),
    (["tcpsynbl-bpfcc"], "it needs functions of the kernel"),
    (["criticalstat.py"], "CONFIG_PREEMPTIRQ_TRACEPOINTS"),
    (["iotop", "--"], "a command is missing after --"),
    ([], "Usage: "),
):
    r = live.dwell("run", *args)
    live.check(r.returncode == 2 and text in r.stderr, f"run {args}: {text}", f"{r}")

# -- whose events: exactly those that the kernel was asked for --
MARK = os.path.join(live.WORK, "mark")
for who in ("mine", "other", "nobody", "below"):
    open(f"{MARK}-{who}", "w", encoding="utf-8").close()
os.chmod(live.WORK, 0o755)
os.symlink("/bin/cat", "dwellmine")
UNIT = "dwelltest.service"
ID = "0123456789abcdef" * 4


def whose(*options):
    """Who of the load's processes is seen by opensnoop with these options."""
    with live.cgroup("memory", {"notify_on_release": 0}, {"cgroup.max.depth": 10}) as group:
        inner = {UNIT: "mine", f"docker-{ID}.scope": "below"} if group else {}
        for name in inner:
            os.mkdir(f"{group}/{name}")
        enter = "".join(
            f"sh -c 'echo $$ >{group}/{name}/cgroup.procs && exec cat {MARK}-{who}'; " for name, who in inner.items()
        )
        load = os.path.join(live.WORK, "load.sh")
        with open(load, "w", encoding="utf-8") as f:
            f.write(
                f"exec >/dev/null\n./dwellmine {MARK}-mine\ncat {MARK}-other\nsetpriv --reuid=65534 --clear-groups cat {MARK}-nobody\n{enter}\n"
            )
        text = live.dwell("run", "opensnoop", *(o.format(group=group) for o in options), "--", "sh", load)
        for name in inner:
            os.rmdir(f"{group}/{name}")
    live.check(text.returncode == 0, f"{options}: ends well", f"{text}")
    return sorted({(l.split()[2], l.rsplit("-", 1)[1]) for l in text.stdout.splitlines() if MARK in l}), group


for options, want in (
    (["--comm", "dwellmine"], [("dwellmine", "mine")]),
    (["--user=nobody", "--comm", "cat"], [("cat", "nobody")]),
):
    seen, made = whose(*options)
    live.same(seen, want, f"{options}: exactly these")
if made:
    for options, want in (
        (["--cgroup", "{group}"], [("cat", "below"), ("cat", "mine")]),
        (["--unit", "dwelltest"], [("cat", "mine")]),
        (["--container", ID[:12]], [("cat", "below")]),
    ):
        live.same(whose(*options)[0], want, f"{options}: exactly these, and those below")
else:
    print("# no control groups here: three options were not tried")
for args, text in (
    (["opensnoop", "--comm"], "--comm needs an argument"),
    (["opensnoop", "--user", "nosuchuser"], "there is no user 'nosuchuser'"),
    (["opensnoop", "--cgroup", "/no/such"], "there is no control group '/no/such'"),
    (["opensnoop", "--container", "web"], "'web' is no id of a container"),
    (["tcpdrop", "--comm", "x"], "tcpdrop shows the whole machine: --comm cannot narrow it"),
    (["tcpdrop", "-p", "1"], "tcpdrop shows the whole machine"),
    (["memleak", "--user=0"], "memleak looks into one process"),
):
    r = live.dwell("run", *args)
    live.check(r.returncode != 0 and text in r.stderr and r.stderr.count("\n") == 1, f"run {args}: {text}", f"{r}")
r = live.dwell("-x", "comm=sh", "-n", "BEGIN { exit(0); }")
live.check(
    r.returncode == 1 and "does not use the variable wanted" in r.stderr,
    "a program without the variable is refused",
    f"{r}",
)
r = live.dwell("-qn", "int wanted; BEGIN { wanted = 7; printf(\"%d\", wanted); exit(0); }")
live.same(r.stdout, "7\n" if r.stdout.endswith("\n") else "7", "a program may have a variable of that name")
r = live.dwell("run", "tcpdrop", "--help")
live.check("whole machine" in r.stdout and "--comm" not in r.stdout, "--help: of a tool that nothing narrows", r.stdout)
r = live.dwell("run", "iotop", "--help")
live.check(
    all(f"--{o} " in r.stdout for o in ("comm", "user", "cgroup", "container", "unit", "for", "top", "interval"))
    and "Usage: dwell run iotop [options] [parameters]" in r.stdout,
    "--help: common options and parameters",
    r.stdout,
)


# -- columns by name --
def rows(*args):
    r = live.dwell("run", *args, "--json", "--", "cat", f"{MARK}-other")
    out = [o for l in r.stdout.splitlines() if l.startswith("{") for o in json.loads(l).get("output", [])]
    return [o["columns"] for o in out if "columns" in o] + [
        row["columns"] for o in out for row in o.get("rows", []) if "columns" in row
    ]


got = [r for r in rows("opensnoop") if r["PATH"] == f"{MARK}-other"]
live.check(
    len(got) == 1
    and list(got[0]) == ["UID", "PID", "COMMAND", "FD", "ERR", "PATH"]
    and got[0]["COMMAND"] == "cat"
    and got[0]["FD"] >= 0
    and got[0]["ERR"] == "-",
    "--json: a line of printf() by its heading",
    f"{got}",
)
got = rows("syscallbyproc", "--interval", "1h", "--comm", "cat")
live.check(
    len(got) == 1 and list(got[0]) == ["PID", "COMMAND", "COUNT"] and got[0]["COUNT"] > 5,
    "--json: a row of printa() by its heading",
    f"{got}",
)
r = live.dwell(
    "-xcolumns",
    "--json",
    "-qn",
    'BEGIN { printf("%s %s %s\\n", "A", "B", "B"); printf("%d ", 1); printf("%d %d\\n", 2, 3); printf("%d\\n", 4); exit(0); }',
)
got = [o.get("columns") for l in r.stdout.splitlines() for o in json.loads(l).get("output", [])]
live.same(
    got, [None, {"A": 1}, {"B": 2, "B_2": 3}, None, None], "a line in pieces; a name twice; a line of another shape"
)
live.done()
