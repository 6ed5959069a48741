# SPDX-License-Identifier: Apache-2.0
# @timeout: 400
"""dwell core on Node: objects of every kind are those that the script has, as JSON and as text; the stack is Error.stack's, 7,000 frames; out of
cores of the kernel and of gcore, and alive. NODES: further binaries, separated by colons."""
import json
import os
import platform
import re
import resource
import shutil
import signal
import subprocess
import time
import live

NODES = [n for n in [shutil.which("node")] + os.environ.get("NODES", "").split(":") if n]
if platform.machine() != "x86_64" or not NODES:
    print("# no node here")
    raise SystemExit(77)
os.chdir(live.WORK)

OBJECTS = r"""
"use strict";
const fs = require("fs");
let seed = 12345;
function random(n) { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % n; }
const long = fs.readFileSync(__filename, "latin1");
const strings = [() => "", () => "one" + random(1e6), () => "\u041f\u0440\u0438\u0432\u0435\u0442 \ud83d\ude00 " + random(9), () => "put ".repeat(random(9)) + "together" + random(99),
  () => long.slice(random(50), 60 + random(200)), () => "quote\" \\ \n\t\u0001", () => String.fromCharCode(0x400 + random(99)).repeat(40).slice(5, 30)];
function value(depth) {
  switch (random(depth ? 12 : 8)) {
  case 0: return random(2e9) - 1e9;
  case 1: return (random(2e9) - 1e9) * 1e4 + 0.5;
  case 2: return random(1e9) / 7;
  case 3: case 4: return strings[random(strings.length)]();
  case 5: return null;
  case 6: return random(2) === 1;
  case 7: return [1, 1.5, 1e21, 1e-7, 123456789012, -1, 0.1, 2 ** 53, 5e-324, 1.7976931348623157e308][random(10)];
  case 8: return Array.from({ length: random(6) }, () => random(100));
  case 9: return Array.from({ length: random(6) }, () => random(100) / 4);
  case 10: return Array.from({ length: random(6) }, () => value(depth - 1));
  default: {
    const o = {}, n = random(4) ? random(6) : random(40);
    for (let i = 0; i < n; i++) o[random(5) ? "p" + random(60) : String(random(50))] = value(depth - 1);
    if (!random(3)) { o.gone = 1; delete o.gone; }
    if (!random(4)) { o.first = 1; o.second = 2; delete o.first; o.third = value(depth - 1); }
    return o;
  }
  }
}
class Conn { constructor(i) { this.id = i; this.host = "host" + i; } get x() { return 1; } }
class Sub extends Conn { #hidden = 5; constructor(i) { super(i); this.own = null; this.none = undefined; } }
const big = {}; for (let i = 0; i < 2000; i++) big["k" + i] = i / 2; delete big.k5;
const cyclic = { n: 1 }; cyclic.self = cyclic;
function named(a, b) { return a + b; }
const sparse = []; sparse[100000] = 1; sparse[5] = "x";
const rejected = Promise.reject(new RangeError("no")); rejected.catch(() => {});
const kinds = { sub: new Sub(3), doubles: [1.5, , 4.25], holes: [1, , 3, , ], mixed: ["a", undefined, true], map: new Map([["a", 1], [{ k: 1 }, [2]], [3, new Map()]]),
  set: new Set([1, "two", 3.5]), date: new Date(1e12), before: new Date(-1), bad: new Date(NaN), re: /ab+c\/d/gi, err: new TypeError("boom"), fn: named, arrow: () => 1,
  large: 123456789012345678901234567890n, negative: -5n, zero: 0n, sym: Symbol("tag"), [Symbol("key")]: 1, buffer: Buffer.from("hello"), u8: new Uint8Array([1, 2, 255]), f32: new Float32Array([1.5, -2]),
  f64: new Float64Array([1.5, NaN]), i16: new Int16Array([-1, 5]), i64: new BigInt64Array([-9n, 2n ** 60n]), big8: new Uint8Array(3000).fill(7), done: Promise.resolve(5), pending: new Promise(() => {}), rejected,
  proxy: new Proxy({ a: 1 }, {}), bound: named.bind(null, 1), cyclic, sparse, big, nothing: Object.create(null), nan: NaN, infinity: -Infinity, wrapped: new Number(3),
  removed: (() => { const m = new Map([[1, 2], [3, 4]]); m.delete(1); m.set(5, 6); return m; })(), frozen: Object.freeze({ a: 1, b: [2] }), frozenArray: Object.freeze([1, "a"]) };
function convert(v) { // as dwell's JSON has it
  if (v === undefined) return { $undefined: true };
  if (typeof v === "number") return Number.isFinite(v) ? v : { $number: String(v) };
  if (typeof v === "bigint") return { $bigint: String(v) };
  if (typeof v === "symbol") return { $symbol: v.description };
  if (v === named || v === kinds.arrow) return { $function: v.name };
  if (v === kinds.bound) return { $bound: { $function: "named" } };
  if (v === null || typeof v !== "object") return v;
  if (v === cyclic) return { n: 1, self: { $circular: 1 } };
  if (v === kinds.proxy) return { $proxy: { a: 1 } };
  if (v === kinds.done) return { $fulfilled: 5 };
  if (v === kinds.pending) return { $pending: true };
  if (v === rejected) return { $rejected: { $error: "RangeError: no" } };
  if (v instanceof Number) return { $wrapper: +v };
  if (v instanceof Date) return { $date: isNaN(v) ? "Invalid Date" : v.toISOString() };
  if (v instanceof RegExp) return { $regexp: String(v) };
  if (v instanceof Error) return { $error: v.constructor.name + ": " + v.message };
  if (v instanceof Map) return { $map: Array.from(v, ([k, x]) => [convert(k), convert(x)]) };
  if (v instanceof Set) return { $set: Array.from(v, convert) };
  if (ArrayBuffer.isView(v)) return { ["$" + v.constructor.name]: Array.from(v, (x) => typeof x === "bigint" ? { $int: String(x) } : convert(x)) };
  if (Array.isArray(v)) {
    const a = []; let next = 0;
    for (const k of Object.keys(v)) { if (+k > next) a.push({ $empty: +k - next }); a.push(convert(v[k])); next = +k + 1; }
    if (v.length > next) a.push({ $empty: v.length - next });
    return a;
  }
  const o = {};
  for (const k of Reflect.ownKeys(v)) o[typeof k === "symbol" ? "$symbol " + k.description : k] = convert(v[k]);
  return o;
}
globalThis.keep = { kinds, random: Array.from({ length: 200 }, () => value(4)) };
gc(); gc(); gc();
%DebugPrint(keep);
fs.writeFileSync("want.json", JSON.stringify(convert(keep)));
if (process.env.CRASH) process.abort();
setInterval(() => {}, 1e6);
"""
STACK = r"""
"use strict";
Error.stackTraceLimit = Infinity;
const fs = require("fs");
class Store {
  get value() { return this.save(3); }
  save(n) { return n ? this.save(n - 1) : [1].map((x) => tell())[0]; }
}
function tell() {
  fs.writeFileSync("stack", new Error().stack); fs.writeFileSync("ready", "1"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
function deep(n, what) { if (n) return deep(n - 1, what) + 1; return new Store().value; }
deep(7000, "argument");
"""
HEAP = r"""
"use strict";
const fs = require("fs");
class Planted { constructor(i) { this.id = i; this.host = "host" + i; if (i % 2) this.odd = i; } }
class Dead { constructor(i) { this.id = i; this.text = "dead" + i; } }
class InProperty { } class InElement { } class InMap { } class InSet { } class InClosure { } class InGlobal { } class InStore { }
let dead = Array.from({ length: 3000 }, (x, i) => new Dead(i));
class Holder { constructor(v) { this.first = 1; this.held = v; } }
function closure(kept) { return () => kept; }
function planted(n) { const a = []; for (let i = 0; i < n; i++) a.push(new Planted(i)); return a; }
const many = new Holder(1);
for (let i = 0; i < 40; i++) many["p" + i] = i;
many.far = new InStore();
globalThis.keep = { list: planted(5000), holder: new Holder(new InProperty()), array: [0, 1, 2, new InElement()], map: new Map([["k", new InMap()]]), set: new Set([new InSet()]), f: closure(new InClosure()), many, function: function kept() {} };
globalThis.everywhere = new InGlobal();
dead = null;
setTimeout(() => { // nothing is on the stack any more
  gc(); gc(); gc();
  fs.writeFileSync("want.json", "[1]");
  if (process.env.CRASH) process.abort();
}, 10);
setInterval(() => {}, 1e6);
"""
TIERS = r"""
"use strict";
Error.stackTraceLimit = Infinity;
const fs = require("fs"), flag = new Int32Array(1);
function tell() { fs.writeFileSync("stack", new Error().stack); fs.writeFileSync("ready", "1"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); }
function block(n) { if (n === -1) tell(); return n; }
function leaf(n) { return (n & 7) === 0 ? block(flag[0] ? -1 : n) + 1 : n + 1; }
function small(n) { return leaf(n) * 2; }
function mid(n) { let s = 0; for (let i = 0; i < 8; i++) s += small(n + i); return s; }
class Outer { run(n) { return mid(n) + 1; } }
const outer = new Outer();
let t = 0; for (let i = 0; i < 100000; i++) t += outer.run(i);
flag[0] = 1;
outer.run(1);
"""
for name, text in (("objects.js", OBJECTS), ("stack.js", STACK), ("tiers.js", TIERS), ("heap.js", HEAP)):
    with open(name, "w", encoding="utf-8") as f:
        f.write(text)


