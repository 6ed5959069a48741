# SPDX-License-Identifier: Apache-2.0
# @timeout: 90
"""dwell core in a terminal: the tabulator completes commands, words and constructors, lines are called back, Ctrl-D and $q end."""
import ctypes.util
import os
import pty
import select
import shutil
import subprocess
import time
import live

if not ctypes.util.find_library("edit") and not os.path.exists("/usr/lib/x86_64-linux-gnu/libedit.so.2"):
    print("# no libedit here")
    raise SystemExit(77)
SECONDS = 30


class Terminal:
    def __init__(self, *args):
        self.text = ""
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.environ["TERM"] = "xterm"
            os.execv(live.DWELL, [live.DWELL, *map(str, args)])

    def type(self, keys, until):
        """Types, and waits until all of these texts have come since then."""
        self.text = ""
        os.write(self.fd, keys.encode())
        end = time.monotonic() + SECONDS
        while not all(u in self.text for u in until) and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.2)[0]:
                try:
                    got = os.read(self.fd, 65536)
                except OSError:
                    break
                self.text += got.decode(errors="replace")
        live.check(all(u in self.text for u in until), f"{keys!r} shows {until}", self.text)

    def end(self, keys):
        os.write(self.fd, keys.encode())
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                if select.select([self.fd], [], [], 0.1)[0]:
                    os.read(self.fd, 65536)
            except OSError:
                pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return status
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        return None


sleeper = subprocess.Popen(["sleep", "1000"])
t = Terminal("core", "-p", sleeper.pid)
t.type("", ["> "])
t.type("::whati\t\r", ["::whatis wants an address", "> "])  # the terminal gets what was added, not the whole word
t.type("::sta\t\t", ["::stack", "::status"])
t.type("tus\r", ["process:", "> "])
t.type("\x1b[A\r", ["::status", "process:", "> "])  # the line before, once more
t.type("::walk th\t\r", [f"{sleeper.pid:x}", "> "])
t.type("::nothing\r", ["no command ::nothing", "> "])
live.same(t.end("\x04"), 0, "Ctrl-D ends")
t = Terminal("core", "-p", sleeper.pid)
t.type("", ["> "])
live.same(t.end("$q\r"), 0, "$q ends")
live.check(sleeper.poll() is None, "the process lives")
sleeper.kill()
sleeper.wait()

# Types, after "struct" these alone, and members, of a program with debug information.
with open("p.c", "w", encoding="ascii") as f:
    f.write(
        "#include <unistd.h>\nstruct address { int port; }; struct connection { struct address peer; struct connection *next; } first;\n"
        "typedef long connected;\nint main(void) { connected n = first.peer.port; for (;;) sleep(1000 + n); }\n"
    )
subprocess.run(["cc", "-g", "-O0", "-o", "p", "p.c"], check=True)
native = subprocess.Popen(["./p"])
t = Terminal("core", "-p", native.pid)
t.type("", ["> "])
t.type("::sizeof connect\t\t", ["connected", "connection"])
t.type("\x15::sizeof struct connect\t\r", ["sizeof (struct connection) = 0x10", "> "])
t.type("::offsetof connection ne\t\r", ["offset = 0x8", "> "])
t.type("::offsetof connection peer.po\t\r", ["offset = 0, size = 0x4", "> "])
t.type("first::print struct connection next->pe\t\r", ["cannot be read", "> "])
live.same(t.end("$q\r"), 0, "it ends")
native.kill()
native.wait()

if shutil.which("node"):
    ready = os.path.join(live.WORK, "ready")
    node = subprocess.Popen(
        [
            "node",
            "-e",
            "class Connection { constructor() { this.remote = 1; } } globalThis.keep = new Connection(); "
            f"require('fs').writeFileSync({ready!r}, '1'); setInterval(() => {{}}, 1e6)",
        ]
    )
    end = time.monotonic() + SECONDS
    while not os.path.exists(ready) and time.monotonic() < end:
        time.sleep(0.05)
    t = Terminal("core", "-p", node.pid)
    t.type("", ["> "])
    t.type("::findjsobjects -c Connec\t\r", ["Connection: remote", "> "])
    t.type("::findjsobjects -p remot\t\r", ["Connection: remote", "> "])
    at = next(x.split()[0] for x in t.text.splitlines() if "Connection: remote" in x)
    t.type(f"{at[:7]}\t::jsprint remo\t\r", ["1", "> "])  # an address that was shown, and a property
    live.check("\n1\r" in t.text, "the value of a property", t.text)
    live.same(t.end("$q\r"), 0, "it ends")
    node.kill()
    node.wait()
live.done()
