#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2028 # D programs in single quotes
# -o appends to a file; messages still go to stderr.
. "$LIVE/lib.sh"
echo before >"$WORK/file"
exits 0 "$DWELL" -q -o "$WORK/file" -n 'BEGIN { printf("one\n"); exit(0); }'
same "" "$(cat "$WORK/out")"
same "before
one" "$(cat "$WORK/file")"
exits 1 "$DWELL" -q -o /no/such/dir/file -n 'BEGIN { exit(0); }'
has "$WORK/err" "failed to open output file '/no/such/dir/file': No such file or directory"
