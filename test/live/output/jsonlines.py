# SPDX-License-Identifier: Apache-2.0
"""-x oformat=json: every kind of line, read by Python's parser; escapes; invalid UTF-8; signals."""
import json
import os
import signal
import subprocess
import time

import live


def strict(name):
    raise ValueError("not JSON: " + name)


def lines(text):
    """All lines as objects; what json.loads() takes beyond the standard is refused."""
    return [json.loads(l, parse_constant=strict) for l in text.split("\n") if l]


def run(prog, *args, **kw):
    r = subprocess.run(
        [live.DWELL, "--json", *args, "-n", prog], capture_output=True, timeout=20, stdin=subprocess.DEVNULL, **kw
    )
    return lines(r.stdout.decode("utf-8")), r


def outputs(objs):
    return [a for o in objs if o["type"] == "event" for a in o["output"]]


# Frame of the output
objs, r = run("BEGIN { trace(1); exit(7); }")
live.same([o["type"] for o in objs], ["start", "event", "end"], "the lines of a run")
live.same((objs[0]["version"], objs[0]["program"]), (1, "dwell"), "version")
live.same((objs[2]["status"], r.returncode), (7, 7), "status")
event = objs[1]
live.same(
    {k: event[k] for k in ("epid", "id", "provider", "module", "function", "name")},
    {"epid": 1, "id": 1, "provider": "dtrace", "module": "", "function": "", "name": "BEGIN"},
    "the probe",
)
live.same(event["output"], [{"action": "trace", "value": 1}, {"action": "exit", "status": 7}], "its output")
r = live.dwell("--json", "-q", "-x", "oformat=text", "-n", "BEGIN { exit(0); }")
live.check(not r.stdout.strip(), "the last option counts", r.stdout)
objs, r = run("BEGIN { exit(0); }", "-q")
live.same([o["type"] for o in objs], ["start", "event", "end"], "-q is no matter")

# What the compiler says, and lists
objs, r = run("BEGIN\n{ x = nosuch; }")
live.same(
    [(o["type"], o["severity"], o["tag"], o["program"], o["line"], o["column"], o["length"]) for o in objs],
    [("diagnostic", "error", "D_IDENT_UNDEF", 0, 2, 7, 6)],
    "a mistake",
)
live.check("nosuch" in objs[0]["message"] and r.returncode == 1 and b"nosuch" in r.stderr, "its text", r.stderr)
objs, r = run("dtrace:::, lockstat:::spin-release", "-l")
live.same(
    [(o["type"], o["provider"], o["name"]) for o in objs][:2],
    [("probe", "dtrace", "BEGIN"), ("probe", "dtrace", "END")],
    "probes",
)
live.check(
    "tracepoint" in objs[-1]["unavailable"] and "unavailable" not in objs[0], "a probe that is not there", objs[-1]
)

# Aggregations while the program runs
objs, r = run(
    "tick-50ms { @n[i++ % 3] = count(); @many[i % 5, i] = sum(1); } tick-2s { exit(0); }",
    "-x",
    "snapshotrate=200ms",
    "-x",
    "aggrate=100ms",
    "-x",
    "switchrate=100ms",
)
snaps = [o for o in objs if o["type"] == "snapshot" and o["aggregations"][0]["name"] == "n"]
live.check(len(snaps) >= 2 and all(o["left_out"] == 0 for o in snaps), "snapshots", objs)
totals = [sum(row["values"][0] for row in o["rows"]) for o in snaps + [o for o in objs if o["type"] == "printa"][:1]]
live.check(totals == sorted(totals) and totals[0] > 0, "each has all that was before it", totals)
objs, r = run(
    "BEGIN { i = 0; while (i < 1100) { @[i++] = count(); } } tick-100ms { @[0] = count(); } tick-1s { exit(0); }",
    "-x",
    "loopmax=2000",
    "-x",
    "snapshotrate=200ms",
    "-x",
    "aggrate=100ms",
    "-x",
    "switchrate=100ms",
)
last = [o for o in objs if o["type"] == "snapshot"][-1]
live.same((len(last["rows"]), last["left_out"]), (1000, 100), "the limit of a snapshot")
live.check(
    not [o for o in run("BEGIN { @ = count(); exit(0); }")[0] if o["type"] == "snapshot"],
    "none without -x snapshotrate",
)

