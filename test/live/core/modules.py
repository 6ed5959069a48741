# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""dwell core --module: commands and walkers of a shared object (examples/core-module.c) and of files of D (examples/core-module.d), with their
own completion, in pipelines and as JSON; what is not loaded."""
import json
import os
import pty
import select
import shutil
import subprocess
import time
import live

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "../../../examples")
os.chdir(live.WORK)
os.chmod(live.WORK, 0o755)
SERVICE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct conn { struct conn *next; int port; char host[24]; } *conns;
int main(void) { for (int i = 3; i; i--) { struct conn *c = calloc(1, sizeof(*c)); c->next = conns; c->port = 8000 + i; snprintf(c->host, 24, i == 2 ? "db\033[31m" : "db-%d", i); conns = c; }
  puts("ready"); fflush(stdout); for (;;) pause(); }
"""
with open("service.c", "w", encoding="ascii") as f:
    f.write(SERVICE)
subprocess.run(["cc", "-g", "-Wl,--build-id", "-o", "service", "service.c"], check=True)
subprocess.run(
    [
        "cc",
        "-shared",
        "-fPIC",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-I",
        os.path.join(HERE, "../../../include"),
        "-o",
        "conns.so",
        EXAMPLES + "/core-module.c",
    ],
    check=True,
)
os.chmod("conns.so", 0o755)
shutil.copy(EXAMPLES + "/core-module.d", "conns.d")
service = subprocess.Popen(["./service"], stdout=subprocess.PIPE, text=True)
service.stdout.readline()


def core(*args):
    return live.dwell("core", "-p", service.pid, *args)


def out(*lines, module=("-m", "./conns.so", "-m", "conns.d")):
    r = core(*module, *[x for line in lines for x in ("-c", line)])
    live.same((r.returncode, r.stderr), (0, ""), f"{lines} runs")
    return r.stdout.splitlines()


live.same(
    out("::walk conns | ::conn host"),
    ["port 8001 of db-1", "port 8002 of db\\033[31m", "port 8003 of db-3"],
    "C: a walker and a command; texts are escaped",
)
live.same(
    out("::walk conns | ::conn | ::print struct conn port"),
    [f"port = {p:#x}" for p in (8001, 8002, 8003)],
    "C: addresses go on to dwell's own commands",
)
live.same(len(out("::walk conns")), 3, "C: a walker alone prints")
r = core("--json", "-m", "./conns.so", "-c", "::walk conns | ::conn")
live.same([json.loads(x)["text"] for x in r.stdout.splitlines()], ["port 8001", "port 8002", "port 8003"], "C: as JSON")
live.same(
    out("::walk list | ::conninfo port"), [f"port = {p:#x}" for p in (8001, 8002, 8003)], "D: a translator's members"
)
live.same(
    out("conns::print | ::conninfo after | ::conninfo port"), ["port = 0x1f42"], "D: the value of a member goes on"
)
live.same(out("::walk list | ::conninfo host ! head -1"), ['host = "db-1"'], "D: a text")
live.same(out("::ports"), [f"port = {p:#x}" for p in (8001, 8002, 8003)], "D: a line with a name")
r = core("--json", "-m", "conns.d", "-c", "conns::print | ::conninfo")
live.same(
    {k: v for k, v in json.loads(r.stdout).items() if k not in ("address", "after")},
    {"port": 8001, "host": "db-1"},
    "D: as JSON",
)
live.check(
    any(x.startswith("::conn ") for x in out("::dcmds")) and any(x.startswith("list ") for x in out("::walkers")),
    "in the lists of commands and walkers",
)
live.check("Example: ::walk conns | ::conn" in out("::help conn"), "help with its example")
example = next(x for x in out("::help conn") if x.startswith("Example: "))[9:]
live.same(len(out(example)), 3, "the example runs")

# -- what is not loaded --


def refused(module, want):
    r = core("-m", module, "-c", "::status")
    live.check(
        r.returncode == 1 and want in r.stderr and not r.stdout, f"{module} is refused: {want}", r.stderr + r.stdout
    )


def write(name, text):
    with open(name, "w", encoding="ascii") as f:
        f.write(text)


os.mkdir("open")
shutil.copy("conns.so", "open/conns.so")
os.chmod("open", 0o777)
refused("open/conns.so", "nobody else may write")
shutil.copy("conns.so", "free.so")
os.chmod("free.so", 0o777)
refused("free.so", "nobody else may write")
write("text.so", "no ELF file")
os.chmod("text.so", 0o644)
refused("text.so", "cannot be loaded")
write("v.c", "unsigned dwell_core_module[8] = { 99 };")
subprocess.run(["cc", "-shared", "-fPIC", "-o", "v.so", "v.c"], check=True)
os.chmod("v.so", 0o755)
refused("v.so", "version 99 of modules")
refused("none.so", "No such file")
refused("service", "a module is FILE.so")
for text, want in [
    ("\ntranslator x < struct conn *C > { port = 5; };", "bad.d:2: a member's value is a path"),
    ("translator x < struct conn *C > { port = D->port; };", "bad.d:1: a member's value is a path"),
    ("translator status < struct conn *C > { port = C->port; };", "there is one already that is called status"),
    ("translator x struct", "translator OUTPUT"),
    ('#pragma D command x', "bad.d:1: #pragma D command|walker"),
    ('#pragma D command X "::status"', "is no name"),
    ("struct x {", "the end of a declaration is missing"),
    ("=", "a translator, a declaration or #pragma D wanted"),
]:
    write("bad.d", text)
    refused("bad.d", want)
write("bad.d", '#pragma D command loop "::loop"\n#pragma D command sh "::status ! touch hit"\n#pragma D option quiet\n')
for line, want in (("::loop", "within each other"), ("::sh", "runs no programs")):
    r = core("-m", "bad.d", "-c", line)
    live.check(r.returncode == 1 and want in r.stderr, f"{line}: {want}", r.stderr)
live.check(not os.path.exists("hit"), "no program ran")
os.mkdir("mods")
write("mods/a.d", '#pragma D command one "::status"\n')
write("mods/b.d", '#pragma D command two "::one"\n')
write("mods/c.so", "not looked at")
live.same(out("::two", module=("-m", "mods")), out("::status"), "all files of D of a folder; a line that uses another")


# -- completion --


def types(keys, until, *args):
    """What a terminal shows after these keys."""
    pid, fd = pty.fork()
    if not pid:
        os.environ["TERM"] = "xterm"
        os.execv(live.DWELL, [live.DWELL, "core", "-p", str(service.pid), *args])
    text, end = "", time.monotonic() + 30
    os.write(fd, keys.encode())
    while until not in text and time.monotonic() < end:
        if select.select([fd], [], [], 0.2)[0]:
            text += os.read(fd, 65536).decode(errors="replace")
    os.write(fd, b"\x03\x04")
    os.close(fd)
    os.waitpid(pid, 0)
    return text


if os.path.exists("/usr/lib/x86_64-linux-gnu/libedit.so.2"):
    for keys, until in (
        ("::walk con\t| ::conn ho\t\n", "port 8001 of db-1"),
        ("::walk li\t| ::connin\tpo\t\n", "port = 0x1f41"),
    ):
        text = types(keys, until, "-m", "./conns.so", "-m", "conns.d")
        live.check(until in text, f"{keys!r} is completed", text)
service.kill()
service.wait()
live.done()
