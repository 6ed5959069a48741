# SPDX-License-Identifier: Apache-2.0
"""dwell hist: values of a known truth are where they belong, and differ as they do."""
import json
import os
import re
import subprocess
import xml.etree.ElementTree as ET
from live import DWELL, WORK, check, done, dwell, same


def path(name):
    return os.path.join(WORK, name)


def hist(*args, **env):
    return subprocess.run(
        [DWELL, "hist", *args],
        capture_output=True,
        text=True,
        timeout=60,
        env=dict(os.environ, LC_ALL="C.UTF-8", **env),
    )


def head(html):
    return json.loads(re.search(r'id="meta">(.*?)</script>', html, re.S).group(1))


# values 1 … 1000 under "a", three times as much under "b"
PROGRAM = """
    BEGIN { for (i = 1; i <= 1000; i++) { @v["a"] = hist(i); @v["b"] = hist(3 * i); @q = quantize(i); @l = lquantize(i, 0, 1000, 10); } exit(0); }
    """
r = dwell("--record", path("r.dwell"), "-qn", PROGRAM)
same(r.returncode, 0, "a recording")
out = hist("--by", "v", "--keys", "2", path("r.dwell"))
lines = out.stdout.splitlines()
check(re.match(r"@v +values +50 % +90 % +99 % +99.9 % +largest$", lines[0]), "a table", out)
rows = {l.split()[0]: l.split()[1:] for l in lines[1:] if l.startswith(("a ", "b ")) and "against" not in l}
for key, factor in (("a", 1), ("b", 3)):
    count, *got = rows[key]
    for text, true in zip(got, (500, 900, 990, 999, 1000)):
        value = float(text.replace(",", ""))
        check(abs(value - factor * true) <= 0.016 * factor * true + 1, f"{key}: {true * factor} is said to be {text}")
    same(count, "1,000", f"{key}: as many values")
check(
    "b against a:" in out.stdout and re.search(r"50 % x (2\.9|3\.0)\d", out.stdout) and "chance" not in out.stdout,
    "how they differ",
    out.stdout,
)
check("█" in out.stdout and all(len(l) <= 80 for l in lines), "bars within 80 columns", out.stdout)
ascii_out = hist("--by", "v", "--keys", "2", path("r.dwell"), NO_COLOR="1").stdout
check(ascii_out.isascii() and "###" in ascii_out, "ASCII with NO_COLOR", ascii_out)
check(hist("--by", "v", path("r.dwell"), LANG="C", **{"LC_CTYPE": "C"}).returncode == 0, "other locales")
same(
    subprocess.run(
        [DWELL, "hist", "--by", "v", path("r.dwell")], capture_output=True, env=dict(os.environ, LC_ALL="C")
    ).stdout.isascii(),
    True,
    "ASCII without UTF-8",
)
shares = [float(s) for s in re.findall(r"([\d.]+)%$", hist("--by", "l", path("r.dwell")).stdout, re.M)]
check(shares and abs(sum(shares) - 100) < 0.5, "shares add up to all", shares)
check("33" in hist("--by", "q", path("r.dwell")).stdout.splitlines()[2], "quantize: within a third")
out = hist("--by", "v", "--key", "a", path("r.dwell"), path("r.dwell"))
check("no more than chance gives" in out.stdout, "the same does not differ", out.stdout)
out = hist("--by", "v", "--key", "a", "--name", "before", "--name", "a <now>", path("r.dwell"), path("r.dwell"))
check(
    "before" in out.stdout and "a <now>" in out.stdout and "r.dwell" not in out.stdout.split("\n", 1)[1],
    "with names of their own",
    out.stdout,
)
check(
    "a &lt;now&gt;"
    in hist(
        "--by", "v", "--key", "a", "--name", "before", "--name", "a <now>", "--svg", path("r.dwell"), path("r.dwell")
    ).stdout,
    "in the picture, too",
)
h = json.loads(hist("--by", "q", "--json", path("r.dwell")).stdout)
check(
    h["per"] == "power of two" and all(b == 2 * a or a == 0 for a, b in zip(h["edges"], h["edges"][1:])),
    "quantize: a row is a power of two",
    h["edges"],
)
out = hist("--by", "v", "--range", "0-1h", "--range", "0-2h", path("r.dwell"))
check("0-2h against 0-1h" in out.stdout, "stretches of time", out)

