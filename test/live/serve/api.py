# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell serve: who may ask, every route of the API, programs that run, viewers fast and slow, and the end."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import time
import live

server = subprocess.Popen(
    [live.DWELL, "serve"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL
)
PORT, TOKEN = re.match(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})$", server.stdout.readline()).groups()
PORT = int(PORT)
AUTH = {"Authorization": "Bearer " + TOKEN}


def ask(method, path, body=None, headers=None, host=None):
    """Status, headers, and the body: what JSON it is, or its text."""
    c = http.client.HTTPConnection("127.0.0.1", PORT, timeout=30)
    h = dict(AUTH if headers is None else headers)
    if body is not None and "Content-Type" not in h:
        h["Content-Type"] = "application/json"
    if host:
        h["Host"] = host
    c.request(method, path, json.dumps(body) if isinstance(body, dict) else body, h)
    r = c.getresponse()
    text = r.read().decode()
    c.close()
    try:
        return r.status, r.headers, json.loads(text)
    except ValueError:
        return r.status, r.headers, text


def events(runs, last=None, timeout=20):
    """All events of these runs until they have ended: [(name, data, id)]."""
    got, ended = [], 0
    c = http.client.HTTPConnection("127.0.0.1", PORT, timeout=timeout)
    c.request("GET", f"/api/v1/events?runs={runs}", headers={**AUTH, **({"Last-Event-ID": last} if last else {})})
    r = c.getresponse()
    event = {}
    while ended < len(runs.split(",")):
        line = r.readline().decode().rstrip("\n")
        if not line and event:
            got.append((event["event"], json.loads(event["data"]), event["id"]))
            ended += event["event"] == "end"
            event = {}
        elif ": " in line and not line.startswith(":"):
            event.update([line.split(": ", 1)])
    c.close()
    return got


def start(program):
    status, _, o = ask("POST", "/api/v1/runs", {"program": program})
    live.same(status, 201, "a program is started: " + program.split("\n")[0][:40])
    return o["run"]


# Who may ask
for headers in (
    {},
    {"Authorization": "Bearer " + "0" * 32},
    {"Authorization": "Bearer " + TOKEN + "0"},
    {"Cookie": f"dwell{PORT}=" + "0" * 32},
    {"Cookie": "dwell=" + TOKEN},
):
    live.same(ask("GET", "/api/v1/status", headers=headers)[0], 401, f"refused: {list(headers)}")
live.same(ask("GET", "/api/v1/status", headers={"Cookie": f"dwell{PORT}={TOKEN}"})[0], 200, "the cookie")
for host in ("evil.example", f"127.0.0.1:{PORT + 1}", "127.0.0.1", f"evil.example:{PORT}"):
    live.same(ask("GET", "/api/v1/status", host=host)[0], 403, "another host name: " + host)
live.same(ask("GET", "/api/v1/status", host=f"localhost:{PORT}")[0], 200, "localhost")
for origin in ("http://evil.example", "null", f"https://127.0.0.1:{PORT}", f"http://127.0.0.1:{PORT}.evil.example"):
    live.same(ask("GET", "/api/v1/status", headers={**AUTH, "Origin": origin})[0], 403, "another origin: " + origin)
live.same(
    ask("GET", "/api/v1/status", headers={**AUTH, "Origin": f"http://127.0.0.1:{PORT}"})[0], 200, "its own origin"
)
live.same(
    ask("GET", "/api/v1/status", headers={**AUTH, "Sec-Fetch-Site": "cross-site"})[0], 403, "a page of another site"
)
status, headers, _ = ask("GET", "/?token=" + TOKEN, headers={})
live.same((status, headers["Location"]), (303, "/"), "the address that was printed")
live.same(
    headers["Set-Cookie"], f"dwell{PORT}={TOKEN}; Path=/; HttpOnly; SameSite=Strict", "the token becomes a cookie"
)
live.same(ask("GET", "/?token=" + "0" * 32, headers={})[0], 401, "a wrong token")
_, headers, _ = ask("GET", "/api/v1/status")
live.check(
    "default-src 'none'" in headers["Content-Security-Policy"]
    and "unsafe" not in headers["Content-Security-Policy"]
    and headers["X-Content-Type-Options"] == "nosniff"
    and headers["Cache-Control"] == "no-store",
    "headers",
    headers,
)

