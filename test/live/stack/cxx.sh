#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2028 # D programs in single quotes
# C++ names are shown demangled.
# @needs: shapes
. "$LIVE/lib.sh"
"$DWELL" -q -n 'syscall::getppid:entry /pid == $target/ { ustack(2); }' -c "$(dirname "$TRIGGER")/shapes" >"$WORK/out" 2>"$WORK/err" ||
	die "$(cat "$WORK/err")"
has "$WORK/out" 'shapes`shapes::circle::area'
