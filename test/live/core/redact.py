# SPDX-License-Identifier: Apache-2.0
# @timeout: 200
"""dwell core --save --redact on Node: nothing of what strings and buffers held is in the file; stacks, objects by constructor, references and
paths are those of the same process saved whole; names stay; Python is refused."""
import json
import os
import platform
import re
import shutil
import subprocess
import time
import live

if platform.machine() != "x86_64" or not shutil.which("node") or not shutil.which("zstd"):
    print("# no node or zstd here")
    raise SystemExit(77)
os.chdir(live.WORK)
# Secrets of one-byte, two-byte, put together, cut out, external strings; buffers of each kind; environment, arguments, source, dead strings.
with open("plant.js", "w", encoding="utf-8") as f:
    f.write(
        """
"use strict";
const S = (n) => "SeCr" + "Et-" + n + "-" + "0123456789abcdef".split("").reverse().join("") + n;
class Vault { constructor(i) { this.id = i; this.password = S("property" + i); this.next = null; } }
const vaults = []; for (let i = 0; i < 500; i++) { vaults.push(new Vault(i)); if (i) vaults[i - 1].next = vaults[i]; }
let built = ""; for (const c of S("built")) built += c;
const literal = "SeCrEt-literal-in-the-source";
const two = "\\u0416" + S("two-byte");
const cons = S("cons-a") + S("cons-b");
const sliced = S("sliced-and-long-enough-for-one").slice(3, 40);
const parsed = JSON.parse('{"key":"' + S("json") + '"}');
const map = new Map([[S("map-key"), S("map-value")]]), set = new Set([Symbol.for("a name"), S("set")]);
const pooled = Buffer.from(S("pooled")), large = Buffer.alloc(100000, S("large")), small = new Uint8Array(40);
for (let i = 0; i < 40; i++) small[i] = S("typed-array-small-enough-for-the-heap").charCodeAt(i);
const closure = ((hidden) => () => hidden.length)(S("closure"));
const external = Buffer.alloc(2000000, S("external")).toString("latin1");
const env = process.env.PLANTED, arg = process.argv[2];
let dead = []; for (let i = 0; i < 2000; i++) dead.push(S("dead" + i)); dead = null;
class Wrong extends Error {}
function inner(x) { const kept = S("argument"); process.kill(process.pid, "SIGSTOP"); return kept + x; }
function outer() { return [1].map((x) => inner(S("outer") + x)); }
globalThis.all = { vaults, literal, two, cons, sliced, parsed, map, set, pooled, large, small, closure, external, env, arg, built, e: new Wrong(S("error")) };
setTimeout(() => { require("fs").writeFileSync("ready", "1"); outer(); }, 300);
setInterval(() => {}, 1e6);
"""
    )
p = subprocess.Popen(
    ["node", "plant.js", "SeCrEt-argument-of-the-program"], env={**os.environ, "PLANTED": "SeCrEt-environment"}
)
while not os.path.exists("ready") and p.poll() is None:
    time.sleep(0.05)
time.sleep(1)


def core(*args, **kw):
    return live.dwell("core", *args, timeout=100, **kw)


def words(name):
    """What is left of the secrets in the memory of a core, in pieces of 8 characters of one or of two bytes."""
    subprocess.run(["zstd", "-dqf", name, "-o", "unpacked"], check=True)
    with open("unpacked", "rb") as f:
        data = f.read()
    os.unlink("unpacked")
    n = 0
    for part in (b"SeCrEt-", b"fedcba98", b"76543210", b"literal-in-the", b"-environment", b"of-the-program", b"CrEt"):
        n += data.count(part) + data.count(part.decode().encode("utf-16-le"))
    return n, b"vaults" in data and b"password" in data and b"plant.js" in data


r = core("--save", p.pid, "whole")
live.check(r.returncode == 0, "saved whole", r.stderr)
r = core("--save", p.pid, "--redact", "redacted")
live.check(r.returncode == 0 and "stood still" in r.stdout, "saved without texts", r.stdout + r.stderr)
live.check(words("whole")[0] > 1000, "the secrets are in the first one", "")
live.same(words("redacted"), (0, True), "none is in the second one; names are")


def said(name, *lines):
    out = core(name, *(x for l in lines for x in ("-c", l)))
    live.check(out.returncode == 0, f"{name} {lines[0]}", out.stderr[-500:])
    return out.stdout


for line in (
    "::jsstack -n 0t40",
    "::stack",
    "::threads",
    "::findjsobjects",
    "::findjsobjects -c Vault",
    "::jsfunctions -c inner",
    "::jsretained",
):
    live.same(said("redacted", line), said("whole", line), line)
stack = said("redacted", "::jsstack -j -n 0t10")
live.check("inner at " in stack and re.search(r"plant\.js:2\d:\d+", stack), "functions and places", stack)
vault = json.loads(core("--json", "whole", "-c", "::findjsobjects -c Vault").stdout.splitlines()[0])
first = vault.get("object") or vault.get("address")
for line in (f"{first}::findjsobjects -r", f"{first}::jspath", f"{first}::jsconstructor"):
    live.same(said("redacted", line), said("whole", line), line)
text = said("redacted", f"{first}::jsprint")
live.check(
    re.search(r"Vault \{\s*id: \d+,\s*password: \"x+\"", text) and "SeCr" not in text,
    "a property is printed as x",
    text,
)
value = json.loads(core("--json", "redacted", "-c", "::findjsobjects -p built").stdout.splitlines()[0])
text = said("redacted", f"{value.get('object') or value.get('address')}::jsprint -d 3 -s 0t300")
live.check(
    re.search(r'built: "x+"', text) and not re.search(r"(?i)secr|fedc|hidden|0123", text),
    "a string that was put together by characters, and all others",
    text[:3000],
)
text = said("redacted", "::findjsobjects -c Vault | ::findjsobjects -r ! sort | uniq -c | sort -rn | head -3")
live.check("next" in text, "holders by name", text)
for args, code, what in (
    (["--redact", "whole"], 2, "--redact"),
    (["--save", "-", "--redact", "new"], 2, "--redact"),
    (["--save", os.getpid(), "--redact", "new"], 1, "no V8"),
):
    r = core(*args)
    live.check(
        r.returncode == code and what in r.stderr and not os.path.exists("new"),
        f"core {args}",
        f"{r.returncode} {r.stderr}",
    )
p.kill()
p.wait()
live.done()
