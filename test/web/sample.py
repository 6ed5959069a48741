#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes test/web/reference/sample.dwell.xz, the recording of the reference pictures, of reference/sample.d while programs called web, store and backup
run; what says where it was made is taken out. All references change with it. usage: sample.py DWELL"""
import hashlib
import lzma
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "reference")
LOAD_S = 16


def load(who):
    end, n = time.time() + LOAD_S, 0
    while time.time() < end:
        n += 1
        if who == "web":
            hashlib.sha256(bytes(300000)).digest()
            time.sleep(0.03 if n % 29 else 0.2)
        elif who == "store":
            with open("store.db", "wb") as f:
                f.write(bytes(1 << 18))
                f.flush()
                os.fsync(f.fileno())
            time.sleep(0.002 if n % 50 else 0.12)
        elif (time.time() // 3) % 2:
            with open("/dev/zero", "rb") as f:
                f.read(1 << 22)
            time.sleep(0.001)
        else:
            time.sleep(0.05)


def clean(path):
    with sqlite3.connect(path) as db:
        db.execute("UPDATE meta SET value = 'example' WHERE key = 'host'")
        db.execute("UPDATE meta SET value = '6.18.0' WHERE key = 'kernel'")
        db.execute("UPDATE program SET name = 'sample.d'")
        db.execute("UPDATE symbol SET path = module WHERE path LIKE '/%'")
    with sqlite3.connect(path) as db:
        db.execute("VACUUM")


def main():
    dwell = os.path.abspath(sys.argv[1])
    if sys.argv[1] in ("web", "store", "backup"):
        load(sys.argv[1])
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sample.dwell")
        for who in ("web", "store", "backup"):
            os.symlink(os.path.realpath(sys.executable), os.path.join(folder, who))
        running = [
            subprocess.Popen([os.path.join(folder, who), os.path.abspath(__file__), who], cwd=folder)
            for who in ("web", "store", "backup")
        ]
        time.sleep(1)
        subprocess.run(
            [dwell, "--record", path, "-s", os.path.join(HERE, "sample.d")], check=True, stdout=subprocess.DEVNULL
        )
        for p in running:
            p.wait()
        clean(path)
        with open(path, "rb") as f, open(os.path.join(HERE, "sample.dwell.xz"), "wb") as g:
            g.write(lzma.compress(f.read(), preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    main()
