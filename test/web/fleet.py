# SPDX-License-Identifier: Apache-2.0
"""The page of dwell fleet serve, of simulated hosts: it is live, tells the planted fault, shows a host, isolates and excludes, and its
address brings it back. usage: fleet.py DWELL [PICTURE.png]"""
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
from server import button, painted, text_of  # noqa: E402
from tap import check, done, same, skip  # noqa: E402

if not CHROMIUM:
    skip("needs chromium")
if engines.missing():
    skip("not installed: " + ", ".join(engines.missing()))
dwell = os.path.abspath(sys.argv[1])
picture = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
SHOWN = "window.dwell !== undefined && window.dwell.shown.hosts.length"


def shown(b):
    return json.loads(b.eval("JSON.stringify(window.dwell.shown)"))


def until(b, condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end and not condition(shown(b)):
        time.sleep(0.3)
    return condition(shown(b))


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

    parts = [start("collect"), start("simulate", "--count", "20", "--faults", "1", "--back", "3m", sample)]
    page = start("serve", stdout=subprocess.PIPE, text=True)
    url = page.stdout.readline().strip()
    try:
        with Browser(width=1400, height=1000) as b:
            b.open(url, SHOWN + " === 20")
            same(shown(b)["look"]["tracker"], "offcpu", "the tracker that is there")
            check("token" not in b.eval("location.href"), "the token leaves the address")
            check(until(b, lambda s: s["newest"] > time.time() - 20), "it is live", shown(b)["newest"] - time.time())
            newest = shown(b)["newest"]
            check(until(b, lambda s: s["newest"] >= newest + 2), "and goes on")
            check(
                until(b, lambda s: [o["host"] for o in s["outliers"]] == ["web-17"], 90),
                "the planted fault is told, and no other",
                shown(b)["outliers"],
            )
            check(until(b, lambda s: s["hosts"][0] == "web-17"), "outliers come first", shown(b)["hosts"])
            check("web-17: offcpu p" in text_of(b, ".outliers"), "in words", text_of(b, ".outliers"))
            check(
                painted(b, ".grid canvas") > 10000 and painted(b, ".pictures canvas") > 1000, "the pictures are drawn"
            )
            b.eval("document.querySelector('.outliers button').click()")
            b.wait("document.querySelector('.details .events table') !== null")
            check(
                "web-17: slow events of offcpu" in text_of(b, ".details h2"), "a host's details", text_of(b, ".details")
            )
            check(
                "writeback" in text_of(b, ".details .events"),
                "with what its slow events waited for",
                text_of(b, ".details .events")[:500],
            )
            b.wait("document.querySelector('.flame-host canvas') !== null")
            check(
                "others" in text_of(b, ".flame-host .detail"),
                "its stacks beside the others'",
                text_of(b, ".flame-host .detail"),
            )
            if picture:
                b.screenshot(picture)
            link = b.eval("location.href")
            button(b, "Isolate")
            check(until(b, lambda s: s["hosts"] == ["web-17"]), "isolated", shown(b)["hosts"])
            button(b, "All hosts")
            check(until(b, lambda s: len(s["hosts"]) == 20), "all again", shown(b)["hosts"])
            button(b, "Exclude")
            check(
                until(b, lambda s: len(s["hosts"]) == 19 and "web-17" not in s["hosts"]), "excluded", shown(b)["hosts"]
            )
            b.open(link, SHOWN + " === 20 && window.dwell.shown.look.host === 'web-17'")
            check("web-17: slow events of offcpu" in text_of(b, ".details h2"), "a link brings it back")
            b.eval("location.hash = 'tracker=offcpu&hosts=' + encodeURIComponent('<img src=x onerror=alert(1)>')")
            b.wait("document.querySelector('.connection') !== null")
            time.sleep(1)
            same(b.eval("document.querySelectorAll('img').length"), 0, "what the address has is text")
            base = url.split("?")[0]
            same(
                [e for e in b.errors if not e.startswith("asks for " + base)],
                [],
                "no errors, and nothing is asked of anybody else",
            )
    finally:
        for p in (page, *parts):
            p.terminate()
            p.wait(60)
done()