def core(*args):
    return live.dwell("core", *args, timeout=120)


def numbers(v):
    """{"$int": "5"} of 64-bit integers, which the script's JSON cannot write."""
    if isinstance(v, dict):
        return int(v["$int"]) if list(v) == ["$int"] else {k: numbers(x) for k, x in v.items()}
    return [numbers(x) for x in v] if isinstance(v, list) else v


def differ(got, want, path="keep"):
    """Where two values differ first."""
    if isinstance(got, dict) and isinstance(want, dict):
        if list(got) != list(want):
            return f"{path}: members {list(got)[:30]} != {list(want)[:30]}"
        return next((d for k in want if (d := differ(got[k], want[k], f"{path}.{k}"))), None)
    if isinstance(got, list) and isinstance(want, list):
        return next(
            (d for i, (g, w) in enumerate(zip(got, want)) if (d := differ(g, w, f"{path}[{i}]"))),
            None if len(got) == len(want) else f"{path}: {len(got)} != {len(want)} elements",
        )
    return (
        None
        if got == want and (type(got) is type(want) or not isinstance(got, bool))
        else f"{path}: {got!r} != {want!r}"
    )


def judge_objects(what, args, address):
    with open("want.json", encoding="utf-8") as f:
        want = numbers(json.load(f))
    r = core("--json", *args, "-c", f"{address}::jsprint -d 0t30 -n 0t100000 -s 0t100000")
    got = json.loads(r.stdout)["value"] if r.returncode == 0 else {}
    live.check(
        not r.stderr and differ(got, want) is None,
        f"{what}: objects are those of the script",
        differ(got, want) or r.stderr,
    )
    r = core(*args, "-c", f"{address}::jsprint -d 3 -n 0t60")
    for text in (
        'sub: Sub { id: 3, host: "host3", own: null, none: undefined, #hidden: 5 }',
        "doubles: [ 1.5, <1 empty>, 4.25 ]",
        'map: Map(3) { "a" => 1, { k: 1 } => [ 2 ], 3 => Map(0) {} }',
        "date: 2001-09-09T01:46:40.000Z",
        "err: [TypeError: boom]",
        "fn: [Function: named]",
        "large: 123456789012345678901234567890n",
        "[Symbol(key)]: 1",
        "buffer: <Buffer 68 65 6c 6c 6f>",
        "f64: Float64Array(2) [ 1.5, NaN ]",
        "rejected: Promise { <rejected> [RangeError: no] }",
        "cyclic: { n: 1, self: [Circular] }",
        "... 1939 more",
        "nan: NaN",
        "proxy: Proxy({ a: 1 })",
    ):
        live.check(
            text in re.sub(r"\n +(?=\})", " ", re.sub(r"\n +", " ", r.stdout)) or text in r.stdout,
            f"{what}: as text: {text}",
            r.stdout[:6000] + r.stderr,
        )
    r = core(
        *args,
        "-c",
        f"{address}::jsprint -d 0",
        "-c",
        f"{address}::jsprint -x",
        "-c",
        "8::jsprint",
        "-c",
        f"{int(address, 16) + 8:x}::jsprint",
    )
    live.check(
        r.stdout.startswith("{ kinds: [Object ")
        and "unexpected '-x'" in r.stderr
        and r.stderr.count("no object of JavaScript begins") == 2,
        f"{what}: options",
        r.stdout + r.stderr,
    )