# Values
objs, r = run(
    r'''
enum e { ONE = 1, TWO };
struct s { int a; char t[6]; union { short c; long d; }; unsigned f : 3; int arr[2]; void *p; enum e e; struct { int x; } in; };
BEGIN
{
	trace((int8_t)-5); trace((uint64_t)-1); trace("q\"\\\n\t\001/");
	printf("%s %c %5d|", "caf\303\251", 255, 42);
	trace("bad \377\300\200\355\240\200\364\220\200\200 end"); trace("ok \360\237\230\200");
	this->s = (struct s *)alloca(sizeof (struct s));
	this->s->a = -1; this->s->t[0] = 'h'; this->s->t[1] = 'i'; this->s->d = 9; this->s->f = 5;
	this->s->arr[1] = 2; this->s->p = (void *)0xffff888000000000; this->s->e = TWO; this->s->in.x = 4;
	print(this->s); print(this->s->arr); print(*this->s); tracemem(this->s, 4); tracemem(this->s, 8, 2);
	stack(); ustack(5); sym(caller); mod(caller); func(caller); usym(ucaller); umod(ucaller); ufunc(ucaller);
	uaddr(ucaller); exit(0);
}'''
)
out = outputs(objs)
live.same([a["value"] for a in out[:3]], [-5, 18446744073709551615, 'q"\\\n\t\x01/'], "numbers and escapes")
live.same(out[3], {"action": "printf", "text": "caf\u00e9 \ufffd    42|", "args": ["caf\u00e9", 255, 42]}, "printf")
live.same(out[4]["value"], "bad \ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd end", "invalid UTF-8")
live.same(out[5]["value"], "ok \U0001f600", "four bytes of UTF-8")
want = {
    "a": -1,
    "t": "hi",
    "c": 9,
    "d": 9,
    "f": 5,
    "arr": [0, 2],
    "p": "0xffff888000000000",
    "e": "TWO",
    "in": {"x": 4},
}
live.same((out[6]["ctype"], out[6]["value"], out[6]["address"][:2]), ("struct s", want, "0x"), "print of a pointer")
live.same(out[7], {"action": "print", "ctype": "int [2]", "value": [0, 2]}, "print of an array")
live.same((out[8]["value"], "address" in out[8]), (want, False), "print of a struct")
live.same([a["value"] for a in out[9:11]], [{"bytes": "ffffffff"}, {"bytes": "ffff"}], "tracemem")
live.same(out[11]["value"], [], "stack: none in BEGIN")
live.check(out[12]["value"]["pid"] > 0 and len(out[12]["value"]["frames"]) > 1, "ustack", out[12])
live.same([a["action"] for a in out[13:]], "sym mod func usym umod ufunc uaddr exit".split(), "symbols")
calls, r = run("syscall::getppid:entry /pid == $target/ { stack(); exit(0); }", "-c", live.TRIGGER + " getppid 1")
frames = outputs(calls)[0]["value"]
live.check(
    frames and all(set(f) == {"addr", "name"} and f["name"].startswith("vmlinux`") for f in frames), "stack", frames
)
calls, r = run(f"BEGIN {{ mod({frames[-1]['addr']}); exit(0); }}")
live.same(outputs(calls)[0]["value"]["name"], "vmlinux", "mod")
objs, r = run(
    "struct t { long a[4]; }; BEGIN { this->p = (struct t *)alloca(32); print(this->p); exit(0); }",
    "-x",
    "printsize=20",
)
live.same((outputs(objs)[0]["value"], outputs(objs)[0].get("truncated")), ({"a": [0, 0]}, True), "printsize")

# Aggregations
objs, r = run(
    '''
BEGIN { @a[1, "x"] = count(); @b[1, "x"] = avg(7); @a[2, "y"] = count(); @[execname] = max(-3); @q = quantize(5); }
BEGIN { @q = quantize(-3); @q = quantize(0); @l = lquantize(-1, 0, 10, 5); @l = lquantize(7, 0, 10, 5); @l = lquantize(10, 0, 10, 5); }
BEGIN { @ll = llquantize(55, 10, 1, 2, 10); @ll = llquantize(3, 10, 1, 2, 10); @ll = llquantize(-20, 10, 1, 2, 10); @sd = stddev(5); }
BEGIN { printa(@a, @b); printa("%d:%s:%@d;", @a); clear(@a); trunc(@b); normalize(@q, 1); denormalize(@q); }
BEGIN { exit(0); }'''
)
out = outputs(objs)
live.same(out[0]["aggregations"], [{"name": "a", "function": "count"}, {"name": "b", "function": "avg"}], "printa")
live.same(
    sorted(map(str, out[0]["rows"])),
    sorted(map(str, [{"key": [1, "x"], "values": [1, 7]}, {"key": [2, "y"], "values": [1, None]}])),
    "joined rows",
)
live.same(out[1]["text"], "1:x:1;2:y:1;", "printa with a format")
live.same([a["action"] for a in out[2:6]], ["clear", "trunc", "normalize", "denormalize"], "changes")
rest = {o["aggregations"][0]["name"]: o["rows"] for o in objs if o["type"] == "printa"}
live.same(sorted(rest), ["", "l", "ll", "q", "sd"], "what was not printed comes at the end")
live.same(rest[""], [{"key": [live.NAME], "values": [-3]}], "a key")
live.same(
    rest["q"][0]["values"][0],
    [{"from": -3, "to": -1, "count": 1}, {"from": 0, "to": 1, "count": 1}, {"from": 4, "to": 8, "count": 1}],
    "quantize",
)
live.same(
    rest["l"][0]["values"][0],
    [{"from": None, "to": 0, "count": 1}, {"from": 5, "to": 10, "count": 1}, {"from": 10, "to": None, "count": 1}],
    "lquantize",
)
live.same(
    rest["ll"][0]["values"][0],
    [{"from": -29, "to": -19, "count": 1}, {"from": -9, "to": 10, "count": 1}, {"from": 50, "to": 60, "count": 1}],
    "llquantize",
)

