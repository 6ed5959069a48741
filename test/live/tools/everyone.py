#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""Tools that probe a library in all programs: sslsniff.d sees an OpenSSL server and a GnuTLS client (wget), gethostlatency.d
the name that wget looks up. All of them start after the tools, which are not told who they are."""
import os
import shutil
import signal
import subprocess
import sys

import live

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../dlib/tools")
SERVER = """import http.server, ssl
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "8")
        self.end_headers()
        self.wfile.write(b"the body")
    def log_message(self, *args): pass
s = http.server.HTTPServer(("127.0.0.1", 0), Handler)
c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
c.load_cert_chain("cert", "key")
s.socket = c.wrap_socket(s.socket, server_side=True)
print(s.server_port, flush=True)
s.serve_forever()
"""
if not shutil.which("wget") or not shutil.which("openssl"):
    print("# no wget or openssl here")
    sys.exit(77)
os.chdir(live.WORK)
subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key", "-out", "cert", "-subj", "/CN=x"],
    check=True,
    stderr=subprocess.DEVNULL,
)
tools = {}
for name in ("sslsniff", "gethostlatency"):
    tools[name] = subprocess.Popen(
        [live.DWELL, "-s", os.path.join(TOOLS, name + ".d"), "-n", 'BEGIN { printf("begun\\n"); }'],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
for p in tools.values():
    while "begun" not in (line := p.stdout.readline()) and line:
        pass
server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
port = server.stdout.readline().strip()
client = subprocess.Popen(
    ["wget", "-q", "-t", "1", "--no-check-certificate", "--no-proxy", "-O", "-", f"https://localhost:{port}/secret"],
    stdout=subprocess.PIPE,
    text=True,
    env={"PATH": os.environ["PATH"]},
)
live.same(client.communicate(timeout=20)[0], "the body", "wget gets the page")
server.kill()
server.wait()
said = {}
for name, p in tools.items():
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=20)
    said[name] = [l.split() for l in out.splitlines()]
    print(f"# {name}:", out, err)
rows = said["sslsniff"]
gnutls = b"gnutls" in subprocess.run(["ldd", shutil.which("wget")], capture_output=True, check=False).stdout
live.check(
    any(r[0] == str(server.pid) and r[2] == "R" and r[4:6] == ["GET", "/secret"] for r in rows if len(r) > 5),
    "sslsniff: what the server reads",
)
live.check(
    any(r[0] == str(server.pid) and r[2] == "W" and r[4:7] == ["HTTP/1.0", "200", "OK"] for r in rows if len(r) > 6),
    "sslsniff: what it writes",
)
live.check(
    any(r[0] == str(client.pid) and r[2] == "W" and r[4:6] == ["GET", "/secret"] for r in rows if len(r) > 5),
    f"sslsniff: what wget writes ({'GnuTLS' if gnutls else 'OpenSSL'})",
)
live.check(
    any(r[0] == str(client.pid) and r[2] == "R" and r[4:7] == ["HTTP/1.0", "200", "OK"] for r in rows if len(r) > 6),
    "sslsniff: what wget reads",
)
live.check(
    any(str(client.pid) in r and r[-2:] == ["ok", "localhost"] for r in said["gethostlatency"]),
    "gethostlatency: the name that wget looks up",
)
live.done()
