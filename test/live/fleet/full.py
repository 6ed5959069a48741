# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
# @long: a NATS server whose disk is full takes its time
"""Full disks: of a host's folder, of NATS and of ClickHouse, one after the other. Who is concerned says so and goes on; when there is room again all that
was sent is in the store, once."""
import contextlib
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import engines  # noqa: E402
import live  # noqa: E402

engines.needed()
os.chdir(live.WORK)
ROOM = "20g"  # NATS wants to know of more room than its stream may take; nothing of it is taken
TABLES = "SELECT (SELECT count() FROM hist FINAL), (SELECT uniqExact(host, recording, id) FROM slow)"


@contextlib.contextmanager
def disk(name):
    os.makedirs(name)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=" + ROOM, "tmpfs", name], check=False).returncode:
        print("# nothing can be mounted here")
        sys.exit(77)
    try:
        yield os.path.join(live.WORK, name)
    finally:
        subprocess.run(["umount", "-l", name], check=False)


def room(name, size=None):
    """None: no more than there is now."""
    if not size:
        s = os.statvfs(name)
        size = str((s.f_blocks - s.f_bfree) * s.f_frsize)
    subprocess.run(["mount", "-o", f"remount,size={size}", name], check=True)


def until(what, seconds=30):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.1)
    return what()


def said(name):
    return open(name + ".log", encoding="utf-8").read()


def start(name, *args):
    return subprocess.Popen(
        [live.DWELL, "fleet", *args],
        env=env,
        stdin=subprocess.DEVNULL,
        stderr=open(name + ".log", "a", encoding="utf-8"),
    )


def once(host, folder="state"):
    """Sends all of the recording as a host of that name. What it sent: histograms and slow events."""
    r = live.dwell("fleet", "host", "--state", folder, "--name", host, "--once", env=env, timeout=60)
    m = re.search(r"sent (\d+) histograms and (\d+) slow", r.stderr)
    live.check(r.returncode == 0 and m, "all is sent: " + host, r.stderr)
    if os.path.exists(folder + "/fleet.cursor"):
        os.unlink(folder + "/fleet.cursor")
    return [int(n) for n in m.groups()] if m else [0, 0]


def stored():
    return [int(n) for n in store.ask(TABLES)[0]]


os.mkdir("state")
engines.sample("state/latency-20200101-000000-000.dwell")
with disk("disk1") as d1, disk("store/data"), disk("disk3") as d3:
    with engines.Nats(os.path.join(d1, "nats")) as nats, engines.ClickHouse(os.path.join(live.WORK, "store")) as store:
        env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
        live.same(live.dwell("fleet", "init", env=env, timeout=60).returncode, 0, "init")
        collector = start("collect", "collect")
        each = once("first")
        live.check(each[1] > 100 and until(lambda: stored() == each), "with room", (each, stored()))

        # a host's folder: where the sending stands cannot be written
        engines.sample(os.path.join(d3, "latency-20200101-000000-000.dwell"))
        room("disk3")
        p = start("host", "host", "--state", d3, "--name", "second")
        live.check(
            until(lambda: "fleet.cursor: cannot be written" in said("host")), "a full folder is told", said("host")
        )
        live.check(
            until(lambda: stored() == [2 * n for n in each]), "what is sent again and again counts once", stored()
        )
        live.check(p.poll() is None and "sending again" not in said("host"), "the sender goes on", said("host"))
        live.same(said("host").count("cannot be written"), 1, "and tells it once")
        room("disk3", ROOM)
        live.check(until(lambda: "sending again" in said("host")), "and says when there is room", said("host"))
        p.terminate()
        live.same(p.wait(30), 0, "it ends in order")

        # the store
        room("store/data")
        once("third")
        live.check(
            until(lambda: "tried again until it works" in said("collect")), "a full store is told", said("collect")
        )
        live.check(re.search(r"space|No space|Cannot reserve", said("collect")), "with the reason", said("collect"))
        live.check(collector.poll() is None and stored() < [3 * n for n in each], "the messages wait", stored())
        room("store/data", ROOM)
        live.check(until(lambda: stored() == [3 * n for n in each]), "and are stored, once", (each, stored()))

        # NATS
        room("disk1")
        p = start("full", "host", "--state", "state", "--name", "fourth")
        live.check(until(lambda: "the recordings wait" in said("full")), "NATS without room is told", said("full"))
        live.check(p.poll() is None, "the sender goes on")
        room("disk1", ROOM)
        nats.kill()  # JetStream ends for good when it cannot write
        nats.start()
        live.check(until(lambda: "sending again" in said("full"), 40), "and sends again", said("full"))
        live.check(until(lambda: stored() == [4 * n for n in each], 40), "all of it, once", (each, stored()))
        p.terminate()
        live.same(p.wait(30), 0, "it ends in order")
        collector.terminate()
        live.same(collector.wait(30), 0, "the collector ends: " + said("collect"))
live.done()
