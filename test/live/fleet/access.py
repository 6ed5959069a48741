# SPDX-License-Identifier: Apache-2.0
# @timeout: 240
"""dwell fleet access: the example of doc/fleet.md on a real nats-server with TLS and a real ClickHouse, with a second tenant beside it. Who has
no certificate, key or right gets nothing; run works; no tenant reads, runs, hears or sends what is of another one."""
import base64
import ctypes
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import time
import urllib.error

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import engines  # noqa: E402
import live  # noqa: E402

engines.needed()
os.chdir(live.WORK)
engines.sample("sample.dwell")
DOC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../doc/fleet.md")
HOSTS = {"web-1": "acme", "web-2": "acme", "web-01": "acme", "b-1": "beta"}
BASE = {k: v for k, v in os.environ.items() if k not in ("DWELL_FLEET", "DWELL_FLEET_STORE")}
CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


def openssl(*args):
    subprocess.run(["openssl", *args], check=True, capture_output=True)


def certificates():
    """An authority, and a server that is called localhost."""
    for ca in ("ca", "other"):
        openssl("req", "-x509", *CURVE, "-days", "2", "-subj", "/CN=" + ca, "-keyout", ca + ".key", "-out", ca + ".pem")
    openssl("req", *CURVE, "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr")
    with open("names", "w", encoding="ascii") as f:
        f.write("subjectAltName=DNS:localhost\n")
    openssl(
        "x509",
        "-req",
        "-in",
        "server.csr",
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
        "-CAcreateserial",
        "-days",
        "2",
        "-extfile",
        "names",
        "-out",
        "server.pem",
    )


def shell(commands):
    env = {**BASE, "PATH": os.path.join(live.WORK, "bin") + ":" + BASE["PATH"]}
    r = subprocess.run(["sh", "-euc", commands], env=env, capture_output=True, text=True, check=False)
    live.check(r.returncode == 0 and not r.stderr, "the example", r.stdout + r.stderr)


def example(port):
    """The commands of the document, with this machine's files; another tenant's lines are added."""
    with open(DOC, encoding="utf-8") as f:
        text = re.search(r"((?:^    .*\n)*^    cat > fleet\.access <<EOF\n(?:^    .*\n)+)", f.read(), re.M)[1]
    text = re.sub("^    ", "", text, flags=re.M)
    os.makedirs("bin", exist_ok=True)
    if not os.path.exists("bin/dwell"):
        os.symlink(os.path.abspath(live.DWELL), "bin/dwell")
    text = (
        text.replace("0.0.0.0:4222", f"127.0.0.1:{port}")
        .replace("/etc/dwell/", live.WORK + "/")
        .replace("/var/lib/nats", live.WORK + "/streams")
    )
    shell(
        "for who in web-01 b-1 b-web-01 b-collect bob; do dwell fleet key $who.key > $who.pub; done; echo pw-bea > bea.password\n"
        + text.replace(
            "EOF\ndwell",
            """host $(cat web-01.pub) acme/default/web-01
host $(cat b-1.pub) beta/default/b-1
collect $(cat b-collect.pub) beta
host $(cat b-web-01.pub) beta/default/web-01
user $(cat bob.pub) beta
reader bea dwell_beta $(head -c -1 bea.password | sha256sum | cut -c-64)
EOF
dwell""",
            1,
        )
    )


def fleet(*args, key, timeout=60, **kw):
    return live.dwell(
        "fleet", *args, *(["--creds", key + ".key"] if key else []), timeout=timeout, env=kw.pop("env", env), **kw
    )


def ask(*args, user):
    r = live.dwell(
        "fleet",
        *args,
        "--json",
        "--store-database",
        {"ann": "dwell_acme", "bea": "dwell_beta"}[user],
        "--store-user",
        user,
        "--store-password",
        user + ".password",
        env={**BASE, "DWELL_FLEET_STORE": store.url},
        timeout=60,
    )
    live.check(r.returncode == 0, " ".join(args), r.stderr)
    return [json.loads(line) for line in r.stdout.splitlines()]


