# SPDX-License-Identifier: Apache-2.0
"""The front door: the first screen, help of every command, one line with the nearest word after a slip."""
import os
import re

import live

COMMANDS = "ctl export features flame heat hist latency report run serve sql stat stuck timeline tools top why".split()

first = live.dwell("help")
live.same((first.returncode, first.stderr), (0, ""), "help: on standard output")
live.check(
    len(first.stdout.splitlines()) <= 25 and max(map(len, first.stdout.splitlines())) <= 80,
    "one small screen",
    first.stdout,
)
for word in COMMANDS:
    live.check(word in first.stdout or word in ("ctl",), f"it names {word}", first.stdout)
for args in (["-h"], ["--help"]):
    live.same(live.dwell(*args).stdout, first.stdout, args[0])
r = live.dwell()
live.same((r.returncode, r.stdout, r.stderr), (2, "", first.stdout), "nothing: the same on standard error, 2")
live.same(live.dwell("--version").stdout, live.dwell("-V").stdout, "--version")
live.same(live.dwell("help", "help").stdout, first.stdout, "help help")
for command in COMMANDS + ["latency why", "latency stuck", "latency profile", "latency diff"]:
    words = command.split()
    want = live.dwell(*words, "--help")
    live.check(want.returncode == 0 and want.stdout.startswith("Usage: "), f"{command} --help", f"{want}")
    live.same(live.dwell(*words, "-h").stdout, want.stdout, f"{command} -h")
    live.same(live.dwell("help", *words).stdout, want.stdout, f"help {command}")
HERE = os.path.dirname(os.path.abspath(__file__))
for name in ("tutorial", "faq", "from-others.md"):
    with open(os.path.join(HERE, "../../../doc", name.removesuffix(".md") + ".md"), encoding="utf-8") as f:
        live.same(
            live.dwell("help", name).stdout,
            f.read().split("\n", 1)[1],
            f"help {name}: the document, without its licence",
        )
live.check(live.dwell("help", "biosnoop").stdout.startswith("iosnoop.d: "), "help of a tool, by bcc's name")
with open(os.path.join(HERE, "../../../doc/from-others.md"), encoding="utf-8") as f:
    words = {
        w
        for line in f
        if line.startswith("| ")
        for code in re.findall(r"`([^`]*)`", line.split("|")[1])
        for w in re.findall(r"[a-z][a-zA-Z_0-9]{2,}", code)
    }
silent = [w for w in sorted(words) if not live.dwell("help", w).stdout]
live.check(len(words) > 60 and not silent, "each word of the sheets for others is answered", str(silent))
r = live.dwell("help", "strlen")
live.check(
    r.returncode == 0 and "dwell-d(7), SUBROUTINES\n" in r.stdout and not r.stderr,
    "help of a word: where it is explained",
    f"{r}",
)
live.same(
    live.dwell("help", "fbt").stdout.splitlines()[-1],
    "'dwell tools fbt' searches the tools, 'dwell -l fbt' the probes",
    "and where else to look",
)
for args, says in [
    (["latancy"], "there is no command 'latancy'; did you mean latency?"),
    (["flmae", "--on-cpu"], "there is no command 'flmae'; did you mean flame?"),
    (["help", "hite"], "there is no command 'hite'; did you mean hist?"),
    (["syscall::read:entry"], "a probe is given with -n: dwell -n 'syscall::read:entry'"),
    (["-p", "1"], "nothing to trace: give -n PROBE, -s FILE or -l; 'dwell help options' lists the options"),
    (["-y"], "invalid option -- 'y'; 'dwell help options' lists the options"),
    (["--verison"], "there is no option --verison; did you mean --version?"),
    (["--rceord", "x"], "there is no option --rceord; did you mean --record?"),
    (["flame", "--on-cup"], "flame: there is no option --on-cup; did you mean --on-cpu?"),
    (["flame", "--on-cpu=3"], "flame: --on-cpu takes no argument"),
    (["heat", "--by"], "heat: --by needs an argument; 'dwell heat --help' tells more"),
    (["report"], "report: a recording is missing; 'dwell report --help' tells more"),
    (["serve", "--prot", "1"], "serve: there is no option --prot; did you mean --port?"),
    (["top", "x"], "top: 'x' is not expected"),
    (
        ["latency", "diff", "a"],
        "latency diff: two recordings are compared, or two stretches of one; 'dwell latency diff --help' tells more",
    ),
    (["why", "-Q"], "latency why: there is no option -Q; 'dwell latency why --help' lists them"),
]:
    r = live.dwell(*args)
    live.same(
        (r.returncode, r.stdout, r.stderr.replace(live.NAME, "dwell")), (2, "", f"dwell: {says}\n"), " ".join(args)
    )
live.done()
