# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""dwell latency stuck: who waits, for how long, for what, and who has it; threads whose truth is known."""
import json
import os
import re
import signal
import subprocess
import tempfile
import time
import live

HERE = os.path.dirname(os.path.abspath(__file__))


def stuck(*args):
    r = live.dwell("latency", "stuck", "--json", *args)
    rows = [json.loads(l) for l in r.stdout.splitlines()]
    if r.returncode or r.stderr:
        live.check(False, f"stuck {args}", r.stderr)
    return {r["tid"]: r for r in rows if r["type"] == "stuck"}


def names(stack):
    return [f["name"] for f in stack]


def check_time(w, row, what):
    most = time.clock_gettime_ns(time.CLOCK_MONOTONIC) - int(w["since"])
    live.check(most * 0.95 - 800e6 < row["off_cpu_ns"] <= most, f"{what}: since when", f'{row["off_cpu_ns"]} of {most}')


def held(w, kind, cause, frames, what):
    """The waiter of a pair is stuck, and the holder has what it waits for."""
    holder, waiter = int(w["holder"]), int(w["waiter"])
    rows = stuck("--over", "1ms")
    row = rows.get(waiter)
    if not live.check(row, f"{what}: the waiter is stuck", list(rows)):
        return
    check_time(w, row, what)
    live.check(re.search(cause, row["cause"]), f"{what}: on what", row["cause"])
    live.same(row.get("lock", ""), kind, f"{what}: the lock")
    if kind:
        live.same(
            (row["holder"]["tid"], row["holder"]["comm"], row["holder"]["deadlock"]),
            (holder, "holder", False),
            f"{what}: held by whom",
        )
    live.check(frames <= set(names(row["stack"])), f"{what}: kernel stack", names(row["stack"]))
    live.check(
        "want" in names(row["ustack"]) or "write_at_once" in names(row["ustack"]),
        f"{what}: user stack",
        names(row["ustack"]),
    )


notes = "1" in live.dwell("-qn", "BEGIN { trace(blocker_known); exit(0); }").stdout
with live.SlowFile() as slow:
    slow.delay(60000)
    with live.waiting("mutex", slow.path, 0) as w:
        if notes:
            held(w, "mutex", "mutex|pipe", {"ksys_write"}, "mutex of a pipe")
        text = live.dwell("latency", "stuck", "--over", "1ms").stdout
        live.check(max(map(len, text.splitlines())) <= 80, "80 columns", text)
        if notes:
            live.check(
                re.search(rf"held by waits {w['pid']}, thread holder {w['holder']}, which waits: \S", text),
                "who has it, and what that one waits for",
                text,
            )
        live.check(re.search(r"^\d+ of \d+ sleeping threads (is|are) stuck", text, re.M), "how many", text)
        holder = stuck("-p", w["pid"], "--over", "1ms")[int(w["holder"])]
        live.check(
            "write_slowly" in names(holder["ustack"]) and "filemap_fault" in names(holder["stack"]),
            "the holder's own stacks",
            holder,
        )
    slow.delay(60000)
    with live.waiting("rwsem", slow.path, 1) as w:
        if notes:
            held(w, "rwsem (write)", "write|inode|rwsem", {"ksys_write"}, "rwsem of a file")
    slow.delay(60000)
    with live.waiting("mmap", slow.path, 2) as w:
        row = stuck("--over", "1ms").get(int(w["waiter"]))
        live.check(
            row and row["state"] == "D" and not row["ustack"],
            "a locked address space: no user stack, and dwell does not wait for it",
            row,
        )
with live.waiting("futex", "pi") as w:
    held(w, "rtmutex", "futex", {"do_futex"}, "mutex with priority inheritance")
with live.waiting("futex", "plain") as w:
    held(w, "", "futex", {"do_futex"}, "plain mutex")
with live.waiting("flock") as w:
    held(w, "", "flock", {"__do_sys_flock"}, "flock")
with live.waiting("vfork") as w:
    time.sleep(0.5)
    row = stuck("--over", "10ms").get(int(w["pid"]))
    live.check(row and row["state"] == "D" and "vfork" in row["cause"] and "holder" not in row, "vfork", row)
    if row:
        check_time(w, row, "vfork")
        live.check({"run_vfork", "main"} <= set(names(row["ustack"])), "vfork: user stack", names(row["ustack"]))
with live.waiting("stopped") as w:
    time.sleep(0.5)
    row = stuck().get(int(w["stopped"]))
    live.check(row and row["state"] == "T" and row["class"] == "process", "a stopped process", row)
    with tempfile.TemporaryDirectory() as d:
        kept = os.path.join(d, "kept.dwell")
        shown = stuck("-p", w["stopped"], "-x", f"record={kept}")
        live.check(int(w["stopped"]) in shown, "a recording of a stopped process", shown)
        live.same(stuck("-p", w["stopped"], kept), shown, "a recording shows the same threads, with names")
