# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""Bursts of keys that time out at once: all fire, once each, in time. The virtual CPUs of a test machine pause now and then: what a
thread that only sleeps is late meanwhile is allowed on top."""
import re
import signal
import subprocess
import threading
import time

import live

KEYS = """tracker t (int64_t) {{ threshold = 1h; timeout = 300ms; size = 131072; }}
syscall::lseek:entry /execname == "trigger" && progenyof($ppid) && arg2 == 0/ {{ begin(t, arg1); }}
syscall::lseek:entry /execname == "trigger" && progenyof($ppid) && arg2 == 1/ {{ end(t, arg1); }}
latency:t::timeout {{ @n = count(); @late = lquantize((args[0]->delay - 300000000) / 1000000, 0, 4000, 1); {more} }}
BEGIN {{ printf("ready\\n"); }}
END {{ printa("n %@d\\n", @n); printa(@late); }}"""
MEMORY = (
    "@u[ustack(2)] = count();"  # needs a walk over the threads, as all clauses do where the kernel is older than 6.2
)


class Sleeper(threading.Thread):
    """The worst lateness of a thread that sleeps for 2 ms at a time, in ms."""

    def __init__(self):
        super().__init__()
        self.worst, self.ended = 0, False

    def run(self):
        while not self.ended:
            t = time.monotonic()
            time.sleep(0.002)
            self.worst = max(self.worst, (time.monotonic() - t) * 1000 - 2)


def burst(n, load, more=""):
    p = subprocess.Popen([live.DWELL, "-qn", KEYS.format(more=more)], stdout=subprocess.PIPE, text=True)
    p.stdout.readline()
    time.sleep(0.3)
    control = Sleeper()
    control.start()
    subprocess.run([live.TRIGGER, "track", f"B{n}", *load], check=True)
    time.sleep(4 if more and n > 1000 else 1)  # a walk over the threads for each is slow
    p.send_signal(signal.SIGINT)
    control.ended = True
    control.join()
    out = p.communicate(timeout=30)[0]
    count = re.search(r"^n (\d+)", out, re.M)
    rows = [(max(int(v), 0), int(k)) for v, k in re.findall(r"^\s*(?:< )?(\d+) \|[@ ]*\s*(\d+)\s*$", out, re.M)]
    values = [v for v, k in rows for _ in range(k)]
    return int(count.group(1)) if count else 0, values, control.worst


# what may be late: the median, and 99 of 100; a key in a burst waits for those before it
for n, median, most in ((1, 20, 20), (100, 20, 20), (10000, 20, 40), (100000, 100, 200)):
    for what, load in (("whose thread waits", ["s1000000"]), ("whose thread has ended", [])):
        fired, late, worst = burst(n, load)
        live.same(fired, n, f"{n} keys {what}: all fire, once each")
        late.sort()
        p50, p99 = late[len(late) // 2], late[len(late) * 99 // 100]
        live.check(
            p50 <= median + worst and p99 <= most + worst,
            f"{n} keys {what}: half of them {p50} ms late, 99 of 100 {p99} ms, the last {late[-1]} ms; a sleeper {worst:.1f} ms",
            (p50, p99),
        )

for n, load in ((1, ["s1000000"]), (300, ["s1000000"]), (300, []), (20000, ["s1000000"])):
    fired, late, worst = burst(n, load, MEMORY)
    live.same(fired, n, f"{n} keys, user stacks: all fire, once each")
    live.check(n > 300 or sorted(late)[n // 2] <= 20 + worst, f"{n} keys, user stacks: in time", late[:20])

# a clause of timeout can do what any other can, for the thread that opened the key
ACTIONS = """#pragma D option quiet
tracker t (int64_t) { threshold = 1h; timeout = 100ms; }
syscall::lseek:entry /pid == $target && arg2 == 0/ { begin(t, arg1); }
syscall::lseek:entry /pid == $target && arg2 == 1/ { end(t, arg1); }
latency:t::timeout { @s[stack(5), execname] = count(); @q["x"] = quantize(args[0]->delay); }
latency:t::timeout { printf("who %s %d %d %d %s\\n", execname, pid == $target, curthread->pid == tid, ppid == curthread->real_parent->tgid,
    args[0]->comm); stack(); trace(args[0]->stack); }
latency:t::timeout { this->n = 0; for (this->i = 0; this->i < 5; this->i++) { this->n += this->i; } printf("sum %d\\n", this->n); }
latency:t::timeout { if (arg1 == 3) { printf("three %s\\n", strjoin(execname, "!")); } self->x++; seen[tid] = timestamp; }
latency:t::timeout { trace(*(int *)8); printf("never\\n"); }
latency:t::timeout { slow("who", execname); printf("state %c\\n", thread_letter[curthread]); }
latency:t::timeout { this->s = speculation(); speculate(this->s); printf("speculated\\n"); }
latency:t::timeout { commit(this->s); }
dtrace:::ERROR { printf("fault\\n"); }"""
r = live.dwell("-n", ACTIONS, "-c", f"{live.TRIGGER} track b3 s400000")
for text in ("who trigger 1 1 1 trigger", "sum 10", "three trigger!", "state S", "speculated", "fault"):
    live.check(r.stdout.count(text) == 1, "in a clause of timeout: " + text, r)
live.check(r.stdout.count("hrtimer_nanosleep") == 3, "its stack, thrice", r.stdout)
live.check("never" not in r.stdout, "a fault ends its clause", r.stdout)
live.done()
