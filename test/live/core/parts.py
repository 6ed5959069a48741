# SPDX-License-Identifier: Apache-2.0
# @timeout: 300
"""dwell core on Node: variables of closures, elements, constructors, bytes of Buffers are those of the script. NODES: further binaries, separated by colons."""
import json
import os
import platform
import shutil
import subprocess
import time
import live

NODES = [n for n in [shutil.which("node")] + os.environ.get("NODES", "").split(":") if n]
if platform.machine() != "x86_64" or not NODES:
    print("# no node here")
    raise SystemExit(77)
os.chdir(live.WORK)
SCRIPT = r"""
"use strict";
const fs = require("fs");
class Made { constructor() { this.a = 1; } }
class Sub extends Made { }
function outer(first) { let second = { deep: first }; return function inner() { return first + second.deep + third; }; }
var third = "three";
globalThis.keep = { f: outer(41), list: [10, "eleven", { twelve: 12 }, , 14.5], doubles: [0.5, 1.5], sub: new Sub(), bytes: Buffer.from("hello, bytes! " + "x".repeat(300)), u16: new Uint16Array([1, 258]) };
setTimeout(() => { gc(); fs.writeFileSync("ready", "1"); }, 10);
setInterval(() => {}, 1e6);
"""
with open("parts.js", "w", encoding="utf-8") as f:
    f.write(SCRIPT)


def core(*args):
    return live.dwell("core", *args, timeout=120)


def rows(*args):
    r = core("--json", *args)
    live.check(r.returncode == 0, f"core {args}", r.stderr)
    return [json.loads(l) for l in r.stdout.splitlines()]


def properties(what, pid, keep, edges):
    """::jsproperties, whose addresses are those of ::jspath; limits of what is listed."""
    got = {x["name"]: x for x in rows("-p", pid, "-c", f"{keep}::jsproperties")}
    live.check(
        list(got)[:3] == ["f", "list", "doubles"]
        and got["list"]["address"] == edges["list"]
        and got["f"]["value"] == {"$function": "inner"},
        f"{what}: properties with their addresses",
        got,
    )
    got = rows("-p", pid, "-c", f"{edges['doubles']}::jsproperties", "-c", f"{keep}::jsproperties -n 1")
    live.check(
        got[:2] == [{"name": "[0]", "value": 0.5}, {"name": "[1]", "value": 1.5}]
        and got[2]["name"] == "length"
        and got[-2]["name"] == "f"
        and got[-1]["more"] > 3,
        f"{what}: numbers in an array, and a limit",
        got,
    )
    got = rows("-p", pid, "-c", f"{keep}::jsproperties | ::findjsobjects -r -n 1")
    live.check(
        len(got) >= 5 and len({x["object"] for x in got}) == len(got), f"{what}: one reference to each of them", got
    )
    got = rows("-p", pid, "-c", f"{edges['list']}::findjsobjects -n 2")
    live.check(len(got) == 2 and all(set(x) >= {"address"} for x in got), f"{what}: two of many objects", got)
    r = core("-p", pid, "-c", "8::jsproperties", "-c", "::jsproperties", "-c", f"{keep}::jsproperties -x")
    live.check(
        r.returncode == 1 and "begins at 8" in r.stderr and "wants an address" in r.stderr and "'-x'" in r.stderr,
        f"{what}: wrong words of ::jsproperties",
        r.stderr,
    )


