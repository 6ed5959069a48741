#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""dbslower.d shows slow queries of a PostgreSQL and of a MariaDB, and no fast ones; dbstat.d counts all. Neither is told
which server. A server that is not here is no case."""
import glob
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import live

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../dlib/tools/dbslower.d")
SLOW_MS = 300
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def answered(ask):
    until = time.monotonic() + 20
    while time.monotonic() < until and subprocess.run(ask, **QUIET).returncode:
        time.sleep(0.1)


def queries(name, server, ask, slow, options):
    """The server runs; its queries are shown when they are slow. Asked until one is: the tool may not be ready."""
    said = os.path.join(live.WORK, name)
    with open(said, "wb") as out:
        p = subprocess.Popen(
            [live.DWELL, "-s", TOOL, "--ms", str(SLOW_MS // 2), *options],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
        )
    until = time.monotonic() + 20
    while time.monotonic() < until and p.poll() is None and slow not in open(said, encoding="utf-8").read():
        subprocess.run([*ask, "select 7"], **QUIET)
        subprocess.run([*ask, slow], **QUIET)
        time.sleep(0.3)
    if p.poll() is None:
        p.send_signal(signal.SIGINT)
    err = p.communicate(timeout=20)[1]
    lines = open(said, encoding="utf-8").read().splitlines()
    rows = [l.split(None, 6) for l in lines if l[:1] == "2"]
    live.check(lines[0].split() == ["TIME", "PID", "MS", "QUERY"], f"{name}: columns", f"{lines} {err}")
    live.check(
        rows and all(r[6].startswith("select") and int(r[5]) >= SLOW_MS // 2 for r in rows),
        f"{name}: each line is a slow query",
        f"{lines} {err}",
    )
    mine = [r for r in rows if r[6] == slow]
    live.check(mine and all(int(r[5]) >= SLOW_MS for r in mine), f"{name}: takes as long as it was told to", f"{lines}")
    count(name, ask, slow)
    server.terminate()
    server.wait(20)


def count(name, ask, slow):
    """Five queries, one of them slow, by dbstat.d. A client of MariaDB asks for more by itself."""
    p = subprocess.Popen(
        [live.DWELL, "-s", TOOL.replace("dbslower", "dbstat"), "-n", 'BEGIN { printf("begun\\n"); }'],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while "begun" not in (line := p.stdout.readline()) and line:
        pass
    for q in ["select 7"] * 4 + [slow]:
        subprocess.run([*ask, q], **QUIET)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=20)
    rows = [l.split() for l in out.splitlines() if len(l.split()) == 4 and l.split()[1].isdigit()]
    live.check(
        len(rows) == 1
        and (int(rows[0][1]) == 5 if name == "PostgreSQL" else int(rows[0][1]) >= 5)
        and int(rows[0][3]) >= SLOW_MS * 1000 > int(rows[0][2]),
        f"{name}: dbstat.d",
        out + err,
    )


tried = 0
with tempfile.TemporaryDirectory() as base:
    os.chmod(base, 0o755)
    bins = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))
    try:
        user = pwd.getpwnam("postgres")
    except KeyError:
        user = None
    if bins and user and shutil.which("psql"):
        home = os.path.join(base, "pg")
        os.mkdir(home)
        os.chown(home, user.pw_uid, user.pw_gid)
        who = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": [], "cwd": home}
        subprocess.run(
            [os.path.join(os.path.dirname(bins[-1]), "initdb"), "-D", home + "/d", "-A", "trust", "-N"], **QUIET, **who
        )
        server = subprocess.Popen([bins[-1], "-D", home + "/d", "-k", home, "-c", "listen_addresses="], **QUIET, **who)
        ask = ["psql", "-h", home, "-U", "postgres", "-qtc"]
        answered([*ask, "select 1"])
        queries("PostgreSQL", server, ask, f"select pg_sleep({SLOW_MS / 1000})", [])
        tried += 1
    if shutil.which("mariadbd") and shutil.which("mariadb-install-db"):
        home = os.path.join(base, "my")
        subprocess.run(
            [
                "mariadb-install-db",
                "--no-defaults",
                "--user=root",
                f"--datadir={home}",
                "--skip-test-db",
                "--auth-root-authentication-method=normal",
            ],
            **QUIET,
        )
        server = subprocess.Popen(
            [
                "mariadbd",
                "--no-defaults",
                "--user=root",
                f"--datadir={home}",
                f"--socket={base}/s",
                "--skip-networking",
            ],
            **QUIET,
        )
        ask = ["mariadb", f"--socket={base}/s", "-u", "root", "-e"]
        answered([*ask, "select 1"])
        queries("MariaDB", server, ask, f"select sleep({SLOW_MS / 1000})", [])
        tried += 1
if not tried:
    print("# no database here")
    sys.exit(77)
live.done()
