#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2028 # D programs in single quotes
# A process in another mount namespace whose file nobody else sees.
. "$LIVE/lib.sh"
unshare -m true 2>/dev/null || skip "no mount namespaces here"
unshare -m sh -c 'mount -t tmpfs none /mnt && cp "$TRIGGER" /mnt/hidden && exec /mnt/hidden chain 1' 2>/dev/null ||
	skip "cannot mount"
"$DWELL" -q -n 'syscall::getppid:entry /execname == "hidden"/ { ustack(3); n++; } syscall::exit_group:entry /execname == "hidden"/ { exit(0); }' \
	-c "unshare -m sh -c 'mount -t tmpfs none /mnt && cp $TRIGGER /mnt/hidden && /mnt/hidden chain 1'" >"$WORK/out" 2>"$WORK/err" ||
	die "$(cat "$WORK/err")"
has "$WORK/out" 'hidden`chain_c'
