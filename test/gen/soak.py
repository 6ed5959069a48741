# SPDX-License-Identifier: Apache-2.0
"""Loads random programs for as long as wanted and sorts the failures by kind.

usage: soak.py LOAD_ALL FIRST_SEED COUNT [FOLDER]    failing programs are left in FOLDER
       soak.py LOAD_ALL DIRECTORY                    loads the programs that are there"""
import os
import re
import subprocess
import sys
import tempfile

import gen
import shrink

BATCH = 20  # programs per run of load_all


def run_batch(load_all, folder, seeds):
    """{seed: what is wrong}"""
    bad = {}
    while seeds:
        paths = [os.path.join(folder, f"{s}.d") for s in seeds]
        try:
            r = subprocess.run([load_all] + paths, capture_output=True, text=True, errors="replace", timeout=600)
            out, err, code = r.stdout, r.stderr, r.returncode
        except subprocess.TimeoutExpired as e:
            out, err, code = (e.stdout or b"").decode(errors="replace"), "", "timeout"
        if code == 77:
            print(out, end="")
            sys.exit(77)
        done = re.findall(r"^(ok|not ok) \S*?(\d+)\.d(.*)", out, re.M)
        for verdict, seed, why in done:
            if verdict == "not ok":
                bad[int(seed)] = why[2:]
        rest = [s for s in seeds if s not in {int(d[1]) for d in done}]
        if rest:  # it died there
            bad[rest[0]] = f"crash: {code} " + " ".join(re.findall(r"ERROR: .*|runtime error: .*", err)[:1])
        seeds = rest[1:]
        if not rest and code not in (0, 1):
            bad[-1] = f"crash at the end: {code} {err[-2000:]}"
    return bad


def run(load_all, first, count, keep=None):
    """[(seed, what)]"""
    failures = []
    with tempfile.TemporaryDirectory(prefix="dwell-gen-") as folder:
        for at in range(first, first + count, BATCH):
            seeds = list(range(at, min(at + BATCH, first + count)))
            for s in seeds:
                with open(os.path.join(folder, f"{s}.d"), "w", encoding="utf-8") as f:
                    f.write(gen.program(s))
            for s, why in run_batch(load_all, folder, seeds).items():
                failures.append((s, why))
                if keep and s >= 0:
                    with open(os.path.join(keep, f"{s}.d"), "w", encoding="utf-8") as f:
                        f.write(gen.program(s))
            for s in seeds:
                os.unlink(os.path.join(folder, f"{s}.d"))
    return failures


def regressions(load_all, folder):
    """The programs that failed once, with the same report as random ones."""
    paths = [os.path.join(folder, f) for f in sorted(os.listdir(folder)) if f.endswith(".d")]
    r = subprocess.run([load_all] + paths, stdin=subprocess.DEVNULL, check=False)
    return r.returncode


def main():
    if len(sys.argv) == 3:
        return regressions(sys.argv[1], sys.argv[2])
    load_all, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    keep = sys.argv[4] if len(sys.argv) > 4 else None
    if keep:
        os.makedirs(keep, exist_ok=True)
    kinds = {}
    for seed, why in run(load_all, first, count, keep):
        kinds.setdefault(shrink.kind(why), []).append((seed, why))
    for kind, list_ in sorted(kinds.items(), key=lambda k: -len(k[1])):
        print(f"{len(list_)} times: seeds {', '.join(str(s) for s, _ in list_[:8])}: {list_[0][1]}")
    print(f"{count} programs, {sum(len(l) for l in kinds.values())} failures")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
