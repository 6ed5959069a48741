#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every manual page that is installed: it is found by its name (whatis), and man has nothing to say against it.
# usage: pages.sh FOLDER
set -eu
command -v lexgrog >/dev/null || exit 77
n=0
bad=0
for f in "$1"/*.[1-9]; do
	name=$(basename "$f")
	lexgrog "$f" | grep -F "\"${name%.*} - " >/dev/null || { echo "not ok: $name: $(lexgrog "$f" 2>&1)"; bad=1; }
	n=$((n + 1))
done
# All at once: man takes 50 ms for each.
out=$(man --warnings=w -E UTF-8 -l -P cat "$1"/*.[1-9] 2>&1 >/dev/null) || { echo "not ok: man: $out"; bad=1; }
[ -z "$out" ] || { echo "not ok: $out"; bad=1; }
[ $n -ge 100 ] || { echo "not ok: only $n pages"; bad=1; }
echo "$n pages"
exit $bad
