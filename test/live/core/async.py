# SPDX-License-Identifier: Apache-2.0
# @timeout: 90
"""dwell core on Node: async callers are those of Error.stack; the exception that is thrown when a core is made; stacks of workers; source around a
frame; private members, weak tables, what waits for a promise, paths of properties. NODES: further binaries, separated by colons."""
import os
import platform
import re
import resource
import shutil
import subprocess
import time
import live

NODES = [n for n in [shutil.which("node")] + os.environ.get("NODES", "").split(":") if n]
if platform.machine() != "x86_64" or not NODES:
    print("# no node here")
    raise SystemExit(77)
os.chdir(live.WORK)
ASYNC = r"""
"use strict";
Error.stackTraceLimit = Infinity;
const fs = require("fs");
const tick = () => new Promise((r) => setImmediate(r));
async function inner(x) { await tick(); block(); return x; }
async function middle(x) { const y = await inner(x + 1); return y; }
async function outer() { try { await Promise.all([middle(1), tick()]); } finally { globalThis.z = 1; } }
class K { async method() {
  return await outer(); } }
function block() {
  fs.writeFileSync("stack", new Error("x").stack);
  fs.writeFileSync("ready", "1"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); }
new K().method();
"""
THROW = r"""
function thrower(what) {
  if (what === "0") { const u = undefined; u.x; }
  if (what === "1") throw 42;
  if (what === "2") throw Object.assign(new RangeError("boom"), { code: 5 });
  if (what === "3") throw { mine: 1 };
  JSON.parse("{x");
}
thrower(process.argv[2]);
"""
WORKER = r"""
const { Worker, isMainThread } = require("worker_threads");
function inWorker(n) { if (n) return inWorker(n - 1); require("fs").writeFileSync("ready", "1"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); }
if (isMainThread) new Worker(__filename); else inWorker(3);
"""
OBJECTS = r"""
class Secret { #key = 5; #other = "o"; constructor() { this.open = 1; } }
const key = { k: 1 }, never = new Promise(() => {});
async function waits() { await never; }
waits();
never.then(function later() {});
class Root { constructor() {
  this.secret = new Secret(); this.weak = new WeakMap([[key, { val: 2 }]]); this.weakset = new WeakSet([key]); this.ref = new WeakRef(key); this.key = key; this.never = never;
  this.both = { get a() { return 1; }, set a(v) {}, get b() { return 1; }, set c(v) {} }; this.bytes = new Uint8Array([1, 2, 3]).buffer;
  this.deep = { list: [1, { host: "x" }], "a-b": 2, num: 1.5 }; this.map = new Map([["one", { n: 1 }], [7, "seven"]]); } get got() { return 1; } }
globalThis.root = new Root();
setTimeout(() => require("fs").writeFileSync("ready", "1"), 1);
setInterval(() => {}, 1e6);
"""
for name, text in (("async.js", ASYNC), ("throw.js", THROW), ("worker.js", WORKER), ("objects.js", OBJECTS)):
    with open(name, "w", encoding="ascii") as f:
        f.write(text)


def start(node, script):
    if os.path.exists("ready"):
        os.unlink("ready")
    p = subprocess.Popen([node, script])
    end = time.monotonic() + 30
    while not os.path.exists("ready") and time.monotonic() < end and p.poll() is None:
        time.sleep(0.02)
    time.sleep(0.1)  # until it waits
    return p


def core(p, *lines):
    r = live.dwell(
        "core",
        *(["-p", p.pid] if isinstance(p, subprocess.Popen) else [p]),
        *[x for line in lines for x in ("-c", line)],
    )
    live.check(r.returncode == 0, f"{lines} runs", r.stderr)
    return r.stdout


def stop(p):
    p.kill()
    p.wait()


def stacks(node, version):
    p = start(node, "async.js")
    with open("stack", encoding="utf-8") as f:
        want = [re.sub(r"^.*\.", "", m[1]) + " at " + m[2] for m in re.finditer(r"at async (\S+) \((\S+)\)", f.read())]
    got = core(p, "::jsstack -j")
    callers = [" ".join(x.split()[1:]) for x in got.splitlines() if x.split()[0] == "async"]
    live.same(
        [x for x in callers if not x.startswith("Promise")], want, f"{version}: async callers are those of Error.stack"
    )
    live.same(callers.index("Promise.all or the like"), 1, f"{version}: Promise.all among them")
    text = core(p, "::jsstack -j -v ! head -8")
    live.check(
        re.search(r"^-> +13   fs.writeFileSync", text, re.M) and "     12   fs.writeFileSync" in text,
        f"{version}: source around the line",
        text,
    )
    stop(p)
    p = start(node, "worker.js")
    lines = [x.split()[1] for x in core(p, "::walk thread | ::jsstack -j").splitlines() if "worker.js" in x]
    live.same(lines[:4], ["inWorker"] * 4, f"{version}: the stack of a worker")
    stop(p)