# What is asked wrongly
live.same(ask("GET", "/nothing")[0], 404, "no such address")
live.same(ask("GET", "/../../etc/passwd")[0], 404, "no file")
live.same(ask("DELETE", "/api/v1/status")[0], 405, "no such method")
live.same(ask("POST", "/api/v1/runs", "{}", {**AUTH, "Content-Type": "text/plain"})[0], 415, "a body of another type")
for body in (
    "",
    "{",
    "[]",
    "{}",
    '{"program": 1}',
    '{"program": "BEGIN{}", "program": "END{}"}',
    '{"program": "a\\u0000b"}',
):
    live.same(ask("POST", "/api/v1/runs", body)[0], 400, "a body that is not right: " + body)
live.same(ask("POST", "/api/v1/check", {"program": "x" * (65 << 10)})[0], 413, "a program of 65 KiB")
live.same(ask("POST", "/api/v1/check", {"program": "x" * (300 << 10)})[0], 413, "a body of 300 KiB")
live.same(ask("GET", "/api/v1/probes")[0], 400, "no description")
for runs in ("", "x", "1,", "0", "1,x", ",".join("1" * 17)):
    live.same(ask("GET", "/api/v1/events?runs=" + runs)[0], 400, "runs: " + runs)
live.same(ask("DELETE", "/api/v1/runs/999")[0], 404, "no such run")
live.same(ask("GET", "/api/v1/programs/" + "..")[0], 404, "no such program")

# What is there
_, _, o = ask("GET", "/api/v1/status")
live.same((o["version"], o["kernel"], o["privileged"]), (1, os.uname().release, True), "status")
_, _, o = ask("GET", "/api/v1/programs")
live.check(len(o["programs"]) > 40 and all(p["name"] and p["summary"] for p in o["programs"]), "the gallery", o)
_, _, o = ask("GET", "/api/v1/programs/execsnoop")
live.check("proc:::exec" in o["text"], "a program of it", o)
_, _, o = ask("GET", "/api/v1/words")
words = {w["name"]: w for w in o["words"]}
live.same(
    {k: words["execname"][k] for k in ("kind", "prototype")},
    {"kind": "variable", "prototype": "string:16"},
    "a word of the language",
)
live.check(
    {"printf", "quantize", "strlen"} <= set(words) and words["strlen"]["doc"],
    "the words of the language",
    o["words"][:3],
)
_, _, o = ask("GET", "/api/v1/probes?match=dtrace:::")
live.same([p["name"] for p in o["lines"]], ["BEGIN", "END", "ERROR"], "probes")
_, _, o = ask("GET", "/api/v1/probes?match=nosuch:::")
live.check(not o["lines"] and "No probe matches" in o["messages"], "no probes", o)
_, _, o = ask("POST", "/api/v1/check", {"program": "BEGIN\n{ trace(nosuch); }"})
live.same([(d["tag"], d["line"], d["column"]) for d in o["lines"]], [("D_IDENT_UNDEF", 2, 9)], "a mistake")
for action, column in (
    ('system("true")', 2),
    ("raise(9)", 2),
    ('freopen("/tmp/x")', 2),
    ("stop()", 2),
    ("chill(1)", 2),
):
    _, _, o = ask("POST", "/api/v1/check", {"program": "syscall::read:entry\n{\n\t" + action + ";\n}"})
    live.same(
        [(d["severity"], d["line"], d["column"], d["message"]) for d in o["lines"]],
        [("error", 3, column, "Destructive actions not allowed")],
        "what a run would refuse: " + action,
    )
