#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2028 # D programs in single quotes
# The default action prints the columns only; -q prints nothing; messages say what matched.
. "$LIVE/lib.sh"
exits 0 "$DWELL" -n BEGIN -n 'tick-10ms { exit(0); }'
has "$WORK/err" "description 'BEGIN' matched 1 probe"
has "$WORK/err" "description 'tick-10ms ' matched 1 probe"
grep -qE '^ +[0-9]+ +[0-9]+ +:BEGIN $' "$WORK/out" || die "$(cat "$WORK/out")"
exits 0 "$DWELL" -q -n BEGIN -n 'tick-10ms { exit(0); }'
same "" "$(cat "$WORK/out")" "quiet"
same "" "$(cat "$WORK/err")" "quiet messages"
