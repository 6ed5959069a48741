#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2028 # D programs in single quotes
# Two at once see the same, and each only its own variables and aggregations.
. "$LIVE/lib.sh"
prog='syscall::getppid:entry /execname == "trigger" && ppid == $1/ { @ = count(); } BEGIN { printf("ready\n"); } END { printa("%@d\n", @); }'
"$DWELL" -q -n "$prog" $$ >"$WORK/1" 2>"$WORK/e1" &
a=$!
"$DWELL" -q -n "$prog" $$ >"$WORK/2" 2>"$WORK/e2" &
b=$!
sleep 1.5
"$TRIGGER" getppid 1000
sleep 0.2
kill -TERM $a $b
wait $a || die "$(cat "$WORK/e1")"
wait $b || die "$(cat "$WORK/e2")"
has "$WORK/1" 1000
has "$WORK/2" 1000
