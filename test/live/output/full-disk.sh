#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2028 # D programs in single quotes
# -o on a full disk: an error message, exit code 1.
. "$LIVE/lib.sh"
mkdir "$WORK/small"
mount -t tmpfs -o size=64k none "$WORK/small" 2>/dev/null || skip "cannot mount a tmpfs"
trap 'umount "$WORK/small"' EXIT
exits 1 timeout 20 "$DWELL" -q -o "$WORK/small/out" -n 'profile-997 { printf("%4000s\n", "x"); } tick-15s { exit(0); }'
has "$WORK/err" "failed to write to '$WORK/small/out': No space left on device"
