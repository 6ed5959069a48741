# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""Debug files from a server by build id, for stacks, lines and types: nothing is asked without consent; a file that is another one, none at all, and a server
that does not answer leave what is known without."""
import ctypes.util
import http.server
import os
import re
import subprocess
import threading
import time
import live

if not ctypes.util.find_library("debuginfod") and not os.path.exists("/usr/lib/x86_64-linux-gnu/libdebuginfod.so.1"):
    print("# no libdebuginfod here")
    raise SystemExit(77)
SOURCE = """struct only_in_the_debug_file { int a[5]; };
struct only_in_the_debug_file kept;
#include <unistd.h>
static __attribute__((noinline)) void hidden_function(int n) { for (int i = 0; i < n; i++) getppid(); __asm__ volatile("" ::: "memory"); }
int main(int argc, char **argv) { (void)argv; hidden_function(argc > 1 ? 1000000000 : 20); return kept.a[1]; }
"""
os.chdir(live.WORK)
with open("p.c", "w", encoding="ascii") as f:
    f.write(SOURCE)
subprocess.run(["cc", "-g", "-O1", "-Wl,--build-id", "-o", "p", "p.c"], check=True)
notes = subprocess.run(["readelf", "-n", "p"], capture_output=True, text=True, check=True).stdout
ID = re.search(r"Build ID: ([0-9a-f]+)", notes)[1]
subprocess.run(["objcopy", "--only-keep-debug", "p", "p.debug"], check=True)
subprocess.run(["strip", "p"], check=True)
asked = []
answer = {"file": "p.debug", "sleep": 0}


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked.append(self.path)
        time.sleep(answer["sleep"])
        if self.path != f"/buildid/{ID}/debuginfo" or not answer["file"]:
            self.send_error(404)
            return
        with open(answer["file"], "rb") as f:
            body = f.read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
STACK = ["-qn", "syscall::getppid:entry /pid == $target/ { @[ustack()] = count(); }", "-c", "./p"]


def run(name, *args, consent=False, **env):
    """With a cache of its own, so that each run asks again."""
    asked.clear()
    cache = os.path.join(live.WORK, "cache-" + name)
    os.mkdir(cache)
    env = {
        "DEBUGINFOD_URLS": f"http://127.0.0.1:{server.server_address[1]}",
        "DEBUGINFOD_CACHE_PATH": cache,
        "DEBUGINFOD_TIMEOUT": "2",
        **env,
    }
    if consent:
        env["DWELL_DEBUGINFOD"] = "1"
    return live.dwell(*args, env=dict(os.environ, **env), timeout=50)


r = run("none", *STACK)
live.check(
    not asked and "hidden_function" not in r.stdout and "p`0x" in r.stdout,
    "without consent nothing is asked",
    f"{asked} {r.stdout}{r.stderr}",
)
r = run("option", "-x", "debuginfod", *STACK)
live.check(
    f"/buildid/{ID}/debuginfo" in asked and "hidden_function" in r.stdout,
    "-x debuginfod: functions have names",
    f"{asked} {r.stdout}{r.stderr}",
)
r = run("variable", *STACK, consent=True)
live.check("hidden_function" in r.stdout, "DWELL_DEBUGINFOD=1: for each command", r.stdout + r.stderr)
r = run("zero", *STACK, DWELL_DEBUGINFOD="0")
live.check(not asked and "hidden_function" not in r.stdout, "DWELL_DEBUGINFOD=0 is no consent", asked)
p = subprocess.Popen(["./p", "long"])
r = run("types", "core", "-p", p.pid, "-c", "::sizeof struct only_in_the_debug_file", consent=True)
live.same(r.stdout, "sizeof (struct only_in_the_debug_file) = 0x14\n", "dwell core: types")
p.kill()
p.wait()
answer["file"] = "/bin/true"
r = run("other", "-x", "debuginfod", *STACK)
live.check(
    asked and "hidden_function" not in r.stdout and r.returncode == 0,
    "another file than was asked for is not used",
    r.stdout + r.stderr,
)
answer["file"] = "p.c"
r = run("text", "-x", "debuginfod", *STACK)
live.check(
    asked and "hidden_function" not in r.stdout and r.returncode == 0, "nor what is no ELF file", r.stdout + r.stderr
)
answer["file"] = None
r = run("missing", "-x", "debuginfod", *STACK)
live.check(asked and "p`0x" in r.stdout and r.returncode == 0, "a server that has it not", r.stdout + r.stderr)
answer["file"], answer["sleep"] = "p.debug", 20
began = time.monotonic()
r = run("slow", "-x", "debuginfod", *STACK)
live.check(
    "p`0x" in r.stdout and r.returncode == 0,
    f"one that does not answer ({time.monotonic() - began:.0f} s)",
    r.stdout + r.stderr,
)
r = run("nowhere", "-x", "debuginfod", *STACK, DEBUGINFOD_URLS="http://127.0.0.1:1")
live.check("p`0x" in r.stdout and r.returncode == 0, "no server there", r.stdout + r.stderr)
live.done()
