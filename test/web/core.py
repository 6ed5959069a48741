# SPDX-License-Identifier: Apache-2.0
"""The page of dwell serve CORE, of a real core of Node: constructors with counts, an object, its properties, who refers to it, the way from
a root, retainers; texts of the target do nothing in the page. usage: core.py DWELL [FOLDER for pictures]"""
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error

from server import Server, need_page, page, text_of
from tap import check, done, same, skip
from browser import CHROMIUM

if not CHROMIUM:
    skip("needs chromium")
if platform.machine() != "x86_64" or not shutil.which("node"):
    skip("no node here")
dwell = os.path.abspath(sys.argv[1])
pictures = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
EVIL = "<img src=x onerror=window.hacked=1>"
PLANT = (
    """
"use strict";
class Connection { constructor(i) { this.id = i; this.host = "host-" + i; this.tags = ["<b>bold</b>", i, i / 3]; this.peer = null; } }
class Pool { constructor(n) { this.connections = []; for (let i = 0; i < n; i++) this.connections.push(new Connection(i)); } }
class Evil { constructor() { this["%s"] = "<script>window.hacked=2</script>"; } }
globalThis.pool = new Pool(2000);
globalThis.evil = [new Evil(), new Evil()];
globalThis.bytes = Buffer.alloc(3e6);
setInterval(() => {}, 1e6);
console.log("ready");
"""
    % EVIL
)


def save(folder):
    script, core = os.path.join(folder, "plant.js"), os.path.join(folder, "node.core")
    with open(script, "w", encoding="utf-8") as f:
        f.write(PLANT)
    node = subprocess.Popen(["node", script], stdout=subprocess.PIPE, text=True)
    try:
        node.stdout.readline()
        time.sleep(0.5)
        subprocess.run([dwell, "core", "--save", str(node.pid), core], check=True, stdout=subprocess.DEVNULL)
        of_process(node.pid, folder)
    finally:
        node.kill()
        node.wait()
    return core


def state_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        return f.read().rsplit(")", 1)[1].split()[0]


def of_process(pid, folder):
    """dwell serve -p: the same page of a process, which goes on; the copy of its memory has no name."""
    os.environ["TMPDIR"] = folder
    before = os.listdir(folder)
    with Server(dwell, "-p", str(pid)) as server:
        lines = json.loads(server.get("/api/v1/core/constructors"))["lines"]
        found = {x["constructor"]: x["count"] for x in lines if "constructor" in x}
        same((found.get("Pool"), found.get("Connection")), (1, 2000), "-p: the objects of a process")
        check(state_of(pid) in "SR", "-p: it goes on", state_of(pid))
        same(os.listdir(folder), before, "-p: no file is left")
        same(server.stop(), 0, "-p: Ctrl-C ends it")
    del os.environ["TMPDIR"]
    for args, status, reason in (
        (["-p", "x"], 2, "'x' is no process"),
        (["-p", str(pid), "more"], 2, "shown alone"),
        (["-p", "2147483647"], 1, "there is no such process"),
    ):
        r = subprocess.run([dwell, "serve", *args], capture_output=True, text=True, timeout=60, check=False)
        check(r.returncode == status and reason in r.stderr and not r.stdout, f"refused: {args[:2]}", r)


def picture(b, name):
    if pictures:
        b.screenshot(os.path.join(pictures, name + ".png"))


def follow(b, selector, text, ready):
    """Clicks the link with this text in the middle, as a user does, and waits."""
    link = f"[...document.querySelectorAll({json.dumps(selector)})].find((e) => e.textContent === {json.dumps(text)})"
    b.wait(f"{link} !== undefined")
    x, y = b.eval(
        f"(() => {{ const e = {link}; e.scrollIntoView({{block: 'center'}});"
        "const r = e.getClientRects()[0]; return [r.x + r.width / 2, r.y + r.height / 2]; })()"
    )
    b.click(x, y)
    b.wait(ready)


def busy(box):
    return f"document.querySelectorAll({json.dumps(box + ' [aria-busy=true]')}).length"


def titled(box, name):
    """Whether a box is shown, whole, and is about this. What was shown before stays in the page, hidden, until its box has something new."""
    return (
        f"[...document.querySelectorAll({json.dumps(box + ' h2')})].some((e) => e.offsetParent && e.textContent.startsWith({json.dumps(name)}))"
        f" && {busy(box)} === 0"
    )


def open_first(b, name):
    """A click on a constructor, and one on the first of its objects."""
    follow(b, ".list a", name, titled(".chosen", name))
    b.eval("[...document.querySelectorAll('.chosen tbody a')].find((e) => e.offsetParent).click()")
    b.wait(f"location.hash.includes('object=') && {titled('.object', name)}")