_, _, o = ask("POST", "/api/v1/check", {"program": "BEGIN { exit(0); }"})
live.same(
    (o["lines"], o["messages"]), ([], "dwell: description 'BEGIN ' matched 1 probe\n"), "nothing to find fault with"
)
_, _, o = ask("GET", "/api/v1/types?match=task_str&kind=struct")
live.check(
    o["types"][0]["name"] == "task_struct" and o["types"][0]["from"] == "vmlinux" and o["types"][0]["size"] > 1000,
    "types by how they begin",
    o,
)
_, _, o = ask("GET", "/api/v1/types?match=bufinfo")
live.check({"name": "bufinfo_t", "kind": "typedef", "from": "library"} in o["types"], "those of the D library", o)
_, _, o = ask("GET", "/api/v1/types?match=")
live.check(
    o["count"] > 5000
    and len(o["types"]) == 200
    and [t["name"] for t in o["types"]] == sorted(t["name"] for t in o["types"]),
    "the first of all",
    o["count"],
)
for path in ("types", "types?match=" + "x" * 256):
    live.same(ask("GET", "/api/v1/" + path)[0], 400, "refused: " + path[:12])
live.same(ask("GET", "/api/v1/types?match=" + "x" * 255)[2], {"count": 0, "types": []}, "no type is called so")
_, _, o = ask("POST", "/api/v1/check", {"program": "-w BEGIN { }"})
live.same([d["tag"] for d in o["lines"]], ["D_PDESC_ZERO"], "a program is no option")

# Runs
run = start('BEGIN { printf("héllo\\n"); exit(3); }')
got = events(str(run))
live.same([g[0] for g in got[-2:]] + [got[-1][1]["run"]], ["line", "end", run], "its end")
lines = [g[1]["line"] for g in got if g[0] == "line"]
live.same(
    ([l["type"] for l in lines], lines[1]["output"][0]["text"], lines[-1]["status"]),
    (["start", "event", "end"], "héllo\n", 3),
    "its lines",
)
again = events(str(run), last=got[1][2])
live.same([g[1] for g in again], [g[1] for g in got[2:]], "after a lost connection it goes on where it was")
live.same(len(events(str(run), last=f"{run}:99999")), len(got), "a place of another server is none")
for program, why in (
    ('BEGIN { system("true"); }', "estructive"),
    ("#pragma D option destructive\nBEGIN { }", "confined"),
    ("#pragma D option record=/tmp/x\nBEGIN { }", "confined"),
):
    got = events(str(start(program)))
    live.check(why in got[-1][1]["end"], "refused: " + program.split("\n")[0], got)
both = [start(f'tick-100ms {{ printf("{i}"); }} tick-1s {{ exit(0); }}') for i in range(2)]
got = events(f"{both[0]},{both[1]}")
for i in range(2):
    texts = [
        a["text"]
        for e in got
        if e[0] == "line" and e[1]["run"] == both[i]
        for a in e[1]["line"].get("output", ())
        if a["action"] == "printf"
    ]
    live.check(texts and set(texts) == {str(i)}, "two at once are told apart", texts)
run = start("tick-1s { }")
_, _, o = ask("DELETE", f"/api/v1/runs/{run}")
live.same((events(str(run))[-1][0], o["run"]), ("end", run), "a run that is stopped")

# A viewer that does not read, beside one that does; and fifty
run = start('tick-1ms { printf("%s", "' + "x" * 200 + '"); } tick-4s { exit(0); }')
slow = socket.create_connection(("127.0.0.1", PORT))
slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
slow.sendall(
    f"GET /api/v1/events?runs={run} HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode()
)
many = []
for _ in range(50):
    s = socket.create_connection(("127.0.0.1", PORT))
    s.sendall(
        f"GET /api/v1/events?runs={run} HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode()
    )
    many.append(s)