def sql(user, text, database="dwell_beta"):
    """Rows, or the server's words."""
    try:
        return store.ask(text, database, auth=(user, open(user + ".password", encoding="ascii").read().strip()))
    except urllib.error.HTTPError as e:
        return e.read().decode()


def audit(host):
    path = f"{host}/fleet-run.log"
    return [json.loads(line) for line in open(path, encoding="utf-8")] if os.path.exists(path) else []


class Raw:
    """A member who speaks NATS' protocol with a key of his own."""

    def __init__(self, port, key):
        lib = ctypes.CDLL("libnats.so.3.4")
        lib.nats_Open(ctypes.c_int64(-1))
        plain = socket.create_connection(("localhost", port))
        plain.settimeout(10)
        info = b""
        while not info.endswith(b"\r\n"):
            info += plain.recv(1)
        nonce = json.loads(info[5:])["nonce"].encode()
        out, n = ctypes.POINTER(ctypes.c_ubyte)(), ctypes.c_int()
        live.same(
            lib.nats_Sign(open(key + ".key", "rb").read().strip(), nonce, ctypes.byref(out), ctypes.byref(n)),
            0,
            "signed",
        )
        sig = base64.urlsafe_b64encode(bytes(out[: n.value])).rstrip(b"=").decode()
        self.s = ssl.create_default_context(cafile="ca.pem").wrap_socket(plain, server_hostname="localhost")
        self.f = self.s.makefile("rb")
        self.s.sendall(
            b"CONNECT "
            + json.dumps(
                {"verbose": False, "nkey": open(key + ".pub", encoding="ascii").read().strip(), "sig": sig}
            ).encode()
            + b"\r\n"
        )
        self.lines = []
        live.check(self.flush(), "connected", self.lines)

    def flush(self):
        """Everything that came until the server's answer; whether it let us."""
        self.s.sendall(b"PING\r\n")
        while True:
            line = self.f.readline()
            if line == b"PONG\r\n" or not line:
                return bool(line)
            self.lines.append(line)

    def denied(self, words):
        self.lines.clear()
        self.s.sendall(words)
        self.flush()
        return any(b"Permissions Violation" in line for line in self.lines)


port = engines.free_ports(1)[0]
certificates()
example(port)
for bad, reason in (
    ("host UAAA acme/default/x", "no line of such a list"),
    ("user $(cat alice.pub) beta", "stands there already"),
    ("host $(cat web-1.pub)x acme/default/web-9", "no line of such a list"),
):
    shell(f"cp fleet.access bad; printf '%s\\n' \"{bad}\" >> bad")
    r = live.dwell("fleet", "access", "bad", env=BASE)
    live.check(r.returncode == 1 and not r.stdout and reason in r.stderr, "refused: " + bad, r.stdout[:100] + r.stderr)