def look(b):
    b.wait("document.querySelectorAll('.list tbody tr').length > 20")
    check("token" not in b.eval("location.href"), "the token leaves the address")
    b.wait("document.querySelector('.head .muted').textContent.includes('process')")
    check("plant.js" in text_of(b, ".head"), "the process is told", text_of(b, ".head"))
    row = next(r for r in text_of(b, ".list tbody tr").split("\n") if "Connection" in r)
    check(row.split("\t")[0].strip() == "2,000", "the planted objects are counted", row)
    picture(b, "constructors")
    b.eval("document.querySelector('.list input').focus()")
    b.type("connections")
    found = b.eval("[...document.querySelectorAll('.list tbody tr')].map((e) => e.textContent)")
    check(found and all("connections" in r.lower() for r in found), "constructors are found by a property", found)
    open_first(b, "Pool")
    text = text_of(b, ".object")
    check("connections" in text and "globalThis.pool" in text, "properties, and the way from a root", text)
    check("globalThis.pool" in text_of(b, ".object ul"), "who refers to it", text)
    check("would be free if it went" in text, "what it keeps", text)
    picture(b, "object")
    before = b.eval("location.hash")
    b.eval("document.querySelector('.properties a').click()")
    b.wait(f"location.hash !== {json.dumps(before)} && {titled('.object', 'Array')}")
    check("Pool.connections" in text_of(b, ".object ul"), "a value leads on", text_of(b, ".object ul"))
    check(
        "… 1,501 more" in text_of(b, ".properties"),
        "a long array is cut, and says so",
        text_of(b, ".properties")[-200:],
    )
    b.eval("history.back()")
    b.wait(titled(".object", "Pool"))
    check(True, "the browser's way back works")


def look_further(b):
    follow(
        b,
        ".head nav a",
        "Largest retainers",
        "document.querySelector('.list td.n') !== null && !document.querySelector('.list input')",
    )
    b.wait(busy(".list") + " === 0")
    check(
        "Buffer" in text_of(b, ".list"), "the planted Buffer is among the largest retainers", text_of(b, ".list")[:500]
    )
    picture(b, "retainers")
    follow(b, ".head nav a", "Constructors", "document.querySelector('.list input') !== null")
    open_first(b, "Evil")
    text = text_of(b, ".object")
    check(EVIL in text and "<script>" in text_of(b, ".properties"), "texts of the target are texts", text)
    same(b.eval("typeof window.hacked"), "undefined", "and do nothing")
    b.look(400, True)
    b.eval("scrollTo(0, 0)")
    b.settle()
    picture(b, "narrow")
    check(b.eval("document.documentElement.scrollWidth <= innerWidth"), "nothing is wider than a narrow window")


def refused(server, path):
    try:
        server.get(path)
    except urllib.error.HTTPError as e:
        return e.code
    return 200


def ask(server):
    """The API: the same questions, and nothing else."""
    lines = json.loads(server.get("/api/v1/core/constructors"))["lines"]
    first = next(x["object"] for x in lines if x["constructor"] == "Pool")
    path = json.loads(server.get(f"/api/v1/core/path?at={first}"))["lines"][0]
    same(path["path"], "globalThis.pool", "the way, from the API")
    for wrong in ("status?at=1", "heapsnapshot", "properties", "properties?at=1%20!%20id", "properties?at=zz"):
        a = json.loads(server.get("/api/v1/core/" + wrong))
        check(not a["lines"] and a["messages"] == "this is no question\n", f"refused: {wrong}", a)
    a = json.loads(server.get("/api/v1/core/object?at=8"))
    check("no object of JavaScript begins at 8" in a["messages"], "an address of nothing", a)
    same(
        [refused(server, "/api/v1/" + x) for x in ("runs", "programs", "recordings")],
        [404] * 3,
        "there is nothing else",
    )


def limits(server):
    """Of the processes of the page: the reader's memory is limited (READER_MEMORY_MAX)."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as f:
                if int(f.read().rsplit(")", 1)[1].split()[1]) == server.process.pid:
                    with open(f"/proc/{name}/limits", encoding="ascii") as f:
                        found.append(next(x.split()[3] for x in f if x.startswith("Max data size")))
        except (OSError, ValueError):
            pass
    check(str(8 << 30) in found, "the reader's memory has a limit", found)


with tempfile.TemporaryDirectory() as folder:
    core = save(folder)
    subprocess.run([dwell, "core", "--index", core, "-c", "::findjsobjects"], check=True, stdout=subprocess.DEVNULL)
    with Server(dwell, core) as server:
        limits(server)
        need_page(server)
        ask(server)
        with page(server, width=1400) as b:
            look(b)
            look_further(b)
        same(server.stop(), 0, "Ctrl-C ends it")
    whole = os.path.getsize(core)
    os.truncate(core, whole // 2)
    r = subprocess.run([dwell, "serve", core], capture_output=True, text=True, timeout=60, check=False)
    check(r.returncode == 1 and "cannot open" in r.stderr and not r.stdout, "half a core is refused", r)
    r = subprocess.run([dwell, "serve", core, "a", "b"], capture_output=True, text=True, timeout=60, check=False)
    check(r.returncode in (1, 2) and "'b'" in r.stderr, "too many words", r)
done()
