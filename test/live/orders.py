# SPDX-License-Identifier: Apache-2.0
"""A Node server of orders with a PostgreSQL, and its clients, for tests and measurements of runtimes (stack/orders.js)."""
import contextlib
import glob
import http.client
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import threading
import time

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stack/orders.js")
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
POSTGRES = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))


def missing():
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        return ["a user postgres"]
    return [] if POSTGRES and shutil.which("psql") else ["PostgreSQL"]


@contextlib.contextmanager
def database():
    """Its socket."""
    with tempfile.TemporaryDirectory() as home:
        with in_folder(home) as path:
            yield path


@contextlib.contextmanager
def in_folder(home):
    user = pwd.getpwnam("postgres")
    os.chown(home, user.pw_uid, user.pw_gid)
    who = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": [], "cwd": home}
    initdb = os.path.join(os.path.dirname(POSTGRES[-1]), "initdb")
    subprocess.run([initdb, "-D", home + "/d", "-A", "trust", "-N"], check=True, **QUIET, **who)
    options = ["-c", "listen_addresses=", "-c", "fsync=off"]
    p = subprocess.Popen([POSTGRES[-1], "-D", home + "/d", "-k", home, *options], **QUIET, **who)
    try:
        ask = ["psql", "-h", home, "-U", "postgres", "-qtc"]
        until = time.monotonic() + 30
        while time.monotonic() < until and subprocess.run([*ask, "select 1"], check=False, **QUIET).returncode:
            time.sleep(0.1)
        subprocess.run([*ask, "create table orders (id int, what text)"], check=True, **QUIET)
        yield home + "/.s.PGSQL.5432"
    finally:
        p.terminate()
        p.wait(20)


@contextlib.contextmanager
def server(node, path, log, *options):
    """The process, and its port."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    p = subprocess.Popen([node, *options, SERVER, str(port), path, log], stdout=subprocess.PIPE, text=True)
    try:
        p.stdout.readline()
        yield p, port
    finally:
        p.terminate()
        p.wait(20)


def clients(port, n, each):
    """n of them ask `each` times; the seconds that it takes, and the wrong answers."""
    wrong = []

    def ask(k):
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for i in range(each):
            c.request("POST", f"/{k * each + i}", '[{"n": 2}, {"n": 1}]')
            r = c.getresponse().read()
            if f'"order":"{2 * (k * each + i)}","price":9' not in r.decode():
                wrong.append(r)

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(n)]
    start = time.monotonic()
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return time.monotonic() - start, wrong
