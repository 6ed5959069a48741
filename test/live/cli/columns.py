# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""Tables fit a terminal of 80 columns; through a pipe nothing is cut."""
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time

import live

COLUMNS = 80
HELPS = "check latency why stuck top serve flame heat hist timeline tools run strace stat record report export sql ctl features calls core ps hardware rec replay fleet options"


def on_terminal(*args):
    """What a command prints on a terminal of so many columns."""
    control, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    text = b""
    with subprocess.Popen([live.DWELL, *args], stdin=subprocess.DEVNULL, stdout=side, stderr=subprocess.DEVNULL) as p:
        os.close(side)
        while True:
            try:
                part = os.read(control, 65536)
            except OSError:
                break
            if not part:
                break
            text += part
        os.close(control)
        live.same(p.wait(30), 0, f"dwell {' '.join(args)} on a terminal")
    return text.decode("utf-8", "replace").replace("\r", "").splitlines()


long_name = "tick-10ms /pid == 0/ { @a_name_of_an_aggregation_that_is_long[probefunc] = count(); }"
with subprocess.Popen([live.DWELL, "-qn", long_name], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as traced:
    for _ in range(200):
        if str(traced.pid) in live.dwell("ps").stdout:
            break
        time.sleep(0.1)
    for command in ["tools"], ["ps"], ["ps", str(traced.pid)], ["features"], ["hardware"], ["why", "--for", "300ms"]:
        lines = on_terminal(*command)
        live.check(
            lines and max(map(len, lines)) <= COLUMNS,
            f"dwell {' '.join(command)} fits",
            [line for line in lines if len(line) > COLUMNS][:3],
        )
    traced.terminate()
for command in HELPS.split():
    lines = [line.expandtabs() for line in on_terminal("help", command)]
    too_long = [line for line in lines if len(line) > COLUMNS]
    live.check(len(lines) > 3 and not too_long, f"the help of {command} fits", too_long[:3])
piped, terminal = live.dwell("help", "latency").stdout.split(), " ".join(on_terminal("help", "latency")).split()
live.same(terminal, piped, "help on a terminal has the words of that through a pipe")
live.same(live.dwell("latency", "help").stdout.split(), piped, "dwell latency help is its help")
# The page's address, and how to open it from another machine.
control, side = pty.openpty()
with subprocess.Popen([live.DWELL, "serve"], stdin=subprocess.DEVNULL, stdout=side, stderr=subprocess.DEVNULL) as p:
    os.close(side)
    text = ""
    while "Ctrl-C" not in text:
        text += os.read(control, 65536).decode()
    p.send_signal(signal.SIGINT)
    live.same(p.wait(30), 0, "serve ends by Ctrl-C")
os.close(control)
port = re.search(r"^http://127\.0\.0\.1:(\d+)/\?token=", text)
live.check(port and f"ssh -L {port[1]}:127.0.0.1:{port[1]} " in text, "serve tells how to reach it", text)
wide = live.dwell("hardware").stdout
live.check("..." not in wide and "MODULE" in wide, "through a pipe nothing is cut", wide[:400])
features = [json.loads(line) for line in live.dwell("features", "--json").stdout.splitlines()]
text = live.dwell("features").stdout
live.check(
    features[0]["type"] == "kernel"
    and len(features) > 20
    and all(f["feature"] in text and f["reason"] in text and f["instead"] in text for f in features[1:]),
    "features --json has what the text has",
    features[:3],
)
live.check("Usage: opensnoop.d" in live.dwell("-s", "opensnoop.d", "--help").stdout, "-s TOOL.d --help has its head")
live.done()