def thrown(node, version):
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    wants = [
        r"\[TypeError: Cannot read .*\] \(a guess",
        "42",
        r"\[RangeError: boom\] \{ code: 5 \}",
        r"\{ mine: 1 \}",
        r"\[SyntaxError: .*JSON.*\] \(a guess",
    ]
    for i, want in enumerate(wants):
        p = subprocess.run(
            [node, "--abort-on-uncaught-exception", "throw.js", str(i)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        live.check(p.returncode < 0, f"{version}: it dies", p.returncode)
        file = next(n for n in os.listdir(".") if re.fullmatch(r"core(\.\d+)?", n))
        got = core(file, "::jsstack ! grep throws")
        live.check(re.fullmatch(rf" *throws {want}.*\n", got), f"{version}: what is thrown: {want}", got)
        os.unlink(file)


def objects(node, version):
    p = start(node, "objects.js")
    at = core(p, "::findjsobjects -c Root ! grep -v OBJECT").split()[0]
    got = core(
        p,
        *[
            f"{at}::jsprint {x}"
            for x in (
                "secret",
                "weak",
                "weakset",
                "ref",
                "both",
                "bytes",
                "deep.list[1].host",
                'deep["a-b"]',
                "deep.num",
                "map[one].n",
                "map[7]",
                "secret.#key",
            )
        ],
    ).splitlines()
    live.same(
        got,
        [
            'Secret { open: 1, #key: 5, #other: "o" }',
            "WeakMap(1) { { k: 1 } => { val: 2 } }",
            "WeakSet(1) { { k: 1 } }",
            "WeakRef({ k: 1 })",
            "{ a: [Getter/Setter], b: [Getter], c: [Setter] }",
            "ArrayBuffer(3) [ 1, 2, 3 ]",
            '"x"',
            "2",
            "1.5",
            "1",
            '"seven"',
            "5",
        ],
        f"{version}: members, weak tables, bytes, paths",
    )
    got = core(p, f"{at}::jsprint never")
    live.check(
        re.fullmatch(
            r"Promise \{ <pending>, <then later at \S*objects.js(:\d+)*>, <awaited by waits at \S*objects.js:4:26> \}\n",
            got,
        ),
        f"{version}: what waits for a promise",
        got,
    )
    live.check("01 02 03" in core(p, f"{at}::jsprint bytes | ::nodebuffer"), f"{version}: bytes of an ArrayBuffer")
    live.check(
        re.match(r"[0-9a-f]+: Secret \{", core(p, f"{at}::jsprint secret | ::jsprint -ah")),
        f"{version}: options together",
    )
    for path, want in (
        ("deep.nothing", "there is no nothing"),
        ("deep[", "is no path"),
        ("got", "is what a function of it gives"),
    ):
        r = live.dwell("core", "-p", p.pid, "-c", f"{at}::jsprint {path}")
        live.check(r.returncode == 1 and want in r.stderr, f"{version}: {path}: {want}", r.stderr)
    stop(p)


def forced(node, version):
    """A V8 of a version that is not known: the same program, in whose file the version is another one."""
    p = start(node, "objects.js")
    live.dwell("core", "--save", p.pid, "saved.core")
    stop(p)
    shutil.copy(node, "other")
    name = "_ZN2v88internal7Version6minor_E"
    rows = subprocess.run(
        ["readelf", "-W", "--dyn-syms", "-s", "-l", "other"], capture_output=True, text=True, check=True
    ).stdout
    at = next((int(x.split()[1], 16) for x in rows.splitlines() if x.split()[-1:] == [name]), None)
    for m in re.finditer(r"^ +LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)", rows, re.M):
        off, begin, size = (int(x, 16) for x in m.groups())
        if at and begin <= at < begin + size:
            with open("other", "r+b") as f:
                f.seek(off + at - begin)
                f.write(b"\x63\0\0\0")
    r = live.dwell("core", "saved.core", "other", "-c", "::findjsobjects -c Root")
    live.check(
        r.returncode == 1 and ".99 of" in r.stderr and "is not known" in r.stderr,
        f"{version}: another V8 is refused",
        r.stderr,
    )
    r = live.dwell("core", "--force", "saved.core", "other", "-c", "::findjsobjects -c Secret | ::jsprint")
    if "18." in version or "20." in version:
        live.check("#key: 5" in r.stdout, f"{version}: --force goes on", r.stdout + r.stderr)
    os.unlink("other")
    os.unlink("saved.core")


def examples(node, version):
    """The example of each command's help that is about JavaScript."""
    p = start(node, "async.js")
    for line in core(p, "::dcmds").splitlines():
        name = line.split()[0][2:]
        if name == "jstack" or not re.search("js|nodebuffer|findf|heaps", name):
            continue
        example = next(x for x in core(p, f"::help {name}").splitlines() if x.startswith("Example: "))[9:]
        core(p, example)
    live.check(os.path.getsize("app.heapsnapshot") > 1e5, f"{version}: the example's file")
    os.unlink("app.heapsnapshot")
    stop(p)


with open("/proc/sys/kernel/core_pattern", encoding="ascii") as f:
    PATTERN = f.read().strip()
for n in NODES:
    v = subprocess.run([n, "-p", "process.version"], capture_output=True, text=True, check=True).stdout.strip()
    stacks(n, v)
    objects(n, v)
    if n == NODES[0]:
        examples(n, v)
        forced(n, v)
    if PATTERN == "core":
        thrown(n, v)
live.done()
