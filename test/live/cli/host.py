# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell --host: runs on other machines, over a real sshd on loopback."""
import contextlib
import glob
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from live import DWELL, WORK, done, dwell, same

SSHD = "/usr/sbin/sshd"
STATIC = os.path.join(os.path.dirname(os.path.realpath(DWELL)), "dwell-static")
HERE = os.path.join(WORK, "host")
HOME = os.path.join(HERE, "home")
COPIES = os.path.join(HOME, ".cache/dwell-host")


def check(what, got, want):
    same(got, want, what)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def sshd():
    """Listens at a free port; gives the port."""
    shutil.rmtree(HERE, ignore_errors=True)
    os.makedirs(HOME)
    os.makedirs("/run/sshd", exist_ok=True)
    for key in "key", "host":
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{HERE}/{key}"], check=True)
    port = free_port()
    with open(f"{HERE}/sshd_config", "w") as f:
        f.write(
            f"Port {port}\nListenAddress 127.0.0.1\nHostKey {HERE}/host\nAuthorizedKeysFile {HERE}/key.pub\n"
            f"PermitRootLogin yes\nStrictModes no\nUsePAM no\nPidFile none\nSetEnv HOME={HOME}\n"
        )
    with open(f"{HERE}/ssh_config", "w") as f:
        f.write(
            f"Host gone\n Port {free_port()}\nHost *\n HostName 127.0.0.1\n Port {port}\n User root\n IdentityFile {HERE}/key\n"
            f" StrictHostKeyChecking no\n UserKnownHostsFile /dev/null\n LogLevel ERROR\n"
        )
    p = subprocess.Popen([SSHD, "-D", "-e", "-f", f"{HERE}/sshd_config"], stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        yield
    finally:
        p.terminate()
        p.wait()
        shutil.rmtree(HERE, ignore_errors=True)


def command(*hosts, args=()):
    where = [w for h in hosts for w in ("--host", f"ssh:{h}")]
    return ["--ssh-config", f"{HERE}/ssh_config", *where, *args]


def run(*hosts, args, **kw):
    return dwell(*command(*hosts, args=args), timeout=60, **kw)


def there():
    """The processes of the copies."""
    found = []
    for exe in glob.glob("/proc/[0-9]*/exe"):
        with contextlib.suppress(OSError):
            if os.readlink(exe).startswith(COPIES):
                found.append(int(exe.split("/")[2]))
    return found


def none_there(what):
    for _ in range(300):
        if not there():
            return
        time.sleep(0.1)
    check(f"{what}: nothing of it runs there any more", there(), [])


def one():
    """A copy is made where there is none, for its owner only; what comes is what a run here prints."""
    r = run("one", args=["-qn", 'BEGIN { @n["a"] = count(); printf("%s\\n", "x"); exit(3); }'])
    check("one: status", r.returncode, 3)
    check("one: output", re.sub(" +", " ", r.stdout), "x\n\n a 1\n")
    check("one: messages", r.stderr, "")
    copies = glob.glob(f"{COPIES}/*/dwell")
    check("one copy", len(copies), 1)
    check(
        "it is this program",
        open(copies[0], "rb").read() == open(STATIC if os.path.exists(STATIC) else DWELL, "rb").read(),
        True,
    )
    modes = {p: oct(stat.S_IMODE(os.stat(p).st_mode)) for p in (COPIES, os.path.dirname(copies[0]), copies[0])}
    check("modes", set(modes.values()), {"0o700"})
    when = os.stat(copies[0]).st_mtime_ns
    r = run("one", "two", args=["-qn", "BEGIN { exit(0); }"])
    check("copied once", (r.returncode, r.stderr, os.stat(copies[0]).st_mtime_ns), (0, "", when))


MERGED = """BEGIN {
    @n["a"] = count(); @s = sum(5); @avg["b"] = avg(7); @q = quantize(3); @l = llquantize(100, 10, 0, 3, 10);
    @dev = stddev(4); @min = min(-2); @max = max(-2); @sym[func((uintptr_t)&`schedule)] = count();
    printf("hello\\n"); printa("%s: %@d\\n", @n); exit(0);
}"""


def merged():
    """Events by host, aggregations of all hosts as one."""
    r = run("one", "two", args=["-qn", MERGED])
    lines = [re.sub(" +", " ", x) for x in r.stdout.splitlines() if x]
    check("merged: status", (r.returncode, r.stderr), (0, ""))
    check("merged: events", sorted(x for x in lines if ": hello" in x), ["one: hello", "two: hello"])
    for want in "a: 2", " 10", " b 7", " 0", " -2", " vmlinux`schedule 2":
        check(f"merged: {want!r} of {lines}", want in lines, True)
    check("merged: buckets", [x.split()[-1] for x in lines if "@" in x], ["2", "2"])
    check("merged: no host has a table", [x for x in lines if re.match(r"(one|two): +\S+ +\d", x)], [])
    r = run("one", "two", args=["--by-host", "-qn", MERGED])
    check("by host", sorted(x for x in r.stdout.splitlines() if ": a: " in x), ["one: a: 1", "two: a: 1"])


def rounds():
    """The n-th printa() of all hosts is one table."""
    prog = 'tick-100ms { @n["a"] = sum(++i); printa("%@d\\n", @n); clear(@n); } tick-100ms /i == 3/ { exit(0); }'
    r = run("one", "two", args=["-qn", prog])
    check("rounds", (r.stdout.split()[:3], r.returncode), (["2", "4", "6"], 0))


HOSTILE = "$(touch {0}) `touch {0}` ; touch {0} ' \\\" | & > {0} \\\\ ! %n"


def hostile():
    """Nothing of a program, its arguments or its file's name gets into a shell."""
    bad = HERE + "/bad"
    text = HOSTILE.format(bad)
    name = os.path.join(HERE, "a' ; touch bad ; `touch bad` .d")
    with open(name, "w") as f:
        f.write(f'BEGIN {{ printf("%s %s\\n", "{text}", $$1); exit(0); }}\n')
    r = run("one", args=["-qs", name, text], cwd=HERE)
    shown = text.replace('\\"', '"').replace("\\\\", "\\")
    check("hostile", (r.stdout, r.stderr, r.returncode), (f"{shown} {shown}\n\n", "", 0))
    check("nothing was touched", (os.path.exists(bad), glob.glob(f"{HOME}/bad")), (False, []))
    for h in "a;id", "-oProxyCommand=id", "$(id)", "a'b":
        r = run(h, args=["-n", "BEGIN"])
        check(f"host {h}", (r.returncode, "may have letters" in r.stderr), (2, True))
    with open(name, "w") as f:
        f.write("BEGIN { x = ; }\n")
    r = run("one", "two", args=["-s", name])
    check("its messages name it", sorted(re.findall(r"(one|two): .*" + re.escape(name), r.stderr)), ["one", "two"])
    check("refused by both", r.returncode, 1)


def refused():
    """One host that cannot be reached: its reason, and the others' output."""
    r = run("one", "gone", args=["-qn", 'BEGIN { @["a"] = count(); printf("hello\\n"); exit(0); }'])
    check("refused: status", r.returncode, 1)
    check("refused: others", [re.sub(" +", " ", x) for x in r.stdout.splitlines() if x], ["one: hello", " a 1"])
    check(
        "refused: why",
        bool(re.match(r"dwell: gone: ssh: connect to host .* port \d+: Connection refused\n$", r.stderr)),
        True,
    )
    with open(f"{HERE}/other", "wb") as f:  # for another kind of machine
        f.write(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xb7\x00" + bytes(44))
    r = run("one", args=["--host-binary", f"{HERE}/other", "-n", "BEGIN"])
    check("another machine", (r.returncode, "is for Linux aarch64" in r.stderr), (1, True))
    r = run("one", "one", args=["-n", "BEGIN"])
    check("twice", (r.returncode, r.stderr), (2, "dwell: --host ssh:one is there twice\n"))


def files():
    """Recordings, outputs and JSON Lines by host; the copy goes when that is asked for."""
    r = run("one", "two", args=["--json", "-n", 'BEGIN { @["a"] = count(); exit(0); }'])
    check(
        "JSON",
        sorted(re.findall(r'^\{"host":"(one|two)","type":"printa".*"values":\[1\]', r.stdout, re.M)),
        ["one", "two"],
    )
    rec, out = f"{HERE}/x.dwell", f"{HERE}/out"
    r = run(
        "one",
        "two",
        args=["--separate", "--host-remove", "--record", rec, "-o", out, "-qn", 'BEGIN { @["a"] = count(); exit(0); }'],
    )
    check("files: status", (r.returncode, r.stdout, r.stderr), (0, "", ""))
    for h in "one", "two":
        check(f"output of {h}", open(f"{out}.{h}").read().split(), ["a", "1"])
        r = dwell("report", f"{rec}.{h}")
        check(f"recording of {h}", (r.returncode, r.stdout.split()), (0, ["a", "1"]))
    check("the copy is gone", glob.glob(f"{COPIES}/*"), [])


@contextlib.contextmanager
def going(*hosts, args=()):
    """A run that has begun everywhere."""
    prog = 'BEGIN { printf("begun\\n"); @["a"] = count(); } END { printf("over\\n"); }'
    p = subprocess.Popen(
        [DWELL, *command(*hosts, args=[*args, "-qn", prog])], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    for _ in hosts:
        p.stdout.readline()
    yield p
    p.stdout.close()
    p.stderr.close()


def ends():
    """Ctrl-C ends the run there, and its end is shown; so does whatever ends the connection, or stops this end."""
    with going("one", "two") as p:
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=60)
    check("Ctrl-C", (sorted(out.split()), err, p.returncode), (sorted("one: over two: over a 2".split()), "", 0))
    none_there("Ctrl-C")
    with going("one", "two") as p:
        p.kill()
        p.wait()
    none_there("killed")
    with going("one", args=["--host-timeout", "1s"]) as p:
        p.send_signal(signal.SIGSTOP)
        none_there("stopped")
        p.send_signal(signal.SIGCONT)
        out, err = p.communicate(timeout=60)
    check("stopped: status", p.returncode, 1)
    with going("one") as p:
        os.kill(there()[0], signal.SIGKILL)
        out, err = p.communicate(timeout=60)
        check("lost", (p.returncode, "the connection ended" in err or "ended with" in err), (1, True))
    none_there("lost")


def sudo():
    if not shutil.which("sudo"):
        return
    r = run("one", args=["--host-sudo", "-qn", "BEGIN { trace(uid); exit(0); }"])
    check("sudo", (r.returncode, r.stdout, r.stderr), (0, "0\n", ""))


if not os.path.exists(SSHD) or not shutil.which("ssh"):
    print("# no openssh-server here")
    sys.exit(77)
with sshd():
    for case in one, merged, rounds, hostile, refused, ends, sudo, files:
        begun = time.time()
        case()
        print(f"# {case.__name__}: {time.time() - begun:.1f} s", file=sys.stderr)
done()
