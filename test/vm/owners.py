# SPDX-License-Identifier: Apache-2.0
"""Who has a lock of the kernel, in a guest: of every wait that test/trigger/owners plants, `dwell latency` names the owner
and says for certain ("held by"), without the flight recorder and without other trackers."""
import json
import os
import re
import subprocess
import tempfile

WAITS, MS, OVER_MS = 20, 60, 40
SECS = 150


def planted(opt, kind, tracker):
    """Pairs of waiter and owner, slow events, messages."""
    program = os.path.join(os.path.dirname(opt.trigger), "owners")
    with tempfile.TemporaryDirectory(prefix="owners.") as folder:
        p = subprocess.run([opt.dwell, "latency", tracker, "--idle", "--over", f"{OVER_MS}ms", "--json", "-c", f"{program} {kind} {WAITS} {MS} {folder}"],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECS, check=False)
    pairs = [(int(m[1]), int(m[2])) for m in re.finditer(r"^waiter=(\d+) owner=(\d+)$", p.stdout, re.M)]
    rows = [json.loads(l) for l in p.stdout.splitlines() if l.startswith("{")]
    return pairs, [r for r in rows if r["type"] == "latency-slow"], p.stderr


def locks(opt, say):
    for kind in ("mutex", "write", "read"):
        pairs, slow, err = planted(opt, kind, "lock")
        wrong = []
        for waiter, owner in pairs:
            mine = [s for s in slow if s["tid"] == waiter]
            if not any(s["by_tid"] == owner and f"held by owner {owner}" in s["sentence"] for s in mine):
                wrong.append(f"waiter {waiter}, owner {owner}: {[s['sentence'] for s in mine]}")
        say(len(pairs) == WAITS and not wrong, f"the owner of a lock ({kind}): {len(pairs) - len(wrong)} of {WAITS}", wrong[:4] + err.splitlines()[:4] if wrong or len(pairs) != WAITS else ())


def check(opt, say):
    locks(opt, say)
