#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2028 # D programs in single quotes
# A program that is deleted, and has exited: seen alive, its symbols are still known.
. "$LIVE/lib.sh"
"$DWELL" -q -n 'syscall::getppid:entry /progenyof($target)/ { ustack(3); }' -c "$TRIGGER deleted" >"$WORK/out" 2>"$WORK/err" ||
	die "$(cat "$WORK/err")"
has "$WORK/out" 'chain_c'
has "$WORK/out" 'chain_b'
