#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2028 # D programs in single quotes
# A probe inside the kernel work of another: skipped firings are counted and said, or there are none.
. "$LIVE/lib.sh"
exits 0 "$DWELL" -q -n 'sdt:::sched_switch, sdt:::sched_waking, sdt:::hrtimer_*, syscall:::, profile-997 { @[probename] = count(); } tick-1s { exit(0); }' \
	-c "$TRIGGER contend 3000 4"
grep -q hrtimer "$WORK/out" || die "no timer events: $(cat "$WORK/err")"
