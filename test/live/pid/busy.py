# SPDX-License-Identifier: Apache-2.0
# @alone: it takes the maps that are new for those of its program
"""Programs of uprobes run in threads that can be preempted. Who finds the program's scratch memory in use is
left out and counted: here it is marked as in use from outside."""
import ctypes
import os
import signal
import struct
import subprocess
import time
import live

PROBED = os.path.join(os.path.dirname(live.TRIGGER), "probed")
MAP_GET_FD_BY_ID, MAP_UPDATE_ELEM = 14, 2
MAP_INFO_SIZE = 88


def scratch_maps(before):
    found = []
    for kind, i in live.attached() - before:
        fd, _ = live.bpf(MAP_GET_FD_BY_ID, struct.pack("=III", i, 0, 0)) if kind == "map" else (-1, None)
        if fd < 0:
            continue
        info = ctypes.create_string_buffer(MAP_INFO_SIZE)
        live.bpf(live.OBJ_GET_INFO_BY_FD, struct.pack("=IIQ", fd, MAP_INFO_SIZE, ctypes.addressof(info)))
        if info.raw[24:40].split(b"\0")[0] == b"d_scratch":
            found.append((fd, struct.unpack_from("=I", info.raw, 12)[0]))
        else:
            os.close(fd)
    return found


def mark(fd, size, value):
    """The word in use is the first of the entry, on every CPU."""
    cpus = 1 + int(
        open("/sys/devices/system/cpu/possible", encoding="ascii").read().strip().split("-")[-1].split(",")[-1]
    )
    key = ctypes.create_string_buffer(struct.pack("=I", 0), 4)
    stride = (size + 7) // 8 * 8
    val = ctypes.create_string_buffer(struct.pack("=Q", value).ljust(stride, b"\0") * cpus, stride * cpus)
    r, _ = live.bpf(MAP_UPDATE_ELEM, struct.pack("=IIQQQ", fd, 0, ctypes.addressof(key), ctypes.addressof(val), 0))
    return r


before = live.attached()
p = subprocess.Popen([PROBED, "0", "5"])
d = subprocess.Popen(
    [
        live.DWELL,
        "-q",
        "-p",
        str(p.pid),
        "-x",
        "statusrate=100ms",
        "-n",
        "pid$target:a.out:probed_add:entry { @ = count(); }",
    ],
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    text=True,
)
maps = []
for _ in range(200):
    time.sleep(0.02)
    maps = scratch_maps(before)
    if any(kind == "link" for kind, _ in live.attached() - before):
        break
time.sleep(0.2)
live.same(len(maps), 1, "the program has scratch memory")
live.same(mark(*maps[0], 1), 0, "it is marked as in use")
time.sleep(0.5)
live.same(mark(*maps[0], 0), 0, "and free again")
time.sleep(0.3)
d.send_signal(signal.SIGINT)
out, err = d.communicate(timeout=20)
p.kill()
p.wait()
live.check("no scratch space free" in err, "the firings in between are counted as lost", err)
live.check(out.strip().isdigit() and int(out) > 10, "the others are not", out)
live.done()
