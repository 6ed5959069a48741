#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the RPM with Debian's rpmbuild, and runs the program that is in it. What the spec wants to be installed has
# other names there, so that is not checked. usage: rpm.sh SOURCE
set -euo pipefail
source_dir=$(realpath "$1")
for c in rpmbuild rpm2cpio cpio; do
	command -v "$c" >/dev/null || { echo "$c is not installed"; exit 77; }
done
work=$(mktemp -d /var/tmp/dwell-rpm.XXXXXX)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/^Version: *//p' "$source_dir/packaging/dwell.spec")
grep -q "version: '$version'" "$source_dir/meson.build" || { echo "not ok: the spec has another version than meson.build"; exit 1; }
mkdir "$work/dwell-$version" "$work/src" "$work/root"
git -C "$source_dir" ls-files -z | (cd "$source_dir" && xargs -0 tar c --ignore-failed-read) | tar x -C "$work/dwell-$version"
tar cz -C "$work" -f "$work/src/dwell-$version.tar.gz" "dwell-$version"
rpmbuild -bb --nodeps --define "_topdir $work/top" --define "_sourcedir $work/src" "$source_dir/packaging/dwell.spec" >"$work/log" 2>&1 ||
	{ tail -n 40 "$work/log"; echo "not ok: the package does not build"; exit 1; }
package=$(find "$work/top/RPMS" -name 'dwell-[0-9]*.rpm')
rpm2cpio "$package" | (cd "$work/root" && cpio -id --quiet)
"$work/root/usr/bin/dwell" --version | grep "$version" >/dev/null || { echo "not ok: it does not run"; exit 1; }
out=$("$work/root/usr/bin/dwell" -x javaagent -l -n 'java1:::' 2>&1) || true
[ "${out#*process 1 is no JVM}" != "$out" ] || { echo "not ok: no provider java: $out"; exit 1; }
[ -f "$work/root/usr/share/man/man1/dwell.1.gz" ] || [ -f "$work/root/usr/share/man/man1/dwell.1" ] || { echo "not ok: no manual page"; exit 1; }
for p in libdwell-[0-9] libdwell-devel python3-dwell; do
	rpm2cpio "$(find "$work/top/RPMS" -name "$p*.rpm")" | (cd "$work/root" && cpio -id --quiet)
done
for f in include/dwell.h 'lib*/libdwell.so' 'lib*/libdwell.so.1' 'lib*/pkgconfig/libdwell.pc' 'lib/python3*/*/dwell.py'; do
	# shellcheck disable=SC2086 # a pattern
	ls "$work/root/usr/"$f >/dev/null || { echo "not ok: no $f"; exit 1; }
done
echo "ok: $(basename "$package"), $(stat -c %s "$package") bytes"