RETAINERS = {
    "InProperty": ("Holder", "held"),
    "InElement": ("Array", 3),
    "InMap": ("Map", 0),
    "InSet": ("Set", 0),
    "InClosure": ("", "kept"),
    "InGlobal": ("globalThis", "everywhere"),
    "InStore": ("Holder", "far"),
}


def rows(*args):
    r = core("--json", *args)
    live.check(r.returncode == 0, f"core {args}", r.stderr)
    return [json.loads(l) for l in r.stdout.splitlines()]


def judge_heap(what, args):
    found = [x for x in rows(*args, "-c", "::findjsobjects") if x["constructor"] in ("Planted", "Dead")]
    live.same(
        sorted((x["constructor"], x["names"], x["count"]) for x in found),
        [("Planted", "id, host", 2500), ("Planted", "id, host, odd", 2500)],
        f"{what}: all that were planted, and none that is dead",
    )
    live.check(all(x["bytes"] >= 2500 * 40 for x in found), f"{what}: their bytes", found)
    r = core(
        *args,
        "-c",
        "::findjsobjects -c Planted | ::jsprint -n 9999",
        "-c",
        "::findjsobjects -p odd ! wc -l",
        "-c",
        f"{found[0]['object']}::findjsobjects ! wc -l",
    )
    ids = sorted(map(int, re.findall(r"\bid: (\d+)", r.stdout)))
    live.check(ids == list(range(5000)), f"{what}: each once", ids[:20])
    live.check(
        int(r.stdout.split()[-2]) >= 2 and r.stdout.split()[-1] == "2500",
        f"{what}: by property; those that are alike",
        r.stdout[-100:],
    )
    for constructor, (holder, name) in RETAINERS.items():
        at = [x for x in rows(*args, "-c", f"::findjsobjects -c {constructor}") if not x["names"]]
        refs = rows(*args, "-c", f"{at[0]['object']}::findjsobjects -r") if at else []
        # The stack may still lead to the array [key, value] that the Map was made of.
        who = [(x.get("constructor"), x.get("name", x.get("index"))) for x in refs]
        live.check(
            len(at) == 1
            and at[0]["count"] == 1
            and (holder, name) in who
            and (len(who) == 1 or constructor in ("InMap", "InSet")),
            f"{what}: who refers to {constructor}",
            (at, refs),
        )
    text = core(
        *args, "-c", "::jsfunctions -c kept", "-c", "::findjsobjects -c Holder | ::findjsobjects -r ! sort | head -1"
    ).stdout
    live.check(
        re.search(r"^ *\w+ +1 kept at .*heap.js", text, re.M) and " referred to by " in text,
        f"{what}: functions; references of several",
        text,
    )


