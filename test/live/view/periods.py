# SPDX-License-Identifier: Apache-2.0
"""dwell heat --offset over minutes, hours and days: columns are periods of the wall clock, rows their parts, whatever the events were read."""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree as ET
import zlib
import base64
from live import DWELL, WORK, check, done, dwell, same

SECOND = 10**9


def path(name):
    return os.path.join(WORK, name)


def heat(*args):
    return subprocess.run([DWELL, "heat", *args], capture_output=True, text=True, timeout=60)


def cells(text):
    """The head, and {(column, row): count} of all keys together."""
    head = json.loads(text)
    data, at, found = zlib.decompress(base64.b64decode(head["cells"])), 0, {}

    def number():
        nonlocal at
        value = shift = 0
        while True:
            value |= (data[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if data[at - 1] < 128:
                return value

    for _ in head["keys"]:
        index = 0
        for _ in range(number()):
            index += number()
            where = divmod(index, head["rows"])
            found[where] = found.get(where, 0) + number()
    return head, found


r = dwell(
    "--record",
    path("r.dwell"),
    "-qn",
    "syscall::openat:entry /progenyof($target)/ { trace(execname); }",
    "-c",
    "ls -lR /etc",
)
same(r.returncode, 0, "a recording")
# the events of a moment, each so much later than the one before: years of them would take years
for period, text, unit, rows, stride in (
    (60, "1m", "s", 60, 7.31),
    (3600, "1h", "min", 60, 407.7),
    (86400, "24h", "h", 96, 9871.3),
):
    shutil.copy(path("r.dwell"), path("p.dwell"))
    with sqlite3.connect(path("p.dwell")) as db:
        db.execute(
            "UPDATE row SET ts = ts + seq * CAST(? AS INTEGER) WHERE kind = 0 AND length(data) > 16",
            (int(stride * SECOND),),
        )
        off = int(db.execute("SELECT value FROM meta WHERE key = 'wall_off_ns'").fetchone()[0])
        times = [ts + off for ts, in db.execute("SELECT ts FROM row WHERE kind = 0 AND length(data) > 16")]
    db.close()
    period *= SECOND
    head, found = cells(heat("--offset", text, "--rows", str(rows), "--json", path("p.dwell")).stdout)
    first = min(times) // head_step if (head_step := round(head["step"] * 1e6)) else 0
    same((head_step, head["rows"]), (period, rows), f"{text}: a column is a period")
    want = {}
    for t in times:
        where = (t // period - first, t % period * rows // period)
        want[where] = want.get(where, 0) + 1
    same(found, want, f"{text}: events are where in the period they were")
    svg = heat("--offset", text, path("p.dwell")).stdout
    texts = [t.text or "" for t in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    axis = [t for t in texts if re.fullmatch(r"\d+(\.\d+)? " + unit, t)]
    check(
        len(axis) > 3 and f"{text[:-1]}.0 {unit}".replace("1.0", "60.0") in axis,
        f"{text}: the axis is in what people count in",
        texts,
    )
done()