with live.waiting("nap", 60000) as w:
    pid = int(w["pid"])
    time.sleep(0.5)
    live.check(pid not in stuck(), "who only sleeps is not stuck")
    for args in (("-p", pid), ("--comm", "waits"), ("--all",)):
        row = stuck(*args).get(pid)
        live.check(
            row and row["class"] == "time" and {"nap_here", "nap_through"} <= set(names(row["ustack"])),
            f"{args[0]} shows who only sleeps",
            row,
        )
    live.check(pid not in stuck("-p", pid, "--over", "1h"), "--over")
    live.check(set(r["pid"] for r in stuck("-p", pid).values()) == {pid}, "-p: nobody else")
    cgroup = stuck("-p", pid)[pid]["cgroup"]
    live.check(pid in stuck("--cgroup", cgroup) and pid not in stuck("--cgroup", cgroup + 123456), "--cgroup")
    r = subprocess.run([live.DWELL, "stuck", "--container", "0123456789"], capture_output=True, text=True)
    live.check(r.returncode == 2 and "no process is in container" in r.stderr, "a container of nobody", r.stderr)

# Many processes that dwell meets for the first time: all of them with whole stacks.
MANY = 600
sleepers = [subprocess.Popen([live.TRIGGER, "track", "s120000000"]) for _ in range(MANY)]
time.sleep(1)
rows = stuck("--comm", "trigger")
whole = [p.pid for p in sleepers if p.pid in rows and "main" in names(rows[p.pid]["ustack"])]
live.same(len(whole), MANY, f"{MANY} processes")
for p in sleepers:
    p.kill()
    p.wait()

# Wrong input, no rights, a reader that leaves.
for args, why in (
    (("--over", "soon"), "no time"),
    (("-p", "0"), "no number"),
    (("--cgroup", "/no/such"), "no control group"),
    (("extra", "more"), "not expected"),
    (("--bad",), "there is no option --bad"),
):
    r = live.dwell("latency", "stuck", *args)
    live.check(r.returncode == 2 and why in r.stderr and not r.stdout, " ".join(args), r.stderr)
live.check("latency stuck" in live.dwell("latency", "stuck", "--help").stdout, "--help")
r = live.dwell("latency", "stuck", user="nobody", cwd="/") if os.access(live.DWELL, os.X_OK) else None
live.check(
    r is None or r.returncode == 1 and re.search("root|permi", r.stderr), "without root it says why", r and r.stderr
)
p = subprocess.run(
    ["bash", "-c", f"{live.DWELL} latency stuck --all | head -1"], capture_output=True, text=True, timeout=20
)
live.check(len(p.stdout.splitlines()) == 1, "a reader that leaves", p.stderr)
# The program by itself.
with live.waiting("futex", "pi") as w:
    r = live.dwell("-s", os.path.join(HERE, "../../../dlib/latency/stuck.d"), "--over", "1")
    live.check(
        re.search(rf" {w['waiter']} waiter +S +\d+ ms rtmutex of {w['holder']} holder$", r.stdout, re.M),
        "stuck.d says it, too",
        r.stdout + r.stderr,
    )
# A name that is longer than a line is broken, and complete.
long_name = "a_function_" + "that_has_a_long_name_" * 5 + "as_templates_have"
with open("long.c", "w", encoding="ascii") as f:
    f.write(f"#include <unistd.h>\nint {long_name}(int n) {{ return pause() + n; }}\n")
    f.write(f"int main(int argc, char **argv) {{ (void)argv; return {long_name}(argc) - 1; }}\n")
subprocess.run(["cc", "-O0", "-o", "longname", "long.c"], check=True)
with subprocess.Popen(["./longname"]) as p:
    text = live.dwell("latency", "stuck", "-p", str(p.pid), "--all").stdout
    p.kill()
live.check(long_name in re.sub(r"\n +", "", text), "a long name of a function is there", text)
live.check(max(map(len, text.splitlines())) <= 80, "lines with a long name have 80 columns", text)
# Those that are alike are one entry of the text; JSON has each.
alike = [subprocess.Popen(["sleep", "60"]) for _ in range(5)]
time.sleep(0.1)
for p in alike:
    os.kill(p.pid, signal.SIGSTOP)
time.sleep(0.3)
text = live.dwell("latency", "stuck", "--comm", "sleep", "--over", "200ms").stdout
mine = {str(p.pid) for p in alike}
entry = next((e for e in text.split("\n\n") if any(re.search(rf"\b{n}\b", e) for n in mine)), "")
m = re.match(
    r" *\S+ \S+ T sleep (\d+)\n +alike +(\d+) more, for \S+ \S+ at least:((?:\s+\d+)+)\n +waits +SIGCONT", entry
)
live.check(
    m and mine <= {m[1], *m[3].split()} and len(m[3].split()) == int(m[2]), "five that are stopped are one entry", text
)
rows = stuck("--comm", "sleep", "--over", "200ms")
live.check(all(int(n) in rows for n in mine), "JSON has each", list(rows))
for p in alike:
    p.kill()
    p.wait()
live.done()
