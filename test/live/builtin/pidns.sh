#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2028 # D programs in single quotes
# pid, $target, $pid and -p are those that dwell's own pid namespace shows.
command -v unshare >/dev/null || skip "no unshare"
. "$LIVE/lib.sh"
unshare -p -f --mount-proc true 2>/dev/null || skip "no pid namespaces here"

# dwell and target inside
unshare -p -f --mount-proc "$DWELL" -q -n '
syscall::getppid:entry /pid == $target/ { printf("in %d %d %d\n", pid == $target, $pid < 100, pid < 100); }
' -c "$TRIGGER getppid" >"$WORK/out" 2>"$WORK/err" || die "$(cat "$WORK/err")"
same "in 1 1 1" "$(cat "$WORK/out")" "inside"

# dwell outside, target inside: dwell shows the pid that it sees itself
unshare -p -f "$TRIGGER" reexec pause 2000 &
n=0
until child=$(pgrep -P $! 2>/dev/null); do
	n=$((n + 1)); [ $n -lt 100 ] || die "no child"
	sleep 0.02
done
"$DWELL" -q -n '
BEGIN { printf("out %d\n", $target); exit(0); }' -p "$child" >"$WORK/out" 2>"$WORK/err" || die "$(cat "$WORK/err")"
same "out $child" "$(cat "$WORK/out")" "outside"
kill "$child" 2>/dev/null || true

# -p inside
unshare -p -f --mount-proc sh -c '
"$TRIGGER" pause 1500 & p=$!
"$DWELL" -q -n "syscall::*nanosleep:return /pid == \$target/ { printf(\"%d\\n\", pid == \$target); }" -p $p
' >"$WORK/out" 2>"$WORK/err" || die "$(cat "$WORK/err")"
same "1" "$(cat "$WORK/out")" "-p inside"
