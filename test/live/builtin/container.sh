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
cat >"$WORK/inside" <<END
#!/bin/sh
echo \$\$ >$dir/cgroup.procs || exit 77
exec $TRIGGER getppid 1
END
chmod +x "$WORK/inside"
"$WORK/inside" || skip "cannot enter a cgroup"
exits 0 "$DWELL" -q -n 'syscall::getppid:entry /execname == "trigger" && progenyof($target)/ { printf("%s %d %d\n", container, cgroup, zonename == container); }' -c "$WORK/inside"
same "$id $(stat -c %i "$dir") 1" "$(head -1 "$WORK/out")"