same(hist("--by", "v", "--range", "0-1h,0-2h", path("r.dwell")).stdout, out.stdout, "the same with a comma")
h = json.loads(hist("--by", "v", "--range", "0-1h,0-2h", "--json", path("r.dwell")).stdout)
same([(s["name"], s["count"]) for s in h["series"]], [("0-1h", 2000), ("0-2h", 2000)], "and as JSON")

# -- pictures --
root = ET.fromstring(hist("--by", "v", "--keys", "2", "--svg", path("r.dwell")).stdout)
texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
check(
    "a" in texts and "b" in texts and any("± " in t for t in texts) and any("against" in t for t in texts),
    "SVG: percentiles with their errors",
    texts,
)
r = hist("--by", "v", "--keys", "2", "--html", path("r.dwell"))
if r.returncode == 0:
    h = head(r.stdout)
    same([s["count"] for s in h["series"]], [1000, 1000], "page: as many values")
    check(
        all(abs(sum(s["share"]) - 1) < 1e-5 for s in h["series"])
        and len(h["edges"]) == len(h["series"][0]["share"]) + 1,
        "page: rows and shares",
    )
    check(
        2.9 < h["series"][1]["quantiles"][0]["ratio"] < 3.1 and h["series"][0]["quantiles"][0]["error"] < 0.017,
        "page: ratios and errors",
        h["series"][1]["quantiles"],
    )

# -- what was lost --
same(
    dwell(
        "--record",
        path("l.dwell"),
        "-x",
        "bufsize=4k",
        "-qn",
        'BEGIN { for (i = 1; i <= 3000; i++) { printf("%d %s\\n", i, "a text that fills a buffer of 4 KiB"); @v = hist(i); } } tick-1s { exit(0); }',
    ).returncode,
    0,
    "a recording with losses",
)
out = hist(path("l.dwell")).stdout
check(re.search(r"\n[\d,]+ lost while recording\n$", out), "losses are said", out[-200:])
check(
    re.search(
        r"\n0-100s: [\d,]+ lost while recording · 0-200s: [\d,]+ lost while recording\n$",
        hist("--range", "0-100s,0-200s", path("l.dwell")).stdout,
    ),
    "losses of each stretch of time",
)
check(">" + out.splitlines()[-1] + "<" in hist("--svg", path("l.dwell")).stdout, "losses in the picture")
check("lost" not in hist("--by", "v", path("r.dwell")).stdout, "no losses where there are none")
if r.returncode == 0:
    check("lost while recording" in head(hist("--html", path("l.dwell")).stdout)["notes"], "losses in the page")

# -- live, wrong input --
r = hist("-n", 'BEGIN { @ = quantize(5); exit(0); }')
check(r.returncode == 0 and re.search(r" 4 +█+", r.stdout), "from a program", r)
r = hist("--by", "v", path("r.dwell"), "--keys", "9")
check(r.returncode == 2 and "from 1 to 8" in r.stderr, "too many keys", r.stderr)
r = hist(path("r.dwell"))
check(r.returncode == 1 and "there are several: @v, @q, @l" in r.stderr, "several to choose from", r.stderr)
r = hist("--by", "v", "--key", "c", path("r.dwell"))
check(r.returncode == 1 and "no key 'c'" in r.stderr and "a, b" in r.stderr, "no such key", r.stderr)
r = hist("--by", "v", "--from", "1h", path("r.dwell"))
check(r.returncode == 1 and "nothing was recorded" in r.stderr, "a time without anything", r.stderr)
same(
    dwell("--record", path("e.dwell"), "-qn", "BEGIN { @ = count(); exit(0); }").returncode,
    0,
    "a recording without distributions",
)
r = hist(path("e.dwell"))
check(r.returncode == 1 and "no distributions in it" in r.stderr, "says what is missing", r.stderr)
for wrong in (
    [],
    ["--html", "--svg", "x"],
    ["-n", "BEGIN", "x"],
    ["--range", "5s", "x"],
    ["--range", "5s-1s", "x"],
    ["--range", "1s-2s,,3s-4s", "x"],
    ["--range", ",".join(["1s-2s"] * 9), "x"],
    ["--json", "--svg", "x"],
    ["--for", "1s", "x"],
    ["x"] * 9,
):
    same(hist(*wrong).returncode, 2, f"wrong usage: {wrong[:3]}")

done()
