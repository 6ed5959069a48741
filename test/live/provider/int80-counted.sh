#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2028 # D programs in single quotes
# What was left out is said.
# @needs: int80
. "$LIVE/lib.sh"
exits 0 "$DWELL" -q -n 'syscall:::entry /pid == $target/ { n++; }' -c "$TRIGGER int80 5"
grep -qE '[0-9]+ system calls? of (a )?32-bit programs? not traced' "$WORK/err" || die "$(cat "$WORK/err")"
# One system call: counted by the number that 32-bit programs call it by, and nothing else.
exits 0 "$DWELL" -q -n 'syscall::getppid:entry /pid == $target/ { n++; } END { printf("%d\n", n); }' -c "$TRIGGER int80 5"
grep -q '^dwell: 5 system calls of 32-bit programs not traced' "$WORK/err" || die "$(cat "$WORK/err")"
same 0 "$(head -1 "$WORK/out")"
exits 0 "$DWELL" -q -x droptags -n 'syscall::getppid:entry /pid == $target/ { n++; }' -c "$TRIGGER int80 5"
grep -q '^dwell: \[DTRACEDROP_COMPAT\] 5 system calls of 32-bit programs not traced' "$WORK/err" || die "$(cat "$WORK/err")"
exits 0 "$DWELL" -q -n 'syscall::semget:entry /pid == $target/ { n++; }' -c "$TRIGGER int80 5"
if grep -q 32-bit "$WORK/err"; then die "getppid of 32-bit programs counted for semget: $(cat "$WORK/err")"; fi
exits 0 "$DWELL" -q -n 'syscall::getppid: /pid == $target/ { n++; } rawtp:::sys_enter /pid == $target/ { m++; }' -c "$TRIGGER int80 5"
grep -q '^dwell: 10 system calls of 32-bit programs not traced' "$WORK/err" || die "$(cat "$WORK/err")"
