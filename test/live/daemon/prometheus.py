# SPDX-License-Identifier: Apache-2.0
# @timeout: 120
"""The dashboard's and the alert rules' queries on Debian's Prometheus, which reads the daemon's metrics; causes, cgroups and containers as labels."""
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request

import engines
import live

SHARE = os.path.join(os.path.dirname(os.path.abspath(live.__file__)), "../../share")
CONTAINER = "0123456789ab" + 52 * "c"
os.chdir(live.WORK)


def expressions():
    """Of the dashboard and of the rules: (name, query)."""
    board = json.load(open(f"{SHARE}/grafana-dwell.json"))
    for p in board["panels"]:
        for t in p["targets"]:
            q = t["expr"].replace("[$__rate_interval]", "[1m]").replace("$instance", ".*").replace("$tracker", "offcpu")
            live.check("$" not in q, f"{p['title']}: all variables are known", q)
            yield p["title"], q
    for line in re.findall(r"^ +expr: (>\n(?: {10}.*\n)+|.*)", open(f"{SHARE}/prometheus-dwell.yml").read(), re.M):
        yield "alert", line.lstrip(">").strip()


# What is empty as long as all is well, or with one host.
MAY_BE_EMPTY = "alert", "What is missing", "Slow waits by pod", "What dwell costs: CPU"

RULES_TEST = """rule_files: [rules.yml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - series: 'dwell_slow_wait_seconds_total{instance="a",class="io",cause="block I/O",cgroup="/x"}'
        values: '0+300x60'
      - series: 'dwell_slow_wait_seconds_total{instance="b",class="io",cause="block I/O",cgroup="/x"}'
        values: '0+6x60'
    alert_rule_test:
      - alertname: DwellSlowWaits
        eval_time: 30m
        exp_alerts:
          - exp_labels: { severity: info, instance: a, class: io, cause: "block I/O", cgroup: /x }
            exp_annotations:
              summary: "a /x: 5 threads at a time wait for block I/O"
              description: "Seconds of slow waits a second, by cause and cgroup."
"""


def wait_until(what, fn):
    for _ in range(300):
        if fn():
            return
        time.sleep(0.1)
    live.check(False, what)


def load(path):
    """A shell in this cgroup waits for its children."""
    subprocess.run(
        ["sh", "-c", f"echo $$ >{path}/cgroup.procs; for i in 1 2 3 4 5; do sleep 0.15; done; true"], check=True
    )


def ask(base, query):
    with urllib.request.urlopen(f"{base}/api/v1/query?" + urllib.parse.urlencode({"query": query})) as r:
        return json.load(r)


def labels(d):
    """A slow wait in a cgroup that is named as a container's."""
    top = "/sys/fs/cgroup/unified" if os.path.exists("/sys/fs/cgroup/unified") else "/sys/fs/cgroup"
    path = f"{top}/docker-{CONTAINER}.scope"
    try:
        os.mkdir(path)
    except OSError as e:
        print(f"# no cgroup here: {e}")
        return
    try:
        load(path)
        want = f'cgroup="/docker-{CONTAINER}.scope",container="{CONTAINER[:12]}"'

        def found():
            return [k for k in d.metrics() if want in k]

        wait_until("the container's slow waits are counted", found)
        m = d.metrics()
        one = next(k for k in m if want in k and k.startswith("dwell_slow_wait_seconds_total"))
        live.check(bool(re.search(r'\{tracker="offcpu",class="\w+",cause="[^"]+",', one)), "causes are labels", one)
        live.check(m[one] >= 0.1, "how long they took", str(m[one]))
        total = sum(v for k, v in m.items() if k.startswith("dwell_slow_wait_events_total") and 'tracker="offcpu"' in k)
        live.check(0 < total <= m['dwell_slow_events_total{tracker="offcpu"}'], "of the slow events", str(total))
    finally:
        os.rmdir(path)


def prometheus(d):
    base = f"http://127.0.0.1:{engines.free_ports(1)[0]}"
    with open("prometheus.yml", "w") as f:
        f.write(
            "global: { scrape_interval: 1s }\nscrape_configs:\n  - job_name: dwell\n    static_configs: [{ targets: ['"
            + re.search(r"//([^/]+)/", d.where)[1]
            + "'] }]\n"
        )
    shutil.copy(f"{SHARE}/prometheus-dwell.yml", "rules.yml")
    open("test.yml", "w").write(RULES_TEST)
    for words in ["check", "rules", "rules.yml"], ["test", "rules", "test.yml"]:
        r = subprocess.run(["promtool", *words], capture_output=True, text=True)
        live.check(r.returncode == 0, "promtool " + " ".join(words), r.stdout + r.stderr)
    with open("prometheus.log", "w") as log:
        p = subprocess.Popen(
            [
                "prometheus",
                "--config.file=prometheus.yml",
                "--storage.tsdb.path=tsdb",
                "--log.level=warn",
                "--web.listen-address=" + base.split("//")[1],
            ],
            stdout=log,
            stderr=log,
        )
    try:

        def scraped():
            try:
                return ask(base, 'rate(dwell_latency_seconds_count{tracker="offcpu"}[1m])')["data"]["result"]
            except OSError:
                return False

        wait_until("Prometheus has read it twice", scraped)
        n = 0
        for name, query in expressions():
            r = ask(base, query)
            n += 1
            live.check(
                r["status"] == "success" and (r["data"]["result"] or name in MAY_BE_EMPTY), f"{name}: {query}", str(r)
            )
        live.check(n > 20, "all queries were run", str(n))
    finally:
        p.terminate()
        p.wait()


def manifest():
    """The DaemonSet mounts what names are looked up in, each volume once, and its arguments are known."""
    text = open(f"{SHARE}/kubernetes.yaml").read()
    mounts = dict(re.findall(r"\{ name: (\w+), mountPath: (\S+?)[, ]", text))
    volumes = dict(re.findall(r"\{ name: (\w+), (?:hostPath: \{ path: (\S+?)[, ]|emptyDir)", text))
    live.same(sorted(mounts), sorted(volumes), "volumes and mounts")
    live.same(
        [m for n, m in mounts.items() if n not in ("state", "tmp") and volumes[n] != m], [], "paths as on the node"
    )
    code = "".join(open(f"{SHARE}/../src/daemon/{f}.c").read() for f in ("cgroups", "podfiles"))
    read = [p for p in re.findall(r'"(?:%s)?((?:/\w[\w.-]*)+)', code) if p.startswith(("/sys", "/var", "/run"))]
    live.check(len(read) >= 7, "paths are found in the code", str(read))
    live.same([p for p in read if not any(p.startswith(m) for m in mounts.values())], [], "all of them are mounted")
    args = json.loads(re.search(r"args: (\[.*\])", text)[1])
    r = live.dwell(*args[:2], "--metrics", args[args.index("--metrics") + 1], "--state", "/proc/none")
    live.check("/proc/none: cannot be used as state folder" in r.stderr, "its arguments are known", r.stderr)


manifest()
with live.Daemon("offcpu", "--over", "100ms", "--metrics", "0") as d:
    labels(d)
    if shutil.which("prometheus") and shutil.which("promtool"):
        prometheus(d)
    else:
        print("# no Prometheus here (package prometheus): no queries")
live.done()
