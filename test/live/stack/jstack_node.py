# SPDX-License-Identifier: Apache-2.0
"""jstack() of Node: JavaScript's frames between the native ones, as Error.stack tells of them at the same moment; in
callbacks of builtins, generators, promises, workers, while the collector moves objects; names escaped. NODES: further
binaries, separated by colons."""
import os
import platform
import re
import shutil
import subprocess
import live

NODES = [n for n in [shutil.which("node")] + os.environ.get("NODES", "").split(":") if n]
if platform.machine() != "x86_64" or not NODES:
    print("# no node here, or user stacks are not walked as on x86-64")
    raise SystemExit(77)

TOLD, READY, SEEN = (os.path.join(live.WORK, "node-" + n) for n in ("told", "ready", "seen"))
WARM = os.path.join("/dev/shm" if os.path.isdir("/dev/shm") else live.WORK, f"dwell-warm-{os.getpid()}")
SCRIPT = os.path.join(live.WORK, "jstack-\u0446\u0435\u043b\u044c.js")
with open(SCRIPT, "w", encoding="utf-8") as f:
    f.write(
        f'''"use strict";
const fs = require("fs"), vm = require("vm"), {{ Worker, isMainThread }} = require("worker_threads");
Error.stackTraceLimit = 200;
const told = fs.openSync({TOLD!r}, "a"), warm = fs.openSync({WARM!r}, "w");
let out = warm;
function tell() {{
  fs.writeSync(out, new Error().stack.split("\\n").slice(2).join("\\n") + "\\n\\n"); fs.fsyncSync(out);
}}
globalThis.tell = tell;
class Store {{
  constructor(n) {{ this.n = n; if (n) tell(); }}
  get value() {{ tell(); return 1; }}
  static of(n) {{ return new Store(n); }}
  save(n) {{
    if (n) return this.save(n - 1);
    tell();
  }}
}}
function* numbers() {{ new Store().save(2); yield 1; }}
class \u041a\u043b\u044e\u0447 {{ toJSON() {{ tell(); return 1; }} }}
function deep(n) {{ return n ? deep(n - 1) + 1 : (tell(), 0); }}
const arrow = () => tell(), object = {{ method() {{ arrow(); }} }};
function all() {{
  [1].map((x) => object.method());
  [2, 1].sort((a, b) => {{ tell(); return a - b; }});
  for (const x of numbers()) x;
  Store.of(1).value;
  JSON.stringify(new \u041a\u043b\u044e\u0447()); // a builtin in C++: on the stack it is native
  "a".replace(/a/, () => tell());
  Reflect.apply(deep, null, [20]);
  new Proxy({{}}, {{ get() {{ tell(); }} }}).x;
  vm.runInThisContext("function made() {{\\n\\n  tell(); }}\\nmade()", {{ filename: "made.js", lineOffset: 7 }});
}}
async function later() {{ await 1; tell(); await 2; object.method(); }}
const optimise = process.execArgv.includes("--allow-natives-syntax") ? new Function("f", "%OptimizeFunctionOnNextCall(f)") : null;
const prepare = optimise && new Function("f", "%PrepareFunctionForOptimization(f)");
function run() {{
  const hot = [tell, Store, Store.of, Store.prototype.save, numbers, \u041a\u043b\u044e\u0447.prototype.toJSON, deep, arrow, object.method, all];
  if (optimise) {{
    hot.forEach(prepare);
    for (let i = 0; i < 8; i++) all();
    hot.forEach(optimise);
    all();
  }}
  out = told;
  all();
}}
function until(file, then) {{ /* dwell has met the process, has read the last name */
  process.ppid;
  fs.existsSync(file) ? then() : setTimeout(until, 20, file, then);
}}
if (isMainThread)
  until({READY!r}, () => {{ run(); later().then(() => new Worker(__filename)); }});
else
  run(), process.umask(), until({SEEN!r}, () => {{}});
'''
    )


def stacks(text):
    return [[l.strip() for l in b.splitlines() if l.strip()] for b in re.split(r"\n\s*\n", text) if b.strip()]


def as_dwell(line):
    """A line of Error.stack as jstack() has it; None for what is no frame of JavaScript on the stack."""
    m = re.fullmatch(r"at (?:(.*) \((.*)\)|(.*))", line)
    name, place = m.group(1) or "", m.group(2) or m.group(3)
    if name.startswith("async "):
        return None
    name = re.sub(r" \[as .*\]$", "", re.sub("^new ", "", name)).split(".")[-1]
    if name == "stringify":
        return None
    name = "(anonymous)" if "kHybridDispatch" in name else name
    name = "(anonymous)" if name in ("", "<anonymous>") else name
    return f"{name} [builtin]" if place == "<anonymous>" else f"{name} at {place}"


def javascript(stack):
    """The frames of JavaScript behind tell()."""
    at = next((i for i, l in enumerate(stack) if l.startswith("tell at ")), None)
    if at is None:
        return None
    js = [l.removesuffix(" [inlined]") for l in stack[at + 1 :]]
    js = [l for l in js if " at " in l or l.endswith(" [builtin]")]
    # V8 infers "Store.prototype.save" from where a function is assigned; await goes on in a builtin without name.
    return [re.sub(r"^[^ ]*\.(?=[^ .]+ )", "", l) for l in js if l != "(anonymous) [builtin]"]


