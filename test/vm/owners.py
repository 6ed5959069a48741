# SPDX-License-Identifier: Apache-2.0
"""Who has a lock of the kernel, in a guest: of every wait that test/trigger/owners plants, `dwell latency` names the owner
and says for certain ("held by"), without the flight recorder and without other trackers."""
import json
import os
import re
import subprocess
import tempfile

WAITS, MS, OVER_MS = 20, 100, 50
SECS = 150
UNSEEN = 1  # a program that runs on a CPU already is not run there once more (seen: 1 wait of 400)


def planted(opt, kind, tracker):
    """Pairs of waiter and owner, slow events, messages."""
    program = os.path.join(os.path.dirname(opt.trigger), "owners")
    with tempfile.TemporaryDirectory(prefix="owners.") as folder:
        p = subprocess.run(
            [
                opt.dwell,
                "latency",
                tracker,
                "--idle",
                "--over",
                f"{OVER_MS}ms",
                "--json",
                "-c",
                f"{program} {kind} {WAITS} {MS} {folder}",
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECS,
            check=False,
        )
    pairs = [(int(m[1]), int(m[2])) for m in re.finditer(r"^waiter=(\d+) owner=(\d+)$", p.stdout, re.M)]
    rows = [json.loads(l) for l in p.stdout.splitlines() if l.startswith("{")]
    return pairs, [r for r in rows if r["type"] == "latency-slow"], p.stderr


def locks(opt, say):
    for kind in ("mutex", "write", "read"):
        pairs, slow, err = planted(opt, kind, "lock")
        wrong, unseen = [], 0
        for waiter, owner in pairs:
            mine = [s for s in slow if s["tid"] == waiter]
            unseen += not mine
            if mine and not any(s["by_tid"] == owner and f"held by owner {owner}" in s["sentence"] for s in mine):
                wrong.append(f"waiter {waiter}, owner {owner}: {[s['sentence'] for s in mine]}")
        ok = len(pairs) == WAITS and not wrong and unseen <= UNSEEN
        say(
            ok,
            f"the owner of a lock ({kind}): {len(pairs) - len(wrong) - unseen} of {WAITS}",
            [] if ok else wrong[:4] + err.splitlines()[:4],
        )


def work(opt, say):
    pairs, slow, err = planted(opt, "work", "offcpu")
    right = [
        s
        for s in slow
        if any(s["tid"] == waiter for waiter, _ in pairs)
        and re.search(r"for [^:]+: lru_add_drain_per_cpu, done by kworker/1:\S+ \d+", s["sentence"])
        and not s["inferred"]
    ]
    ok = len(pairs) == WAITS and len(right) >= WAITS
    say(
        ok,
        f"what work is waited for, and who does it: {len(right)} of {WAITS}",
        [s["sentence"] for s in slow[:4]] + err.splitlines()[:4] if not ok else (),
    )


def check(opt, say):
    locks(opt, say)
    work(opt, say)
