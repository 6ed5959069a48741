# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
# @long: it waits for what is delivered again, more than a minute
"""dwell fleet collect: what NATS delivers again counts once. Acknowledgements are lost, a collector is killed between its insert and its
acknowledgement, another one's insert comes after others have stored the same: seconds, minutes, tens of minutes and hours are those of a
second database, which got each message once."""
import http.server
import os
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import engines  # noqa: E402
import live  # noqa: E402

engines.needed()
os.chdir(live.WORK)
engines.sample("sample.dwell")
BACK_S = 119 * 60
AGAIN_S = 3
ROW = "host, series, key, toUInt32(time), count, sum, max, flags, buckets, counts"
ADDED = """SELECT host, series, key, intDiv(toUInt32(time), {0}) * {0} AS slot, sum(count), sum(sum), max(max), groupBitOr(flags),
 tupleElement(sumMap(buckets, counts), 1), tupleElement(sumMap(buckets, counts), 2) FROM hist GROUP BY host, series, key, slot HAVING slot < {1}"""


class Deaf:
    """Lets everything pass between collectors and NATS but the first acknowledgement of each message, and all of every eighth message."""

    def __init__(self, port):
        self.to, self.lost, self.listen = port, 0, socket.create_server(("127.0.0.1", 0))
        self.url = "nats://127.0.0.1:%d" % self.listen.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client, server = self.listen.accept()[0], socket.create_connection(("127.0.0.1", self.to))
            threading.Thread(target=self.pump, args=(server, client), daemon=True).start()
            threading.Thread(target=self.filter, args=(client, server), daemon=True).start()

    @staticmethod
    def pump(a, b):
        try:
            while data := a.recv(65536):
                b.sendall(data)
            b.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def filter(self, client, server):
        f = client.makefile("rb")
        try:
            while line := f.readline():
                words = line.split()
                if words[0] in (b"PUB", b"HPUB"):
                    line += f.read(int(words[-1]) + 2)
                    if words[1].startswith(b"$JS.ACK."):
                        delivered, message = map(int, words[1].split(b".")[4:6])
                        if delivered == 1 or message % 8 == 0:
                            self.lost += 1
                            continue
                server.sendall(line)
            server.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Slow:
    """Between a collector and ClickHouse: the first insert of seconds is held back, or its answer is."""

    def __init__(self, url, before):
        self.held, self.go, slow = threading.Event(), threading.Event(), self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hold = "query=INSERT%20INTO%20hist%20" in self.path and not slow.held.is_set()
                if hold and before:
                    slow.hold()
                try:
                    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
                        url + self.path, data=body, timeout=60
                    ) as r:
                        status, answer = r.status, r.read()
                except urllib.error.HTTPError as e:
                    status, answer = e.code, e.read()
                if hold and not before:
                    slow.hold()
                try:
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(answer)))
                    self.end_headers()
                    self.wfile.write(answer)
                except OSError:
                    pass  # it was killed

            def log_message(self, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def hold(self):
        self.held.set()
        self.go.wait(100)


def until(what, enough, seconds=60):
    end = time.monotonic() + seconds
    while not enough() and time.monotonic() < end:
        time.sleep(0.2)
    live.check(time.monotonic() < end, what)


def collector(*args, **other):
    return subprocess.Popen(
        [live.DWELL, "fleet", "collect", *args],
        env={**env, **other},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(p):
    """Ends a collector. How many messages it took."""
    p.terminate()
    err = p.communicate(timeout=60)[1]
    n = re.search(r"(\d+) messages", err)
    live.check(p.returncode == 0 and n, "a collector ends", err)
    return int(n.group(1)) if n else 0


def number(sql, database="dwell"):
    return int(store.ask(sql, database)[0][0])


def compare(when):
    live.same(
        number("SELECT count() FROM hist", "plain"),
        number("SELECT count() FROM hist FINAL", "plain"),
        "the second database has each row once",
    )
    for sql in (f"SELECT {ROW} FROM hist", "SELECT host, tracker, id, ended, delay FROM slow"):
        live.check(sorted(store.ask(sql + " FINAL")) == sorted(store.ask(sql, "plain")), f"{when}: {sql}")
    for table, period in (("hist_minute", 60), ("hist_ten", 600), ("hist_hour", 3600)):
        over = (sent - 60) // period * period
        got = sorted(store.ask(f"SELECT {ROW} FROM {table} FINAL WHERE time < toDateTime({over})"))
        live.check(got and got == sorted(store.ask(ADDED.format(period, over), "plain")), f"{when}: {table}", len(got))


def added_up():
    """Whether each hour, and so what it is made of, has as many events as its seconds."""
    over = (sent - 60) // 3600 * 3600
    events = f"WHERE time < toDateTime({over})"
    return number(f"SELECT sum(count) FROM hist_hour FINAL {events}") == number(
        f"SELECT sum(count) FROM hist {events}", "plain"
    ) and number(
        f"SELECT sum(count) FROM hist_minute FINAL WHERE time < toDateTime({(sent - 60) // 60 * 60})"
    ) == number(
        f"SELECT sum(count) FROM hist WHERE time < toDateTime({(sent - 60) // 60 * 60})", "plain"
    )


with engines.Nats(os.path.join(live.WORK, "nats")) as nats, engines.ClickHouse(
    os.path.join(live.WORK, "store")
) as store:
    env = {**os.environ, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
    once = ("--tenant", "default", "--store-database", "plain")
    for args in (("--again", f"{AGAIN_S}s"), (*once, "--again", "10m")):
        live.same(live.dwell("fleet", "init", *args, env=env, timeout=60).returncode, 0, "init")
    r = live.dwell(
        "fleet", "simulate", "--count", "1", "--back", f"{BACK_S}s", "--for", "5s", "sample.dwell", env=env, timeout=120
    )
    live.same(r.returncode, 0, "a simulated host: " + r.stderr[-300:])
    sent = int(time.time())

    p = collector(*once)
    until("each message, once", lambda: number("SELECT count() FROM hist WHERE series = 'offcpu'", "plain") >= BACK_S)
    time.sleep(1)  # for what is not of this series
    messages = end(p)
    rows = number("SELECT count() FROM hist", "plain")
    live.check(messages > 100, "messages", messages)

    deaf = Deaf(nats.port)
    p = collector(DWELL_FLEET=deaf.url)
    until(
        "an acknowledgement of each message is lost",
        lambda: deaf.lost >= messages and number("SELECT count() FROM hist FINAL") == rows,
    )
    time.sleep(AGAIN_S + 1)
    live.check(end(p) > 1.5 * messages, "the messages come again")
    live.same(number("SELECT count() FROM hist FINAL"), rows, "rows that are there twice")

    slow = Slow(store.url, False)
    p = collector(DWELL_FLEET_STORE=slow.url)
    until("stored, and the collector does not know it", slow.held.is_set)
    p.kill()
    p.communicate()
    slow.go.set()

    slow = Slow(store.url, True)
    p = collector(DWELL_FLEET_STORE=slow.url)
    until("a collector that waits to store", slow.held.is_set)
    other = collector()
    until("another one has added up all of it", added_up)
    time.sleep(2 * AGAIN_S)  # what the first one holds goes to it
    taken = end(other)
    compare("without the late insert")
    slow.go.set()
    taken += end(p)
    live.check(taken > messages // 8, "at least one of them was stored twice", (taken, messages))
    p = collector()
    until("still as many", added_up)
    end(p)
    compare("after the late insert")
live.done()