with engines.Secure(os.path.join(live.WORK, "nats"), "nats.conf", port) as nats, engines.ClickHouse(
    os.path.join(live.WORK, "store"),
    "users.xml",
    ("collector", open("collector.password", encoding="ascii").read().strip()),
) as store:
    env = {**BASE, "DWELL_FLEET": nats.url, "DWELL_FLEET_STORE": store.url}
    writer = [
        "--store-user",
        "collector",
        "--store-password",
        "collector.password",
        "--tenant",
        "acme",
        "--store-database",
        "dwell_acme",
    ]
    writer_b = writer[:4] + ["--tenant", "beta", "--store-database", "dwell_beta"]
    ca = ["--ca", "ca.pem"]
    # who comes without TLS, to another name, with another authority, without a key, with a key that nobody knows
    for what, args, key, url in (
        ("no authority", [], "init", nats.url),
        ("another authority", ["--ca", "other.pem"], "init", nats.url),
        ("no key", ca, None, nats.url),
        ("a key that nobody knows", ca, "eve", nats.url),
        ("another name", ca, "init", nats.url.replace("localhost", "127.0.0.1")),
        ("a collector's key", ca, "collect", nats.url),
        ("a host's key", ca, "web-1", nats.url),
    ):
        live.dwell("fleet", "key", "eve.key", env=BASE)
        r = fleet("init", *args, *writer, key=key, env={**env, "DWELL_FLEET": url})
        live.check(
            r.returncode == 1 and ("cannot connect to NATS" in r.stderr or "cannot be made" in r.stderr),
            "init is refused: " + what,
            r.stderr,
        )
    r = fleet("init", *ca, *writer, key="init")
    live.same(r.returncode, 0, "init: " + r.stderr)
    live.same(fleet("init", *ca, *writer_b, key="init").returncode, 0, "init of the other one")
    r = fleet("collect", *ca, *writer_b, "--for", "1s", key="collect")
    live.check(
        r.returncode == 1 or ("stored 0 rows" in r.stderr and "tried again" in r.stderr),
        "a collector of another tenant",
        r.stderr,
    )
    r = live.dwell("fleet", "init", env={**env, "DWELL_FLEET": "nats://bus.example:4222"})
    live.check(r.returncode == 1 and "--creds FILE is missing" in r.stderr, "another machine without a key", r.stderr)
    far = (
        "fleet",
        "run",
        "--fleet",
        "tls://10.255.0.1:4222",
        "--creds",
        "alice.key",
        "--hosts",
        "x",
        "-n",
        "BEGIN { exit(0); }",
    )
    r = live.dwell(*far, env=BASE)
    live.check(
        r.returncode == 1 and "--access FILE is missing" in r.stderr, "a run that would take unsigned answers", r.stderr
    )

    # hosts send as themselves, and as nobody else
    collectors = [
        subprocess.Popen(
            [live.DWELL, "fleet", "collect", *ca, *to, "--creds", key],
            env=env,
            stdin=subprocess.DEVNULL,
            stderr=open("collect.log", "a", encoding="utf-8"),
        )
        for to, key in ((writer, "collect.key"), (writer_b, "b-collect.key"))
    ]
    send = ["simulate", "--count", "1", "--back", "20s", "--for", "1s", "sample.dwell", *ca]
    r = fleet(*send, "--tenant", "acme", key="web-01")
    live.same(r.returncode, 0, "its own name: " + r.stderr)
    r = fleet(*send, "--tenant", "beta", key="b-web-01")
    live.same(r.returncode, 0, "a host of the same name of another tenant: " + r.stderr)
    for tenant, key in (("beta", "web-01"), ("acme", "b-1"), ("acme", "web-2")):
        r = fleet(*send, "--tenant", tenant, "--for", "500ms", "--site", "stolen", key=key)
        live.check("cannot be sent" in r.stderr, f"{key} as a host of {tenant}", r.stderr)
    end = time.monotonic() + 60
    for tenant in ("acme", "beta"):
        while time.monotonic() < end and int(store.ask("SELECT count() FROM hist", "dwell_" + tenant)[0][0]) < 20:
            time.sleep(0.2)
        live.same(
            store.ask("SELECT DISTINCT tenant, site, host FROM hist", "dwell_" + tenant),
            [[tenant, "default", "web-01"]],
            "who is in the store: " + open("collect.log", encoding="utf-8").read(),
        )

    # who asks sees hosts of his tenant
    live.same({h["host"] for h in ask("hosts", "--tenant", "acme", user="ann")}, {"web-01"}, "ann's hosts")
    live.same(ask("hosts", "--tenant", "acme", user="bea"), [], "not bea's, whatever she says")
    live.check(
        ask("latency", "--tenant", "acme", user="ann") and not ask("latency", "--tenant", "acme", user="bea"),
        "nor their latency",
    )
    live.same(sql("bea", "SELECT DISTINCT tenant FROM hist"), [["beta"]], "by SQL")
    live.check(
        "Access denied" in str(sql("bea", "SELECT count() FROM hist", "dwell_acme")),
        "the other database",
        sql("bea", "SELECT count() FROM hist", "dwell_acme"),
    )
    for text in (
        "SELECT count() FROM dwell_acme.hist",
        "SELECT count() FROM hist JOIN dwell_acme.hist USING time",
        "SELECT count() FROM merge('dwell_acme', 'hist')",
        "SHOW CREATE TABLE dwell_acme.hist",
        f"SELECT count() FROM remote('127.0.0.1', 'dwell_acme', 'hist', 'bea', '{open('bea.password', encoding='ascii').read().strip()}')",
        "INSERT INTO gap (host) VALUES ('x')",
        "DROP TABLE gap",
        "SET readonly = 0",
        "CREATE TABLE x (a UInt8) ENGINE = Memory",
    ):
        got = sql("bea", text)
        live.check(isinstance(got, str), "no way around: " + text, got)

    # programs
    daemons = []
    for host in ("web-1", "web-2", "b-1"):
        os.makedirs(host)
        with open(host + ".policy", "w", encoding="ascii") as f:  # it knows both: the servers keep them apart
            f.write(
                f"user {open('alice.pub').read().strip()} alice\nuser {open('bob.pub').read().strip()} bob\ncpu 20%\n"
            )
        daemons.append(
            subprocess.Popen(
                [
                    live.DWELL,
                    "fleet",
                    "host",
                    "--state",
                    host,
                    "--name",
                    host,
                    "--tenant",
                    HOSTS[host],
                    "--policy",
                    host + ".policy",
                    *ca,
                    "--creds",
                    host + ".key",
                ],
                env=env,
                stdin=subprocess.DEVNULL,
                stderr=open(host + ".log", "w", encoding="utf-8"),
            )
        )
    os.chmod("fleet.access", 0o600)
    program = ["--for", "5s", "-qn", "BEGIN { @ = sum(7); exit(0); }", *ca, "--access", "fleet.access"]
    names = {k: v for k, v in env.items() if k != "DWELL_FLEET_STORE"}

    def run(tenant, hosts, key):
        return fleet("run", "--tenant", tenant, "--hosts", hosts, *program, key=key, env=names)

    for attempt in range(40):
        r = run("acme", "web-1,web-2", "alice")
        if r.returncode == 0:
            break
        time.sleep(0.25)
    live.check(
        r.returncode == 0 and re.search(r"^\s+14$", r.stdout, re.M) and "refused" not in r.stderr,
        "alice runs on both, and answers are signed",
        r.stdout + r.stderr,
    )
    r = run("beta", "b-1", "bob")
    live.check(r.returncode == 0 and re.search(r"^\s+7$", r.stdout, re.M), "bob on his", r.stdout + r.stderr)
    before = {h: len(audit(h)) for h in HOSTS}
    for tenant, host, key in (("beta", "b-1", "alice"), ("acme", "web-1", "bob"), ("acme", "web-1", "web-2")):
        r = run(tenant, host, key)
        live.check(
            r.returncode == 1 and not r.stdout and "0 of 1" in r.stderr, f"{key} not on {host}", r.stdout + r.stderr
        )
    r = run("acme", "web-9", "alice")
    live.check("web-9: it is not enrolled" in r.stderr, "a host that is not enrolled", r.stderr)
    live.same({h: len(audit(h)) for h in HOSTS}, before, "and hosts heard nothing of it")

    # nobody hears what is not his
    public = {who: open(who + ".pub", encoding="ascii").read().strip() for who in ("alice", "web-1")}
    for who in ("bob", "web-2", "b-1", "alice", "collect"):
        raw = Raw(port, who)
        for subject in (
            "dwell.v1.>",
            "dwell.run.>",
            "_INBOX.>",
            ">",
            "dwell.run.v1.acme.default.web-1",
            f"_INBOX.{public['web-1']}.>",
            "$JS.>",
        ):
            live.check(raw.denied(b"SUB %s 1\r\n" % subject.encode()), f"{who} does not hear {subject}", raw.lines)
        for subject in (
            f"_INBOX.{public['web-1']}.x",
            "dwell.v1.acme.default.web-1.hist",
            "$JS.API.STREAM.DELETE.DWELL",
            "$JS.API.STREAM.PURGE.DWELL",
            "$JS.API.CONSUMER.MSG.NEXT.DWELL.collect-beta",
        ):
            live.check(
                raw.denied(b"PUB %s 1\r\nx\r\n" % subject.encode()), f"{who} does not send to {subject}", raw.lines
            )
    for p in daemons + collectors:
        p.terminate()
        p.wait(30)
live.done()
