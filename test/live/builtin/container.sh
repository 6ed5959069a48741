#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016,SC2028 # D programs in single quotes
# cgroup is the inode number of the caller's version 2 cgroup; container its id, or "" on the host.
. "$LIVE/lib.sh"
mnt=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ -n "$mnt" ] || skip "no cgroup version 2 hierarchy"
id=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
dir=$mnt/docker-$id.scope
mkdir "$dir" 2>/dev/null || skip "cannot make a cgroup"
trap 'rmdir "$dir"' EXIT
sh -c 'echo $$ >"$1/cgroup.procs" && exec "$2" getppid 1 >/dev/null' sh "$dir" "$TRIGGER" || {
	skip "cannot enter a cgroup"
}
"$DWELL" -q -n 'syscall::getppid:entry /execname == "trigger" && container != ""/ { printf("%s %d\n", container, cgroup); exit(0); }
tick-5s { exit(1); }' -c "sh -c 'echo \$\$ >$dir/cgroup.procs && exec $TRIGGER getppid 1'" >"$WORK/out" 2>"$WORK/err" ||
	die "$(cat "$WORK/out" "$WORK/err")"
same "$id $(stat -c %i "$dir")" "$(cat "$WORK/out")"
