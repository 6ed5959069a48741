# SPDX-License-Identifier: Apache-2.0
# @timeout: 90
"""Completion: what `dwell complete` offers, and what bash, zsh and fish make of it: the real shells, with a key pressed in a terminal
(tmux) for bash and zsh."""
import os
import shutil
import subprocess
import time
from live import DWELL, WORK, check, done, dwell, same

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
SCRIPTS = os.path.join(ROOT, "completion")
BIN = os.path.join(WORK, "bin")
SECONDS = 10


def offered(*words):
    """Word -> what it is."""
    p = subprocess.run([DWELL, "complete", *words], capture_output=True, text=True, timeout=20, check=False)
    assert p.returncode == 0 and not p.stderr, p
    return dict(line.split("\t", 1) for line in p.stdout.splitlines())


# -- words --
commands = offered("")
check(
    {"flame", "latency", "run", "tools"} <= set(commands) and "complete" not in commands and all(commands.values()),
    "commands, each with what it is",
    commands,
)
same(list(offered("fla")), ["flame"], "commands that begin so")
same(set(offered("flame", "--o")), {"--on-cpu", "--off-cpu"}, "options")
same(
    set(offered("export", "--format", "pp")) | set(offered("export", "--format", "pe")),
    {"pprof", "perfetto"},
    "values of an option",
)
check({"why", "stuck", "offcpu"} <= set(offered("latency", "")), "latency: trackers and commands of its own")
same(list(offered("latency", "offcpu", "blo")), ["block"], "latency: further trackers")
check("--by" in offered("latency", "why", "--"), "latency why: its options")
check(
    {"--by", "--top", "--interval", "--for"} <= set(offered("run", "iotop", "--"))
    and "--by" not in offered("run", "opensnoop", "--"),
    "run NAME: its options and parameters",
)
check("iotop" in offered("run", "io") and "latency.block" not in offered("run", ""), "run: tools")
same(list(offered("help", "time")), ["timeline"], "help: commands")
check({"-n", "-p", "-s"} <= set(offered("-")), "options of dtrace(1)")
same(list(offered("-P", "sysc")), ["syscall"], "providers")
same(list(offered("-n", "sysc")), ["syscall:"], "probes: a provider")
check({"syscall::read:", "syscall::readv:"} <= set(offered("-n", "syscall::re")), "probes: functions")
same(sorted(offered("-ln", "syscall::read:")), ["syscall::read:entry", "syscall::read:return"], "probes: names")
check(str(os.getpid()) in offered("-p", str(os.getpid())[:2]), "processes by number")
check(offered("latency", "--comm", "pytho"), "processes by name")
r = dwell("--record", os.path.join(WORK, "r.dwell"), "-qn", "BEGIN { @calls[1] = count(); @other = sum(2); exit(0); }")
same(
    list(offered("export", "--format", "csv", os.path.join(WORK, "r.dwell"), "--by", "@c")),
    ["@calls"],
    "aggregations of a recording",
)
same(offered("flame", "-o", ""), {}, "a file: the shell's own")
same(offered("latency", "--", "l"), {}, "a command: the shell's own")
same(offered("nosuch", "-"), {}, "no such command")
same(offered("-n", "syscall:::entry { @[exec"), {}, "a program: nothing")
same(offered(*["x"] * 300), {}, "too many words")
same(dwell("complete").returncode, 2, "no word at all")

# -- shells --
os.mkdir(BIN)
os.symlink(DWELL, os.path.join(BIN, "dwell"))
ENV = dict(os.environ, PATH=BIN + ":" + os.environ["PATH"], HOME=WORK, LC_ALL="C.UTF-8")
ENV.pop("TMUX", None)


class Typing:
    """A shell in a terminal."""

    def __init__(self, shell):
        self.tmux = ["tmux", "-L", f"dwell-{os.getpid()}-{os.path.basename(shell[-2])}", "-f", "/dev/null"]
        subprocess.run([*self.tmux, "new-session", "-d", "-x", "100", "-y", "30", *shell], env=ENV, check=True)
        self.wait("ready>")

    def wait(self, wanted):
        """The screen as soon as it has what is wanted."""
        end = time.monotonic() + SECONDS
        screen = ""
        while wanted not in screen and time.monotonic() < end:
            time.sleep(0.05)
            screen = subprocess.run(
                [*self.tmux, "capture-pane", "-p"], capture_output=True, text=True, check=False
            ).stdout
        return screen

    def keys(self, *keys):
        for key in keys:
            subprocess.run([*self.tmux, "send-keys", key], check=True)

    def end(self):
        subprocess.run([*self.tmux, "kill-server"], stderr=subprocess.DEVNULL, check=False)


def rc(name, text):
    with open(os.path.join(WORK, name), "w") as f:
        f.write(text)
    return os.path.join(WORK, name)


bash = [
    "bash",
    "--noprofile",
    "--rcfile",
    rc("bashrc", f"PS1='ready> '; . {SCRIPTS}/dwell.bash; bind 'set show-all-if-ambiguous on'\n"),
    "-i",
]
os.mkdir(os.path.join(WORK, "zsh"))
rc("zsh/.zshrc", f"PS1='ready> '; fpath=({SCRIPTS} $fpath); autoload -U compinit; compinit -u -D\n")
zsh = ["env", f"ZDOTDIR={WORK}/zsh", "zsh", "-i"]
for name, shell in (("bash", bash), ("zsh", zsh)):
    if not shutil.which("tmux") or not shutil.which(name):
        print(f"# {name} or tmux is not there")
        continue
    t = Typing(shell)
    for keys, wanted, what in (
        (["dwell tim", "Tab"], "dwell timeline", "a command"),
        (["dwell export --format perf", "Tab"], "--format perfetto", "a value"),
        (["dwell -ln syscall::getppi", "Tab"], "syscall::getppid:", "a probe's function"),
        (["dwell -ln syscall::getppid:ent", "Tab"], "syscall::getppid:entry", "a probe's name"),
        (["dwell flame --o", "Tab", "Tab"], "--off-cpu", "a choice of options"),
    ):
        t.keys(*keys)
        screen = t.wait(wanted)
        check(wanted in screen, f"{name}: {what}", screen.rstrip())
        t.keys("C-u", "C-l")
    t.end()
if shutil.which("fish"):
    for line, wanted in (
        ("dwell tim", "timeline\tdraws"),
        ("dwell flame --off", "--off-cpu\t"),
        ("dwell -ln syscall::getppid:", "syscall::getppid:entry"),
    ):
        p = subprocess.run(
            ["fish", "-c", f"source {SCRIPTS}/dwell.fish; complete -C '{line}'"],
            env=ENV,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        check(wanted in p.stdout, f"fish: {line}", (p.stdout, p.stderr))
else:
    print("# fish is not there")
done()