def as_dwell(line):
    m = re.fullmatch(r"at (?:(.*) \((.*)\)|(.*))", line)
    name, place = re.sub(r" \[as .*\]$", "", m[1] or "").split(".")[-1], m[2] or m[3]
    name = "(anonymous)" if name in ("", "<anonymous>") else name
    return f"{name} [builtin]" if place == "<anonymous>" else f"{name} at {place}"


def judge_stack(what, args):
    with open("stack", encoding="utf-8") as f:
        want = [as_dwell(l.strip()) for l in f.read().splitlines()[1:]]
    r = core(*args, "-c", "::jsstack -j")
    # V8 infers "Store.prototype.save" from where a function is assigned.
    got = [re.sub(r"^[^ ]*\.(?=[^ .]+ )", "", l.split(" ", 1)[1]) for l in r.stdout.splitlines()[1:]]
    live.check(
        len(want) > 7000 and got[0].startswith("tell at ") and "stack.js:10:" in got[0],
        f"{what}: begins where it waits",
        got[:3] + want[:3] + [r.stderr],
    )
    # Functions that V8 has no name for get one from the object that they were called on; so does node's own loader.
    own = [[l for l in frames if "node:" not in l][1:] for frames in (got, want)]
    live.check(
        own[0] == own[1] and len(got) == len(want),
        f"{what}: every frame as V8 tells it",
        [x for x in zip(*own) if x[0] != x[1]][:5] + [len(got), len(want)],
    )
    r = core(
        *args,
        "-c",
        "::jsstack -n 0t200 -j | ::jsframe",
        "-c",
        "::jsstack -n 0t40",
        "-c",
        "::jsstack -n 0t30 | ::jsframe | ::jssource -n 1",
    )
    live.check(
        'argument 2: "argument"\n' in r.stdout
        and re.search(r"save at .*\n +function: \w+\n +this: \w+: Store \{\}|this: \[Store", r.stdout),
        f"{what}: receivers and arguments",
        r.stdout[:3000] + r.stderr,
    )
    live.check(
        re.search(r"`.*FutexEmulation", r.stdout) and re.search(r"^ +7 +save\(n\)", r.stdout, re.M),
        f"{what}: native frames, source",
        r.stdout[-3000:] + r.stderr,
    )


