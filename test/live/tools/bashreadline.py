#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bashreadline.d shows what is typed into a bash at a terminal, by whoever does it."""
import os
import pty
import shutil
import signal
import subprocess
import sys
import time

import live

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../dlib/tools/bashreadline.d")
OUT = os.path.join(live.WORK, "bashreadline.out")
if not shutil.which("bash"):
    print("# no bash here")
    sys.exit(77)
pid, terminal = pty.fork()
if pid == 0:
    os.execvp("bash", ["bash", "--norc", "--noprofile"])
os.read(terminal, 1)  # the prompt: it is bash by now
with open(OUT, "wb") as out:
    p = subprocess.Popen(
        [live.DWELL, "-s", TOOL], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, text=True
    )
# The call of readline() that was under way as the tool started is not seen: typed again until it is.
until = time.monotonic() + 30
while time.monotonic() < until and p.poll() is None and f"{pid} echo typed" not in open(OUT, encoding="utf-8").read():
    os.write(terminal, b"echo typed\n")
    time.sleep(0.3)
if p.poll() is None:
    p.send_signal(signal.SIGINT)
err = p.communicate(timeout=20)[1]
os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)
said = open(OUT, encoding="utf-8").read()
live.check(f"{pid} echo typed\n" in said, "a line that was typed", said + err)
live.check(said.startswith("TIME "), "its columns are named", said)
live.done()
