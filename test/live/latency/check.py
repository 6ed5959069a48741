# SPDX-License-Identifier: Apache-2.0
# @timeout: 60
"""`dwell check` finds faults that are made on purpose, several at a time, the most expensive first; and tells the same of a
recording. The whole set of faults is in test/check."""
import json
import os
import sys

from live import TRIGGER, WORK, check, done, dwell

FAULTS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../check/faults.py")
ENV = {**os.environ, "DWELL_CHECK_FIRST": "1", "TRIGGER": TRIGGER}
REC = os.path.join(WORK, "check.dwell")
PAGE = os.path.join(WORK, "check.html")


def look(faults, secs, *options):
    p = dwell(
        "check",
        "--for",
        "20s",
        "--json",
        *options,
        "--",
        sys.executable,
        FAULTS,
        faults,
        secs,
        WORK,
        timeout=90,
        env=ENV,
    )
    check(p.returncode == 0, f"{faults}: ends well", p.stderr)
    return json.loads(p.stdout)


# -- six kinds at once, each in other processes --
WANT = {
    "mutex": "futex-lock",
    "locked-file": "file-lock",
    "quota": "throttled",
    "no-names": "dns-unanswered",
    "many-files": "too-many-files",
    "full": "no-space",
}
page = look(",".join(WANT), 2.5, "--record", REC, "--html", PAGE)
found = {f["id"]: f for f in page["findings"]}
for fault, finding in WANT.items():
    if finding == "throttled" and finding not in found:  # the run went on without: no cgroup of that kind
        print("# no CPU limit here")
        continue
    check(finding in found, f"{fault}: found", sorted(found))
top = [f for f in page["findings"] if "follows_from" not in f]
check(
    top[0]["id"] in WANT.values(), "a planted one is the most expensive", [(f["id"], f["cost_ms_per_s"]) for f in top]
)
ranks = [
    max([f["cost_ms_per_s"]] + [g["cost_ms_per_s"] for g in page["findings"] if g.get("follows_from") == f["id"]])
    for f in top
]
check(ranks == sorted(ranks, reverse=True), "by what they cost", ranks)
f = found["file-lock"]
check(f["whom"][0]["name"].startswith("python3") and WORK in f["what"][0]["name"], "whom, and which file", f)
check("file lock (flock)" in f["slowest"], "with one slow event", f["slowest"])
check("held by python3" in f["slowest"] or f["by"], "and who had it", f)
check(found["dns-unanswered"]["what"][0]["name"] == "127.0.0.88", "which name server", found["dns-unanswered"])
check(page["own_percent"] > 0, "its own cost", page["own_percent"])

# -- the same from the recording --
p = dwell("check", "--json", REC, timeout=60)
again = json.loads(p.stdout)
ids = {f["id"] for f in again["findings"]}
check(set(WANT.values()) & set(found) <= ids, "a recording tells the same", (sorted(found), sorted(ids)))
p = dwell("check", "--against", REC, REC, timeout=60)
check("as before" in p.stdout, "compared with itself nothing has changed", p.stdout)
check("reckoned as" in p.stdout and "processes\n" in p.stdout, "as text", p.stdout)
with open(PAGE) as f:
    html = f.read()
check(
    html.startswith("<!DOCTYPE html>") and html.rstrip().endswith("</html>") and "<script" not in html,
    "one page without a script",
)
check('id="file-lock"' in html and "http" not in html, "that has the findings and needs nothing else")

p = dwell("check", "--for", "1s", "--html", "/no/such/folder/page.html", timeout=60)
check(
    p.returncode == 1 and "no/such/folder" in p.stderr and "CPU" in p.stdout,
    "a page that cannot be written ends with 1, and the text is there",
    p.stderr,
)

done()
