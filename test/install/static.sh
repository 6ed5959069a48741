#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The static build runs in an empty folder: no library, no shell, nothing but itself, /proc, /sys and /dev/null.
# What it cannot do there is refused with its reason. usage: static.sh DWELL-STATIC
set -eu
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
if [ "${2-}" != inside ]; then
	work=$(mktemp -d)
	trap 'rm -rf --one-file-system "$work"' EXIT
	cp "$1" "$work/dwell"
	status=0
	unshare -m "$0" "$work" inside || status=$?
	exit $status
fi
work=$1
mount --make-rprivate /
mkdir "$work/proc" "$work/sys" "$work/dev" "$work/tmp"
mount --rbind /proc "$work/proc"
mount --rbind /sys "$work/sys"
: >"$work/dev/null"
mount --bind /dev/null "$work/dev/null"

fail() {
	echo "not ok: $*"
	exit 1
}

out=$(chroot "$work" /dwell -qn 'BEGIN { printf("it %s\n", "runs"); exit(0); }') || fail "does not run"
[ "$out" = "it runs" ] || fail "printed $out"
chroot "$work" /dwell run opensnoop --help | grep -q '^Usage: ' || fail "has no tools"
chroot "$work" /dwell --record /tmp/x -qn 'syscall::write:entry { @[probefunc] = count(); } tick-100ms { exit(0); }' -c '/dwell tools' >/dev/null ||
	fail "cannot record"
chroot "$work" /dwell report /tmp/x | grep -q write || fail "cannot read what it recorded"
chroot "$work" /dwell flame --on-cpu --for 200ms -o /tmp/cpu.svg >/dev/null || fail "draws no picture"
grep -q '</svg>' "$work/tmp/cpu.svg" || fail "the picture is not whole"
status=0
out=$(chroot "$work" /dwell serve 2>&1 >/dev/null) || status=$?
[ "$status" = 1 ] || fail "serve ends with $status"
case $out in
*"the static build of dwell opens no libraries"*) ;;
*) fail "serve says: $out" ;;
esac
echo "ok: $(stat -c %s "$work/dwell") bytes"
