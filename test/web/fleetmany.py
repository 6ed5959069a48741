# SPDX-License-Identifier: Apache-2.0
"""500 hosts in the page of dwell fleet serve: what one update and one hover take, what the document has, and that names can be read. Times are set
beside that of the same browser sorting numbers, so that a busy machine is no failure. usage: fleetmany.py DWELL [PICTURE.png]"""
import json
import lzma
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../live"))
import engines  # noqa: E402
from browser import CHROMIUM, Browser  # noqa: E402
from server import text_of  # noqa: E402
from tap import check, done, same, skip  # noqa: E402

if not CHROMIUM:
    skip("needs chromium")
if engines.missing():
    skip("not installed: " + ", ".join(engines.missing()))
dwell = os.path.abspath(sys.argv[1])
HOSTS = 500
# Medians of 15, in ms: an update that keeps the order, one that makes it anew, the drawing, a hover; 150,000 numbers sorted, as many as there are cells.
MEASURE = """(() => {
  const d = window.dwell;
  const median = (f) => { const v = []; for (let i = 0; i < 15; i++) { const s = performance.now(); f(); v.push(performance.now() - s); } return v.sort((a, b) => a - b)[7]; };
  const numbers = Float64Array.from({ length: 150000 }, (_, i) => (i * 7919) % 150001);
  return JSON.stringify({ update: median(() => d.show()), order: median(() => { d.fleet.forgetOrder(); d.show(); }), hover: median(() => d.hover({ host: d.grid.hosts[3], column: 5 }, 100, 100)),
    drawn: d.grid.drawn + d.heat.drawn, sorted: median(() => numbers.slice().sort()), elements: document.querySelectorAll('*').length });
})()"""

with tempfile.TemporaryDirectory() as folder, engines.Nats(os.path.join(folder, "nats")) as nats, engines.ClickHouse(
    os.path.join(folder, "store")
) as store:
    env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
    sample = os.path.join(folder, "sample.dwell")
    with open(sample, "wb") as f:
        f.write(lzma.open(os.path.join(HERE, "reference/sample.dwell.xz")).read())
    subprocess.run([dwell, "fleet", "init"], env=env, check=True)

    def start(*args, **kw):
        return subprocess.Popen(
            [dwell, "fleet", *args], env=env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **kw
        )

    parts = [start("collect"), start("simulate", "--count", str(HOSTS), "--faults", "1", "--back", "1m", sample)]
    page = start("serve", stdout=subprocess.PIPE, text=True)
    url = page.stdout.readline().strip()
    try:
        with Browser(width=1400, height=1000) as b:
            b.open(url, f"window.dwell !== undefined && window.dwell.shown.hosts.length === {HOSTS}")
            time.sleep(3)
            m = json.loads(b.eval(MEASURE))
            print("# " + ", ".join(f"{name} {value:.1f}" for name, value in m.items()))
            check(m["update"] < m["sorted"] and m["hover"] < m["sorted"], "an update and a hover", m)
            check(m["order"] < 10 * m["sorted"] and m["drawn"] < 20 * m["sorted"], "the order anew, and the drawing", m)
            check(m["elements"] < 300, "the document does not grow with hosts", m)
            same(text_of(b, ".head").split("hosts")[0].split()[-1], str(HOSTS), "how many hosts, as they come")
            if len(sys.argv) > 2:
                b.screenshot(sys.argv[2])
    finally:
        for p in (page, *parts):
            p.terminate()
            p.wait(60)
done()