# Errors, losses, messages; files and commands
objs, r = run(
    "int z; BEGIN { trace(1 / z); } BEGIN { normalize(@a, 0); @a = count(); } BEGIN { speculation(); t = speculation(); }"
    "BEGIN { exit(0); }"
)
error = [o for o in objs if o["type"] == "error"][0]
live.same(
    (error["epid"], error["action"], error["fault"], error["name"]), (1, 1, "divide-by-zero", "BEGIN"), "an error"
)
live.check("divide-by-zero in action #1" in error["text"], "its text", error)
live.same([o["text"] for o in objs if o["type"] == "message"], ["normalize() by 0 ignored"], "a message")
drop = [o for o in objs if o["type"] == "drop"][0]
live.same((drop["tag"], drop["kind"], drop["count"]), ("DTRACEDROP_SPECUNAVAIL", "lost", 1), "a loss")
live.check(b"divide" not in r.stderr and b"failed spec" not in r.stderr, "not said twice", r.stderr)
objs, r = run(
    'BEGIN { printf("1"); freopen("f.%d", 5); printf("2"); system("echo \'{\\"x\\":%d}\'", 3); ftruncate(); }'
    'BEGIN { printf("3"); setopt("nosuch"); freopen(""); exit(0); }',
    "-w",
    cwd=live.WORK,
)
inner = lines(open(os.path.join(live.WORK, "f.5")).read())
live.same(
    [o.get("x", o["type"] if "type" in o else None) for o in objs],
    ["start", "event", 3, "end"],
    "freopen() and system() come after the line",
)
live.same(
    [[a.get("text") for a in o["output"]] for o in inner if o["type"] == "event"],
    [["3", None, None, None]],
    "in the file",
)
live.same([o["type"] for o in inner], ["event", "message"], "messages too")

# A recording
rec = os.path.join(live.WORK, "rec")
objs, r = run(
    "BEGIN { trace(1); print(curthread->comm); @a[execname] = count(); normalize(@a, 0); setopt(\"quiet\"); exit(3); }",
    "--record",
    rec,
)
again = live.dwell("report", "--json", rec)
got = lines(again.stdout)
live.check(all(isinstance(o["time"], int) for o in objs if o["type"] == "message"), "messages say when", objs)
for o in objs + got:
    if o["type"] in ("start", "end", "message"):  # those tell when they were written
        o.pop("time", None), o.pop("walltime", None)
live.same(got, objs, "a report gives the same lines")

# Speculation, Ctrl-C
objs, r = run(
    'BEGIN { s = speculation(); } BEGIN { speculate(s); printf("held"); } BEGIN { commit(s); } BEGIN { exit(0); }'
)
live.same([a["action"] for a in outputs(objs)], ["printf", "exit"], "committed")
p = subprocess.Popen(
    [live.DWELL, "--json", "-n", "BEGIN { trace(1); @a = count(); }"],
    stdout=subprocess.PIPE,
    stderr=subprocess.DEVNULL,
    stdin=subprocess.DEVNULL,
)
first = p.stdout.readline() + p.stdout.readline()
p.send_signal(signal.SIGINT)
rest, _ = p.communicate(timeout=20)
live.same([o["type"] for o in lines((first + rest).decode())], ["start", "event", "printa", "end"], "Ctrl-C")
r = live.dwell("-x", "oformat=xml", "-n", "BEGIN { exit(0); }")
live.check(r.returncode == 1 and "oformat" in r.stderr, "no XML", r.stderr)
live.check(
    "hint: text or json" in r.stderr and "FreeBSD" in r.stderr, "the formats and the system that has XML", r.stderr
)
live.done()
