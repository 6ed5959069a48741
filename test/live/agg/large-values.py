# SPDX-License-Identifier: Apache-2.0
"""lquantize() and llquantize() with more levels than a per-CPU value of the kernel holds (32 KiB), up to DTrace's 65,535:
with keys and without, from all CPUs, read while it runs, cleared, and recorded."""
import json
import os

import live

LEVELS = 65535
PROGRAM = f"""
BEGIN {{ @big = lquantize(5, 0, 10000); @big = lquantize(9999, 0, 10000); @big = lquantize(-4, 0, 10000); @big = lquantize(20000, 0, 10000, 1, 7);
	@most = lquantize({LEVELS - 1}, 0, {LEVELS}); @k["a"] = lquantize(77, 0, {LEVELS}); @k["b"] = lquantize({LEVELS - 1}, 0, {LEVELS});
	@ll[1] = llquantize(123456, 10, 3, 9, 1000); i = 0; }}
profile-199hz {{ @all = lquantize(cpu, 0, 8000); @n = count(); }}
tick-300ms {{ i++; }}
tick-300ms /i == 1/ {{ clear(@k); }}
tick-300ms /i == 5/ {{ @k["a"] = lquantize(3, 0, {LEVELS}); }}
tick-300ms /i == 6/ {{ exit(0); }}
"""


def buckets(rows):
    return {tuple(r["key"]): {(b["from"], b["to"]): b["count"] for b in r["values"][0] if b["count"]} for r in rows}


def check(r, what):
    last = {}
    for line in r.stdout.splitlines():
        o = json.loads(line)
        if o["type"] == "printa":
            last[o["aggregations"][0]["name"]] = o["rows"]
    got = {n: buckets(r) for n, r in last.items() if n != "n"}
    live.check(
        got.get("big") == {(): {(None, 0): 1, (5, 6): 1, (9999, 10000): 1, (10000, None): 7}},
        f"{what}: 10,000 levels",
        str(got)[:2000] + r.stderr,
    )
    live.check(got.get("most") == {(): {(LEVELS - 1, LEVELS): 1}}, f"{what}: {LEVELS} levels", str(got.get("most")))
    live.check(
        got.get("k", {}).get(("a",)) == {(3, 4): 1} and not got["k"].get(("b",)),
        f"{what}: with keys, cleared and used again",
        str(got.get("k")),
    )
    live.check(list(got.get("ll", {}).values()) == [{(123000, 124000): 1}], f"{what}: llquantize", str(got.get("ll")))
    n = last["n"][0]["values"][0]
    per_cpu = got["all"][()]
    live.check(
        sum(per_cpu.values()) == n and set(per_cpu) <= {(c, c + 1) for c in range(os.cpu_count())},
        f"{what}: from all CPUs",
        f"{n} {per_cpu}",
    )


def main():
    path = os.path.join(live.WORK, "l.d")
    with open(path, "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    r = live.dwell("-q", "--json", "-s", path, timeout=30)
    check(r, "live")
    rec = os.path.join(live.WORK, "l.dwell")
    live.dwell("-q", "--record", rec, "-s", path, timeout=30)
    check(live.dwell("report", "--json", rec, timeout=30), "recorded")
    r = live.dwell("-q", "-n", f"BEGIN {{ @ = lquantize(1, 0, {LEVELS + 1}); }}")
    live.check(r.returncode == 1 and "must be a 16-bit quantity" in r.stderr, "one level more is refused", r.stderr)
    r = live.dwell("-q", "-n", "BEGIN { @ = llquantize(1, 1000, 1, 5, 60000); }")
    live.check(r.returncode == 1, "llquantize of more is refused", r.stderr)
    live.done()


main()
