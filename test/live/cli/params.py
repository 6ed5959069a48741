# SPDX-License-Identifier: Apache-2.0
"""Named parameters of scripts: values, defaults, --help, wrong names and values."""
import os

import live

SCRIPT = os.path.join(os.environ["WORK"], "p.d")
with open(SCRIPT, "w", encoding="utf-8") as f:
    f.write(
        """#pragma D param threshold int "ms from which on a call is slow" 10
#pragma D param name string "of the program" "cat"
#pragma D param rate string "how often" "10ms"
#pragma D param must int "how many"
#pragma D option quiet
BEGIN { printf("%d [%s] %s %d\\n", $threshold, $name, $$threshold, $must + 1); }
tick-$rate { printf("%s\\n", probename); exit(0); }
"""
    )


def run(*args):
    r = live.dwell("-s", SCRIPT, *args)
    return r.returncode, r.stdout.strip(), r.stderr


code, out, err = run("--must", "5")
live.check((code, out) == (0, "10 [cat] 10 6\ntick-10ms"), "defaults", out + err)
code, out, err = run("--must=-5", "--threshold", "0x20", "--name=a b", "--rate", "20ms")
live.check((code, out) == (0, "32 [a b] 0x20 -4\ntick-20ms"), "values", out + err)
code, out, err = run("--help")
live.check(
    code == 0 and "--threshold N" in out and '(default "cat")' in out and "(must be given)" in out and err == "",
    "--help",
    out + err,
)
for args, want, text in [
    ([], 2, "parameter --must must be given: how many"),
    (["--must", "1", "--treshold", "2"], 2, "--treshold; did you mean --threshold?"),
    (["--must", "1", "--nosuch=2"], 2, "--nosuch; the parameters are --threshold, --name, --rate, --must"),
    (["--must", "x"], 1, '--must must be an integer, not "x"'),
    (["--must"], 2, "option requires an argument -- '--must'"),
]:
    code, out, err = run(*args)
    live.check(code == want and text in err, " ".join(["params"] + args), f"{code} {out}{err}")
r = live.dwell("-n", "BEGIN { exit(0); }", "--zzzzz", "3")
live.check(r.returncode == 2 and "the program declares no parameters" in r.stderr, "no parameters at all", r.stderr)
r = live.dwell("-n", '#pragma D param a int "x" 1\n#pragma D param a int "y" 2\nBEGIN { exit($a); }')
live.check(r.returncode == 1 and "parameter is declared already: a" in r.stderr, "declared twice", r.stderr)
r = live.dwell("-qs", SCRIPT, "--must", "1", "--", "--extra")
live.check(r.returncode == 1 and "extraneous argument '--extra'" in r.stderr, "after -- are arguments", r.stderr)
r = live.dwell("--help")
live.check(
    r.returncode == 0 and r.stdout.startswith("dwell finds"), "--help without a program: the first screen", f"{r}"
)
