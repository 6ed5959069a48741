# SPDX-License-Identifier: Apache-2.0
# @timeout: 400
# @long: dominators of whole heaps, in Python
"""dwell core on Node: what keeps what. Retained sizes of planted objects are those of V8's own heap snapshot of the same process, whose dominators are
found here by another method; ways from roots are those of the script. NODES: further binaries, separated by colons."""
import json
import os
import platform
import re
import shutil
import subprocess
import time
import live

NODES = [n for n in [shutil.which("node")] + os.environ.get("NODES", "").split(":") if n]
if platform.machine() != "x86_64" or not NODES:
    print("# no node here")
    raise SystemExit(77)
os.chdir(live.WORK)
PLANT = r"""
"use strict";
const fs = require("fs"), v8 = require("v8");
class Leaf { constructor(i) { this.a = i; this.b = null; } }
class Owner { constructor(n) { this.items = []; for (let i = 0; i < n; i++) this.items.push(new Leaf(i)); } }
class Chain { constructor(n) { this.head = null; for (let i = 0; i < n; i++) this.head = { next: this.head, owner: this }; } }
class Shared { constructor(x) { this.x = x; } }
class InClosure { }
class InMap { }
class Held { constructor(v) { this.v = v; } }
const both = new Leaf(7);
function closure(kept) { return () => kept; }
globalThis.keep = { owner: new Owner(1000), chain: new Chain(5000), s1: new Shared(both), s2: new Shared(both), f: closure(new InClosure()), map: new Map([["k", new InMap()]]),
  bytes: new Held(Buffer.alloc(3000000)), weak: new WeakMap() };
keep.weak.set(keep.owner, new Held(new Owner(100)));
setTimeout(() => {
  gc(); gc(); gc();
  if (process.env.SNAPSHOT) v8.writeHeapSnapshot("own.heapsnapshot");
  fs.writeFileSync("ready", "1");
}, 10);
setInterval(() => {}, 1e6);
"""
with open("plant.js", "w", encoding="utf-8") as f:
    f.write(PLANT)


def core(*args):
    return live.dwell("core", *args, timeout=120)


def rows(*args):
    r = core("--json", *args)
    live.check(r.returncode == 0, f"core {args}", r.stderr)
    return [json.loads(l) for l in r.stdout.splitlines()]


def dominators(n, out):
    """Cooper, Harvey, Kennedy: not what dwell does."""
    order, seen, todo = [], [False] * n, [(0, iter(out[0]))]
    seen[0] = True
    while todo:
        v, rest = todo[-1]
        for w in rest:
            if not seen[w]:
                seen[w] = True
                todo.append((w, iter(out[w])))
                break
        else:
            order.append(v)
            todo.pop()
    number = {v: i for i, v in enumerate(order)}
    into = [[] for _ in range(n)]
    for v in order:
        for w in out[v]:
            into[w].append(v)
    idom, changed = {0: 0}, True
    while changed:
        changed = False
        for w in reversed(order[:-1]):
            new = None
            for v in into[w]:
                if v in idom:
                    if new is None:
                        new = v
                    else:
                        a, b = new, v
                        while a != b:
                            while number[a] < number[b]:
                                a = idom[a]
                            while number[b] < number[a]:
                                b = idom[b]
                        new = a
            if idom.get(w) != new:
                idom[w], changed = new, True
    return order, idom


