# SPDX-License-Identifier: Apache-2.0
"""NATS and ClickHouse of Debian's packages on loopback, for tests of `dwell fleet`."""
import lzma
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../web/reference/sample.dwell.xz")
NEEDED = ("nats-server", "clickhouse-server")
CONFIG = """<yandex><logger><level>warning</level><log>{d}/log</log><errorlog>{d}/errors</errorlog></logger>
<http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><interserver_http_port>{inter}</interserver_http_port><listen_host>127.0.0.1</listen_host>
<path>{d}/data/</path><tmp_path>{d}/tmp/</tmp_path><user_files_path>{d}/files/</user_files_path><users_config>{d}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database><mark_cache_size>50000000</mark_cache_size>
<timezone>UTC</timezone></yandex>"""
USERS = """<yandex><profiles><default><max_threads>2</max_threads></default></profiles><users><default><password></password>
<networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users><quotas><default></default></quotas></yandex>"""


def missing():
    return [name for name in NEEDED if not shutil.which(name)]


def needed():
    """Skips the case where one of them is not installed."""
    if missing():
        print("not installed: " + ", ".join(missing()))
        sys.exit(77)


def sample(path):
    """The recording that pictures of the documents are made of: what simulated hosts send."""
    with lzma.open(SAMPLE) as f, open(path, "wb") as to:
        shutil.copyfileobj(f, to)


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Engine:
    """A server that can be killed and started again. It does not outlive the test."""

    def __init__(self, args, answers):
        self.args, self.answers, self.p = args, answers, None
        self.start()

    def start(self):
        log = open(os.path.join(self.folder, "out"), "ab")
        self.p = subprocess.Popen(self.args, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = time.monotonic() + 60
        while not self.answers():
            if self.p.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"{self.args[0]} does not start: " + open(log.name, errors="replace").read()[-2000:])
            time.sleep(0.05)

    def kill(self, sig=signal.SIGKILL):
        self.p.send_signal(sig)
        self.p.wait()

    def __enter__(self):
        return self

    def __exit__(self, *what):
        if self.p.poll() is None:
            self.kill()


class Nats(Engine):
    def __init__(self, folder, *args):
        self.folder, self.port = folder, free_ports(1)[0]
        self.url = f"nats://127.0.0.1:{self.port}"
        os.makedirs(folder)
        super().__init__(
            ["nats-server", "-js", "-sd", folder, "-a", "127.0.0.1", "-p", str(self.port), *args], self.listens
        )

    def listens(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as s:
                return s.recv(5) == b"INFO "
        except OSError:
            return False


class Secure(Nats):
    """By a configuration with TLS. port: which that says."""

    def __init__(self, folder, config, port):
        self.folder, self.port, self.url = folder, port, f"tls://localhost:{port}"
        os.makedirs(folder)
        Engine.__init__(self, ["nats-server", "-c", config], self.listens)


class ClickHouse(Engine):
    """users: a file instead of one user who may everything; auth: as whom it is asked here."""

    def __init__(self, folder, users=None, auth=None):
        self.folder, self.auth = folder, auth
        os.makedirs(folder, exist_ok=True)
        self.port, tcp, inter = free_ports(3)
        self.url = f"http://127.0.0.1:{self.port}"
        with open(os.path.join(folder, "config.xml"), "w", encoding="ascii") as f:
            f.write(CONFIG.format(d=folder, http=self.port, tcp=tcp, inter=inter))
        with open(os.path.join(folder, "users.xml"), "w", encoding="ascii") as f:
            f.write(open(users, encoding="ascii").read() if users else USERS)
        super().__init__(["clickhouse-server", f"--config-file={folder}/config.xml"], self.listens)

    def ask(self, sql, database="dwell", auth=None):
        """Rows of texts."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        user = auth or self.auth
        headers = {"X-ClickHouse-User": user[0], "X-ClickHouse-Key": user[1]} if user else {}
        with opener.open(
            urllib.request.Request(f"{self.url}/?database={database}", data=sql.encode(), headers=headers), timeout=60
        ) as r:
            return [line.split("\t") for line in r.read().decode().splitlines()]

    def listens(self):
        try:
            return self.ask("SELECT 1", "dwell" if self.auth else "default") == [["1"]]
        except urllib.error.HTTPError:
            return bool(self.auth)  # it answers; there is no such database yet
        except (urllib.error.URLError, OSError):
            return False
