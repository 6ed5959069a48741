#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""speedscope opens the files of dwell export, and shows what was put in. Others wrote its readers of its own format, pprof,
Chrome's trace events and folded stacks. Its own format is also checked by its published schema.
usage: importers.py DWELL WEB WORK (tools/npmtools.sh). TAP; skipped without Chromium or npm."""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import CHROMIUM, Browser  # noqa: E402
from tap import check, done, same, skip  # noqa: E402

FOLDED = "main;read;vfs_read_[k] 30\nmain;libc.so.6`memcpy 60\nmain 10\nmain;a \"b\" <c>;main 4\n"
# function: all, itself; of a recursive one the outermost call counts
WANT = {"memcpy": (60, 60), "vfs_read": (30, 30), "main": (104, 14), "read": (30, 0), 'a "b" <c>': (4, 0)}
VALIDATE = """const Ajv = require("ajv"), fs = require("fs"), v = new Ajv({ strict: false }).compile(JSON.parse(fs.readFileSync(process.argv[1])));
    for (const f of process.argv.slice(2)) console.log(v(JSON.parse(fs.readFileSync(f))) ? "valid" : JSON.stringify(v.errors).slice(0, 500));"""
ROWS = "[...document.querySelectorAll('tr')].slice(1).map((r) => [...r.children].map((c) => c.innerText.trim()))"


class Speedscope:
    """Opens files as its command does: a script beside the page hands them over."""

    def __init__(self, browser, tools, folder):
        self.b, self.script = browser, os.path.join(folder, "profile.js")
        self.page = f"file://{tools}/node_modules/speedscope/dist/release/index.html#localProfilePath={self.script}"

    def open(self, path):
        with open(path, "rb") as f:
            data = base64.b64encode(f.read()).decode()
        with open(self.script, "w", encoding="utf-8") as f:
            f.write(f"speedscope.loadFileFromBase64({json.dumps(os.path.basename(path))}, {json.dumps(data)});")
        self.b.open(self.page, "document.title.endsWith(' - speedscope')")

    def table(self):
        """{function: (total, self)} as its table has them."""
        self.b.key("3")
        self.b.wait(
            "document.querySelectorAll('tr').length > 1 && document.querySelector('tr').innerText.includes('Self')"
        )
        number = lambda text: float(re.sub(r"[^0-9.].*", "", text))
        return {name: (number(total), number(own)) for total, own, name in self.b.eval(ROWS)}

    def profiles(self):
        """Their names; of one profile there is no list."""
        self.b.wait("document.querySelector('tr')?.innerText.includes('Total Weight') === true")
        return [name for _, name, _ in self.b.eval(ROWS)]


def export(dwell, folder, kind, name, source, *args):
    path = os.path.join(folder, name)
    r = subprocess.run(
        [dwell, "export", "--format", kind, "-o", path, *args, source], capture_output=True, text=True, timeout=60
    )
    same((r.returncode, r.stderr), (0, ""), f"{name} is written")
    return path


def stacks(dwell, folder, scope):
    source, made = os.path.join(folder, "in.folded"), []
    with open(source, "w", encoding="utf-8") as f:
        f.write(FOLDED)
    for kind, name in (("speedscope", "out.speedscope.json"), ("pprof", "out.pb.gz"), ("folded", "out.txt")):
        made.append(export(dwell, folder, kind, name, source))
        scope.open(made[-1])
        table = scope.table()
        if kind == "folded":  # which keeps in the name what dwell says of a frame
            table = {re.sub(r"^libc.so.6`|_\[k\]$", "", n): v for n, v in table.items()}
        same(
            table,
            {n: (float(a), float(b)) for n, (a, b) in WANT.items()},
            f"{kind}: speedscope has each function's weight and own weight",
        )
    return made[0]


def trace(dwell, folder, scope):
    """A recording of threads; their states and who had the CPUs are profiles of their own there."""
    recording, script = os.path.join(folder, "t.dwell"), os.path.join(folder, "load.sh")
    with open(script, "w", encoding="utf-8") as f:
        f.write("sleep 0.1\nls -lR /etc > /dev/null\n")
    r = subprocess.run(
        [dwell, "timeline", "--record", recording, "--text", "-c", "sh " + script],
        capture_output=True,
        text=True,
        timeout=60,
    )
    same(r.returncode, 0, "threads are recorded")
    scope.open(export(dwell, folder, "chrome", "out.json", recording))
    names = scope.profiles()
    check(any(n.startswith("CPUs (pid ") and "CPU " in n for n in names), "chrome: speedscope has the CPUs", names)
    check(
        any(n.startswith("ls (pid ") for n in names),
        "chrome: and the threads, with the names of their processes",
        names,
    )


def main():
    dwell, web, tools = map(os.path.abspath, sys.argv[1:4])
    if not CHROMIUM or not shutil.which("node"):
        skip("needs chromium and node")
    if subprocess.run(
        ["sh", os.path.join(os.path.dirname(web), "tools", "npmtools.sh"), web, tools], check=False
    ).returncode:
        skip("needs npm and what web/package-lock.json names")
    with tempfile.TemporaryDirectory(prefix="dwell-importers-") as folder, Browser() as b:
        scope = Speedscope(b, tools, folder)
        files = [stacks(dwell, folder, scope)]
        empty = os.path.join(folder, "one.folded")
        with open(empty, "wb") as f:
            f.write(b'\xff"\\\x01;\xe2\x82;x 18446744073709551615\n')
        files.append(export(dwell, folder, "speedscope", "odd.speedscope.json", empty, "--per-thread"))
        if os.geteuid() == 0:
            trace(dwell, folder, scope)
        schema = os.path.join(tools, "node_modules/speedscope/dist/release/file-format-schema.json")
        broken = os.path.join(folder, "broken.json")
        with open(files[0], encoding="utf-8") as f:
            bad = json.load(f)
        del bad["profiles"][0]["weights"]
        with open(broken, "w", encoding="utf-8") as f:
            json.dump(bad, f)
        r = subprocess.run(
            ["node", "-e", VALIDATE, schema, *files, broken], capture_output=True, text=True, cwd=tools, timeout=60
        )
        said = r.stdout.splitlines()
        same(said[: len(files)], ["valid"] * len(files), "speedscope's schema holds" + r.stderr[:500])
        check(len(said) == len(files) + 1 and said[-1] != "valid", "and would not without weights", said)
        same([e for e in b.errors if not e.startswith("asks for data:")], [], "speedscope meets no errors")
    done()


if __name__ == "__main__":
    main()
