#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2028 # D programs in single quotes
# With buffers that are large enough nothing is dropped, and every record arrives once and in order.
. "$LIVE/lib.sh"
exits 0 "$DWELL" -q -x bufsize=32m -o "$WORK/records" -n 'syscall::lseek:entry /pid == $target && (int)arg0 == -1/ { printf("%d\n", arg1); }' \
	-c "$TRIGGER keys 200000"
same "" "$(cat "$WORK/err")" "messages"
grep -v "^\$" "$WORK/records" >"$WORK/numbers"
seq 0 199999 | cmp - "$WORK/numbers" || die "records are missing, doubled or out of order"
