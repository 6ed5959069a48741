# SPDX-License-Identifier: Apache-2.0
# @timeout: 300
"""Wrong input to every command: exit status, standard output and messages, word for word as in wrong-input.txt. There
"$" begins a case, "nobody" in front of it runs it without root, ">" is a line of output, "!" one of messages, "=" the
status. `DWELL=build/dwell WORK=FOLDER wrong-input.py --update` writes the file again; look at what has changed."""
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys

import live

EXPECTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wrong-input.txt")
SOURCE = os.path.join(os.path.dirname(EXPECTED), "../../../src/cmd/command.def")
NOBODY = 65534
LINES_MAX = 6  # of a stream
FILES = {
    "garbage.dwell": "this is no recording\n" * 100,
    "empty.dwell": "",
    "param.d": '#pragma D param must int "how many"\nBEGIN { trace($must); exit(0); }\n',
    "syntax.d": "BEGIN { trace(1 }\n",
    "destructive.d": "BEGIN { stop(); }\n",
    "rules": "no rule at all {\n",
    "provider.d": "provider p { probe x(nosuch_t); };\n",
    "status.d": "BEGIN { exit(3); }\n",
    "object.o": "\x7fELF\x01" + "\0" * 64,
    "object64.o": "\x7fELF\x02" + "\0" * 64,
}


def run(command):
    words = shlex.split(command)
    user = NOBODY if words[0] == "nobody" else None
    words = words[user is not None :]
    try:
        r = subprocess.run(
            words,
            executable=os.path.abspath(live.DWELL),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            errors="surrogateescape",
            cwd=live.WORK,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
    except subprocess.TimeoutExpired:
        return "does not end", "", ""
    return r.returncode, r.stdout, r.stderr


def marked(mark, text):
    """The lines of a stream. Of a long text, such as a usage, the beginning; numbers of processes differ each time, and
    the folder of what is shipped by machine."""
    lines = re.sub(r"\S*/dlib/", "…/dlib/", re.sub(r"\bpid \d+", "pid N", text)).splitlines()
    return [f"{mark} {line}" for line in lines[:LINES_MAX] + ["…"] * (len(lines) > LINES_MAX)]


def shown(command, result):
    status, out, err = result
    return "\n".join([f"$ {command}", *marked(">", out), *marked("!", err), f"= {status}"]) + "\n"


with open(EXPECTED, encoding="utf-8") as f:
    cases = re.findall(r"^\$ (.*)\n((?:[>!=].*\n)*)", f.read(), re.M)
if "WORK" not in os.environ:
    sys.exit("wrong-input.py: WORK=FOLDER is missing: an empty folder, whose mode is changed")
for name, text in FILES.items():
    with open(os.path.join(live.WORK, name), "w", encoding="latin-1") as f:
        f.write(text)
os.makedirs(os.path.join(live.WORK, "open"), exist_ok=True)
os.chmod(live.WORK, 0o755)
os.chmod(os.path.join(live.WORK, "open"), 0o777)
with concurrent.futures.ThreadPoolExecutor(3) as pool:
    results = list(pool.map(run, [command for command, _ in cases]))
texts = [shown(command, result) for (command, _), result in zip(cases, results)]
if "--update" in sys.argv:
    with open(EXPECTED, "w", encoding="utf-8") as f:
        f.write("\n".join(["# SPDX-License-Identifier: Apache-2.0\n", *texts]))
    sys.exit()
tried = {word for command, _ in cases for word in shlex.split(command)[:3]}
names = {"hostagent": "host-agent"}
for name in re.findall(r"^COMMAND\((\w+)\)", open(SOURCE, encoding="utf-8").read(), re.M):
    live.check(names.get(name, name) in tried, f"{name}: wrong input is tried")
for (command, wanted), text in zip(cases, texts):
    live.same(text, f"$ {command}\n{wanted}", command)
live.done()
