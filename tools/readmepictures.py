#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pictures of the README: views of the recording test/web/reference/sample.dwell.xz.
usage: readmepictures.py DWELL [--refresh]    compares doc/pictures with what DWELL draws; --refresh: stores it"""
import lzma
import os
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PICTURES = {
    "heat": ["--by", "offcpu", "--title", "Time off the CPU"],
    "flame": ["--by", "@off_cpu_ns", "--title", "Stacks off the CPU"],
    "timeline": ["--from", "3s", "--to", "5s", "--title", "What three programs wait for"],
}


def drawn(dwell, recording, view):
    args = [dwell, view, recording, "--svg", *PICTURES[view]]
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, timeout=60).stdout


def main():
    dwell = os.path.abspath(sys.argv[1])
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "sample.dwell")
        with lzma.open(os.path.join(ROOT, "test/web/reference/sample.dwell.xz")) as packed, open(recording, "wb") as f:
            f.write(packed.read())
        for view in PICTURES:
            path = os.path.join(ROOT, "doc/pictures", view + ".svg")
            now = drawn(dwell, recording, view)
            if sys.argv[2:] == ["--refresh"]:
                with open(path, "wb") as f:
                    f.write(now)
                continue
            with open(path, "rb") as f:
                if f.read() != now:
                    print(f"{view}.svg is not what dwell draws today: look at it, and store it by --refresh")
                    wrong += 1
    print(f"pictures: {len(PICTURES)} looked at, {wrong} differ")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