def retained_of(file):
    """Retained bytes of each object by its name, out of a heap snapshot."""
    with open(file, encoding="utf-8") as f:
        s = json.load(f)
    m = s["snapshot"]["meta"]
    nf, ef = len(m["node_fields"]), len(m["edge_fields"])
    nodes, edges, strings = s["nodes"], s["edges"], s["strings"]
    n = len(nodes) // nf
    weak = m["edge_types"][0].index("weak")
    types = m["node_types"][0]
    out, at = [], 0
    name, size, count, kind, number = (
        m["node_fields"].index(x) for x in ("name", "self_size", "edge_count", "type", "id")
    )
    internal = m["edge_types"][0].index("internal")

    def keeps(i, e):
        """The value of a WeakMap's entry is kept by its key; V8 writes the edge twice, from the table, too."""
        if edges[e] == weak:
            return False
        key = re.search(r"part of key \(.* @(\d+)\) -> value", strings[edges[e + 1]]) if edges[e] == internal else None
        return not key or int(key[1]) == nodes[i * nf + number]

    for i in range(n):
        k = nodes[i * nf + count]
        out.append([edges[(at + j) * ef + 2] // nf for j in range(k) if keeps(i, (at + j) * ef)])
        at += k
    order, idom = dominators(n, out)
    total = [nodes[i * nf + size] for i in range(n)]
    for v in order[:-1]:
        total[idom[v]] += total[v]
    result = {}
    for i in range(n):
        if types[nodes[i * nf + kind]] == "object":
            result.setdefault(strings[nodes[i * nf + name]], []).append(total[i])
    return result


def judge(what, args):
    """(condition, what, detail) of each check. A word on a stack that only looks like a pointer to a planted object takes from what is retained: in another
    process addresses are others."""
    own = retained_of("own.heapsnapshot")
    classes = ("Owner", "Chain", "Shared", "Held", "Leaf", "InClosure", "InMap")
    found = rows(
        *args,
        "-c",
        "::findjsobjects -c Chain | ::jsdominators",
        *(x for c in classes[:5] for x in ("-c", f"::findjsobjects -c {c} | ::jsretained -n 0")),
        *(x for c in ("Chain", "InClosure", "InMap") for x in ("-c", f"::findjsobjects -c {c} | ::jspath")),
        "-c",
        "::findjsobjects -p a | ::jspath",
    )
    # Prototypes are objects of their constructor, too; the snapshot calls them "Object" or by another name.
    for constructor in ("Owner", "Chain", "Shared", "Held"):
        got = sorted(x["retained"] for x in found if x.get("what") == constructor and "retained" in x)
        want = sorted(own[constructor])[-{"Owner": 2, "Chain": 1, "Shared": 2, "Held": 2}[constructor] :]
        # Shapes, code and feedback of the functions that made them hang at some objects: V8 and dwell take other ones of their references for weak.
        near = 0 if constructor in ("Shared", "Held") else 0.02
        yield (
            all(any(abs(g - w) <= near * w for g in got) for w in want),
            f"{what}: {constructor} keeps as much as V8's own snapshot says",
            (want, got),
        )
        yield (
            max(got) >= {"Owner": 1000 * 40 + 5360, "Chain": 104 + 5000 * 40}.get(constructor, 0),
            f"{what}: {constructor} keeps all that was planted",
            got,
        )
    yield (
        [x["retained"] for x in found if x.get("what") == "Leaf"].count(40) >= 1101,
        f"{what}: a leaf keeps itself",
        [x for x in found if x.get("what") == "Leaf"][:3],
    )
    ways = {x["path"] for x in found if "path" in x}
    want = {f"globalThis.keep.owner.items[{i}]" for i in range(1000)} | {
        "globalThis.keep.chain",
        "globalThis.keep.f<closure>:kept",
        "globalThis.keep.map<value>[0]",
    }
    yield (want <= ways, f"{what}: the way to each", sorted(want - ways)[:5] + sorted(ways)[:5])
    chain = [x["what"] for x in found if "retained" in x]
    yield (
        ["Chain", "Object", "global variable"] in [chain[i : i + 3] for i in range(20)],
        f"{what}: who dominates",
        chain[:20],
    )
    top = rows(*args, "-c", "::jsretained -n 5")
    yield (top[0]["retained"] >= top[1]["retained"] >= 3000000 and len(top) == 5, f"{what}: those that keep most", top)
    r = core(*args, "-c", "8::jspath", "-c", "::jspath", "-c", "::jsretained -x")
    yield (
        r.returncode == 1
        and "no object of JavaScript begins" in r.stderr
        and "::jspath wants an address" in r.stderr
        and "unexpected '-x'" in r.stderr,
        f"{what}: wrong use",
        r.stderr,
    )


def snapshot(what, args):
    """The heap snapshot that dwell writes, by the same reader: well formed, and its dominators are those of ::jsretained."""
    if os.path.exists("dwell.heapsnapshot"):
        os.unlink("dwell.heapsnapshot")
    found = rows(
        *args,
        "-c",
        "::heapsnapshot dwell.heapsnapshot",
        *(
            x
            for c in ("Owner", "Chain", "Shared", "Held", "Leaf")
            for x in ("-c", f"::findjsobjects -c {c} | ::jsretained -n 0")
        ),
    )
    with open("dwell.heapsnapshot", encoding="utf-8") as f:
        s = json.load(f)
    meta, nodes, edges = s["snapshot"]["meta"], s["nodes"], s["edges"]
    nf, ef = len(meta["node_fields"]), len(meta["edge_fields"])
    live.same(
        (len(nodes) // nf, len(edges) // ef, sum(nodes[meta["node_fields"].index("edge_count") :: nf])),
        (s["snapshot"]["node_count"], s["snapshot"]["edge_count"], s["snapshot"]["edge_count"]),
        f"{what}: a snapshot's counts",
    )
    named = {meta["edge_types"][0].index(t) for t in ("context", "property", "internal")}
    live.check(
        all(
            edges[i + 2] % nf == 0
            and edges[i + 2] < len(nodes)
            and (edges[i] not in named or edges[i + 1] < len(s["strings"]))
            for i in range(0, len(edges), ef)
        ),
        f"{what}: its edges lead to objects, and have names",
        "",
    )
    live.check(
        {"items", "owner", "kept"}
        <= {s["strings"][edges[i + 1]] for i in range(0, len(edges), ef) if edges[i] in named},
        f"{what}: names of properties and variables",
        "",
    )
    live.same(os.stat("dwell.heapsnapshot").st_mode & 0o777, 0o600, f"{what}: nobody else reads it")
    total = retained_of("dwell.heapsnapshot")
    for constructor in ("Owner", "Chain", "Shared", "Held", "Leaf"):
        got = sorted(x["retained"] for x in found if x.get("what") == constructor and "retained" in x)
        live.check(
            got and not [g for g in got if g not in total[constructor]],
            f"{what}: {constructor} keeps as much in it",
            (got[-3:], sorted(total[constructor])[-3:]),
        )
    r = core(
        *args, "-c", "::heapsnapshot dwell.heapsnapshot", "-c", "::heapsnapshot /nothing/x", "-c", "::heapsnapshot"
    )
    live.check(
        "File exists" in r.stderr and "No such file" in r.stderr and "wants the name" in r.stderr,
        f"{what}: files that cannot be written",
        r.stderr,
    )
    r = core(*args, "-c", "::heapsnapshot /dev/full")
    live.check(r.returncode == 1 and os.path.exists("/dev/full"), f"{what}: a device is no file", r.stderr)


def folded(what, args):
    """Folded stacks: their bytes are what the roots keep, and the planted objects are where they were planted. dwell flame draws them."""
    lines = rows(*args, "-c", "::jsfolded")
    total = [
        l.split()[1]
        for l in core(*args, "-c", "::findjsobjects -c Chain | ::jsdominators").stdout.splitlines()
        if l.endswith("all roots")
    ]
    live.same(sum(x["bytes"] for x in lines), int(total[0]), f"{what}: folded stacks have all bytes")
    by = {}
    for x in lines:
        by[tuple(x["stack"][-3:])] = by.get(tuple(x["stack"][-3:]), 0) + x["bytes"]
    leaves = [n for k, n in by.items() if k[-1] == "Leaf" and k[-2] == "Array"]
    live.check(
        sum(leaves) == 1100 * 40
        and any(k[-1] == "Object" and k[-2] == "Chain" and n >= 5000 * 40 for k, n in by.items()),
        f"{what}: leaves of arrays; a list is one frame",
        [(k, n) for k, n in by.items() if "Leaf" in k or "Chain" in k],
    )
    text = core(*args, "-c", f"::jsfolded ! {live.DWELL} flame --svg --weights bytes -o memory.svg -")
    live.check(
        text.returncode == 0 and os.path.getsize("memory.svg") > 2000, f"{what}: a flame graph of memory", text.stderr
    )
    r = core(*args, "-c", "::jsfolded x")
    live.check(r.returncode == 1 and "unexpected 'x'" in r.stderr, f"{what}: folded stacks, wrong use", r.stderr)


def sleeping(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        return f.read().rsplit(")", 1)[1].split()[0] == "S"


def launch(node, **env):
    if os.path.exists("ready"):
        os.unlink("ready")
    p = subprocess.Popen(
        [node, "--expose-gc", "plant.js"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(os.environ, **env),
    )
    while not os.path.exists("ready") or not sleeping(p.pid):
        if p.poll() is not None:
            live.check(False, "node runs until it is looked at", p.returncode)
            raise SystemExit(1)
        time.sleep(0.1)
    return p


for node in NODES:
    version = subprocess.run([node, "-p", "process.version"], capture_output=True, text=True, check=True).stdout.strip()
    # Two runs of one script: writing a snapshot leaves pointers to all objects in the memory of the process.
    p = launch(node, SNAPSHOT="1")
    p.kill()
    p.wait()
    p = None

    def attempt():
        global p
        if p:
            p.kill()
            p.wait()
        p = launch(node)
        return judge(version, ["-p", p.pid])

    live.attempts(version, attempt)
    snapshot(version, ["-p", p.pid])
    folded(version, ["-p", p.pid])
    r = core("-p", p.pid, "--no-stop", "-c", "::jsretained")
    live.check(r.returncode == 1 and "leave --no-stop out" in r.stderr, f"{version}: one that runs", r.stderr)
    p.kill()
    p.wait()
live.done()
