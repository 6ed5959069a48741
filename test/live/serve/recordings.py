# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell serve and recordings: those of the command line, of the live view, and that are sent; their views; and who reads them."""
import glob
import http.client
import json
import os
import re
import signal
import subprocess
import tempfile
import time
import urllib.parse
import live

folder = os.path.join(live.WORK, "recordings")
os.mkdir(folder, 0o700)
one = os.path.join(folder, "one.dwell")
nap = os.path.join(live.WORK, "nap.py")
with open(nap, "w") as f:
    f.write(
        "import time\nfor i in range(100):\n    time.sleep(0.05)\n"
    )  # wherever in their seconds the two clocks begin, some seconds are whole
r = live.dwell(
    "-q",
    "--record",
    one,
    "-n",
    """
tracker nap (int) { threshold = 10ms; }
syscall::nanosleep:entry, syscall::clock_nanosleep:entry /pid == $target/ { begin(nap, tid); @in[walltimestamp / 1000000000, execname, ustack()] = count(); }
syscall::nanosleep:return, syscall::clock_nanosleep:return /pid == $target/ { end(nap, tid); }
latency:nap::slow { slow("comm", args[0]->comm); @naps_ns[walltimestamp / 1000000000, args[0]->comm] = quantize(args[0]->delay); }
""",
    "-c",
    "python3 " + nap,
)
live.same(r.returncode, 0, "a recording is made" + r.stderr)
os.chmod(one, 0o600)
with open(os.path.join(folder, "text"), "w") as f:
    f.write("no recording\n")
tmp = tempfile.mkdtemp(prefix="dwell-test-")
os.chmod(tmp, 0o755)
server = subprocess.Popen(
    [live.DWELL, "serve", "--recordings", folder, one],
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    text=True,
    stdin=subprocess.DEVNULL,
    env={**os.environ, "TMPDIR": tmp},
)
PORT, TOKEN = re.match(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})$", server.stdout.readline()).groups()


def ask(path, method="GET", body=None, kind="application/json", token=TOKEN):
    c = http.client.HTTPConnection("127.0.0.1", int(PORT), timeout=60)
    c.request(method, "/api/v1/recordings" + path, body, {"Authorization": "Bearer " + token, "Content-Type": kind})
    r = c.getresponse()
    data = r.read()
    c.close()
    try:
        return r.status, r.headers, json.loads(data)
    except ValueError:
        return r.status, r.headers, data


def view(path, **keys):
    return ask("/" + path + ("?" + urllib.parse.urlencode(keys) if keys else ""))


def lines(data):
    return [data] if isinstance(data, dict) else [json.loads(line) for line in data.splitlines()]


# What there is
_, _, o = ask("")
live.same(
    [(r["id"], r["kind"], r["name"]) for r in o["recordings"]],
    [("r1", "file", "one.dwell"), ("r2", "file", "one.dwell")],
    "the recordings of the command line",
)
status, headers, info = view("r1/contents.json")
live.same((status, headers["Content-Type"]), (200, "application/json"), "what is in one")
live.same([s["name"] for s in info["stacks"]], ["in"], "stacks")
live.same(
    {h["name"]: h["count"] for h in info["histograms"]},
    {"nap": 100, "naps_ns": 100},
    "histograms and how much is in them",
)
live.same(
    (info["host"], info["slow"], "nap" in info["programs"][0]["text"]),
    (os.uname().nodename, 100, True),
    "where it is from, and its program",
)

