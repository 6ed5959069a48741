# SPDX-License-Identifier: Apache-2.0
"""What a timer does not do on an idle CPU is no loss: it is told apart, and pictures show it as idle time."""
import os
import re

import live

CPUS = len(os.sched_getaffinity(0))
RATE = 499


def number(pattern, text):
    found = re.search(pattern, text)
    return int(found[1]) if found else 0


def run():
    r = live.dwell(
        "-x",
        "droptags",
        "-q",
        "-n",
        f"BEGIN {{ start = timestamp; }} profile-{RATE}hz {{ @ = count(); }} tick-1s {{ exit(0); }}"
        "END { printf(\"%d \", timestamp - start); printa(\"%@d\\n\", @); }",
    )
    ns, fired = map(int, r.stdout.split())
    return (
        ns,
        fired,
        number(r"\[DTRACEDROP_TIMER\] (\d+) timer", r.stderr),
        number(r"\[DTRACEDROP_IDLE\] (\d+) timer", r.stderr),
    )


def accounted():
    ns, fired, missed, asleep = run()
    due = ns / 1e9 * RATE * CPUS
    yield (
        abs(fired + missed + asleep - due) <= 0.05 * due + CPUS,
        "each period is a firing, a miss or idle time",
        f"{fired} + {missed} + {asleep} of {due:.0f}",
    )


def nothing_asleep():
    with live.busy_cpus():
        _, fired, _, asleep = run()
    yield asleep <= 0.05 * fired, "CPUs that work are not called idle", f"{asleep} beside {fired}"


def idle_share(*args):
    r = live.dwell("flame", "--on-cpu", "--for", "1s", "-o", "flame.svg", *args)
    live.same(r.returncode, 0, "a flame graph is drawn")
    with open("flame.svg", encoding="utf-8") as f:
        found = re.search(r"CPUs (\d+) % idle", f.read())
    live.check("not made" not in r.stderr, "the picture says it, no message does", r.stderr)
    return int(found[1]) if found else -1


def busy_share():
    with live.busy_cpus():
        share = idle_share()
    yield 0 <= share <= 15, "nor in the flame graph", f"{share} % idle beside one busy thread for each CPU"


live.attempts("each period is accounted for", accounted)
live.attempts("nothing of busy CPUs is idle time", nothing_asleep)
live.attempts("the flame graph's share of idle time", busy_share)
live.done()
