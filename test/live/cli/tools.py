# SPDX-License-Identifier: Apache-2.0
"""dwell tools and dwell run: tools are found, explained and run by name, also by the names of bcc and bpftrace."""
import os

import live

shipped = sorted(f[:-2] for f in os.listdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../dlib/tools")) if f.endswith(".d"))
r = live.dwell("tools")
live.same([l.split()[0] for l in r.stdout.splitlines()], shipped, "tools: each, with its purpose")
live.check(all(len(l.split()) > 2 for l in r.stdout.splitlines()), "no purpose is empty", r.stdout)
r = live.dwell("tools", "TCP")
live.check(0 < len(r.stdout.splitlines()) < len(shipped) and all("tcp" in l.lower() for l in r.stdout.splitlines()), "tools WORD", r.stdout)
r = live.dwell("tools", "nosuchword")
live.check(r.returncode == 1 and "no tool has 'nosuchword'" in r.stderr, "tools: a word that is nowhere", f"{r}")
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
live.check(r.returncode == 0 and r.stdout.startswith("iotop.d: ") and "Example:" in r.stdout and "--interval" in r.stdout, "run NAME -h", f"{r}")
with open("iotop.d", "w", encoding="utf-8") as f:
    f.write('BEGIN { printf("another\\n"); exit(0); }')
r = live.dwell("run", "iotop", "--for", "100ms")
live.check("another" not in r.stdout, "a file of that name in the folder is not taken", f"{r}")
for args, text in ((["iotopp"], "did you mean iotop?"), (["../x"], "there is no tool '../x'"), (["iotop", "--for", "soon"], "is no time"),
                   (["iotop", "--"], "a command is missing behind --"), ([], "Usage: ")):
    r = live.dwell("run", *args)
    live.check(r.returncode == 2 and text in r.stderr, f"run {args}: {text}", f"{r}")
live.done()