def judge(what, pid):
    keep = next(x["object"] for x in rows("-p", pid, "-c", "::findjsobjects -p doubles"))
    edges = {
        x["path"].removeprefix("globalThis.keep."): x["object"]
        for x in rows(
            "-p",
            pid,
            *(
                c
                for name in ("list", "bytes", "u16", "twelve")
                for c in ("-c", f"::findjsobjects -p {name} | ::jspath")
            ),
            "-c",
            "::findjsobjects -c Sub | ::jspath",
            "-c",
            "::findjsobjects -c Array | ::jspath",
            "-c",
            "::findjsobjects -c FastBuffer | ::jspath",
            "-c",
            "::findjsobjects -c Buffer | ::jspath",
            "-c",
            "::findjsobjects -c Uint16Array | ::jspath",
        )
    }
    inner = [x["function"] for x in rows("-p", pid, "-c", "::findfunctions -c inner") if "parts.js" in x["text"]]
    live.check(
        keep and len(inner) == 1 and {"list", "doubles", "sub", "bytes", "u16"} <= set(edges),
        f"{what}: objects by their ways",
        (inner, edges),
    )
    got = {x["name"]: x["value"] for x in rows("-p", pid, "-c", f"{inner[0]}::jsclosure")}
    live.check(
        got.get("first") == 41
        and got.get("second") == {"deep": 41}
        and got.get("third") == "three"
        and list(got)[:2] == ["first", "second"],
        f"{what}: variables of a closure",
        got,
    )
    got = [(x["name"], x["value"]) for x in rows("-p", pid, "-c", f"{edges['list']}::jsarray")]
    live.same(got, [("[0]", 10), ("[1]", "eleven"), ("[2]", {"twelve": 12}), ("[4]", 14.5)], f"{what}: elements")
    live.same(
        [x["value"] for x in rows("-p", pid, "-c", f"{edges['doubles']}::jsarray -i 1")],
        [1.5],
        f"{what}: elements that are doubles, from one on",
    )
    got = rows("-p", pid, "-c", f"{edges['sub']}::jsconstructor")[0]
    live.check(got["name"] == "Sub" and "parts.js:5" in got["text"], f"{what}: the constructor", got)
    got = rows(
        "-p",
        pid,
        "-c",
        f"{edges['bytes']}::nodebuffer",
        "-c",
        f"{edges['u16']}::nodebuffer",
        "-c",
        f"{edges['bytes']}::nodebuffer -n 5",
    )
    whole = b"hello, bytes! " + b"x" * 300
    live.same(
        [(bytes.fromhex(x["bytes"]), x["length"]) for x in got],
        [(whole[:256], 314), (b"\1\0\2\1", 4), (whole[:5], 314)],
        f"{what}: bytes",
    )
    properties(what, pid, keep, edges)
    r = core(
        "-p",
        pid,
        "-c",
        f"{edges['list']}::jsarray -n 1",
        "-c",
        f"{edges['bytes']}::nodebuffer -n 8",
        "-c",
        f"{inner[0]}::jsclosure | ::jsprint",
        "-c",
        f"{edges['sub']}::jsconstructor | ::jssource -n 1",
    )
    live.check(
        "    [0]: 10\n    ... 3 more\n" in r.stdout
        and "68 65 6c 6c 6f 2c 20 62" in r.stdout
        and "hello, b\n" in r.stdout
        and "more bytes (-n)" in r.stdout
        and "{ deep: 41 }" in r.stdout
        and "class Sub" in r.stdout,
        f"{what}: as text, and for the next command",
        r.stdout[:2000] + r.stderr,
    )
    r = core(
        "-p",
        pid,
        "-c",
        "8::jsarray",
        "-c",
        f"{edges['sub']}::nodebuffer",
        "-c",
        f"{edges['sub']}::jsclosure",
        "-c",
        "::jsclosure",
        "-c",
        f"{edges['list']}::jsarray -n x",
    )
    live.check(
        r.returncode == 1
        and all(
            x in r.stderr
            for x in (
                "no object of JavaScript begins at 8",
                "no Buffer, typed array or ArrayBuffer",
                "no function of JavaScript",
                "wants an address",
                "-n wants a number",
            )
        ),
        f"{what}: wrong use",
        r.stderr,
    )


for node in NODES:
    version = subprocess.run([node, "-p", "process.version"], capture_output=True, text=True, check=True).stdout.strip()
    if os.path.exists("ready"):
        os.unlink("ready")
    p = subprocess.Popen([node, "--expose-gc", "parts.js"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not os.path.exists("ready"):
        if p.poll() is not None:
            live.check(False, "node runs until it is looked at", p.returncode)
            raise SystemExit(1)
        time.sleep(0.1)
    judge(version, p.pid)
    p.kill()
    p.wait()
live.done()