def judge_tiers(what, args):
    """Compiled code: no frame is wrong; one whose code cannot be found has no column, and those inlined into it are not there."""
    with open("stack", encoding="utf-8") as f:
        want = [as_dwell(l.strip()) for l in f.read().splitlines()[2:] if "tiers.js" in l]
    r = core(*args, "-c", "::jsstack -j")
    got = [l.split(" ", 1)[1].replace(" [inlined]", "") for l in r.stdout.splitlines()[1:] if "tiers.js" in l][1:]
    left = iter(want)
    live.check(
        all(
            any(
                w == g or (re.fullmatch(r".*\.js(:\d+)?", g) and w.startswith(g.split(" at ")[0] + " at "))
                for w in left
            )
            for g in got
        )
        and got[0] == want[0]
        and [g.split(" at ")[0] for g in got][-2:] == ["run", "(anonymous)"],
        f"{what}: compiled frames",
        got + want + [r.stderr],
    )
    if not what.startswith("v24"):
        live.same(
            [re.sub(":.*", "", x) for x in got], [re.sub(":.*", "", x) for x in want], f"{what}: with those inlined"
        )


def launch(node, script, out, *options, crash=False):
    for name in ("ready", "stack", "want.json"):
        if os.path.exists(name):
            os.unlink(name)
    limit = (lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)) if crash else None
    env = dict(os.environ, **({"CRASH": "1"} if crash else {}))
    with open(out, "w", encoding="utf-8") as f:
        return subprocess.Popen(
            [node, "--allow-natives-syntax", "--expose-gc", *options, script],
            stdout=f,
            stderr=subprocess.DEVNULL,
            env=env,
            preexec_fn=limit,
        )