t = time.monotonic()
_, _, o = ask("GET", "/api/v1/status")
live.check(time.monotonic() - t < 10, "others are served meanwhile")
live.check(o["viewers"] == 51 and o["memory_kib"] < 200000, "viewers are counted, memory is bounded", o)
got = events(str(run))
live.check(got[-1][0] == "end" and len(got) > 100, "who reads gets all of it", len(got))
for s in many + [slow]:
    s.close()

# More than is kept: viewers that come later are told what they missed
run = start('tick-1ms { printf("' + "x" * 8000 + '%d", 1); } tick-3s { exit(0); }')
events(str(run))
got = events(str(run))
_, _, o = ask("GET", "/api/v1/runs")
mine = [r for r in o["runs"] if r["run"] == run][0]
lost = sum(g[1]["lost"] for g in got if g[0] == "lost")
live.same(lost + sum(g[0] == "line" for g in got), mine["lines"], "lost and shown lines are all lines")
live.check(lost > 0 or mine["lines"] * 8000 < 4 << 20, "the oldest went", (lost, mine))

# Messages stay: what is missing, or was taken off, is so for viewers that come later, too
run = start(
    '#pragma D option zdepends\nnosuch:::probe { } tick-1ms { printf("' + "x" * 8000 + '%d", 1); } tick-3s { exit(0); }'
)
events(str(run))
got = events(str(run))
_, _, o = ask("GET", "/api/v1/runs")
mine = [r for r in o["runs"] if r["run"] == run][0]
live.same(
    [g[1]["line"]["message"] for g in got if g[0] == "line" and g[1]["line"]["type"] == "diagnostic"],
    ["left out: nosuch:::probe does not match any probes"],
    "a message among what was forgotten",
)
live.same(
    sum(g[1]["lost"] for g in got if g[0] == "lost") + sum(g[0] == "line" for g in got),
    mine["lines"],
    "and all lines are told of",
)

# As many programs as there may be
held = []
while len(held) < 20:
    status, _, o = ask("POST", "/api/v1/runs", {"program": "tick-10s { }"})
    if status != 201:
        break
    held.append(o["run"])
live.same((status, 0 < len(held) <= 16), (429, True), "too many programs")
children = subprocess.run(["pgrep", "-P", str(server.pid)], capture_output=True, text=True).stdout.split()
live.check(len(children) >= len(held), "each is a process")
limits = [re.search(r"Max data size +(\d+)", open(f"/proc/{c}/limits", encoding="ascii").read()) for c in children]
live.check(sum(m is not None and int(m[1]) == 2 << 30 for m in limits) >= len(held), "whose memory has a limit", limits)
server.send_signal(signal.SIGINT)
live.same(server.wait(20), 0, "Ctrl-C ends it")
time.sleep(0.2)
live.check(not any(os.path.exists(f"/proc/{c}") for c in children), "and all it started", children)

# A unix socket; without root
path = os.path.join(live.WORK, "sock")
server = subprocess.Popen(
    [live.DWELL, "serve", "--unix", path], stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL
)
token = server.stdout.readline().split()[-1]
live.same(os.stat(path).st_mode & 0o777, 0o600, "the socket is its user's alone")
s = socket.socket(socket.AF_UNIX)
s.connect(path)
s.sendall(
    f"GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n".encode()
)
live.check(b"200 OK" in s.recv(65536), "a unix socket")
r = live.dwell("serve", "--unix", path)
live.check(r.returncode == 1 and "in use" in r.stderr, "two of one name", r.stderr)
server.terminate()
live.same((server.wait(20), os.path.exists(path)), (0, False), "SIGTERM ends it, the socket goes")
for args in (["--port", "99999"], ["--port", "x"], ["rest"], ["--nosuch"]):
    r = live.dwell("serve", *args)
    live.check(r.returncode in (1, 2) and r.stderr, "refused: " + " ".join(args), r.stderr)
live.done()
