#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2028 # D programs in single quotes
# What was left out is said.
# @needs: int80
. "$LIVE/lib.sh"
exits 0 "$DWELL" -q -n 'syscall:::entry /pid == $target/ { n++; }' -c "$TRIGGER int80 5"
grep -qE '[0-9]+ system calls? of (a )?32-bit programs? not traced' "$WORK/err" || die "$(cat "$WORK/err")"