def address(out):
    with open(out, encoding="utf-8") as f:
        return re.search(r"0x([0-9a-f]+)", f.read())[1]


def whole(name):
    """A file of JSON that was written whole."""
    try:
        with open(name, encoding="utf-8") as f:
            return bool(json.load(f))
    except (OSError, ValueError):
        return False


def sleeping(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        return f.read().rsplit(")", 1)[1].split()[0] == "S"


def until(condition, p):
    while not condition():
        if p.poll() is not None:
            live.check(False, "node runs until it is looked at", p.returncode)
            raise SystemExit(1)
        time.sleep(0.05)


with open("/proc/sys/kernel/core_pattern", encoding="ascii") as f:
    PATTERN = f.read().strip()
for i, node in enumerate(NODES):
    version = subprocess.run([node, "-p", "process.version"], capture_output=True, text=True, check=True).stdout.strip()
    p = launch(node, "objects.js", "out")
    until(lambda: whole("want.json"), p)
    judge_objects(f"{version} alive", ["-p", p.pid], address("out"))
    judge_objects(f"{version} running", ["-p", p.pid, "--no-stop"], address("out"))
    if i == 0 and shutil.which("gcore"):
        subprocess.run(
            ["gcore", "-o", "gcore", str(p.pid)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        judge_objects(f"{version} gcore", [f"gcore.{p.pid}"], address("out"))
        os.unlink(f"gcore.{p.pid}")
    p.kill()
    p.wait()
    if PATTERN == "core":
        p = launch(node, "objects.js", "out", crash=True)
        live.same(p.wait(), -signal.SIGABRT, f"{version} aborts")
        file = next(n for n in os.listdir(".") if re.fullmatch(r"core(\.\d+)?", n))
        judge_objects(f"{version} the kernel's core", [file], address("out"))
        r = core(file, "/bin/true", "-c", "::status")
        live.check(r.returncode == 1, f"{version}: another program", r.stdout)
        os.truncate(file, os.path.getsize(file) // 3)
        r = core(file, "-c", f"{address('out')}::jsprint", "-c", "::jsstack")
        live.check(
            r.returncode in (0, 1) and "AddressSanitizer" not in r.stderr, f"{version}: a core that is cut", r.stderr
        )
        os.unlink(file)
    p = launch(node, "heap.js", "out")
    until(lambda: whole("want.json") and sleeping(p.pid), p)
    judge_heap(f"{version} alive", ["-p", p.pid])
    if i == 0 and shutil.which("gcore"):
        subprocess.run(
            ["gcore", "-o", "gcore", str(p.pid)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        judge_heap(f"{version} gcore", [f"gcore.{p.pid}"])
        os.unlink(f"gcore.{p.pid}")
    p.kill()
    p.wait()
    if PATTERN == "core":
        p = launch(node, "heap.js", "out", crash=True)
        live.same(p.wait(), -signal.SIGABRT, f"{version} aborts")
        file = next(n for n in os.listdir(".") if re.fullmatch(r"core(\.\d+)?", n))
        judge_heap(f"{version} the kernel's core", [file])
        os.unlink(file)
    p = launch(
        node,
        "stack.js",
        "out",
        "--no-opt",
        "--no-sparkplug",
        "--no-maglev" if version > "v22" else "--no-opt",
        "--stack-size=4000",
    )
    until(lambda: os.path.exists("ready"), p)
    until(lambda: sleeping(p.pid), p)
    judge_stack(f"{version} alive", ["-p", p.pid])
    p.kill()
    p.wait()
    p = launch(node, "tiers.js", "out")
    until(lambda: os.path.exists("ready") and sleeping(p.pid), p)
    judge_tiers(f"{version} alive", ["-p", p.pid])
    p.kill()
    p.wait()
r = core("-p", os.getpid(), "--no-stop", "-c", "8::jsprint")
live.check(r.returncode == 1 and "no V8 is in this process" in r.stderr, "a process without V8", r.stderr)
live.done()
