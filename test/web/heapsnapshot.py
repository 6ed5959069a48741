# SPDX-License-Identifier: Apache-2.0
"""What ::heapsnapshot writes is opened by the reader of Chromium's DevTools itself, the worker of its Memory panel: constructors with counts and
sizes, retained sizes. usage: heapsnapshot.py DWELL"""
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile

from browser import CHROMIUM, Browser
from tap import check, done, same, skip

if not CHROMIUM:
    skip("needs chromium")
if platform.machine() != "x86_64" or not shutil.which("node"):
    skip("no node here")
dwell = os.path.abspath(sys.argv[1])
PLANT = """
class Planted { constructor(i) { this.id = i; this.text = ["t", i]; } }
class Holder { constructor() { this.all = []; for (let i = 0; i < 1234; i++) this.all.push(new Planted(i)); } }
globalThis.holder = new Holder();
setTimeout(() => console.log("ready"), 10);
setInterval(() => {}, 1e6);
"""
# The messages of front_end/entrypoints/heap_snapshot_worker of DevTools. The second worker computes retained sizes.
READ = """
(async () => {
  const entry = location.href.replace(/devtools_app.html.*/, "entrypoints/heap_snapshot_worker/heap_snapshot_worker-entrypoint.js");
  const waits = new Map();
  let id = 0;
  function worker() {
    const w = new Worker(entry, { type: "module" });
    const ready = new Promise((ok, no) => {
      w.onerror = (e) => no(new Error(e.message));
      w.onmessage = (m) => { if (m.data === "workerReady") ok(w); else if (waits.has(m.data.callId)) waits.get(m.data.callId)(m.data); };
    });
    return ready;
  }
  const first = await worker(), second = await worker(), channel = new MessageChannel();
  const call = (message, ports) => new Promise((ok, no) => {
    waits.set(++id, (m) => m.error ? no(new Error(m.error)) : ok(m.result));
    first.postMessage({ callId: id, ...message }, ports || []);
  });
  const method = (objectId, methodName, ...methodArguments) => call({ disposition: "method", objectId, methodName, methodArguments });
  first.postMessage({ callId: ++id, disposition: "createLoader", objectId: 1 });
  await method(1, "write", TEXT);
  await method(1, "close");
  second.postMessage({ callId: 0, disposition: "setupForSecondaryInit", objectId: 3 }, [channel.port2]);
  await call({ disposition: "factory", objectId: 1, methodName: "buildSnapshot", methodArguments: [], newObjectId: 2 }, [channel.port1]);
  const total = await call({ disposition: "getter", objectId: 2, methodName: "totalSize" });
  const all = Object.values(await method(2, "aggregatesWithFilter", {}));
  return JSON.stringify({ total, all: all.map((x) => ({ name: x.name, count: x.count, self: x.self, retained: x.maxRet })) });
})()
"""

with tempfile.TemporaryDirectory() as folder:
    script, file = os.path.join(folder, "plant.js"), os.path.join(folder, "plant.heapsnapshot")
    with open(script, "w", encoding="ascii") as f:
        f.write(PLANT)
    node = subprocess.Popen(["node", script], stdout=subprocess.PIPE, text=True)
    try:
        node.stdout.readline()
        lines = [f"::heapsnapshot {file}", "::findjsobjects -c Planted"]
        r = subprocess.run(
            [dwell, "core", "-p", str(node.pid), *[x for line in lines for x in ("-c", line)]],
            capture_output=True,
            text=True,
            check=True,
        )
    finally:
        node.kill()
        node.wait()
    with open(file, encoding="utf-8") as f:
        text = f.read()
    snapshot = json.loads(text)
    with Browser() as b:
        b.open("devtools://devtools/bundled/devtools_app.html")
        got = json.loads(b.eval(READ.replace("TEXT", json.dumps(text), 1)))
    fields = snapshot["snapshot"]["meta"]["node_fields"]
    sizes = snapshot["nodes"][fields.index("self_size") :: len(fields)]
    same(got["total"], sum(sizes), "DevTools adds up the same bytes")
    rows = {x["name"]: x for x in got["all"]}
    same(rows["Planted"]["count"], 1234, "as many objects of a class as were planted")
    same(rows["Holder"]["count"], 1, "one that holds them")
    check(rows["Holder"]["retained"] > rows["Planted"]["self"], "it retains them", rows["Holder"])
    check("Planted: id, text" in r.stdout, "dwell's own list has them", r.stdout)
done()
