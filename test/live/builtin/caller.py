# SPDX-License-Identifier: Apache-2.0
"""caller is the second frame that stack() shows, and stackdepth the number of its frames; with one tracer
attached and with two, where the kernel goes through one more function of the tracing machinery."""
import subprocess
import live

PROBES = ("syscall::getppid:entry", "rawtp:::sys_enter", "sched:::off-cpu")


def look(probe):
    r = live.dwell(
        "-qn",
        probe + ' /pid == $target && !self->n++/ { stack(100); func(caller); printf("|%d\\n", stackdepth); }',
        "-c",
        live.TRIGGER + " chain 1 50",
    )
    lines = [line.strip() for line in r.stdout.strip().split("\n")]
    last = lines[-1].split("|")
    frames = [f.split("+")[0] for f in lines[:-1]]
    live.check(len(last) == 2 and len(frames) >= 2, probe + ": a stack", r.stdout + r.stderr)
    live.same(last[0].strip(), frames[1], probe + ": caller")
    live.same(last[1], str(len(frames)), probe + ": stackdepth")


for p in PROBES:
    look(p)
others = [
    subprocess.Popen(
        [live.DWELL, "-qn", f'BEGIN {{ printf("go\\n"); }} {p} /pid == 0/ {{ @ = count(); }}'],
        stdout=subprocess.PIPE,
        text=True,
    )
    for p in PROBES
]
for o in others:
    o.stdout.readline()
for p in PROBES:
    look(p)
for o in others:
    o.terminate()
    o.wait()
live.done()