def run(node, program, *options, dwell=(), end="all has come"):
    """What dwell prints; the target is told when dwell has met it, and when all has come."""
    for name in READY, SEEN:
        if os.path.exists(name):
            os.unlink(name)
    text = []
    with subprocess.Popen(
        [
            live.DWELL,
            "-q",
            "-x",
            "switchrate=50ms",
            *dwell,
            "-n",
            program + MEET,
            "-c",
            " ".join([node, *options, SCRIPT]),
        ],
        stdout=subprocess.PIPE,
        text=True,
    ) as p:
        for line in p.stdout:
            text.append(line)
            for name, word in (READY, "until at "), (READY, "JavaScript function: V8"), (SEEN, end):
                if word in line:
                    open(name, "w", encoding="utf-8").close()
    return "".join(text)


def version(node):
    r = subprocess.run([node, "-p", "process.versions.v8"], capture_output=True, text=True, check=False)
    return tuple(map(int, r.stdout.split(".")[:2]))


PROGRAM = 'syscall::fsync:entry /pid == $target && fds[arg0].fi_name == "node-told"/ { jstack(120); }'
MEET = (
    " syscall::getppid:entry /pid == $target/ { jstack(120); }"
    " syscall::umask:entry /pid == $target/ { printf(\"\\nall has come\\n\\n\"); }"
)
# Interpreted, baseline and optimised code, while objects move.
TIERS = {
    "interpreted": ["--no-opt", "--no-sparkplug"],
    "baseline": ["--always-sparkplug", "--no-opt"],
    "optimised": ["--allow-natives-syntax"],
}
known = [n for n in NODES if version(n) in ((10, 2), (11, 3), (12, 4), (13, 6))]
for node in known:
    for tier, options in TIERS.items():
        what = f"{version(node)} {tier}"
        open(TOLD, "w", encoding="utf-8").close()
        rec = os.path.join(live.WORK, "node.dwell")
        if os.path.exists(rec):
            os.unlink(rec)
        r = run(node, PROGRAM, *options, "--gc-interval=300", dwell=("--record", rec))
        with open(TOLD, encoding="utf-8") as f:
            told = stacks(f.read())
        got = [s for s in stacks(r) if javascript(s) is not None]
        live.same(len(got), len(told), f"{what}: every stack came")
        for g, t in zip(got, told):
            want = [w for w in map(as_dwell, t) if w]
            have = javascript(g)
            if tier == "optimised":  # builtins that are inlined are no code
                have, want = ([l for l in x if not l.endswith(" [builtin]")] for x in (have, want))
            live.same("\n".join(have), "\n".join(want), f"{what}: what V8 says of itself")
            live.check("fsync" in g[0] and re.search("_start|clone", g[-1]), f"{what}: whole to the thread's start", g)
        text = "\n".join(l for g in got for l in g)
        live.check("fsyncSync at node:fs" in text, f"{what}: node's own JavaScript", text)
        live.check("InterpreterEntryTrampoline" not in text, f"{what}: the interpreter is replaced", text)
    live.check("[inlined]" in text, f"{version(node)}: functions that are inlined", text)
    r = live.dwell("report", rec)
    live.check(
        f"all at {SCRIPT}:" in r.stdout, f"{version(node)}: a recording keeps the names", r.stdout[:2000] + r.stderr
    )

if known:
    with open(SCRIPT, "w", encoding="utf-8") as f:
        f.write(
            f'''const vm = require("vm"), fs = require("fs");
const optimise = process.execArgv.includes("--allow-natives-syntax") ? new Function("f", "%OptimizeFunctionOnNextCall(f)") : null;
const prepare = optimise && new Function("f", "%PrepareFunctionForOptimization(f)");
function run() {{
  const hot = [tell, Store, Store.of, Store.prototype.save, numbers, \u041a\u043b\u044e\u0447.prototype.toJSON, deep, arrow, object.method, all];
  if (optimise) {{
    hot.forEach(prepare);
    for (let i = 0; i < 8; i++) all();
    hot.forEach(optimise);
    all();
  }}
  out = told;
  all();
}}
function until(file, then) {{ process.ppid; fs.existsSync(file) ? then() : setTimeout(until, 20, file, then); }}
until({READY!r}, () => {{
  vm.runInThisContext("(f) => f()", {{ filename: "a\\x1b[31m\\n\\u202eb" }})(() => fs.fsyncSync(2));
  process.umask(); until({SEEN!r}, () => {{}});
}});
'''
        )
    r = run(
        known[0],
        "syscall::fsync:entry /pid == $target/ { @[jstack(60)] = count(); ustack(60); jstack(60, 0); }"
        " tick-50ms { printa(@); }",
        end="fsyncSync at node:fs",
    )
    live.check("(anonymous) at a\\x1b[31m\\x0a\\u202eb:1:8" in r, "text of the target is escaped", ascii(r))
    got = [s for s in stacks(r) if "fsync" in s[0]]
    keys, plain = ([s for s in got if s[-1].isdigit() == key] for key in (True, False))
    live.check(
        len(plain) == 2 and not any(" at " in l for s in plain for l in s),
        "ustack(), and jstack() of size 0, are native",
        plain,
    )
    live.check(keys and all(any("fsyncSync at node:fs" in l for l in s) for s in keys), "as a key", keys)
for node in NODES:
    if node not in known:
        r = run(node, PROGRAM)
        live.check("[JavaScript function: V8 " in r, f"{version(node)} is refused with the reason", r[:1000])
if os.path.exists(WARM):
    os.unlink(WARM)
live.done()
