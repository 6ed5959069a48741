# SPDX-License-Identifier: Apache-2.0
"""-x aggsortkey, aggsortkeypos, aggsortpos, aggsortrev, aggtop."""
import live

PROGRAM = """BEGIN {
	@a[1, "z"] = sum(3); @a[2, "y"] = sum(1); @a[3, "x"] = sum(2);
	@b[1, "z"] = sum(1); @b[2, "y"] = sum(3); @b[3, "x"] = sum(2);
	printa("%d%s ", @a, @b); exit(0); }"""

for options, want in [
    ([], "2y 3x 1z "),
    (["aggsortrev"], "1z 3x 2y "),
    (["aggsortkey"], "1z 2y 3x "),
    (["aggsortkey", "aggsortrev"], "3x 2y 1z "),
    (["aggsortkey", "aggsortkeypos=1"], "3x 2y 1z "),
    (["aggsortpos=1"], "1z 3x 2y "),
    (["aggsortpos=1", "aggsortrev"], "2y 3x 1z "),
    (["aggtop=2"], "3x 1z "),
    (["aggtop=2", "aggsortrev"], "1z 3x "),
    (["aggtop=3"], "2y 3x 1z "),
    (["aggtop=0"], "2y 3x 1z "),
]:
    args = [x for o in options for x in ("-x", o)]
    r = live.dwell("-q", *args, "-n", PROGRAM)
    live.same(r.stdout.strip("\n") + r.stderr, want, " ".join(options) or "by value")
r = live.dwell("-qx", "aggsortrev", "-n", "BEGIN { @a[1] = sum(1); @a[2] = sum(2); @b[3] = sum(3); exit(0); }")
live.same(r.stdout.split(), "3 3 2 2 1 1".split(), "aggsortrev: what the end prints, the last aggregation first")
live.done()
