#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2028 # D programs in single quotes
# A reader that leaves: dwell ends, quietly, and leaves nothing behind. No standard output at all.
. "$LIVE/lib.sh"
(
	rc=0
	timeout 15 "$DWELL" -q -n 'profile-997 { printf("line\n"); }' 2>"$WORK/err" || rc=$?
	echo $rc >"$WORK/rc"
) | head -1 >"$WORK/out"
same "line" "$(cat "$WORK/out")"
n=0
until [ -s "$WORK/rc" ]; do
	n=$((n + 1)); [ $n -lt 100 ] || die "dwell goes on without a reader"
	sleep 0.1
done
rc=$(cat "$WORK/rc")
[ "$rc" = 1 ] || [ "$rc" = 0 ] || die "exit code $rc"
same "" "$(grep -v "timer firing" "$WORK/err")" "messages"

# No standard output at all: no file or map of dwell's own takes its number.
rc=0
"$DWELL" -qn 'BEGIN { printf("x"); exit(0); }' >&- 2>"$WORK/err" || rc=$?
same 1 "$rc" "exit code without a standard output"
grep -q "standard output: Bad file descriptor" "$WORK/err" || die "$(cat "$WORK/err")"