# Views
begun, (first, last) = info["begun"], info["seconds"]
second = 1000000000
_, _, o = view("r1/heat.json", by="@naps_ns")
live.same((o["keys"], o["total"], o["columns"]), (["python3"], 100, (last - first) // second), "a heat map by key")
_, _, o = view(
    "r1/heat.json", by="nap", **{"from": f"{first + second - begun}ns", "to": f"{first + 2 * second - begun}ns"}
)
live.check(10 <= o["total"] <= 34, "of one second", o["total"])
whole = lines(view("r1/slow.json")[2])
some = lines(view("r1/slow.json", longest=3, over="1ms", tracker="nap")[2])
live.same([e["delay"] for e in some], sorted((e["delay"] for e in whole), reverse=True)[:3], "the longest slow events")
middle = sorted(e["delay"] for e in whole)[50]
live.same(
    len(lines(view("r1/slow.json", under=f"{middle}ns")[2])),
    sum(e["delay"] < middle for e in whole),
    "those of a range of delays",
)
status, headers, o = view("r1/flame.json", by="in")
live.check(status == 200 and o["kinds"][1]["text"] == "kernel" and o["stacks"], "stacks", o)
_, _, both = view(
    "r1/flame.json",
    by="in",
    **{
        "from": f"{first + 2 * second - begun}ns",
        "before_from": f"{first + second - begun}ns",
        "before_to": f"{first + 2 * second - begun}ns",
    },
)
live.same(both["diff"], True, "two ranges of one")
_, _, both = view("r1/flame.json", by="in", other="r2")
live.same(both["diff"], True, "two recordings")
status, _, o = view("r1/diff.json", other="r2")
live.check(
    status == 200 and {line.get("source") for line in lines(o)} >= {"nap", "naps_ns"}, "two compared in figures", o
)
status, _, o = view("r1/diff.json", **{"from": f"{first + second - begun}ns", "to": f"{first + 3 * second - begun}ns"})
end = lines(o)[-1]
live.check(
    status == 200 and end["type"] == "diff-summary" and end["judged"] == 0,
    "a stretch and the rest of its recording",
    end,
)
status, _, o = view("r1/timeline.json")
live.check(
    status == 200
    and {"requests"} == {r["group"] for r in o["rows"]}
    and o["items"] == 100
    and begun <= o["origin"]
    and o["texts"]
    and o["intervals"],
    "a timeline of slow events",
    str(o)[:500],
)
status, _, o = view("r1/timeline.json", pid=1)
live.check(status == 422 or o["items"] == 0, "of a process that did nothing", str(o)[:300])
status, _, o = view("r1/processes.json")
live.check(
    status == 200 and o["processes"] and any(r["label"].startswith("python3") for r in o["rows"]),
    "processes",
    str(o)[:500],
)
_, _, o = view("r1/hist.json", by="@naps_ns", key="python3")
live.same([(s["name"], s["count"]) for s in o["series"]], [("python3", 100)], "a distribution of a key")
_, _, o = view("r1/hist.json", by="@naps_ns", other="r2", keys=4)
live.same(
    [(s["name"], s["count"]) for s in o["series"]],
    [("one.dwell (r2) · python3", 100), ("one.dwell (r1) · python3", 100)],
    "of two recordings, which have names",
)
status, headers, o = view("r1/hist.svg", by="nap", other="r2")
live.check(status == 200 and b"one.dwell (r1)" in o and b"/dev/fd" not in o, "their picture", str(o)[:300])
half = "2s"
_, _, o = view("r1/hist.json", by="nap", range=f"0-{half},{half}-1h")
live.same((len(o["series"]), sum(s["count"] for s in o["series"])), (2, 100), "of two ranges, which make the whole")
_, _, o = view("r1/hist.json", by="@naps_ns", keys=3)
live.same([s["name"] for s in o["series"]], ["python3"], "of the keys with most values")
status, headers, o = view("r1/flame.svg", by="in", title="<a> & b")
live.check(
    b"&lt;a&gt; &amp; b" in o and "attachment" in headers["Content-Disposition"], "a picture to keep", str(o)[:300]
)
for name, begins in (
    ("report.txt", b""),
    ("trace.json", None),
    ("heat.svg?by=nap", b"<?xml"),
    ("heat.html?by=nap", b"<!DOCTYPE"),
    ("hist.svg?by=nap", b"<?xml"),
    ("processes.html", b"<!DOCTYPE"),
    ("flame.html?by=in", b"<!DOCTYPE"),
    ("stacks.folded?by=in", b"python3"),
    ("stacks.pb.gz?by=in", b"\x1f\x8b"),
    ("values.csv?by=in", b""),
    ("losses.json", None),
):
    status, headers, o = view("r1/" + name)
    live.check(
        status in ((200, 422) if begins in (None, b"") else (200,)) and (not begins or bytes(o).startswith(begins)),
        name,
        (status, str(o)[:200]),
    )
with open(one, "rb") as f:
    whole_file = f.read()
live.same(view("r1/recording")[2], whole_file, "the file itself")

# What is asked wrongly
for path, status, why in (
    ("r9/contents.json", 404, "no such recording"),
    ("r0/contents.json", 404, "recording"),
    ("live/contents.json", 422, "cannot open"),
    ("r1/nosuch", 404, "no such view"),
    ("r1/contents.json?by=x", 400, "parameters"),
    ("r1/heat.json?by=x%0Afrom=1", 400, "no text"),
    ("r1/heat.json?by=nosuch", 422, "there is no 'nosuch'"),
    ("r1/heat.json?from=x", 422, "no time"),
    ("r1/hist.json?by=nap&range=5s", 422, "no stretch"),
    ("r1/hist.json?by=nap&range=1s-2s&from=1s", 422, "choose one"),
    ("r1/hist.json?by=nap&other=r9", 404, "no such recording"),
    ("r1/hist.json?by=nap&other=r2&before_from=1s", 400, "parameters"),
    ("r1/heat.json?by=nap&other=r2", 400, "parameters"),
    ("r1/timeline.json?by=nap", 400, "parameters"),
    ("u1/contents.json", 422, "cannot open"),
    ("r1/flame.json?by=in&other=../x", 404, "no such recording"),
    ("r1%2f/contents.json", 404, ""),
    ("R1/contents.json", 404, ""),
):
    got, _, o = ask("/" + path)
    live.check(got == status and why in o["error"] and "/dev/fd" not in o["error"], f"refused: {path}", (got, o))
live.same(ask("/r1/contents.json", token="0" * 32)[0], 401, "no token, no recording")

# Sent ones
status, _, o = ask("?name=mine", "POST", whole_file, "application/octet-stream")
live.same((status, o), (201, {"id": "u1"}), "a recording is sent")
live.same(view("u1/contents.json")[2], info, "and shown as any other")
live.same(view("u1/recording")[0], 404, "who has sent it has it")
live.same(ask("?name=mine", "POST", whole_file)[0], 415, "not as JSON")
live.same(ask("", "POST", b"", "application/octet-stream")[0], 400, "nothing is no recording")
damaged = bytearray(whole_file)
for at in range(4096, len(damaged), 997):
    damaged[at] ^= 0x5A
for what in (b"no recording at all", bytes(damaged), whole_file[:5000], b"SQLite format 3\0" + bytes(4080)):
    _, _, o = ask("", "POST", what, "application/octet-stream")
    for name in ("contents.json", "heat.json?by=nap", "flame.json?by=in", "slow.json", "report.txt"):
        live.check(ask(f"/{o['id']}/{name}")[0] in (200, 422), "a bad file is told, and harms nobody: " + name)
_, _, o = ask("")
live.same(len([r for r in o["recordings"] if r["kind"] == "sent"]), 4, "the oldest of five has gone")
c = http.client.HTTPConnection("127.0.0.1", int(PORT), timeout=60)  # 300 MiB are too many, and nothing is left of them
c.putrequest("POST", "/api/v1/recordings")
for k, v in (
    ("Authorization", "Bearer " + TOKEN),
    ("Content-Type", "application/octet-stream"),
    ("Content-Length", str(300 << 20)),
):
    c.putheader(k, v)
c.endheaders()
for _ in range(300):
    c.send(bytes(1 << 20))
r = c.getresponse()
live.check(r.status == 413 and b"256 MiB" in r.read(), "a file of 300 MiB is refused", r.status)
c.close()
live.same(len(os.listdir(glob.glob(tmp + "/dwell-serve.*/sent")[0])), 4, "and is not kept")
_, _, o = ask("/../status")
live.check(
    isinstance(o, dict) and o["memory_kib"] < 200000 if "memory_kib" in o else True,
    "nothing large is held in memory",
    o,
)

# The live view is a recording as well
c = http.client.HTTPConnection("127.0.0.1", int(PORT), timeout=60)
c.request("POST", "/api/v1/overview", "{}", {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"})
live.same(c.getresponse().status, 201, "the live view begins")
end = time.monotonic() + 30
while time.monotonic() < end:
    status, _, o = view("live/contents.json")
    if (
        status == 200
        and {"by_offcpu_ns", "offcpu"} <= {h["name"] for h in o["histograms"]}
        and o["seconds"][1] - o["seconds"][0] >= 3 * second
    ):
        break
    time.sleep(0.5)
live.check(status == 200, "it is recorded", o)
live.same([s["name"] for s in o["stacks"]], ["on_cpu", "off_cpu_ns"], "with stacks on and off the CPU")
status, _, f = view("live/flame.json", by="off_cpu_ns")
live.check(status == 200 and f["unit"] == "ns", "its flame graph", f if status != 200 else "")
status, _, h = view("live/heat.json", by="@by_offcpu_ns")
live.check(status == 200 and len(h["keys"]) > 1, "by key", h if status != 200 else "")

# Who reads
held = subprocess.run(["ps", "-o", "uid=", "--ppid", str(server.pid)], capture_output=True, text=True).stdout.split()
live.check("65534" in held, "the server is nobody", held)
made = glob.glob(tmp + "/dwell-serve.*")[0]
live.same(
    (os.stat(made).st_mode & 0o777, os.stat(made + "/live").st_mode & 0o777, os.stat(made + "/sent").st_uid),
    (0o711, 0o640, 65534),
    "who may read what",
)
server.send_signal(signal.SIGINT)
live.same(server.wait(20), 0, "it ends")
live.same(os.listdir(tmp), [], "and leaves nothing")
os.rmdir(tmp)
for args, why in (
    (["/nosuch"], "No such file"),
    (["/etc/passwd"], "no recording of dwell, no core of Node, and no folder of recordings"),
    (["--recordings", "/nosuch"], "No such file"),
):
    r = live.dwell("serve", *args)
    live.check(r.returncode == 1 and why in r.stderr, "refused: " + " ".join(args), r.stderr)
live.done()
